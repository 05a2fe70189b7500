"""The shape of a display: numbers first, then drawn."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, TypeVar

import numpy as np

from ..parameters import check_flag
from ._style import axes_for

D = TypeVar("D", bound="Display")


class Display(ABC):
    """Base class: a subclass writes `frame` and `_draw(ax)`.

    `frame` gives a dictionary of columns, which ``pandas.DataFrame`` and ``polars.DataFrame``
    take as it is: neither package is needed for a picture, nor matplotlib for its numbers.
    """

    # Width and height of a figure made for it, in inches.
    _size: tuple[float, float] = (7.0, 4.2)

    @abstractmethod
    def frame(self) -> dict[str, np.ndarray]:
        """Return the plotted numbers, a column a quantity."""

    @abstractmethod
    def _draw(self, ax: Any) -> None:
        """Draw what `frame` says."""

    def plot(self: D, ax: Any = None) -> D:
        """Draw it, once more where it was drawn.

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
        """Itself, drawn unless only the numbers were asked for."""
        check_flag("plot", plot)
        if plot:
            ax = axes_for(ax, self._size)
            self._draw(ax, **line_kwargs)
            self.ax_, self.figure_ = ax, ax.figure
        return self


class LineDisplay(Display):
    """Base class of a display with one line that matters, which the user may change."""

    @abstractmethod
    def _draw(self, ax: Any, **line_kwargs: Any) -> None:
        """Draw what `frame` says, and set `line_`."""

    def plot(self: D, ax: Any = None, **line_kwargs: Any) -> D:
        """Draw it, once more where it was drawn.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; a new figure if None.
        **line_kwargs : dict
            Look of its line, as in matplotlib's `plot`.

        Returns
        -------
        display : Display
            Itself, with `line_`, `ax_` and `figure_`.
        """
        return self._drawn_if(True, ax, **line_kwargs)
