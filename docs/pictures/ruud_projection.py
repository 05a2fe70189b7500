"""Intercept and slope factor of the logistic fit to the labels, against the label frequency."""

import matplotlib.pyplot as plt
import numpy as np

from reproduction.theory import ruud_projection

c = np.linspace(0.02, 1, 80)
figure, axes = plt.subplots(1, 2, figsize=(7.4, 3.2), layout="constrained")
looks = {-1: ("#0072B2", "-"), 0: ("#D55E00", "--"), 1: ("#009E73", "-.")}
for beta0, (color, line) in looks.items():
    fits = [ruud_projection(beta0, mean=0, var=3, c=value) for value in c]
    label = f"$\\beta_0={beta0}$"
    axes[0].plot(c, [fit.intercept for fit in fits], line, color=color, label=label)
    axes[1].plot(c, [fit.slope for fit in fits], line, color=color, label=label)
axes[0].axhline(0, color="#555555", lw=0.8)
axes[0].axvline(0.5, color="#555555", lw=0.8, ls=":")
axes[0].set(xlabel="label frequency $c$", ylabel="intercept $\\beta_0^*$")
axes[1].plot(c, c, color="#555555", lw=0.8)
axes[1].annotate("$\\eta=c$", (0.3, 0.3), (0.36, 0.24))
axes[1].set(xlabel="label frequency $c$", ylabel="factor $\\eta$", ylim=(0, 1.02))
for ax in axes:
    ax.legend(frameon=False, fontsize=9)
    ax.spines[["top", "right"]].set_visible(False)
