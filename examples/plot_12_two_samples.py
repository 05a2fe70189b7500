"""
A register and a survey
=======================

The cases come from a register. A survey of the population has cases too, but nobody marked them. How common is the disease,
and whom should one visit?
"""

# %%
# Two samples
# -----------
# Both come from the same population, in which one row in ten is positive. The register has 1000 positives, the survey 4000 rows.
# In real data nobody would know ``truth``.

import numpy as np
from scipy.special import expit
from sklearn.metrics import f1_score

from unlabeled import PULogistic

rng = np.random.default_rng(0)


def people(n):
    X = rng.normal(size=(n, 3))
    return X, rng.uniform(size=n) < expit(-2.9 + X @ [1.2, -0.8, 0.5])


everybody, ill = people(40_000)
register = everybody[ill][:1000]
survey, truth = people(4000)
print(f"Share of positives in the survey: {truth.mean():.3f}")

# %%
# Stacked by hand, and told
# -------------------------
# Stack the files and call the register labelled. Without a word about it, the share of positives is that of the stack, and the cut
# selects far too many rows of the survey. ``sampling="two-sample"`` is all it takes.

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
print(
    f"{interval.lower:.3f} to {interval.upper:.3f}: known {model.class_prior_density_.identified}"
)

# %%
# The curve of cuts counts rows of the survey only.

from unlabeled.plots import CutCurveDisplay

CutCurveDisplay.from_estimator(model)

# %%
# A hundred visits
# ----------------
# If somebody visits a hundred people of the survey, the share of positives, the precision and the recall no longer depend on how the
# register was made.

from unlabeled.audit import draw_audit

audit = draw_audit(model, X, y, size=100, random_state=0)
answers = np.concatenate([np.ones(len(register)), truth])[audit.rows]
result = audit.estimate(answers)
print(f"{result.count.lower:.0f} to {result.count.upper:.0f} positives; there are {truth.sum()}")
