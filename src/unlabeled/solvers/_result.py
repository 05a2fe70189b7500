"""What a solver is given and what it returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from ..blocks import Array


class Problem(Protocol):
    """A smooth function of a vector."""

    @property
    def n_parameters(self) -> int:
        """Length of the vector."""
        ...

    def value_gradient(self, z: Array) -> tuple[float, Array]:
        """Value and gradient at z."""
        ...

    def value_gradient_hessian(self, z: Array) -> tuple[float, Array, Array]:
        """Value, gradient and Hessian at z."""
        ...


@dataclass(frozen=True)
class SolverResult:
    """Where a solver stopped.

    `converged` is true when the Euclidean norm of the gradient is at most the
    tolerance asked for; `message` says in words why the solver stopped.
    `distance` is the length of the Newton step left to go, `hessian` and
    `gradient` those at `z`, where they are known. `interrupted` is true where
    Ctrl-C ended the run.
    """

    z: Array
    value: float
    gradient_norm: float
    n_iter: int
    converged: bool
    message: str
    distance: float = 0.0
    hessian: Array | None = None
    gradient: Array | None = None
    interrupted: bool = False
