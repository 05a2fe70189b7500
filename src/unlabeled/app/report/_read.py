"""Reading `summary.json` and `scored.csv`, and saying what is wrong with them."""

from __future__ import annotations

import csv
import heapq
import json
import math
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ._text import finite

# Reading `summary.json`, and telling what is wrong with one.

FORMAT = 1
"""The format of `summary.json` that this version reads."""

_NEEDED = ("table", "label", "class_prior", "cut", "curve")
_MAY_BE_MISSING = (
    "made columns method label_frequency positives hidden_positives coefficients costs notes"
).split()
_LISTS = ("rules", "findings", "warnings")
_CURVE = ("threshold", "recall", "share", "selected", "selected_unlabelled", "posterior")
_FIT_AGAIN = "Fit again with `unlabeled fit`."


class ReportError(ValueError):
    """A summary or a file of rows that no report can be made from; the message says what to do."""


def read_summary(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read the summary of a fit.

    Parameters
    ----------
    path : str or path
        The folder that `unlabeled fit` wrote, or its `summary.json`.

    Returns
    -------
    summary : dict
        For `make_report`.

    Raises
    ------
    ReportError
        When the file is missing, cut off, something else, or of a newer version.
    """
    given = Path(path)
    file = given / "summary.json" if given.is_dir() else given
    try:
        text = file.read_text("utf-8-sig")
    except FileNotFoundError:
        raise ReportError(
            "`path` must be a folder that `unlabeled fit` wrote, with a summary.json; got "
            f"{given}, which {'has none' if given.is_dir() else 'does not exist'}. "
            "Run `unlabeled fit` first."
        ) from None
    except OSError as error:
        raise ReportError(
            f"`path` must hold a summary.json that can be read; got {file}: {error.strerror}."
        ) from None
    except UnicodeDecodeError:
        raise _foreign("is no text") from None
    try:
        summary = json.loads(text)
    except (json.JSONDecodeError, RecursionError):
        cut = "is empty" if not text.strip() else "is no whole JSON: it was cut off or changed"
        raise _foreign(cut) from None
    check_summary(summary)
    return summary


def check_summary(summary: Any) -> None:
    """Refuse a summary that a report cannot be made from."""
    if not isinstance(summary, dict) or not isinstance(summary.get("format"), int):
        raise _foreign("is something else")
    if summary["format"] > FORMAT:
        raise ReportError(
            f"`summary` must have format {FORMAT} or older; got format {summary['format']}, which "
            "a newer version of unlabeled wrote. Update unlabeled, or fit again with this version."
        )
    missing = [name for name in _NEEDED if not isinstance(summary.get(name), dict)]
    if missing:
        raise _foreign(f"lacks {', '.join(repr(name) for name in missing)}")
    _check_shape(summary)
    _check_counts(summary)
    _check_curve(summary)


def _check_shape(summary: dict[str, Any]) -> None:
    wrong = [name for name in _MAY_BE_MISSING if not isinstance(summary.get(name) or {}, dict)]
    if wrong:
        raise _foreign(f"has no record in {wrong[0]}")
    lists = {name: summary.get(name) for name in _LISTS}
    lists["coefficients: rows"] = (summary.get("coefficients") or {}).get("rows")
    for name, value in lists.items():
        records = value or []
        if not isinstance(records, list) or not all(isinstance(one, dict) for one in records):
            raise _foreign(f"has no list of records in {name}")


def _check_counts(summary: dict[str, Any]) -> None:
    for part, name in (("table", "rows"), ("label", "labelled"), ("label", "unlabelled")):
        value = finite(summary[part].get(name))
        if value is None or value < 0 or (name == "rows" and value < 1):
            raise _foreign(f"has no count in {part}: {name}")


def _check_curve(summary: dict[str, Any]) -> None:
    curve = summary["curve"]
    columns = [curve.get(name) for name in _CURVE]
    if not all(isinstance(column, list) for column in columns):
        raise _foreign("has a curve without some of its columns")
    if not columns[0] or len({len(column) for column in columns}) != 1:
        raise _foreign("has a curve whose columns are empty or differ in length")
    if any(finite(value) is None for column in columns[:5] for value in column):
        raise _foreign("has a curve with something that is no finite number")
    index = summary["cut"].get("index")
    places = [index, *(rule.get("index") for rule in summary.get("rules") or [])]
    if not all(type(place) is int and 0 <= place < len(columns[0]) for place in places):
        raise _foreign("has a cut that is not on its curve")


def _foreign(what: str) -> ReportError:
    return ReportError(
        f"`summary` must be the summary.json of `unlabeled fit`; got one that {what}. {_FIT_AGAIN}"
    )


# The unlabelled rows to look at first, from `scored.csv`.

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
