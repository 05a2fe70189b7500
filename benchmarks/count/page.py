"""From the records of the studies to the page about the count."""

from __future__ import annotations

from pathlib import Path

from ..pages import frequency
from ..targets import write_sections
from . import nine_sets, populations
from .sections import SECTIONS


def write_page(folder: Path) -> None:
    """Write the page from the records in a folder."""
    write_sections(
        folder,
        Path(__file__).parent,
        {name: make(folder) for name, make in SECTIONS.items()},
        frequencies=", ".join(map(frequency, nine_sets.FREQUENCIES)),
        nine_sets=nine_sets,
        populations=populations,
    )
