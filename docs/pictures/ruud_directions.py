"""Slopes of a logistic fit to the labels against the true ones: normal and skewed features."""

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import expit

from reproduction.theory import direction_angle, ruud_projection
from unlabeled import NaiveLogistic
from unlabeled.datasets import hide_labels

N, C = 100_000, 0.3
BETA = np.array([-1.5, -1.0, -0.5, 0.5, 1.0, 1.5])
rng = np.random.default_rng(0)
features = {
    "normal features": rng.normal(size=(N, 6)),
    "exponential features, centered": rng.exponential(size=(N, 6)) - 1,
}

figure, axes = plt.subplots(1, 2, figsize=(7.4, 3.6), sharey=True, layout="constrained")
for ax, (name, X) in zip(axes, features.items(), strict=True):
    index = X @ BETA
    y_true = (rng.random(N) < expit(-1 + index)).astype(int)
    s = hide_labels(y_true, C, random_state=0)
    slopes = NaiveLogistic().fit(X, s).coef_.ravel()
    eta = ruud_projection(-1, mean=0, var=float(BETA @ BETA), c=C).slope
    ax.plot([-1.7, 1.7], [-1.7 * eta, 1.7 * eta], color="#555555", lw=1, label=f"$\\eta={eta:.2f}$")
    ax.plot(BETA, slopes, "o", color="#0072B2")
    angle = direction_angle(slopes, BETA)
    ax.set(title=f"{name}: {angle:.1f}° off", xlabel="true slope")
    ax.legend(frameon=False, loc="upper left")
    ax.spines[["top", "right"]].set_visible(False)
axes[0].set(ylabel="slope of the fit to the labels")
