"""Telling the truth about a fit: rank, separation, convergence."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from scipy import sparse

from ..codes import warn
from ..labels import LabelledRows
from ..objective._column_range import column_range
from ._arrive import NEAR
from ._linear_fit import LinearFit

_FIRST_LOOK = 1000


def report_fit(rows: LabelledRows, fit: LinearFit, names: Any = None) -> bool:
    """Warn about what makes the optimum doubtful; return whether the fit converged to one.

    With a ridge the optimum exists and is unique, so only the solver's own
    stop can be at fault.
    """
    penalised = fit.problem.objective.ridge > 0
    if not penalised:
        report_design(rows, fit)
        if report_separation(rows, fit, names):
            return False
    if not fit.result.converged:
        warn(
            "PU105",
            f"the solver stopped after {fit.result.n_iter} iterations with gradient norm "
            f"{fit.result.gradient_norm:.2g} ({fit.result.message}). "
            "Raise `max_iter`, or use a finite `C`.",
        )
    return fit.result.converged


def report_design(rows: LabelledRows, fit: LinearFit) -> None:
    """Warn about linear dependence, and about fewer labelled rows than parameters."""
    _report_rank(fit)
    _report_few_labels(rows, fit)


def _report_rank(fit: LinearFit) -> None:
    whitening = fit.problem.whitening
    n_features = len(whitening.center)
    if whitening.rank is None or whitening.rank == n_features:
        return
    warn(
        "PU104",
        f"the {n_features} features span {whitening.rank} dimensions "
        f"({len(whitening.constant)} columns are constant); coefficients are not unique, "
        "predictions are. Drop dependent columns, or use a finite `C`.",
    )


def _report_few_labels(rows: LabelledRows, fit: LinearFit) -> None:
    n_parameters = fit.problem.n_parameters
    if rows.n_labelled < n_parameters:
        warn(
            "PU102",
            f"{rows.n_labelled} labelled rows for {n_parameters} parameters: an unpenalised fit "
            "memorises them. Use a finite `C`.",
        )


def report_separation(rows: LabelledRows, fit: LinearFit, names: Any = None) -> bool:
    """Warn where an unpenalised fit has no finite optimum; return whether that is so."""
    intercept = fit.problem.objective.designs[0].intercept
    columns = separating_columns(rows.X, rows.s, intercept)
    if len(columns):
        listed = [str(column) if names is None else repr(str(names[column])) for column in columns]
        shown = ", ".join(listed[:3]) + (", ..." if len(listed) > 3 else "")
        where = f"by column{'s' if len(listed) > 1 else ''} {shown}"
    elif is_separated(fit.predictor(), rows.s, intercept):
        where = "by the fitted score"
    elif fit.result.distance > NEAR:
        where = "in part, along the fitted direction"
    else:
        return False
    warn(
        "PU103",
        f"labelled and unlabelled rows are separated {where}: no finite unpenalised optimum "
        "exists, and some coefficients depend on `tol`. Use a finite `C`.",
    )
    return True


class FoundPoint(Protocol):
    """Where a fit of the label likelihood stopped."""

    @property
    def value(self) -> float:
        """Minus the mean log-likelihood."""
        ...

    @property
    def distance(self) -> float:
        """Length of the Newton step left to go."""
        ...


def report_step(rows: LabelledRows, t: np.ndarray, known: float | None, found: FoundPoint) -> bool:
    """Warn where the label likelihood grows for ever along the fitted direction.

    Stretched to infinity, the posterior is a step: 1 above the cut, 0 below.
    If that limit is at least as likely as the fit, no finite optimum was
    found; nor if Newton steps stay long.
    """
    step = step_log_likelihood(t, rows.s, rows.weight, known)
    if -step > found.value + 1e-9 and found.distance <= NEAR:
        return False
    warn(
        "PU103",
        "the likelihood grows for ever along the fitted direction, towards a posterior that is 0 "
        "or 1: no finite unpenalised optimum exists. Use a finite `C`.",
    )
    return True


def step_log_likelihood(
    t: np.ndarray, s: np.ndarray, weight: np.ndarray | None, known: float | None = None
) -> float:
    """Mean log-likelihood of the labels when the posterior is 1 for t > 0 and 0 otherwise."""
    if t[s == 1].min() <= 0:
        return -np.inf
    labelled = float(np.average(s, weights=weight))
    predicted = float(np.average(t > 0, weights=weight))
    c = labelled / predicted if known is None else known
    missed = predicted - labelled
    return labelled * np.log(c) + (missed * np.log1p(-c) if missed > 0 else 0.0)


def is_separated(score: np.ndarray, s: np.ndarray, intercept: bool = True) -> bool:
    """Whether every labelled row scores above every unlabelled one, at 0 without intercept."""
    low, high = score[s == 1].min(), score[s == 0].max()
    return bool(low > high if intercept else low > 0 > high)


def separating_columns(X: Any, s: np.ndarray, intercept: bool = True) -> np.ndarray:
    """Columns on which labelled rows lie on one side of all unlabelled ones, touching allowed.

    Such a column, for instance a dummy no labelled row has, sends its
    coefficient to infinity. Without intercept the two must meet at 0. Most
    columns are cleared by a few rows.
    """
    if bool(sparse.issparse(X)):
        return _separating_sparse_columns(X, s, intercept)
    labelled, unlabelled = np.flatnonzero(s == 1), np.flatnonzero(s == 0)
    low, high = column_range(X[labelled])
    alive = np.arange(X.shape[1])
    for rows in (unlabelled[:_FIRST_LOOK], unlabelled):
        below, above = column_range(X[:, alive][rows] if rows is unlabelled else X[rows][:, alive])
        one_side = _on_one_side(low[alive], high[alive], below, above, intercept)
        varies = (above > below) | (above != low[alive]) | (low[alive] != high[alive])
        alive = alive[one_side & (varies if rows is unlabelled else True)]
        if len(alive) == 0:
            break
    return alive


def _separating_sparse_columns(X: Any, s: np.ndarray, intercept: bool) -> np.ndarray:
    """Look at every stored value once: to take rows or columns out costs more."""
    (low, high), (below, above) = column_range(X, s == 1), column_range(X, s == 0)
    varies = (above > below) | (above != low) | (low != high)
    return np.flatnonzero(varies & _on_one_side(low, high, below, above, intercept))


def _on_one_side(
    low: np.ndarray, high: np.ndarray, below: np.ndarray, above: np.ndarray, intercept: bool
) -> np.ndarray:
    """Whether labelled values, in [low, high], are on one side of [below, above]."""
    if intercept:
        return (above <= low) | (below >= high)
    return ((above <= 0) & (low >= 0)) | ((below >= 0) & (high <= 0))
