"""The robustness figure: labels hidden by mechanisms other than SCAR."""

from __future__ import annotations

import matplotlib as mpl
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ._drawing import CUT, RC, Drawing, add_legend, cut_below_others, panels, rows_of, style_of
from ._names import MEASURES, MECHANISMS, METHODS, SETTING_WORDS, SYNTHETIC, in_order, method_name

ROWS = ("angle", "f1", "balanced_accuracy")
SPREAD = 0.7


def robustness_figures(summary: pd.DataFrame, setting: str) -> list[Drawing]:
    """Draw the robustness study in one setting, a figure each label frequency.

    Parameters
    ----------
    summary : DataFrame
        From `summarise`.
    setting : str

    Returns
    -------
    list of Drawing
        Empty when the records have no robustness study.
    """
    means = rows_of(summary, "robustness", setting)
    return [_one(means[means["c"] == c], c, setting) for c in sorted(means["c"].unique())]


@mpl.rc_context(RC)
def _one(means: pd.DataFrame, c: float, setting: str) -> Drawing:
    places = means[["dataset", "n"]].drop_duplicates().to_numpy().tolist()
    places.sort(key=lambda place: (place[0] != SYNTHETIC, place))
    mechanisms = in_order(list(means["mechanism"]), MECHANISMS)
    figure, axes = panels(3, len(places), 6.6, sharex=True)
    for column, (name, n) in enumerate(places):
        own = means[(means["dataset"] == name) & (means["n"] == n)]
        for row, measure in enumerate(ROWS):
            _points(axes[row, column], own[own["measure"] == measure], mechanisms)
        axes[0, column].set_ylim(bottom=0)
        axes[0, column].set_title(f"{name.replace(SYNTHETIC, 'synthetic')}\nn = {n}")
    for row, measure in enumerate(ROWS):
        axes[row, 0].set_ylabel(MEASURES[measure].replace("to β ", ""))
    add_legend(figure, axes)
    return _drawing(figure, c, setting, [MECHANISMS.get(name, name) for name in mechanisms])


def _points(panel: Axes, means: pd.DataFrame, mechanisms: list[str]) -> None:
    methods = in_order(list(means["method"]), METHODS)
    step = SPREAD / max(len(methods) - 1, 1)
    for index, method in enumerate(methods):
        own = means[means["method"] == method].set_index("mechanism").reindex(mechanisms)
        shift = index * step - SPREAD / 2
        style = {**style_of(method), "linestyle": "none"}
        panel.errorbar(
            [place + shift for place in range(len(mechanisms))],
            own["mean"],
            yerr=own["se"].fillna(0.0),
            label=method_name(method),
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


def _drawing(figure: Figure, c: float, setting: str, mechanisms: list[str]) -> Drawing:
    return Drawing(
        f"figure-robustness-c{c:g}-{setting}",
        f"Robustness, mean label frequency {c:g}, competitors {SETTING_WORDS[setting]}",
        "Mean angle (to β on synthetic data, to the oracle's direction on real data), F1 and "
        "balanced accuracy by labelling mechanism; bars are one standard error." + CUT,
        f"Points with error bars for each method under the mechanisms {', '.join(mechanisms)}, "
        f"one column a data set, competitors {SETTING_WORDS[setting]}. The same numbers are "
        "in the tables of the robustness study.",
        figure,
    )
