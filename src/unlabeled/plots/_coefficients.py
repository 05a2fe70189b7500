"""Coefficients and their intervals."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.preprocessing import StandardScaler

from ..engine.estimators import fitted_model, positive_class_of, rows_of_last_step
from ..engine.parameters import check_flag
from ..engine.rows import reject_chunks
from ..inference import CovarianceKind, Estimates
from ._display import BLUE, RankedDisplay, sign_toward

_NOT_SLOPES = ("intercept", "logit c")


class CoefficientDisplay(RankedDisplay):
    """Coefficients with their intervals, the largest on top.

    Intervals are normal and not adjusted for multiplicity: with many coefficients,
    some intervals exclude 0 by chance. Filled marks are coefficients whose interval
    excludes 0. For the naive and enhanced classifiers only ratios of coefficients
    have a meaning. Make it with `from_estimator` or `from_estimates`.

    `to_frame` has one row per coefficient, from top to bottom: feature, estimate, lower and
    upper.

    Parameters
    ----------
    estimates : Estimates
        The coefficients to show.
    confidence_level : float, default=0.95
        Confidence level of the intervals.
    sort : bool, default=True
        Whether to sort by size, the largest first, or to keep the order of the features.
    top : int or None, default=20
        Number of coefficients to show, chosen by size; None shows all.
    per : str, default="unit"
        Unit of the features in the axis label: "unit" or "standard deviation".

    Attributes
    ----------
    ax_, figure_ : matplotlib objects
        The axes and the figure, set when the display is drawn.

    See Also
    --------
    unlabeled.inference.Estimates : The numbers behind it.

    Examples
    --------
    >>> from unlabeled import JointLogistic
    >>> from unlabeled.datasets import make_paper_gaussian
    >>> from unlabeled.plots import CoefficientDisplay
    >>> data = make_paper_gaussian(n=2000, label_frequency=0.6, random_state=0)
    >>> model = JointLogistic().fit(data.X, data.s)
    >>> display = CoefficientDisplay.from_estimator(model, data.X, data.s, top=2)
    >>> len(display.to_frame())
    2
    """

    def __init__(
        self,
        estimates: Estimates,
        *,
        confidence_level: float = 0.95,
        sort: bool = True,
        top: int | None = 20,
        per: str = "unit",
    ) -> None:
        check_flag("sort", sort)
        super().__init__(len(estimates.value), top)
        self.estimates = estimates
        self.interval = estimates.interval(confidence_level)
        self.confidence_level = confidence_level
        self.sort = sort
        self.per = per

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        confidence_level: float = 0.95,
        kind: CovarianceKind = "sandwich",
        checked: Any = None,
        groups: Any = None,
        standardized: bool = False,
        sort: bool = True,
        top: int | None = 20,
        ax: Any = None,
        plot: bool = True,
    ) -> CoefficientDisplay:
        """Plot the coefficients of a fitted classifier that has `estimates`.

        They point to the positive class, whatever the sign of `coef_`.

        Parameters
        ----------
        estimator : fitted classifier with `estimates`, or pipeline that ends in one
            `NaiveLogistic`, `EnhancedLogistic`, `JointLogistic` or `PULogistic`.
        X : array-like of shape (n_rows, n_features)
            The training rows: a model does not keep them.
        y : array-like of shape (n_rows,)
            Their labels.
        sample_weight : array-like of shape (n_rows,), optional
            Their weights.
        confidence_level : float, default=0.95
            Confidence level of each interval, not adjusted for multiplicity.
        kind : {"sandwich", "observed", "expected"}, default="sandwich"
            Kind of covariance, see the estimator's `estimates`.
        checked, groups : array-like of shape (n_rows,), optional
            Those of the fit, if it had some.
        standardized : bool, default=False
            Whether to multiply each coefficient by the standard deviation of its feature,
            which makes sizes comparable.
        sort : bool, default=True
            Whether to sort by size, the largest first, or to keep the order of
            the features.
        top : int or None, default=20
            Number of coefficients to show, chosen by size; None shows all.
        ax : matplotlib axes, optional
            Where to draw; a new figure if None.
        plot : bool, default=True
            Whether to draw; the numbers alone do not need matplotlib.

        Returns
        -------
        display : CoefficientDisplay
        """
        check_flag("standardized", standardized)
        model = fitted_model(estimator)
        if not hasattr(model, "estimates"):
            raise ValueError(
                "`estimator` must be a NaiveLogistic, EnhancedLogistic, JointLogistic or "
                f"PULogistic, or a pipeline that ends in one; got {type(model).__name__}, which "
                "has no `estimates`."
            )
        X = rows_of_last_step(estimator, X)
        beside = {"kind": kind, "checked": checked, "groups": groups}
        slopes = _slopes(model.estimates(X, y, sample_weight, **beside))
        scale = np.full(len(slopes.value), sign_toward(model, positive_class_of(model)))
        if standardized:
            reject_chunks(X, "standardized coefficients")
            scaler = StandardScaler(with_mean=False).fit(X, sample_weight=sample_weight)
            scale = scale * np.sqrt(scaler.var_)
        slopes = _scaled(slopes, scale, _feature_names(estimator, slopes.names))
        per = "standard deviation" if standardized else "unit"
        display = cls(slopes, confidence_level=confidence_level, sort=sort, top=top, per=per)
        return display._drawn_if(plot, ax)

    @classmethod
    def from_estimates(
        cls,
        estimates: Estimates,
        *,
        confidence_level: float = 0.95,
        sort: bool = True,
        top: int | None = 20,
        ax: Any = None,
        plot: bool = True,
    ) -> CoefficientDisplay:
        """Plot given estimates, without an intercept or the logit of c.

        Parameters
        ----------
        estimates : Estimates
            Made by a classifier's `estimates`.
        confidence_level : float, default=0.95
            Confidence level of each interval, not adjusted for multiplicity.
        sort : bool, default=True
            Whether to sort by size, the largest first, or to keep the order of
            the features.
        top : int or None, default=20
            Number of coefficients to show, chosen by size; None shows all.
        ax : matplotlib axes, optional
            Where to draw; a new figure if None.
        plot : bool, default=True
            Whether to draw; the numbers alone do not need matplotlib.

        Returns
        -------
        display : CoefficientDisplay
        """
        return cls(
            _slopes(estimates), confidence_level=confidence_level, sort=sort, top=top
        )._drawn_if(plot, ax)

    def _columns(self) -> dict[str, np.ndarray]:
        size = -np.abs(self.estimates.value)
        shown = np.argsort(size, kind="stable")[: self.top]
        shown = shown if self.sort else np.sort(shown)
        return {
            "feature": np.array(self.estimates.names)[shown],
            "estimate": self.estimates.value[shown],
            "lower": self.interval.lower[shown],
            "upper": self.interval.upper[shown],
        }

    def _draw(self, ax: Any) -> None:
        columns = self._columns()
        position = self._draw_ends(ax, columns["lower"], columns["upper"])
        apart = (columns["lower"] > 0) | (columns["upper"] < 0)
        unknown = ~np.isfinite(columns["lower"])
        interval = f"{self.confidence_level:.0%} interval"
        for which, marker, fill, words in (
            (apart, "o", BLUE, f"{interval} excludes 0"),
            (~apart & ~unknown, "o", "white", f"{interval} contains 0"),
            (unknown, "x", BLUE, "Not determined by the rows"),
        ):
            if which.any():
                dots = columns["estimate"][which], position[which]
                ax.plot(*dots, marker, color=BLUE, markerfacecolor=fill, label=words)
        self._name_lines(ax, columns["feature"], f"Coefficient per {self.per}")


def _feature_names(estimator: Any, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names a pipeline gives to the features of its last step, if it has any."""
    estimator = getattr(estimator, "best_estimator_", estimator)
    if len(getattr(estimator, "steps", ())) < 2:
        return names
    try:
        return tuple(str(name) for name in estimator[:-1].get_feature_names_out())
    except (AttributeError, ValueError):
        return names


def _slopes(estimates: Estimates) -> Estimates:
    kept = [k for k, name in enumerate(estimates.names) if name not in _NOT_SLOPES]
    names = tuple(estimates.names[k] for k in kept)
    return Estimates(names, estimates.value[kept], estimates.covariance[np.ix_(kept, kept)])


def _scaled(estimates: Estimates, by: np.ndarray, names: tuple[str, ...]) -> Estimates:
    return Estimates(names, by * estimates.value, np.outer(by, by) * estimates.covariance)
