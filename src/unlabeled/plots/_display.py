"""Code that all displays share: base classes, scores of a classifier, colors and legends.

To add a display, write a file beside this one with a subclass of `Display`, export it in
``__init__.py``, and add it to the list in ``tests/plots/test_display.py``, which runs the
common tests on it.
"""

from __future__ import annotations

from abc import abstractmethod
from numbers import Integral
from typing import Any, NamedTuple, TypeVar

import numpy as np
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from ..engine.estimators import (
    agreed_pos_label,
    fitted_model,
    reject_other_labels,
    score_method,
    scores_of,
)
from ..engine.extras import needs_extra
from ..engine.parameters import check_flag, check_fraction, check_positive, listed
from ..engine.result_table import Columns
from ..engine.rows import encode_labels
from ..engine.sampling import Sampling

D = TypeVar("D", bound="Display")


class Display(Columns):
    """Base class: a subclass writes `_columns`, `_draw(ax)` and class methods that make it.

    The picture does not need pandas, and the numbers do not need matplotlib. A class method, such
    as `from_estimator`, takes `ax` and `plot` and ends with ``return display._drawn_if(plot, ax)``.
    """

    # Width and height of a new figure, in inches.
    _size: tuple[float, float] = (7.0, 4.2)

    @abstractmethod
    def _draw(self, ax: Any) -> None:
        """Draw the columns."""

    def plot(self: D, ax: Any = None) -> D:
        """Draw the display, again if it was drawn before.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; a new figure if None.

        Returns
        -------
        display : Display
            Itself, with `ax_` and `figure_`.
        """
        return self._drawn_if(True, ax)

    def _drawn_if(self: D, plot: bool, ax: Any, **line_kwargs: Any) -> D:
        """Return the display, drawn if `plot`."""
        check_flag("plot", plot)
        if line_kwargs and not plot:
            raise TypeError(
                f"Arguments must be those of {type(self).__name__}, or of a line that is drawn; "
                f"got {listed(line_kwargs)} with plot=False. Check their names, or leave them out."
            )
        if plot:
            ax = axes_for(ax, self._size)
            self._draw(ax, **line_kwargs)
            self.ax_, self.figure_ = ax, ax.figure
        return self


class RankedDisplay(Display):
    """Base class of a display with one line for each name, the first on top."""

    def __init__(self, n_names: int, top: int | None) -> None:
        if top is not None:
            check_positive("top", top, Integral, "None or a whole number of at least 1")
        self.top = top
        self._n_names = n_names
        shown = n_names if top is None else min(top, n_names)
        self._size = (7.0, 1.5 + 0.28 * shown)

    def _draw_ends(self, ax: Any, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
        """Draw a line at 0 and one from end to end for each name; return their heights."""
        position = np.arange(len(lower))
        ax.plot([0, 0], [-0.5, len(position) - 0.5], color=GRAY, lw=1, ls=(0, (4, 2)), zorder=0)
        ax.hlines(position, lower, upper, color=BLUE, lw=1.6)
        return position

    def _name_lines(self, ax: Any, names: np.ndarray, xlabel: str) -> None:
        """Write the names beside their lines, and how many there are in all; add the legend."""
        ax.set_yticks(np.arange(len(names)), names)
        some = f", the {len(names)} largest of {self._n_names}" * (len(names) < self._n_names)
        ax.set_xlabel(xlabel + some)
        legend_above(ax, len(names) - 0.4, -0.6)


class LineDisplay(Display):
    """Base class of a display with one main line, whose look the user may change."""

    @abstractmethod
    def _draw(self, ax: Any, **line_kwargs: Any) -> None:
        """Draw the columns, and set `line_`."""

    def plot(self: D, ax: Any = None, **line_kwargs: Any) -> D:
        """Draw the display, again if it was drawn before.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; a new figure if None.
        **line_kwargs : dict
            Keyword arguments for the line, passed to matplotlib's `plot`.

        Returns
        -------
        display : Display
            Itself, with `line_`, `ax_` and `figure_`.
        """
        return self._drawn_if(True, ax, **line_kwargs)


# Labels, scores and threshold of a fitted classifier.


class LabeledScores(NamedTuple):
    """Labels in {0, 1}, scores, the classifier's threshold, and the label value of positives."""

    s: np.ndarray
    score: np.ndarray
    cut: float
    positive: Any
    sampling: Sampling = Sampling.ONE


def labels_for(estimator: Any, y: Any, pos_label: Any = None) -> tuple[np.ndarray, Any]:
    """Return s in {0, 1}, and the label value the classifier takes as positive."""
    check_is_fitted(estimator)
    positive = agreed_pos_label(estimator, pos_label)
    reject_other_labels(estimator, y)
    s, encoding = encode_labels(y, positive)
    return s, encoding.classes.tolist()[1]


def scored_rows(estimator: Any, X: Any, y: Any, pos_label: Any = None) -> LabeledScores:
    """Score rows by a fitted classifier, before it subtracts its threshold."""
    s, positive = labels_for(estimator, y, pos_label)
    score = scores_of(estimator, X, positive)
    check_consistent_length(score, s)
    model = fitted_model(estimator)
    sampling = Sampling.of_model(model)
    if score_method(estimator) == "predict_proba":
        return LabeledScores(s, score, 0.5, positive, sampling)
    cut = _cut_of(model, positive)
    return LabeledScores(s, score + cut, cut, positive, sampling)


def _cut_of(model: Any, positive: Any) -> float:
    """Return the threshold; for scikit-learn's linear classifiers, minus the intercept."""
    if hasattr(model, "positive_score"):
        return model.threshold_
    if hasattr(model, "coef_") and np.size(getattr(model, "intercept_", ())) == 1:
        return -sign_toward(model, positive) * float(np.ravel(model.intercept_)[0])
    return 0.0


def sign_toward(model: Any, positive: Any) -> float:
    """Return 1 if scikit-learn's signs point to `positive` or it is None, else -1."""
    return -1.0 if positive == model.classes_[0] else 1.0


def posterior_of(estimator: Any, X: Any, positive: Any) -> np.ndarray:
    """Return the column of `predict_proba` that belongs to the positive class."""
    if not hasattr(estimator, "predict_proba"):
        raise ValueError(
            "`estimator` must have `predict_proba`; "
            f"got {type(fitted_model(estimator)).__name__}. Use its score."
        )
    column = list(estimator.classes_).index(positive)
    return np.asarray(estimator.predict_proba(X))[:, column]


def known_fraction(name: str, given: Any, estimator: Any) -> float | None:
    """Return the class prior or label frequency given, else the estimator's, else None."""
    check_fraction(name, given, none_allowed=True)
    value = getattr(fitted_model(estimator), f"{name}_", None) if given is None else given
    return None if value is None else float(value)


# Colors, dashes and legends.

# Okabe and Ito's colors, which the color-blind can distinguish; dashes, markers and hatches
# distinguish them in gray.
BLACK, GRAY, PALE = "#000000", "#555555", "#DDDDDD"
BLUE, VERMILION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
ORANGE, SKY = "#E69F00", "#56B4E9"

LINES: tuple[dict[str, Any], ...] = (
    {"color": BLUE, "linestyle": "-", "marker": "o"},
    {"color": VERMILION, "linestyle": (0, (5, 2)), "marker": "s"},
    {"color": GREEN, "linestyle": (0, (6, 1.5, 1, 1.5)), "marker": "^"},
    {"color": PURPLE, "linestyle": (0, (1, 1.2)), "marker": "D"},
    {"color": ORANGE, "linestyle": (0, (3, 1, 1, 1, 1, 1)), "marker": "v"},
    {"color": SKY, "linestyle": (0, (8, 2)), "marker": "P"},
)
"""Looks of several lines in one picture, used in this order."""

SMALL = 8.5

# In inches: a line of a legend, the space around it, and the least width of two columns.
_LINE, _AROUND, _TWO_COLUMNS = 0.18, 0.16, 4.6


def axes_for(ax: Any, size: tuple[float, float]) -> Any:
    """Return the given axes, or those of a new figure, without the upper and right edge."""
    if ax is None:
        with needs_extra("A plot", "plots"):
            import matplotlib.pyplot as plt

        _, ax = plt.subplots(figsize=size, layout="constrained")
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def shown_name(name: str) -> str:
    """Return the name of a measure or of a rule as a plot shows it."""
    known = {"f1_pu": "F1$_{PU}$", "mcc": "MCC"}
    return known.get(name, name.replace("_", " ").replace("(", " (").capitalize())


def changed_look(look: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """Return the look of a line with a user's changes, under short or long names."""
    from matplotlib.cbook import normalize_kwargs
    from matplotlib.lines import Line2D

    return look | normalize_kwargs(changes, Line2D)


def legend(ax: Any, loc: str, **options: Any) -> Any:
    """Add a legend without a frame."""
    return ax.legend(loc=loc, frameon=False, fontsize=SMALL, handlelength=2.8, **options)


def size_of(ax: Any) -> tuple[float, float]:
    """Return width and height of axes, in inches."""
    box = ax.get_window_extent().transformed(ax.figure.dpi_scale_trans.inverted())
    return box.width, box.height


def legend_room(ax: Any, entries: int) -> tuple[int, float]:
    """Return the columns of a legend and its height as a fraction of the axes'."""
    width, height = size_of(ax)
    columns = 2 if width >= _TWO_COLUMNS else 1
    return columns, min(0.5, (_AROUND + _LINE * -(-entries // columns)) / height)


def legend_above(ax: Any, bottom: float, top: float) -> None:
    """Let the axes reach from `bottom` to `top`, and leave room for a legend above."""
    columns, room = legend_room(ax, len(ax.get_legend_handles_labels()[1]))
    ax.set_ylim(bottom, bottom + (top - bottom) / (1 - room))
    legend(ax, "upper left", ncols=columns, borderaxespad=0.3)
