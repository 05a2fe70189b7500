"""The objective in whitened coordinates: what solvers see."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..blocks import Array, precision_of
from ._design import parameter_slices
from ._objective import Objective
from ._whitening import Whitening

# By the bytes of a number.
_ROUNDING = {4: 1e-7, 8: 1e-14}


class WhitenedObjective:
    """`objective` as a function of whitened coordinates z.

    A solver sees value, gradient and Hessian in z and nothing else; `theta`
    and `coordinates` translate. The norm of the gradient in z is the one
    fits are stopped by: it does not depend on the units of the features, and
    on standardised features it bounds every entry of the plain gradient.
    """

    def __init__(self, objective: Objective, whitening: Whitening) -> None:
        self.objective = objective
        self.whitening = whitening
        self._parts = parameter_slices(objective.designs, whitening.basis.shape[-1])
        self.n_parameters = self._parts[-1].stop

    @property
    def rounding(self) -> float:
        """Relative error of the value: rows in single precision have single-precision losses."""
        return _ROUNDING[precision_of(self.objective.X).itemsize]

    def theta(self, z: Array) -> Array:
        """Parameters on the scale of X at the coordinates `z`."""
        return self._translate(z, self._from_z, self._parts)

    def coordinates(self, theta: Array) -> Array:
        """Coordinates of the parameters `theta`."""
        return self._translate(theta, self._to_z, self.objective.parts)

    def gradient_in_z(self, gradient: Array) -> Array:
        """Chain rule from the scale of X to z; the columns of a matrix one by one."""
        return self._translate(gradient, self._pull_back, self.objective.parts)

    def every(self, stride: int) -> WhitenedObjective:
        """Return the same problem on one row of every `stride`, in the same coordinates."""
        return WhitenedObjective(self.objective.every(stride), self.whitening)

    def value_gradient(self, z: Array) -> tuple[float, Array]:
        """Value and gradient in z."""
        value, gradient = self.objective.value_gradient(self.theta(z))
        return value, self.gradient_in_z(gradient)

    def value_gradient_hessian(self, z: Array) -> tuple[float, Array, Array]:
        """Value, gradient and Hessian in z."""
        value, gradient, hessian = self.objective.value_gradient_hessian(self.theta(z))
        in_z = self.gradient_in_z(self.gradient_in_z(hessian).T)
        return value, self.gradient_in_z(gradient), 0.5 * (in_z + in_z.T)

    def _translate(
        self, vector: Array, translate: Callable[[Array, bool], Array], parts: tuple[slice, ...]
    ) -> Array:
        """Apply `translate` to the part of each design that sees the features."""
        return np.concatenate(
            [
                translate(vector[part], design.intercept) if design.features else vector[part]
                for design, part in zip(self.objective.designs, parts, strict=True)
            ]
        )

    def _from_z(self, z: Array, intercept: bool) -> Array:
        coef = _apply(self.whitening.basis, z[:-1] if intercept else z)
        return np.append(coef, z[-1] - self.whitening.center @ coef) if intercept else coef

    def _to_z(self, theta: Array, intercept: bool) -> Array:
        coef = theta[:-1] if intercept else theta
        z = _apply(self.whitening.inverse, coef)
        return np.append(z, theta[-1] + self.whitening.center @ coef) if intercept else z

    def _pull_back(self, gradient: Array, intercept: bool) -> Array:
        basis = self.whitening.basis
        if not intercept:
            return _apply(basis.T, gradient)
        shifted = gradient[:-1] - np.multiply.outer(self.whitening.center, gradient[-1])
        return np.concatenate([_apply(basis.T, shifted), gradient[-1:]])


def _apply(operator: Array, vector: Array) -> Array:
    """Multiply by a matrix, or by a diagonal matrix given as its diagonal."""
    if operator.ndim == 2:
        return operator @ vector
    return (operator * vector.T).T
