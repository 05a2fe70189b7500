"""As many threads for linear algebra as a table is worth."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

# With fewer numbers than this, threads that wait for each other cost more than they bring.
_WORTH_THREADS = 10_000_000
_SET_BY_THE_USER = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@contextmanager
def threads_for(n_rows: int, n_columns: int) -> Iterator[None]:
    """One thread for small tables, unless the environment says how many; for large ones all."""
    asked = any(name in os.environ for name in _SET_BY_THE_USER)
    if asked or n_rows * n_columns >= _WORTH_THREADS:
        yield
        return
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        yield
