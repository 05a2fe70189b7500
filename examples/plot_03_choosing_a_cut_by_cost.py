"""
Choosing a cut by cost
======================

A score ranks the rows. Which of them to predict positive is a separate choice. It depends on the
cost of a mistake, or on capacity.
"""

# %%
# The data
# --------
# Patients again, now with three measurements. About one patient in six is ill, and two in five of
# the ill are found. A second sample, next year's patients, has no labels. We know which of them are
# ill only because it is a simulation.

import matplotlib.pyplot as plt
import numpy as np

from unlabeled import PULogistic
from unlabeled.datasets import hide_labels
from unlabeled.plots import CutCurveDisplay
from unlabeled.thresholds import choose_cut


def patients(n, seed):
    """Draw measurements, and which patients are ill."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, (rng.random(n) < 1 / (1 + np.exp(2.9 - X @ [2.0, 1.5, 0.5]))).astype(int)


X, ill = patients(4000, seed=0)
s = hide_labels(ill, label_frequency=0.4, random_state=0)
X_new, ill_new = patients(4000, seed=1)

# %%
# What a mistake costs
# --------------------
# Missing an ill patient costs 600, testing a healthy one 60. So it pays to test if the probability
# of illness is above 60 / (60 + 600), one in eleven. The rule
# ``"cost(600, 60)"`` finds that cut; :class:`~unlabeled.PULogistic` takes any rule.

model = PULogistic("cost(600, 60)").fit(X, s)
print(f"tests {model.cut_.share:.0%} of the patients, finds {model.cut_.recall:.0%} of the ill")

# %%
# Other aims
# ----------
# You can fix the recall instead, or the number of tests. The score is the same for all rules, so
# nothing is fitted again: :func:`~unlabeled.thresholds.choose_cut` takes the cuts that a model
# keeps. They were counted on held-out scores, since scores of training rows look better than those
# of new rows.
#
# What each rule promises, from labels alone, and what it does among next year's patients:

rules = {
    "cost 600 : 60": "cost(600, 60)",
    "cost 60 : 60": "cost(60, 60)",
    "9 of 10 found": "recall_at_least(0.9)",
    "1 in 10 tested": "share(0.1)",
}
chosen = {name: choose_cut(model.cuts_, rule, model.class_prior_) for name, rule in rules.items()}
score_new = model.positive_score(X_new)
print("                  promised         in truth")
for name, cut in chosen.items():
    called = score_new > cut.threshold
    print(f"{name:15} tests {cut.share:4.0%}, finds {cut.recall:4.0%};", end=" ")
    print(f"tests {called.mean():4.0%}, finds {called[ill_new == 1].mean():4.0%}")

# %%
# Without rows, :class:`~unlabeled.plots.CutCurveDisplay` shows the kept cuts, with the best cut of
# every rule marked below.

CutCurveDisplay.from_estimator(model, rules=["f1_pu", *rules.values()])
plt.show()

# %%
# What a cut costs
# ----------------
# With recall r and share q, a cut misses a share ``prior * (1 - r)`` of all rows, and a share
# ``q - prior * r`` are false alarms. Recall and share are counts. The class prior is an estimate,
# and so is the cost of every cut. All marks show the cost at 600 and 60, also for rules with other
# aims.


def cost_per_patient(r, q, prior):
    """Return the mean cost per patient."""
    return 600 * prior * (1 - r) + 60 * (q - prior * r)


cuts = model.cuts_
estimated = cost_per_patient(cuts.recall, cuts.share, model.class_prior_)
order = np.argsort(-score_new)
share_new = np.arange(1, len(order) + 1) / len(order)
recall_new = np.cumsum(ill_new[order]) / ill_new.sum()
true = cost_per_patient(recall_new, share_new, ill_new.mean())

fig, ax = plt.subplots(figsize=(7, 4.5), layout="constrained")
ax.plot(cuts.share, estimated, color="#0072B2", label="estimated from labels")
ax.plot(share_new, true, color="black", ls="--", label="in truth, next year")
for (name, cut), marker in zip(chosen.items(), "osD^", strict=True):
    height = cost_per_patient(cut.recall, cut.share, model.class_prior_)
    ax.plot(cut.share, height, marker, color="#D55E00", ms=8, label=name)
ax.set(xlabel="share of the patients tested", ylabel="cost per patient", ylim=(0, None))
ax.legend()
plt.show()

# %%
# How much depends on the class prior
# -----------------------------------
# Only the rules by cost need it. Over its whole interval the cut moves like this:

interval = model.class_prior_interval()
for prior in (interval.lower, interval.estimate, interval.upper):
    cut = choose_cut(cuts, rules["cost 600 : 60"], prior)
    called = score_new > cut.threshold
    spent = cost_per_patient(called[ill_new == 1].mean(), called.mean(), ill_new.mean())
    print(f"class prior {prior:.2f}: tests {cut.share:.0%}, in truth at {spent:.1f} per patient")
print(f"the best cut there is: {true.min():.1f} per patient")

# %%
# The minimum is flat: a class prior that is wrong by a quarter costs little. If the number of
# positives is itself the question, such an error matters. That is the next example.
