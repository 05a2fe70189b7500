"""
A first fit
===========

Hide most labels of a data set whose classes we know, fit the naive and the enhanced classifier to
what is left, and see where each of them cuts.
"""

# %%
# The data
# --------
# Scikit-learn's breast-cancer data: ten standardised features, 569 tumours, "benign" the positive
# class. Each benign tumour keeps its label with probability 0.3; every other row is unlabelled.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import f1_score
from sklearn.preprocessing import StandardScaler

from unlabeled import EnhancedLogistic, NaiveLogistic, PULogistic
from unlabeled.thresholds import scan_cuts

X, y_true = load_breast_cancer(return_X_y=True)
X = StandardScaler().fit_transform(X[:, :10])

rng = np.random.default_rng(0)
s = y_true * (rng.random(len(y_true)) < 0.3)
print(f"{len(s)} rows, {y_true.sum()} positive, {s.sum()} of them labelled")

# %%
# Two fits
# --------
# Both classifiers see ``X`` and ``s`` only. They share the direction of the score; the enhanced one
# moves the cut to where F1_PU is largest.

naive = NaiveLogistic(C=1).fit(X, s)
enhanced = EnhancedLogistic(C=1).fit(X, s)

for classifier in (naive, enhanced):
    predicted = classifier.predict(X)
    print(
        f"{type(classifier).__name__:16} predicts {predicted.sum():3d} positive, "
        f"F1 with the true classes {f1_score(y_true, predicted):.2f}"
    )

# %%
# The naive classifier looks for rows more likely labelled than not, and finds next to none. F1 is
# computed with the true classes here; F1_PU, below, is not.
#
# The estimated share of positives, against the true one:

print(f"estimated {enhanced.class_prior_:.2f}, true {y_true.mean():.2f}")

# %%
# F1_PU at every cut
# ------------------
# Recall of the labelled rows, squared, over the share of rows predicted positive. ``scan_cuts``
# counts both above every distinct score; the true classes are not needed.

cuts = scan_cuts(X @ enhanced.coef_[0], s)

fig, ax = plt.subplots(figsize=(7, 4), layout="constrained")
ax.step(cuts.score, cuts.recall**2 / cuts.share, where="post", color="black", linewidth=1)
for classifier, colour in ((naive, "tab:red"), (enhanced, "tab:blue")):
    ax.axvline(-classifier.intercept_[0], color=colour, label=type(classifier).__name__)
ax.set(xlabel="cut of the score", ylabel="F1_PU", title="Where the two classifiers cut")
ax.legend()
plt.show()

# %%
# Nothing to choose
# -----------------
# Which ridge, which class prior, which cut? :class:`~unlabeled.PULogistic` chooses them on scores
# of rows left out of the fit, here with all thirty features as they come, and says what it chose.

everything = load_breast_cancer().data
chosen = PULogistic().fit(everything, s)
print(f"ridge C = {chosen.C_:.2g}, class prior {chosen.class_prior_:.2f}")
print(f"F1 with the true classes {f1_score(y_true, chosen.predict(everything)):.2f}")
