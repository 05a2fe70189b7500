"""Figures 2 and 3: F1 and balanced accuracy against c, one panel a data set."""

from __future__ import annotations

import math

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from ._drawing import (
    CUT,
    RC,
    RULES,
    Drawing,
    add_legend,
    cut_below_others,
    draw_lines,
    panels,
    rows_of,
)
from ._names import MEASURES, SETTING_WORDS

NUMBERS = {"f1": 2, "balanced_accuracy": 3}
COLUMNS = 3


@mpl.rc_context(RC)
def real_figure(summary: pd.DataFrame, measure: str, setting: str) -> Drawing | None:
    """Draw figure 2 (F1) or 3 (balanced accuracy) in one setting.

    Parameters
    ----------
    summary : DataFrame
        From `summarise`.
    measure : {"f1", "balanced_accuracy"}
    setting : str

    Returns
    -------
    Drawing or None
        None when the records have no real study.
    """
    means = rows_of(summary, "real", setting)
    means = means[means["measure"] == measure]
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
    return _drawing(figure, measure, setting, names)


def _label(axes: np.ndarray, used: int, columns: int, name: str) -> None:
    for index, panel in enumerate(axes.flat):
        panel.set_visible(index < used)
        if index % columns == 0:
            panel.set_ylabel(name)
        if used - columns <= index < used:
            panel.set_xlabel("Label frequency c")
            panel.tick_params(labelbottom=True)
        panel.set_xticks([0.1, 0.3, 0.5, 0.7, 0.9], [".1", ".3", ".5", ".7", ".9"])


def _drawing(figure: Figure, measure: str, setting: str, names: list[str]) -> Drawing:
    number, title = NUMBERS[measure], MEASURES[measure]
    return Drawing(
        f"figure-{number}-{setting}",
        f"Figure {number}. {title} on real data, competitors {SETTING_WORDS[setting]}",
        f"Mean {title} against c; bars are one standard error.{CUT}{RULES}",
        f"Line plots of mean {title} against the label frequency c, one panel for each of "
        f"{', '.join(names)}, one line a method, competitors {SETTING_WORDS[setting]}. "
        "The same numbers are in the tables of the real study.",
        figure,
    )
