"""
A register and a survey
=======================

The cases come from a register. A survey of the population has cases too, but nobody marked them.
How common is the disease, and whom should one visit?
"""

# %%
# Two samples
# -----------
# Both come from one population, in which about one row in six is positive. The register has 2000
# cases, the survey has 4000 people. In real data nobody would know ``truth``.

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import expit
from sklearn.metrics import f1_score

from unlabeled import PULogistic
from unlabeled.audit import draw_audit
from unlabeled.plots import CutCurveDisplay

rng = np.random.default_rng(0)
everybody = rng.normal(size=(40_000, 3))
ill = rng.uniform(size=40_000) < expit(-3.2 + everybody @ [2.0, -1.5, 1.0])
register = everybody[:36_000][ill[:36_000]][:2000]
survey, truth = everybody[36_000:], ill[36_000:]
print(f"Share of positives in the survey: {truth.mean():.3f}")

# %%
# Stacked by hand, and told
# -------------------------
# Stack the files and call the register labeled. Without a word about it, the share of positives is
# that of the stack, and the cut selects far too many people of the survey.
# ``sampling="two-sample"`` is all it takes.

X = np.vstack([register, survey])
y = np.repeat([1, 0], [len(register), len(survey)])
for sampling in ("one-sample", "two-sample"):
    model = PULogistic(sampling=sampling).fit(X, y)
    found = model.predict(survey)
    print(
        f"{sampling}: share of positives {model.class_prior_:.3f}, selected {found.mean():.3f} "
        f"of the survey, F1 {f1_score(truth, found):.3f}"
    )

# %%
# How sure is the share?
# ----------------------
# The labels tell it only through the shape of the scores. The interval says how little that is.

interval = model.class_prior_interval()
state = model.class_prior_density_.identified
print(f"Between {interval.lower:.3f} and {interval.upper:.3f}; identified: {state}")

# %%
# The curve of cuts counts people of the survey only.

CutCurveDisplay.from_estimator(model)
plt.show()

# %%
# A hundred visits
# ----------------
# If somebody visits a hundred people of the survey, the count, the precision and the recall no
# longer depend on how the register was made.

audit = draw_audit(model, X, y, size=100, random_state=0)
answers = np.concatenate([np.ones(len(register)), truth])[audit.rows]
result = audit.estimate(answers)
print(f"{result.count.lower:.0f} to {result.count.upper:.0f} positives; there are {truth.sum()}")
