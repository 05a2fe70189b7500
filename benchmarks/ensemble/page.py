"""From the records of the studies to the page about the ensemble."""

from __future__ import annotations

from pathlib import Path

from ..pages import frequency
from ..targets import write_sections
from . import choices, cost, nine_sets, published
from .figure import lead_figure
from .sections import SECTIONS, nine_set_scores


def write_page(folder: Path) -> None:
    """Write the page and its figure from the records in a folder."""
    wide = nine_set_scores(folder)
    drawing = lead_figure(wide) if len(wide) else None
    if drawing is not None:
        drawing.write(folder)
    write_sections(
        folder,
        Path(__file__).parent,
        {name: make(folder) for name, make in SECTIONS.items()},
        drawing=drawing,
        frequencies=", ".join(map(frequency, nine_sets.FREQUENCIES)),
        choice_frequencies=", ".join(map(frequency, choices.FREQUENCIES)),
        nine_sets=nine_sets,
        choices=choices,
        published=published,
        cost=cost,
    )
