"""Figure 1: angle, F1 and balanced accuracy against the sample size."""

from __future__ import annotations

import matplotlib as mpl
import pandas as pd

from ._drawing import RC, RULES, Drawing, add_legend, draw_lines, panels, rows_of
from ._names import MEASURES, SETTING_WORDS

ROWS = ("angle", "f1", "balanced_accuracy")


@mpl.rc_context(RC)
def synthetic_figure(summary: pd.DataFrame, setting: str) -> Drawing | None:
    """Draw figure 1 in one setting: rows angle, F1 and balanced accuracy, a column each c.

    Parameters
    ----------
    summary : DataFrame
        From `summarise`.
    setting : str

    Returns
    -------
    Drawing or None
        None when the records have no synthetic study.
    """
    means = rows_of(summary, "synthetic", setting)
    frequencies = sorted(means["c"].unique())
    if not frequencies:
        return None
    figure, axes = panels(3, len(frequencies), 7.6, sharex=True, sharey="row")
    for row, measure in enumerate(ROWS):
        for column, c in enumerate(frequencies):
            panel = axes[row, column]
            own = means[(means["measure"] == measure) & (means["c"] == c)]
            draw_lines(panel, own, "n")
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
        "standard error. Naive and Enhanced have the same direction, so the same angle." + RULES,
        f"Line plots of mean angle, F1 and balanced accuracy against n for c = "
        f"{', '.join(f'{c:g}' for c in frequencies)}, one line a method, "
        f"competitors {SETTING_WORDS[setting]}. The same numbers are in the tables "
        "of the synthetic study.",
        figure,
    )
