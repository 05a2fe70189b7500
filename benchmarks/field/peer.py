"""The adapter: other packages' classifiers behind `fit(X, s)` and `predict(X)`, with limits."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import numpy as np

MOST_SECONDS = 120
"""A fit is stopped after this many seconds; on the sizes allowed none should need them."""

Fit = Callable[[np.ndarray, np.ndarray, int, float | None], Any]
"""Takes rows, labels (0 and 1), a seed and the prior or None; returns a fitted model."""


class SizeLimitError(ValueError):
    """More training rows than the limit of the method."""


class TimeLimitError(RuntimeError):
    """A fit that was stopped."""


class Peer:
    """A classifier of another package.

    Parameters
    ----------
    fit : callable
        Makes and fits the other package's model; see `Fit`.
    seed : int
        Seed of its randomness.
    max_rows : int or None
        Training rows above which it is not fitted, because it would take too long. The record
        keeps the error.

    Attributes
    ----------
    model_ : object
        The other package's fitted model.
    """

    def __init__(self, fit: Fit, seed: int, max_rows: int | None = None) -> None:
        self._fit, self.seed, self.max_rows = fit, seed, max_rows

    def fit(self, X: np.ndarray, s: np.ndarray, class_prior: float | None = None) -> Peer:
        """Fit the model to rows `X` and labels `s`; `class_prior` only if it is handed over."""
        if self.max_rows is not None and len(s) > self.max_rows:
            raise SizeLimitError(
                f"not fitted: more than {self.max_rows} training rows would take too long here."
            )
        with _stopped_after(MOST_SECONDS):
            self.model_ = self._fit(
                np.asarray(X), np.asarray(s).astype(int), self.seed, class_prior
            )
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return 1 for rows predicted positive, else 0, whatever values the package uses."""
        return (np.asarray(self.model_.predict(X)).ravel() == 1).astype(int)


@contextmanager
def _stopped_after(seconds: int) -> Iterator[None]:
    """Raise in the fit when its time is up, if the system and the thread have alarms."""
    if not hasattr(signal, "SIGALRM") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: object) -> NoReturn:
        raise TimeLimitError(f"not finished: the fit was stopped after {seconds} s.")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
