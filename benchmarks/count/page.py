"""From the records of the studies to the page about the count."""

from __future__ import annotations

from pathlib import Path

from ..pages import PAGE, frequency, page_command, render
from ..targets import verdict_on
from . import nine_sets, populations
from .sections import SECTIONS


def write_page(folder: Path) -> None:
    """Write the page from the records in a folder."""
    sections = {name: make(folder) for name, make in SECTIONS.items()}
    text = render(
        Path(__file__).parent,
        sections={name: section.rendered() for name, section in sections.items()},
        **verdict_on(sections.values()),
        frequencies=", ".join(map(frequency, nine_sets.FREQUENCIES)),
        nine_sets=nine_sets,
        populations=populations,
    )
    (folder / PAGE).write_text(text, encoding="utf-8")


main = page_command(write_page, "the count")

if __name__ == "__main__":
    main()
