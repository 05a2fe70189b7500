"""From the records of the studies to the page about the count."""

from __future__ import annotations

from pathlib import Path

import click

from ..pages import frequency, render
from ..targets import verdict_on
from . import nine_sets, populations
from .sections import SECTIONS

PAGE = "index.rst"


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


@click.command()
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    help="Folder with the records.",
)
def main(out: Path) -> None:
    """Write the page about the count from the records of its studies; measures nothing."""
    out.mkdir(parents=True, exist_ok=True)
    write_page(out)
    click.echo(f"The page is {out / PAGE}.")


if __name__ == "__main__":
    main()
