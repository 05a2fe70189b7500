"""The unlabelled rows to look at first, from `scored.csv`."""

from __future__ import annotations

import csv
import heapq
import math
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ._read import ReportError

_NUMBERS = [
    "labelled",
    "score",
    "posterior",
    "posterior_if_unlabelled",
    "decision",
    "rank",
    "rank_among_unlabelled",
]
_AGAIN = "Fit again with `unlabeled fit`, or leave `--include-rows` out."


@dataclass(frozen=True)
class Row:
    """An unlabelled row of the table with its rank among them and its chance P(Y=1|x, S=0)."""

    rank: int
    id: str
    score: float
    chance: float
    decision: int


@dataclass(frozen=True)
class Rows:
    """Unlabelled rows, the highest score first.

    Attributes
    ----------
    id_column : str
        What names the rows: a column of the table, or ``row``, counted from 1.
    rows : tuple of Row
        With `rank`, `id`, `score`, `chance` and `decision`.
    n_unlabelled : int
        How many unlabelled rows there are in all.
    """

    id_column: str
    rows: tuple[Row, ...]
    n_unlabelled: int


def read_rows(path: str | os.PathLike[str], most: int = 50) -> Rows:
    """Read the unlabelled rows with the highest score.

    Parameters
    ----------
    path : str or path
        The `scored.csv` of a fit. It is read row by row: its size does not matter.
    most : int
        How many rows to return at most.

    Returns
    -------
    rows : Rows

    Raises
    ------
    ReportError
        When the file is missing, cut off or something else.
    """
    unlabelled = 0

    def unlabelled_rows(lines: Iterator[list[str]]) -> Iterator[Row]:
        nonlocal unlabelled
        for line in lines:
            row = _row(line)
            if row is not None:
                unlabelled += 1
                yield row

    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            lines = csv.reader(file)
            header = next(lines, [])
            if header[1:] != _NUMBERS:
                raise ReportError(
                    f"`path` must be a file with an id and the columns {', '.join(_NUMBERS)}; got "
                    f"{Path(path).name} without them. {_AGAIN}"
                )
            best = heapq.nsmallest(most, unlabelled_rows(lines), key=lambda row: row.rank)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise ReportError(
            f"`path` must be a file that can be read; got {path}: {why}. {_AGAIN}"
        ) from None
    return Rows(header[0], tuple(best), unlabelled)


def _row(line: list[str]) -> Row | None:
    """Return an unlabelled row; None for a labelled one."""
    try:
        name, labelled, score, _, chance, decision, _, rank = line
        if labelled not in ("0", "1"):
            raise ValueError
        if labelled == "1":
            return None
        row = Row(int(rank), name, float(score), float(chance), int(decision))
        if not math.isfinite(row.score + row.chance):
            raise ValueError
    except ValueError:
        shown = ",".join(line)[:80]
        raise ReportError(
            f"`path` must have eight cells in every row; got {shown!r}: the file was cut off or "
            f"changed. {_AGAIN}"
        ) from None
    return row
