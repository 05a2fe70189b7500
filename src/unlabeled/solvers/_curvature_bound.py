"""How large the curvature of the label likelihood can be."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..blocks import Array
from ..objective import Whitening, linear_score
from ._mm import CURVATURE_BOUND

_POWER_ITERATIONS = 30
_POWER_MARGIN = 1.2


def curvature_bound(X: Any, weight: Array | None, whitening: Whitening, ridge: float) -> float:
    """Number that the Hessian of the likelihood, in whitened coordinates, stays below.

    A quarter where the features are fully whitened. Where only scales are
    used, a quarter of the largest eigenvalue of their correlation matrix,
    by power iteration, with a margin.
    """
    if whitening.basis.ndim == 2:
        return CURVATURE_BOUND
    scale, center = whitening.basis, whitening.center
    weight = np.ones(X.shape[0]) if weight is None else weight
    direction, largest = np.ones(len(scale)) / np.sqrt(len(scale)), 1.0
    for _ in range(_POWER_ITERATIONS):
        score = linear_score(X, scale * direction) - center @ (scale * direction)
        pulled = X.T @ (weight * score).astype(X.dtype) - center * (weight @ score)
        direction = scale * pulled / len(weight) + 4 * ridge * scale**2 * direction
        largest = float(np.linalg.norm(direction))
        direction = direction / largest
    return CURVATURE_BOUND * max(1.0, _POWER_MARGIN * largest)
