"""
Labels that were not given at random
====================================

A hospital tests old patients more often than young ones. Among those who are ill, the old have a
diagnosis and the young have none. A method that takes labels as given at random learns that the
young are healthy. We tell it what the testing followed.
"""

# %%
# 3000 patients, of whom we know the truth: illness depends on three measurements, the second of
# which is age. Two in five of the ill are diagnosed, most of them old.
import matplotlib.pyplot as plt
import numpy as np

from unlabeled import PropensityLogistic, PULogistic
from unlabeled.datasets import hide_labels, make_paper_gaussian, propensity

AGE = 1
data = make_paper_gaussian(n=3000, label_frequency=1.0, random_state=1)
chance = propensity("feature", data.X, column=AGE, label_frequency=0.4, y_true=data.y_true)
s = hide_labels(data.y_true, propensity=chance, random_state=1)

# %%
# Two fits: one takes labels as given at random, the other knows that they follow age.
at_random = PULogistic().fit(data.X, s)
told = PropensityLogistic(propensity_features=[AGE]).fit(data.X, s)
print(f"ill, in truth      {data.y_true.mean():.3f}")
for name, model in (("PULogistic", at_random), ("PropensityLogistic", told)):
    interval = model.class_prior_interval()
    print(f"{name:<18} {model.class_prior_:.3f}, from {interval.lower:.3f} to {interval.upper:.3f}")

# %%
# The first fit finds too few ill patients, and is sure of it. The second finds more, and says how
# little labels tell. On the left of the picture, the chance of a diagnosis as estimated from labels
# alone, beside the truth. On the right, the share of the ill that each fit finds, in four quarters
# of age: the young are no longer missed.
age, ill = data.X[:, AGE], data.y_true == 1
order = np.argsort(age)
fig, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
left.plot(age[order], chance[order], color="black", label="truth")
left.plot(age[order], told.propensity(data.X)[order], label="told that it follows age")
left.axhline(at_random.label_frequency_, ls="--", color="C1", label="taken as at random")
left.set(xlabel="age, standardized", ylabel="chance of the ill to be diagnosed", ylim=(0, 1))
left.legend()

quarter = np.digitize(age, np.quantile(age, [0.25, 0.5, 0.75]))
place = np.arange(4)
for shift, (name, model) in zip(
    (-0.2, 0.2), (("at random", at_random), ("told", told)), strict=True
):
    found = model.predict(data.X) == 1
    shares = [np.mean(found[ill & (quarter == k)]) for k in place]
    right.bar(place + shift, shares, 0.38, color="C1" if shift < 0 else "C0", label=name)
right.set(
    xticks=place,
    xticklabels=["youngest", "second", "third", "oldest"],
    ylabel="share of the ill that is found",
    ylim=(0, 1),
)
right.legend()
plt.show()
