"""
Extending the library
=====================

Our own rule for the cut and our own estimator of the label frequency, in a dozen lines each. They
work wherever those of the library do.
"""

# %%
# The data
# --------
# Insurance claims: some are frauds, and half of the frauds are known. As in example 4, some claims
# are surely fraud.

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
s = hide_labels(fraud, label_frequency=0.5, random_state=0)

# %%
# A rule
# ------
# Examining a claim costs 60, and a fraud found saves 300. The staff can examine one claim in ten;
# beyond that each claim costs 200. No rule of the library includes overtime. A
# :class:`~unlabeled.thresholds.Rule` is a function of recall r, share q and class prior at every
# cut, which is maximized. It has a name, and states whether it needs the prior and where it cuts.


def gain(r, q, prior):
    """Return the gain per claim: frauds found, minus the work and the overtime."""
    return 300 * prior * r - 60 * q - 140 * np.maximum(q - 0.1, 0)


overtime = Rule("overtime", True, gain, "at 60/300, or at 200/300 in overtime")
fits = {"f1": PULogistic("f1").fit(X, s), "overtime": PULogistic(overtime).fit(X, s)}
for name, model in fits.items():
    called = model.predict(X)
    earned = gain(called[fraud == 1].mean(), called.mean(), fraud.mean())
    print(f"{name:8} examines {called.mean():.0%} of the claims", end=", ")
    print(f"in truth gains {earned:.1f} per claim")

# %%
# A model keeps the curve on which its cut was chosen, so we can draw what the rule maximized.

cuts = fits["overtime"].cuts_
fig, ax = plt.subplots(figsize=(7, 4), layout="constrained")
values = gain(cuts.recall, cuts.share, fits["overtime"].class_prior_)
ax.plot(cuts.share, values, color="#0072B2", label="gain, estimated from labels")
for (name, model), style in zip(fits.items(), (":", "--"), strict=True):
    ax.axvline(model.cut_.share, color="black", ls=style, label=f"cut by {name}")
ax.set(xlabel="share of the claims examined", ylabel="gain per claim", xlim=(0, 0.6))
ax.set(ylim=(values[cuts.share < 0.6].min(), None))
ax.legend()
plt.show()

# %%
# An estimator of the label frequency
# -----------------------------------
# If some leaf of a tree contains only positives, the share labeled in it is c. A subclass of
# :class:`~unlabeled.label_frequency.LabelFrequencyEstimator` writes ``_estimate``, which gets
# validated rows and returns c. It inherits ``fit``, label values, bounds and ``class_prior_``.


class PurestLeaf(LabelFrequencyEstimator):
    """Label frequency as the largest share labeled in a leaf of a decision tree."""

    def __init__(self, smallest=0.05, pos_label=None):
        self.smallest = smallest
        self.pos_label = pos_label

    def _estimate(self, rows):
        leaves = DecisionTreeClassifier(min_weight_fraction_leaf=self.smallest, random_state=0)
        leaves.fit(rows.X, rows.s, sample_weight=rows.weight)
        return leaves.predict_proba(rows.X)[:, 1].max()


for estimator in (PurestLeaf(), BestBin(random_state=0), TIcE(random_state=0), ElkanNoto()):
    name, found = type(estimator).__name__, estimator.fit(X, s).label_frequency_
    print(f"{name:10} label frequency {found:.2f}")
print(f"in truth   {s.sum() / fraud.sum():.2f}")

# %%
# It does well here, but has the flaws of its idea: the largest of many shares is too large by
# chance, and without a pure leaf it is too small. It works everywhere: classifiers accept it as
# ``class_prior``, :class:`~unlabeled.WeightedLogistic` as ``label_frequency``, and it passes
# scikit-learn's checks of an estimator. These fit toy data that cause all our warnings, so we
# silence them here.

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
