"""Measure coverage, levels and power, and write the page."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from benchmarks.replications import run_replications
from unlabeled.engine.progress import progress_bar

from .page import PAGE, write_page
from .studies import PEER, STUDIES


@click.command()
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), required=True, help="Folder to fill."
)
@click.option(
    "--study",
    "names",
    type=click.Choice(list(STUDIES)),
    multiple=True,
    default=[name for name in STUDIES if name != PEER],
    help="One study; may be repeated. [default: all but the peer's, which needs pulearn]",
)
@click.option("--repeats", type=click.IntRange(1), help="Most repeats per cell.")
@click.option("--page-only", is_flag=True, help="Run nothing: write the page from the records.")
@click.option("--jobs", type=int, default=2, show_default=True)
def main(
    out: Path, names: tuple[str, ...], repeats: int | None, page_only: bool, jobs: int
) -> None:
    """Measure how often intervals contain the truth and tests reject; continues a run."""
    for name in () if page_only else names:
        cells = STUDIES[name]()
        if repeats is not None:
            cells = [replace(cell, repeats=min(repeats, cell.repeats)) for cell in cells]
        command = f"python -m benchmarks.coverage --study {name}"
        with progress_bar() as progress:
            run_replications(cells, out / name, n_jobs=jobs, progress=progress, command=command)
    write_page(out)
    click.echo(f"The page is {out / PAGE}.")


if __name__ == "__main__":
    main()
