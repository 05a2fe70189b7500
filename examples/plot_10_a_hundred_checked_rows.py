"""
A hundred checked rows
======================

Here the clearest positives are labeled first. Nothing in the labels shows that, and the number of
positives comes out far too low. We draw a hundred rows, find out what they are, and get numbers
that hold whatever the labeling, and a better cut.
"""

# %%
# Labels that follow the posterior
# --------------------------------
# Four thousand patients. Doctors notice a clear case more easily: the chance of a diagnosis grows
# with the probability of the illness. On average two in five of the ill are diagnosed.

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import expit

from unlabeled import PULogistic
from unlabeled.audit import draw_audit
from unlabeled.datasets import hide_labels, propensity
from unlabeled.plots import AuditDisplay

rng, n = np.random.default_rng(0), 4000
X = rng.normal(size=(n, 5))
posterior = expit(X @ [1.5, 1.0, 0.5, 0.0, 0.0] - 1.5)
ill = (rng.random(n) < posterior).astype(int)

chance = propensity("posterior", posterior, link="logit", label_frequency=0.4, y_true=ill)
s = hide_labels(ill, propensity=chance, random_state=0)

# %%
# What the labels alone say
# -------------------------
# The interval takes the labels as a random sample of the ill. The truth is far outside.

model = PULogistic().fit(X, s)
claimed = model.class_prior_interval()
print(f"{claimed.estimate * n:.0f} ill, {claimed.lower * n:.0f} to {claimed.upper * n:.0f}")
print(f"in truth {ill.sum()}")

# %%
# Draw rows and check them
# ------------------------
# :func:`~unlabeled.audit.draw_audit` draws unlabeled rows from all ranges of the score, at random
# within each range. Somebody then examines these patients. Here the hidden truth stands for the
# examination. The person who examines must not know the scores.

audit = draw_audit(model, X, s, size=100, random_state=0)
answers = ill[audit.rows]
for lower, upper, rows, drawn in zip(
    *(audit.strata[name] for name in ("lower", "upper", "rows", "drawn")), strict=True
):
    print(f"score {lower:5.1f} to {upper:5.1f}: {drawn:2} of {rows:4} rows")

# %%
# The result has each number twice: as the labels claimed it, and by the checked rows.

result = audit.estimate(answers)
print(result)

# %%
# The intervals use nothing but the draw, which we made ourselves, and the answers. They do not
# assume anything about the labeling or the model. A better model only makes them shorter.
#
# Every cut
# ---------
# The same answers judge every other cut. :class:`~unlabeled.plots.AuditDisplay` draws a measure
# with an interval at each cut. We add the truth in black. Dots and bars are at the cut of
# ``predict``, and squares are what the labels alone claimed there.

score = model.positive_score(X)
fig, axes = plt.subplots(1, 2, figsize=(9, 4.4), layout="constrained")
for ax, measure in zip(axes, ("precision", "recall"), strict=True):
    display = AuditDisplay.from_result(result, measure, ax=ax)
    cuts = display.to_frame()["threshold"]
    found = np.array([ill[score > cut].sum() for cut in cuts])
    of = [(score > cut).sum() for cut in cuts] if measure == "precision" else ill.sum()
    ax.plot(display.to_frame()["share"], found / of, color="black", lw=1)
plt.show()

# %%
# The labels claim a recall that is far too high, because the patients with a diagnosis are the
# clear cases. They claim too low a precision, because they claim too few ill.
#
# A better cut
# ------------
# ``recut`` returns a classifier with the same score. The answers move its posterior and its cut. We
# compare both classifiers with the truth, in ten groups of patients with similar scores.

better = result.recut(model, rule="f1")
group = np.argsort(np.argsort(score)) * 10 // n
share = [ill[group == k].mean() for k in range(10)]
fig, ax = plt.subplots(figsize=(6, 4.4), layout="constrained")
ax.plot([0, 1], [0, 1], color="#555555", lw=1, ls="--")
looks = {"labels alone": ("s--", "#D55E00"), "with the answers": ("o-", "#0072B2")}
for (name, (look, color)), one in zip(looks.items(), (model, better), strict=True):
    probability = one.predict_proba(X)[:, 1]
    mean = [probability[group == k].mean() for k in range(10)]
    ax.plot(mean, share, look, color=color, label=name)
    selected = one.predict(X) == 1
    recall, precision = selected[ill == 1].mean(), ill[selected].mean()
    f1 = 2 / (1 / recall + 1 / precision)
    print(f"{name}: recall {recall:.2f}, precision {precision:.2f}, F1 {f1:.2f}")
ax.set(xlabel="mean probability in the group", ylabel="share of ill in the group")
ax.legend(loc="upper left")
plt.show()

# %%
# The page :doc:`/start/audit` shows the same in a terminal, with a page on which a person answers
# row by row. :doc:`/understand/checked_rows` says why the intervals hold.
