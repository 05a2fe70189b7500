"""Recall that labels show against true recall, under three ways of labeling."""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import expit

from reproduction.theory import direction_angle
from unlabeled import PULogistic
from unlabeled.datasets import hide_labels, make_paper_gaussian, propensity
from unlabeled.thresholds import scan_cuts

warnings.filterwarnings("ignore", message=".PU106")  # it doubts the last way, and is right
data = make_paper_gaussian(n=10_000, label_frequency=1.0, random_state=0)
y_true, index = data.y_true, data.X @ data.beta[1:]
half = {"label_frequency": 0.4, "y_true": y_true}
posterior = expit(data.beta[0] + index)
ways = {
    "at random (SCAR)": np.full(len(y_true), 0.4),
    "by the first feature": propensity("logistic", data.X, coef=[1.5, 0, 0], **half),
    "by the posterior": propensity("posterior", posterior, **half),
}

figure, axes = plt.subplots(1, 3, figsize=(7.6, 3.2), sharey=True, layout="constrained")
for ax, (name, e) in zip(axes, ways.items(), strict=True):
    s = hide_labels(y_true, propensity=e, random_state=1)
    seen, true = scan_cuts(s, index), scan_cuts(y_true, index)
    ax.plot(true.share, true.recall, "k--", label="true recall")
    ax.plot(seen.share, seen.recall, color="#0072B2", label="seen from labels")
    model = PULogistic().fit(data.X, s)
    angle = direction_angle(model.coef_.ravel(), data.beta[1:])
    prior = f"class prior {model.class_prior_:.2f}\n({y_true.mean():.2f} in truth)"
    found = f"{prior}\ndirection {angle:.0f}° off"
    ax.text(0.97, 0.06, found, ha="right", fontsize=9, transform=ax.transAxes)
    ax.set(title=name, xlabel="share of rows selected")
    ax.spines[["top", "right"]].set_visible(False)
axes[0].set(ylabel="recall")
axes[0].legend(frameon=False, fontsize=9, loc="center right")
