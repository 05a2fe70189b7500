"""A naive score with its posterior: what NaiveLogistic and EnhancedLogistic share."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..codes import warn
from ..label_frequency import fit_score_joint
from ..labels import LabelledRows
from ..losses import LogisticLoss
from ..objective import linear_score
from ..solvers import LinearFit, LinearProblem, Watch, fit_or_keep, report_fit
from ._base import LinearPUClassifier
from ._with_covariance import Optimum, WithCovariance


class NaiveScoreClassifier(WithCovariance, LinearPUClassifier):
    """Base class: a logistic fit to the labels gives the score, JOINT on it the posterior."""

    _takes_rows_anywhere = True

    def __init__(
        self,
        *,
        C: float = np.inf,
        fit_intercept: bool = True,
        tol: float = 1e-4,
        max_iter: int = 1000,
        positive_label: Any = None,
        verbose: int = 0,
    ) -> None:
        self.C = C
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.positive_label = positive_label
        self.verbose = verbose

    def _fit_score(self, rows: LabelledRows, watch: Watch) -> tuple[LinearFit, Any]:
        """Fit the naive direction; return the fit and the rows' scores without intercept."""
        stage = watch.stage("naive")
        problem = LinearProblem.of(rows.X, rows.weight, self.C, self.fit_intercept).watched(stage)
        fit = fit_or_keep(
            stage,
            lambda: problem.fit_logistic(rows.s, self.tol, self.max_iter),
            LinearFit.kept,
        )
        watch.finished("naive", fit.result)
        self.n_iter_ = max(1, fit.result.n_iter)
        score = linear_score(rows.X, fit.coef)
        self.converged_ = report_fit(rows, fit, self._feature_names, score)
        return fit, score

    def _optimum(self, rows: LabelledRows) -> Optimum:
        objective = self._objective(LogisticLoss(), rows)
        return Optimum(objective, self._theta(), self._parameter_names())

    def _fit_posterior(self, scored: tuple[Any, Any, Any]) -> tuple[float, float]:
        """Estimate c and the class prior; return the posterior's intercept and slope.

        `scored` holds score, label and weight of the rows, or of stand-ins for them.
        """
        joint = fit_score_joint(*scored)
        self.label_frequency_ = joint.label_frequency
        self.class_prior_ = joint.class_prior
        if joint.slope == 0:
            warn(
                "PU111",
                "labelled rows do not score higher than the others: `predict_proba` is the share "
                "of labelled rows for every row. Check the features.",
            )
        elif joint.is_step:
            warn(
                "PU103",
                "labelled rows are so well told from others by the score that the likeliest "
                "posterior is a step: `predict_proba` is near 0 or 1 and not to be trusted. "
                "Use a finite `C`, or more labelled rows.",
            )
        elif joint.at_boundary:
            warn(
                "PU106",
                "the label frequency was estimated as 1, as if every positive row were labelled: "
                "`predict_proba` equals the probability of being labelled. More rows may tell.",
            )
        return joint.intercept, joint.slope
