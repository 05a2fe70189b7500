"""A fit that somebody watches: what it tells while it runs, and the best point it has seen."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Protocol, TypeVar

import numpy as np

from ...codes import warn
from ..objective import Objective, WhitenedObjective, Whitening
from ..rows import Array
from ..solvers import Problem, SolverResult

# With verbose=1 a line is written when the last one is this many seconds old.
_SECONDS_A_LINE = 1.0

Fit = TypeVar("Fit")


class EndPoint(Protocol):
    """Where a fit ended."""

    @property
    def value(self) -> float:
        """The mean loss, with its penalty."""
        ...

    @property
    def gradient_norm(self) -> float:
        """In the coordinates of the tolerance."""
        ...


class Watch:
    """One fit, as somebody watches it.

    Parameters
    ----------
    who : str
        What is being fitted, the first word of every line.
    verbose : int
        0 is silent, 1 writes a line a second and one at the end, 2 one for every evaluation.
    keeps : bool
        Whether Ctrl-C keeps the best point of the fit instead of raising; it does so once.
    """

    def __init__(self, who: str, verbose: int, keeps: bool) -> None:
        self.who, self.verbose, self.keeps = who, verbose, keeps
        self.interrupted = False
        self.n_evaluations = 0
        self._started = self._told = perf_counter()

    def stage(self, name: str) -> Stage | None:
        """Begin something whose values compare with one another; None where nobody watches."""
        return Stage(self, name) if self.verbose > 0 else None

    def announce(self, what: str) -> None:
        """Say what begins."""
        if self.verbose > 0:
            self._tell(what)

    def evaluated(self, what: str, value: float, gradient_norm: float) -> None:
        """Count an evaluation, and tell of it if it is time to."""
        self.n_evaluations += 1
        if self.verbose > 1 or perf_counter() - self._told >= _SECONDS_A_LINE:
            numbers = self._numbers(value, gradient_norm)
            self._tell(f"{what}, evaluation {self.n_evaluations}, {numbers}")

    def finished(self, what: str, end: EndPoint | None) -> None:
        """Tell where the fit ended, unless it was interrupted."""
        if self.verbose > 0 and end is not None and not self.interrupted:
            numbers = self._numbers(end.value, end.gradient_norm)
            self._tell(f"{what} done after {self.n_evaluations} evaluations, {numbers}")

    def interrupt(self, gradient_norm: float, kept: str = "the best point so far") -> None:
        """Say that the fit ends here; the next Ctrl-C raises."""
        self.keeps, self.interrupted = False, True
        warn(
            "PU117",
            f"the fit was interrupted after {self.n_evaluations} evaluations; {kept} was kept, "
            f"where the gradient norm is {gradient_norm:.2g}. Fit again for an optimum.",
        )

    def _numbers(self, value: float, gradient_norm: float) -> str:
        seconds = perf_counter() - self._started
        return f"mean loss {value:.7g}, gradient norm {gradient_norm:.2g}, {seconds:.1f} s"

    def _tell(self, what: str) -> None:
        self._told = perf_counter()
        sys.stdout.write(f"{self.who}: {what}\n")
        sys.stdout.flush()


NOBODY = Watch("", 0, keeps=False)
"""Watches nothing."""


@dataclass(frozen=True)
class SeenPoint:
    """A point of the objective of all rows, and after how many evaluations it was kept."""

    problem: WhitenedObjective
    z: Array
    value: float
    gradient_norm: float
    n_evaluations: int = 0

    @property
    def theta(self) -> Array:
        """The parameters on the scale of X."""
        return self.problem.theta(self.z)

    def result(self) -> SolverResult:
        """Describe the point as where a solver was stopped; iterations are then evaluations."""
        return SolverResult(
            self.z,
            self.value,
            self.gradient_norm,
            self.n_evaluations,
            converged=False,
            message="interrupted",
            interrupted=True,
        )


class Stage:
    """Evaluations of one function on given rows, the best of which may become the fit."""

    def __init__(self, watch: Watch, name: str) -> None:
        self.watch, self.name = watch, name
        self.best: SeenPoint | None = None
        # A part of the rows has other values: its best point counts where there is no other.
        self.best_of_part: SeenPoint | None = None

    def other(self, name: str) -> Stage:
        """Begin another stage of the same fit."""
        return Stage(self.watch, name)

    def saw(self, problem: WatchedObjective, z: Array, value: float, gradient: Array) -> None:
        """Remember the point if it is the best, and tell of it."""
        norm = float(np.linalg.norm(gradient))
        whole = problem.whole
        best = self.best if whole is problem else self.best_of_part
        if np.isfinite(value) and (best is None or value < best.value):
            # A solver may use the memory of z again.
            seen = SeenPoint(whole, np.array(z), value, norm)
            if whole is problem:
                self.best = seen
            else:
                self.best_of_part = seen
        rows = "" if whole is problem else " on a part of the rows"
        self.watch.evaluated(self.name + rows, value, norm)

    def can_keep(self) -> bool:
        """Whether Ctrl-C leaves a point that can be used."""
        return self.watch.keeps and (self.best is not None or self.best_of_part is not None)

    def keep(self) -> SeenPoint:
        """End the fit at the best point; of points known on a part of the rows only, at its best.

        That one is then evaluated on all rows, which can be interrupted.
        """
        self.watch.keeps = False
        if self.best is None:
            assert self.best_of_part is not None
            self.best_of_part.problem.value_gradient(self.best_of_part.z)
        if self.best is None:
            raise KeyboardInterrupt
        self.watch.interrupt(self.best.gradient_norm)
        return replace(self.best, n_evaluations=self.watch.n_evaluations)


class WatchedObjective(WhitenedObjective):
    """An objective whose evaluations a stage sees; `whole` is the one of all rows."""

    def __init__(
        self, problem: WhitenedObjective, stage: Stage, whole: WatchedObjective | None = None
    ) -> None:
        super().__init__(problem.objective, problem.whitening)
        self.stage = stage
        self.whole = self if whole is None else whole

    def every(self, stride: int) -> WatchedObjective:
        """Return the same problem on one row of every `stride`, watched as a part."""
        return WatchedObjective(super().every(stride), self.stage, self.whole)

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
    """Let `stage`, if there is one, see an objective whose coordinates are its parameters."""
    if stage is None:
        return objective
    as_given = WhitenedObjective(objective, Whitening.none(objective.X.shape[1]))
    return WatchedObjective(as_given, stage)


def fit_or_keep(
    stage: Stage | None, fit: Callable[[], Fit], kept: Callable[[SeenPoint], Fit]
) -> Fit:
    """Run `fit`; where Ctrl-C ends it and `stage` may keep a point, make it of the best one."""
    try:
        return fit()
    except KeyboardInterrupt:
        if stage is None or not stage.can_keep():
            raise
    return kept(stage.keep())
