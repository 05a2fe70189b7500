"""Rows that an estimator does not take, refused with a word on what to do."""

from __future__ import annotations

from typing import Any

from ..blocks import is_dask, is_sparse
from ._device_rows import is_on_device


def refuse_chunks(X: Any, who: str) -> None:
    """Raise where rows lie in chunks and would have to be loaded for `who`; say what to use."""
    if is_dask(X):
        raise TypeError(
            f"`X` must be in memory for {who}; got rows in chunks of Dask. "
            "NaiveLogistic, EnhancedLogistic and JointLogistic read chunks; or take a part of "
            "the rows that fits in memory, with X.compute()."
        )


def refuse_device(X: Any, who: str) -> None:
    """Raise where rows lie on a device and would have to be brought here for `who`."""
    if is_on_device(X):
        raise TypeError(
            f"`X` must be a NumPy array or a sparse matrix for {who}; got an array of "
            f"{type(X).__module__.partition('.')[0]}. NaiveLogistic, EnhancedLogistic and "
            "JointLogistic leave it on its device; or convert it to NumPy."
        )


def refuse_lazy(X: Any) -> None:
    """Raise where rows are a query that was not run yet."""
    if hasattr(type(X), "collect") and not hasattr(type(X), "__array__"):
        raise TypeError(
            f"`X` must be in memory; got a {type(X).__name__}. Call its collect() first."
        )


def refuse_sparse(
    X: Any, who: str, instead: str = "Make a few columns of it first, as TruncatedSVD does."
) -> None:
    """Raise where X is sparse and would have to be made dense for `who`; say what to use."""
    if is_sparse(X):
        raise TypeError(f"`X` must be dense for {who}; got a sparse matrix. {instead}")
