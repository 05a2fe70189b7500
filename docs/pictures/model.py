"""Three curves along the index: the posterior, the chance of a label, and the naive fit."""

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import expit

from reproduction.theory import ruud_projection
from unlabeled.datasets import make_paper_gaussian

C = 0.3
data = make_paper_gaussian(n=20_000, label_frequency=C, random_state=0)
index = data.X @ data.beta[1:]
edges = np.quantile(index, np.linspace(0, 1, 21))
bins = np.digitize(index, edges[1:-1])
seen = [data.s[bins == k].mean() for k in range(20)]
true = [data.y_true[bins == k].mean() for k in range(20)]
middle = [index[bins == k].mean() for k in range(20)]

t = np.linspace(-6, 4.5, 300)
intercept, slope = ruud_projection(data.beta[0], mean=-1, var=3, c=C)

figure, ax = plt.subplots(figsize=(5.6, 3.8), layout="constrained")
ax.plot(t, expit(data.beta[0] + t), color="#000000", label="posterior $y(x)$")
ax.plot(middle, true, "o", color="#000000", mfc="none", label="share of positives: not seen")
ax.plot(t, C * expit(data.beta[0] + t), color="#0072B2", label="chance of a label $c\\,y(x)$")
ax.plot(middle, seen, "s", color="#0072B2", label="share of labeled rows: seen")
ax.plot(
    t, expit(intercept + slope * t), "--", color="#D55E00", label="the logistic fit to the labels"
)
ax.axhline(C, color="#555555", lw=0.8, ls=":")
ax.annotate("$c$", (-6, C), (0, 3), textcoords="offset points")
ax.set(xlabel="Index $T=x^\\top\\beta_{-0}$", ylabel="Probability", ylim=(0, 1.02))
ax.legend(frameon=False, fontsize=9, loc="upper left", bbox_to_anchor=(0.02, 1))
ax.spines[["top", "right"]].set_visible(False)
