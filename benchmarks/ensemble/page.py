"""From the records of the studies to the page about the ensemble."""

from __future__ import annotations

from pathlib import Path

import click

from ..pages import frequency, render
from ..targets import verdict_on
from . import choices, cost, nine_sets, published
from .figure import lead_figure
from .sections import SECTIONS, nine_set_scores

PAGE = "index.rst"


def write_page(folder: Path) -> None:
    """Write the page and its figure from the records in a folder."""
    sections = {name: make(folder) for name, make in SECTIONS.items()}
    wide = nine_set_scores(folder)
    drawing = lead_figure(wide) if len(wide) else None
    if drawing is not None:
        drawing.write(folder)
    text = render(
        Path(__file__).parent,
        sections={name: section.rendered() for name, section in sections.items()},
        **verdict_on(sections.values()),
        drawing=drawing,
        frequencies=", ".join(map(frequency, nine_sets.FREQUENCIES)),
        choice_frequencies=", ".join(map(frequency, choices.FREQUENCIES)),
        nine_sets=nine_sets,
        choices=choices,
        published=published,
        cost=cost,
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
    """Write the page about the ensemble from the records of its studies; measures nothing."""
    out.mkdir(parents=True, exist_ok=True)
    write_page(out)
    click.echo(f"The page is {out / PAGE}.")


if __name__ == "__main__":
    main()
