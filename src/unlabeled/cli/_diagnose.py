"""`unlabeled diagnose`: whether a fit to a table can be trusted."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from ..app.run import METHODS, LoadedTable, TableInput, bad_input_of, diagnosis_of, threads_for
from ..codes import CHECKS, for_terminal
from ._table_options import table_options

if TYPE_CHECKING:
    from ..diagnostics import Diagnosis, Finding

WORTH_FAILING = ("warning", "serious")
_FOUND = 1


class CheckName(click.Choice):
    """The name of a check, with a hyphen for the space, which also works."""

    def __init__(self) -> None:
        super().__init__([name.replace(" ", "-") for name in CHECKS])

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name of the check."""
        known = super().convert(str(value).replace(" ", "-"), param, ctx)
        return str(known).replace("-", " ")


@dataclass(frozen=True, kw_only=True)
class Options(TableInput):
    """The options of `unlabeled diagnose`."""

    method: str
    check: tuple[str, ...]
    as_json: bool


@click.command()
@table_options
@click.option(
    "--method",
    type=click.Choice(list(METHODS)),
    default="pu-logistic",
    show_default=True,
    help="The classifier to fit and check.",
)
@click.option(
    "--check",
    multiple=True,
    type=CheckName(),
    help="Run only this check; repeatable.",
)
@click.option("--quiet", is_flag=True, help="Print only the diagnosis.")
def diagnose(**values: Any) -> None:
    """Check whether a fit to a table can be trusted.

    TABLE is CSV or TSV (also .gz or .zip), Parquet, Arrow, JSON lines, a workbook (.xlsx) or an
    SQLite file with one table. Some rows are labeled positive, the
    others are unlabeled. In the label column, blank, 0, no and false mean unlabeled. The
    command prints which rows are labeled, fits a classifier, and prints possible problems:
    leaking columns, labels not given at random, duplicates, ...

    \b
    Example: which column of patients.csv gives away who was diagnosed?
      unlabeled diagnose patients.csv --label diagnosis --id patient
      unlabeled diagnose patients.csv --label diagnosis --drop treatment_date --json

    \b
    Exit codes:
      0    no finding worse than a note
      1    at least one warning or serious finding
      2    the table or an option cannot be used; the message says why
      130  stopped by Ctrl-C
    """
    options = Options(**values)
    with bad_input_of("diagnose"):
        diagnosis = _run(options)
    sys.exit(_FOUND if diagnosis.worst in WORTH_FAILING else 0)


def _run(options: Options) -> Diagnosis:
    loaded = options.read()
    if not options.as_json:
        click.echo(f"{loaded.labels}\n")
    columns = len(loaded.prepared.features)
    options.log(f"Fitting {options.method} to {columns} columns and checking ...")
    with threads_for(*loaded.prepared.X.shape):
        diagnosis = diagnosis_of(options, loaded, options.method, options.check)
    if options.as_json:
        click.echo(json.dumps(_record(options, loaded, diagnosis), indent=2))
    else:
        click.echo(_for_terminal(diagnosis))
    return diagnosis


def _for_terminal(diagnosis: Diagnosis) -> Diagnosis:
    """Return the findings with advice for the command line instead of Python."""
    from ..diagnostics import Diagnosis

    return Diagnosis(
        tuple(replace(one, message=_advice(one)) for one in diagnosis.findings),
    )


def _advice(one: Finding) -> str:
    if one.state in ("fine", "not applicable"):
        return one.message
    return for_terminal(one.code, one.message)


def _record(options: Options, loaded: LoadedTable, diagnosis: Diagnosis) -> dict[str, Any]:
    return {
        **loaded.to_dict(),
        "method": options.method,
        "seed": options.seed,
        "worst": diagnosis.worst,
        "findings": [
            asdict(one) | {"message": str(one.message), "page": one.page}
            for one in diagnosis.findings
        ],
    }
