"""Rejects cells that are not finite, or whose squares overflow, by the name of their column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ._arrays import Array, Matrix, is_sparse, namespace_of, on_host
from ._blocks import as_type

# Cells that are no finite numbers, or whose squares are none: found, and refused.


class BadCells(NamedTuple):
    """How many cells are no finite numbers, which kinds there are, and where the first is."""

    n_cells: int
    has_nan: bool
    has_inf: bool
    row: int
    column: int


def find_bad_cells(X: Matrix) -> BadCells | None:
    """Look at all cells; None where they are finite numbers.

    Raises a ValueError where they are but, in memory, their squares are not.
    """
    if _are_finite(X):
        return None
    found = _bad_cells(X)
    if found is None and on_host(X):
        reject_large_squares()
    return found


def reject_bad_cells(found: BadCells, where: str) -> None:
    """Raise the sentence about cells that are no finite numbers; `where` the first is, in words."""
    kinds = " and ".join(
        kind for kind, is_there in (("NaN", found.has_nan), ("inf", found.has_inf)) if is_there
    )
    raise ValueError(
        f"`X` must hold finite numbers; got {kinds} in {found.n_cells} cells, the first in "
        f"{where}. Fill or drop missing values first, for instance with SimpleImputer."
    )


def all_bad_cells(parts: Sequence[BadCells]) -> BadCells:
    """What was found in several parts of the rows; the place is the one in the first of them."""
    return parts[0]._replace(
        n_cells=sum(part.n_cells for part in parts),
        has_nan=any(part.has_nan for part in parts),
        has_inf=any(part.has_inf for part in parts),
    )


def _are_finite(X: Matrix) -> bool:
    if on_host(X):
        return squares_are_finite(X.data if is_sparse(X) else X)
    xp = namespace_of(X)
    # A sum is finite unless some value is not, or it overflows.
    return bool(xp.isfinite(xp.sum(X)))


def _bad_cells(X: Matrix) -> BadCells | None:
    values = X.data if is_sparse(X) else X
    xp = namespace_of(values)
    bad = as_type(xp.reshape(~xp.isfinite(values), (-1,)), xp.int64)
    n_cells = int(xp.sum(bad))
    if n_cells == 0:
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
        # In single precision the sum may overflow where squares in double precision do not.
        return bool(np.isfinite(np.square(values, dtype=np.float64).sum()))


def reject_large_squares() -> None:
    """Raise the sentence about values whose squares are no finite numbers."""
    raise ValueError(
        "`X` must have values whose squares are finite numbers; got larger ones. "
        "Rescale the features, for instance with StandardScaler."
    )


# Features in words.


def names_or_numbers(names: Any, n_features: int) -> tuple[str, ...]:
    """Return the names of features as text; x0, x1, ... where they have none."""
    if names is None:
        names = [f"x{j}" for j in range(n_features)]
    return tuple(str(name) for name in names)


def quoted_column(names: Any, number: int) -> str:
    """Return the name of a column in quotes, or its number where columns have no names."""
    return str(number) if names is None else repr(str(names[number]))


# Cells of X that are no finite numbers, refused by the name of their column.


def reject_bad_matrix(estimator: Any, X: Any) -> None:
    """Raise where cells of a matrix, in memory or on a device, are no finite numbers."""
    bad = find_bad_cells(X)
    if bad is not None:
        reject_bad_cells(bad, f"row {bad.row}, {_column(estimator, bad)}")


def reject_bad_chunks(estimator: Any, found: Sequence[BadCells]) -> None:
    """Raise where cells of some chunk are no finite numbers; row numbers are those of the chunk."""
    if found:
        bad = all_bad_cells(found)
        reject_bad_cells(bad, _column(estimator, bad))


def _column(estimator: Any, bad: BadCells) -> str:
    return f"column {quoted_column(getattr(estimator, 'feature_names_in_', None), bad.column)}"
