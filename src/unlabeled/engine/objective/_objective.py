"""The penalized mean loss of a linear model, as a sum over blocks of rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from ..arrays import (
    Array,
    Matrix,
    in_double,
    is_sparse,
    joined,
    namespace_of,
    on_device_of,
    on_host,
    precision_of,
    some_rows,
    zeros_beside,
)
from ..losses import RowDerivatives, RowLoss
from ..rows import (
    Chunked,
    as_type,
    consecutive_slices,
    reduce_rows,
    rows_in_a_block,
    subsample,
    weighted_mean,
)


@dataclass(frozen=True)
class Design:
    """The columns of one linear predictor: features, a constant, or both.

    Its parameters are the coefficients of the features (if it uses them),
    then the intercept (if it has one).

    Attributes
    ----------
    features, intercept : bool
        Whether it uses features, and whether it has an intercept.
    columns : tuple of int or None
        Positions of the features it uses; None for all.
    """

    features: bool
    intercept: bool
    columns: tuple[int, ...] | None = None

    def of(self, X: Matrix) -> Matrix:
        """Return the features that it uses."""
        return X if self.columns is None else X[:, list(self.columns)]

    def n_parameters(self, n_features: int) -> int:
        """Return how many parameters the predictor has."""
        used = n_features if self.columns is None else len(self.columns)
        return used * self.features + self.intercept

    def predictor(self, X: Matrix, parameters: Array) -> Array:
        """Return the linear predictor of each row; a scalar array if the design is constant."""
        if not self.features:
            return parameters[-1]
        if not self.intercept:
            return self.of(X) @ parameters
        return self.of(X) @ parameters[:-1] + parameters[-1]

    def pull_back(self, X: Matrix, row_gradient: Array) -> Array:
        """Return the gradient in the parameters, given each row's derivative in its predictor."""
        parts = []
        if self.features:
            parts.append(in_double(self.of(X).T @ row_gradient))
        if self.intercept:
            xp = namespace_of(row_gradient)
            parts.append(xp.reshape(xp.sum(row_gradient, dtype=xp.float64), (1,)))
        return joined(parts)


FEATURES = Design(features=True, intercept=True)
FEATURES_WITHOUT_INTERCEPT = Design(features=True, intercept=False)
CONSTANT = Design(features=False, intercept=True)


def feature_design(fit_intercept: bool) -> Design:
    """Return the design of all features, with or without an intercept."""
    return FEATURES if fit_intercept else FEATURES_WITHOUT_INTERCEPT


def parameter_slices(designs: Sequence[Design], n_features: int) -> tuple[slice, ...]:
    """Return the slice of each predictor's parameters, one predictor after the other."""
    return one_after_the_other([design.n_parameters(n_features) for design in designs])


def one_after_the_other(sizes: Sequence[int]) -> tuple[slice, ...]:
    """Return slices of these sizes."""
    ends = np.cumsum(sizes)
    return tuple(slice(int(b - a), int(b)) for a, b in zip(sizes, ends, strict=True))


def weighted_cross_product(X: Matrix, weight: Array, left: Design, right: Design) -> Array:
    """Sum over rows of ``weight * outer(left columns, right columns)``."""
    of_left = _near_zero(left.of(X))
    of_right = of_left if right.columns == left.columns else _near_zero(right.of(X))
    p, q = of_left.X.shape[1], of_right.X.shape[1]
    sizes = (left.n_parameters(X.shape[1]), right.n_parameters(X.shape[1]))
    product = zeros_beside(weight, sizes)
    xp = namespace_of(weight)
    total = xp.sum(weight, dtype=xp.float64)
    if left.features and right.features:
        block = in_double(_feature_product(of_left.X, weight, of_right.X))
        product[:p, :q] = (
            block if of_left.shift is None else _shifted(block, of_left, of_right, weight, total)
        )
    if left.features and right.intercept:
        product[:p, -1] = of_left.sum(weight, total)
    if left.intercept and right.features:
        product[-1, :q] = product[:p, -1] if left == right else of_right.sum(weight, total)
    if left.intercept and right.intercept:
        product[-1, -1] = total
    return product


class _NearZero(NamedTuple):
    """Rows less a shift in double precision; None if nothing was subtracted."""

    X: Matrix
    shift: Any

    def sum(self, weight: Array, total: Any) -> Any:
        """Sum the rows, shift included, with these weights, whose sum is `total`."""
        found = in_double(self.X.T @ weight)
        return found if self.shift is None else found + total * self.shift


# So many rows show where a column is.
_ROWS_OF_A_SHIFT = 1000


def _near_zero(X: Matrix) -> _NearZero:
    """Shift single-precision columns toward 0, where their products keep their digits."""
    if is_sparse(X) or precision_of(X).itemsize == 8 or X.shape[1] == 0:
        return _NearZero(X, None)
    xp = namespace_of(X)
    first = some_rows(X, slice(0, min(_ROWS_OF_A_SHIFT, X.shape[0])))
    shift = xp.mean(first, axis=0)
    return _NearZero(X - shift, in_double(shift))


def _shifted(product: Array, left: _NearZero, right: _NearZero, weight: Array, total: Any) -> Array:
    """Return the product of the rows with their shifts, from that without."""
    sums = [in_double(one.X.T @ weight) for one in (left, right)]
    cross = left.shift[:, None] * sums[1] + sums[0][:, None] * right.shift
    return product + cross + total * (left.shift[:, None] * right.shift)


def _feature_product(X: Matrix, weight: Array, other: Matrix) -> Array:
    if is_sparse(X):
        return (X.T @ other.multiply(weight[:, None]).tocsr()).toarray()
    if other is not X or not on_host(X) or weight.min(initial=0.0) < 0:
        return (X * weight[:, None]).T @ other
    rooted = X * np.sqrt(weight)[:, None]
    return rooted.T @ rooted  # one matrix twice: BLAS computes half of the product


# Maps (linear predictors, target) of rows to one array per pair of predictors.
RowEntries = Callable[[tuple[Array, ...], Array], tuple[Array, ...]]

# OpenBLAS may say "invalid value" of products of finite numbers (numpy/numpy#24067). Real ones end
# in NaN, which the solvers see.
_SPURIOUS = np.errstate(invalid="ignore")


@dataclass(frozen=True)
class BlockOfRows:
    """Computes the contribution of a block of rows to an objective.

    It stores no data, so it can be pickled and sent to a worker.

    Attributes
    ----------
    loss : RowLoss
    designs : tuple of Design
        One for each linear predictor.
    parts : tuple of slice
        The slice of `theta` with each predictor's parameters.
    """

    loss: RowLoss
    designs: tuple[Design, ...]
    parts: tuple[slice, ...]

    @_SPURIOUS
    def value_gradient(
        self, theta: Array, X: Matrix, target: Array, weight: Array | None
    ) -> tuple[Any, Array]:
        """Sum the loss and its gradient."""
        return self._sums(X, self._rows(theta, X, target, weight, second=False))

    @_SPURIOUS
    def value_gradient_hessian(
        self, theta: Array, X: Matrix, target: Array, weight: Array | None
    ) -> tuple[Any, Array, Array]:
        """Sum the loss, its gradient and its Hessian."""
        rows = self._rows(theta, X, target, weight, second=True)
        return *self._sums(X, rows), self._matrix(X, rows.hessian)

    @_SPURIOUS
    def cross_products(
        self,
        entries: RowEntries,
        theta: Array,
        X: Matrix,
        target: Array,
        *weights: Array | None,
    ) -> tuple[Array]:
        """Sum over rows a Hessian-like matrix, given one number per row and pair of predictors."""
        of_rows = entries(self._linear_predictors(X, theta), target)
        for weight in weights:
            if weight is not None:
                of_rows = tuple(entry * weight for entry in of_rows)
        return (self._matrix(X, of_rows),)

    def gradients_of_groups(
        self, theta: Array, X: Matrix, target: Array, weight: Array | None, groups: Array
    ) -> Array:
        """Sum the gradients of the rows of each group."""
        number = np.unique(groups, return_inverse=True)[1]
        parts = []
        gradients = self._rows(theta, X, target, weight, second=False).gradient
        for design, of_rows in zip(self.designs, gradients, strict=True):
            at = (number, np.arange(len(number)))
            members = sparse.csr_array((in_double(of_rows), at))
            if design.features:
                sums = members @ design.of(X)
                parts.append(sums.toarray() if is_sparse(X) else np.asarray(sums))
            if design.intercept:
                parts.append(np.asarray(members.sum(axis=1)).reshape(-1, 1))
        return np.hstack(parts)

    def _rows(
        self, theta: Array, X: Matrix, target: Array, weight: Array | None, second: bool
    ) -> RowDerivatives:
        rows = self.loss.derivatives(self._linear_predictors(X, theta), target, second)
        if weight is None:
            return rows
        return RowDerivatives(
            rows.value * weight,
            tuple(g * weight for g in rows.gradient),
            tuple(h * weight for h in rows.hessian),
        )

    def _linear_predictors(self, X: Matrix, theta: Array) -> tuple[Array, ...]:
        # Coefficients take the type of X, or a float32 block would be computed in float64.
        parameters = on_device_of(X, theta)
        return tuple(
            design.predictor(X, parameters[part])
            for design, part in zip(self.designs, self.parts, strict=True)
        )

    def _sums(self, X: Matrix, rows: RowDerivatives) -> tuple[Any, Array]:
        """Sum the loss and its gradient."""
        xp = namespace_of(rows.value)
        pairs = zip(self.designs, rows.gradient, strict=True)
        gradient = joined([design.pull_back(X, of_rows) for design, of_rows in pairs])
        return xp.sum(rows.value, dtype=xp.float64), gradient

    def _matrix(self, X: Matrix, of_rows: tuple[Array, ...]) -> Array:
        n_parameters = self.parts[-1].stop
        matrix = zeros_beside(of_rows[0], (n_parameters, n_parameters))
        entries = iter(of_rows)
        for j, left in enumerate(self.designs):
            for k in range(j, len(self.designs)):
                cross = weighted_cross_product(X, next(entries), left, self.designs[k])
                matrix[self.parts[j], self.parts[k]] = cross
                matrix[self.parts[k], self.parts[j]] = cross.T
        return matrix


class Objective:
    r"""Mean loss of a linear model plus a ridge penalty, and its derivatives.

    Row i has K linear predictors :math:`\eta_{ik} = D_k(x_i)^T \theta_k`,
    where the design :math:`D_k` selects the columns of predictor k. With
    weights :math:`w_i` and :math:`W = \sum_i w_i`,

    .. math::

       Q(\theta) = \frac{1}{W} \sum_i w_i\, \ell(\eta_{i1}, \dots, \eta_{iK}; d_i)
                   + \frac{\lambda}{2} \lVert \text{coefficients} \rVert^2,

    without intercepts in the penalty. Scikit-learn's ``C`` is
    :math:`1 / (\lambda W)`. :math:`\lambda` may also be one number per parameter, with the
    penalty :math:`\tfrac12 \sum_j \lambda_j \theta_j^2` on all of them. An intercept that has one
    counts as the predictor at the features `ridge_at`.

    Parameters
    ----------
    loss : RowLoss
        The loss of one row.
    designs : sequence of Design
        One for each linear predictor; :math:`\theta` holds their parameters
        one after the other.
    X : matrix of shape (n_rows, n_features)
        Dense or CSR, in memory or memory-mapped, on a device, or in chunks.
    target : column of shape (n_rows,), or ndarray of shape (n_rows, 3)
        :math:`d_i`: the labels s, or another target; stored where X is. Three columns for a
        likelihood of labels and checked rows.
    weight : column of shape (n_rows,), optional
    ridge : float or ndarray of shape (n_parameters,)
        :math:`\lambda`, of all coefficients or of each parameter.
    ridge_at : ndarray of shape (n_features,), optional
        The features of a row. A ridge on an intercept is on the predictor of that row; zeros if
        None. With the means of the columns, the fit does not depend on where they are.
    """

    def __init__(
        self,
        loss: RowLoss,
        designs: Sequence[Design],
        X: Matrix,
        target: Array,
        weight: Array | None = None,
        ridge: float | Array = 0.0,
        ridge_at: Array | None = None,
    ) -> None:
        self.loss = loss
        self.designs = tuple(designs)
        self.parts = parameter_slices(self.designs, X.shape[1])
        self.n_parameters: int = self.parts[-1].stop
        self.block = BlockOfRows(loss, self.designs, self.parts)
        self.X = X
        self.target = as_type(target, X.dtype)
        self.weight = None if weight is None else as_type(weight, X.dtype)
        self.ridge, self.ridge_at = ridge, ridge_at
        total = X.shape[0] if weight is None else weighted_mean(weight) * X.shape[0]
        self.total_weight = float(total)

    def value_gradient(self, theta: Array) -> tuple[float, Array]:
        """Value and gradient at `theta`."""
        return self._mean_with_penalty(theta, *self._reduce(self.block.value_gradient, theta))

    def value_gradient_hessian(self, theta: Array) -> tuple[float, Array, Array]:
        """Value, gradient and Hessian at `theta`."""
        value, gradient, hessian = self._reduce(self.block.value_gradient_hessian, theta)
        hessian = (hessian + self.penalty_curvature()) / self.total_weight
        return *self._mean_with_penalty(theta, value, gradient), hessian

    def cross_products(self, theta: Array, entries: RowEntries, unit: Any = None) -> Array:
        """Sum over rows a Hessian-like matrix, given one number per row and pair of predictors.

        Parameters
        ----------
        theta : ndarray
        entries : callable
            Maps (linear predictors, target) of rows to arrays, one for each pair of predictors
            in the order of `RowDerivatives.hessian`.
        unit : column of shape (n_rows,), optional
            Multiplies the weights: that of one independent row, for a sum of variances.
        """
        unit = None if unit is None else as_type(unit, self.X.dtype)
        of_block = partial(self.block.cross_products, entries, theta)
        (total,) = reduce_rows(of_block, self.X, self.target, self.weight, unit)
        return np.asarray(total)

    def gradients_of_groups(self, theta: Array, groups: Array) -> Array:
        """Return the gradient of each group's sum of weighted losses, of rows in memory."""
        return self.block.gradients_of_groups(theta, self.X, self.target, self.weight, groups)

    def penalty_curvature(self) -> Array:
        """Second derivative of the penalty, on the scale of the sum over rows."""
        return self.total_weight * self._penalized(np.eye(self.n_parameters))

    def subsample(self, stride: int) -> Objective:
        """Return the objective on one row from each run of `stride` rows, which is cheaper."""
        X, target, weight = subsample(stride, self.X, self.target, self.weight)
        ridges = self.ridge, self.ridge_at
        return Objective(self.loss, self.designs, X, target, weight, *ridges)

    def _reduce(self, of_block: Callable[..., tuple[Any, ...]], theta: Array) -> tuple[Any, ...]:
        return reduce_rows(partial(of_block, theta), self.X, self.target, self.weight)

    def _mean_with_penalty(self, theta: Array, value: Any, gradient: Array) -> tuple[float, Array]:
        """Turn sums over rows into value and gradient of the penalized mean."""
        penalized = self._penalized(theta)
        value = float(value) / self.total_weight + 0.5 * float(penalized @ theta)
        return value, gradient / self.total_weight + penalized

    def _penalized(self, theta: Array) -> Array:
        """Return the gradient of the penalty, of a matrix column by column.

        A single strength is not for intercepts.
        """
        ridge = np.asarray(self.ridge)
        kept = np.asarray((ridge * theta.astype(np.float64).T).T)
        for design, part in zip(self.designs, self.parts, strict=True):
            if not design.intercept:
                continue
            slopes, intercept = slice(part.start, part.stop - 1), part.stop - 1
            if not ridge.ndim:
                kept[intercept] = 0.0
            elif design.features and self.ridge_at is not None:
                at = design.of(self.ridge_at[None, :])[0]
                kept[intercept] += ridge[intercept] * (at @ theta[slopes])
                kept[slopes] += np.multiply.outer(at, kept[intercept])
        return kept


# Rows of a sparse matrix that are copied to double precision at a time.
_SPARSE_ROWS = 100_000


def linear_score(X: Matrix, coef: Array) -> Any:
    """Return X @ coef in float64, without a float64 copy of X; a column stored where X is.

    Scores in single precision would have ties that the data do not have. On a
    device the score has the type of X.
    """
    if isinstance(X, Chunked):
        return X.then(partial(_score, coef))
    return _score(coef, X)


def _score(coef: Array, X: Matrix) -> Any:
    if not on_host(X):
        return X @ on_device_of(X, coef)
    if X.dtype == np.float64:
        return np.asarray(X @ coef)
    step = _SPARSE_ROWS if is_sparse(X) else rows_in_a_block(X)
    score = np.empty(X.shape[0])
    for rows in consecutive_slices(X.shape[0], step):
        score[rows] = X[rows].astype(np.float64) @ coef
    return score
