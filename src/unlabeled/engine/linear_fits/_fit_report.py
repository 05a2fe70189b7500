"""Telling the truth about a fit: rank, separation, convergence."""

from __future__ import annotations

from typing import Any, Protocol

from ...codes import warn
from ..rows import LabelledRows, quoted_column
from ._problem import NEAR, LinearFit
from ._separation import is_separated, separating_columns, step_log_likelihood


def report_fit(rows: LabelledRows, fit: LinearFit, names: Any = None, score: Any = None) -> bool:
    """Warn about what makes the optimum doubtful; return whether the fit converged to one.

    With a ridge the optimum exists and is unique, so only the solver's own
    stop can be at fault. `score` may hold the rows' scores, if they are known.
    """
    penalised = fit.problem.objective.ridge > 0
    if not penalised:
        report_design(rows, fit)
        if report_separation(rows, fit, names, score):
            return False
    if not fit.result.converged and not fit.result.interrupted:
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
            "rests on few rows and will hardly generalise. Use a finite `C`.",
        )


def report_separation(
    rows: LabelledRows, fit: LinearFit, names: Any = None, score: Any = None
) -> bool:
    """Warn where an unpenalised fit has no finite optimum, or seems to; return whether it is so.

    Separation by a column or by the fitted score is a proof; long Newton steps are a sign.
    """
    score = fit.predictor() if score is None else score
    intercept = fit.problem.objective.designs[0].intercept
    columns = separating_columns(rows.X, rows.s, intercept)
    if len(columns):
        listed = [quoted_column(names, column) for column in columns]
        shown = ", ".join(listed[:3]) + (", ..." if len(listed) > 3 else "")
        where = f"by column{'s' if len(listed) > 1 else ''} {shown}"
    elif is_separated(score, rows.s, intercept):
        where = "by the fitted score"
    elif fit.result.distance > NEAR:
        warn(
            "PU103",
            "labelled and unlabelled rows seem to be separated in part: Newton steps stay long, as "
            "where no finite unpenalised optimum exists, and some coefficients depend on `tol`. "
            "Use a finite `C`.",
        )
        return True
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


def report_step(rows: LabelledRows, t: Any, known: float | None, found: FoundPoint) -> bool:
    """Warn where the label likelihood is not best at the found point, or may not be.

    Stretched to infinity, the posterior is a step: 1 above the cut, 0 below.
    If that limit is at least as likely as the fit, the fit is no optimum that
    stands out. Newton steps that stay long are a sign of the same, no proof.
    """
    step = step_log_likelihood(t, rows.s, rows.weight, known)
    if -step <= found.value + 1e-9:
        seen = (
            "the fit is no more likely than its limit along the fitted direction, a posterior that "
            "is 0 or 1: no unpenalised optimum to rely on"
        )
    elif found.distance > NEAR:
        seen = (
            "Newton steps from the fit stay long, as where the likelihood grows for ever: there "
            "may be no finite unpenalised optimum"
        )
    else:
        return False
    warn("PU103", f"{seen}. Use a finite `C`.")
    return True
