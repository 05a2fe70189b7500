"""
Beyond a line
=============

If features interact, no line separates the classes. :class:`~unlabeled.PUEnsemble` combines a line,
trees and boosting, and the labels alone decide how much each counts.
"""

# %%
# The data
# --------
# Positives have both features high or both low. A third feature shifts the odds, and a fourth is
# noise. Four positives in ten are labeled.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier
from sklearn.metrics import f1_score

from unlabeled import NaiveLogistic, PUEnsemble, PULogistic, PUThresholdClassifier
from unlabeled.comparison import compare_methods
from unlabeled.datasets import hide_labels
from unlabeled.inspection import contributions, label_importance
from unlabeled.plots import ImportanceDisplay

rng = np.random.default_rng(0)
X = rng.normal(size=(3000, 4))
odds = np.exp(2 * X[:, 0] * X[:, 1] + X[:, 2] - 1)
y_true = (rng.random(3000) < odds / (1 + odds)).astype(int)
s = hide_labels(y_true, label_frequency=0.4, random_state=0)
X, X_new, s, y_true, y_new = X[:2000], X[2000:], s[:2000], y_true[:2000], y_true[2000:]

# %%
# A line and an ensemble
# ----------------------
# The default members have 300 trees and up to 250 rounds of boosting. Smaller ones keep this
# example quick. Any classifier of scikit-learn can be a member.

boosting = HistGradientBoostingClassifier(max_leaf_nodes=8, max_iter=60, early_stopping=False)
members = [
    ("line", PULogistic()),
    ("trees", ExtraTreesClassifier(100, min_samples_leaf=5, bootstrap=True, oob_score=True)),
    ("boosting", boosting),
]
line = PULogistic().fit(X, s)
ensemble = PUEnsemble(members=members, random_state=0).fit(X, s)
for name, model in (("line", line), ("ensemble", ensemble)):
    print(f"{name:8} F1 on new rows {f1_score(y_new, model.predict(X_new)):.2f}")
print(f"share of positives: {y_true.mean():.2f}, by the ensemble {ensemble.class_prior_:.2f}")

# %%
# What the members say
# --------------------
# The left-out likelihood of the labels judges the members; more is better. It sets the weights in
# the score. Each member also has its own estimate of the share of positives.

for name, weight in ensemble.member_weights_.items():
    likelihood = ensemble.member_log_likelihoods_[name]
    share = ensemble.member_class_priors_[name]
    print(f"{name:8} weight {weight:.2f}, log-likelihood {likelihood:.3f}, says {share:.2f}")

# %%
# Rows that were fitted to
# ------------------------
# Trees remember their rows. So an unlabeled positive that was in the fit scores too low.
# ``held_out_posterior_`` has the probabilities by models that did not see the row.

hidden = (s == 0) & (y_true == 1)
seen = ensemble.predict_proba(X)[hidden, 1].mean()
print(f"mean probability of unlabeled positives: {seen:.2f} by the model that has seen them,")
print(f"{ensemble.held_out_posterior_[hidden].mean():.2f} by models that have not")

# %%
# Why?
# ----
# The importance of a column is the fall of the left-out AUC of the labels if the column is
# shuffled. The bars are its standard errors.

found = label_importance(ensemble, X, s, n_repeats=2, cv=3, random_state=0)
ImportanceDisplay(found).plot()
plt.show()

# %%
# For a single row, the contributions of the columns add up to its score:

top = int(np.argmax(ensemble.positive_score(X_new)))
why = contributions(ensemble, X_new[[top]], background=X)
print("row", np.round(X_new[top], 1), "base", round(why.base, 2))
for name, value in zip(why.feature_names, why.values[0], strict=True):
    print(f"{name}: {value:+.2f}")
print(f"sum {why.base + why.values[0].sum():.2f}, score {why.score[0]:.2f}")

# %%
# Is a line enough?
# -----------------
# A comparison without negatives says it, with a standard error.

models = {
    "naive": NaiveLogistic(),
    "naive-cut": PUThresholdClassifier(NaiveLogistic(), "f1"),
    "line": PULogistic(),
    "ensemble": PUEnsemble(members=members),
}
print(compare_methods(models, X, s, n_repeats=3, order=list(models), random_state=0).verdict())
