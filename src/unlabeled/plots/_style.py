"""What all pictures share: colours, dashes, hatches, axes."""

from __future__ import annotations

from typing import Any

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


def axes_for(ax: Any, size: tuple[float, float]) -> Any:
    """Return the given axes, or those of a new figure, without the upper and right edge."""
    if ax is None:
        import matplotlib.pyplot as plt

        _, ax = plt.subplots(figsize=size, layout="constrained")
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def legend(ax: Any, loc: str, **options: Any) -> Any:
    """Add a legend without a frame."""
    return ax.legend(loc=loc, frameon=False, fontsize=SMALL, handlelength=2.8, **options)
