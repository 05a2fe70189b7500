"""Score new rows with the model of a fit."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ...engine.progress import progress_bar
from ._audit_files import AUDITED, AUDITED_ROWS, read_audited
from ._errors import InputError, about_model, in_terminal
from ._memory import Room
from ._scored_table import (
    SCORED,
    WITH_COMMAS,
    fingerprint,
    ids_of,
    kept_columns,
    scored_columns,
    scored_writer,
    with_kept,
    writes_commas,
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


class _Batches(NamedTuple):
    """A table in batches, of which a table that fits into memory is one.

    Attributes
    ----------
    has_ids : bool
        Whether the column of row identifiers is there.
    frames : callable
        Yields the columns of the fit, batch by batch.
    cells : callable
        Yields, batch by batch, how many rows it has, their identifiers, and what is kept of them.
    remarks : callable
        Returns what to say of the table once its frames were read.
    decimal_comma : callable
        Returns the columns with decimal commas, likewise.
    """

    has_ids: bool
    frames: Callable[[], Iterable[Any]]
    cells: Callable[[], Iterator[tuple[int, Any, dict[str, Any]]]]
    remarks: Callable[[], tuple[str, ...]]
    decimal_comma: Callable[[], tuple[str, ...]]


def predict_table(given: PredictInput) -> PredictOutput:
    """Score the rows of a table with the model of a fit."""
    from ..model_files import ModelFileError, read_model
    from ..table_model import score_parts

    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            pipeline, card = read_model(given.model, of_table=True)
    except ModelFileError as error:
        raise InputError(about_model(error, "MODEL")) from None
    cut = _cut(given, card)
    if not given.quiet:
        tell(f"Reading {given.table} ...")
    table = _batches(given, pipeline, card)
    with _scoring():
        scored, is_fitted = score_parts(pipeline, table.frames())
    remarks = tuple(dict.fromkeys(str(one.message) for one in caught))
    if given.cut is None and given.rule is None and (given.folder / AUDITED).is_file():
        remarks += (
            "Checked rows have chosen another cut: `--cut audited` uses it, and `--cut original` "
            "uses the cut of the fit without this remark.",
        )
    if card.id is not None and not table.has_ids:
        remarks += (f"No column {card.id!r}: rows are numbered instead.",)
    # Features of text may differ in their last digits, so the file is compared as well.
    same_file = fingerprint(given.table)["sha256"] == card.fingerprint.get("sha256")
    if is_fitted or (same_file and hasattr(pipeline[-1], "_fingerprint_")):
        remarks += (_seen_before(given, cut, card),)
    remarks = (*remarks, *table.remarks())
    commas = given.ending == ".csv" and writes_commas(given.table, table.decimal_comma())
    if commas:
        remarks += (f"{given.out.name} {WITH_COMMAS} {given.table.name}.",)
    scored = scored.with_cut(cut.threshold, cut.line)
    write = partial(_write, given, card.id, table, scored, commas)
    return PredictOutput(remarks, scored, cut, write)


def _write(
    given: PredictInput,
    id: str | None,
    table: _Batches,
    scored: Scored,
    commas: bool,
    path: Path,
) -> None:
    """Write the scored rows with what is kept of them."""
    rows = slice(0, 0)
    with scored_writer(path, given.ending, commas) as put:
        for n_rows, ids, kept in table.cells():
            rows = slice(rows.stop, rows.stop + n_rows)
            numbers = {name: column[rows] for name, column in scored._asdict().items()}
            put(with_kept(scored_columns(id, ids, numbers, rows.start + 1), kept, id))


def _batches(given: PredictInput, pipeline: Any, card: Card) -> _Batches:
    """Return the table: as one batch if it fits into memory, else in many."""
    room = Room(given.memory)
    batches = room.batches(given.table)
    if batches is not None:
        return _many_batches(given, pipeline, card, batches, room)
    from ..table_model import blocks_of
    from ..tables import conform, read_like

    table = read_like(given.table, pipeline[0], card.id, card.reading)
    conformed = conform(table, pipeline[0], _known(card))
    kept = kept_columns(given.table, given.keep, given.keep_all)
    ids = table.frame[card.id] if card.id in table.columns else None

    def cells() -> Iterator[tuple[int, Any, dict[str, Any]]]:
        yield len(conformed.X), ids, kept

    remarks = (*table.remarks, *conformed.remarks)
    return _Batches(
        ids is not None,
        lambda: blocks_of(conformed.X),
        cells,
        lambda: remarks,
        lambda: table.reading.decimal_comma,
    )


def _many_batches(
    given: PredictInput, pipeline: Any, card: Card, batches: Batches, room: Room
) -> _Batches:
    """Return a table that is read anew for its frames and for its cells."""
    from ..tables import Differences, check_cells, conformed_rows

    keep = check_cells(batches.schema, None if given.keep_all else given.keep, "keep")
    has_ids = card.id in batches.columns
    if not given.quiet:
        tell(room.sentence(batches))
    if batches.n_rows is not None:
        room.check_rows(batches.n_rows)
    differences: list[Differences] = []

    def frames() -> Iterator[Any]:
        with progress_bar(step="Scoring", quiet=given.quiet) as progress:
            for table, _ in batches.read_like(pipeline[0], card.id, card.reading, progress):
                X = conformed_rows(table, pipeline[0])
                new = Differences.of(table, X, pipeline[0], _known(card))
                differences[:] = [differences[0] + new if differences else new]
                yield X

    def cells() -> Iterator[tuple[int, Any, dict[str, Any]]]:
        wanted = [*([card.id] if card.id is not None and has_ids else []), *keep]
        with progress_bar(step="Writing", quiet=given.quiet) as progress:
            for batch in batches.read(list(dict.fromkeys(wanted)) or None, progress):
                ids = ids_of(batch.column(card.id)) if has_ids else None
                yield batch.num_rows, ids, {name: batch.column(name) for name in keep}

    def remarks() -> tuple[str, ...]:
        return (*batches.remarks, *differences[0].remarks(pipeline[0]))

    return _Batches(has_ids, frames, cells, remarks, lambda: differences[0].decimal_comma)


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
        "confidently: unlabeled rows too low, labeled rows too high. For these rows use "
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
