"""
Where to cut
============

A score ranks the rows. Which of them to call positive is another choice, and it depends on what
the answer is for.
"""

# %%
# The data
# --------
# Handwritten digits; threes and eights are positive, one row in five. Each of them is labelled with
# probability 0.3. Half of the rows are kept for the end.

import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import f1_score
from sklearn.model_selection import train_test_split

from unlabeled import EnhancedLogistic, PULogistic, PUThresholdClassifier
from unlabeled.plots import CutCurveDisplay, RecallShareDisplay
from unlabeled.thresholds import recall_at_least, share

X, digit = load_digits(return_X_y=True)
y_true = np.isin(digit, (3, 8)).astype(int)
rng = np.random.default_rng(0)
s = y_true * (rng.random(len(y_true)) < 0.3)
X, X_new, s, s_new, y_true, y_new = train_test_split(X, s, y_true, test_size=0.5, random_state=0)

# %%
# Every cut, and every rule's best
# --------------------------------
# :class:`~unlabeled.PULogistic` scores each row by a fit that has not seen it and keeps these
# scores. :class:`~unlabeled.plots.CutCurveDisplay` shows them when it gets no rows. Rows the model
# was fitted to would look better than new ones will.
#
# Below the curves each rule has a mark. The first three need nothing but labels; F1, accuracy and
# cost need the class prior, which the model has estimated.

linear = PULogistic().fit(X, s)
display = CutCurveDisplay.from_estimator(linear).plot()

# %%
# The same as numbers: recall and share at each rule's cut.

best = display.best_cuts()
for rule, recall, predicted in zip(best["rule"], best["recall"], best["share"], strict=True):
    print(f"{rule:18} finds {recall:.0%} of the positives in {predicted:.0%} of the rows")

# %%
# Rules of your own
# -----------------
# A fixed recall, or as many rows as somebody has time to look at.

display = CutCurveDisplay.from_estimator(linear, rules=["f1_pu", recall_at_least(0.9), share(0.2)])
display.plot()

# %%
# Several models
# --------------
# Recall against the share predicted positive, :class:`~unlabeled.plots.RecallShareDisplay`, is to
# labels what the ROC curve is to classes. On new rows the curves are comparable, whatever the class
# prior: the higher, the better. A mark is where a model cuts. Faint lines join points of equal
# F1_PU.

forest = RandomForestClassifier(200, min_samples_leaf=2, oob_score=True, random_state=0)
models = {
    "Forest with a PU cut": PUThresholdClassifier(forest, cv="oob").fit(X, s),
    "PULogistic": linear,
    "EnhancedLogistic": EnhancedLogistic(C=0.001).fit(X, s),
}
display = RecallShareDisplay.from_estimators(models, X_new, s_new).plot()

# %%
# The ranking by labels is the one by the hidden classes:

for name, area in display.areas().items():
    f1 = f1_score(y_new, models[name].predict(X_new))
    print(f"{name:21} area {area:.2f}, F1 with the true classes {f1:.2f}")
