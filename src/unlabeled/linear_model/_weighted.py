"""Logistic regression with the weights that a label frequency implies."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils import get_tags

from ..codes import warn
from ..label_frequency import ElkanNoto
from ..labels import LabelledRows
from ..losses import softplus_and_sigmoid
from ..objective import Objective
from ..solvers import (
    ClippedLogisticLoss,
    LinearFit,
    LinearProblem,
    PublishedResult,
    published_weighted_risk,
)
from ._base import LinearPUClassifier
from ._fit_report import report_design, report_fit


class WeightedLogistic(LinearPUClassifier):
    r"""Logistic regression reweighted by the label frequency.

    Assumes SCAR and a good estimate of the label frequency c. With
    ``label_frequency=ElkanNoto()`` it is the paper's EN classifier, with
    ``TIcE()`` its TIcE classifier. Use ``weighting="posterior"`` or a finite
    `C` for predictions: the published weighting often has no optimum.

    Parameters
    ----------
    label_frequency : float or label-frequency estimator, default=ElkanNoto()
        c itself, or an estimator with `fit` and `label_frequency_`.
    weighting : {"risk", "posterior"}, default="risk"
        "risk": each labelled row counts as positive with weight 1 / c and as
        negative with weight 1 - 1 / c (the paper's). "posterior": each
        unlabelled row counts as positive with its probability of being one,
        and as negative otherwise (Elkan and Noto's own).
    C : float, default=inf
        Inverse strength of the ridge, as in scikit-learn's LogisticRegression.
    fit_intercept : bool, default=True
        Whether the model has an intercept.
    tol : float, default=1e-4
        The fit stops when the norm of the gradient of the mean loss, in
        coordinates in which the features are uncorrelated and of unit
        variance, is at most `tol` times twice the standard deviation of the
        labels.
    max_iter : int, default=1000
        Most iterations of the solver.
    positive_label : object, default=None
        The value of y that marks labelled rows; the larger one if None.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
        Coefficients.
    intercept_ : ndarray of shape (1,)
        Intercept.
    classes_ : ndarray of shape (2,)
        Label values, the one that marks labelled (and positive) rows last.
    label_frequency_ : float
        c, as given or estimated.
    class_prior_ : float
        The share of labelled rows over c: P(Y=1) in the whole sample.
    n_iter_ : int
        Iterations of the solver.
    converged_ : bool
        Whether `coef_` is a finite optimum to the tolerance.

    Notes
    -----
    Both weightings are logistic regressions with a real-valued target d,
    :math:`\min_b \sum_i \log(1+e^{x_i^Tb}) - d_i\,x_i^Tb`: for "risk"
    :math:`d_i = s_i / c`; for "posterior" :math:`d_i = s_i + (1-s_i) w_i` with
    :math:`w_i = \frac{1-c}{c}\frac{g_i}{1-g_i}` and g the fitted P(S=1|x).

    **What breaks it:** an estimate of c that is too low. The risk is then
    unbounded below on ordinary data: a point with risk at most 0 proves it,
    since going on in that direction never raises the risk. This is checked;
    with ``C=inf`` the point where the published optimiser (BFGS from 0)
    stops is returned, `converged_` is False and PU107 says so.

    References
    ----------
    J. Bekker, J. Davis (2020). Learning from positive and unlabeled data: a
    survey. Machine Learning 109, 719-760. https://doi.org/10.1007/s10994-020-05877-5

    C. Elkan, K. Noto (2008). Learning classifiers from only positive and
    unlabeled data. KDD, 213-220. https://doi.org/10.1145/1401890.1401920

    Examples
    --------
    >>> from unlabeled import WeightedLogistic
    >>> from unlabeled.datasets import make_paper_gaussian
    >>> data = make_paper_gaussian(n=20000, c=0.6, random_state=0)
    >>> weighted = WeightedLogistic(label_frequency=0.6).fit(data.X, data.s)
    >>> bool(abs(weighted.class_prior_ - data.y_true.mean()) < 0.02)
    True
    """

    def __init__(
        self,
        label_frequency: Any = None,
        *,
        weighting: str = "risk",
        C: float = np.inf,
        fit_intercept: bool = True,
        tol: float = 1e-4,
        max_iter: int = 1000,
        positive_label: Any = None,
    ) -> None:
        self.label_frequency = label_frequency
        self.weighting = weighting
        self.C = C
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.positive_label = positive_label

    def _fit_rows(self, rows: LabelledRows) -> None:
        if self.weighting not in ("risk", "posterior"):
            raise ValueError(f"`weighting` must be 'risk' or 'posterior'; got {self.weighting!r}.")
        self.label_frequency_ = self._resolve_frequency(rows)
        self.class_prior_ = rows.labelled_share / self.label_frequency_
        problem = LinearProblem.of(rows.X, rows.weight, self.C, self.fit_intercept)
        if self.weighting == "risk":
            self._fit_risk(rows, problem)
        else:
            self._fit_posterior_weights(rows, problem)
        self._posterior_line = (float(self.intercept_[0]), 1.0)

    def _resolve_frequency(self, rows: LabelledRows) -> float:
        given = ElkanNoto() if self.label_frequency is None else self.label_frequency
        if isinstance(given, Real) and not isinstance(given, bool):
            if not 0 < given <= 1:
                raise ValueError(f"`label_frequency` must be in (0, 1]; got {given!r}.")
            return float(given)
        if not hasattr(given, "fit"):
            raise ValueError(
                "`label_frequency` must be a number in (0, 1] or an estimator such as "
                f"ElkanNoto(); got {given!r}."
            )
        fitted = clone(given).set_params(positive_label=None).fit(rows.X, rows.s, rows.weight)
        return float(fitted.label_frequency_)

    def _fit_risk(self, rows: LabelledRows, problem: LinearProblem) -> None:
        target = rows.s / self.label_frequency_
        unpenalised = problem.ridge == 0
        floor = 0.0 if unpenalised else -np.inf
        fit = problem.fit_logistic(target, self.tol, self.max_iter, unbounded_below=floor)
        if unpenalised and proves_no_minimum(fit):
            report_design(rows, fit)
            self._set_published(published_weighted_risk(_clipped(fit)))
        else:
            self._set_fit(fit, report_fit(rows, fit, getattr(self, "feature_names_in_", None)))

    def _fit_posterior_weights(self, rows: LabelledRows, problem: LinearProblem) -> None:
        naive = problem.fit_logistic(rows.s, self.tol, self.max_iter)
        _, g = softplus_and_sigmoid(rows.X @ naive.coef + naive.intercept)
        c = self.label_frequency_
        with np.errstate(divide="ignore"):
            weight = (1 - c) / c * (g / (1 - g))
        above = (weight > 1) & (rows.s == 0)
        if above.any():
            warn(
                "PU109",
                f"{int(above.sum())} unlabelled rows have a fitted P(S=1|x) above the label "
                f"frequency {c:.4g}; their weight as positives, above 1, was set to 1. The label "
                "frequency may be too low.",
            )
        target = np.where(rows.s == 1, 1.0, np.minimum(weight, 1.0))
        fit = problem.fit_logistic(target, self.tol, self.max_iter, start=naive.result.z)
        self._set_fit(fit, report_fit(rows, fit, getattr(self, "feature_names_in_", None)))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if isinstance(self.label_frequency, BaseEstimator):
            tags.input_tags.sparse = get_tags(self.label_frequency).input_tags.sparse
        return tags

    def _set_fit(self, fit: LinearFit, converged: bool) -> None:
        self.coef_ = fit.coef[None, :]
        self.intercept_ = np.array([fit.intercept])
        self.n_iter_ = max(1, fit.result.n_iter)
        self.converged_ = converged

    def _set_published(self, result: PublishedResult) -> None:
        n_features = self.n_features_in_
        self.coef_ = result.theta[None, :n_features]
        self.intercept_ = np.array([result.theta[-1] if self.fit_intercept else 0.0])
        self.n_iter_ = max(1, result.n_iter)
        self.converged_ = False
        warn(
            "PU107",
            f"with the label frequency {self.label_frequency_:.4g} the weighted risk has no finite "
            "minimiser; the point where the published optimiser stops was returned. Use a finite "
            "`C`, weighting='posterior', or a larger label frequency.",
        )


def proves_no_minimum(fit: LinearFit) -> bool:
    """Whether the fitted direction proves that the risk has no finite minimiser.

    It does when sum(max(0, t) - d t) <= 0 over the rows' predictors t: the
    risk along k t then never rises with k.
    """
    objective = fit.problem.objective
    t = objective.X @ fit.coef + fit.intercept
    margin = np.maximum(t, 0) - objective.target * t
    return bool(np.average(margin, weights=objective.weight) <= 0)


def _clipped(fit: LinearFit) -> Objective:
    whole = fit.problem.objective
    return Objective(ClippedLogisticLoss(), whole.designs, whole.X, whole.target, whole.weight)
