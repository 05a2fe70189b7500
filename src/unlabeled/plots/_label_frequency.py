"""The profile likelihood of the label frequency and its interval."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import stats

from ..engine.estimators import fitted_model, rows_of_last_step
from ..engine.sampling import Sampling
from ..inference import Interval
from ._display import (
    BLACK,
    BLUE,
    GRAY,
    PALE,
    VERMILION,
    LineDisplay,
    changed_look,
    legend_above,
)

_POINTS = 41
_DEEPEST = 2.5  # depth of the picture, in units of the limit


class LabelFrequencyDisplay(LineDisplay):
    r"""Profile likelihood of the label frequency, and which values it rules out.

    The curve is :math:`2(\ell(c) - \ell(\hat c))`, with :math:`\ell(c)` the largest
    log-likelihood of JOINT at a fixed c. The interval contains the values of c at
    which the curve is above :math:`-\chi^2_{1,level}`. At the boundary c = 1 a stricter
    limit applies, :math:`-\chi^2_{1,2\,level-1}`. Assumes SCAR and a logistic posterior. A flat
    curve means that the labels do not determine c. Make it with
    `from_estimator`.

    `to_frame` has one row per label frequency, of which the estimate is one: label_frequency,
    likelihood_ratio and in_interval.

    Parameters
    ----------
    label_frequency : ndarray of shape (n_points,)
        Increasing values of c.
    likelihood_ratio : ndarray of shape (n_points,)
        The curve.
    interval : Interval
        Estimate and interval of c.

    Attributes
    ----------
    limit, limit_at_one : float
        The two limits, negative.
    line_ : matplotlib line
        The curve.
    ax_, figure_ : matplotlib objects
        The axes and the figure, set when the display is drawn.

    See Also
    --------
    unlabeled.JointLogistic : The model.

    Examples
    --------
    >>> from unlabeled import JointLogistic
    >>> from unlabeled.datasets import make_paper_gaussian
    >>> from unlabeled.plots import LabelFrequencyDisplay
    >>> data = make_paper_gaussian(n=2000, label_frequency=0.6, random_state=0)
    >>> model = JointLogistic().fit(data.X, data.s)
    >>> display = LabelFrequencyDisplay.from_estimator(model, data.X, data.s)
    >>> [round(display.interval.lower, 2), round(display.interval.upper, 2)]
    [0.64, 1.0]
    """

    def __init__(
        self, label_frequency: np.ndarray, likelihood_ratio: np.ndarray, interval: Interval
    ) -> None:
        self.label_frequency = label_frequency
        self.likelihood_ratio = likelihood_ratio
        self.interval = interval
        self.limit = -float(stats.chi2.ppf(interval.confidence_level, 1))
        self.limit_at_one = -float(stats.chi2.ppf(max(2 * interval.confidence_level - 1, 0.0), 1))

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        confidence_level: float = 0.95,
        ax: Any = None,
        plot: bool = True,
        checked: Any = None,
        **line_kwargs: Any,
    ) -> LabelFrequencyDisplay:
        """Plot the profile likelihood of a fitted `JointLogistic`.

        Parameters
        ----------
        estimator : fitted JointLogistic, or pipeline that ends in one
            Fitted without a given label frequency.
        X : array-like of shape (n_rows, n_features)
            The training rows.
        y : array-like of shape (n_rows,)
            Their labels.
        sample_weight : array-like of shape (n_rows,), optional
            Their weights.
        confidence_level : float, default=0.95
            Confidence level of the interval.
        ax : matplotlib axes, optional
            Where to draw; a new figure if None.
        plot : bool, default=True
            Whether to draw; the numbers alone do not need matplotlib.
        checked : array-like of shape (n_rows,), optional
            The answers of checked rows, if the fit had any.
        **line_kwargs : dict
            Keyword arguments for the curve, passed to matplotlib's `plot`.

        Returns
        -------
        display : LabelFrequencyDisplay
        """
        model = fitted_model(estimator)
        if not hasattr(model, "label_frequency_profile"):
            raise ValueError(
                "`estimator` must be a JointLogistic, or a pipeline that ends in one; "
                f"got {type(model).__name__}, which has no likelihood of the label frequency."
            )
        rows = (rows_of_last_step(estimator, X), y, sample_weight)
        interval = model.label_frequency_interval(
            *rows, confidence_level=confidence_level, checked=checked
        )
        sampling = Sampling.of(model.sampling)
        share = sampling.labeled_share(model.label_frequency_, model.class_prior_)
        frequencies = _around(interval, share)
        c, profile = model.label_frequency_profile(*rows, frequencies=frequencies, checked=checked)
        best = profile[np.searchsorted(c, interval.estimate)]
        return cls(c, 2 * (profile - best), interval)._drawn_if(plot, ax, **line_kwargs)

    def _columns(self) -> dict[str, np.ndarray]:
        return {
            "label_frequency": self.label_frequency,
            "likelihood_ratio": self.likelihood_ratio,
            "in_interval": np.array([value in self.interval for value in self.label_frequency]),
        }

    def _draw(self, ax: Any, **line_kwargs: Any) -> None:
        interval, bottom = self.interval, _DEEPEST * self.limit
        c, ratio = self.label_frequency, self.likelihood_ratio
        lower, upper = interval
        span = f"{interval.confidence_level:.0%} interval, {lower:.2f} to {upper:.2f}"
        ax.fill_between([*interval], bottom, 0, color=PALE, lw=0, alpha=0.6, label=span)
        look = {"color": BLUE, "linewidth": 2, "label": "Profile"}
        (self.line_,) = ax.plot(c, ratio, **changed_look(look, line_kwargs))
        ax.axhline(self.limit, color=GRAY, ls="--", lw=1, label=f"Limit, −{-self.limit:.2f}")
        estimate = f"Estimate, {interval.estimate:.2f}"
        ax.plot([interval.estimate], [0], "o", color=BLUE, label=estimate)
        if c[-1] == 1:
            verdict = "not ruled out" if 1.0 in interval else "ruled out"
            words = f"Limit at c = 1, −{-self.limit_at_one:.2f}: {verdict}"
            ax.plot([1, 1], [bottom, 0], color=BLACK, lw=0.8, ls=":")
            ax.plot([1.0], [self.limit_at_one], "<", color=VERMILION, ms=8, label=words)
        shown = c[ratio >= 1.1 * bottom]
        margin = 0.03 * (shown[-1] - shown[0])
        ax.set(xlabel="Label frequency c", ylabel="2 (log-likelihood − its maximum)")
        ax.set(xlim=(shown[0] - margin, shown[-1] + margin), ylim=(bottom, 0.5))
        ax.set_yticks([tick for tick in ax.get_yticks() if bottom <= tick <= 0])
        legend_above(ax, bottom, 0.5)


def _around(interval: Interval, labeled_share: float) -> np.ndarray:
    """Return frequencies that cover the interval and 60 % more; they include the estimate."""
    beyond = 0.6 * (interval.upper - interval.lower)
    lowest = max(labeled_share + 0.01 * (1 - labeled_share), interval.lower - beyond)
    highest = min(1.0, interval.upper + beyond)
    return np.unique([*np.linspace(lowest, highest, _POINTS), interval.estimate])
