"""Scores of labeled and unlabeled rows, and the positives hidden among the latter."""

import matplotlib.pyplot as plt

from unlabeled import JointLogistic
from unlabeled.datasets import make_paper_gaussian
from unlabeled.plots import ScoreDistributionDisplay

train = make_paper_gaussian(n=10_000, label_frequency=0.5, random_state=0)
new = make_paper_gaussian(n=10_000, label_frequency=0.5, random_state=1)
model = JointLogistic().fit(train.X, train.s)

figure, ax = plt.subplots(figsize=(5.6, 3.5), layout="constrained")
ScoreDistributionDisplay.from_estimator(model, new.X, new.s, ax=ax)
