"""Importance of columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..inspection import LabelImportance
from ._display import BLUE, RankedDisplay


class ImportanceDisplay(RankedDisplay):
    """Importance of columns with standard errors, the most important on top.

    Make it with `from_importance`.

    `to_frame` has the shown rows of `LabelImportance.to_frame`, from top to bottom.

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
    >>> data = make_paper_gaussian(n=1000, label_frequency=0.6, random_state=0)
    >>> found = label_importance(EnhancedLogistic(), data.X, data.s, random_state=0)
    >>> display = ImportanceDisplay.from_importance(found, top=2)
    >>> len(display.to_frame())
    2
    """

    def __init__(self, importance: LabelImportance, *, top: int | None = 20) -> None:
        super().__init__(len(importance.names), top)
        self.importance = importance

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

    def _columns(self) -> dict[str, np.ndarray]:
        return {name: column[: self.top] for name, column in self.importance._columns().items()}

    def _draw(self, ax: Any) -> None:
        columns = self._columns()
        mean, error = columns["importance"], columns["standard_error"]
        position = self._draw_ends(ax, mean - error, mean + error)
        ax.plot(mean, position, "o", color=BLUE, label="Mean fall, with one standard error")
        self._name_lines(ax, columns["name"], "Fall of the left-out score when shuffled")
