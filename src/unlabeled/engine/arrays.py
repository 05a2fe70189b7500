"""NumPy arrays, and arrays of other libraries that follow the array API standard."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
from scipy import sparse
from sklearn import get_config

from .extras import needs_extra

Array = np.ndarray[Any, np.dtype[Any]]
Matrix = Any  # a dense array, a CSR matrix, an array on a device, or rows in chunks


# By type: asking takes longer than a small kernel.
_ON_HOST: dict[type, bool] = {}
_NAMESPACES: dict[type, Any] = {}


def is_sparse(X: Matrix) -> bool:
    """Whether X is a sparse matrix (a plain bool: type checkers do not narrow X)."""
    return bool(sparse.issparse(X))


def on_host(X: Matrix) -> bool:
    """Whether X is in memory or memory-mapped: a NumPy array, a number or a sparse matrix."""
    here = _ON_HOST.get(type(X))
    if here is None:
        here = isinstance(X, np.ndarray | np.generic | float | int) or is_sparse(X)
        _ON_HOST[type(X)] = here
    return here


def is_on_device(X: Any) -> bool:
    """Whether X is another library's array that scikit-learn's array_api_dispatch leaves alone."""
    if isinstance(X, np.ndarray) or is_sparse(X) or not hasattr(X, "device"):
        return False
    return bool(get_config().get("array_api_dispatch"))


def on_device(X: Any) -> bool:
    """Whether X is an array of another library; not a frame, not rows in chunks."""
    return not isinstance(X, np.ndarray | np.generic) and hasattr(X, "device")


def is_dask(X: Any) -> bool:
    """Whether X is a collection of Dask, without importing Dask."""
    # Check the type: a Delayed object pretends to have every attribute.
    return hasattr(type(X), "__dask_graph__") and hasattr(type(X), "to_delayed")


def namespace_of(X: Matrix) -> Any:
    """Return NumPy, or the array API functions of another library's array."""
    found = _NAMESPACES.get(type(X))
    if found is None:
        found = np if on_host(X) else _compat().array_namespace(X)
        _NAMESPACES[type(X)] = found
    return found


def on_device_of(X: Matrix, array: Any) -> Any:
    """Return a NumPy array as one of the library, device and type of X."""
    if on_host(X):
        return array.astype(X.dtype, copy=False)
    xp = namespace_of(X)
    return xp.asarray(array, dtype=X.dtype, device=_compat().device(X))


def to_host(array: Any) -> Any:
    """Return another library's array, or rows in chunks, in memory; anything else unchanged."""
    if hasattr(array, "loaded"):  # chunks
        return array.loaded()
    if not on_device(array):
        return array
    if hasattr(array, "detach"):  # PyTorch
        return array.detach().cpu().numpy()
    return array.get() if hasattr(array, "get") else np.asarray(array)  # CuPy has `get`


def precision_of(X: Matrix) -> np.dtype[Any]:
    """Return single or double precision, as a NumPy type."""
    return np.dtype(np.float32 if str(X.dtype).endswith("float32") else np.float64)


def some_rows(X: Matrix, rows: slice) -> Any:
    """Return a slice of the rows; a view if the library has views."""
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    return X[rows, ...] if on_device(X) else X[rows]


def in_double(array: Any) -> Any:
    """Return the values in double precision, on the same device."""
    if on_host(array):
        return np.asarray(array, dtype=np.float64)
    xp = namespace_of(array)
    return xp.astype(array, xp.float64)


def with_distinct_entries(X: Matrix) -> Matrix:
    """Return CSR rows with sorted, distinct column indices; a copy only if they were not.

    Sums of squares and extremes are taken over stored entries, and repeated entries of a cell
    are only parts of its value.
    """
    if not is_sparse(X) or X.has_canonical_format:
        return X
    X = X.copy()
    X.sum_duplicates()
    return X


def indexable(X: Any) -> Any:
    """Return X in a form that can be indexed by rows: sparse as CSR, lists as arrays."""
    if hasattr(X, "tocsr"):
        return X.tocsr()
    return X if hasattr(X, "shape") else np.asarray(X)


def joined(parts: list[Any]) -> Any:
    """Concatenate arrays of the same type, on their device."""
    if len(parts) == 1:
        return parts[0]
    xp = namespace_of(parts[0])
    return np.concatenate(parts) if xp is np else xp.concat(parts)


def cells_of(X: Any) -> np.ndarray:
    """Return an array of numbers if all cells are numbers, else an array of anything."""
    try:
        cells = np.asarray(X)
    except ValueError:  # rows of different lengths, such as lists of words
        cells = np.array([str(row) for row in X])
    if cells.dtype != object:
        return cells
    try:
        return cells.astype(np.float64)
    except (TypeError, ValueError):
        return cells


def reject_other_length(
    n_rows: int,
    length: int,
    column: str = "`y` or `sample_weight`",
    advice: str = "Pass one value for each row.",
) -> None:
    """Raise if a column is not as long as the rows beside it; `column` names it."""
    if n_rows != length:
        raise ValueError(
            "Found input variables with inconsistent numbers of samples: "
            f"{n_rows} rows in `X`, and {length} in {column}. {advice}"
        )


def zeros_beside(array: Any, shape: tuple[int, ...]) -> Any:
    """Return zeros in double precision, on the device of `array`."""
    if on_host(array):
        return np.zeros(shape)
    xp = namespace_of(array)
    return xp.zeros(shape, dtype=xp.float64, device=_compat().device(array))


@cache
def _compat() -> Any:
    """Import array_api_compat, which smooths over the libraries' differences, from scikit-learn."""
    with needs_extra("An array of another library", "array-api"):
        return import_module("sklearn.externals.array_api_compat")
