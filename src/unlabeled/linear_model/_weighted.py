"""Logistic regression with the weights that a label frequency implies."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils import get_tags

from ..codes import warn
from ..label_frequency import ElkanNoto, fit_watched
from ..labels import LabelledRows, label_folds
from ..losses import softplus_and_sigmoid
from ..objective import Objective, WhitenedObjective
from ..parameters import check_choice, check_fraction, check_square_matrix
from ..solvers import (
    ClippedLogisticLoss,
    LinearFit,
    LinearProblem,
    PublishedResult,
    Stage,
    Watch,
    fit_or_keep,
    published_weighted_risk,
    report_design,
    report_fit,
    watched_as_given,
)
from ._base import LinearPUClassifier, refuse_impossible_frequency


class WeightedLogistic(LinearPUClassifier):
    r"""Logistic regression reweighted by the label frequency.

    Assumes SCAR and a good estimate of the label frequency c. With
    ``label_frequency=ElkanNoto()`` it is the paper's EN classifier, with
    ``TIcE()`` its TIcE classifier. Use ``weighting="posterior"`` for
    predictions: the published weighting often has no optimum.

    Parameters
    ----------
    label_frequency : float or label-frequency estimator, default=None
        c itself, or an estimator with `fit` and `label_frequency_`; None is
        ``ElkanNoto()``.
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
        variance, is at most `tol` times twice the standard deviation of a 0/1
        variable with the mean of the weighted targets.
    max_iter : int, default=1000
        Most iterations of the solver.
    positive_label : object, default=None
        The value of y that marks labelled rows; the larger one if None.
    verbose : int, default=0
        0 is silent; 1 prints about a line a second as the fit goes; 2 every
        evaluation. With 1 or more Ctrl-C keeps the best point so far
        (PU117); before the last fit, while its targets are estimated, it raises.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
        Coefficients.
    intercept_ : ndarray of shape (1,)
        Intercept.
    classes_ : ndarray of shape (2,)
        Label values, sorted; signs and columns follow it as in scikit-learn.
    positive_class_ : object
        The value that marks labelled rows and predicted positives,
        ``classes_[1]`` unless `positive_label` says otherwise.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of str
        Names of the features, where all of them are text.
    label_frequency_ : float
        c, as given or estimated.
    class_prior_ : float
        The share of labelled rows over c: P(Y=1) in the whole sample.
    label_frequency_estimator_ : object
        The fitted estimator of c, where one was given.
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
    since going on in that direction never raises the risk. This is checked,
    and PU107 says so. With ``C=inf`` the point where the published optimiser
    (BFGS from 0) stops is then returned and `converged_` is False; with a
    finite `C` the penalty alone sets the size of the coefficients.

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
        verbose: int = 0,
    ) -> None:
        self.label_frequency = label_frequency
        self.weighting = weighting
        self.C = C
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.positive_label = positive_label
        self.verbose = verbose

    def _fit_rows(self, rows: LabelledRows, watch: Watch) -> None:
        check_choice("weighting", self.weighting, ("risk", "posterior"))
        self.label_frequency_ = self._resolve_frequency(rows, watch)
        self.class_prior_ = rows.labelled_share / self.label_frequency_
        problem = LinearProblem.of(rows.X, rows.weight, self.C, self.fit_intercept)
        if self.weighting == "risk":
            self._fit_risk(rows, problem, watch)
        else:
            self._fit_posterior_weights(rows, problem, watch)

    def _resolve_frequency(self, rows: LabelledRows, watch: Watch) -> float:
        given = ElkanNoto() if self.label_frequency is None else self.label_frequency
        if not hasattr(given, "fit"):
            if not isinstance(given, Real):
                raise ValueError(
                    "`label_frequency` must be a number in (0, 1] or an estimator such as "
                    f"ElkanNoto(); got {given!r}."
                )
            check_fraction("label_frequency", given)
            refuse_impossible_frequency(given, rows.labelled_share)
            return float(given)
        estimator = clone(given)
        if "positive_label" in estimator.get_params():
            estimator.set_params(positive_label=None)  # the labels are 0 and 1 from here on
        cv = estimator.get_params().get("cv")
        if rows.kept is not None and np.iterable(cv):
            estimator.set_params(cv=label_folds(rows, cv))  # in the rows that are left
        weight = {} if rows.weight is None else {"sample_weight": rows.weight}
        self.label_frequency_estimator_ = fit_watched(estimator, watch, rows.X, rows.s, **weight)
        check_fraction("label_frequency_", estimator.label_frequency_)
        return float(estimator.label_frequency_)

    def _fit_risk(self, rows: LabelledRows, problem: LinearProblem, watch: Watch) -> None:
        target = rows.s / self.label_frequency_
        unpenalised = problem.ridge == 0
        floor = 0.0 if unpenalised else -np.inf
        if self._intercept_runs_away(rows, problem, target, watch):
            return
        fit = self._fit_target(watch.stage("weighted risk"), problem, target, unbounded_below=floor)
        no_minimum = not fit.result.interrupted and proves_no_minimum(fit)
        if no_minimum:
            self._warn_no_minimum(unpenalised)
        if no_minimum and unpenalised:
            report_design(rows, fit)
            self._fit_as_published(fit.problem, watch)
        else:
            watch.finished("weighted risk", fit.result)
            self._set_fit(fit, report_fit(rows, fit, getattr(self, "feature_names_in_", None)))

    def _fit_target(
        self, stage: Stage | None, problem: LinearProblem, target: np.ndarray, **more: Any
    ) -> LinearFit:
        return fit_or_keep(
            stage,
            lambda: problem.watched(stage).fit_logistic(target, self.tol, self.max_iter, **more),
            LinearFit.kept,
        )

    def _fit_as_published(self, problem: WhitenedObjective, watch: Watch) -> None:
        stage = watch.stage("published optimiser")
        risk = watched_as_given(_clipped(problem), stage)
        self._set_published(
            fit_or_keep(stage, lambda: published_weighted_risk(risk), PublishedResult.kept)
        )
        watch.finished("published optimiser", None if stage is None else stage.best)

    def _intercept_runs_away(
        self, rows: LabelledRows, problem: LinearProblem, target: np.ndarray, watch: Watch
    ) -> bool:
        """Whether the targets are 1 on average, which sends the intercept to infinity."""
        mean = float(np.average(target, weights=rows.weight))
        if not self.fit_intercept or mean < 1 - 1e-9:
            return False
        self._warn_no_minimum(unpenalised=True)
        whole = problem.objective(ClippedLogisticLoss(), target)
        self._fit_as_published(whole, watch)
        return True

    def _fit_posterior_weights(
        self, rows: LabelledRows, problem: LinearProblem, watch: Watch
    ) -> None:
        naive = problem.watched(watch.stage("naive")).fit_logistic(rows.s, self.tol, self.max_iter)
        _, g = softplus_and_sigmoid(naive.predictor())
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
        if self._intercept_runs_away(rows, problem, target, watch):
            return
        stage = watch.stage("posterior weights")
        fit = self._fit_target(stage, problem, target, start=naive.result.z)
        watch.finished("posterior weights", fit.result)
        self._set_fit(fit, report_fit(rows, fit, getattr(self, "feature_names_in_", None)))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if isinstance(self.label_frequency, BaseEstimator):
            tags.input_tags.sparse = get_tags(self.label_frequency).input_tags.sparse
        return tags

    def _set_fit(self, fit: LinearFit, converged: bool) -> None:
        self._set_model(fit.coef, fit.intercept, (fit.intercept, 1.0))
        self.n_iter_ = max(1, fit.result.n_iter)
        self.converged_ = converged

    def _set_published(self, result: PublishedResult) -> None:
        intercept = float(result.theta[-1]) if self.fit_intercept else 0.0
        self._set_model(result.theta[: self.n_features_in_], intercept, (intercept, 1.0))
        self.n_iter_ = max(1, result.n_iter)
        self.converged_ = False

    def _warn_no_minimum(self, unpenalised: bool) -> None:
        happened = (
            "the point where the published optimiser stops was returned"
            if unpenalised
            else "the size of the coefficients is set by `C` alone"
        )
        warn(
            "PU107",
            f"with the label frequency {self.label_frequency_:.4g} the weighted risk has no finite "
            f"minimiser without a penalty; {happened}. Use weighting='posterior', a larger label "
            "frequency, or a `C` small enough to matter.",
        )


def proves_no_minimum(fit: LinearFit) -> bool:
    """Whether the fitted direction proves that the risk has no finite minimiser.

    It does when sum(max(0, t) - d t) <= 0 over the rows' predictors t: the
    risk along k t then never rises with k.
    """
    objective, t = fit.problem.objective, fit.predictor()
    margin = np.average(np.maximum(t, 0) - objective.target * t, weights=objective.weight)
    return bool(margin <= 1e-12 * np.abs(t).mean())


def _clipped(problem: WhitenedObjective) -> Objective:
    """The risk that the published optimiser sees: of `problem`, without its ridge."""
    whole = problem.objective
    instead = "Use weighting='posterior', or a smaller `C`."
    check_square_matrix(whole.X.shape[1], "a weighted risk without a minimiser", instead)
    return Objective(ClippedLogisticLoss(), whole.designs, whole.X, whole.target, whole.weight)
