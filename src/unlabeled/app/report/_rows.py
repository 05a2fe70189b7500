"""The unlabeled rows to look at first."""

from __future__ import annotations

import csv
import heapq
import math
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from ...engine.of_020 import NAMES
from ..pages import clean
from ..table_model import AGAINST, BETWEEN
from ._summary import ReportError

COLUMNS = (
    "labeled",
    "score",
    "posterior",
    "posterior_if_unlabeled",
    "posterior_if_unlabeled_lower",
    "posterior_if_unlabeled_upper",
    "decision_if_unlabeled",
    "decision",
    "rank",
    "rank_among_unlabeled",
    "held_out_score",
    "held_out_posterior",
    "because",
)
"""The columns of `scored.csv` after the identifier column; columns that were kept follow."""

MOST_ROWS = 50
_SHOWN = " data-rows=shown>"  # in the template
_AGAIN = "Fit again with `unlabeled fit`, or leave `--include-rows` out."


@dataclass(frozen=True)
class Row:
    """An unlabeled row: its rank among the unlabeled rows, and `chance`, P(Y=1|x, S=0).

    `because` names the columns that moved its score most, up and down; it may be blank.
    """

    rank: int
    id: str
    score: float
    chance: float
    decision: int
    because: str = ""


@dataclass(frozen=True)
class ShownRows:
    """Unlabeled rows, the highest score first.

    Attributes
    ----------
    id_column : str
        The identifier column of the table, or ``row``, counted from 1.
    rows : tuple of Row
        With `rank`, `id`, `score`, `chance`, `decision` and `because`.
    n_unlabeled : int
        The number of unlabeled rows in the whole table.
    """

    id_column: str
    rows: tuple[Row, ...]
    n_unlabeled: int

    @classmethod
    def of(cls, columns: dict[str, Any], most: int = MOST_ROWS) -> ShownRows:
        """Take the unlabeled rows with the highest score from the columns of a scored table.

        Parameters
        ----------
        columns : dict of str to array of shape (n_rows,)
            The row identifiers first, then the columns of `scored.csv`.
        most : int, default=50
            The largest number of rows to return.

        Returns
        -------
        rows : ShownRows
        """
        id_column, ids = next(iter(columns.items()))
        unlabeled = np.flatnonzero(np.asarray(columns["labeled"]) == 0)
        rank = np.asarray(columns["rank_among_unlabeled"])[unlabeled]
        first = unlabeled[np.argsort(rank, kind="stable")[:most]]
        # Convert to text as Arrow does in scored.csv.
        names = pa.array(ids, from_pandas=True).take(first).cast(pa.string()).to_pylist()
        numbers = (
            np.asarray(columns[name])[first].tolist()
            for name in ("rank_among_unlabeled", "score", "posterior_if_unlabeled", "decision")
        )
        reasons = [columns["because"][k] or "" for k in first]
        rows = zip(names, *numbers, reasons, strict=True)
        return cls(
            id_column,
            tuple(Row(rank, name or "", *others) for name, rank, *others in rows),
            len(unlabeled),
        )


def shows_rows(report: Path) -> bool:
    """Return whether a report that was written shows rows."""
    return report.is_file() and _SHOWN in report.read_text("utf-8")


def rows_section(rows: ShownRows | None) -> dict[str, Any] | None:
    """Return the rows with identifiers that are safe to show; None if rows are not shown."""
    if rows is None:
        return None
    return {
        "id_column": clean(rows.id_column),
        "rows": [asdict(row) | {"id": clean(row.id)} | _reasons(row.because) for row in rows.rows],
        "n_unlabeled": rows.n_unlabeled,
    }


def _reasons(because: str) -> dict[str, list[str]]:
    """Return what speaks for a positive, and what against."""
    raised, _, lowered = f"{BETWEEN}{because}".partition(f"{BETWEEN}{AGAINST}")
    return {
        name: [clean(reason) for reason in reasons.split(BETWEEN) if reason]
        for name, reasons in (("speaks_for", raised), ("speaks_against", lowered))
    }


def read_rows(path: str | os.PathLike[str], most: int = MOST_ROWS) -> ShownRows:
    """Read the unlabeled rows with the highest score.

    Parameters
    ----------
    path : str or path
        The `scored.csv` of a fit. It is read row by row, so its size does not matter.
    most : int, default=50
        The largest number of rows to return.

    Returns
    -------
    rows : ShownRows

    Raises
    ------
    ReportError
        If the file is missing, incomplete, or not a `scored.csv`.
    """
    unlabeled, commas = 0, False
    header: list[str] = []

    def unlabeled_rows(lines: Iterator[list[str]]) -> Iterator[Row]:
        nonlocal unlabeled
        for line in lines:
            row = _row(line, len(header), "," if commas else ".")
            if row is not None:
                unlabeled += 1
                yield row

    longest = csv.field_size_limit(2**31 - 1)  # a cell of a column that was kept may be long
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            first = file.readline()
            file.seek(0)
            # With semicolons, numbers have decimal commas.
            commas = first.count(";") > first.count(",")
            lines = csv.reader(file, delimiter=";" if commas else ",")
            header = [NAMES.get(name, name) for name in next(lines, [])]
            if tuple(header[1 : len(COLUMNS) + 1]) != COLUMNS:
                raise ReportError(
                    "`path` must be a file with a column of row IDs and then the columns "
                    f"{', '.join(COLUMNS)}; got {Path(path).name} with others. {_AGAIN}"
                )
            best = heapq.nsmallest(most, unlabeled_rows(lines), key=lambda row: row.rank)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise ReportError(
            f"`path` must be a file that can be read; got {path}: {why}. {_AGAIN}"
        ) from None
    finally:
        csv.field_size_limit(longest)
    return ShownRows(header[0], tuple(best), unlabeled)


def _row(line: list[str], n_cells: int, decimal: str) -> Row | None:
    """Return an unlabeled row; None for a labeled one."""
    try:
        name, labeled, score, _, chance, _, _, _, decision, _, rank, _, _, because, *_ = line
        if labeled not in ("0", "1") or len(line) != n_cells:
            raise ValueError
        if labeled == "1":
            return None
        score, chance = (cell.replace(decimal, ".") for cell in (score, chance))
        row = Row(int(rank), name, float(score), float(chance), int(decision), because)
        if not math.isfinite(row.score + row.chance):
            raise ValueError
    except ValueError:
        shown = ",".join(line)[:80]
        raise ReportError(
            f"`path` must have {n_cells} valid cells in every row; got {shown!r}. The file is "
            f"incomplete or was changed. {_AGAIN}"
        ) from None
    return row
