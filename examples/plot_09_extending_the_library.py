"""
Extending the library
=====================

We write a rule for the cut and an estimator of the label frequency, in a dozen lines each. They
work wherever the library's own do.
"""

# %%
# The data
# --------
# Insurance claims: some are frauds, and half of the frauds are known. As in the first data set of
# example 4, some claims are certainly fraud.

import warnings

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import expit
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import check_estimator

from unlabeled import PULogistic, PUThresholdClassifier
from unlabeled.datasets import hide_labels
from unlabeled.label_frequency import BestBin, ElkanNoto, LabelFrequencyEstimator, TIcE
from unlabeled.thresholds import Rule

rng = np.random.default_rng(0)
X = rng.normal(size=(4000, 3))
fraud = (rng.random(4000) < expit(4 * X @ [1, 0.75, 0.25] - 4)).astype(int)
s = hide_labels(fraud, c=0.5, random_state=0)

# %%
# A rule
# ------
# Looking into a claim costs 60, and finding a fraud saves 300. The staff can look into one claim in
# ten; beyond that each costs 200. No rule of the library knows about overtime. A
# :class:`~unlabeled.thresholds.Rule` maximises a function of recall r, share q and class prior at
# every cut. It has a name and two remarks: whether it needs the prior, and where it cuts.


def gain(r, q, prior):
    """Return the gain per claim: frauds found, minus the work and the overtime."""
    return 300 * prior * r - 60 * q - 140 * np.maximum(q - 0.1, 0)


overtime = Rule("overtime", True, gain, "at 60/300, or at 200/300 in overtime")
fits = {"f1": PULogistic("f1").fit(X, s), "overtime": PULogistic(overtime).fit(X, s)}
for name, model in fits.items():
    called = model.predict(X)
    earned = gain(called[fraud == 1].mean(), called.mean(), fraud.mean())
    print(f"{name:8} looks into {called.mean():.0%} of the claims", end=", ")
    print(f"in truth gains {earned:.1f} per claim")

# %%
# A model keeps the curve on which its cut was chosen, so we can draw what the rule maximised.

cuts = fits["overtime"].cuts_
fig, ax = plt.subplots(figsize=(7, 4), layout="constrained")
values = gain(cuts.recall, cuts.share, fits["overtime"].class_prior_)
ax.plot(cuts.share, values, color="#0072B2", label="gain, estimated from labels")
for (name, model), style in zip(fits.items(), (":", "--"), strict=True):
    ax.axvline(model.cut_.share, color="black", ls=style, label=f"cut by {name}")
ax.set(xlabel="share of the claims looked into", ylabel="gain per claim", xlim=(0, 0.6))
ax.set(ylim=(values[cuts.share < 0.6].min(), None))
ax.legend()
plt.show()

# %%
# An estimator of the label frequency
# -----------------------------------
# If a leaf of a tree has only positives, the labelled share in it is c. A subclass of
# :class:`~unlabeled.label_frequency.LabelFrequencyEstimator` defines ``_estimate``, which takes
# validated rows and returns c. The base class has ``fit``, label values, bounds and
# ``class_prior_``.


class PurestLeaf(LabelFrequencyEstimator):
    """Label frequency as the largest share labelled in a leaf of a decision tree."""

    def __init__(self, smallest=0.05, positive_label=None):
        self.smallest = smallest
        self.positive_label = positive_label

    def _estimate(self, rows):
        leaves = DecisionTreeClassifier(min_weight_fraction_leaf=self.smallest, random_state=0)
        leaves.fit(rows.X, rows.s, sample_weight=rows.weight)
        return leaves.predict_proba(rows.X)[:, 1].max()


for estimator in (PurestLeaf(), BestBin(random_state=0), TIcE(random_state=0), ElkanNoto()):
    name, found = type(estimator).__name__, estimator.fit(X, s).label_frequency_
    print(f"{name:10} label frequency {found:.2f}")
print(f"in truth   {s.sum() / fraud.sum():.2f}")

# %%
# It does well here, but has two flaws: the largest of many shares is too large by chance, and
# without a pure leaf it is too small. Now it works everywhere. Classifiers take it as
# ``class_prior``, :class:`~unlabeled.WeightedLogistic` takes it as ``label_frequency``, and
# scikit-learn's checks of an estimator take it too. Those checks fit to toy data that justify all
# of our warnings, so we silence the warnings here.

tree = DecisionTreeClassifier(max_depth=4, random_state=0)
models = [
    PULogistic(class_prior=PurestLeaf()),
    PUThresholdClassifier(tree, "f1", class_prior=PurestLeaf(), random_state=0),
]
for model in models:
    prior = model.fit(X, s).class_prior_
    print(f"{type(model).__name__:21} class prior {prior:.3f}, in truth {fraud.mean():.3f}")

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    checks = check_estimator(PurestLeaf(), on_fail=None, on_skip=None)
print({state: sum(c["status"] == state for c in checks) for state in ("passed", "failed")})
