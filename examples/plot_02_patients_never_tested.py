"""
Patients never tested
=====================

A realistic table, with categories and gaps: who is ill among the patients never tested, how many
are there, and who should be tested first?
"""

# %%
# The table
# ---------
# Four thousand patients of a practice. Some were tested: positive results are in the table,
# negative ones are not. So "positive" means ill, and a blank means nothing. The table is simulated,
# so we can look at the truth, ``ill``, in the end. Each ill patient had the same chance, two in
# five, of having been tested.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from unlabeled import JointLogistic, NaiveLogistic, PULogistic
from unlabeled.app import table_pipeline
from unlabeled.plots import CoefficientDisplay

rng, n = np.random.default_rng(1), 4000
table = pd.DataFrame(
    {
        "age": rng.normal(52, 14, n).round().clip(18, 95),
        "bmi": rng.normal(27, 4, n).round(1),
        "sex": rng.choice(["female", "male"], n),
        "smoker": rng.choice(["never", "former", "daily"], n, p=[0.5, 0.3, 0.2]),
        "parents": rng.choice(["none ill", "one ill", "both ill"], n, p=[0.7, 0.25, 0.05]),
    }
)
logit = -2.6 + 0.08 * (table["age"] - 52) + 0.2 * (table["bmi"] - 27)
logit += 1.5 * (table["smoker"] == "daily")
logit += table["parents"].map({"none ill": 0, "one ill": 1, "both ill": 2.5})
ill = rng.random(n) < 1 / (1 + np.exp(-logit.to_numpy()))
table["test"] = np.where(ill & (rng.random(n) < 0.4), "positive", None)
table.loc[rng.random(n) < 0.15, "bmi"] = np.nan
table.loc[rng.random(n) < 0.10, "smoker"] = None
print(table.head(6).to_string())

# %%
# The naive answer
# ----------------
# :func:`~unlabeled.app.table_pipeline` puts a classifier behind a step that turns categories
# into one feature per level, fills gaps and marks where they were. A ``ColumnTransformer`` works
# too. A logistic regression of "positive" against "blank":

X, s = table.drop(columns="test"), (table["test"] == "positive").astype(int)
naive = table_pipeline(NaiveLogistic()).fit(X, s)
print(f"tested positive: {s.sum()}, a share of {s.mean():.1%}")
print(f"called ill among the others: {naive.predict(X)[s == 0].sum()}")

# %%
# It has learned who has a positive test. Read as an answer about illness, it claims that nearly all
# ill patients are known already.
#
# The answer for positive and unlabeled rows
# -------------------------------------------
# The same pipeline with :class:`~unlabeled.PULogistic`. It estimates how many are ill in total. For
# this it uses the share of positive tests, which levels off where all patients seem to be ill.

model = table_pipeline(PULogistic()).fit(X, s)
prior = model[-1].class_prior_interval()
print(f"ill: {prior.estimate:.1%}, between {prior.lower:.1%} and {prior.upper:.1%} (95 %)")
print(f"in truth: {ill.mean():.1%}")

# %%
# Who should be tested first
# --------------------------
# ``predict_proba`` is :math:`y(x) = P(Y=1 \mid x)`, the probability that a patient with these
# features is ill. About a patient without a positive test we know one thing more: they were not
# found. If c is the share of the ill who were found,
# :math:`P(Y=1 \mid x, S=0) = (1-c)\,y(x) / (1-c\,y(x))`.

y_of_x, c = model.predict_proba(X)[:, 1], model[-1].label_frequency_
others = X.assign(chance=(1 - c) * y_of_x / (1 - c * y_of_x), ill=ill)[s == 0]
others = others.sort_values("chance", ascending=False)
print(others.head(5).round(2).to_string())

# %%
# The sum of these chances is the expected number of ill patients. Below: what the first k tests are
# expected to find, and what they find.

tests = np.arange(1, len(others) + 1)
expected, found = others["chance"].cumsum().to_numpy(), others["ill"].cumsum().to_numpy()
at_random = tests * others["ill"].mean()
for k in (100, 500, len(others)):
    print(f"{k:4d} tests: {expected[k - 1]:.0f} ill expected, {found[k - 1]} found", end=", ")
    print(f"{at_random[k - 1]:.0f} by testing at random")

fig, ax = plt.subplots(figsize=(7, 4.5), layout="constrained")
ax.plot(tests, found, color="#0072B2", lw=2, label="found, by the model's order")
ax.plot(tests, expected, color="black", ls="--", label="expected by the model")
ax.plot(tests, at_random, color="#555555", ls=":", label="tests at random")
ax.set(xlabel="patients tested, of those without a positive test", ylabel="ill among them")
ax.legend()
plt.show()

# %%
# The order is good. The expected numbers are too large, like the estimated share of the ill. That
# share is the hardest number to estimate: its interval shows it, and example 4 explains why.
#
# What indicates illness
# ----------------------
# :class:`~unlabeled.JointLogistic` has standard errors. Its coefficients are those of y(x), not of
# the chance of a positive test. One of nine is a false alarm: we left BMI blank at random.

joint = table_pipeline(JointLogistic()).fit(X, s)
CoefficientDisplay.from_estimator(joint, X, s, standardized=True)
plt.show()
