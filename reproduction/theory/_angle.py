"""The angle between two directions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray


def direction_angle(a: Any, b: Any, degrees: bool = True) -> float:
    r"""Compute the angle between two directions, such as fitted and true slopes.

    Needs no assumptions. Omit the intercept: Ruud's theorem is about slopes.

    Parameters
    ----------
    a, b : array-like of shape (p,) or (1, p)
        The directions; their lengths do not matter, their signs do.
    degrees : bool
        Whether to return degrees instead of radians.

    Returns
    -------
    float
        In [0, 180] degrees, or in [0, pi] radians.

    Notes
    -----
    With unit vectors u and v the angle is
    :math:`2\,\mathrm{atan2}(\lVert u-v\rVert, \lVert u+v\rVert)` (W. Kahan). It is accurate
    near 0 and 180 degrees, where :math:`\arccos u^Tv` loses half of the digits. **What breaks
    it:** features on different scales: the angle between coefficient vectors changes with the
    units of the features.

    Examples
    --------
    >>> from reproduction.theory import direction_angle
    >>> round(direction_angle([1, 0], [2, 2]), 6)
    45.0
    """
    u, v = _unit("a", a), _unit("b", b)
    if len(u) != len(v):
        raise ValueError(
            f"`b` must have as many entries as `a`, {len(u)}; got {len(v)}. "
            "Omit the intercept from both."
        )
    angle = 2 * math.atan2(float(np.linalg.norm(u - v)), float(np.linalg.norm(u + v)))
    return math.degrees(angle) if degrees else angle


def _unit(name: str, direction: Any) -> NDArray[np.float64]:
    vector = np.asarray(direction, dtype=np.float64)
    if vector.size == 0 or vector.size != max(vector.shape, default=0):
        raise ValueError(
            f"`{name}` must be one direction, of shape (p,) or (1, p); got shape {vector.shape}. "
            "Pass one row of coefficients."
        )
    if not np.all(np.isfinite(vector)):
        raise ValueError(f"`{name}` must be finite; got NaN or inf. Check that the fit converged.")
    largest = np.max(np.abs(vector))
    if largest == 0:
        raise ValueError(
            f"`{name}` must not be the zero vector; got {vector.size} zeros. "
            "A zero vector has no direction."
        )
    scaled = vector.ravel() / largest  # the squares neither overflow nor underflow
    unit: NDArray[np.float64] = scaled / float(np.linalg.norm(scaled))
    return unit
