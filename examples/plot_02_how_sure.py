"""
How sure: coefficients and the label frequency
==============================================

Intervals for what a model estimates: which features matter, and how many positives are labelled.
"""

# %%
# The data
# --------
# Five features of the breast-cancer data, "benign" the positive class. Each benign tumour keeps its
# label with probability 0.5. :class:`~unlabeled.JointLogistic` estimates the coefficients of
# P(Y=1|x) and the label frequency c together.

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression

from unlabeled import JointLogistic
from unlabeled.datasets import make_paper_gaussian
from unlabeled.plots import CoefficientDisplay, LabelFrequencyDisplay

table = load_breast_cancer(as_frame=True)
features = ["mean radius", "mean texture", "mean smoothness", "mean concavity", "mean symmetry"]
X, y_true = table.data[features], table.target.to_numpy()
rng = np.random.default_rng(2)
s = y_true * (rng.random(len(y_true)) < 0.5)

model = JointLogistic().fit(X, s)
print(model.summary(X, s))

# %%
# Coefficients
# ------------
# :class:`~unlabeled.plots.CoefficientDisplay` draws them. Features have their own units, so sizes
# are compared a standard deviation of the feature at a time. Models do not keep the rows they were
# fitted to: they are passed again. Crosses are the coefficients of a logistic regression that was
# told all classes.

display = CoefficientDisplay.from_estimator(model, X, s, standardised=True).plot()

told = LogisticRegression(C=np.inf, max_iter=1000).fit(X / X.std(), y_true)
place = [features.index(name) for name in display.frame()["feature"]]
display.ax_.plot(told.coef_[0][place], range(5), "kx", ms=9)

# %%
# Each interval is meant to hold the truth in 95 % of samples, by itself. An open mark is a
# coefficient that could as well be 0.
#
# The label frequency
# -------------------
# Which c would make these labels likely? :class:`~unlabeled.plots.LabelFrequencyDisplay` fits the
# coefficients again for every c and draws twice the log-likelihood below its maximum. Where the
# curve is under the limit, a likelihood-ratio test rules c out.

display = LabelFrequencyDisplay.from_estimator(model, X, s).plot()
print(f"true label frequency {s.sum() / y_true.sum():.2f}")

# %%
# When labels do not tell
# -----------------------
# Now rare positives: with small posteriors, twice as many positives half as often labelled give
# almost the same labels. The curve is flat, and c = 1, every positive labelled, is not ruled out.
# On that edge of the possible the test is sharper, so it has a limit of its own.

rare = make_paper_gaussian(n=1000, c=0.6, random_state=6)
doubtful = JointLogistic().fit(rare.X, rare.s)
display = LabelFrequencyDisplay.from_estimator(doubtful, rare.X, rare.s).plot()
print(display.interval)

# %%
# The estimate alone, would not have said so. With such an interval, get the label frequency from
# elsewhere, for instance by having some unlabelled rows looked at, and pass it as
# ``label_frequency``; or use a rule for the cut that does not need it, as in the next example.
