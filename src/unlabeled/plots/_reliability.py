"""Whether a posterior is calibrated, from labels and a label frequency."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from scipy import stats

from ..engine.estimators import fitted_model
from ..engine.parameters import check_fraction, check_level, check_positive
from ..engine.rows import encode_labels, score_column
from ..engine.sampling import Sampling
from ._display import (
    BLACK,
    BLUE,
    GRAY,
    VERMILION,
    LineDisplay,
    changed_look,
    known_fraction,
    labels_for,
    legend_above,
    posterior_of,
)


class ReliabilityDisplay(LineDisplay):
    r"""Fraction of positives against predicted posterior, in bins, from labels alone.

    Under SCAR :math:`P(S=1|x) = c\,P(Y=1|x)`. So in a bin of rows with posteriors
    near p, the fraction of labeled rows divided by c estimates the fraction of
    positives, which is p if the posterior is calibrated. The intervals are Wilson
    intervals of the labeled fraction, divided by c. Values above 1 are not clipped:
    they show that c is too small.

    **What it cannot see:** a posterior too small by a factor, with a c too large by
    the same factor, predicts the same label probabilities. The display tests the shape; it tests
    the scale only if c is known from elsewhere. Make it with `from_estimator` or
    `from_predictions`.

    `to_frame` has one row per bin: predicted, estimated, lower, upper and rows; and true, if
    the classes were given.

    Parameters
    ----------
    predicted : ndarray of shape (n_bins,)
        Mean posterior in each bin.
    labeled, rows : ndarray of shape (n_bins,)
        Numbers of labeled rows, and of rows.
    label_frequency : float
        c.
    confidence_level : float, default=0.95
        Confidence level of the intervals.
    true_share : ndarray of shape (n_bins,), optional
        Fraction of positives, if the classes are known.

    Attributes
    ----------
    line_ : matplotlib line
        The line of estimated fractions.
    ax_, figure_ : matplotlib objects
        The axes and the figure, set when the display is drawn.

    See Also
    --------
    sklearn.calibration.CalibrationDisplay : For known classes.

    Examples
    --------
    >>> from unlabeled import JointLogistic
    >>> from unlabeled.datasets import make_paper_gaussian
    >>> from unlabeled.plots import ReliabilityDisplay
    >>> data = make_paper_gaussian(n=2000, label_frequency=0.6, random_state=0)
    >>> model = JointLogistic().fit(data.X, data.s)
    >>> display = ReliabilityDisplay.from_estimator(model, data.X, data.s, n_bins=5)
    >>> numbers = display.to_frame()
    >>> bool((numbers["lower"] <= numbers["predicted"]).all())
    True
    """

    _size = (5.4, 5.2)

    def __init__(
        self,
        predicted: np.ndarray,
        labeled: np.ndarray,
        rows: np.ndarray,
        label_frequency: float,
        *,
        confidence_level: float = 0.95,
        true_share: np.ndarray | None = None,
    ) -> None:
        self.predicted = predicted
        self.labeled = labeled
        self.rows = rows
        self.label_frequency = label_frequency
        self.confidence_level = confidence_level
        self.true_share = true_share

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        label_frequency: float | None = None,
        n_bins: int = 10,
        confidence_level: float = 0.95,
        y_true: Any = None,
        pos_label: Any = None,
        ax: Any = None,
        plot: bool = True,
        **line_kwargs: Any,
    ) -> ReliabilityDisplay:
        """Compare an estimator's `predict_proba` with labels.

        After a fit to two samples, the posterior is that of the rows of both samples.

        Parameters
        ----------
        estimator : fitted classifier with `predict_proba`
            It must estimate P(Y=1|x), as all classifiers of this library do; a
            plain classifier of the labels estimates P(S=1|x).
        X : array-like of shape (n_rows, n_features)
            Feature rows, preferably not the training rows.
        y : array-like of shape (n_rows,)
            Label column. Every row counts once, also if the fit had weights.
        label_frequency : float, optional
            c; the estimator's `label_frequency_` if None.
        n_bins : int, default=10
            Number of bins with about the same number of rows.
        confidence_level : float, default=0.95
            Confidence level of the intervals.
        y_true : array-like of shape (n_rows,), optional
            True classes in {0, 1}, in a simulation.
        pos_label : object, optional
            The value of y that marks labeled rows, if the estimator does not
            know it.
        ax : matplotlib axes, optional
            Where to draw; a new figure if None.
        plot : bool, default=True
            Whether to draw; the numbers alone do not need matplotlib.
        **line_kwargs : dict
            Keyword arguments for the line, passed to matplotlib's `plot`.

        Returns
        -------
        display : ReliabilityDisplay
        """
        s, positive = labels_for(estimator, y, pos_label)
        posterior = posterior_of(estimator, X, positive)
        frequency = known_fraction("label_frequency", label_frequency, estimator)
        sampling = Sampling.of_model(fitted_model(estimator))
        if frequency is not None:
            posterior = sampling.rows_posterior(posterior, frequency)
        return cls.from_predictions(
            s,
            posterior,
            label_frequency=frequency,
            n_bins=n_bins,
            confidence_level=confidence_level,
            y_true=y_true,
            ax=ax,
            plot=plot,
            **line_kwargs,
        )

    @classmethod
    def from_predictions(
        cls,
        y: Any,
        posterior: Any,
        *,
        label_frequency: float | None,
        n_bins: int = 10,
        confidence_level: float = 0.95,
        y_true: Any = None,
        pos_label: Any = None,
        ax: Any = None,
        plot: bool = True,
        **line_kwargs: Any,
    ) -> ReliabilityDisplay:
        """Compare given posteriors with labels.

        Parameters
        ----------
        y : array-like of shape (n_rows,)
            Label column.
        posterior : array-like of shape (n_rows,)
            Predicted P(Y=1|x) of each row.
        label_frequency : float
            c.
        n_bins : int, default=10
            Number of bins with about the same number of rows. Equal posteriors
            stay together.
        confidence_level : float, default=0.95
            Confidence level of the intervals.
        y_true : array-like of shape (n_rows,), optional
            True classes in {0, 1}, in a simulation.
        pos_label : object, optional
            The value of y that marks labeled rows.
        ax : matplotlib axes, optional
            Where to draw; a new figure if None.
        plot : bool, default=True
            Whether to draw; the numbers alone do not need matplotlib.
        **line_kwargs : dict
            Keyword arguments for the line, passed to matplotlib's `plot`.

        Returns
        -------
        display : ReliabilityDisplay
        """
        if label_frequency is None:
            raise ValueError(
                "`label_frequency` must be in (0, 1]; got None, and the estimator has no "
                "`label_frequency_`. Pass it; `unlabeled.label_frequency` has estimators of it."
            )
        check_fraction("label_frequency", label_frequency)
        check_level(confidence_level)
        check_positive("n_bins", n_bins, Integral, "a whole number of at least 1")
        s, _ = encode_labels(y, pos_label)
        posterior = _probabilities(posterior, s)
        bins = _equal_bins(posterior, n_bins)
        rows = np.bincount(bins)
        display = cls(
            np.bincount(bins, posterior) / rows,
            np.bincount(bins, s).astype(int),
            rows,
            float(label_frequency),
            confidence_level=confidence_level,
        )
        if y_true is not None:
            display.true_share = np.bincount(bins, _classes(y_true, s)) / rows
        return display._drawn_if(plot, ax, **line_kwargs)

    def _columns(self) -> dict[str, np.ndarray]:
        ends = [
            stats.binomtest(int(k), int(n)).proportion_ci(self.confidence_level, method="wilson")
            for k, n in zip(self.labeled, self.rows, strict=True)
        ]
        columns = {
            "predicted": self.predicted,
            "estimated": self.labeled / self.rows / self.label_frequency,
            "lower": np.array([end.low for end in ends]) / self.label_frequency,
            "upper": np.array([end.high for end in ends]) / self.label_frequency,
            "rows": self.rows,
        }
        if self.true_share is not None:
            columns["true"] = self.true_share
        return columns

    def _draw(self, ax: Any, **line_kwargs: Any) -> None:
        columns = self._columns()
        c, p = self.label_frequency, columns["predicted"]
        ax.plot([0, 1], [0, 1], color=GRAY, ls=(0, (4, 2)), lw=1, label="Calibrated")
        ax.vlines(p, columns["lower"], columns["upper"], color=BLUE, lw=1.4)
        words = f"Share labeled / {c:.2f}, {self.confidence_level:.0%} intervals"
        look = {"color": BLUE, "linewidth": 0.8, "marker": "o", "markersize": 5, "label": words}
        (self.line_,) = ax.plot(p, columns["estimated"], **changed_look(look, line_kwargs))
        if self.true_share is not None:
            look = {"markerfacecolor": "white", "markeredgecolor": VERMILION, "ms": 6}
            ax.plot(p, columns["true"], "s", color=BLACK, label="True share of positives", **look)
        ax.set(xlabel="Mean predicted posterior", ylabel="Share of positives, under SCAR")
        ax.set_xlim(-0.03, 1.03)
        legend_above(ax, -0.03, 1.03 * max(1.0, float(columns["upper"].max())))


def _classes(y_true: Any, s: np.ndarray) -> np.ndarray:
    column = score_column(np.asarray(y_true) + 0, s, "y_true")
    if not np.all((column == 0) | (column == 1)):
        raise ValueError(
            f"`y_true` must hold 0 and 1; got {np.unique(column)[:5].tolist()}. Encode the classes."
        )
    return column


def _probabilities(posterior: Any, s: np.ndarray) -> np.ndarray:
    """Check a column with one probability per row."""
    column = score_column(posterior, s, "posterior")
    outside = column[(column < 0) | (column > 1)]
    if len(outside):
        raise ValueError(
            "`posterior` must hold probabilities, from 0 to 1; got "
            f"{float(outside[0])!r}. Pass P(Y=1|x), not a score."
        )
    return column


def _equal_bins(value: np.ndarray, n_bins: int) -> np.ndarray:
    """Return the index of each row's bin, for bins of equal size; equal values stay together."""
    levels = np.arange(1, n_bins) / n_bins
    edges = np.unique(np.quantile(value, levels, method="inverted_cdf"))
    _, bins = np.unique(np.searchsorted(edges, value), return_inverse=True)
    return bins
