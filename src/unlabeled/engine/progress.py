"""A progress bar with rate and time left, on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Progress = Callable[[int, int], None]

_SECONDS_ON_SCREEN, _SECONDS_IN_A_LOG = 0.5, 30


@contextmanager
def progress_bar(unit: str = "task") -> Iterator[Progress]:
    """Show tasks done, their rate and the time left.

    Yields a function `show(done, total)` of numbers of tasks. Tasks done before its first call do
    not count for the rate.
    """
    from tqdm import tqdm

    seconds = _SECONDS_ON_SCREEN if sys.stderr.isatty() else _SECONDS_IN_A_LOG
    bars: list[tqdm] = []

    def show(done: int, total: int) -> None:
        if not bars:
            bars.append(
                tqdm(total=total, initial=done, unit=unit, smoothing=0, mininterval=seconds)
            )
        bars[0].update(done - bars[0].n)

    try:
        yield show
    finally:
        for bar in bars:
            bar.close()
