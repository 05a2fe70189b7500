"""A watched fit: it prints its progress, and records its best point for Ctrl-C."""

from __future__ import annotations

import sys
from dataclasses import replace
from time import perf_counter

import numpy as np

from ...codes import warn
from ..objective import Objective, WhitenedObjective, Whitening
from ..rows import Array
from ..solvers import Problem, SolverResult
from ._fit import LinearFit

# With verbose=1 a line is printed when the last one is this many seconds old.
_SECONDS_PER_LINE = 1.0


class Watch:
    """Reports the progress of one fit, and knows whether Ctrl-C may return its best point.

    Parameters
    ----------
    who : str
        What is being fitted, the first word of every line.
    verbose : int
        0 prints nothing, 1 one line per second and one at the end, 2 one per evaluation.
    keeps : bool
        Whether the first Ctrl-C keeps the best point of the fit; the next one raises.
    """

    def __init__(self, who: str, verbose: int, keeps: bool) -> None:
        self.who, self.verbose, self.keeps = who, verbose, keeps
        self.interrupted = False
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
        """Print where the fit ended, unless it was interrupted."""
        if self.verbose > 0 and end is not None and not self.interrupted:
            numbers = self._numbers(end.value, end.gradient_norm)
            self._print(f"{what} done after {self.n_evaluations} evaluations, {numbers}")

    def interrupt(
        self, gradient_norm: float, kept: str = "the best coefficients so far were"
    ) -> None:
        """Warn that Ctrl-C ended the fit; the next Ctrl-C raises."""
        self.keeps, self.interrupted = False, True
        warn(
            "PU117",
            f"the fit was interrupted after {self.n_evaluations} evaluations; {kept} kept "
            f"(gradient norm {gradient_norm:.2g}). Fit again to let it converge.",
        )

    def _numbers(self, value: float, gradient_norm: float) -> str:
        seconds = perf_counter() - self._started
        return f"mean loss {value:.7g}, gradient norm {gradient_norm:.2g}, {seconds:.1f} s"

    def _print(self, what: str) -> None:
        self._last_line = perf_counter()
        sys.stdout.write(f"{self.who}: {what}\n")
        sys.stdout.flush()


NOBODY = Watch("", 0, keeps=False)
"""Prints and keeps nothing."""


class Stage:
    """The evaluations of one objective; Ctrl-C returns the best of them."""

    def __init__(self, watch: Watch, name: str) -> None:
        self.watch, self.name = watch, name
        self.best: LinearFit | None = None
        # Values on a subset of the rows are not comparable. Such a point is used only if there is
        # no other.
        self.best_of_part: LinearFit | None = None

    def saw(self, problem: WatchedObjective, z: Array, value: float, gradient: Array) -> None:
        """Remember the point if it is the best, and print it if a line is due."""
        norm = float(np.linalg.norm(gradient))
        whole = problem.whole
        best = self.best if whole is problem else self.best_of_part
        if np.isfinite(value) and (best is None or value < best.result.value):
            # Copy z: a solver may overwrite it.
            stopped = SolverResult(
                np.array(z),
                value,
                norm,
                0,
                converged=False,
                message="interrupted",
                interrupted=True,
            )
            if whole is problem:
                self.best = LinearFit(whole, stopped)
            else:
                self.best_of_part = LinearFit(whole, stopped)
        rows = "" if whole is problem else " on a part of the rows"
        self.watch.evaluated(self.name + rows, value, norm)


def fit_to_keep(stage: Stage | None) -> LinearFit:
    """Return the best fit that a stage recorded, for Ctrl-C; raise again if there is none to keep.

    Call it while a KeyboardInterrupt is handled. A point known only on a subset of the rows is
    evaluated on all of them first, which can be interrupted too. `n_iter` counts evaluations.
    """
    if stage is None or not stage.watch.keeps or (stage.best or stage.best_of_part) is None:
        raise
    stage.watch.keeps = False
    if stage.best is None and stage.best_of_part is not None:
        stage.best_of_part.problem.value_gradient(stage.best_of_part.result.z)
    if stage.best is None:
        raise KeyboardInterrupt
    stage.watch.interrupt(stage.best.result.gradient_norm)
    result = replace(stage.best.result, n_iter=stage.watch.n_evaluations)
    return replace(stage.best, result=result)


class WatchedObjective(WhitenedObjective):
    """An objective whose evaluations a stage records; `whole` is the objective on all rows."""

    def __init__(
        self,
        objective: Objective,
        whitening: Whitening,
        stage: Stage,
        whole: WatchedObjective | None = None,
    ) -> None:
        super().__init__(objective, whitening)
        self.stage = stage
        self.whole = self if whole is None else whole

    def every(self, stride: int) -> WatchedObjective:
        """Return the problem on one row from each run of `stride` rows, recorded as a subset."""
        return WatchedObjective(
            self.objective.every(stride), self.whitening, self.stage, self.whole
        )

    def value_gradient(self, z: Array) -> tuple[float, Array]:
        """Value and gradient in z."""
        value, gradient = super().value_gradient(z)
        self.stage.saw(self, z, value, gradient)
        return value, gradient

    def value_gradient_hessian(self, z: Array) -> tuple[float, Array, Array]:
        """Value, gradient and Hessian in z."""
        value, gradient, hessian = super().value_gradient_hessian(z)
        self.stage.saw(self, z, value, gradient)
        return value, gradient, hessian


def watched_as_given(objective: Objective, stage: Stage | None) -> Problem:
    """Return the objective in its own parameters, watched if there is a stage."""
    if stage is None:
        return objective
    return WatchedObjective(objective, Whitening.none(objective.X.shape[1]), stage)
