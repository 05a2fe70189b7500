"""Which columns a linear predictor sees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..blocks import (
    Array,
    Matrix,
    in_double,
    is_sparse,
    joined,
    namespace_of,
    on_host,
    zeros_beside,
)


@dataclass(frozen=True)
class Design:
    """The columns of one linear predictor: the features, a constant, or both.

    Its parameters are ordered as the coefficients of the features (if it
    sees them), then the intercept (if it has one).
    """

    features: bool
    intercept: bool

    def n_parameters(self, n_features: int) -> int:
        """How many parameters the predictor has."""
        return n_features * self.features + self.intercept

    def predictor(self, X: Matrix, parameters: Array) -> Array:
        """Linear predictor of each row; a scalar array when the design is constant."""
        if not self.features:
            return parameters[-1]
        if not self.intercept:
            return X @ parameters
        return X @ parameters[:-1] + parameters[-1]

    def pull_back(self, X: Matrix, row_gradient: Array) -> Array:
        """Gradient in the parameters from the derivative at each row's predictor."""
        parts = []
        if self.features:
            parts.append(in_double(X.T @ row_gradient))
        if self.intercept:
            xp = namespace_of(row_gradient)
            parts.append(xp.reshape(xp.sum(row_gradient, dtype=xp.float64), (1,)))
        return joined(parts)


FEATURES = Design(features=True, intercept=True)
FEATURES_WITHOUT_INTERCEPT = Design(features=True, intercept=False)
CONSTANT = Design(features=False, intercept=True)


def feature_design(fit_intercept: bool) -> Design:
    """What a linear predictor of all features sees."""
    return FEATURES if fit_intercept else FEATURES_WITHOUT_INTERCEPT


def parameter_slices(designs: Sequence[Design], n_features: int) -> tuple[slice, ...]:
    """Where the parameters of each predictor are, one predictor after the other."""
    sizes = [design.n_parameters(n_features) for design in designs]
    ends = np.cumsum(sizes)
    return tuple(slice(int(b - a), int(b)) for a, b in zip(sizes, ends, strict=True))


def weighted_cross_product(X: Matrix, weight: Array, left: Design, right: Design) -> Array:
    """Sum over rows of ``weight * outer(left columns, right columns)``."""
    p = X.shape[1]
    product = zeros_beside(weight, (left.n_parameters(p), right.n_parameters(p)))
    if left.features and right.features:
        product[:p, :p] = in_double(_feature_product(X, weight))
    if left.features and right.intercept:
        product[:p, -1] = in_double(X.T @ weight)
    if left.intercept and right.features:
        product[-1, :p] = in_double(X.T @ weight)
    if left.intercept and right.intercept:
        xp = namespace_of(weight)
        product[-1, -1] = xp.sum(weight, dtype=xp.float64)
    return product


def _feature_product(X: Matrix, weight: Array) -> Array:
    if is_sparse(X):
        return (X.T @ X.multiply(weight[:, None]).tocsr()).toarray()
    if not on_host(X) or weight.min(initial=0.0) < 0:
        return (X * weight[:, None]).T @ X
    rooted = X * np.sqrt(weight)[:, None]
    return rooted.T @ rooted  # one matrix twice: BLAS computes half of the product
