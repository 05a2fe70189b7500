"""
May I believe the posterior
===========================

``predict_proba`` estimates P(Y=1|x), of a class nobody has seen. Labels can contradict it; they
cannot confirm all of it.
"""

# %%
# The data
# --------
# Simulated, so that the truth is known: one row in five is positive, half of the positives are
# labelled. One sample to fit, another to look at.

import matplotlib.pyplot as plt
from sklearn.linear_model import LogisticRegression

from unlabeled import JointLogistic
from unlabeled.datasets import hide_labels, logistic_propensity, make_paper_gaussian
from unlabeled.plots import ReliabilityDisplay, ScoreDistributionDisplay

train = make_paper_gaussian(n=10000, c=0.5, random_state=0)
new = make_paper_gaussian(n=10000, c=0.5, random_state=1)

model = JointLogistic().fit(train.X, train.s)
print(f"label frequency {model.label_frequency_:.2f}, class prior {model.class_prior_:.2f}")

# %%
# Two distributions
# -----------------
# Labels selected completely at random (SCAR) are a sample of the positives. So the unlabelled rows
# hold a part distributed like the labelled ones: the positives nobody has labelled. The class prior
# says how large it is. It must fit under the whole; where it sticks out, the class prior is too
# large or labelling depends on the features. :class:`~unlabeled.plots.ScoreDistributionDisplay`
# draws it.

fig, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
ScoreDistributionDisplay.from_estimator(model, new.X, new.s, ax=axes[0])
ScoreDistributionDisplay.from_estimator(model, new.X, new.s, class_prior=0.5, ax=axes[1])
axes[0].set_title("The estimated class prior")
axes[1].set_title("A class prior of 0.5 does not fit under")
plt.show()

# %%
# Calibration, from labels
# ------------------------
# Of rows with posterior p a share p is positive and, under SCAR, c p is labelled. In bins of p, the
# share labelled over c should therefore be p: :class:`~unlabeled.plots.ReliabilityDisplay`. Squares
# are the hidden truth.

ReliabilityDisplay.from_estimator(model, new.X, new.s, y_true=new.y_true).plot()
plt.show()

# %%
# A classifier of labels
# ----------------------
# A plain logistic regression of the labels estimates P(S=1|x), not P(Y=1|x). The picture sees it:
# for the true c of 0.5, twice as many rows are positive as it says.

plain = LogisticRegression().fit(train.X, train.s)
ReliabilityDisplay.from_estimator(
    plain, new.X, new.s, label_frequency=0.5, y_true=new.y_true
).plot()
plt.show()

# %%
# What labels cannot see
# ----------------------
# Now labelling depends on the second feature, and SCAR fails. The model still describes the
# *labels*, and that is all this picture can test: filled points stay near the diagonal. The squares
# do not.


def labels_by_feature(sample, seed):
    """Label half of the positives, mostly those with a large second feature."""
    propensity = logistic_propensity(
        sample.X, [0, 1.5, 0], mean_frequency=0.5, y_true=sample.y_true
    )
    return hide_labels(sample.y_true, propensity=propensity, random_state=seed)


s, s_new = labels_by_feature(train, 2), labels_by_feature(new, 3)
misled = JointLogistic().fit(train.X, s)
ReliabilityDisplay.from_estimator(misled, new.X, s_new, y_true=new.y_true).plot()
plt.show()

# %%
# So points off the diagonal are a reason to doubt the posterior. Points on it mean that the
# posterior agrees with the labels *if* they are SCAR and c is right, and whether they are has to
# come from how the labels were made.
