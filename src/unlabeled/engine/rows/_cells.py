"""Reject cells that are not finite, or whose squares overflow; name the column of the first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import get_tags

from ..arrays import Array, Matrix, is_sparse, namespace_of, on_host
from ._blocks import as_type


class BadCells(NamedTuple):
    """Number and kinds of the cells that are not finite, and the position of the first."""

    n_cells: int
    has_nan: bool
    has_inf: bool
    row: int
    column: int


def reject_bad_cells(estimator: Any, X: Matrix) -> None:
    """Raise if cells of a matrix, in memory or on a device, are not finite.

    Missing cells, NaN, are accepted if scikit-learn's tags of `estimator` allow them. The column
    is named as in the data that `estimator` was fitted to.
    """
    bad = find_bad_cells(X)
    if bad is None or (not bad.has_inf and get_tags(estimator).input_tags.allow_nan):
        return
    raise _error(estimator, bad, f"row {bad.row}, ")


def reject_bad_chunks(estimator: Any, found: Sequence[BadCells]) -> None:
    """Raise if chunks have cells that are not finite; name the column of the first such cell.

    Missing cells, NaN, are accepted as by `reject_bad_cells`.
    """
    if found:
        bad = found[0]._replace(
            n_cells=sum(part.n_cells for part in found),
            has_nan=any(part.has_nan for part in found),
            has_inf=any(part.has_inf for part in found),
        )
        if not bad.has_inf and get_tags(estimator).input_tags.allow_nan:
            return
        # Row numbers are relative to the chunk, so they are not shown.
        raise _error(estimator, bad, "")


def find_bad_cells(X: Matrix) -> BadCells | None:
    """Describe the cells that are not finite; return None if all are finite.

    Raises a ValueError if all are finite but, for rows in memory, their squares are not.
    """
    values = X.data if is_sparse(X) else X
    xp = namespace_of(values)
    # On a device, a sum is finite unless some value is not, or it overflows.
    if squares_are_finite(values) if on_host(X) else bool(xp.isfinite(xp.sum(X))):
        return None
    bad = as_type(xp.reshape(~xp.isfinite(values), (-1,)), xp.int64)
    n_cells = int(xp.sum(bad))
    if n_cells == 0:
        if on_host(X):
            reject_large_squares()
        return None
    first = int(xp.argmax(bad))
    if is_sparse(X):
        row, column = int(np.searchsorted(X.indptr, first, side="right")) - 1, X.indices[first]
    else:
        row, column = divmod(first, X.shape[1])
    has_nan, has_inf = (bool(xp.any(kind(values))) for kind in (xp.isnan, xp.isinf))
    return BadCells(n_cells, has_nan, has_inf, row, int(column))


def squares_are_finite(values: Array) -> bool:
    """Whether the sum of squares is finite: then so is every value."""
    with np.errstate(over="ignore", invalid="ignore"):
        if values.flags.c_contiguous or values.flags.f_contiguous:
            flat = values.ravel(order="K")
            total: Any = np.dot(flat, flat)
        else:
            total = np.einsum("ij,ij->", values, values)
        if np.isfinite(total):
            return True
        # In single precision the sum may overflow although squares in double precision do not.
        return bool(np.isfinite(np.square(values, dtype=np.float64).sum()))


def reject_large_squares() -> None:
    """Raise the error about values whose squares overflow."""
    raise ValueError(
        "`X` must have values whose squares are finite numbers; got larger ones. "
        "Rescale the features, for instance with StandardScaler."
    )


def _error(estimator: Any, bad: BadCells, row: str) -> ValueError:
    kinds = " and ".join(["NaN"] * bad.has_nan + ["inf"] * bad.has_inf)
    cells = "1 cell" if bad.n_cells == 1 else f"{bad.n_cells} cells"
    column = quoted_column(getattr(estimator, "feature_names_in_", None), bad.column)
    remedies = ["Fill or drop missing values, for instance with SimpleImputer."] * bad.has_nan
    remedies += ["Find out where inf comes from: a division by zero, or a logarithm of 0."] * (
        bad.has_inf
    )
    return ValueError(
        f"`X` must hold finite numbers; got {kinds} in {cells}, the first in {row}column "
        f"{column}. {' '.join(remedies)}"
    )


def names_or_numbers(names: Any, n_features: int) -> tuple[str, ...]:
    """Return the names of features as text; x0, x1, ... if they have none."""
    if names is None:
        names = [f"x{j}" for j in range(n_features)]
    return tuple(str(name) for name in names)


def quoted_column(names: Any, number: int) -> str:
    """Return the name of a column in quotes, or its index if columns have no names."""
    return str(number) if names is None else repr(str(names[number]))
