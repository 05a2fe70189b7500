"""Recall, share and the best cuts of the rules on a real set with three weak features."""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

from unlabeled import PULogistic
from unlabeled.datasets import hide_labels
from unlabeled.plots import CutCurveDisplay

X, benign = load_breast_cancer(return_X_y=True)
s = hide_labels(benign, label_frequency=0.3, random_state=0)
model = PULogistic().fit(X[:, [1, 4, 8]], s)

figure, ax = plt.subplots(figsize=(5.8, 4.8), layout="constrained")
CutCurveDisplay.from_estimator(model, ax=ax)
