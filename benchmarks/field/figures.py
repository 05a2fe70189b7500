"""The figures: mean scores against c, and our lead over the best peer, set by set."""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
import pandas as pd
from matplotlib.axes import Axes

from reproduction.outcome import RC, Drawing, add_legend, panels
from reproduction.studies.methods import Key

from ..pages import frequency
from .cast import PEERS, ROLES
from .compare import MEASURES, best_rival, datasets_in, mean_over_sets, ours, paired, scores
from .studies import FREQUENCIES

# Okabe and Ito's colors, one per side; markers and dashes distinguish methods, also in gray.
RED, BLACK, GRAY, BLUE, GREEN = "#D55E00", "#000000", "#777777", "#0072B2", "#009E73"
DASHED, DOTTED, MIXED = (0, (5, 2)), (0, (1, 1.2)), (0, (6, 1.5, 1, 1.5))
STYLES: dict[Key, tuple[str, Any, str]] = {
    ("oracle", "-"): (BLACK, DOTTED, "+"),
    ("enhanced", "-"): (GRAY, "-", "x"),
    ("joint", "converged"): (GRAY, DASHED, "d"),
    ("pulearn elkan_noto", "-"): (BLUE, "-", "s"),
    ("pulearn bagging", "-"): (BLUE, DASHED, "^"),
    ("pulearn nnpu", "-"): (BLUE, MIXED, "v"),
    ("pulearn nnpu", "true prior"): (BLUE, DOTTED, "*"),
    ("pu-toolbox elkan_noto", "-"): (GREEN, "-", "D"),
    ("pu-toolbox upu", "-"): (GREEN, DASHED, "P"),
    ("pu-toolbox nnpu", "-"): (GREEN, MIXED, "X"),
}
OURS = ("pu_logistic", "pu_ensemble", "forest")
SHIFT = 0.004  # keeps error bars apart
SHOWN = ", ".join(sorted({ROLES[key].name for key in STYLES}))


@mpl.rc_context(RC)
def mean_figure(records: pd.DataFrame) -> Drawing:
    """Draw mean F1 and balanced accuracy over the sets against c, ours thick and on top."""
    figure, axes = panels(1, 2, 4.2)
    n_sets = 0
    for panel, (measure, name) in zip(axes.flat, MEASURES.items(), strict=True):
        wide = scores(records, measure)
        n_sets = len(datasets_in(wide))
        for place, (key, style) in enumerate(_styles(measure).items()):
            if key in wide:
                _line(panel, wide, key, style, SHIFT * (place - len(STYLES) / 2))
        panel.set(xlabel="Label frequency c", ylabel=f"{name}, mean")
        panel.set_xticks(FREQUENCIES, [frequency(c) for c in FREQUENCIES])
        _cut(panel, wide, measure)
    add_legend(figure, axes, 3)
    return Drawing(
        "means",
        "Mean scores against the label frequency",
        f"Means over {n_sets} data sets; bars are two standard errors. PULogistic, PUEnsemble and "
        "the forest have the rule of the panel. Methods without scores on some set are not drawn, "
        "nor are values far below the others; all are in the tables.",
        f"Two line plots, of mean F1 and of mean balanced accuracy against c, one line per method: "
        f"PULogistic, PUEnsemble, Forest, {SHOWN}.",
        figure,
    )


def _styles(measure: str) -> dict[Key, dict[str, Any]]:
    thin = {
        key: {"color": color, "linestyle": dashes, "marker": marker, "zorder": 2}
        for key, (color, dashes, marker) in STYLES.items()
    }
    mine = {"color": RED, "linestyle": "-", "marker": "o", "linewidth": 2.4, "zorder": 4}
    ensemble = {"color": RED, "linestyle": MIXED, "marker": "p", "zorder": 3}
    forest = {"color": RED, "linestyle": DASHED, "marker": "h", "zorder": 3}
    own = {"pu_logistic": mine, "pu_ensemble": ensemble, "forest": forest}
    return {**{ours(measure, name): style for name, style in own.items()}, **thin}


def _line(panel: Axes, wide: pd.DataFrame, key: Key, style: dict[str, Any], shift: float) -> None:
    frequencies = sorted(set(wide.index.get_level_values("c")))
    means = [mean_over_sets(wide, key, datasets_in(wide), c) for c in frequencies]
    if any(one.repeats for one in means):
        values, errors = [one.value for one in means], [2 * one.se for one in means]
        name = ROLES[key].name.removesuffix(", F1 rule").removesuffix(", BA rule")
        places = [c + shift for c in frequencies]
        panel.errorbar(places, values, yerr=errors, label=name, elinewidth=0.8, **style)


def _cut(panel: Axes, wide: pd.DataFrame, measure: str) -> None:
    """End the panel a little below our lowest mean; weak methods may lie outside."""
    keys = [key for name in OURS if (key := ours(measure, name)) in wide]
    lowest = [
        mean_over_sets(wide, key, datasets_in(wide), c).value
        for key in keys
        for c in set(wide.index.get_level_values("c"))
    ]
    if lowest:
        bottom, top = panel.get_ylim()
        panel.set_ylim(max(bottom, min(lowest) - 0.15), top)


@mpl.rc_context(RC)
def lead_figure(records: pd.DataFrame) -> Drawing | None:
    """Draw PULogistic minus the best peer in every cell, with bars of two standard errors."""
    first = scores(records, next(iter(MEASURES)))
    frequencies = sorted(set(first.index.get_level_values("c")))
    if ours("f1") not in first:
        return None
    figure, axes = panels(len(MEASURES), len(frequencies), 6.4, sharex="row", sharey=True)
    for line, (measure, name) in zip(axes, MEASURES.items(), strict=True):
        wide = scores(records, measure)
        for panel, c in zip(line, frequencies, strict=True):
            _leads(panel, records, wide, measure, c)
            panel.set_title(f"c = {frequency(c)}")
        line[0].set_ylabel(name)
    figure.supxlabel("PULogistic − best peer", fontsize=8)
    return Drawing(
        "leads",
        "PULogistic against the best peer of each cell",
        "Paired differences with bars of two standard errors; right of the line PULogistic is "
        "ahead. The best peer, named above the bar, is the method of pulearn (pl) or pu-toolbox "
        "(pt), not handed the prior, with the largest mean in the cell. It is chosen after the "
        "fact, to our disadvantage.",
        "Points with error bars, one panel per measure and label frequency, one line per data "
        "set. The numbers are in the tables.",
        figure,
    )


def _leads(panel: Axes, records: pd.DataFrame, wide: pd.DataFrame, measure: str, c: float) -> None:
    sets = datasets_in(wide)[::-1]
    panel.axvline(0, color=BLACK, linewidth=0.8)
    for height, dataset in enumerate(sets):
        key = best_rival(records, wide, (dataset, c), PEERS)
        lead = None if key is None else paired(wide, ours(measure), key).get((dataset, c))
        if key is None or lead is None:
            continue
        behind = lead.value < 0
        style = {"color": BLUE if behind else RED, "marker": "s" if behind else "o"}
        panel.errorbar(lead.value, height, xerr=2 * lead.se, elinewidth=1, **style)
        name = ROLES[key].name.replace("pu-toolbox", "pt").replace("pulearn", "pl")
        panel.annotate(
            name, (lead.value, height), (0, 4), textcoords="offset points", fontsize=5, ha="center"
        )
    panel.set_yticks(range(len(sets)), sets)
    panel.margins(x=0.25)
