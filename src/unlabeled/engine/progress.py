"""The progress bar, on standard error: what is done, and the time left; and a sign of life."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from threading import Event, RLock, Thread
from time import perf_counter
from typing import Any, Protocol, TextIO

_SECONDS_ON_SCREEN, _SECONDS_IN_A_LOG = 0.5, 30
# Of a step, whose numbers are shares.
_SHARE = "{desc}: {percentage:.0f}% [{elapsed}<{remaining}]"
# After so long without a word a command shows that it works, once per second.
_SECONDS_OF_SILENCE, _SECONDS_PER_SIGN = 3.0, 1.0

_bars: list[Any] = []
"""The progress bars on the screen."""


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
            _bars.append(bars[0])
        bars[0].update(done - bars[0].n)

    try:
        yield show
    finally:
        for bar in bars:
            _bars.remove(bar)
            bar.close()


@contextmanager
def sign_of_life(results: TextIO) -> Iterator[None]:
    """While a command is silent, show on a terminal that it works, and for how long.

    A bar is drawn again; without one, a line counts the seconds until the next word. It is due
    only once something was written to standard error, which `--quiet` prevents. A log gets none.

    Parameters
    ----------
    results : file
        Standard output, perhaps on the same terminal.
    """
    if not sys.stderr.isatty():
        yield
        return
    life, ended = SignOfLife(sys.stderr), Event()

    def live() -> None:
        while not ended.wait(_SECONDS_PER_SIGN):
            life.show()

    thread = Thread(target=live, name="sign of life", daemon=True)
    with ExitStack() as stack:
        stack.enter_context(redirect_stderr(_Watched(sys.stderr, life, begins=True)))
        if results.isatty():
            stack.enter_context(redirect_stdout(_Watched(results, life)))
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()
            life.hide()


class SignOfLife:
    """The line of a terminal that counts the seconds of a silent command.

    Parameters
    ----------
    terminal : file
        Where to write it.
    """

    def __init__(self, terminal: TextIO) -> None:
        self._terminal, self.lock = terminal, RLock()
        self._has_begun, self._in_a_line, self._shown = False, False, ""
        self._last_word = perf_counter()

    def show(self) -> None:
        """Write the line, or draw the bar again, if nothing was told for a while."""
        with self.lock:
            silent = perf_counter() - self._last_word
            if not self._has_begun or silent < _SECONDS_OF_SILENCE:
                return
            if not self._in_a_line:
                self._shown = f"  working, {silent:.0f} s"
                self._terminal.write(f"\r{self._shown}")
                self._terminal.flush()
                return
        for bar in tuple(_bars):  # without the lock: a bar takes its own before it writes
            bar.refresh()

    def hide(self) -> None:
        """Remove the line, before something else is told."""
        with self.lock:
            if self._shown:
                self._terminal.write(f"\r{' ' * len(self._shown)}\r")
                self._terminal.flush()
                self._shown = ""

    def told(self, text: str, begins: bool) -> None:
        """Take note of what was written."""
        if text:
            self._in_a_line = not text.endswith(("\n", "\r"))
            self._has_begun |= begins
            self._last_word = perf_counter()


class _Watched:
    """A stream of a terminal: the sign of life goes before something is written."""

    def __init__(self, stream: TextIO, life: SignOfLife, begins: bool = False) -> None:
        self._stream, self._life, self._begins = stream, life, begins

    def write(self, text: str) -> int:
        """Write, and take note of it."""
        with self._life.lock:
            self._life.hide()
            n_written = self._stream.write(text)
            self._life.told(text, self._begins)
        return n_written

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
