"""Where each rule cuts, in the population of the paper's design."""

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import expit

from reproduction.theory import cut_properties, optimal_cut, ruud_projection

PAPER = {"beta0": -1, "mean": -1, "var": 3}
NAMES = {
    "balanced_accuracy": "balanced accuracy",
    "f1_pu": "F1$_{PU}$",
    "f1": "F1",
    "mcc": "MCC",
    "accuracy": "accuracy",
}
intercept, slope = ruud_projection(**PAPER, c=0.3)
cuts = {name: optimal_cut(criterion, **PAPER) for criterion, name in NAMES.items()}
cuts["the naive rule, $c=0.3$"] = cut_properties(-intercept / slope, **PAPER)

t = np.linspace(-4, 6.2, 200)
figure, ax = plt.subplots(figsize=(5.8, 4.2), layout="constrained")
ax.plot(t, expit(PAPER["beta0"] + t), color="#000000")
heights = (0.06, 0.14, 0.22, 0.30, 0.48, 0.95)
for height, (name, cut) in zip(heights, cuts.items(), strict=True):
    color = "#D55E00" if "naive" in name else "#0072B2"
    ax.plot(cut.threshold, cut.posterior, "o", color=color)
    ax.annotate(
        f"{name}: posterior {cut.posterior:.2f}, recall {cut.recall:.2f}",
        (cut.threshold, cut.posterior),
        (1.3 if height < 0.9 else -3.8, height),
        fontsize=9,
        va="center",
        arrowprops={
            "arrowstyle": "-",
            "color": color,
            "lw": 0.6,
            "relpos": (int(height > 0.9), 0.5),
        },
    )
ax.set(xlabel="Index $T$", ylabel="Posterior $\\sigma(\\beta_0+T)$", xlim=(-4, 6.2), ylim=(0, 1.02))
ax.spines[["top", "right"]].set_visible(False)
