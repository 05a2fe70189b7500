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
    some_rows,
    to_host,
    with_distinct_entries,
    zeros_beside,
)
from ._chunked import Chunked, is_chunked
from ._columns import as_type, every_row, plus, times, weighted_mean
from ._cut import BLOCK_BYTES, row_blocks, rows_in_a_block
from ._reduce import add, reduce_rows
from ._threads import one_blas_thread

__all__ = [
    "BLOCK_BYTES",
    "Array",
    "Chunked",
    "Matrix",
    "add",
    "as_type",
    "every_row",
    "in_double",
    "is_chunked",
    "is_sparse",
    "joined",
    "namespace_of",
    "on_device_of",
    "on_host",
    "one_blas_thread",
    "plus",
    "precision_of",
    "reduce_rows",
    "row_blocks",
    "rows_in_a_block",
    "some_rows",
    "times",
    "to_host",
    "weighted_mean",
    "with_distinct_entries",
    "zeros_beside",
]
