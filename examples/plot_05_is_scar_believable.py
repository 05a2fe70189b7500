"""
Is SCAR believable?
===================

So far each positive had the same chance of a label: labels were *selected completely at random*,
SCAR. Here we test that, first where it holds, then where it does not. We show what goes wrong
without the test, and correct it.
"""

# %%
# Two clinics
# -----------
# Three thousand patients. Illness depends on age and a marker, not on the clinic. In one set of
# labels 45 % of the ill are found in both clinics. In the other a keen clinic finds 70 % of its ill
# patients, and the other clinic 20 %.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy.special import expit

from unlabeled import PULogistic
from unlabeled.datasets import hide_labels
from unlabeled.diagnostics import diagnose, scar_test
from unlabeled.plots import ScarTestDisplay

rng, n = np.random.default_rng(0), 3000
X = pd.DataFrame({"age": rng.normal(size=n), "marker": rng.normal(size=n)})
X["keen clinic"] = rng.integers(0, 2, n)
keen = X["keen clinic"] == 1
ill = (rng.random(n) < expit(-2 + 1.5 * X["age"] + 2 * X["marker"])).to_numpy().astype(int)

at_random = hide_labels(ill, label_frequency=0.45, random_state=0)
by_clinic = hide_labels(ill, propensity=np.where(keen, 0.7, 0.2), random_state=0)

# %%
# The test
# --------
# It draws label columns from the fitted model and counts how often they look as odd as the real
# one. It stops early when the result is clear; for the picture we let it make all draws. With 39
# draws no p-value is below 1/40.

options = {"n_resamples": 39, "enough": 40, "random_state": 0}
random, biased = scar_test(X, at_random, **options), scar_test(X, by_clinic, **options)
print(random, biased, sep="\n\n")

fig, axes = plt.subplots(1, 2, figsize=(8, 3.6), layout="constrained")
for ax, test, title in zip(axes, (random, biased), ("at random", "by clinic"), strict=True):
    ScarTestDisplay.from_test(test, ax=ax)
    ax.set_title(f"labels {title}")
plt.show()

# %%
# The second line of the output matters. Any P(S=1|x) can be written as c times *some* posterior, so
# SCAR alone cannot be rejected. :func:`~unlabeled.diagnostics.scar_test` tests SCAR together with a
# logistic posterior: JOINT, in which labeling is constant, against a model in which it also
# depends on the features. A small p-value means that one of the two does not hold; a large one
# proves neither.
#
# Without the test
# ----------------
# :class:`~unlabeled.PULogistic` takes the clinic for a cause of illness. It mistakes a clinic that
# finds few ill patients for one that has few. Nothing in the fit shows this.

pooled = PULogistic().fit(X, by_clinic)
estimated = pooled.predict_proba(X)[:, 1]
for name, rows in (("keen", keen), ("other", ~keen)):
    print(f"{name:5} clinic: {estimated[rows].mean():.0%} ill, in truth {ill[rows].mean():.0%}")

# %%
# What to do
# ----------
# Ask how rows came to be labeled. Here the answer is simple: within a clinic labels *are* at
# random, so we can fit each clinic separately. The price is fewer labels per fit, and wider
# intervals. (Dropping the column would work only because the two clinics have similar patients. If
# those of the keen clinic were older, too many labeled patients would be old.)

features = ["age", "marker"]
within = {
    "keen": PULogistic().fit(X.loc[keen, features], by_clinic[keen]),
    "other": PULogistic().fit(X.loc[~keen, features], by_clinic[~keen]),
}
fig, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for place, (name, rows) in enumerate((("keen", keen), ("other", ~keen))):
    interval = within[name].class_prior_interval()
    error = [[interval.estimate - interval.lower], [interval.upper - interval.estimate]]
    ax.errorbar(place, interval.estimate, error, fmt="o", color="#0072B2", capsize=4)
    ax.plot(place - 0.15, estimated[rows].mean(), "s", color="#D55E00")
    ax.plot([place - 0.3, place + 0.15], [ill[rows].mean()] * 2, "k--")
    frequency = within[name].label_frequency_
    print(f"{name:5} clinic: {interval.estimate:.0%} ill, {frequency:.0%} of them found")
ax.plot([], [], "k--", label="in truth")
ax.plot([], [], "s", color="#D55E00", label="one fit for both")
ax.errorbar(
    [], [], [], fmt="o", color="#0072B2", capsize=4, label="one fit per clinic, 95 % interval"
)
ax.set(xticks=[0, 1], xticklabels=["keen clinic", "other clinic"], ylabel="share of patients ill")
ax.set(xlim=(-0.6, 1.6), ylim=(0, None))
ax.legend()
plt.show()

# %%
# Everything else
# ---------------
# :func:`~unlabeled.diagnostics.diagnose` runs all checks, including this test. Each finding has a
# code, and each code a section of :doc:`/checks`. For the fit of the keen clinic:

print(diagnose(within["keen"], X.loc[keen, features], by_clinic[keen], random_state=0))
