"""The shape of a display: numbers first, drawn when asked."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, TypeVar

import numpy as np

from ._style import axes_for

D = TypeVar("D", bound="Display")


class Display(ABC):
    """Base class: a subclass writes `frame` and `_draw(ax)`."""

    # Width and height of a figure made for it, in inches.
    _size: tuple[float, float] = (7.0, 4.2)

    @abstractmethod
    def frame(self) -> dict[str, np.ndarray]:
        """Return the plotted numbers, a column a quantity."""

    @abstractmethod
    def _draw(self, ax: Any) -> None:
        """Draw what `frame` says."""

    def plot(self: D, ax: Any = None) -> D:
        """Draw it.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; a new figure if None.

        Returns
        -------
        display : Display
            Itself, with `ax_` and `figure_`.
        """
        ax = axes_for(ax, self._size)
        self._draw(ax)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _plotted_if(self: D, ax: Any, plot: bool) -> D:
        """Itself, drawn at once where that was asked for or axes were given."""
        return self.plot(ax) if plot or ax is not None else self
