"""`unlabeled fit`: from a table to a decision about every row."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..app.tables import count
from ..thresholds import get_rule
from ._compare import comparison_of
from ._methods import COMPARED, FittedMethod, classifier
from ._output import check_new_folder, whole_folder
from ._table_options import (
    SEED,
    BadInput,
    Clock,
    LoadedTable,
    TableOptions,
    as_options,
    command_line,
    sentences,
    table_options,
    threads_for,
)

if TYPE_CHECKING:
    from ..app.table_model import TableFit
    from ..diagnostics import Diagnosis


# A fit in a few sentences.


def told(record: dict[str, Any], out: Path) -> str:
    """Say how many rows are positive, what the cut finds, what to doubt, and where it is."""
    serious, doubts = _findings(record, "serious"), _findings(record, "warning")
    blocks = [serious, [_positives(record), _cut(record)], [*doubts, *_warnings(record)]]
    blocks.append([f"The report is {out / 'report.html'}; every row is in {out / 'scored.csv'}."])
    return "\n\n".join("\n".join(block) for block in blocks if block)


def _positives(record: dict[str, Any]) -> str:
    all_rows, hidden = record["positives"], record["hidden_positives"]
    if record["class_prior"]["given"]:
        known = f"as the class prior that was given, {record['class_prior']['estimate']:g}, says"
        return (
            f"{_about(all_rows['estimate'])} of {count(record['table']['rows'])} rows are "
            f"positive, {known}; {_about(hidden['estimate'])} of them without a label."
        )
    return (
        f"About {_about(all_rows['estimate'])} of {count(record['table']['rows'])} rows are "
        f"positive{_between(all_rows, record)}; {_about(hidden['estimate'])} of them without a "
        f"label{_between(hidden)}."
    )


def _between(numbers: dict[str, Any], record: dict[str, Any] | None = None) -> str:
    if numbers["lower"] is None:
        return ""
    level = f"{record['class_prior']['level']:.0%} interval: " if record else ""
    return f" ({level}{_about(numbers['lower'])} to {_about(numbers['upper'])})"


def _cut(record: dict[str, Any]) -> str:
    cut = record["cut"]
    unlabelled = count(cut["selected_unlabelled"])
    said = (
        f"{count(cut['selected'])} rows are selected, {unlabelled} of them unlabelled: recall "
        f"about {cut['recall']:.0%}, precision about {cut['precision']:.0%}."
    )
    if cut["precision"] > 1.005:
        said += " More than 100%: the number of positives and this recall cannot both be right."
    return said


def _findings(record: dict[str, Any], state: str) -> list[str]:
    found = [one for one in record["findings"] if one["state"] == state]
    return [f"{state.capitalize()} ({one['code']}): {one['message']}" for one in found]


def _warnings(record: dict[str, Any]) -> list[str]:
    return [
        f"Warning ({one['code']}): {one['message']}"
        if one["code"]
        else f"Warning: {one['message']}"
        for one in record["warnings"]
    ]


def _about(number: float) -> str:
    return count(round(number))


# The files of a fit.

SUMMARY, SCORED, REPORT = "summary.json", "scored.csv", "report.html"
FILES = (SUMMARY, SCORED, REPORT, "model.skops", "model.json")
"""What a fit writes."""

_PIECE = 2**20


def fingerprint_of(path: Path) -> dict[str, Any]:
    """Checksum and size of a file."""
    found, size = hashlib.sha256(), 0
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            found.update(piece)
            size += len(piece)
    return {"sha256": found.hexdigest(), "bytes": size}


def write_fit(
    folder: Path, fit: TableFit, read: LoadedTable, record: dict[str, Any], include_rows: bool
) -> None:
    """Write everything into a folder."""
    from ..app.model_files import Card, save_model
    from ..app.report import make_report, read_rows

    labels, prepared, table = read.labels, read.prepared, record["table"]
    card = Card.of(
        fit.pipeline,
        label=labels.column,
        positive=labels.positive,
        id=prepared.id,
        method=record["method"]["name"],
        fingerprint={key: table[key] for key in ("sha256", "rows", "columns")},
    )
    save_model(fit.pipeline, folder, card)
    columns = scored_columns(prepared.id, prepared.ids, _said(fit, record))
    write_scored(folder / SCORED, columns, ".csv")
    (folder / SUMMARY).write_text(json.dumps(record, allow_nan=False, indent=1), "utf-8")
    rows = read_rows(folder / SCORED) if include_rows else None
    (folder / REPORT).write_text(make_report(record, rows), "utf-8")


def _said(fit: TableFit, record: dict[str, Any]) -> dict[str, Any]:
    """What is said about the rows of the fit, and of those without a label besides."""
    from ..app.table_model import if_unlabelled

    scored, s = fit.scored, fit.labels.s
    unlabelled = if_unlabelled(scored, s, record["label_frequency"]["estimate"])
    return {
        "labelled": s,
        "score": scored.score,
        "posterior": scored.posterior,
        "posterior_if_unlabelled": unlabelled.posterior,
        "decision": scored.decision,
        "rank": scored.rank,
        "rank_among_unlabelled": unlabelled.rank,
    }


def scored_columns(id: str | None, ids: Any, said: dict[str, Any]) -> dict[str, Any]:
    """Columns of a scored table: names of the rows, or their numbers from 1, and what is said."""
    import numpy as np

    if ids is None:
        return {"row": np.arange(1, len(said["score"]) + 1), **said}
    return {"id" if id in said else str(id): ids, **said}


def write_scored(path: Path, columns: dict[str, Any], ending: str) -> None:
    """Write columns as an ending says; numbers come back to the last digit."""
    import pyarrow as pa
    from pyarrow import csv, feather, parquet

    table = pa.table({name: pa.array(column, from_pandas=True) for name, column in columns.items()})
    if ending == ".parquet":
        parquet.write_table(table, path)
    elif ending in (".arrow", ".feather"):
        feather.write_feather(table, path)
    else:
        delimiter = "\t" if ending == ".tsv" else ","
        options = csv.WriteOptions(delimiter=delimiter, quoting_style="needed")
        csv.write_csv(table, path, options)


MOST_CHECKED, MOST_COMPARED = 20_000, 5_000
"""Checks and comparison look at so many rows at most."""

_REPEATS = 5
_PLURAL = {"number": "numbers", "category": "categories", "date": "dates"}


@dataclass(frozen=True, kw_only=True)
class Options(TableOptions):
    """What was asked for."""

    method: str
    rule: str | None
    class_prior: float | None
    out: Path
    force: bool
    checks: bool
    compare: bool
    include_rows: bool
    jobs: int


@click.command()
@table_options
@click.option(
    "--method",
    type=FittedMethod(),
    default="pu-logistic",
    show_default=True,
    help="The classifier that is fitted.",
)
@click.option(
    "--rule",
    metavar="RULE",
    help="What the cut is best for: f1, f1_pu, balanced_accuracy, mcc, accuracy, "
    "'recall_at_least(0.9)', 'precision_at_least(0.8)', 'share(0.1)', 'fbeta(2)', or 'cost(5, 1)' "
    "of a miss and a false alarm. [default: f1 for pu-logistic, else the method's own]",
)
@click.option(
    "--class-prior",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    help="Share of positives in the whole table, if known. It is estimated otherwise.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    required=True,
    metavar="DIR",
    help="A new folder for the report, the scored table and the model.",
)
@click.option("--force", is_flag=True, help="Replace an earlier fit in DIR.")
@click.option("--checks/--no-checks", default=True, help="Check what speaks against the fit.")
@click.option("--compare/--no-compare", default=True, help="Compare with the other methods.")
@click.option(
    "--include-rows",
    is_flag=True,
    help="Show rows with their names in the report; without it the report is about no single row.",
)
@click.option("--jobs", default=1, show_default=True, help="Processes, -1 for one a core.")
@click.option(
    "--seed", type=SEED, default=0, show_default=True, help="Draws folds, splits and resamples."
)
@click.option("--json", "as_json", is_flag=True, help="Write summary.json to stdout as well.")
@click.option("--quiet", is_flag=True, help="Say nothing but errors.")
def fit(**options: Any) -> None:
    """Fit a classifier to a table and decide about every row.

    TABLE is CSV or TSV (also .gz), Parquet or Arrow: some rows are labelled positive, the
    others are not labelled. Blank, 0, no, false in the label column count as unlabelled.

    \b
    DIR gets
      report.html   how many rows are positive, where to cut, what to believe
      scored.csv    every row with score, posterior, decision and rank; of unlabelled rows
                    also the chance and the rank among them
      summary.json  the numbers of the report
      model.skops   the fitted model, for `unlabeled predict`; model.json is its card

    \b
    Example: who of the undiagnosed is probably ill?
      unlabeled fit patients.csv --label diagnosis --id patient --out ward
      unlabeled fit claims.parquet --label fraud --rule 'recall_at_least(0.9)' --out claims

    \b
    Exit codes:
      0    the model was fitted, whatever the checks found
      2    the table or an option cannot be used; a sentence says why
      3    DIR cannot be written; what was there before stays
      130  stopped by Ctrl-C; likewise
    """
    asked = Options(**options)
    check_new_folder(asked.out, asked.force, FILES)
    _check_rule(asked.rule)
    with sentences("fit"):
        _run(asked)


def _check_rule(rule: str | None) -> None:
    if rule is not None:
        try:
            get_rule(rule)
        except ValueError as error:
            raise BadInput(as_options(str(error))) from None


def _run(asked: Options) -> None:
    clock = Clock()
    read = asked.read()
    with threads_for(*read.prepared.X.shape):
        fitted = _fitted(asked, read, clock)
        record = _record(asked, read, fitted, clock)
        with whole_folder(asked.out) as folder:
            write_fit(folder, fitted, read, record, asked.include_rows)
    if asked.as_json:
        click.echo(json.dumps(record, allow_nan=False))
    elif not asked.quiet:
        click.echo(told(record, asked.out))


def _fitted(asked: Options, read: LoadedTable, clock: Clock) -> TableFit:
    from ..app.table_model import fit_table

    model = classifier(asked.method, read.labels, asked.class_prior, asked.seed, asked.rule)
    if not asked.as_json and not asked.quiet:
        click.echo(f"{read.labels}\n")
    clock.done("read")
    asked.say(f"Fitting {asked.method} to {len(read.prepared.features)} columns ...")
    try:
        fitted = fit_table(model, read.prepared, read.labels)
    except ValueError as error:
        raise BadInput(as_options(str(error))) from None
    clock.took(fitted.seconds)
    asked.say(_read_as(fitted.pipeline[0].kinds_))
    return fitted


def _record(asked: Options, read: LoadedTable, fitted: TableFit, clock: Clock) -> dict[str, Any]:
    from ..app.table_model import record_of

    diagnosis, checked_on = _checked(asked, read, fitted)
    clock.done("checks")
    comparison = _compared(asked, read)
    clock.done("comparison")
    return record_of(
        fitted,
        read.table,
        method=asked.method,
        fingerprint=fingerprint_of(asked.table),
        made=_made(asked, clock),
        class_prior=asked.class_prior,
        diagnosis=diagnosis,
        comparison=comparison,
        notes={"checks": checked_on, "comparison": (comparison or {}).get("note")},
        costs=_costs(asked.rule),
    )


def _checked(
    asked: Options, read: LoadedTable, fitted: TableFit
) -> tuple[Diagnosis | None, str | None]:
    """Make the checks, on some of the rows where they are many."""
    if not asked.checks:
        return None, "not made: --no-checks"
    import warnings

    import numpy as np

    from ..diagnostics import diagnose
    from ..engine.rows import draw_rows

    s, X, note = read.labels.s, read.prepared.X, None
    asked.say("Checking ...")
    if len(s) > MOST_CHECKED:
        drawn = draw_rows(s, MOST_CHECKED, np.random.RandomState(asked.seed))
        X, note = X.iloc[drawn], f"on {MOST_CHECKED} of the {len(s)} rows, drawn at random"
        s = s[drawn]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what a check refits may warn as the fit did
        return diagnose(fitted.pipeline, X, s, random_state=asked.seed), note


def _compared(asked: Options, read: LoadedTable) -> dict[str, Any] | None:
    """Compare with the other methods, where there are rows enough to split."""
    if not asked.compare:
        return None
    try:
        found = comparison_of(asked, read, COMPARED, _REPEATS, most_rows=MOST_COMPARED)
    except ValueError as error:
        asked.say(f"The methods were not compared: {error}")
        return None
    return found.record()


def _made(asked: Options, clock: Clock) -> dict[str, Any]:
    return {
        "command": command_line(),
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "seed": asked.seed,
        "seconds": clock.seconds,
    }


def _read_as(kinds: dict[str, str]) -> str:
    """Say what each column was taken for."""
    from ..app.tables import listed

    by_kind: dict[str, list[str]] = {}
    for name, kind in kinds.items():
        by_kind.setdefault(_PLURAL.get(kind, kind), []).append(name)
    parts = (f"{kind}: {listed(names, 12)}" for kind, names in by_kind.items())
    return f"Taken as {'; '.join(parts)}."


def _costs(rule: str | None) -> tuple[float, float]:
    """The costs that a rule names, to begin with."""
    if rule is None or not get_rule(rule).name.startswith("cost("):
        return 1.0, 1.0
    miss, false_alarm = get_rule(rule).name[len("cost(") : -1].split(",")
    return float(miss), float(false_alarm)
