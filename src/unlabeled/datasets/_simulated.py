"""What a simulation returns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class SimulatedSample:
    """A simulated positive-unlabelled sample, with what a real one hides.

    Attributes
    ----------
    X : ndarray of shape (n, p), float64
        Features, without a constant column.
    s : ndarray of shape (n,), int
        The observed label: 1 for labelled rows (all of them positive), 0 for the others.
    y_true : ndarray of shape (n,), int
        The hidden class.
    beta : ndarray of shape (p + 1,), float64
        Coefficients of the true posterior P(Y=1|x), the intercept first.
    """

    X: np.ndarray
    s: np.ndarray
    y_true: np.ndarray
    beta: np.ndarray
