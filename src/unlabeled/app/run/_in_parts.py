"""Fit to a table larger than memory: read in parts, its features in a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from ...engine.progress import progress_bar
from ..tables import count
from ._errors import InputError
from ._memory import Room, check_room
from ._methods import AUTO, LINE
from ._scored_table import BECAUSE, ids_of, scored_columns, scored_writer, with_kept
from ._table import LoadedTable, TableInput

if TYPE_CHECKING:
    import numpy as np

    from ..report import ShownRows
    from ..table_model import MappedFit
    from ..tables import Batches, Drawn

MOST_DRAWN = 100_000
"""How many rows are drawn from a table that is read in parts: features are learnt from them."""

_FEWEST_DRAWN = 10_000
# Of the memory, so much may be drawn rows, and pages of the file of features.
_DRAWN_SHARE = 0.1
_BYTES_OF_A_CELL = 150
# Bytes of a row in scored.csv, without the columns that are kept.
_BYTES_OF_A_ROW = 260


@dataclass(frozen=True, eq=False)
class Parts:
    """A table that is read in parts.

    Attributes
    ----------
    batches : Batches
        All rows.
    drawn : Drawn
        The rows in memory, and the labels of all rows.
    folder : Path
        For temporary files.
    room : Room
        The memory that may be used.
    keep : tuple of str
        The columns to copy behind the scores.
    """

    batches: Batches
    drawn: Drawn
    folder: Path
    room: Room
    keep: tuple[str, ...]

    @property
    def rows(self) -> np.ndarray:
        """The numbers of the rows in memory."""
        return self.drawn.rows


@contextmanager
def loaded_table(
    given: TableInput,
    *,
    method: str,
    memory: int | None,
    scratch: Callable[[], AbstractContextManager[Path]],
    keep: tuple[str, ...],
    keep_all: bool,
) -> Iterator[LoadedTable]:
    """Yield the table of a fit: as a whole, or in parts if it does not fit into memory.

    `scratch` makes a folder for large temporary files.
    """
    room = Room(memory)
    batches = None if given.table is None else room.batches(given.table)
    _check_two_files(given, room)
    if batches is not None:
        why_not = _why_whole(given, method)
        if why_not is not None and room.must_stream(batches):
            raise InputError(
                f"{why_not} {room.sentence(batches)} Give more `--memory`, or fit to a part of the "
                "rows."
            )
        if why_not is not None:
            batches = None
    if batches is None:
        yield given.read()
        return
    with scratch() as folder:
        yield _read(given, batches, folder, room, keep, keep_all)


def _why_whole(given: TableInput, method: str) -> str | None:
    """Say which option needs all rows in memory; None if none does."""
    if method not in (AUTO, LINE):
        return (
            "`--method` must be auto or pu-logistic for a table that is read in parts; got "
            f"{method!r}."
        )
    need_all = {
        "--checked": given.checked,
        "--negative": given.negative,
        "--group": given.group,
        "--labelled-by": given.labelled_by,
    }
    for name, value in need_all.items():
        if value:
            return f"`{name}` must be left out with a table that is read in parts."
    return None


def _check_two_files(given: TableInput, room: Room) -> None:
    """Reject two files that together do not fit into the memory that was given."""
    if given.cases is None or given.population is None or not room.is_given:
        return
    for path in (given.cases, given.population):
        batches = room.batches(path)
        if batches is not None:
            raise InputError(
                "`--cases` and `--population` must fit into memory; "
                f"{room.too_large(batches)}. Give more `--memory`, or fewer rows."
            )


def _read(
    given: TableInput,
    batches: Batches,
    folder: Path,
    room: Room,
    keep: tuple[str, ...],
    keep_all: bool,
) -> LoadedTable:
    """Read a table once: draw rows, and read the labels of all rows."""
    from ..tables import Drawn, Reading, check_cells, draw_table, prepare

    assert given.label is not None
    kept = check_cells(batches.schema, None if keep_all else keep, "keep")
    given.log(room.sentence(batches), f"Reading {batches.path} ...")
    if batches.n_rows is not None:
        room.check_rows(batches.n_rows)
    most = int(_DRAWN_SHARE * room.most / (_BYTES_OF_A_CELL * len(batches.columns)))
    with progress_bar(step="Reading", quiet=given.quiet) as progress:
        drawn = draw_table(
            batches,
            given.label,
            most_rows=min(MOST_DRAWN, max(most, _FEWEST_DRAWN)),
            folder=folder,
            positive=given.positive or None,
            id=given.id,
            how=Reading(**given.reading),
            seed=given.seed,
            progress=progress,
        )
    n_rows = len(drawn.labels.s)
    room.check_rows(n_rows)
    said = (
        f"The table was read in parts: remarks on columns, and their features, come from "
        f"{count(len(drawn.rows))} of the {count(n_rows)} rows, drawn at random."
    )
    if not drawn.is_whole:
        drawn = Drawn(
            replace(drawn.table, remarks=(said, *drawn.table.remarks)), drawn.rows, drawn.labels
        )
    prepared = prepare(
        drawn.table,
        given.label,
        id=given.id,
        drop=given.drop,
        as_text=given.as_text,
        of_rows=n_rows,
    )
    parts = Parts(batches, drawn, folder, room, kept)
    loaded = LoadedTable(drawn.table, drawn.labels, prepared, None, parts)
    given.log(*loaded.remarks)
    return loaded


def fit_parts(given: TableInput, loaded: LoadedTable, parts: Parts, model: Any) -> MappedFit:
    """Write the features of all rows to a file, and fit a classifier to them."""
    from ..table_model import fit_mapped, map_features, precision_for
    from ..tables import TableFeatures

    started, n_rows = perf_counter(), len(loaded.labels.s)
    features = TableFeatures()
    drawn = features.fit_transform(loaded.prepared.X)
    precision = precision_for(drawn)
    size = n_rows * drawn.shape[1] * precision.itemsize
    kept = parts.batches.seen.n_bytes if parts.keep else 0
    check_room(parts.folder, size + n_rows * _BYTES_OF_A_ROW + 2 * kept)
    given.log(f"Computing {count(drawn.shape[1])} features of {count(n_rows)} rows ...")
    with progress_bar(step="Features", quiet=given.quiet) as progress:
        mapped = map_features(
            parts.batches,
            features,
            parts.folder / "features",
            precision=precision,
            reading=loaded.table.reading.record(),
            id=loaded.prepared.id,
            progress=progress,
        )
    _check_marks(given, parts, mapped.differences.missing.marks)
    given.log(*mapped.differences.date_remarks(features))
    made = perf_counter() - started
    given.log(f"Fitting pu-logistic to {count(n_rows)} rows ...")
    fit = fit_mapped(model, features, mapped.X_numeric, loaded.prepared, loaded.labels, parts.rows)
    fit.seconds["features"] = made
    parts.batches.seen.check()
    return fit


def _check_marks(given: TableInput, parts: Parts, found: dict[str, int]) -> None:
    """Reject a mark for missing cells that no cell of a used column has."""
    in_drawn = {mark for marks in parts.drawn.table.marks.values() for mark in marks}
    for mark in given.missing:
        values = {mark, mark.partition("=")[2]}
        if not values & (found.keys() | in_drawn):
            raise InputError(
                f"`--missing` must be a value of the table, or COLUMN=VALUE; got {mark!r}, which "
                "no cell has. Leave it out, or correct it."
            )


def write_scored_parts(
    path: Path,
    fit: MappedFit,
    loaded: LoadedTable,
    parts: Parts,
    scores: Callable[[slice], dict[str, Any]],
    *,
    include_rows: bool,
    quiet: bool,
) -> ShownRows | None:
    """Write the scored table batch by batch; return the rows that the report shows.

    `scores` computes the columns of numbers of some rows.
    """
    import numpy as np
    import pyarrow as pa

    from ..table_model import MOST_EXPLAINED, reasons_for
    from ..tables import conformed_rows, reading_like

    features, id = fit.pipeline[0], loaded.prepared.id
    first = _first_unlabelled(fit, MOST_EXPLAINED)
    features_of = fit.features_of(first)
    how = reading_like(features, loaded.table.reading.record())
    shown: list[dict[str, Any]] = []
    start = 0
    with (
        progress_bar(step="Writing", quiet=quiet) as progress,
        scored_writer(path, ".csv") as write,
    ):
        for batch in parts.batches.read(progress=progress):
            rows = slice(start, start + batch.num_rows)
            numbers = scores(rows)
            of_batch = slice(*np.searchsorted(first, (rows.start, rows.stop)))
            inside = first[of_batch]
            because: list[str | None] = [None] * batch.num_rows
            if len(inside):
                few = parts.batches.table_of(batch.take(inside - start), how, id)
                X = conformed_rows(few, features)
                why = reasons_for(fit, X, features_of[of_batch])
                for row, reason in zip(inside, why, strict=True):
                    because[row - start] = reason
            ids = None if id is None else ids_of(batch.column(id))
            numbers[BECAUSE] = pa.array(because, pa.string())
            columns = scored_columns(id, ids, numbers, start + 1)
            kept = {name: batch.column(name) for name in parts.keep}
            write(with_kept(columns, kept, id))
            if include_rows and len(inside):
                shown.append(_taken(columns, inside - start))
            start = rows.stop
    return _shown(shown, fit) if include_rows else None


def _first_unlabelled(fit: MappedFit, most: int) -> np.ndarray:
    """Return the unlabelled rows with the highest scores, in the order of the table."""
    import numpy as np

    rank = fit.rank_among_unlabelled
    found = np.flatnonzero((rank > 0) & (rank <= most))
    return np.sort(found[np.argsort(rank[found], kind="stable")[:most]])


def _taken(columns: dict[str, Any], places: np.ndarray) -> dict[str, list[Any]]:
    """Return some rows of columns."""
    return {
        name: column.take(places).to_pylist()
        if hasattr(column, "to_pylist")
        else column[places].tolist()
        for name, column in columns.items()
    }


def _shown(parts: list[dict[str, list[Any]]], fit: MappedFit) -> ShownRows:
    """Return the rows that a report shows, from the first unlabelled rows of every batch."""
    import numpy as np

    from ..report import ShownRows

    columns: dict[str, Any] = {}
    for name in parts[0]:
        cells = [cell for part in parts for cell in part[name]]
        columns[name] = cells if isinstance(cells[0], str) or name == BECAUSE else np.array(cells)
    return replace(ShownRows.of(columns), n_unlabelled=int((fit.labels.s == 0).sum()))


def why_a_line() -> str:
    """Say why `auto` fits no ensemble."""
    return "The line is used, because an ensemble needs all rows in memory."
