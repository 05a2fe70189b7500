"""A progress bar with rate and time left, on standard error."""

from __future__ import annotations

import sys
import threading
import time
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


Share = Callable[[float], None]


@contextmanager
def progress_of(step: str, quiet: bool = False) -> Iterator[Share]:
    """Show which share of a step is done, and about how long the rest will take.

    Yields a function of that share. On a terminal one line is written again and again; elsewhere a
    new line comes every half minute. A step that does not tell its share shows how long it has
    taken.

    Parameters
    ----------
    step : str
        What is done, such as "Reading".
    quiet : bool
        Whether to show nothing.
    """
    if quiet:
        yield lambda share: None
        return
    shown = _Shown(step, sys.stderr.isatty())
    thread = threading.Thread(target=shown.watch, daemon=True)
    thread.start()
    try:
        yield shown.set
    finally:
        shown.over.set()
        thread.join()
        shown.end()


class _Shown:
    """The line of a step."""

    def __init__(self, step: str, on_screen: bool) -> None:
        self.step, self.on_screen = step, on_screen
        self.over = threading.Event()
        self._start, self._share, self._width = time.monotonic(), 0.0, 0

    def set(self, share: float) -> None:
        """Remember which share is done."""
        self._share = share

    def watch(self) -> None:
        """Write a line now and then."""
        seconds = _SECONDS_ON_SCREEN if self.on_screen else _SECONDS_IN_A_LOG
        while not self.over.wait(seconds):
            self._write(self.sentence(time.monotonic() - self._start))

    def sentence(self, seconds: float) -> str:
        """Return the line after some seconds."""
        if not 0 < self._share <= 1:
            return f"{self.step}: {in_words(seconds)} so far"
        left = seconds * (1 - self._share) / self._share
        return f"{self.step}: {self._share:.0%}, about {in_words(left)} left"

    def _write(self, text: str) -> None:
        if self.on_screen:
            sys.stderr.write("\r" + text.ljust(self._width))
            self._width = len(text)
        else:
            sys.stderr.write(text + "\n")
        sys.stderr.flush()

    def end(self) -> None:
        """Wipe the line of a terminal."""
        if self.on_screen and self._width:
            sys.stderr.write("\r" + " " * self._width + "\r")
            sys.stderr.flush()


def in_words(seconds: float) -> str:
    """Write a duration with one unit.

    Examples
    --------
    >>> in_words(7.4), in_words(200), in_words(7300)
    ('7 s', '3 min', '2.0 h')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
