"""`unlabeled diagnose`: whether a fit to a table can be believed."""

from __future__ import annotations

import json
import sys
import warnings
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import click

from ..diagnostics import CHECKS, Diagnosis
from ._methods import METHODS, classifier
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
    from ..app.tables import Labels, Prepared


WORTH_FAILING = ("warning", "serious")
_FOUND = 1


@dataclass(frozen=True, kw_only=True)
class Options(TableOptions):
    """What was asked for."""

    method: str
    class_prior: float | None
    check: tuple[str, ...]


@click.command()
@table_options
@click.option(
    "--method",
    type=click.Choice(list(METHODS)),
    default="pu-logistic",
    show_default=True,
    help="The classifier that is fitted and checked.",
)
@click.option(
    "--class-prior",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    help="Share of positives in the whole table, if known; for pu-logistic and joint.",
)
@click.option(
    "--check", multiple=True, type=click.Choice(list(CHECKS)), help="Only this one; repeatable."
)
@click.option("--json", "as_json", is_flag=True, help="Machine-readable, on stdout.")
@click.option("--quiet", is_flag=True, help="Only the diagnosis.")
@click.option("--seed", type=SEED, default=0, show_default=True, help="Draws folds and resamples.")
def diagnose(**options: Any) -> None:
    """Check whether a table can be believed.

    TABLE is CSV or TSV (also .gz), Parquet or Arrow: some rows are labelled positive, the
    others are not labelled. Blank, 0, no, false in the label column count as unlabelled.
    Prints what counted as labelled, fits a classifier, and says what speaks
    against it: a column that gives the label away, labels that are not at random, copies, ...

    \b
    Example: which column of patients.csv knows who was diagnosed?
      unlabeled diagnose patients.csv --label diagnosis --id patient
      unlabeled diagnose patients.csv --label diagnosis --drop treatment_date --json

    \b
    Exit codes:
      0    nothing worse than a note was found
      1    a warning, or something serious, was found
      2    the table or an option cannot be used; a sentence says why
      130  stopped by Ctrl-C
    """
    asked = Options(**options)
    with sentences("diagnose"):
        diagnosis = _run(asked)
    sys.exit(_FOUND if diagnosis.worst in WORTH_FAILING else 0)


def _run(asked: Options) -> Diagnosis:
    read = asked.read()
    if not asked.as_json:
        click.echo(f"{read.labels}\n")
    columns = len(read.prepared.features)
    asked.say(f"Fitting {asked.method} to {columns} columns and checking ...")
    with threads_for(*read.prepared.X.shape):
        diagnosis = _diagnosis(asked, read.prepared, read.labels)
    if asked.as_json:
        click.echo(json.dumps(_record(asked, read, diagnosis), indent=2))
    else:
        click.echo(diagnosis)
    return diagnosis


def _diagnosis(asked: Options, prepared: Prepared, labels: Labels) -> Diagnosis:
    from ..app.tables import table_pipeline
    from ..diagnostics import diagnose as run_checks

    model = table_pipeline(classifier(asked.method, labels, asked.class_prior, asked.seed))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = run_checks(
                model, prepared.X, labels.s, checks=asked.check or None, random_state=asked.seed
            )
        except ValueError as error:
            raise BadInput(as_options(str(error))) from None
    asked.say(*dict.fromkeys(f"Warning: {one.message}" for one in caught))
    return found


def _record(asked: Options, read: LoadedTable, diagnosis: Diagnosis) -> dict[str, Any]:
    return {
        **about_table(*read),
        "method": asked.method,
        "seed": asked.seed,
        "worst": diagnosis.worst,
        "findings": [asdict(one) | {"page": one.page} for one in diagnosis.findings],
    }
