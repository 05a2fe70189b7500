"""Fit a frame, and come as far with a data set as its file, which is not here."""

import contextlib

import numpy as np
import pandas as pd

from unlabeled import EnhancedLogistic
from unlabeled.datasets import DatasetError, load_uci

rng = np.random.default_rng(0)
X = pd.DataFrame(rng.normal(size=(600, 3)), columns=["a", "b", "c"])
s = (rng.random(600) < 0.5 / (1 + np.exp(-3 * X["a"]))).astype(int)
assert list(EnhancedLogistic(C=1).fit(X, s).feature_names_in_) == ["a", "b", "c"]

with contextlib.suppress(DatasetError):
    load_uci("haberman", ".")
    raise AssertionError("A data set was read from an empty folder.")
