"""Fixed-point maps that go downhill, with Anderson acceleration."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..arrays import Array
from ._descent import SolverResult

_MEMORY = 10
_ROUNDING = 4 * np.finfo(np.float64).eps


class MapStep(NamedTuple):
    """The value at a point, the norm of its gradient there, and the map's next point."""

    value: float
    gradient_norm: float
    next: Array


def iterate_map(
    step: Callable[[Array], MapStep], start: Array, tol: float, max_iter: int, accelerate: bool
) -> SolverResult:
    """Iterate a map until the gradient norm is at most `tol`.

    `step` must not raise the value; steps of MM and EM do not. With
    `accelerate` the next point is extrapolated from the last few (Anderson).
    If that raises the value, the extrapolated point is dropped, the plain step
    is taken and the memory is cleared: the value falls at every iteration.
    """
    memory = _AndersonMemory()
    point, here = start, step(start)
    n_iter = 0
    while here.gradient_norm > tol and n_iter < max_iter:
        n_iter += 1
        candidate = memory.extrapolate(point, here.next) if accelerate else here.next
        there = step(candidate)
        slack = _ROUNDING * max(1.0, abs(here.value))
        if accelerate and not there.value <= here.value + slack:
            memory = _AndersonMemory()
            candidate = here.next
            there = step(candidate)
        point, here = candidate, there
    converged = here.gradient_norm <= tol
    message = "gradient norm below tol" if converged else "max_iter reached"
    return SolverResult(point, here.value, here.gradient_norm, n_iter, converged, message)


class _AndersonMemory:
    """The last few points and residuals of a fixed-point map."""

    def __init__(self) -> None:
        self.points: deque[Array] = deque(maxlen=_MEMORY + 1)
        self.residuals: deque[Array] = deque(maxlen=_MEMORY + 1)

    def extrapolate(self, point: Array, mapped: Array) -> Array:
        """Next point: the combination of past steps with the smallest residual."""
        self.points.append(mapped)
        self.residuals.append(mapped - point)
        if len(self.points) == 1:
            return mapped
        residual_changes = np.diff(np.array(self.residuals), axis=0).T
        mapped_changes = np.diff(np.array(self.points), axis=0).T
        mixing = np.linalg.lstsq(residual_changes, self.residuals[-1], rcond=1e-10)[0]
        return np.asarray(mapped - mapped_changes @ mixing)
