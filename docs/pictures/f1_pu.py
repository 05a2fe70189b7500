"""F1_PU of every cut at two label frequencies, beside the population's F1_PU and F1."""

import matplotlib.pyplot as plt
import numpy as np

from reproduction.theory import cut_properties, optimal_cut
from unlabeled.datasets import make_paper_gaussian
from unlabeled.thresholds import scan_cuts

PAPER = {"beta0": -1, "mean": -1, "var": 3}
t = np.linspace(-5, 3.5, 200)
population = [cut_properties(cut, **PAPER) for cut in t]

figure, (above, below) = plt.subplots(2, 1, figsize=(5.6, 5.4), sharex=True, layout="constrained")
for c, color in ((0.3, "#56B4E9"), (0.6, "#E69F00")):
    data = make_paper_gaussian(n=5000, label_frequency=c, random_state=1)
    cuts = scan_cuts(data.s, data.X @ data.beta[1:])
    label = f"5000 rows, $c={c}$"
    above.plot(cuts.score, cuts.recall**2 / cuts.share, color=color, lw=1, label=label)
above.plot(t, [cut.f1_pu for cut in population], "k--", label="population, any $c$")
best_pu, best_f1 = optimal_cut("f1_pu", **PAPER), optimal_cut("f1", **PAPER)
above.plot(best_pu.threshold, best_pu.f1_pu, "o", color="#0072B2", label="its best cut")
above.set(ylabel="F1$_{PU}$", xlim=(-5, 3.5), ylim=(0, 2))
above.legend(frameon=False, fontsize=9, loc="lower left")

below.plot(t, [cut.f1 for cut in population], "k--", label="population")
below.plot(best_f1.threshold, best_f1.f1, "D", color="#000000", label="best cut for F1")
at = cut_properties(best_pu.threshold, **PAPER)
below.plot(at.threshold, at.f1, "o", color="#0072B2", label="best cut for F1$_{PU}$")
below.set(xlabel="Cut of the index", ylabel="F1, with true classes", ylim=(0, 0.75))
below.legend(frameon=False, fontsize=9, loc="lower left")
for ax in (above, below):
    ax.spines[["top", "right"]].set_visible(False)
