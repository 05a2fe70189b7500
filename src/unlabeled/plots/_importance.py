"""Importance of columns."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from ..engine.parameters import check_positive
from ..inspection import LabelImportance
from ._display import BLUE, GREY, Display, legend_above


class ImportanceDisplay(Display):
    """Importance of columns with standard errors, the most important on top.

    Make it with `from_importance`.

    Parameters
    ----------
    importance : LabelImportance
        What `inspection.label_importance` returns.
    top : int or None, default=20
        Number of columns to show; None shows all.

    Attributes
    ----------
    ax_, figure_ : matplotlib objects
        The axes and the figure, set when the display is drawn.

    See Also
    --------
    unlabeled.inspection.label_importance : The numbers behind it.
    unlabeled.plots.CoefficientDisplay : Coefficients of a linear classifier.

    Examples
    --------
    >>> from unlabeled import EnhancedLogistic
    >>> from unlabeled.datasets import make_paper_gaussian
    >>> from unlabeled.inspection import label_importance
    >>> from unlabeled.plots import ImportanceDisplay
    >>> data = make_paper_gaussian(n=1000, c=0.6, random_state=0)
    >>> found = label_importance(EnhancedLogistic(), data.X, data.s, random_state=0)
    >>> display = ImportanceDisplay.from_importance(found, top=2)
    >>> len(display.frame()["name"])
    2
    """

    def __init__(self, importance: LabelImportance, *, top: int | None = 20) -> None:
        if top is not None:
            check_positive("top", top, Integral, "None or a whole number of at least 1")
        self.importance = importance
        self.top = top
        self._size = (7.0, 1.5 + 0.28 * len(importance.names[:top]))

    @classmethod
    def from_importance(
        cls,
        importance: LabelImportance,
        *,
        top: int | None = 20,
        ax: Any = None,
        plot: bool = True,
    ) -> ImportanceDisplay:
        """Plot the importance of columns.

        Parameters
        ----------
        importance : LabelImportance
            What `inspection.label_importance` returns.
        top : int or None, default=20
            Number of columns to show; None shows all.
        ax : matplotlib axes, optional
            Where to draw; a new figure if None.
        plot : bool, default=True
            Whether to draw; the numbers alone do not need matplotlib.

        Returns
        -------
        display : ImportanceDisplay
        """
        return cls(importance, top=top)._drawn_if(plot, ax)

    def frame(self) -> dict[str, np.ndarray]:
        """Return the plotted numbers, one line per column, from top to bottom.

        Returns
        -------
        columns : dict of str to ndarray
            Ready for `pandas.DataFrame`.
        """
        return {name: column[: self.top] for name, column in self.importance.frame().items()}

    def _draw(self, ax: Any) -> None:
        columns = self.frame()
        mean, error = columns["importance"], columns["standard_error"]
        position = np.arange(len(mean))
        ax.plot([0, 0], [-0.5, len(position) - 0.5], color=GREY, lw=1, ls=(0, (4, 2)), zorder=0)
        ax.hlines(position, mean - error, mean + error, color=BLUE, lw=1.6)
        ax.plot(mean, position, "o", color=BLUE, label="Mean fall, with one standard error")
        ax.set_yticks(position, columns["name"])
        every = len(self.importance.names)
        some = f", the {len(position)} largest of {every}" if len(position) < every else ""
        ax.set_xlabel(f"Fall of the left-out score when shuffled{some}")
        legend_above(ax, len(position) - 0.4, -0.6)
