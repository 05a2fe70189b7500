"""Share of positives and precision if labeling followed a feature."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..inference import TIMES, LabelingSensitivity, in_words, labeling_sensitivity
from ._display import BLACK, LINES, PALE, Display, legend_above

_ROOM = 0.08  # of the axes beyond the smallest and the largest k, in logarithms


class LabelingSensitivityDisplay(Display):
    """Share of positives and precision if labeling followed a feature, one line per feature.

    Positives of the group that a feature makes were labeled k times as often as others. The band
    is the interval of the share of positives. At 1 the numbers are those of the classifier. Labels
    do not tell which k holds. Make it with `from_estimator` or `from_sensitivity`.

    `to_frame` has the rows of `LabelingSensitivity.to_frame`, one feature below the other.

    Parameters
    ----------
    sensitivities : list of LabelingSensitivity
        What `inference.labeling_sensitivity` returns, for each feature.

    Attributes
    ----------
    ax_, figure_ : matplotlib objects
        The axes and the figure, set when the display is drawn.

    See Also
    --------
    unlabeled.inference.labeling_sensitivity : The numbers behind it.

    Examples
    --------
    >>> from unlabeled import PULogistic
    >>> from unlabeled.datasets import make_paper_gaussian
    >>> from unlabeled.plots import LabelingSensitivityDisplay
    >>> data = make_paper_gaussian(n=500, label_frequency=0.6, random_state=0)
    >>> model = PULogistic().fit(data.X, data.s)
    >>> display = LabelingSensitivityDisplay.from_estimator(
    ...     model, data.X, data.s, features=[0], times=[0.5, 1, 2]
    ... )
    >>> display.to_frame()["times"].tolist()
    [0.5, 1.0, 2.0]
    """

    _size = (7.0, 4.8)

    def __init__(self, sensitivities: list[LabelingSensitivity]) -> None:
        self.sensitivities = sensitivities

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        features: Any,
        times: Iterable[float] = TIMES,
        sample_weight: Any = None,
        confidence_level: float = 0.95,
        ax: Any = None,
        plot: bool = True,
    ) -> LabelingSensitivityDisplay:
        """Plot what a fitted classifier would say if labeling followed one of some features.

        Parameters
        ----------
        estimator : fitted PULogistic, PUEnsemble or PUThresholdClassifier
            Or a pipeline that ends with one.
        X : array-like, sparse matrix or frame of shape (n_rows, n_features)
            The rows that it was fitted to.
        y : array-like of shape (n_rows,)
            Their labels.
        features : str, int or list of them
            Names or positions of columns of `X`; a line for each.
        times : iterable of float, default=(1/3, 1/2, 1, 2, 3)
            k: how many times as often a positive row of the group was labeled, in odds.
        sample_weight : array-like of shape (n_rows,), optional
            The weights of the fit.
        confidence_level : float, default=0.95
            Level of the interval.
        ax : matplotlib axes, optional
            Where to draw; a new figure if None.
        plot : bool, default=True
            Whether to draw; the numbers alone do not need matplotlib.

        Returns
        -------
        display : LabelingSensitivityDisplay
        """
        named = list(features) if isinstance(features, list | tuple | np.ndarray) else [features]
        times = list(times)
        sensitivities = [
            labeling_sensitivity(
                estimator,
                X,
                y,
                column,
                times=times,
                sample_weight=sample_weight,
                confidence_level=confidence_level,
            )
            for column in named
        ]
        return cls.from_sensitivity(sensitivities, ax=ax, plot=plot)

    @classmethod
    def from_sensitivity(
        cls,
        sensitivities: LabelingSensitivity | list[LabelingSensitivity],
        *,
        ax: Any = None,
        plot: bool = True,
    ) -> LabelingSensitivityDisplay:
        """Plot what was computed before.

        Parameters
        ----------
        sensitivities : LabelingSensitivity, or list of them
            What `inference.labeling_sensitivity` returns, for each feature.
        ax : matplotlib axes, optional
            Where to draw; a new figure if None.
        plot : bool, default=True
            Whether to draw; the numbers alone do not need matplotlib.

        Returns
        -------
        display : LabelingSensitivityDisplay
        """
        is_one = isinstance(sensitivities, LabelingSensitivity)
        given: Any = [sensitivities] if is_one else sensitivities
        if not given or not all(isinstance(each, LabelingSensitivity) for each in given):
            raise ValueError(
                "`sensitivities` must be what `inference.labeling_sensitivity` returns, for at "
                f"least one feature; got {given!r}."
            )
        return cls(list(given))._drawn_if(plot, ax)

    def _columns(self) -> dict[str, np.ndarray]:
        tables = [
            {name: np.repeat(getattr(each, name), len(each.times)) for name in ("feature", "group")}
            | each._columns()
            for each in self.sensitivities
        ]
        return {name: np.concatenate([table[name] for table in tables]) for name in tables[0]}

    def _draw(self, ax: Any) -> None:
        for k, sensitivity in enumerate(self.sensitivities):
            look, order = LINES[k % len(LINES)], np.argsort(sensitivity.times)
            times, prior = sensitivity.times[order], sensitivity.class_prior[order]
            ax.fill_between(times, prior.lower, prior.upper, color=look["color"], alpha=0.15, lw=0)
            words = f"Positives with {sensitivity.group}"
            ax.plot(times, prior.estimate, lw=1.8, ms=6, label=words, **look)
            precision = sensitivity.precision[order]
            ax.plot(times, precision, lw=1.2, ms=6, markerfacecolor="white", **look)
        for face, words in ((BLACK, "Filled: share of positives"), ("white", "Open: precision")):
            ax.plot([], [], "o", color=BLACK, markerfacecolor=face, ls="none", label=words)
        self._scales(ax)

    def _scales(self, ax: Any) -> None:
        """Let x be logarithmic, with a tick at every k; leave room above."""
        columns = self._columns()
        times = np.unique(np.append(columns["times"], 1.0))
        ax.set_xscale("log")
        ax.set_xticks(times, [in_words(k) for k in times])
        ax.set_xticks([], minor=True)
        ax.set_xlim(times[0] / (1 + _ROOM), times[-1] * (1 + _ROOM))
        ax.set_xlabel("Labeled so many times as often as other positives, in odds")
        level = self.sensitivities[0].class_prior.confidence_level
        ax.set_ylabel(f"Fraction, with {100 * level:g} % intervals")
        top = 1.08 * max(float(columns[name].max()) for name in ("upper", "precision"))
        ax.plot([1, 1], [0, top], color=PALE, lw=1, zorder=0)
        legend_above(ax, 0.0, top)
