"""
Is SCAR believable?
===================

Nearly every answer of positive-unlabelled learning assumes that each positive had the same chance
of being labelled: labels are *selected completely at random*, SCAR. Here we test it, first on data
where it holds, then on data where it does not, and look at everything else that can go wrong.
"""

# %%
# Labels at random
# ----------------
# Four thousand rows of the paper's synthetic design, with two of five positives labelled. The test
# stops drawing when enough is known; for the picture below we let it draw all.

import matplotlib.pyplot as plt
import pandas as pd

from unlabeled import PULogistic
from unlabeled.datasets import hide_labels, logistic_propensity, make_paper_gaussian
from unlabeled.diagnostics import diagnose, scar_test
from unlabeled.plots import ScarTestDisplay

data = make_paper_gaussian(4000, c=0.4, random_state=3)
X = pd.DataFrame(data.X, columns=["income", "age", "weight"])
honest = scar_test(X, data.s, n_resamples=99, enough=100, random_state=0)
print(honest)

# %%
# The first sentence matters. Whatever P(S=1|x) is, it can be written as c times *some* posterior,
# so SCAR alone cannot be refuted. What :func:`~unlabeled.diagnostics.scar_test` tests is SCAR
# together with a logistic posterior: JOINT, in which labelling is constant, against the double
# logistic model, in which it depends on the features too. Of a hundred honest samples it rejects
# about five, as a test at 5 % must; :doc:`/coverage/index` has the measured numbers.
#
# Labels that come with income
# ----------------------------
# Now the rich are diagnosed more often than the poor.

propensity = logistic_propensity(data.X, [1.5, 0, 0], mean_frequency=0.4, y_true=data.y_true)
by_income = hide_labels(data.y_true, propensity=propensity, random_state=2)
biased = scar_test(X, by_income, n_resamples=99, random_state=0)
print(biased)

# %%
# The test rejects, and it says where labelling seems to depend on what.
# :class:`~unlabeled.plots.ScarTestDisplay` shows each statistic among those of labels drawn from
# the fitted JOINT model.

figure, axes = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
ScarTestDisplay.from_test(honest).plot(axes[0])
axes[0].set_title("labels at random")
ScarTestDisplay.from_test(biased).plot(axes[1])
axes[1].set_title("labels that come with income")
plt.show()

# %%
# Everything else
# ---------------
# :func:`~unlabeled.diagnostics.diagnose` makes all checks at once. Each finding has a code, and
# each code a section of :doc:`/checks`.

print(diagnose(PULogistic(), X, by_income, random_state=0))
