"""The table that a command starts from, as a whole or in parts, and what is known of its rows."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ...engine.progress import progress_bar
from ..tables import count
from ._errors import InputError, in_terminal
from ._memory import Room
from ._methods import AUTO, LINE

if TYPE_CHECKING:
    import numpy as np

    from ..tables import Batches, Drawn, Labels, Prepared, Repeated, Table

MOST_DRAWN = 100_000
"""How many rows are drawn from a table that is read in parts: features are learned from them."""

_FEWEST_DRAWN = 10_000
# Of the memory, so much may be drawn rows, and pages of the file of features.
_DRAWN_SHARE = 0.1
_BYTES_OF_A_CELL = 150


def tell(*lines: str) -> None:
    """Write what is going on to stderr, which leaves stdout to results."""
    for line in lines:
        sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


@dataclass(frozen=True, kw_only=True)
class TableInput:
    """A table, or two files, and how to read it; commands add what they compute from it.

    The attributes have the names of the options of the command line.
    """

    table: Path | None
    label: str | None
    positive: tuple[str, ...]
    filled: bool
    id: str | None
    group: str | None
    no_group: bool
    drop: tuple[str, ...]
    as_text: tuple[str, ...]
    as_number: tuple[str, ...]
    missing: tuple[str, ...]
    day_first: tuple[str, ...]
    class_prior: float | None
    seed: int
    quiet: bool
    negative: tuple[str, ...] = ()
    labeled_by: tuple[str, ...] = ()
    checked: str | None = None
    chosen_beforehand: bool = False
    cases: Path | None = None
    population: Path | None = None
    copies: bool = False

    def __post_init__(self) -> None:
        if self.group is not None and self.no_group:
            raise InputError(
                "`--group` must be left out with `--no-group`; got both. Leave one of them out."
            )

    @property
    def path(self) -> Path:
        """The file whose rows the numbers are about."""
        path = self.table or self.population
        assert path is not None
        return path

    @property
    def reads(self) -> tuple[Path, ...]:
        """All files that the rows come from; one may be a pattern."""
        return tuple(one for one in (self.table, self.cases, self.population) if one is not None)

    def log(self, *lines: str) -> None:
        """Write progress to stderr, unless `--quiet`."""
        if not self.quiet:
            tell(*lines)

    def read(self) -> LoadedTable:
        """Read the table, and log what was changed or left out."""
        from ..tables import (
            check_labeled_by,
            checked_rows,
            label_column,
            prepare,
            read_table,
        )

        if self.cases is not None:
            return self._read_two_files()
        assert self.table is not None
        assert self.label is not None
        self.log(f"Reading {self.table} ...")
        table = read_table(self.table, id=self.id, **self.reading)
        labels = label_column(
            table, self.label, self.positive or None, self.negative, filled=self.filled
        )
        prepared = self._grouped(
            table,
            labels,
            partial(
                prepare,
                table,
                self.label,
                id=self.id,
                drop=self.drop,
                as_text=self.as_text,
                checked=self.checked,
            ),
        )
        checked = checked_rows(table, labels, self.checked)
        self._ask_how_chosen(checked)
        check_labeled_by(self.labeled_by, table, prepared, any_checked=checked is not None)
        loaded = LoadedTable(table, labels, prepared, checked)
        self.log(*loaded.remarks)
        return loaded

    def _ask_how_chosen(self, checked: np.ndarray | None) -> None:
        """Reject rows that may have been recorded because they are negative."""
        from ...engine.rows import ASKED, COSTS

        if self.chosen_beforehand:
            if checked is None:
                raise InputError("`--chosen-beforehand` must go with `--checked` or `--negative`.")
            return
        if checked is None or not (self.negative or not (checked == 1).any()):
            return
        option = "--negative" if self.negative else "--checked"
        without = f"{option} out" if self.negative else "the option out, and --drop the column"
        got = f"`--negative {self.negative[0]}`" if self.negative else "no with every answer"
        raise InputError(
            f"`{option}` must be about rows that were chosen before anybody knew their class; "
            f"got {got}, which may be a record of negatives. {ASKED} If chosen before, add "
            f"--chosen-beforehand. If recorded, leave {without}: the rows then count as unlabeled. "
            f"{COSTS}"
        )

    def _grouped(self, table: Table, labels: Labels, prepare: Callable[..., Prepared]) -> Prepared:
        """Prepare a table with the groups that were named, or else with those that it has."""
        from ..tables import count_copies_once, mark_telling

        prepared, repeated = prepare(group=self.group), None
        if self.group is None and not self.no_group:
            repeated = repeated_in(table, labels.s, prepared)
        if self.copies and repeated is not None:
            raise InputError(
                f"{repeated.remark} `--copies` keeps only equal rows together. Use `--group "
                f"{shlex.quote(repeated.name)}` instead, or add `--no-group` if rows of one value "
                "do not belong together."
            )
        if repeated is not None:
            prepared = replace(prepare(group=repeated.name), repeated=repeated)
        marked = mark_telling(prepared, table.frame, labels.s)
        return count_copies_once(marked) if self.copies else marked

    @property
    def reading(self) -> dict[str, tuple[str, ...]]:
        """What the options say about how to read columns."""
        names = ("as_text", "as_number", "missing", "day_first")
        return {name: getattr(self, name) for name in names}

    def _read_two_files(self) -> LoadedTable:
        from ..tables import read_two_files

        assert self.cases is not None
        assert self.population is not None
        self.log(f"Reading {self.cases} and {self.population} ...")
        reading: dict[str, Any] = dict(self.reading)
        read = partial(
            read_two_files, self.cases, self.population, id=self.id, drop=self.drop, **reading
        )
        files = read(group=self.group)
        prepared = self._grouped(
            files.table,
            files.labels,
            lambda group: files.prepared if group == self.group else read(group=group).prepared,
        )
        loaded = LoadedTable(files.table, files.labels, prepared, None)
        self.log(*loaded.remarks)
        return loaded


class LoadedTable(NamedTuple):
    """A table, its labels, the columns that are used, and what is known of checked rows.

    If the table is read in `parts`, `table` and `prepared` hold drawn rows, and `labels` all rows.
    """

    table: Table
    labels: Labels
    prepared: Prepared
    checked: np.ndarray | None
    parts: Parts | None = None

    @property
    def s(self) -> np.ndarray:
        """The labels of the rows in memory: all rows, or those that were drawn."""
        return self.labels.s if self.parts is None else self.labels.s[self.parts.rows]

    @property
    def rows(self) -> np.ndarray:
        """The numbers of the rows in memory."""
        import numpy as np

        return np.arange(len(self.labels.s)) if self.parts is None else self.parts.rows

    @property
    def remarks(self) -> tuple[str, ...]:
        """What was changed or left out, and what was kept together."""
        prepared = self.prepared
        together = f"Folds keep {count(prepared.n_groups)} groups of {prepared.group!r} together."
        said = (*self.table.remarks, *map(in_terminal, prepared.remarks))
        if prepared.repeated is not None:
            return (*said, f"{prepared.repeated.remark} {together} {prepared.repeated.answers}")
        return (*said, *[together] * bool(prepared.n_groups))

    def need_enough_labeled(self, *, may_be_checked: bool) -> None:
        """Reject a table with too few labeled rows, or groups, to tell anything.

        Rows that were checked and found positive count too. The command may have an option for
        them.
        """
        import numpy as np

        from ...linear_model import FEW_LABELED

        known, unit = self.labels.s == 1, "rows"
        if self.checked is not None:
            known = known | (self.checked == 1)
        enough, of = int(known.sum()), len(known)
        if self.prepared.groups is not None:
            enough, of = len(np.unique(self.prepared.groups[known])), self.prepared.n_groups
            unit = "groups"
        if enough >= FEW_LABELED:
            return
        must, got = "`--label` must mark", f"{count(enough)} of {count(of)}"
        if self.labels.cases is not None:
            must, got = "`--cases` must hold", count(enough)
        remedy = "Label more rows"
        if may_be_checked and self.labels.cases is None:
            remedy += ", or check rows drawn at random and name the answers with `--checked`"
        raise InputError(
            f"{must} at least {FEW_LABELED} {unit}; got {got}. With so few, the number of "
            f"positives and the cut depend on the model more than on the labels. {remedy}."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return what was read, what counted as labeled, and the columns used, for JSON."""
        table = self.table
        return {
            "table": {"name": table.path.name, "rows": len(table), "columns": list(table.columns)},
            "label": self.labels.to_dict(),
            "features": list(self.prepared.features),
            "not_used": self.prepared.dropped,
            "groups": self.prepared.n_groups or None,
            "remarks": list(self.remarks),
        }


def repeated_in(
    table: Table, s: np.ndarray, prepared: Prepared, drawn: float = 1.0
) -> Repeated | None:
    """Return the column whose values have several rows that are alike, or None.

    The rows may be drawn from a table; `drawn` is then their share of it.
    """
    from ..tables import FOUND_BY_CHECKING, repeated_rows

    answers = {name for name, why in prepared.dropped.items() if why == FOUND_BY_CHECKING}
    candidates = [name for name in table.columns if name != prepared.label and name not in answers]
    return repeated_rows(table.frame, s, prepared.features, candidates, drawn=drawn)


# A table in parts.


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
        "--copies": given.copies,
        "--labeled-by": given.labeled_by,
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
    from ..tables import Drawn, Reading, check_cells, draw_table, mark_telling, prepare

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
            max_rows=min(MOST_DRAWN, max(most, _FEWEST_DRAWN)),
            folder=folder,
            positive=given.positive or None,
            filled=given.filled,
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
    prepared = mark_telling(prepared, drawn.table.frame, drawn.labels.s[drawn.rows])
    if not given.no_group:
        share = len(drawn.rows) / n_rows
        repeated = repeated_in(drawn.table, drawn.labels.s[drawn.rows], prepared, share)
        if repeated is not None:
            raise InputError(
                f"{repeated.remark} A table that is read in parts cannot keep them together. Give "
                f"more `--memory` and `--group {shlex.quote(repeated.name)}`, or `--no-group` if "
                "they do not belong together."
            )
    parts = Parts(batches, drawn, folder, room, kept)
    loaded = LoadedTable(drawn.table, drawn.labels, prepared, None, parts)
    given.log(*loaded.remarks)
    return loaded


# With fewer numbers than this, threads cost more time than they save.
_WORTH_THREADS = 10_000_000
_SET_BY_THE_USER = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@contextmanager
def threads_for(n_rows: int, n_columns: int) -> Iterator[None]:
    """Use one thread for a small table, unless the environment sets their number."""
    is_set = any(name in os.environ for name in _SET_BY_THE_USER)
    if is_set or n_rows * n_columns >= _WORTH_THREADS:
        yield
        return
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        yield
