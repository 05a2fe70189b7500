"""From Dask's arrays and frames to chunks of rows, and back to lazy columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._arrays import is_sparse, with_distinct_entries
from ._compute import Chunks, for_every_chunk, held
from ._lengths import refuse_other_length


def is_dask(X: Any) -> bool:
    """Whether X is a collection of Dask, without importing Dask."""
    # Of the type: a delayed object says yes to every name, and is no array.
    return hasattr(type(X), "__dask_graph__") and hasattr(type(X), "to_delayed")


def is_frame(X: Any) -> bool:
    """Whether a collection of Dask is a frame or a column of one."""
    return hasattr(X, "to_dask_array")


def matrix_chunks(X: Any) -> list[Any]:
    """Chunks of whole rows, each a delayed array, CSR matrix or frame."""
    if is_frame(X):
        return list(X.to_delayed())
    if X.ndim == 2 and len(X.chunks[1]) > 1:
        X = X.rechunk({1: -1})
    return list(X.to_delayed().ravel())


def row_counts(X: Any, chunks: list[Any]) -> list[int]:
    """Rows of every chunk; they are counted where Dask does not know."""
    if not is_frame(X) and not np.isnan(X.chunks[0]).any():
        return [int(count) for count in X.chunks[0]]
    return Chunks.of(chunks).each([_n_rows] * len(chunks))


def aligned_chunks(X: Any, *columns: Any) -> Chunks:
    """Chunks, each a part of X and of every column.

    Columns may be of Dask, or values that are here and are dealt out.
    """
    columns = tuple(_one_column(column) for column in columns)
    if hasattr(X, "assign") and all(is_dask(column) and is_frame(column) for column in columns):
        of_one_frame = _chunks_of_one_frame(X, columns)
        if of_one_frame is not None:
            return of_one_frame
    blocks = matrix_chunks(X)
    parts = (column_chunks(column, X, blocks) for column in columns)
    return Chunks.side_by_side(blocks, *parts).then(_of_one_length)


def _of_one_length(parts: tuple[Any, ...]) -> tuple[Any, ...]:
    """The parts of a loaded chunk, as they are; they must have the same number of rows."""
    for part in parts[1:]:
        advice = "Take both from one frame, or rechunk one."
        refuse_other_length(parts[0].shape[0], part.shape[0], "a chunk beside them", advice)
    return parts


def _chunks_of_one_frame(X: Any, columns: tuple[Any, ...]) -> Chunks | None:
    """Chunks of a frame that has the columns too, so that a file is read once for all of them."""
    names = tuple(f"__column_{k}__" for k in range(len(columns)))
    try:
        frame = X.assign(**dict(zip(names, columns, strict=True)))
    except (ValueError, NotImplementedError):  # of different frames that Dask cannot align
        return None
    return Chunks.of(frame.to_delayed()).then(_Split(list(X.columns), names))


@dataclass(frozen=True)
class _Split:
    features: list[Any]
    names: tuple[str, ...]

    def __call__(self, frame: Any) -> tuple[Any, ...]:
        return frame[self.features], *(frame[name] for name in self.names)


def column_chunks(column: Any, X: Any, blocks: list[Any]) -> list[Any]:
    """Chunks of a column beside the chunks of X."""
    if not is_dask(column):
        return _dealt(column, row_counts(X, blocks))
    if not is_frame(column):
        known = not is_frame(X) and not np.isnan(X.chunks[0] + column.chunks[0]).any()
        if known:
            refuse_other_length(X.shape[0], column.shape[0])
            column = column.rechunk((X.chunks[0],))
    parts = list(np.ravel(column.to_delayed()))
    if len(parts) != len(blocks):
        raise ValueError(
            "`X` and the columns beside it must be cut into the same chunks; got "
            f"{len(blocks)} chunks and {len(parts)}. Take both from one frame, or rechunk one."
        )
    return parts


def _dealt(column: Any, counts: list[int]) -> list[Any]:
    """Values that are here, dealt out to chunks of so many rows."""
    refuse_other_length(sum(counts), len(column))
    return [held(part) for part in np.split(np.asarray(column), np.cumsum(counts)[:-1])]


def _one_column(column: Any) -> Any:
    """A column of Dask, also where it comes as a table of one column."""
    if not is_dask(column) or column.ndim == 1:
        return column
    if column.shape[1] != 1:
        raise ValueError(
            "The columns beside `X` must be columns; got a table of "
            f"{column.shape[1]} columns. Take one of them."
        )
    return column[column.columns[0]] if is_frame(column) else column[:, 0]


def lazy_column(
    X: Any, of_block: Callable[[Any], Any], dtype: Any, n_columns: int | None = None
) -> Any:
    """A Dask array of what a function makes of every chunk; nothing is computed yet."""
    import dask.array

    da: Any = dask.array
    beside = () if n_columns is None else (n_columns,)
    meta = np.empty((0, *beside), dtype=dtype)
    if not is_frame(X):
        # Chunk by chunk, empty ones too, so that the column stays aligned with X.
        dropped = 1 if n_columns is None else None
        chunks = (X.chunks[0], *((width,) for width in beside))
        whole = X.rechunk({1: -1}) if len(X.chunks[1]) > 1 else X
        return whole.map_blocks(of_block, dtype=dtype, chunks=chunks, drop_axis=dropped, meta=meta)
    parts = for_every_chunk(of_block, matrix_chunks(X))
    arrays = [da.from_delayed(part, shape=(np.nan, *beside), meta=meta) for part in parts]
    return da.concatenate(arrays, axis=0, allow_unknown_chunksizes=True)


def matrix_of(block: Any, dtype: Any) -> Any:
    """A loaded chunk as a matrix of floating-point numbers: dense or CSR."""
    if is_sparse(block):
        return with_distinct_entries(block.tocsr().astype(dtype, copy=False))
    if hasattr(block, "to_numpy"):
        return block.to_numpy(dtype=dtype)
    return np.asarray(block, dtype=dtype)


def _n_rows(block: Any) -> int:
    return int(block.shape[0])
