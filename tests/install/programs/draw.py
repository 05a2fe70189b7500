"""Draw a picture into a file."""

from pathlib import Path

import numpy as np

from unlabeled import EnhancedLogistic
from unlabeled.plots import CutCurveDisplay

rng = np.random.default_rng(0)
X = rng.normal(size=(600, 3))
s = (rng.random(600) < 0.5 / (1 + np.exp(-3 * X[:, 0]))).astype(int)

model = EnhancedLogistic(C=1).fit(X, s)
CutCurveDisplay.from_estimator(model, X, s).plot().figure_.savefig("cut.png")
assert Path("cut.png").stat().st_size > 0
