"""A fitted linear model, and warnings about an optimum that cannot be trusted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...codes import Message, warn
from ..arrays import Array
from ..losses import LogisticLoss
from ..objective import Objective, WhitenedObjective, Whitening, feature_design, linear_score
from ..rows import Rows, plus, quoted_column, times, weighted_mean
from ..solvers import SolverResult
from ._separation import is_separated, separating_columns, step_log_likelihood

# Near an optimum the next Newton step is at most this long, in standard deviations of the score.
NEAR = 0.5
_FINITE = "Use a finite `C`."


@dataclass(frozen=True)
class LinearFit:
    """The objective of a linear model, and where a solver stopped on it."""

    problem: WhitenedObjective
    result: SolverResult

    @classmethod
    def at(
        cls, theta: Array, X: Any, s: Array, weight: Array | None, C: float, fit_intercept: bool
    ) -> LinearFit:
        """Return a logistic fit from its parameters `theta`, which another library found."""
        weight, total = mean_one(weight, X.shape[0])
        designs = (feature_design(fit_intercept),)
        objective = Objective(LogisticLoss(), designs, X, s, weight, ridge_strength(C, total))
        problem = WhitenedObjective(objective, Whitening.none(X.shape[1]))
        return cls(problem, SolverResult(theta, 0.0, 0.0, 0, True, "fitted elsewhere"))

    @property
    def theta(self) -> Array:
        """All parameters on the scale of X."""
        return self.problem.theta(self.result.z)

    @property
    def coef(self) -> Array:
        """Coefficients of the features in the first predictor."""
        return self.theta[: self.problem.objective.X.shape[1]]

    @property
    def intercept(self) -> float:
        """Intercept of the first predictor, 0 if it has none."""
        objective = self.problem.objective
        if not objective.designs[0].intercept:
            return 0.0
        return float(self.theta[objective.parts[0].stop - 1])

    def predictor(self) -> Array:
        """First linear predictor of every row."""
        return plus(linear_score(self.problem.objective.X, self.coef), self.intercept)


def mean_one(weight: Any, n_rows: int) -> tuple[Any, float]:
    """Return the weights divided by their mean, and their sum; without weights None and n_rows."""
    if weight is None:
        return None, float(n_rows)
    mean = weighted_mean(weight)
    return times(weight, 1 / mean), mean * n_rows


def ridge_strength(C: float, total_weight: float, scale: Array | None = None) -> Any:
    """Penalty on the scale of the mean loss for scikit-learn's `C`.

    With a `scale`, one penalty per coefficient, as for features divided by it, and 0 for the
    intercept.
    """
    strength = 0.0 if np.isinf(C) else 1.0 / (C * total_weight)
    return strength if scale is None else strength * np.append(scale**2, 0.0)


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
    """Warn about linear dependence, and about fewer labelled rows than parameters."""
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
    positive = rows.n_labelled if rows.checked is None else int(np.sum(rows.known_positive))
    if positive < n_parameters:
        kind = "labelled" if rows.checked is None else "positive"
        warn(
            "PU102",
            Message(
                f"{positive} {kind} rows for {n_parameters} parameters: an unpenalised fit "
                "to so few rows will hardly generalise.",
                python=_FINITE,
            ),
        )


def report_separation(rows: Rows, fit: LinearFit, names: Any = None, score: Any = None) -> bool:
    """Warn if an unpenalised fit has no finite optimum, or seems to; return True if it warned.

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
                "the features seem to separate labelled from unlabelled rows, at least in part. "
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
            f"{found} labelled from unlabelled rows. Without a penalty some coefficients then grow "
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
