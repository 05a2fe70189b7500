"""Where four classifiers draw the line, fitted to the same labeled and unlabeled rows."""

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import expit

from unlabeled import EnhancedLogistic, JointLogistic, NaiveLogistic, PULogistic
from unlabeled.datasets import hide_labels

rng = np.random.default_rng(3)
X = rng.normal(size=(3000, 2))
y_true = (rng.random(3000) < expit(-1 + X @ [1.0, 2.0])).astype(int)
s = hide_labels(y_true, label_frequency=0.3, random_state=0)

figure, ax = plt.subplots(figsize=(5.6, 5), layout="constrained")
shown = rng.permutation(3000)[:1200]
free, marked = shown[s[shown] == 0], shown[s[shown] == 1]
ax.plot(*X[free].T, ".", color="#BBBBBB", ms=4, label="unlabeled")
ax.plot(*X[marked].T, "+", color="#000000", ms=6, label="labeled")
across = np.array([-3.2, 3.2])
lines = {
    "naive": (NaiveLogistic(), "#D55E00", "-", 1.6),
    "JOINT": (JointLogistic(), "#CC79A7", "--", 1.6),
    "PULogistic": (PULogistic(), "#56B4E9", "-", 4.5),
    "enhanced": (EnhancedLogistic(), "#000000", "-.", 1.4),
}
for name, (model, color, dashes, width) in lines.items():
    model.fit(X, s)
    a, b = model.coef_.ravel()
    cut = -model.decision_function(np.zeros((1, 2)))[0]
    found = f"{name}: finds {model.predict(X)[y_true == 1].mean():.0%} of the positives"
    ax.plot(across, (cut - a * across) / b, color=color, ls=dashes, lw=width, label=found)
ax.set(xlim=(-3.2, 3.2), ylim=(-3.2, 3.4), xlabel="$x_1$", ylabel="$x_2$")
ax.legend(frameon=True, framealpha=0.9, fontsize=9, loc="lower left")
ax.spines[["top", "right"]].set_visible(False)
