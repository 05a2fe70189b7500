"""Compare posteriors with true classes, and write the page."""

from __future__ import annotations

from pathlib import Path

import click

from benchmarks.data import need_data

from .measure import SETS, Outcome, outcomes_of
from .page import PAGE, write_page


@click.command()
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), required=True, help="Folder to fill."
)
@click.option("--data", type=click.Path(), help="Folder with the UCI sets. [$UNLABELED_DATA]")
@click.option("--repeats", type=click.IntRange(2, 9999), default=20, show_default=True)
@click.option(
    "--set",
    "sets",
    type=click.Choice(SETS),
    multiple=True,
    default=SETS,
    help="One set; may be repeated. [default: all]",
)
def main(out: Path, data: str | None, repeats: int, sets: tuple[str, ...]) -> None:
    """Compare posteriors with true classes, and write the page."""
    need_data(sets, data)
    outcomes: list[Outcome] = []
    for dataset in sets:
        outcomes += outcomes_of(dataset, repeats, data)
        click.echo(f"{dataset}: {repeats} repeats done", err=True)
    write_page(outcomes, out)
    click.echo(f"The page is {out / PAGE}.")


if __name__ == "__main__":
    main()
