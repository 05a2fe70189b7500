"""What all figures share: colours, markers, lines, the legend, the files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ._names import METHODS, in_order, method_name, setting_of

# Okabe and Ito's colours; markers and dashes differ too, for print in grey.
STYLES: dict[str, dict[str, Any]] = {
    "oracle": {"color": "#000000", "linestyle": (0, (1, 1.2)), "marker": "+"},
    "naive": {"color": "#777777", "linestyle": (0, (5, 2)), "marker": "x"},
    "enhanced": {"color": "#D55E00", "linestyle": "-", "marker": "o", "linewidth": 1.8},
    "joint": {"color": "#0072B2", "linestyle": "-", "marker": "s"},
    "mm": {"color": "#56B4E9", "linestyle": (0, (6, 1.5, 1, 1.5)), "marker": "D"},
    "en": {"color": "#009E73", "linestyle": (0, (4, 1.5)), "marker": "^"},
    "tice": {"color": "#CC79A7", "linestyle": (0, (2, 1)), "marker": "v"},
}
_SPARE = [
    {"color": "#E69F00", "linestyle": (0, (3, 1, 1, 1, 1, 1)), "marker": "P"},
    {"color": "#882255", "linestyle": (0, (8, 2)), "marker": "*"},
    {"color": "#332288", "linestyle": (0, (1, 2)), "marker": "X"},
]
_OPEN = {"mm", "en", "tice"}
RC = {
    "font.size": 8,
    "axes.titlesize": 8.5,
    "axes.linewidth": 0.6,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.5,
    "lines.linewidth": 1.1,
    "lines.markersize": 4,
    "svg.hashsalt": "unlabeled",
    "legend.frameon": False,
}
RULES = (
    " Enhanced cuts its score where F1_PU is largest, the others at a posterior of ½, which is not "
    "the best cut for F1: so even the oracle can be below."
)
CUT = " The panels are cut below the other methods, where naive leaves them."
WIDTH = 7.2  # inches: two columns of a journal


@dataclass(frozen=True)
class Drawing:
    """A figure with its words."""

    slug: str
    title: str
    caption: str
    alt: str
    figure: Figure

    def write(self, folder: Path) -> Path:
        """Write the figure as SVG and as PNG; return the path of the SVG file."""
        svg = folder / f"{self.slug}.svg"
        with mpl.rc_context(RC):
            self.figure.draw_without_rendering()
            self.figure.set_layout_engine("none")  # laid out once for both files
            self.figure.savefig(svg, metadata={"Date": None})
            self.figure.savefig(folder / f"{self.slug}.png", dpi=200)
        return svg


def rows_of(summary: pd.DataFrame, study: str, setting: str) -> pd.DataFrame:
    """Return a study's means in one setting."""
    own = summary["setting"].isin(setting_of(setting)) & (summary["study"] == study)
    return summary[own & (summary["repeats"] > 0)]


def panels(rows: int, columns: int, height: float, **shared: Any) -> tuple[Figure, Any]:
    """Return a figure and its axes, laid out with room for a legend below."""
    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False, **shared)


def style_of(method: str) -> dict[str, Any]:
    """Return colour, marker and dashes of a method; methods not in the paper share spare ones."""
    style = STYLES.get(method) or _SPARE[sum(map(ord, method)) % len(_SPARE)]
    fill = {"markerfacecolor": "white"} if method in _OPEN else {}
    return {**style, **fill}


def draw_lines(axes: Axes, means: pd.DataFrame, along: str) -> None:
    """Draw mean and standard error of every method against a coordinate."""
    for method in in_order(list(means["method"]), METHODS):
        own = means[means["method"] == method].sort_values(along)
        axes.errorbar(
            own[along],
            own["mean"],
            yerr=own["se"].fillna(0.0),
            label=method_name(method),
            elinewidth=0.8,
            zorder=3 if method == "enhanced" else 2,
            **style_of(method),
        )


def add_legend(figure: Figure, axes: Any, columns: int | None = None) -> None:
    """Put one legend for all panels below them, in one row or in so many columns."""
    entries = {}
    for panel in axes.flat:
        handles, names = panel.get_legend_handles_labels()
        entries |= dict(zip(names, handles, strict=True))
    names = [name for name in METHODS.values() if name in entries]
    names += [name for name in entries if name not in names]
    figure.legend(
        [entries[name] for name in names],
        names,
        loc="outside lower center",
        ncols=columns or len(names),
        handlelength=3.2,
        columnspacing=1.4,
    )


def cut_below_others(panel: Axes, means: pd.DataFrame) -> None:
    """Let the panel end below the other methods, where naive may leave it."""
    others = means[means["method"] != "naive"]
    if others.empty:
        return
    low = (others["mean"] - others["se"].fillna(0)).min()
    high = (means["mean"] + means["se"].fillna(0)).max()
    margin = 0.06 * max(high - low, 0.05)
    panel.set_ylim(low - margin, high + margin)
