"""Diagnose the draws, and write the page."""

from __future__ import annotations

from pathlib import Path

import click

from benchmarks.data import need_data
from reproduction.studies.draw import BREAST_CANCER
from unlabeled.datasets import DATASET_NAMES

from .measure import FEWER_DRAWS, FREQUENCIES, Draw, Records, record_of
from .page import PAGE, write_page

_QUICK_DRAWS = 3


@click.command()
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), required=True, help="Folder to fill."
)
@click.option("--data", type=click.Path(), help="Folder with the UCI sets. [$UNLABELED_DATA]")
@click.option("--draws", type=click.IntRange(2, 9999), default=50, show_default=True)
@click.option("--quick", is_flag=True, help=f"{_QUICK_DRAWS} draws of each set.")
@click.option(
    "--set",
    "sets",
    type=click.Choice((*DATASET_NAMES, BREAST_CANCER)),
    multiple=True,
    default=DATASET_NAMES,
    help="One set; may be repeated. [default: the paper's nine]",
)
def main(out: Path, data: str | None, draws: int, quick: bool, sets: tuple[str, ...]) -> None:
    """Diagnose PULogistic on draws of SCAR labels, and write the page."""
    need_data(sets, data)
    out.mkdir(parents=True, exist_ok=True)
    records = Records(out)
    n_draws = _QUICK_DRAWS if quick else draws
    draws_wanted = [
        Draw(name, c, k)
        for name in sets
        for c in FREQUENCIES
        for k in range(min(n_draws, FEWER_DRAWS.get(name, n_draws)))
    ]
    for draw in draws_wanted:
        if not records.is_whole(draw):
            records.add(record_of(draw, data, records.get(draw)))
            click.echo(f"{draw.dataset}, c = {draw.c}, draw {draw.number}: done", err=True)
    write_page([records[draw] for draw in draws_wanted], out)
    click.echo(f"The page is {out / PAGE}.")


if __name__ == "__main__":
    main()
