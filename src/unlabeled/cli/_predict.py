"""`unlabeled predict`: score new rows with a fitted model."""

from __future__ import annotations

import json
import math
import shlex
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from ..engine.files import remove_unfinished
from ..engine.progress import progress_bar
from ._audit_files import AUDITED, AUDITED_ROWS, read_audited
from ._errors import BadInput, about_model, bad_input_of, in_terminal
from ._memory import Room, memory_option
from ._methods import check_rule
from ._output import (
    SCORED,
    check_new_file,
    fingerprint,
    ids_of,
    kept_columns,
    only_command,
    scored_columns,
    scored_writer,
    whole_file,
    with_kept,
    write_scored,
)
from ._table_options import keep_options

if TYPE_CHECKING:
    from ..app.model_files import Card
    from ..app.table_model import Scored
    from ..app.tables import Batches

MODEL_FILE = "model.skops"
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
    scores rows that it has seen too confidently. The command recognises such rows and says so.

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
            found = _run(options)
    _tell(options, found)


def _run(options: Options) -> Found:
    remove_unfinished(options.out.parent, options.out.name)
    found = _scores(options)
    if not options.quiet:
        for remark in found.remarks:
            click.echo(remark, err=True)
    with whole_file(options.out) as working:
        found.write(working)
    return found


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options of `unlabeled predict`."""

    model: Path
    table: Path
    out: Path
    cut: str | None
    rule: str | None
    keep: tuple[str, ...]
    keep_all: bool
    force: bool
    as_json: bool
    quiet: bool
    memory: int | None

    @property
    def ending(self) -> str:
        """The ending of FILE."""
        return self.out.suffix.lower()

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
            raise BadInput(
                f"`--cut` must be original, audited or a number; got {self.cut!r}. A rule such as "
                "f1 goes to `--rule`."
            )

    def check_out(self) -> None:
        """Reject a FILE that cannot be written."""
        check_new_file(self.out, ENDINGS, self.force, (self.table,))

    @property
    def folder(self) -> Path:
        """The folder of the fit."""
        return self.model if self.model.is_dir() else self.model.parent


def _check_not_swapped(options: Options) -> None:
    """Reject a table as MODEL; the other argument is perhaps the model."""
    from ..app.tables import ENDINGS as TABLES
    from ..app.tables import MODEL, kind_of

    model, table = options.model, options.table
    if not model.is_file() or not model.name.lower().endswith(TABLES) or kind_of(model) == MODEL:
        return
    is_fit = (table / MODEL_FILE).is_file() or (table.is_file() and kind_of(table) == MODEL)
    if is_fit:
        raise BadInput(
            f"MODEL is a table ({model}) and TABLE is a fit ({table}): swap them. Write `unlabeled "
            f"predict {shlex.join((str(table), str(model)))} ...`."
        )
    raise BadInput(
        f"MODEL must be the folder that `unlabeled fit` wrote, or {MODEL_FILE} in it; got {model}, "
        "which is a table."
    )


@dataclass(frozen=True)
class Cut:
    """A cut: its name for people, its threshold, and the posterior's line if that changes too."""

    name: str
    threshold: float
    line: tuple[float, float] | None = None


class Found(NamedTuple):
    """Remarks, the scored rows, the cut that was used, and what writes the rows to a file."""

    remarks: tuple[str, ...]
    scored: Scored
    cut: Cut
    write: Callable[[Path], None]


def _tell(options: Options, found: Found) -> None:
    decision, cut, out = found.scored.decision, found.cut, options.out
    selected, rows = int(decision.sum()), len(decision)
    if options.as_json:
        record = {"rows": rows, "selected": selected, "remarks": list(found.remarks)}
        record |= {"cut": {"name": cut.name, "threshold": cut.threshold}, "out": str(out)}
        click.echo(json.dumps(record, indent=2))
    elif not options.quiet:
        of, every = ("row", "the row") if rows == 1 else ("rows", f"all {rows} rows")
        verb = "is" if 1 in (rows, selected) else "are"
        click.echo(f"{selected} of {rows} {of} {verb} selected by {cut.name}. {out} has {every}.")


class _Read(NamedTuple):
    """A table that was read and scored: its own remarks, and what gives IDs and kept columns."""

    scored: Scored
    is_fitted: bool
    remarks: tuple[str, ...]
    has_ids: bool
    write: Callable[[Path, Scored], None]


def _scores(options: Options) -> Found:
    from ..app.model_files import ModelFileError, load_model

    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            pipeline, card = load_model(options.model)
    except ModelFileError as error:
        raise BadInput(about_model(error, "MODEL")) from None
    cut = _cut(options, card)
    room = Room(options.memory)
    batches = room.batches(options.table)
    if batches is None:
        read = _whole(options, pipeline, card)
    else:
        read = _in_parts(options, pipeline, card, batches, room)
    remarks = tuple(dict.fromkeys(str(one.message) for one in caught))
    if options.cut is None and options.rule is None and (options.folder / AUDITED).is_file():
        remarks += (
            "Checked rows have chosen another cut: `--cut audited` uses it, and `--cut original` "
            "uses the cut of the fit without this remark.",
        )
    if card.id is not None and not read.has_ids:
        remarks += (f"No column {card.id!r}: rows are numbered instead.",)
    # Features of text may differ in their last digits, so the file is compared as well.
    same_file = fingerprint(options.table)["sha256"] == card.fingerprint["sha256"]
    if read.is_fitted or (same_file and hasattr(pipeline[-1], "fingerprint_")):
        remarks += (_seen_before(options, cut, card),)
    scored = read.scored.with_cut(cut.threshold, cut.line)
    return Found((*remarks, *read.remarks), scored, cut, lambda path: read.write(path, scored))


def _whole(options: Options, pipeline: Any, card: Card) -> _Read:
    """Read and score a table that fits into memory."""
    from ..app.table_model import score_rows
    from ..app.tables import conform, read_like

    table = read_like(options.table, pipeline[0], card.id, card.reading)
    conformed = conform(table, pipeline[0], _known(card))
    kept = kept_columns(options.table, options.keep, options.keep_all)
    ids = table.frame[card.id] if card.id in table.columns else None
    with _scoring():
        scored, is_fitted = score_rows(pipeline, conformed.X)

    def write(path: Path, scored: Scored) -> None:
        columns = scored_columns(card.id, ids, scored._asdict())
        write_scored(path, with_kept(columns, kept, card.id), options.ending)

    remarks = (*table.remarks, *conformed.remarks)
    return _Read(scored, is_fitted, remarks, ids is not None, write)


def _in_parts(options: Options, pipeline: Any, card: Card, batches: Batches, room: Room) -> _Read:
    """Read and score a table in parts, and read it again when its rows are written."""
    from ..app.table_model import score_parts
    from ..app.tables import Differences, check_cells, conformed_rows

    keep = check_cells(batches.schema, None if options.keep_all else options.keep, "keep")
    has_ids = card.id in batches.columns
    if not options.quiet:
        click.echo(room.sentence(batches), err=True)
    if batches.n_rows is not None:
        room.check_rows(batches.n_rows)
    found: list[Differences] = []

    def frames() -> Iterator[Any]:
        for table, _ in batches.read_like(pipeline[0], card.id, card.reading, progress):
            X = conformed_rows(table, pipeline[0])
            new = Differences.of(table, X, pipeline[0], _known(card))
            found[:] = [found[0] + new if found else new]
            yield X

    with progress_bar(step="Scoring", quiet=options.quiet) as progress, _scoring():
        scored, is_fitted = score_parts(pipeline, frames())

    def write(path: Path, scored: Scored) -> None:
        wanted = [*([card.id] if has_ids else []), *keep]
        rows = slice(0, 0)
        with (
            progress_bar(step="Writing", quiet=options.quiet) as progress,
            scored_writer(path, options.ending) as put,
        ):
            for batch in batches.read(list(dict.fromkeys(wanted)) or None, progress):
                rows = slice(rows.stop, rows.stop + batch.num_rows)
                ids = ids_of(batch.column(card.id)) if has_ids else None
                numbers = {name: column[rows] for name, column in scored._asdict().items()}
                columns = scored_columns(card.id, ids, numbers, rows.start + 1)
                kept = {name: batch.column(name) for name in keep}
                put(with_kept(columns, kept, card.id))

    remarks = (*batches.remarks, *found[0].remarks(pipeline[0]))
    return _Read(scored, is_fitted, remarks, has_ids, write)


def _known(card: Card) -> tuple[str, ...]:
    """Return the columns that the fit left out as it should."""
    return tuple(name for name in (card.id, card.label) if name is not None)


@contextmanager
def _scoring() -> Iterator[None]:
    """Turn an error of a model that does not fit the installed versions into a sentence."""
    from ..app.tables import TableError

    try:
        yield
    except TableError:
        raise
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise BadInput(
            f"MODEL could not score TABLE ({type(error).__name__}: {error}). "
            "Compare the installed versions with those in model.json, or fit again."
        ) from None


def _seen_before(options: Options, cut: Cut, card: Card) -> str:
    """Say why the scores of rows of the fit are too confident, and where better ones are."""
    scored, audited = options.folder / SCORED, options.folder / AUDITED_ROWS
    why = (
        "TABLE has the rows that the model was fitted to. A model scores rows that it has seen too "
        "confidently: unlabelled rows too low, labelled rows too high. For these rows use "
    )
    if options.cut == "audited" and audited.is_file():
        return (
            f"{why}{audited}: it has them by the audited cut, with scores by fits that have not "
            "seen the row."
        )
    where = str(scored) if scored.is_file() else f"the {SCORED} of the fit"
    above = f" Select those above {cut.threshold!r}." if cut.threshold != card.threshold else ""
    return f"{why}{where}: its scores are by fits that have not seen the row.{above}"


def _cut(options: Options, card: Card) -> Cut:
    """Return the cut that was asked for."""
    if options.rule is not None:
        return Cut(f"the cut by {options.rule}", _by_rule(options.folder, options.rule))
    if options.cut == "audited":
        audited = read_audited(options.folder, card.sha256)
        name = f"the audited cut, by {audited['rule']}"
        return Cut(name, audited["threshold"], tuple(audited["posterior_line"]))
    if options.cut in (None, "original"):
        return Cut("the cut of the fit", card.threshold)
    return Cut(f"the cut {options.cut}, as given", float(str(options.cut)))


def _by_rule(folder: Path, rule: str) -> float:
    from ..app.report import ReportError, read_summary
    from ..app.table_model import threshold_by

    try:
        return threshold_by(read_summary(folder), rule)
    except ReportError as error:
        message = in_terminal(error, path="MODEL", summary="MODEL/summary.json")
        raise BadInput(f"`--rule` needs the summary.json of the fit: {message}") from None
    except ValueError as error:
        raise BadInput(in_terminal(error)) from None


def _finite(text: str | None) -> float | None:
    try:
        value = float(str(text))
    except ValueError:
        return None
    return value if math.isfinite(value) else None
