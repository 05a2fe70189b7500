"""Two explanations of the same labels, and the checked rows that tell them apart."""

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import expit
from scipy.stats import binomtest

from unlabeled.audit import draw_audit
from unlabeled.datasets import hide_labels

rng, n = np.random.default_rng(0), 4000
score = rng.normal(size=n)


def label_share(t):
    """P(S=1|t), the same in both explanations."""
    return 0.4 * expit(3 * t - 3)


def clear_first(t):
    """P(Y=1|t) if clear positives are labeled first, which is true here."""
    return expit(1.5 * t - 0.8)


def missed(s, y):
    """P(Y=1|t, S=0) if P(S=1|t) is s and the posterior is y."""
    return (y - s) / (1 - s)


y_true = (rng.random(n) < clear_first(score)).astype(int)
s = hide_labels(y_true, propensity=label_share(score) / clear_first(score), random_state=0)
audit = draw_audit(score, None, s, size=100, threshold=1.0, random_state=0)

figure, (left, right) = plt.subplots(1, 2, figsize=(7.6, 3.6), layout="constrained")
grid, edges = np.linspace(-2.5, 2.5, 201), np.linspace(-2.5, 2.5, 11)
place = np.digitize(score, edges)
middle = [score[place == k].mean() for k in range(1, 11)]
left.plot(middle, [s[place == k].mean() for k in range(1, 11)], "ko", ms=4, label="labeled rows")
left.plot(grid, label_share(grid), "k", lw=1, label="predicted by both")
for ax, subtract in ((left, False), (right, True)):
    for name, y, look, color in (
        ("labels at random", label_share(grid) / 0.4, "--", "#D55E00"),
        ("clear positives first", clear_first(grid), "-", "#0072B2"),
    ):
        curve = missed(label_share(grid), y) if subtract else y
        ax.plot(grid, curve, look, color=color, label=f"positives, if {name}")
    ax.set(xlabel="score", ylim=(-0.03, 1.45), yticks=np.linspace(0, 1, 6))
    ax.spines[["top", "right"]].set_visible(False)
for k in range(len(audit.strata["rows"])):
    inside = audit.stratum == k
    found = int(y_true[audit.rows[inside]].sum())
    share = binomtest(found, int(inside.sum())).proportion_ci(method="wilson")
    at = audit.score[inside].mean()
    right.plot([at, at], [share.low, share.high], "k", lw=1)
    right.plot(at, found / inside.sum(), "ko", ms=4, label="checked rows" * (k == 0))
left.set(title="What labels show", ylabel="share of rows")
right.set(title="What checked rows show", ylabel="share of the unlabeled rows")
for ax in (left, right):
    ax.legend(frameon=False, fontsize=8, loc="upper left")
