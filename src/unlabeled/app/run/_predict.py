"""Score new rows with the model of a fit."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ...engine.progress import progress_bar
from ._audit_files import AUDITED, AUDITED_ROWS, read_audited
from ._errors import InputError, about_model, in_terminal
from ._memory import Room
from ._scored_table import (
    SCORED,
    fingerprint,
    ids_of,
    kept_columns,
    scored_columns,
    scored_writer,
    with_kept,
    write_scored,
)
from ._table import tell

if TYPE_CHECKING:
    from ..model_files import Card
    from ..table_model import Scored
    from ..tables import Batches


@dataclass(frozen=True, kw_only=True)
class PredictInput:
    """A model, the table to score, and how; the attributes have the names of the options."""

    model: Path
    table: Path
    out: Path
    cut: str | None
    rule: str | None
    keep: tuple[str, ...]
    keep_all: bool
    quiet: bool
    memory: int | None

    @property
    def ending(self) -> str:
        """The ending of FILE."""
        return self.out.suffix.lower()

    @property
    def folder(self) -> Path:
        """The folder of the fit."""
        return self.model if self.model.is_dir() else self.model.parent


@dataclass(frozen=True)
class Cut:
    """A cut: its name for people, its threshold, and the posterior's line if that changes too."""

    name: str
    threshold: float
    line: tuple[float, float] | None = None


class PredictOutput(NamedTuple):
    """Remarks, the scored rows, the cut that was used, and what writes the rows to a file."""

    remarks: tuple[str, ...]
    scored: Scored
    cut: Cut
    write: Callable[[Path], None]


class _Read(NamedTuple):
    """A table that was read and scored: its own remarks, and what gives IDs and kept columns."""

    scored: Scored
    is_fitted: bool
    remarks: tuple[str, ...]
    has_ids: bool
    write: Callable[[Path, Scored], None]


def predict_table(given: PredictInput) -> PredictOutput:
    """Score the rows of a table with the model of a fit."""
    from ..model_files import ModelFileError, load_model

    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            pipeline, card = load_model(given.model)
    except ModelFileError as error:
        raise InputError(about_model(error, "MODEL")) from None
    cut = _cut(given, card)
    room = Room(given.memory)
    batches = room.batches(given.table)
    if batches is None:
        read = _whole(given, pipeline, card)
    else:
        read = _in_parts(given, pipeline, card, batches, room)
    remarks = tuple(dict.fromkeys(str(one.message) for one in caught))
    if given.cut is None and given.rule is None and (given.folder / AUDITED).is_file():
        remarks += (
            "Checked rows have chosen another cut: `--cut audited` uses it, and `--cut original` "
            "uses the cut of the fit without this remark.",
        )
    if card.id is not None and not read.has_ids:
        remarks += (f"No column {card.id!r}: rows are numbered instead.",)
    # Features of text may differ in their last digits, so the file is compared as well.
    same_file = fingerprint(given.table)["sha256"] == card.fingerprint["sha256"]
    if read.is_fitted or (same_file and hasattr(pipeline[-1], "fingerprint_")):
        remarks += (_seen_before(given, cut, card),)
    scored = read.scored.with_cut(cut.threshold, cut.line)
    return PredictOutput(
        (*remarks, *read.remarks), scored, cut, lambda path: read.write(path, scored)
    )


def _whole(given: PredictInput, pipeline: Any, card: Card) -> _Read:
    """Read and score a table that fits into memory."""
    from ..table_model import score_rows
    from ..tables import conform, read_like

    table = read_like(given.table, pipeline[0], card.id, card.reading)
    conformed = conform(table, pipeline[0], _known(card))
    kept = kept_columns(given.table, given.keep, given.keep_all)
    ids = table.frame[card.id] if card.id in table.columns else None
    with _scoring():
        scored, is_fitted = score_rows(pipeline, conformed.X)

    def write(path: Path, scored: Scored) -> None:
        columns = scored_columns(card.id, ids, scored._asdict())
        write_scored(path, with_kept(columns, kept, card.id), given.ending)

    remarks = (*table.remarks, *conformed.remarks)
    return _Read(scored, is_fitted, remarks, ids is not None, write)


def _in_parts(
    given: PredictInput, pipeline: Any, card: Card, batches: Batches, room: Room
) -> _Read:
    """Read and score a table in parts, and read it again when its rows are written."""
    from ..table_model import score_parts
    from ..tables import Differences, check_cells, conformed_rows

    keep = check_cells(batches.schema, None if given.keep_all else given.keep, "keep")
    has_ids = card.id in batches.columns
    if not given.quiet:
        tell(room.sentence(batches))
    if batches.n_rows is not None:
        room.check_rows(batches.n_rows)
    differences: list[Differences] = []

    def frames() -> Iterator[Any]:
        for table, _ in batches.read_like(pipeline[0], card.id, card.reading, progress):
            X = conformed_rows(table, pipeline[0])
            new = Differences.of(table, X, pipeline[0], _known(card))
            differences[:] = [differences[0] + new if differences else new]
            yield X

    with progress_bar(step="Scoring", quiet=given.quiet) as progress, _scoring():
        scored, is_fitted = score_parts(pipeline, frames())

    def write(path: Path, scored: Scored) -> None:
        wanted = [*([card.id] if card.id is not None and has_ids else []), *keep]
        rows = slice(0, 0)
        with (
            progress_bar(step="Writing", quiet=given.quiet) as progress,
            scored_writer(path, given.ending) as put,
        ):
            for batch in batches.read(list(dict.fromkeys(wanted)) or None, progress):
                rows = slice(rows.stop, rows.stop + batch.num_rows)
                ids = ids_of(batch.column(card.id)) if has_ids else None
                numbers = {name: column[rows] for name, column in scored._asdict().items()}
                columns = scored_columns(card.id, ids, numbers, rows.start + 1)
                kept = {name: batch.column(name) for name in keep}
                put(with_kept(columns, kept, card.id))

    remarks = (*batches.remarks, *differences[0].remarks(pipeline[0]))
    return _Read(scored, is_fitted, remarks, has_ids, write)


def _known(card: Card) -> tuple[str, ...]:
    """Return the columns that the fit left out as it should."""
    return tuple(name for name in (card.id, card.label) if name is not None)


@contextmanager
def _scoring() -> Iterator[None]:
    """Turn an error of a model that does not fit the installed versions into a sentence."""
    from ..tables import TableError

    try:
        yield
    except TableError:
        raise
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise InputError(
            f"MODEL could not score TABLE ({type(error).__name__}: {error}). "
            "Compare the installed versions with those in model.json, or fit again."
        ) from None


def _seen_before(given: PredictInput, cut: Cut, card: Card) -> str:
    """Say why the scores of rows of the fit are too confident, and where better ones are."""
    scored, audited = given.folder / SCORED, given.folder / AUDITED_ROWS
    why = (
        "TABLE has the rows that the model was fitted to. A model scores rows that it has seen too "
        "confidently: unlabelled rows too low, labelled rows too high. For these rows use "
    )
    if given.cut == "audited" and audited.is_file():
        return (
            f"{why}{audited}: it has them by the audited cut, with scores by fits that have not "
            "seen the row."
        )
    where = str(scored) if scored.is_file() else f"the {SCORED} of the fit"
    above = f" Select those above {cut.threshold!r}." if cut.threshold != card.threshold else ""
    return f"{why}{where}: its scores are by fits that have not seen the row.{above}"


def _cut(given: PredictInput, card: Card) -> Cut:
    """Return the cut that was asked for."""
    if given.rule is not None:
        return Cut(f"the cut by {given.rule}", _by_rule(given.folder, given.rule))
    if given.cut == "audited":
        audited = read_audited(given.folder, card.sha256)
        name = f"the audited cut, by {audited['rule']}"
        return Cut(name, audited["threshold"], tuple(audited["posterior_line"]))
    if given.cut in (None, "original"):
        return Cut("the cut of the fit", card.threshold)
    return Cut(f"the cut {given.cut}, as given", float(str(given.cut)))


def _by_rule(folder: Path, rule: str) -> float:
    from ..report import ReportError, read_summary
    from ..table_model import threshold_by

    try:
        return threshold_by(read_summary(folder), rule)
    except ReportError as error:
        message = in_terminal(error, path="MODEL", summary="MODEL/summary.json")
        raise InputError(f"`--rule` needs the summary.json of the fit: {message}") from None
    except ValueError as error:
        raise InputError(in_terminal(error)) from None
