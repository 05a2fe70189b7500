"""Read `summary.json`, and reject an invalid one."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from ...engine.of_020 import renamed
from ..table_model import FORMAT, FitRecord
from ._text import all_finite, finite

_NEEDED = ("table", "label", "class_prior", "cut", "curve")
_MAY_BE_MISSING = (
    "made columns method label_frequency positives hidden_positives coefficients sensitivity costs "
    "notes audit labeled_by"
).split()
_LISTS = ("rules", "findings", "warnings")
_CURVE = ("threshold", "recall", "share", "selected", "selected_unlabeled", "posterior")


class ReportError(ValueError):
    """A summary or a file of rows is invalid; the message says what to do."""


def read_summary(path: str | os.PathLike[str]) -> FitRecord:
    """Read the summary of a fit.

    Parameters
    ----------
    path : str or path
        The folder that `unlabeled fit` wrote, or its `summary.json`.

    Returns
    -------
    summary : FitRecord
        For `make_report`.

    Raises
    ------
    ReportError
        If the file is missing, incomplete, not a summary, or from a newer version.
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
        raise _invalid("is not UTF-8 text") from None
    try:
        summary: dict[str, Any] = json.loads(text)
    except (json.JSONDecodeError, RecursionError):
        what = "is not complete JSON; the file was truncated or changed"
        raise _invalid(what if text.strip() else "is empty") from None
    if isinstance(summary, dict):
        summary = renamed(summary, "columns", "table")
    _check(summary)
    return FitRecord.of(summary)


def labeled_rows(record: FitRecord) -> int:
    """Return how many rows of the table are labeled: none if the cases come from another file."""
    return 0 if record.label.get("cases") else int(record.label["labeled"])


def _check(summary: Any) -> None:
    """Reject a summary that a report cannot be made from."""
    if not isinstance(summary, dict) or not isinstance(summary.get("format"), int):
        raise _invalid("has no format number")
    if summary["format"] > FORMAT:
        raise ReportError(
            f"`summary` must have format {FORMAT} or older; got format {summary['format']}, which "
            "a newer version of unlabeled wrote. Update unlabeled, or fit again with this version."
        )
    missing = [name for name in _NEEDED if not isinstance(summary.get(name), dict)]
    if missing:
        raise _invalid(f"lacks {', '.join(repr(name) for name in missing)}")
    _check_types(summary)
    _check_counts(summary)
    _check_curve(summary)


def _check_types(summary: dict[str, Any]) -> None:
    for name in _MAY_BE_MISSING:
        if not isinstance(summary.get(name) or {}, dict):
            raise _invalid(f"has something other than an object in '{name}'")
    lists = {name: summary.get(name) for name in _LISTS}
    lists["coefficients: rows"] = (summary.get("coefficients") or {}).get("rows")
    lists["sensitivity: columns"] = (summary.get("sensitivity") or {}).get("columns")
    for name, value in lists.items():
        records = value or []
        if not isinstance(records, list) or not all(isinstance(one, dict) for one in records):
            raise _invalid(f"has something other than a list of objects in '{name}'")


def _check_counts(summary: dict[str, Any]) -> None:
    for part, name in (("table", "rows"), ("label", "labeled"), ("label", "unlabeled")):
        value = finite(summary[part].get(name))
        if value is None or value < 0 or (name == "rows" and value < 1):
            raise _invalid(f"has no valid count in '{part}: {name}'")


def _check_curve(summary: dict[str, Any]) -> None:
    curve = summary["curve"]
    columns = [curve.get(name) for name in _CURVE]
    if not all(isinstance(column, list) for column in columns):
        raise _invalid("has a curve that lacks some of its columns")
    if not columns[0] or len({len(column) for column in columns}) != 1:
        raise _invalid("has a curve whose columns are empty or differ in length")
    if not all(map(all_finite, columns[:5])):
        raise _invalid("has a curve with values that are not finite numbers")
    index = summary["cut"].get("index")
    places = [index, *(rule.get("index") for rule in summary.get("rules") or [])]
    if not all(type(place) is int and 0 <= place < len(columns[0]) for place in places):
        raise _invalid("has a cut that is not on its curve")


def _invalid(what: str) -> ReportError:
    return ReportError(
        f"`summary` must be the summary.json of `unlabeled fit`; got one that {what}. Fit again "
        "with `unlabeled fit`."
    )
