"""Blocks on several threads: NumPy releases Python's lock, and BLAS gets one thread per block."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from itertools import pairwise
from threading import Lock
from typing import Any

from threadpoolctl import ThreadpoolController

# With fewer numbers per thread, threads cost more than they save.
_FEWEST_NUMBERS = 5_000_000


def n_threads(n_numbers: int) -> int:
    """Return the number of threads for a table of this size, at most the BLAS limit."""
    libraries = _controller().lib_controllers
    allowed = [library.num_threads for library in libraries if library.user_api == "blas"]
    return max(1, min(min(allowed, default=1), n_numbers // _FEWEST_NUMBERS))


def on_threads(work: Callable[[slice], Any], n_rows: int, step: int, threads: int) -> list[Any]:
    """Do the work on consecutive shares of the rows, one per thread.

    Each share is a multiple of `step` rows; the last may be shorter.
    """
    steps = -(-n_rows // step)
    ends = [min(n_rows, step * (steps * k // threads)) for k in range(threads + 1)]
    shares = [slice(a, b) for a, b in pairwise(ends)]
    with one_blas_thread(), ThreadPoolExecutor(threads) as pool:
        return list(pool.map(work, shares))


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Limit BLAS to one thread, for small problems and inside our own threads.

    The limit is global to the process. If fits overlap, the first to begin sets it and the last
    to end restores the old one.
    """
    _LIMIT.enter()
    try:
        yield
    finally:
        _LIMIT.leave()


class _Limit:
    """Counts the users of the limit."""

    def __init__(self) -> None:
        self._lock, self._inside = Lock(), 0
        self._held: Any = None

    def enter(self) -> None:
        with self._lock:
            if self._inside == 0:
                self._held = _controller().limit(limits=1, user_api="blas")
            self._inside += 1

    def leave(self) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0 and self._held is not None:
                self._held.restore_original_limits()
                self._held = None


_LIMIT = _Limit()


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()
