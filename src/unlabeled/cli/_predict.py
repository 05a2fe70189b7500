"""`unlabeled predict`: score new rows with a fitted model."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import click

from ._errors import BadInput, about_model, bad_input_of
from ._output import check_new_file, scored_columns, whole_file, write_scored

ENDINGS = (".csv", ".tsv", ".parquet", ".arrow", ".feather")


@click.command()
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("table", type=click.Path(path_type=Path))
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    required=True,
    metavar="FILE",
    help="A new file for the scored rows: .csv, .tsv, .parquet or .arrow.",
)
@click.option("--force", is_flag=True, help="Replace FILE.")
@click.option("--json", "as_json", is_flag=True, help="Print counts and remarks as JSON.")
@click.option("--quiet", is_flag=True, help="Print nothing but errors.")
def predict(model: Path, table: Path, out: Path, force: bool, as_json: bool, quiet: bool) -> None:
    """Score the rows of a table with a fitted model.

    MODEL is the folder that `unlabeled fit` wrote, or model.skops in it. TABLE must have the
    columns of the fit, of the same types, in any order. Additional columns are listed and not
    used. FILE gets the score, posterior, decision and rank of every row, in the order of TABLE.
    The posterior is the probability that a row is positive, from its features alone. It
    ignores labels.

    \b
    Example: which of this month's patients are probably ill?
      unlabeled predict ward november.csv --out november-scored.csv

    \b
    Exit codes:
      0    the rows were scored
      2    the model, the table or an option cannot be used; the message says why
      3    FILE cannot be written; no partial file is left
      130  stopped by Ctrl-C; no partial file is left
    """
    check_new_file(out, ENDINGS, force)
    with bad_input_of("predict"):
        remarks, columns = _scores(model, table)
        if not quiet:
            for remark in remarks:
                click.echo(remark, err=True)
        with whole_file(out) as working:
            write_scored(working, columns, out.suffix.lower())
    selected = int(columns["decision"].sum())
    if as_json:
        found = {"rows": len(columns["decision"]), "selected": selected, "remarks": list(remarks)}
        click.echo(json.dumps(found | {"out": str(out)}, indent=2))
    elif not quiet:
        rows = len(columns["decision"])
        click.echo(f"{selected} of {rows} rows are selected. {out} has all {rows} rows.")


def _scores(path: Path, table_path: Path) -> tuple[tuple[str, ...], dict[str, Any]]:
    from ..app.model_files import ModelFileError, load_model
    from ..app.table_model import score_rows
    from ..app.tables import conform, read_like

    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            pipeline, card = load_model(path)
    except ModelFileError as error:
        raise BadInput(about_model(error, "MODEL")) from None
    table = read_like(table_path, pipeline[0], card.id)
    known = tuple(name for name in (card.id, card.label) if name is not None)
    conformed = conform(table, pipeline[0], known)
    ids = table.frame[card.id] if card.id in table.columns else None
    remarks = tuple(dict.fromkeys(str(one.message) for one in caught))
    if card.id is not None and ids is None:
        remarks += (f"No column {card.id!r}: rows are numbered instead.",)
    try:
        scored = score_rows(pipeline, conformed.X)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise BadInput(
            f"MODEL could not score TABLE ({type(error).__name__}: {error}). "
            "Compare the installed versions with those in model.json, or fit again."
        ) from None
    columns = scored_columns(card.id, ids, scored._asdict())
    return (*remarks, *table.remarks, *conformed.remarks), columns
