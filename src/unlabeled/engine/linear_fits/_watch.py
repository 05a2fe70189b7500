"""A watched fit: it prints its progress."""

from __future__ import annotations

import sys
from time import perf_counter

import numpy as np

from ..arrays import Array
from ..objective import Objective, WhitenedObjective, Whitening
from ..solvers import Problem, SolverResult

# With verbose=1 a line is printed when the last one is this many seconds old.
_SECONDS_PER_LINE = 1.0


class Watch:
    """Reports the progress of one fit.

    Parameters
    ----------
    who : str
        What is being fitted, the first word of every line.
    verbose : int
        0 prints nothing, 1 one line per second and one at the end, 2 one per evaluation.
    """

    def __init__(self, who: str, verbose: int) -> None:
        self.who, self.verbose = who, verbose
        self.n_evaluations = 0
        self._started = self._last_line = perf_counter()

    def stage(self, name: str) -> Stage | None:
        """Begin the evaluations of one objective; return None if `verbose` is 0."""
        return Stage(self, name) if self.verbose > 0 else None

    def announce(self, what: str) -> None:
        """Print what begins."""
        if self.verbose > 0:
            self._print(what)

    def evaluated(self, what: str, value: float, gradient_norm: float) -> None:
        """Count an evaluation, and print it if a line is due."""
        self.n_evaluations += 1
        if self.verbose > 1 or perf_counter() - self._last_line >= _SECONDS_PER_LINE:
            numbers = self._numbers(value, gradient_norm)
            self._print(f"{what}, evaluation {self.n_evaluations}, {numbers}")

    def finished(self, what: str, end: SolverResult | None) -> None:
        """Print where the fit ended."""
        if self.verbose > 0 and end is not None:
            numbers = self._numbers(end.value, end.gradient_norm)
            self._print(f"{what} done after {self.n_evaluations} evaluations, {numbers}")

    def _numbers(self, value: float, gradient_norm: float) -> str:
        seconds = perf_counter() - self._started
        return f"mean loss {value:.7g}, gradient norm {gradient_norm:.2g}, {seconds:.1f} s"

    def _print(self, what: str) -> None:
        self._last_line = perf_counter()
        sys.stdout.write(f"{self.who}: {what}\n")
        sys.stdout.flush()


NOBODY = Watch("", 0)
"""Prints nothing."""


class Stage:
    """The evaluations of one objective."""

    def __init__(self, watch: Watch, name: str) -> None:
        self.watch, self.name = watch, name


class WatchedObjective(WhitenedObjective):
    """An objective whose evaluations a stage prints, on all rows or on a part of them."""

    def __init__(
        self, objective: Objective, whitening: Whitening, stage: Stage, of_part: bool = False
    ) -> None:
        super().__init__(objective, whitening)
        self.stage, self.of_part = stage, of_part

    def subsample(self, stride: int) -> WatchedObjective:
        """Return the problem on one row from each run of `stride` rows, named as a part."""
        part = self.objective.subsample(stride)
        return WatchedObjective(part, self.whitening, self.stage, of_part=True)

    def value_gradient(self, z: Array) -> tuple[float, Array]:
        """Value and gradient in z."""
        value, gradient = super().value_gradient(z)
        self._report(value, gradient)
        return value, gradient

    def value_gradient_hessian(self, z: Array) -> tuple[float, Array, Array]:
        """Value, gradient and Hessian in z."""
        value, gradient, hessian = super().value_gradient_hessian(z)
        self._report(value, gradient)
        return value, gradient, hessian

    def _report(self, value: float, gradient: Array) -> None:
        rows = " on a part of the rows" if self.of_part else ""
        norm = float(np.linalg.norm(gradient))
        self.stage.watch.evaluated(self.stage.name + rows, value, norm)


def watched_as_given(objective: Objective, stage: Stage | None) -> Problem:
    """Return the objective in its own parameters, watched if there is a stage."""
    if stage is None:
        return objective
    return WatchedObjective(objective, Whitening.none(objective.X.shape[1]), stage)
