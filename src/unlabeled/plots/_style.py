"""What all pictures share: colours, dashes, hatches, axes."""

from __future__ import annotations

from typing import Any

from ..extras import needs_extra

# Okabe and Ito's colours, told apart by the colour-blind; dashes, markers and hatches tell them
# apart in grey.
BLACK, GREY, PALE = "#000000", "#555555", "#DDDDDD"
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
"""Looks of several lines in one picture, in turn."""

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


def changed_look(look: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """Return the look of a line with a user's changes, by short or long names."""
    from matplotlib.cbook import normalize_kwargs
    from matplotlib.lines import Line2D

    return look | normalize_kwargs(changes, Line2D)


def legend(ax: Any, loc: str, **options: Any) -> Any:
    """Add a legend without a frame."""
    return ax.legend(loc=loc, frameon=False, fontsize=SMALL, handlelength=2.8, **options)


def size_of(ax: Any) -> tuple[float, float]:
    """Width and height of axes, in inches."""
    box = ax.get_window_extent().transformed(ax.figure.dpi_scale_trans.inverted())
    return box.width, box.height


def legend_room(ax: Any, entries: int) -> tuple[int, float]:
    """Columns of a legend with so many entries, and its height as a share of the axes'."""
    width, height = size_of(ax)
    columns = 2 if width >= _TWO_COLUMNS else 1
    return columns, min(0.5, (_AROUND + _LINE * -(-entries // columns)) / height)


def legend_above(ax: Any, bottom: float, top: float) -> None:
    """Let the axes reach from `bottom` to `top` and as far above as a legend needs."""
    columns, room = legend_room(ax, len(ax.get_legend_handles_labels()[1]))
    ax.set_ylim(bottom, bottom + (top - bottom) / (1 - room))
    legend(ax, "upper left", ncols=columns, borderaxespad=0.3)
