"""The progress bar: what is done, and the time left, on standard error."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

_SECONDS_ON_SCREEN, _SECONDS_IN_A_LOG = 0.5, 30
# Of a step, whose numbers are shares.
_SHARE = "{desc}: {percentage:.0f}% [{elapsed}<{remaining}]"


class Progress(Protocol):
    """A function that is called with what is done and with all that there is to do."""

    def __call__(self, done: float, total: float = 1.0, /) -> None:
        """Show it."""


@contextmanager
def progress_bar(
    unit: str = "task", *, step: str | None = None, quiet: bool = False
) -> Iterator[Progress]:
    """Show what is done and the time left; without tqdm there is no bar.

    Yields a function `show(done, total)`. What was done before its first call does not count for
    the rate.

    Parameters
    ----------
    unit : str, default="task"
        What is counted.
    step : str, optional
        What is done, such as "Reading". Then shares of it are shown, not counts, and the bar goes
        when the step ends. A step that is over before a bar is due shows none.
    quiet : bool, default=False
        Whether to show nothing.
    """
    try:
        from tqdm import tqdm
    except ImportError:
        quiet = True
    if quiet:
        yield lambda done, total=1.0: None
        return
    seconds = _SECONDS_ON_SCREEN if sys.stderr.isatty() else _SECONDS_IN_A_LOG
    of_step: dict[str, Any] = {}
    if step is not None:
        of_step = {"desc": step, "bar_format": _SHARE, "leave": False, "delay": seconds}
    bars: list[tqdm] = []

    def show(done: float, total: float = 1.0) -> None:
        if not bars:
            bars.append(
                tqdm(
                    total=total,
                    initial=done,
                    unit=unit,
                    smoothing=0,
                    mininterval=seconds,
                    **of_step,
                )
            )
        bars[0].update(done - bars[0].n)

    try:
        yield show
    finally:
        for bar in bars:
            bar.close()
