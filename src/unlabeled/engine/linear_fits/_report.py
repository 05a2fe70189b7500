"""What a fit tells: its progress, and warnings about an optimum that cannot be trusted."""

from __future__ import annotations

import sys
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from ...codes import Message, warn
from ..arrays import Array
from ..objective import Objective, WhitenedObjective, Whitening
from ..rows import Rows, quoted_column
from ..solvers import Problem, SolverResult
from ._separation import is_separated, separating_columns, step_log_likelihood

if TYPE_CHECKING:
    from ._problem import LinearFit

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


# Warnings.

NEAR = 0.5
"""Near an optimum the next Newton step is no longer: in standard deviations of the score."""
_FINITE = "Use a finite `C`."


def report_fit(rows: Rows, fit: LinearFit, names: Any = None, score: Any = None) -> bool:
    """Warn about an optimum that cannot be trusted; return whether the fit converged.

    With a ridge the optimum is finite: only the solver can have stopped too early.
    `score` holds the scores of the rows if they are known.
    """
    has_ridge = bool(np.any(fit.problem.objective.ridge))
    if not has_ridge:
        report_design(rows, fit)
        if report_separation(rows, fit, names, score):
            return False
    report_early_stop(fit.result, has_ridge)
    return fit.result.converged


def report_early_stop(result: SolverResult, has_ridge: bool) -> None:
    """Warn that the solver did not converge."""
    if not result.converged:
        warn(
            "PU105",
            Message(
                f"the solver did not converge in {result.n_iter} iterations (gradient norm "
                f"{result.gradient_norm:.2g}; {result.message}).",
                python=f"Raise `max_iter`{'' if has_ridge else ', or use a finite `C`'}.",
            ),
        )


def report_design(rows: Rows, fit: LinearFit) -> None:
    """Warn about linear dependence, and about fewer labeled rows than parameters."""
    whitening = fit.problem.whitening
    n_features, n_parameters = len(whitening.center), fit.problem.n_parameters
    if whitening.rank not in (None, n_features):
        constant = len(whitening.constant)
        of_them = f", {constant} of them constant" if constant else ""
        warn(
            "PU104",
            Message(
                f"the {n_features} features are linearly dependent (rank {whitening.rank}"
                f"{of_them}), so coefficients are not unique; predictions are not affected.",
                python="Drop dependent columns, or use a finite `C`.",
            ),
        )
    positive = rows.n_labeled if rows.checked is None else int(np.sum(rows.known_positive))
    if positive < n_parameters:
        kind = "labeled" if rows.checked is None else "positive"
        warn(
            "PU102",
            Message(
                f"{positive} {kind} rows for {n_parameters} parameters: an unpenalized fit "
                "to so few rows will hardly generalize.",
                python=_FINITE,
            ),
        )


def report_separation(rows: Rows, fit: LinearFit, names: Any = None, score: Any = None) -> bool:
    """Warn if an unpenalized fit has no finite optimum, or seems to; return True if it warned.

    Separation by a column or by the fitted score is a proof; long Newton steps are a sign.
    """
    score = fit.predictor() if score is None else score
    intercept = fit.problem.objective.designs[0].intercept
    columns = separating_columns(rows.X, rows.s, intercept)
    if len(columns):
        listed = [quoted_column(names, column) for column in columns]
        shown = ", ".join(listed[:3]) + (", ..." if len(listed) > 3 else "")
        found = f"columns {shown} separate" if len(listed) > 1 else f"column {shown} separates"
    elif is_separated(score, rows.s, intercept):
        found = "the fitted score separates"
    elif fit.result.distance > NEAR:
        warn(
            "PU103",
            Message(
                "the features seem to separate labeled from unlabeled rows, at least in part. "
                "Without a penalty some coefficients then grow without limit.",
                python=_FINITE,
            ),
        )
        return True
    else:
        return False
    warn(
        "PU103",
        Message(
            f"{found} labeled from unlabeled rows. Without a penalty some coefficients then grow "
            "without limit.",
            python=_FINITE,
        ),
    )
    return True


def report_step(rows: Rows, t: Any, known: float | None, result: SolverResult) -> bool:
    """Warn if the label likelihood has, or may have, no finite optimum; return True if it warned.

    As the coefficients grow without bound, the posterior becomes a step function. If the step is
    at least as likely as the fit, the fit is not the optimum. Newton steps that stay long suggest
    the same, but do not prove it.
    """
    step = step_log_likelihood(t, rows.s, rows.weight, known)
    if rows.checked is not None and np.any((rows.checked == 1) != (t > 0), where=rows.checked >= 0):
        step = -np.inf  # the answers contradict it
    if -step <= result.value + 1e-9:
        found = (
            "probabilities of only 0 and 1 fit the labels at least as well as these coefficients, "
            "so the coefficients cannot be trusted"
        )
    elif result.distance > NEAR:
        found = (
            "the likelihood may keep growing as coefficients grow, so without a penalty there may "
            "be no best fit"
        )
    else:
        return False
    warn("PU103", Message(f"{found}.", python=_FINITE))
    return True
