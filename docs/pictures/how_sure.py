"""The likelihood of the label frequency in a small and in a large sample."""

import matplotlib.pyplot as plt

from unlabeled import JointLogistic
from unlabeled.datasets import make_paper_gaussian
from unlabeled.plots import LabelFrequencyDisplay

figure, axes = plt.subplots(1, 2, figsize=(7.6, 3.4), layout="constrained")
for ax, n in zip(axes, (1000, 10_000), strict=True):
    data = make_paper_gaussian(n=n, label_frequency=0.5, random_state=3)
    model = JointLogistic().fit(data.X, data.s)
    LabelFrequencyDisplay.from_estimator(model, data.X, data.s, ax=ax)
    ax.set(xlim=(0.2, 1.02))
    ax.set_title(f"{n} rows, $c=0.5$ in truth")
