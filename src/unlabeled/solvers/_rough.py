"""A cheap guess of the Hessian, from a part of the rows."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from ..blocks import Array
from ..objective import WhitenedObjective
from ._newton import MOST_PARAMETERS

# A part of the rows this large stands in for all of them.
_PART_ROWS = 2000
_PART_ROWS_A_FEATURE = 50
# A fit starts on a larger part where rows are many: it costs less than the passes it saves.
_START_SHARE = 10
_START_ROWS_A_FEATURE = 500
# It is copied, and holds so many numbers at most.
_MOST_NUMBERS = 2**25
# Directions the part says nothing about get this fraction of the largest curvature.
_SMALLEST_CURVATURE = 0.2
_FLAT = 1e-8


def part_stride(problem: WhitenedObjective) -> int:
    """Every how many rows a part to start on is made of; 1 where rows are too few for a part."""
    n_rows, n_features = problem.objective.X.shape
    most = min(_START_ROWS_A_FEATURE * n_features, _MOST_NUMBERS // max(1, n_features))
    return _stride(problem, min(n_rows // _START_SHARE, most))


def look_stride(problem: WhitenedObjective) -> int:
    """Every how many rows the smallest part is made of that shows the curvature."""
    return _stride(problem, 0)


def _stride(problem: WhitenedObjective, rows: int) -> int:
    n_rows, n_features = problem.objective.X.shape
    if problem.n_parameters > MOST_PARAMETERS:
        return 1
    return max(1, n_rows // max(_PART_ROWS, _PART_ROWS_A_FEATURE * n_features, rows))


def rough_hessian(part: WhitenedObjective, z: Array) -> Array | None:
    """Hessian at `z` on a part of the rows, made positive definite; None if there is none."""
    hessian = part.value_gradient_hessian(z)[2]
    if not np.all(np.isfinite(hessian)) or np.max(np.abs(hessian)) < _FLAT:
        return None
    values, vectors = linalg.eigh(hessian)
    values = np.maximum(np.abs(values), _SMALLEST_CURVATURE * np.max(np.abs(values)))
    return np.asarray((vectors * values) @ vectors.T)
