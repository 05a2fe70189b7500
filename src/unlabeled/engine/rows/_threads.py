"""Blocks on several threads: NumPy lets go of Python's lock, BLAS then needs one thread each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from itertools import pairwise
from threading import Lock
from typing import Any

from threadpoolctl import ThreadpoolController

# Below so many numbers a thread, threads cost more than they save.
_FEWEST_NUMBERS = 5_000_000


def n_threads(n_numbers: int) -> int:
    """How many threads such a table is worth, of those that BLAS may use here."""
    libraries = _controller().lib_controllers
    allowed = [library.num_threads for library in libraries if library.user_api == "blas"]
    return max(1, min(min(allowed, default=1), n_numbers // _FEWEST_NUMBERS))


def on_threads(work: Callable[[slice], Any], n_rows: int, step: int, threads: int) -> list[Any]:
    """Do the work on consecutive shares of the rows, whole steps each, one a thread."""
    steps = -(-n_rows // step)
    ends = [min(n_rows, step * (steps * k // threads)) for k in range(threads + 1)]
    shares = [slice(a, b) for a, b in pairwise(ends)]
    with one_blas_thread(), ThreadPoolExecutor(threads) as pool:
        return list(pool.map(work, shares))


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Let BLAS use one thread: for what is small, or is itself on a thread of several.

    The number is one of the whole process: of fits that overlap the first to begin
    lowers it and the last to end puts it back.
    """
    _LIMIT.enter()
    try:
        yield
    finally:
        _LIMIT.leave()


class _Limit:
    """Counts who needs the limit."""

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
