"""Rows, wherever they live: in memory, on disk, on a GPU or in chunks of Dask, as blocks."""

from ._arrays import (
    Array,
    Matrix,
    in_double,
    is_sparse,
    joined,
    namespace_of,
    on_device_of,
    on_host,
    precision_of,
    to_host,
    with_distinct_entries,
    zeros_beside,
)
from ._chunked import ChunkedTable, is_chunked
from ._columns import as_type, every_row, plus, times, weighted_mean
from ._compute import Chunks
from ._cut import consecutive_slices, rows_in_a_block, rows_in_a_dense_block
from ._dask import aligned_chunks, is_dask, is_frame, lazy_column, matrix_of
from ._finite import BadCells, all_bad_cells, find_bad_cells, refuse_bad_cells, refuse_large_squares
from ._lengths import refuse_other_length
from ._pool import MomentSums, pooled
from ._reduce import reduce_rows
from ._threads import one_blas_thread

__all__ = [
    "Array",
    "BadCells",
    "ChunkedTable",
    "Chunks",
    "Matrix",
    "MomentSums",
    "aligned_chunks",
    "all_bad_cells",
    "as_type",
    "consecutive_slices",
    "every_row",
    "find_bad_cells",
    "in_double",
    "is_chunked",
    "is_dask",
    "is_frame",
    "is_sparse",
    "joined",
    "lazy_column",
    "matrix_of",
    "namespace_of",
    "on_device_of",
    "on_host",
    "one_blas_thread",
    "plus",
    "pooled",
    "precision_of",
    "reduce_rows",
    "refuse_bad_cells",
    "refuse_large_squares",
    "refuse_other_length",
    "rows_in_a_block",
    "rows_in_a_dense_block",
    "times",
    "to_host",
    "weighted_mean",
    "with_distinct_entries",
    "zeros_beside",
]
