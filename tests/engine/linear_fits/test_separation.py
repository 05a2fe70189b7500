"""Columns and scores that separate labeled rows from the others."""

import numpy as np
from scipy import sparse

from unlabeled.engine.linear_fits import separating_columns


def test_separating_columns_in_every_form(rng):
    s = np.array([0] * 1500 + [1] * 5)
    X = rng.normal(size=(1505, 6))
    X[:, 1] = s  # equal to the label
    X[:, 2] = 0.0  # constant
    X[:1499, 3], X[1499, 3], X[1500:, 3] = 1.0, 5.0, 1.0  # one late row breaks a constant
    X[:, 4] = np.where(s == 1, 3.0, -np.abs(X[:, 4]))
    assert separating_columns(X, s).tolist() == [1, 3, 4]
    assert separating_columns(sparse.csr_matrix(X), s).tolist() == [1, 3, 4]
