"""
A first fit
===========

Hide most labels of a data set whose classes we know, fit a naive and two positive-unlabeled
classifiers to the rest, and see where each of them cuts.
"""

# %%
# The data
# --------
# Scikit-learn's breast-cancer data: thirty measurements of 569 tumors, "benign" the positive
# class. Each benign tumor keeps its label with probability 0.3, whatever its measurements are
# (:func:`~unlabeled.datasets.hide_labels`). Every other row, benign or malignant, is unlabeled.
# Half of the rows are held out for the end.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import f1_score
from sklearn.model_selection import train_test_split

from unlabeled import EnhancedLogistic, NaiveLogistic, PULogistic
from unlabeled.datasets import hide_labels
from unlabeled.thresholds import scan_cuts

X, y_true = load_breast_cancer(return_X_y=True)
s = hide_labels(y_true, label_frequency=0.3, random_state=1)
X, X_new, s, s_new, y_true, y_new = train_test_split(X, s, y_true, test_size=0.5, random_state=0)
print(f"{len(s)} rows to fit, {y_true.sum()} of them positive, {s.sum()} of these labeled")

# %%
# Two fits
# --------
# ``fit`` takes the features and the labels, under scikit-learn's names; ``y_true`` is never shown
# to a classifier. :class:`~unlabeled.NaiveLogistic` is a logistic regression of labeled against
# unlabeled rows. :class:`~unlabeled.EnhancedLogistic` is the same fit with another cut.

naive = NaiveLogistic(C=1).fit(X, s)
enhanced = EnhancedLogistic(C=1).fit(X, s)


def report(name, classifier):
    """Print what a classifier predicts for the held-out rows."""
    predicted = classifier.predict(X_new)
    f1 = f1_score(y_new, predicted)
    print(f"{name:16} predicts {predicted.sum():3d} of {len(X_new)} positive, F1 {f1:.2f}")


report("NaiveLogistic", naive)
report("EnhancedLogistic", enhanced)
print(f"In truth {y_new.sum()} are positive.")

# %%
# The naive classifier looks for rows that are more likely *labeled* than not, and there are hardly
# any: only three in ten positives have a label. We can compute F1 with the hidden classes only
# because we hid them ourselves.
#
# Where they cut
# --------------
# Both give every row the same score, up to a constant; the picture shows it. Labeled rows score
# high, and so do many unlabeled ones, because they are positive too. F1_PU is the squared recall
# of the labeled rows over the share of rows predicted positive. It needs no negative example, and
# the enhanced classifier cuts where it is largest. :func:`~unlabeled.thresholds.scan_cuts` counts
# the rows above every cut.

score = enhanced.positive_score(X)
cuts = scan_cuts(s, score)
middle = np.median(score)

fig, (rows, curve) = plt.subplots(2, 1, figsize=(7, 6), sharex=True, layout="constrained")
groups = {
    "labeled (positive)": (s == 1, "#0072B2"),
    "unlabeled, in truth positive": ((s == 0) & (y_true == 1), "#56B4E9"),
    "unlabeled, in truth negative": (y_true == 0, "#D55E00"),
}
rows.hist(
    [score[mask] - middle for mask, _ in groups.values()],
    bins=40,
    stacked=True,
    color=[color for _, color in groups.values()],
    label=list(groups),
)
rows.set(ylabel="rows")
rows.legend()
curve.step(cuts.score - middle, cuts.recall**2 / cuts.share, where="post", color="black")
curve.set(xlabel="score, from its median", ylabel="F1_PU of a cut here")
for classifier, dashes in ((naive, ":"), (enhanced, "--")):
    place = classifier.threshold_ - middle
    curve.axvline(place, color="black", ls=dashes, label=f"cut of {type(classifier).__name__}")
    rows.axvline(place, color="black", ls=dashes)
curve.legend()
plt.show()

# %%
# Nothing to choose
# -----------------
# ``C=1`` was a guess. :class:`~unlabeled.PULogistic` chooses ridge, class prior and cut on held-out
# scores, and stores its choices. Begin with this classifier.

chosen = PULogistic().fit(X, s)
report("PULogistic", chosen)
print(f"ridge C = {chosen.C_:.2g}, class prior {chosen.class_prior_:.2f}")
print(f"true share of positives {y_true.mean():.2f}, share of labels {s.mean():.2f}")

# %%
# It also estimates how many rows are positive, labeled or not; example 4 is about how far to trust
# that number. The next example is a realistic table, with categories and gaps. There we look at the
# truth only after the answer.
