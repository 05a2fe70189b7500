"""The methods of the studies: the paper's in each of their settings, and ours."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import LogisticRegression

from unlabeled import (
    EnhancedLogistic,
    JointLogistic,
    NaiveLogistic,
    PUEnsemble,
    PULogistic,
    WeightedLogistic,
)
from unlabeled.engine.linear_fits import LinearProblem
from unlabeled.engine.losses import LogisticLoss
from unlabeled.label_frequency import ElkanNoto, TIcE
from unlabeled.thresholds import choose_cut, scan_cuts

ORACLE_MOST_ITERATIONS = 3000
"""Iterations of the oracle's solver: as many as in the paper's own script."""


Key = tuple[str, str]
"""Name and setting of a method."""


@dataclass(frozen=True)
class Method:
    """A method in one setting.

    Attributes
    ----------
    name, setting : str
        As in the records. The setting is "-" if there is only one.
    make : callable
        Takes a seed and returns an unfitted estimator.
    sees_classes : bool
        Whether it is fitted to the true classes, as the oracle is.
    sees_prior : bool
        Whether `fit` gets `class_prior`, the fraction of positives among the training rows.
    fit_of : (str, str) or None
        Key of the method whose fit it shares. It is not fitted again; only its threshold is
        chosen anew, by `rule`.
    rule : str
        The rule of that threshold; empty if `fit_of` is None.
    """

    name: str
    setting: str
    make: Callable[[int], Any]
    sees_classes: bool = False
    sees_prior: bool = False
    fit_of: Key | None = None
    rule: str = ""

    @property
    def key(self) -> Key:
        """Name and setting."""
        return self.name, self.setting

    def cut_for(self, name: str, rule: str) -> Method:
        """Return the method with another threshold, under another name."""
        return replace(self, name=name, fit_of=self.key, rule=rule)


def _oracle(seed: int) -> Any:
    return LogisticRegression(C=np.inf, max_iter=ORACLE_MOST_ITERATIONS)


def _published_tice(seed: int) -> Any:
    return WeightedLogistic(TIcE(honest=False, scale="none", random_state=seed))


def _converged_tice(seed: int) -> Any:
    return TunedWeightedLogistic(TIcE(random_state=seed), random_state=seed)


_BA = "balanced_accuracy"
_ENHANCED = Method("enhanced", "-", lambda seed: EnhancedLogistic())
_PU_LOGISTIC = Method("pu_logistic", "-", lambda seed: PULogistic(random_state=seed))
_PU_ENSEMBLE = Method("pu_ensemble", "-", lambda seed: PUEnsemble(random_state=seed))

_METHODS = (
    Method("oracle", "-", _oracle, sees_classes=True),
    Method("naive", "-", lambda seed: NaiveLogistic()),
    _ENHANCED,
    _ENHANCED.cut_for("enhanced_ba", _BA),
    Method("joint", "published", lambda seed: JointLogistic(settings="published")),
    Method("joint", "converged", lambda seed: JointLogistic()),
    Method("mm", "published", lambda seed: JointLogistic(solver="mm", settings="published")),
    Method("mm", "converged", lambda seed: JointLogistic(solver="mm", max_iter=300)),
    Method("en", "published", lambda seed: WeightedLogistic(ElkanNoto())),
    Method("en", "converged", lambda seed: TunedWeightedLogistic(ElkanNoto(), random_state=seed)),
    Method("tice", "published", _published_tice),
    Method("tice", "converged", _converged_tice),
    _PU_LOGISTIC,
    _PU_LOGISTIC.cut_for("pu_logistic_ba", _BA),
    _PU_ENSEMBLE,
    _PU_ENSEMBLE.cut_for("pu_ensemble_ba", _BA),
)

METHODS: dict[Key, Method] = {method.key: method for method in _METHODS}
"""The method registry: every method by name and setting, the oracle first."""


class Recut:
    """A fitted classifier with its threshold chosen by another rule.

    The threshold is chosen on the cuts that the classifier keeps, as its own was. A classifier
    that keeps none chose it on the training rows, and so does this.

    Parameters
    ----------
    fitted : estimator
        With `positive_score` and `class_prior_`.
    rule : str
        A name in `thresholds.RULES`.
    X, s : ndarray
        Training rows and their labels.
    """

    def __init__(self, fitted: Any, rule: str, X: np.ndarray, s: np.ndarray) -> None:
        self._fitted = fitted
        cuts = getattr(fitted, "cuts_", None)
        if cuts is None:
            cuts = scan_cuts(s, fitted.positive_score(X))
        self.threshold_ = choose_cut(cuts, rule, fitted.class_prior_).threshold

    def __getattr__(self, name: str) -> Any:
        return getattr(self._fitted, name)

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return 1 for rows whose score lies above the threshold, 0 for the others."""
        return (self._fitted.positive_score(X) > self.threshold_).astype(np.int64)


RIDGES = tuple(10.0**power for power in (1, 0.5, 0, -0.5, -1, -1.5, -2, -2.5, -3, -4, -5))
"""Ridge penalties on the scale of the mean loss, strongest first: C = 1 / (ridge * rows)."""

_PATH_TOL = 1e-3
_PATH_ITERATIONS = 300
# The search ends after this many ridges in a row without a lower risk.
_PATIENCE = 2


class TunedWeightedLogistic(BaseEstimator):
    r"""Risk-weighted logistic regression, its ridge chosen by cross-validated PU risk.

    Assumes SCAR and a good estimate of the label frequency c. Without a ridge the published
    weighting often has no optimum. A ridge gives it one. The held-out risk chooses the ridge
    without the true classes.

    Parameters
    ----------
    label_frequency : float, label-frequency estimator or None, default=None
        c, or an estimator of it, which is fitted once, to all rows. None means `ElkanNoto()`.
    cv : int, default=3
        Number of folds, at most the number of labeled and of unlabeled rows, at least 2.
    random_state : int, default=0
        Controls the folds.

    Attributes
    ----------
    ridge_ : float
        The chosen ridge penalty, on the scale of the mean loss.
    C_ : float
        The same penalty as scikit-learn's C, an inverse strength.
    coef_, intercept_, label_frequency_, class_prior_, n_iter_, converged_
        Attributes of the fitted `WeightedLogistic`.

    Notes
    -----
    Let t be the linear predictors of the held-out rows. Their risk, the mean of
    :math:`\log(1+e^t) - \frac{s}{\hat c}\,t`, has a positive part, the mean of
    :math:`\frac{s}{\hat c}\log(1+e^{-t})`, and a negative part, the mean of
    :math:`(1-\frac{s}{\hat c})\log(1+e^t)`. The negative part estimates a quantity that is never
    negative, so it is clipped at 0 (Kiryo et al.). Otherwise, if c is estimated too low, the risk
    falls without bound as the ridge gets weaker, even on held-out rows. The search starts at the
    strongest ridge and ends when the risk has risen. **What breaks it:** few labeled rows, which
    do not determine a risk.

    References
    ----------
    R. Kiryo, G. Niu, M. C. du Plessis, M. Sugiyama (2017). Positive-unlabeled learning with
    non-negative risk estimator. NeurIPS.
    """

    def __init__(self, label_frequency: Any = None, *, cv: int = 3, random_state: int = 0) -> None:
        self.label_frequency = label_frequency
        self.cv = cv
        self.random_state = random_state

    def fit(self, X: np.ndarray, s: np.ndarray) -> TunedWeightedLogistic:
        """Estimate the label frequency, choose the ridge, fit; `s` is 1 for labeled rows."""
        c = self._frequency(X, s)
        folds = _label_folds(s, self.cv, self.random_state)
        self.ridge_ = choose_ridge(X, s / c, folds)
        self.C_ = 1 / (self.ridge_ * len(s))
        self._model = WeightedLogistic(c, C=self.C_).fit(X, s)
        for name in ("coef_", "intercept_", "label_frequency_", "class_prior_"):
            setattr(self, name, getattr(self._model, name))
        self.n_iter_, self.converged_ = self._model.n_iter_, self._model.converged_
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Return 1 for rows predicted positive, 0 for the others."""
        return self._model.predict(X)

    def _frequency(self, X: np.ndarray, s: np.ndarray) -> float:
        given = ElkanNoto() if self.label_frequency is None else self.label_frequency
        if isinstance(given, Real):
            return float(given)
        return float(clone(given).fit(X, s).label_frequency_)


def choose_ridge(X: np.ndarray, target: np.ndarray, folds: np.ndarray) -> float:
    """Return the ridge of least held-out risk; `folds` is the index of each row's fold."""
    paths = [_FoldPath(X, target, folds == fold) for fold in np.unique(folds)]
    best, best_risk, worse = RIDGES[0], np.inf, 0
    for ridge in RIDGES:
        risk = sum(path.risk(ridge) for path in paths)
        if risk < best_risk:
            best, best_risk, worse = ridge, risk, 0
        else:
            worse += 1
        if worse == _PATIENCE:
            break
    return best


class _FoldPath:
    """Fits without one fold at weaker and weaker ridges, each started at the previous fit."""

    def __init__(self, X: np.ndarray, target: np.ndarray, held_out: np.ndarray) -> None:
        self.X, self.target = X[~held_out], target[~held_out]
        self.X_test, self.target_test = X[held_out], target[held_out]
        self.theta: np.ndarray | None = None

    def risk(self, ridge: float) -> float:
        """Return the non-negative risk of the held-out rows, summed."""
        rows = LinearProblem.of(self.X, None, C=1 / (ridge * len(self.X)))
        start = None
        if self.theta is not None:
            start = rows.objective(LogisticLoss(), self.target).coordinates(self.theta)
        fit = rows.fit_logistic(self.target, _PATH_TOL, _PATH_ITERATIONS, start)
        self.theta = fit.theta
        t = self.X_test @ fit.coef + fit.intercept
        loss_negative = np.logaddexp(0.0, t)
        positive_part = np.sum(self.target_test * (loss_negative - t))
        negative_part = np.sum((1 - self.target_test) * loss_negative)
        return float(positive_part + max(negative_part, 0.0))


def _label_folds(s: np.ndarray, cv: int, seed: int) -> np.ndarray:
    """Return the index of each row's fold, stratified by label."""
    n_labeled = int(s.sum())
    cv = max(2, min(cv, n_labeled, len(s) - n_labeled))
    draw = np.random.RandomState(seed)
    folds = np.empty(len(s), dtype=np.int64)
    for rows in (np.flatnonzero(s == 1), np.flatnonzero(s == 0)):
        folds[rows] = draw.permutation(len(rows)) % cv
    return folds
