"""
Any model with a PU threshold
=============================

If classes are not linear, a forest, boosting or a kernel may rank rows better than a logistic
regression. Each learns which rows are labeled, but lacks a cut for the class.
"""

# %%
# The data
# --------
# Handwritten digits: threes and eights are positive, about one row in five. Half of them are
# labeled. Half of the rows are held out for the end.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.metrics import f1_score
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split
from sklearn.svm import SVC

from unlabeled import PULogistic, PUThresholdClassifier
from unlabeled.datasets import hide_labels
from unlabeled.metrics import f1_pu_scorer
from unlabeled.plots import RecallShareDisplay

X, digit = load_digits(return_X_y=True)
y_true = np.isin(digit, (3, 8)).astype(int)
s = hide_labels(y_true, label_frequency=0.5, random_state=0)
X, X_new, s, s_new, y_true, y_new = train_test_split(X, s, y_true, test_size=0.5, random_state=0)

# %%
# A forest, without and with a cut
# --------------------------------
# :class:`~unlabeled.PUThresholdClassifier` fits any classifier to labeled against unlabeled rows
# and cuts its score by a rule of :mod:`unlabeled.thresholds`. A forest scores its training rows far
# too high, so the cut is chosen on held-out scores: out of bag here, out of fold by default.

forest = RandomForestClassifier(100, min_samples_leaf=2, oob_score=True, random_state=0)
plain = forest.fit(X, s)
cut = PUThresholdClassifier(forest, cv="oob").fit(X, s)
print(f"in truth {y_new.sum()} of {len(y_new)} are positive")
for name, model in (("forest", plain), ("forest with a cut", cut)):
    predicted = model.predict(X_new)
    print(f"{name:17} predicts {predicted.sum():3d} positive, F1 {f1_score(y_new, predicted):.2f}")

# %%
# Several models
# --------------
# :class:`~unlabeled.plots.RecallShareDisplay` draws recall against the share of rows predicted
# positive. It is for labels what the ROC curve is for classes: on new rows the higher curve is
# better. A mark shows where a model cuts, and faint lines join points of equal F1_PU.

boosting = HistGradientBoostingClassifier(max_iter=30, random_state=0)
models = {
    "Forest": cut,
    "Boosting": PUThresholdClassifier(boosting, random_state=0).fit(X, s),
    "SVM": PUThresholdClassifier(SVC(gamma=0.001), random_state=0).fit(X, s),
    "PULogistic": PULogistic().fit(X, s),
}
display = RecallShareDisplay.from_estimators(models, X_new, s_new)
plt.show()

for name, area in display.areas().items():
    f1 = f1_score(y_new, models[name].predict(X_new))
    print(f"{name:10} area {area:.2f}, F1 with the true classes {f1:.2f}")

# %%
# The forest is first in both. Further down the two orders differ: the area measures the whole
# curve, F1 the point at which a model cuts.
#
# Choosing parameters
# -------------------
# A search needs a score that labels can give. ``accuracy``, scikit-learn's default, is best if no
# row is predicted positive. :data:`~unlabeled.metrics.f1_pu_scorer` is made for this, and also
# works in ``cross_val_score``. The SVM has two parameters. Below: every pair of them, by F1_PU from
# labels and by F1 with the true classes, which nobody has in practice.

grid = {"estimator__C": [0.3, 3], "estimator__gamma": [3e-4, 1e-3, 3e-3, 1e-2]}
svm = PUThresholdClassifier(SVC(), random_state=0, cv=3)
search = GridSearchCV(svm, grid, scoring=f1_pu_scorer, cv=3).fit(X, s)
print("chosen:", search.best_params_)

tried = search.cv_results_["params"]
by_labels = search.cv_results_["mean_test_score"]
in_truth = [f1_score(y_new, svm.set_params(**p).fit(X, s).predict(X_new)) for p in tried]

fig, ax = plt.subplots(figsize=(6, 4.5), layout="constrained")
ax.plot(by_labels, in_truth, "o", color="#0072B2", label="a pair of parameters")
best = search.best_index_
ax.plot(by_labels[best], in_truth[best], "*", ms=16, color="#D55E00", label="chosen by the search")
ax.set(xlabel="F1_PU, cross-validated, from labels", ylabel="F1 on new rows, true classes")
ax.legend()
plt.show()

# %%
# What labels prefer is also better in truth, with some noise: a fold has few labeled rows. The
# folds of the chosen pair:

folds = cross_val_score(search.best_estimator_, X, s, scoring=f1_pu_scorer, cv=5)
print(f"F1_PU {folds.mean():.2f}, from {folds.min():.2f} to {folds.max():.2f} over five folds")
