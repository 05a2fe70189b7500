"""
How many positives are there?
=============================

Labels alone do not determine this number. Every estimator adds an assumption. Here are seven, on
three data sets that differ in what the labels can show.
"""

# %%
# Three data sets
# ---------------
# In all of them two in five positives are labeled, at random. They differ in the probability of
# the class along the score t. In the first it goes from 0 to 1 quickly: some rows are surely
# positive. In the second the classes overlap everywhere. In the third it levels off at 0.6: even
# among the rows that look most positive, four in ten are negative.

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import expit

from unlabeled import JointLogistic, PULogistic
from unlabeled.datasets import hide_labels
from unlabeled.inference import bootstrap
from unlabeled.label_frequency import DEDPUL, BestBin, ElkanNoto, OneDimensionalJoint, TIcE
from unlabeled.plots import LabelFrequencyDisplay, ReliabilityDisplay

posteriors = {
    "apart": lambda t: expit(4 * t - 4),
    "overlapping": lambda t: expit(t - 1.8),
    "levelling off": lambda t: 0.6 * expit(4 * t - 3),
}


def draw(posterior):
    """Return features, hidden classes and labels of 3000 rows."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 3))
    y_true = (rng.random(3000) < posterior(X @ [1, 0.75, 0.25])).astype(int)
    return X, y_true, hide_labels(y_true, label_frequency=0.4, random_state=0)


data = {name: draw(posterior) for name, posterior in posteriors.items()}

# %%
# Seven estimators
# ----------------
# The first three assume that the posterior is *logistic*, and take the label frequency c from the
# shape of P(S=1|x). The next three look for a region in which *all rows are positive*, and estimate
# too many positives if there is none. The last one assumes that every positive is recognizable. The
# class prior is the share of labeled rows, divided by c.

estimators = [
    JointLogistic(),
    PULogistic(),
    OneDimensionalJoint(random_state=0),
    DEDPUL(random_state=0),
    BestBin(random_state=0),
    TIcE(random_state=0),
    ElkanNoto(),
]
names = [type(estimator).__name__ for estimator in estimators]
fig, axes = plt.subplots(1, 3, figsize=(8, 3.6), sharey=True, layout="constrained")
for ax, (title, (X, y_true, s)) in zip(axes, data.items(), strict=True):
    priors = [estimator.fit(X, s).class_prior_ for estimator in estimators]
    ax.plot(priors, names, "o", color="#0072B2", label="estimated")
    ax.axvline(y_true.mean(), color="black", ls="--", label="in truth")
    ax.axvspan(0, s.mean(), color="#DDDDDD", label="labeled")
    ax.set(title=title, xlabel="class prior", xlim=(0, 0.7))
axes[0].invert_yaxis()
handles, labels = axes[2].get_legend_handles_labels()
fig.legend(handles, labels, loc="outside lower center", ncols=3)
plt.show()

# %%
# Agreement is no proof: on the third set all are wrong together. Its labels have probability
# :math:`c \cdot 0.6\,\sigma(4t-3)` with a c of 0.4. A logistic posterior with a c of 0.24 would
# give the same labels. No method can distinguish the two from labels; you need other knowledge.
#
# How sure, if the assumption holds
# ---------------------------------
# With a logistic posterior, the interval contains every c under which the labels are not too
# unlikely.
# :class:`~unlabeled.plots.LabelFrequencyDisplay` draws twice the log-likelihood below its maximum.

joint = {name: JointLogistic().fit(X, s) for name, (X, _, s) in data.items()}
fig, axes = plt.subplots(1, 2, figsize=(8, 3.8), layout="constrained")
for ax, name in zip(axes, ("apart", "overlapping"), strict=True):
    X, y_true, s = data[name]
    LabelFrequencyDisplay.from_estimator(joint[name], X, s, ax=ax)
    ax.set_title(name)
    prior = joint[name].class_prior_interval(X, s)
    print(f"{name:11} class prior {prior.lower:.2f} to {prior.upper:.2f}, true {y_true.mean():.2f}")
plt.show()

# %%
# If classes overlap, twice as many positives, labeled half as often, give almost the same labels.
# The estimate alone does not show this.
#
# :func:`~unlabeled.inference.bootstrap` gives intervals for any estimator. They cover chance, not
# wrong assumptions: that of Elkan and Noto's estimator is short and far off.

X, y_true, s = data["overlapping"]
resampled = bootstrap(ElkanNoto(), X, s, n_resamples=99, random_state=0).interval("class_prior")
print(f"ElkanNoto: {resampled.lower:.2f} to {resampled.upper:.2f}, true {y_true.mean():.2f}")

# %%
# Is the posterior right?
# -----------------------
# Among rows with posterior y(x) a share c·y(x) is labeled. So the labeled share, divided by c,
# should be y(x). :class:`~unlabeled.plots.ReliabilityDisplay` compares the two. Squares are the
# hidden truth.

fig, axes = plt.subplots(1, 2, figsize=(8, 4.4), layout="constrained")
for ax, name in zip(axes, ("apart", "levelling off"), strict=True):
    X, y_true, s = data[name]
    ReliabilityDisplay.from_estimator(joint[name], X, s, y_true=y_true, ax=ax)
    ax.set_title(name)
plt.show()

# %%
# Points off the diagonal would be a reason for doubt. Points on it, as in both pictures, are not a
# proof: the squares on the right are not on the diagonal. If the number matters, let
# :func:`~unlabeled.audit.draw_audit` draw some rows, and find out their classes
# (:doc:`/auto_examples/plot_10_a_hundred_checked_rows`). Or use the ranking and the recall, which
# do not need the number.
