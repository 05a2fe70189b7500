"""From outcomes to the page, its numbers and its figure."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

from reproduction.outcome import RC, number
from reproduction.studies.plan import SYNTHETIC_TEST_ROWS

from ..pages import PAGE, frequency, render, rst
from .figure import reliability_figure
from .measure import BINS, OURS, ROWS, C
from .summary import LIMIT, RECORDS, Summary, summaries_in
from .tables import comparison_table, difference_table, prior_table
from .words import beaten, comparison, error_sentence, headlines, missed, reason, thousands

FIGURE = "reliability.png"


def write_page(folder: Path) -> None:
    """Write the page and its figure from the records in a folder."""
    summaries = summaries_in(RECORDS.read(folder))
    ours = [one for one in summaries if one.method == OURS]
    with mpl.rc_context(RC):
        figure = reliability_figure(ours)
        figure.savefig(folder / FIGURE, dpi=150, metadata={"Software": None})
    (folder / PAGE).write_text(_render(summaries, ours), encoding="utf-8")


def _render(summaries: list[Summary], ours: list[Summary]) -> str:
    return render(
        Path(__file__).parent,
        repeats=ours[0].repeats,
        c=frequency(C),
        limit=number(LIMIT, 2),
        n_train=thousands(ROWS),
        n_test=thousands(SYNTHETIC_TEST_ROWS),
        n_bins=BINS,
        headlines=" ".join(headlines(ours)),
        difference_table=rst(difference_table(ours)),
        prior_table=rst(prior_table(ours)),
        reasons=[reason(one) for one in ours if not one.is_within],
        missed=missed(ours),
        errors=error_sentence(ours),
        comparison=comparison(summaries),
        beaten=beaten(summaries),
        comparison_table=rst(comparison_table(summaries)),
    )
