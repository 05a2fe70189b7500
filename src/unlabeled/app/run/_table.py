"""The table that a command starts from, and what is known of its rows."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ._errors import InputError, in_terminal

if TYPE_CHECKING:
    import numpy as np

    from ..tables import Labels, Prepared, Table
    from ._in_parts import Parts


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
    id: str | None
    group: str | None
    drop: tuple[str, ...]
    as_text: tuple[str, ...]
    as_number: tuple[str, ...]
    missing: tuple[str, ...]
    day_first: tuple[str, ...]
    class_prior: float | None
    seed: int
    quiet: bool
    negative: tuple[str, ...] = ()
    labelled_by: tuple[str, ...] = ()
    checked: str | None = None
    cases: Path | None = None
    population: Path | None = None

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
            check_labelled_by,
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
        labels = label_column(table, self.label, self.positive or None, self.negative)
        prepared = prepare(
            table,
            self.label,
            id=self.id,
            drop=self.drop,
            as_text=self.as_text,
            checked=self.checked,
            group=self.group,
        )
        checked = checked_rows(table, labels, self.checked)
        check_labelled_by(self.labelled_by, table, prepared, any_checked=checked is not None)
        loaded = LoadedTable(table, labels, prepared, checked)
        self.log(*loaded.remarks)
        return loaded

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
        files = read_two_files(
            self.cases,
            self.population,
            id=self.id,
            drop=self.drop,
            group=self.group,
            **self.reading,
        )
        loaded = LoadedTable(files.table, files.labels, files.prepared, None)
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
        from ..tables import count

        prepared = self.prepared
        together = f"Folds keep {count(prepared.n_groups)} groups of {prepared.group!r} together."
        said = (*self.table.remarks, *map(in_terminal, prepared.remarks))
        return (*said, *[together] * bool(prepared.n_groups))

    def need_enough_labelled(self, *, may_be_checked: bool) -> None:
        """Reject a table with too few labelled rows, or groups, to tell anything.

        Rows that were checked and found positive count too. The command may have an option for
        them.
        """
        import numpy as np

        from ...linear_model import FEW_LABELLED
        from ..tables import count

        known, unit = self.labels.s == 1, "rows"
        if self.checked is not None:
            known = known | (self.checked == 1)
        enough, of = int(known.sum()), len(known)
        if self.prepared.groups is not None:
            enough, of = len(np.unique(self.prepared.groups[known])), self.prepared.n_groups
            unit = "groups"
        if enough >= FEW_LABELLED:
            return
        must, got = "`--label` must mark", f"{count(enough)} of {count(of)}"
        if self.labels.cases is not None:
            must, got = "`--cases` must hold", count(enough)
        remedy = "Label more rows"
        if may_be_checked and self.labels.cases is None:
            remedy += ", or check rows drawn at random and name the answers with `--checked`"
        raise InputError(
            f"{must} at least {FEW_LABELLED} {unit}; got {got}. With so few, the number of "
            f"positives and the cut depend on the model more than on the labels. {remedy}."
        )

    def record(self) -> dict[str, Any]:
        """Return what was read, what counted as labelled, and the columns used, for JSON."""
        table = self.table
        return {
            "table": {"name": table.path.name, "rows": len(table), "columns": list(table.columns)},
            "label": self.labels.record(),
            "features": list(self.prepared.features),
            "not_used": self.prepared.dropped,
            "groups": self.prepared.n_groups or None,
            "remarks": list(self.remarks),
        }


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
