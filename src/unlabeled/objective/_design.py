"""Which columns a linear predictor sees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

Array = np.ndarray[Any, np.dtype[Any]]
Matrix = Any  # a dense array or a CSR matrix


def is_sparse(X: Matrix) -> bool:
    """Whether X is a sparse matrix (a plain bool, which keeps X's type open)."""
    return bool(sparse.issparse(X))


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
            parts.append(X.T @ row_gradient)
        if self.intercept:
            parts.append([row_gradient.sum(dtype=np.float64)])
        return np.concatenate(parts, dtype=np.float64)


FEATURES = Design(features=True, intercept=True)
FEATURES_WITHOUT_INTERCEPT = Design(features=True, intercept=False)
CONSTANT = Design(features=False, intercept=True)


def weighted_cross_product(X: Matrix, weight: Array, left: Design, right: Design) -> Array:
    """Sum over rows of ``weight * outer(left columns, right columns)``."""
    n_features = X.shape[1]
    product = np.zeros((left.n_parameters(n_features), right.n_parameters(n_features)))
    if left.features and right.features:
        product[:n_features, :n_features] = _feature_product(X, weight)
    if left.features and right.intercept:
        product[:n_features, -1] = X.T @ weight
    if left.intercept and right.features:
        product[-1, :n_features] = X.T @ weight
    if left.intercept and right.intercept:
        product[-1, -1] = weight.sum(dtype=np.float64)
    return product


def _feature_product(X: Matrix, weight: Array) -> Array:
    if is_sparse(X):
        return (X.T @ X.multiply(weight[:, None]).tocsr()).toarray()
    if weight.min(initial=0.0) < 0:
        return (X * weight[:, None]).T @ X
    rooted = X * np.sqrt(weight)[:, None]
    return rooted.T @ rooted  # one matrix twice: BLAS computes half of the product
