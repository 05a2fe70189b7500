"""`unlabeled report`: a fit as one HTML file."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click

from ..app.run import MOST_ROWS, InputError, bad_input_of, report_of
from ._output import FitFolder, check_new_file, named_folder, only_command, output_errors


@click.command()
@click.argument("folder", metavar="DIR", type=FitFolder(path_type=Path))
@click.option(
    "--include-rows",
    is_flag=True,
    help="Show the unlabeled rows with the highest scores, with their IDs and reasons.",
)
@click.option(
    "--rows",
    type=click.IntRange(min=1),
    help=f"Largest number of rows to show with --include-rows.  [default: {MOST_ROWS}]",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="A new file for the report: .html.  [default: DIR/report.html]",
)
@click.option("--force", is_flag=True, help="Replace FILE. DIR/report.html is replaced without it.")
@click.option("--quiet", is_flag=True, help="Print nothing but errors.")
def report(**values: Any) -> None:
    """Write the report of a fit as one HTML file.

    DIR is the folder that `unlabeled fit` wrote. The report is made from its summary.json. It
    shows the number of positives, cuts, what drives the score, and possible problems. It
    loads and sends nothing. Without --include-rows it shows no individual row.

    \b
    Example: make the report again, with the ten rows to look at first
      unlabeled report ward --include-rows --rows 10 --out for-the-ward.html

    \b
    Exit codes:
      0    the report was written
      2    the folder or an option cannot be used; the message says why
      3    FILE cannot be written; an existing file is kept
      130  stopped by Ctrl-C
    """
    with bad_input_of("report"):
        written = _run(**values)
    if not values["quiet"]:
        named = " It shows row IDs." if values["include_rows"] else ""
        click.echo(f"The report is in {written}.{named}")


def _run(
    folder: Path, include_rows: bool, rows: int | None, out: Path | None, force: bool, quiet: bool
) -> Path:
    if rows is not None and not include_rows:
        raise click.UsageError(
            f"`--rows` must go with `--include-rows`; got {rows} without it. Add `--include-rows` "
            "to show rows."
        )
    from ..app.report import write_page

    if folder.is_file() and folder.name != "summary.json":
        raise InputError(
            f"DIR must be a folder that `unlabeled fit` wrote; got {folder}, which is a file."
        )
    home = folder if folder.is_dir() else folder.parent
    own = home / "report.html"
    target = own if out is None else out
    if target.resolve() != own.resolve():
        check_new_file(target, (".html",), force)
    writes_home = folder.exists() and target.parent.resolve() == home.resolve()
    with only_command(home) if writes_home else nullcontext():
        most = rows or MOST_ROWS if include_rows else None
        page = report_of(folder, rows=most, named=named_folder(home))
        with output_errors(target):
            write_page(page, target)
    return target
