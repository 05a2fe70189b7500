"""F1_PU at every cut of the naive score, with the cuts of the naive and the enhanced classifier."""

import matplotlib.pyplot as plt

from unlabeled import EnhancedLogistic, NaiveLogistic
from unlabeled.datasets import make_paper_gaussian
from unlabeled.metrics import f1_pu_score
from unlabeled.thresholds import scan_cuts

data = make_paper_gaussian(n=10_000, label_frequency=0.3, random_state=0)
naive = NaiveLogistic().fit(data.X, data.s)
enhanced = EnhancedLogistic().fit(data.X, data.s)
score = data.X @ naive.coef_.ravel()
cuts = scan_cuts(data.s, score)
f1_pu = cuts.recall**2 / cuts.share

figure, ax = plt.subplots(figsize=(5.6, 3.3), layout="constrained")
ax.plot(cuts.score, f1_pu, color="#0072B2")
ax.axhline(1, color="#555555", lw=1, ls=":")
ax.annotate("all rows positive", (cuts.score[-1], 1), (0, -14), textcoords="offset points")
for name, model, color in (("naive", naive, "#D55E00"), ("enhanced", enhanced, "#009E73")):
    cut = model.threshold_
    value = f1_pu_score(data.s, model.predict(data.X))
    share = model.predict(data.X).mean()
    ax.plot(cut, value, "o", color=color)
    ax.annotate(
        f"{name}: {share:.1%} of the\nrows predicted positive",
        (cut, value),
        (cut + 0.9, value + 0.15),
        arrowprops={"arrowstyle": "-", "color": color},
    )
ax.set(xlabel="Cut of the naive score", ylabel="F1$_{PU}$", ylim=(0, 2.2), xlim=(-5.6, 8))
ax.spines[["top", "right"]].set_visible(False)
