"""The paper's figures, and the one on robustness, drawn from records."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ._records import (
    MEASURES,
    MECHANISMS,
    METHODS,
    SETTING_WORDS,
    SYNTHETIC,
    drawn,
    in_order,
    method_name,
    setting_of,
)

# Okabe and Ito's colors. Markers and dashes differ too, for greyscale print.
STYLES: dict[str, dict[str, Any]] = {
    "oracle": {"color": "#000000", "linestyle": (0, (1, 1.2)), "marker": "+"},
    "naive": {"color": "#777777", "linestyle": (0, (5, 2)), "marker": "x"},
    "enhanced": {"color": "#D55E00", "linestyle": "-", "marker": "o", "linewidth": 1.8},
    "joint": {"color": "#0072B2", "linestyle": "-", "marker": "s"},
    "mm": {"color": "#56B4E9", "linestyle": (0, (6, 1.5, 1, 1.5)), "marker": "D"},
    "en": {"color": "#009E73", "linestyle": (0, (4, 1.5)), "marker": "^"},
    "tice": {"color": "#CC79A7", "linestyle": (0, (2, 1)), "marker": "v"},
    "pu_logistic": {"color": "#E69F00", "linestyle": "-", "marker": "P", "linewidth": 1.8},
    "pu_ensemble": {"color": "#882255", "linestyle": (0, (8, 2)), "marker": "*"},
}
STYLES["enhanced_ba"] = {**STYLES["enhanced"], "linestyle": (0, (3, 1.5)), "linewidth": 1.1}
# Each figure draws them with the threshold for its measure, as one method.
_SAME_METHOD = {"pu_logistic_ba": "pu_logistic", "pu_ensemble_ba": "pu_ensemble"}
_SPARE = [
    {"color": "#B8860B", "linestyle": (0, (3, 1, 1, 1, 1, 1)), "marker": "p"},
    {"color": "#117733", "linestyle": (0, (8, 2)), "marker": "d"},
    {"color": "#332288", "linestyle": (0, (1, 2)), "marker": "X"},
]
_OPEN = {"enhanced_ba", "mm", "en", "tice"}
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
    " Enhanced puts its threshold where F1_PU is largest, the paper's other methods at a posterior "
    "of ½. That is not the best threshold for F1, so even the oracle can be below Enhanced. "
    "PULogistic and PUEnsemble are not in the paper. They choose their threshold for the measure."
)
CUT = " Panels end just below the other methods; naive may leave them."
WIDTH = 7.2  # inches: two columns of a journal
_ONE_ROW = 7  # as many names fit into one row of a legend


@dataclass(frozen=True)
class Drawing:
    """A figure with its title, caption and text alternative."""

    slug: str
    title: str
    caption: str
    alt: str
    figure: Figure

    def write(self, folder: Path) -> None:
        """Write the figure as SVG."""
        with mpl.rc_context(RC):
            self.figure.draw_without_rendering()
            self.figure.set_layout_engine("none")  # laid out with the metrics of pixels, once
            self.figure.savefig(folder / f"{self.slug}.svg", metadata={"Date": None})


def rows_of(summary: pd.DataFrame, study: str, setting: str) -> pd.DataFrame:
    """Return a study's means in one setting."""
    own = summary["setting"].isin(setting_of(setting)) & (summary["study"] == study)
    return summary[own & (summary["repeats"] > 0)]


def panels(rows: int, columns: int, height: float, **shared: Any) -> tuple[Figure, Any]:
    """Return a figure and its axes, with room for a legend below."""
    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False, **shared)


def style_of(method: str) -> dict[str, Any]:
    """Return color, marker and dashes; methods that are not in the paper share spare ones."""
    method = _SAME_METHOD.get(method, method)
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
            label=method_name(_SAME_METHOD.get(method, method)),
            elinewidth=0.8,
            zorder=3 if method == "enhanced" else 2,
            **style_of(method),
        )


def add_legend(figure: Figure, axes: Any, columns: int | None = None) -> None:
    """Put one legend for all panels below them, in this many columns, or in one or two rows."""
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
        ncols=columns or (len(names) if len(names) <= _ONE_ROW else math.ceil(len(names) / 2)),
        handlelength=3.2,
        columnspacing=1.4,
    )


def cut_below_others(panel: Axes, means: pd.DataFrame) -> None:
    """Set the lower limit just below the other methods; the naive curve may be cut off."""
    others = means[means["method"] != "naive"]
    if others.empty:
        return
    low = (others["mean"] - others["se"].fillna(0)).min()
    high = (means["mean"] + means["se"].fillna(0)).max()
    margin = 0.06 * max(high - low, 0.05)
    panel.set_ylim(low - margin, high + margin)


ROWS = ("angle", "f1", "balanced_accuracy")


@mpl.rc_context(RC)
def synthetic_figure(summary: pd.DataFrame, setting: str) -> Drawing | None:
    """Draw figure 1 in one setting: angle, F1 and balanced accuracy, one column per c.

    Parameters
    ----------
    summary : DataFrame
        From `summarize`.
    setting : str
        Setting of the competitors.

    Returns
    -------
    Drawing or None
        None if the records have no synthetic study.
    """
    means = rows_of(summary, "synthetic", setting)
    frequencies = sorted(means["c"].unique())
    if not frequencies:
        return None
    figure, axes = panels(3, len(frequencies), 7.6, sharex=True, sharey="row")
    for row, measure in enumerate(ROWS):
        for column, c in enumerate(frequencies):
            panel = axes[row, column]
            draw_lines(panel, drawn(means[means["c"] == c], measure), "n")
            if row == 0:
                panel.set_title(f"c = {c:g}")
                panel.set_ylim(bottom=0)
        axes[row, 0].set_ylabel(MEASURES[measure])
    for panel in axes[-1]:
        panel.set_xlabel("Sample size n")
    add_legend(figure, axes)
    return Drawing(
        f"figure-1-{setting}",
        f"Figure 1. Synthetic data, competitors {SETTING_WORDS[setting]}",
        "Mean angle to β, F1 and balanced accuracy against the sample size; bars are one "
        "standard error. Naive and Enhanced have the same direction, hence the same angle." + RULES,
        f"Line plots of mean angle, F1 and balanced accuracy against n for c = "
        f"{', '.join(f'{c:g}' for c in frequencies)}, one line per method, "
        f"competitors {SETTING_WORDS[setting]}. The same numbers are in the tables "
        "of the synthetic study.",
        figure,
    )


NUMBERS = {"f1": 2, "balanced_accuracy": 3}
COLUMNS = 3


@mpl.rc_context(RC)
def real_figure(summary: pd.DataFrame, measure: str, setting: str) -> Drawing | None:
    """Draw figure 2 (F1) or 3 (balanced accuracy) in one setting.

    Parameters
    ----------
    summary : DataFrame
        From `summarize`.
    measure : {"f1", "balanced_accuracy"}
        The measure to draw.
    setting : str
        Setting of the competitors.

    Returns
    -------
    Drawing or None
        None if the records have no real study. `PUEnsemble` is drawn if its study is there.
    """
    both = [rows_of(summary, study, setting) for study in ("real", "ensemble")]
    means = drawn(pd.concat(both), measure)
    names = sorted(means["dataset"].unique())
    if not names:
        return None
    columns = min(COLUMNS, len(names))
    rows = math.ceil(len(names) / columns)
    figure, axes = panels(rows, columns, 0.7 + 2.35 * rows, sharex=True)
    for panel, name in zip(axes.flat, names, strict=False):
        own = means[means["dataset"] == name]
        draw_lines(panel, own, "c")
        panel.set_title(name)
        cut_below_others(panel, own)
    _label(axes, len(names), columns, MEASURES[measure])
    add_legend(figure, axes)
    number, title = NUMBERS[measure], MEASURES[measure]
    return Drawing(
        f"figure-{number}-{setting}",
        f"Figure {number}. {title} on real data, competitors {SETTING_WORDS[setting]}",
        f"Mean {title} against c; bars are one standard error.{CUT}{RULES}",
        f"Line plots of mean {title} against the label frequency c, one panel for each of "
        f"{', '.join(names)}, one line per method, competitors {SETTING_WORDS[setting]}. "
        "The same numbers are in the tables of the real study.",
        figure,
    )


def _label(axes: np.ndarray, used: int, columns: int, name: str) -> None:
    for index, panel in enumerate(axes.flat):
        panel.set_visible(index < used)
        if index % columns == 0:
            panel.set_ylabel(name)
        if used - columns <= index < used:
            panel.set_xlabel("Label frequency c")
            panel.tick_params(labelbottom=True)
        panel.set_xticks([0.1, 0.3, 0.5, 0.7, 0.9], [".1", ".3", ".5", ".7", ".9"])


SPREAD = 0.7


def robustness_figures(summary: pd.DataFrame, setting: str) -> list[Drawing]:
    """Draw the robustness study in one setting, one figure per label frequency.

    Parameters
    ----------
    summary : DataFrame
        From `summarize`.
    setting : str
        Setting of the competitors.

    Returns
    -------
    list of Drawing
        Empty if the records have no robustness study.
    """
    means = rows_of(summary, "robustness", setting)
    return [
        _robustness_figure(means[means["c"] == c], c, setting) for c in sorted(means["c"].unique())
    ]


@mpl.rc_context(RC)
def _robustness_figure(means: pd.DataFrame, c: float, setting: str) -> Drawing:
    sets = means[["dataset", "n"]].drop_duplicates().to_numpy().tolist()
    sets.sort(key=lambda of_size: (of_size[0] != SYNTHETIC, of_size))
    mechanisms = in_order(list(means["mechanism"]), MECHANISMS)
    figure, axes = panels(3, len(sets), 6.6, sharex=True)
    for column, (name, n) in enumerate(sets):
        own = means[(means["dataset"] == name) & (means["n"] == n)]
        for row, measure in enumerate(ROWS):
            _points(axes[row, column], drawn(own, measure), mechanisms)
        axes[0, column].set_ylim(bottom=0)
        axes[0, column].set_title(f"{name.replace(SYNTHETIC, 'synthetic')}\nn = {n}")
    for row, measure in enumerate(ROWS):
        axes[row, 0].set_ylabel(MEASURES[measure].replace("to β ", ""))
    add_legend(figure, axes)
    names = ", ".join(MECHANISMS.get(name, name) for name in mechanisms)
    return Drawing(
        f"figure-robustness-c{c:g}-{setting}",
        f"Robustness, mean label frequency {c:g}, competitors {SETTING_WORDS[setting]}",
        "Mean angle (to β on synthetic data, to the oracle's direction on real data), F1 and "
        "balanced accuracy by labeling mechanism; bars are one standard error." + CUT,
        f"Points with error bars for each method under the mechanisms {names}, "
        f"one column per data set, competitors {SETTING_WORDS[setting]}. The same numbers are "
        "in the tables of the robustness study.",
        figure,
    )


def _points(panel: Axes, means: pd.DataFrame, mechanisms: list[str]) -> None:
    methods = in_order(list(means["method"]), METHODS)
    step = SPREAD / max(len(methods) - 1, 1)
    for index, method in enumerate(methods):
        own = means[means["method"] == method].set_index("mechanism").reindex(mechanisms)
        shift = index * step - SPREAD / 2
        style = {**style_of(method), "linestyle": "none"}
        panel.errorbar(
            [position + shift for position in range(len(mechanisms))],
            own["mean"],
            yerr=own["se"].fillna(0.0),
            label=method_name(_SAME_METHOD.get(method, method)),
            elinewidth=0.8,
            **style,
        )
    names = [MECHANISMS.get(name, name) for name in mechanisms]
    panel.set_xticks(range(len(mechanisms)), names, rotation=35, ha="right")
    panel.tick_params(axis="x", length=0)
    panel.grid(visible=False, axis="x")
    cut_below_others(panel, means)
    for between in range(1, len(mechanisms)):
        panel.axvline(between - 0.5, color="#bbbbbb", linewidth=0.5)
