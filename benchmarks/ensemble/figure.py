"""The lead of the ensemble over PULogistic, set by set."""

from __future__ import annotations

import matplotlib as mpl
import pandas as pd
from matplotlib.axes import Axes

from reproduction.outcome import RC, Drawing, panels

from ..field.compare import datasets_in, estimate
from ..pages import frequency
from .nine_sets import FREQUENCIES
from .sections import MEASURES

_RED, _BLUE, _BLACK = "#D55E00", "#0072B2", "#000000"


@mpl.rc_context(RC)
def lead_figure(wide: pd.DataFrame) -> Drawing:
    """Draw the ensemble minus PULogistic in every cell, with bars of two standard errors."""
    figure, axes = panels(len(MEASURES), len(FREQUENCIES), 5.6, sharex="row", sharey=True)
    for line, (measure, name) in zip(axes, MEASURES.items(), strict=True):
        for panel, c in zip(line, FREQUENCIES, strict=True):
            _leads(panel, wide, measure, c)
            panel.set_title(f"c = {frequency(c)}")
        line[0].set_ylabel(name[0].upper() + name[1:])
    figure.supxlabel("PUEnsemble − PULogistic", fontsize=8)
    return Drawing(
        "leads",
        "PUEnsemble against PULogistic",
        "Paired differences with bars of two standard errors. Right of the line PUEnsemble is "
        "ahead. Each has the rule for the measure of the panel.",
        "Points with error bars, one panel per measure and label frequency, one line per data "
        "set. The numbers are in the tables.",
        figure,
    )


def _leads(panel: Axes, wide: pd.DataFrame, measure: str, c: float) -> None:
    sets = datasets_in(wide)[::-1]
    panel.axvline(0, color=_BLACK, linewidth=0.8)
    for height, dataset in enumerate(sets):
        if (dataset, c) not in wide.index.droplevel("repeat"):
            continue
        lead = estimate(wide.loc[(dataset, c), f"lead_{measure}"])
        behind = lead.value < 0
        style = {"color": _BLUE if behind else _RED, "marker": "s" if behind else "o"}
        panel.errorbar(lead.value, height, xerr=2 * lead.se, elinewidth=1, **style)
    panel.set_yticks(range(len(sets)), sets)
