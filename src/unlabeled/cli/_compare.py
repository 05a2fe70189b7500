"""`unlabeled compare`: the methods side by side on a table, without negatives."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import click

from ._methods import COMPARED, classifiers
from ._output import check_new_file, whole_file
from ._table_options import (
    SEED,
    BadInput,
    LoadedTable,
    TableOptions,
    about_table,
    as_options,
    sentences,
    table_options,
    threads_for,
)

if TYPE_CHECKING:
    from ..comparison import Comparison


# Methods compared on a table: what `compare` is for, and `fit` does on the way.


class Asked(Protocol):
    """What a comparison must be told by the options of a command."""

    @property
    def class_prior(self) -> float | None: ...
    @property
    def seed(self) -> int: ...
    @property
    def jobs(self) -> int: ...
    @property
    def quiet(self) -> bool: ...
    def say(self, *lines: str) -> None: ...


def comparison_of(
    asked: Asked, read: LoadedTable, methods: Iterable[str], repeats: int, **how: Any
) -> Comparison:
    """Compare methods on repeated splits, with a progress bar; see `compare_methods` for `how`."""
    from ..app.tables import TableFeatures
    from ..comparison import compare_methods
    from ..engine.progress import progress_bar

    models = classifiers(methods, read.labels, asked.class_prior, asked.seed)
    asked.say(f"Comparing {len(models)} methods on {repeats} splits ...")
    with nullcontext() if asked.quiet else progress_bar("split") as progress:
        return compare_methods(
            models,
            read.prepared.X,
            read.labels.s,
            n_repeats=repeats,
            class_prior=asked.class_prior,
            prepare=TableFeatures(),
            n_jobs=asked.jobs,
            random_state=asked.seed,
            progress=progress,
            **how,
        )


_ENDINGS = (".csv", ".json")


@dataclass(frozen=True, kw_only=True)
class Options(TableOptions):
    """What was asked for."""

    class_prior: float | None
    method: tuple[str, ...]
    repeats: int
    test_size: float
    rows: int
    jobs: int
    out: Path | None
    force: bool


@click.command()
@table_options
@click.option(
    "--class-prior",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    help="Share of positives in the whole table, if known: told to the methods that can use it, "
    "and precision and F1 are estimated too.",
)
@click.option(
    "--method",
    multiple=True,
    type=click.Choice(list(COMPARED)),
    help="Only this one; repeatable. [default: all]",
)
@click.option("--repeats", type=click.IntRange(2), default=10, show_default=True, help="Splits.")
@click.option(
    "--test-size",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.3,
    show_default=True,
    help="Share of rows that are held out of the fit and judged on.",
)
@click.option(
    "--rows",
    type=click.IntRange(1),
    default=20_000,
    show_default=True,
    help="Most rows; of a larger table so many are drawn.",
)
@click.option("--jobs", default=1, show_default=True, help="Processes, -1 for one a core.")
@click.option(
    "--seed", type=SEED, default=0, show_default=True, help="Draws rows, splits and trees."
)
@click.option("--json", "as_json", is_flag=True, help="Machine-readable, on stdout.")
@click.option("--quiet", is_flag=True, help="Only the comparison.")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="A new file for the numbers as well, .csv (the methods) or .json (everything).",
)
@click.option("--force", is_flag=True, help="Replace that file.")
def compare(**options: Any) -> None:
    """Compare the methods on a table.

    TABLE is CSV or TSV (also .gz), Parquet or Arrow: some rows are labelled positive, the
    others are not labelled. Every method is fitted to a part of the rows and judged on the others
    by what needs no negatives: recall of labelled rows, share of rows called positive, and
    F1_PU = recall² / share. Errors are those of repeated splits that share rows. All methods but
    the forest, which is not linear, can be fitted by `unlabeled fit`.

    \b
    Example: is another method better than the default?
      unlabeled compare patients.csv --label diagnosis --id patient
      unlabeled compare patients.csv --label diagnosis --method pu-logistic --method forest

    \b
    Exit codes:
      0    the methods were compared
      2    the table or an option cannot be used; a sentence says why
      3    the file of --out cannot be written; nothing is left of it
      130  stopped by Ctrl-C
    """
    asked = Options(**options)
    _check(asked)
    with sentences("compare"):
        _run(asked)


def _check(asked: Options) -> None:
    """Refuse, before any work is done, what would fail after it."""
    if asked.jobs == 0:
        raise click.UsageError("`--jobs` must be a number of processes or -1; got 0.")
    if asked.out is not None:
        check_new_file(asked.out, _ENDINGS, asked.force)


def _run(asked: Options) -> None:
    read = asked.read()
    asked.say(str(read.labels))
    with threads_for(min(asked.rows, len(read.labels.s)), read.prepared.X.shape[1]):
        comparison = _comparison(asked, read)
    record = {
        **about_table(*read),
        "seed": asked.seed,
        "comparison": comparison.record(),
    }
    if asked.out is not None:
        _write(asked.out, comparison, record)
    if asked.as_json:
        click.echo(json.dumps(record, indent=2, allow_nan=False))
    else:
        click.echo(comparison)
        click.echo("\n" + "\n".join(comparison.reading()))


def _comparison(asked: Options, read: LoadedTable) -> Comparison:
    methods = dict.fromkeys(asked.method or COMPARED)
    try:
        return comparison_of(
            asked, read, methods, asked.repeats, test_size=asked.test_size, most_rows=asked.rows
        )
    except ValueError as error:
        raise BadInput(as_options(str(error))) from None


def _write(path: Path, comparison: Comparison, record: dict[str, Any]) -> None:
    """Write the numbers; the file is there whole or not at all."""
    with whole_file(path) as unfinished:
        if path.suffix.lower() == ".json":
            unfinished.write_text(json.dumps(record, indent=2, allow_nan=False) + "\n", "utf-8")
            return
        columns = comparison.frame()
        with unfinished.open("w", newline="", encoding="utf-8") as file:
            rows = csv.writer(file)
            rows.writerow(columns)
            for row in zip(*(column.tolist() for column in columns.values()), strict=True):
                rows.writerow("" if cell != cell else cell for cell in row)  # blank for NaN
