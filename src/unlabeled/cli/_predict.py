"""`unlabeled predict`: score new rows with a fitted model."""

from __future__ import annotations

import json
import math
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from ..app.run import (
    InputError,
    PredictInput,
    PredictOutput,
    bad_input_of,
    check_rule,
    predict_table,
)
from ..engine.files import remove_unfinished
from ._output import FitFolder, check_new_file, only_command, whole_file
from ._table_options import keep_options, memory_option

MODEL_FILE = "model.skops"
ENDINGS = (".csv", ".tsv", ".parquet", ".arrow", ".feather")


@click.command()
@click.argument("model", type=FitFolder(path_type=Path))
@click.argument("table", type=click.Path(path_type=Path))
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    required=True,
    metavar="FILE",
    help="A new file for the scored rows: .csv, .tsv, .parquet or .arrow.",
)
@click.option(
    "--cut",
    metavar="CUT",
    help="Which rows are predicted positive: original (the cut of the fit), audited (the cut of "
    "`unlabeled audit`, with its posterior), or a number (rows with a larger score).  "
    "[default: original]",
)
@click.option(
    "--rule",
    metavar="RULE",
    help="Choose the cut by another rule than the fit, such as 'recall_at_least(0.9)'. "
    "`unlabeled fit --help` lists the rules.",
)
@keep_options
@memory_option
@click.option("--force", is_flag=True, help="Replace FILE.")
@click.option("--json", "as_json", is_flag=True, help="Print counts, cut and remarks as JSON.")
@click.option("--quiet", is_flag=True, help="Print nothing but errors.")
def predict(**values: Any) -> None:
    """Score the rows of a table with a fitted model.

    MODEL is the folder that `unlabeled fit` wrote, or model.skops in it. TABLE must have the
    columns of the fit, of the same types, in any order. It may be a pattern in quotes, such as
    'claims/*.parquet', and larger than --memory. Additional columns are listed and not used.
    FILE gets the score, posterior, decision and rank of every row, in the order of TABLE, and the
    columns of --keep.
    The posterior is the probability that a row is positive, from its features alone. It
    ignores labels.

    For rows that the model was fitted to, use the scored.csv of the fit, not FILE: a model
    scores rows that it has seen too confidently. The command recognizes such rows and says so.

    \b
    Example: which of this month's patients are probably ill?
      unlabeled predict ward november.csv --out november-scored.csv
      unlabeled predict ward november.csv --keep-all --out november-scored.csv
      unlabeled predict ward november.csv --rule 'recall_at_least(0.9)' --out most.csv
      unlabeled predict ward november.csv --cut audited --out november-audited.csv

    \b
    Exit codes:
      0    the rows were scored
      2    the model, the table or an option cannot be used; the message says why
      3    FILE cannot be written; no partial file is left
      130  stopped by Ctrl-C; no partial file is left
    """
    options = Options(**values)
    options.check()
    _check_not_swapped(options)
    with bad_input_of("predict"):
        options.check_out()
        with only_command(options.out):
            options.check_out()  # again: another command has ended
            output = _run(options)
    _tell(options, output)


def _run(options: Options) -> PredictOutput:
    remove_unfinished(options.out.parent, options.out.name)
    output = predict_table(options)
    if not options.quiet:
        for remark in output.remarks:
            click.echo(remark, err=True)
    with whole_file(options.out) as working:
        output.write(working)
    return output


@dataclass(frozen=True, kw_only=True)
class Options(PredictInput):
    """The options of `unlabeled predict`."""

    force: bool
    as_json: bool

    def check(self) -> None:
        """Reject a cut or a rule that cannot be used."""
        if self.cut is not None and self.rule is not None:
            raise click.UsageError(
                f"`--cut` and `--rule` must not be given together; got {self.cut!r} and "
                f"{self.rule!r}. Leave one of them out."
            )
        if self.rule is not None:
            check_rule(self.rule)
        if self.cut not in (None, "original", "audited") and _finite(self.cut) is None:
            raise InputError(
                f"`--cut` must be original, audited or a number; got {self.cut!r}. A rule such as "
                "f1 goes to `--rule`."
            )

    def check_out(self) -> None:
        """Reject a FILE that cannot be written."""
        check_new_file(self.out, ENDINGS, self.force, (self.table,))


def _check_not_swapped(options: Options) -> None:
    """Reject a table as MODEL; the other argument is perhaps the model."""
    from ..app.tables import ENDINGS as TABLES
    from ..app.tables import MODEL, kind_of

    model, table = options.model, options.table
    if not model.is_file() or not model.name.lower().endswith(TABLES) or kind_of(model) == MODEL:
        return
    is_fit = (table / MODEL_FILE).is_file() or (table.is_file() and kind_of(table) == MODEL)
    if is_fit:
        raise InputError(
            f"MODEL is a table ({model}) and TABLE is a fit ({table}): swap them. Write `unlabeled "
            f"predict {shlex.join((str(table), str(model)))} ...`."
        )
    raise InputError(
        f"MODEL must be the folder that `unlabeled fit` wrote, or {MODEL_FILE} in it; got {model}, "
        "which is a table."
    )


def _tell(options: Options, output: PredictOutput) -> None:
    decision, cut, out = output.scored.decision, output.cut, options.out
    selected, rows = int(decision.sum()), len(decision)
    if options.as_json:
        record = {"rows": rows, "selected": selected, "remarks": list(output.remarks)}
        record |= {"cut": {"name": cut.name, "threshold": cut.threshold}, "out": str(out)}
        click.echo(json.dumps(record, indent=2))
    elif not options.quiet:
        of, every = ("row", "the row") if rows == 1 else ("rows", f"all {rows} rows")
        verb = "is" if 1 in (rows, selected) else "are"
        click.echo(f"{selected} of {rows} {of} {verb} selected by {cut.name}. {out} has {every}.")


def _finite(text: str | None) -> float | None:
    try:
        value = float(str(text))
    except ValueError:
        return None
    return value if math.isfinite(value) else None
