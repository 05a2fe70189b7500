"""`unlabeled compare`: the methods side by side on a table, without negatives."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..app.run import (
    COMPARED,
    InputError,
    TableInput,
    bad_input_of,
    comparison_of,
    in_terminal,
    threads_for,
)
from ._output import check_new_file, whole_file
from ._table_options import jobs_option, table_options

if TYPE_CHECKING:
    from ..comparison import Comparison


_ENDINGS = (".csv", ".json")


@dataclass(frozen=True, kw_only=True)
class Options(TableInput):
    """The options of `unlabeled compare`."""

    method: tuple[str, ...]
    repeats: int
    test_size: float
    rows: int
    jobs: int
    out: Path | None
    force: bool
    as_json: bool


@click.command()
@table_options
@click.option(
    "--method",
    multiple=True,
    type=click.Choice(list(COMPARED)),
    help="Compare only this method; repeatable. [default: all]",
)
@click.option(
    "--repeats", type=click.IntRange(2), default=10, show_default=True, help="Number of splits."
)
@click.option(
    "--test-size",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.3,
    show_default=True,
    help="Share of rows held out to evaluate the methods on.",
)
@click.option(
    "--rows",
    type=click.IntRange(1),
    default=20_000,
    show_default=True,
    help="Largest number of rows to use; from a larger table this many are drawn.",
)
@jobs_option(default=1)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Also write the numbers to this new file: .csv (the methods) or .json (everything).",
)
@click.option("--force", is_flag=True, help="Replace the file of --out.")
@click.option("--quiet", is_flag=True, help="Print only the comparison.")
def compare(**values: Any) -> None:
    """Compare the methods on a table.

    TABLE is CSV or TSV (also .gz or .zip), Parquet, Arrow, JSON lines, a workbook (.xlsx) or an
    SQLite file with one table. Some rows are labeled positive, the
    others are unlabeled. Every method is fitted to one part of the rows and evaluated on the
    rest, by measures that need no negatives. Standard errors are corrected for overlapping
    splits. With --class-prior the table also has precision and F1, and the methods that accept
    a class prior use it.

    The last lines say which method is enough: naive, naive-cut (naive with a cut for F1 on held-out
    scores), pu-logistic or ensemble. It is the simplest one, if the splits show that no more
    complex one is better by an amount that matters. If they do not show it, the last lines say
    which methods cannot be told apart.
    `unlabeled fit` can fit every method except naive-cut (use --method naive --rule f1) and forest.

    \b
    The columns:
      recall     share of the labeled rows that are predicted positive
      share      share of all rows that are predicted positive
      gain       recall minus share
      F1_PU      recall² / share; larger is better, and it can exceed 1
      AUC        how often a labeled row scores above an unlabeled one
      vs best    difference from the best F1_PU
      c, prior   estimated label frequency and class prior: the share of positives that
                 are labeled, and the share of all rows that are positive

    \b
    Example: is another method better than the default?
      unlabeled compare patients.csv --label diagnosis --id patient
      unlabeled compare patients.csv --label diagnosis --method pu-logistic --method ensemble
      unlabeled compare visits.csv --label diagnosis --group patient

    \b
    Exit codes:
      0    the methods were compared
      2    the table or an option cannot be used; the message says why
      3    the file of --out cannot be written; no partial file is left
      130  stopped by Ctrl-C
    """
    options = Options(**values)
    with bad_input_of("compare"):
        if options.out is not None:
            check_new_file(options.out, _ENDINGS, options.force, options.reads)
        _run(options)


def _run(options: Options) -> None:
    loaded = options.read()
    loaded.need_enough_labeled(may_be_checked=False)
    options.log(str(loaded.labels))
    with threads_for(min(options.rows, len(loaded.labels.s)), loaded.prepared.X.shape[1]):
        try:
            comparison = comparison_of(
                options,
                loaded,
                dict.fromkeys(options.method or COMPARED),
                options.repeats,
                jobs=options.jobs,
                test_size=options.test_size,
                max_rows=options.rows,
            )
        except ValueError as error:
            raise InputError(in_terminal(error)) from None
    record = {**loaded.to_dict(), "seed": options.seed, "comparison": comparison.to_dict()}
    if options.out is not None:
        _write(options.out, comparison, record)
    if options.as_json:
        click.echo(json.dumps(record, indent=2, allow_nan=False))
    else:
        click.echo(comparison)


def _write(path: Path, comparison: Comparison, record: dict[str, Any]) -> None:
    """Write the numbers to a file, whole or not at all."""
    with whole_file(path) as unfinished:
        if path.suffix.lower() == ".json":
            unfinished.write_text(json.dumps(record, indent=2, allow_nan=False) + "\n", "utf-8")
            return
        comparison.to_frame().to_csv(unfinished, index=False, lineterminator="\r\n")
