"""Logistic regression with the weights that a label frequency implies."""

from __future__ import annotations

from numbers import Real
from typing import Any, Literal, get_args

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import get_tags

from ..classifier import WithoutIntervals
from ..codes import Message, warn
from ..engine.linear_fits import (
    LinearFit,
    LinearProblem,
    Watch,
    report_design,
    report_fit,
    watched_as_given,
)
from ..engine.losses import softplus_and_sigmoid
from ..engine.objective import Objective
from ..engine.parameters import check_choice, check_fraction, check_square_matrix
from ..engine.rows import (
    SAMPLING,
    Rows,
    WeightsWord,
)
from ..engine.sampling import ONE_SAMPLE, SamplingWord
from ..label_frequency import OneDimensionalJoint
from ..scores import fit_nested
from ._base import LinearPUClassifier, reject_impossible_frequency
from ._published import ClippedLogisticLoss, published_weighted_risk

Weighting = Literal["risk", "posterior"]


def expected_classes(naive_predictor: np.ndarray, s: np.ndarray, c: float) -> np.ndarray:
    """Elkan and Noto's targets: 1 if labeled, else the probability of being positive."""
    _, g = softplus_and_sigmoid(naive_predictor)
    with np.errstate(divide="ignore"):
        weight = (1 - c) / c * (g / (1 - g))
    above = (weight > 1) & (s == 0)
    if above.any():
        warn(
            "PU109",
            f"{int(above.sum())} unlabeled rows got a weight above 1, which was set to 1: their "
            f"estimated probability of being labeled exceeds the label frequency {c:.4g}. The "
            "label frequency may be too low.",
        )
    return np.where(s == 1, 1.0, np.minimum(weight, 1.0))


def proves_no_minimum(fit: LinearFit) -> bool:
    """Whether the fitted direction proves that the risk has no finite minimizer.

    It does if sum(max(0, t) - d t) <= 0, where t is the linear predictor of a
    row and d its target: the risk at k t then never rises with k.
    """
    objective, t = fit.problem.objective, fit.predictor()
    margin = np.average(np.maximum(t, 0) - objective.target * t, weights=objective.weight)
    return bool(margin <= 1e-12 * np.abs(t).mean())


class WeightedLogistic(WithoutIntervals, LinearPUClassifier):
    r"""Logistic regression reweighted by the label frequency.

    Assumes SCAR (labeled rows are a random sample of the positive rows) and
    a good estimate of the label frequency c. With
    ``label_frequency=ElkanNoto()`` it is the paper's EN classifier, with
    ``TIcE()`` its TIcE classifier. Use ``weighting="posterior"`` for
    predictions: the published weighting often has no optimum.

    Parameters
    ----------
    label_frequency : float or label-frequency estimator, default=None
        c itself, or an estimator with `fit` and `label_frequency_`; None is
        ``OneDimensionalJoint()``, as wherever the library needs c. The paper's is ``ElkanNoto()``,
        whose estimates are so low that the published weighting rarely has an optimum.
    weighting : {"risk", "posterior"}, default="risk"
        "risk": each labeled row counts as positive with weight 1 / c and as
        negative with weight 1 - 1 / c (the paper's). "posterior": each
        unlabeled row counts as positive with its probability of being
        positive, and as negative with one minus that probability (Elkan and
        Noto's weighting).
    C : float, default=inf
        Inverse strength of the ridge, as in scikit-learn's LogisticRegression.
    fit_intercept : bool, default=True
        Whether the model has an intercept.
    tol : float, default=1e-4
        Tolerance for the gradient of the mean loss. The gradient is computed
        for whitened features, and its norm must be at most `tol` times
        2 √(m(1 − m)), where m is the mean of the weighted targets. With very
        many rows, the whitening uses a subset of them.
    max_iter : int, default=1000
        Maximum number of iterations of the solver.
    pos_label : object, default=None
        The value of y that marks labeled rows; if None, the larger number or the text that says it.
    sampling : {"one-sample", "two-sample"}, default="one-sample"
        One sample or two, as in `NaiveLogistic`; see :doc:`/choose/two_samples`.
    weights : {"sampling", "frequency"}, default="sampling"
        What `sample_weight` says: how many rows of the population a row stands for, or how often
        the row occurs; see :doc:`/understand/weights`.
    verbose : int, default=0
        As in `NaiveLogistic`.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
        Coefficients.
    intercept_ : ndarray of shape (1,)
        Intercept.
    threshold_, posterior_line_
        The cut and the posterior along the score, as in `NaiveLogistic`.
    classes_, positive_class_, n_features_in_, feature_names_in_
        As in `NaiveLogistic`.
    label_frequency_ : float
        c, as given or estimated.
    class_prior_ : float
        The fraction of labeled rows, divided by c: P(Y=1) in the whole sample.
    label_frequency_estimator_ : object
        The fitted estimator of c, unless c was given as a number.
    n_iter_ : int
        Iterations of the solver.
    converged_ : bool
        Whether the solver reached a finite optimum, to the tolerance.

    See Also
    --------
    unlabeled.JointLogistic : Estimates the label frequency with the coefficients.
    unlabeled.label_frequency.TIcE : An estimator of the label frequency for it.

    Notes
    -----
    Both weightings are logistic regressions with a real-valued target d,
    :math:`\min_b \sum_i \log(1+e^{x_i^Tb}) - d_i\,x_i^Tb`: for "risk"
    :math:`d_i = s_i / c`; for "posterior" :math:`d_i = s_i + (1-s_i) w_i` with
    :math:`w_i = \frac{1-c}{c}\frac{g_i}{1-g_i}` and g the fitted P(S=1|x).

    **What breaks it:** an estimate of c that is too low. The risk is then
    unbounded below on ordinary data. A point with risk at most 0 proves it:
    the risk never rises along the ray through that point. The fit checks for
    this and warns (PU107). With ``C=inf`` it returns the point where the
    published optimizer (BFGS from 0) stops, and `converged_` is False; with a
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
    >>> data = make_paper_gaussian(n=20000, label_frequency=0.6, random_state=0)
    >>> weighted = WeightedLogistic(label_frequency=0.6).fit(data.X, data.s)
    >>> bool(abs(weighted.class_prior_ - data.y_true.mean()) < 0.02)
    True
    """

    def __init__(
        self,
        label_frequency: Any = None,
        *,
        weighting: Weighting = "risk",
        C: float = np.inf,
        fit_intercept: bool = True,
        tol: float = 1e-4,
        max_iter: int = 1000,
        pos_label: Any = None,
        sampling: SamplingWord = ONE_SAMPLE,
        weights: WeightsWord = SAMPLING,
        verbose: int = 0,
    ) -> None:
        self.label_frequency = label_frequency
        self.weighting = weighting
        self.C = C
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.pos_label = pos_label
        self.sampling = sampling
        self.weights = weights
        self.verbose = verbose

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("weighting", self.weighting, get_args(Weighting))

    def _fit_rows(self, rows: Rows, watch: Watch) -> None:
        self.label_frequency_ = self._resolve_frequency(rows, watch)
        prior = rows.labeled_share / self.label_frequency_
        self.class_prior_ = float(rows.population_prior(prior))
        problem = LinearProblem.of(rows.X, rows.weight, self._strength(rows), self.fit_intercept)
        if self.weighting == "risk":
            self._fit_risk(rows, problem, watch)
        else:
            self._fit_posterior_weights(rows, problem, watch)

    def _resolve_frequency(self, rows: Rows, watch: Watch) -> float:
        """Return c as given, or fit the estimator of it."""
        given = OneDimensionalJoint() if self.label_frequency is None else self.label_frequency
        if hasattr(given, "fit"):
            self.label_frequency_estimator_ = fit_nested(given, rows, "label_frequency", watch)
            return float(self.label_frequency_estimator_.label_frequency_)
        if not isinstance(given, Real):
            raise ValueError(
                "`label_frequency` must be a number in (0, 1] or an estimator such as "
                f"ElkanNoto(); got {given!r}."
            )
        check_fraction("label_frequency", given)
        reject_impossible_frequency(float(given), rows)
        return float(given)

    def _fit_risk(self, rows: Rows, problem: LinearProblem, watch: Watch) -> None:
        target = rows.s / self.label_frequency_
        if self._intercept_runs_away(rows, target):
            self._fit_as_published(rows, problem, target, watch)
            return
        unpenalized = problem.ridge == 0
        floor = 0.0 if unpenalized else -np.inf
        fit = self._fit_target("weighted risk", problem, target, watch, unbounded_below=floor)
        no_minimum = proves_no_minimum(fit)
        if no_minimum and unpenalized:
            self._fit_as_published(rows, problem, target, watch)
            report_design(rows, fit)
            return
        if no_minimum:
            self._warn_no_minimum("`C` alone determines how large the coefficients are")
        watch.finished("weighted risk", fit.result)
        self._set_fit(rows, fit)

    def _fit_posterior_weights(self, rows: Rows, problem: LinearProblem, watch: Watch) -> None:
        stage = watch.stage("naive")
        naive = problem.fit_logistic(rows.s, self.tol, self.max_iter, stage=stage)
        target = expected_classes(naive.predictor(), rows.s, self.label_frequency_)
        if self._intercept_runs_away(rows, target):
            self._fit_as_published(rows, problem, target, watch)
            return
        start = naive.result.z
        fit = self._fit_target("posterior weights", problem, target, watch, start=start)
        watch.finished("posterior weights", fit.result)
        self._set_fit(rows, fit)

    def _intercept_runs_away(self, rows: Rows, target: np.ndarray) -> bool:
        """Whether the targets are 1 on average, which sends an intercept to infinity."""
        mean_is_one = not np.average(target, weights=rows.weight) < 1 - 1e-9
        return bool(self.fit_intercept) and mean_is_one

    def _fit_target(
        self, name: str, problem: LinearProblem, target: np.ndarray, watch: Watch, **more: Any
    ) -> LinearFit:
        stage = watch.stage(name)
        return problem.fit_logistic(target, self.tol, self.max_iter, stage=stage, **more)

    def _fit_as_published(
        self, rows: Rows, problem: LinearProblem, target: np.ndarray, watch: Watch
    ) -> None:
        """Keep the point where the published optimizer stops, as there is no minimum.

        The published risk has no ridge.
        """
        self._warn_no_minimum("the point where the published optimizer stops was returned")
        instead = "Use weighting='posterior', or a smaller `C`."
        check_square_matrix(problem.X.shape[1], "a weighted loss without a minimum", instead)
        stage = watch.stage("published optimizer")
        designs = (problem.design,)
        risk = Objective(ClippedLogisticLoss(), designs, problem.X, target, problem.weight)
        result = published_weighted_risk(watched_as_given(risk, stage))
        watch.finished("published optimizer", result)
        theta = result.z
        self._set_posterior(rows, theta[: self.n_features_in_], theta[-1] * self.fit_intercept)
        self.n_iter_ = max(1, result.n_iter)
        self.converged_ = False

    def _set_fit(self, rows: Rows, fit: LinearFit) -> None:
        self._set_posterior(rows, fit.coef, fit.intercept)
        self.n_iter_ = max(1, fit.result.n_iter)
        self.converged_ = report_fit(rows, fit, self._feature_names)

    def _warn_no_minimum(self, happened: str) -> None:
        warn(
            "PU107",
            Message(
                f"with the label frequency {self.label_frequency_:.4g} the weighted loss has no "
                f"minimum without a penalty; {happened}.",
                python="Use weighting='posterior', a larger label frequency, or a smaller `C`.",
            ),
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if isinstance(self.label_frequency, BaseEstimator):
            tags.input_tags.sparse = get_tags(self.label_frequency).input_tags.sparse
        return tags
