"""The page: what a person needs to see of each row, and nothing of a model."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..pages import clean, render_page, script_json

ANSWERS = ("yes", "no", "not sure")
"""What the page writes in the column ``truth``; it leaves the cell empty without an answer."""

_LINE_END = re.compile("\r\n|[\n\r\x85\u2028\u2029]")
# Safe in a CSV file: nothing to quote, and nothing that a spreadsheet takes for a formula.
_KEY = re.compile("[A-Za-z0-9][A-Za-z0-9_-]*")


def make_check_page(
    rows: Sequence[Sequence[str | None]],
    *,
    columns: Sequence[str],
    keys: Sequence[str],
    title: str,
    question: str,
    storage_key: str,
    command: str = "unlabeled audit DIR --answers answers.csv",
) -> str:
    """Make the page on which a person answers a question about each row.

    The page shows one row at a time, in the given order. It saves the answers as ``answers.csv``,
    with the columns ``key`` and ``truth``: ``yes``, ``no``, ``not sure``, or nothing for a row
    without an answer.

    Parameters
    ----------
    rows : sequence of sequences of str or None
        The cells of each row as text. None and blank text are shown as empty.
    columns : sequence of str
        The names of the columns.
    keys : sequence of str
        A different key for each row, of letters, digits, ``_`` and ``-``.
    title : str
        The heading of the page.
    question : str
        The question to answer with yes or no.
    storage_key : str
        What sets this set of rows apart from others. The browser stores the answers under it, so
        that they survive closing the page. It stores keys and answers, but no cells.
    command : str
        What to run with the answers. The page shows it.

    Returns
    -------
    page : str
        A self-contained HTML page: it loads nothing and sends no request, and a content security
        policy lets only its own script run. All text is escaped.

    Examples
    --------
    >>> page = make_check_page(
    ...     [["P7", "cough"], ["P3", None]],
    ...     columns=["patient", "note"],
    ...     keys=["r1", "r2"],
    ...     title="Check 2 rows of patients.csv",
    ...     question="Is this row positive?",
    ...     storage_key="4f1c",
    ... )
    >>> page[:15]
    '<!DOCTYPE html>'
    """
    _check(rows, columns, keys, storage_key)
    data = {
        "columns": [clean(name) for name in columns],
        "keys": list(keys),
        "rows": [[_shown(cell) for cell in row] for row in rows],
        "answers": ANSWERS,
        "storage": f"unlabeled check {storage_key}",
    }
    return render_page(
        __package__,
        "check.html.j2",
        script="check.js",
        style="check.css",
        title=clean(title),
        question=clean(question),
        command=clean(command),
        n_rows=len(rows),
        data=script_json(data),
    )


def _check(
    rows: Sequence[Sequence[str | None]],
    columns: Sequence[str],
    keys: Sequence[str],
    storage_key: str,
) -> None:
    if len(rows) == 0:
        raise ValueError("`rows` must have at least one row; got none. Draw at least one row.")
    for position, row in enumerate(rows):
        if len(row) != len(columns):
            raise ValueError(
                f"`rows` must have {len(columns)} cells in every row, one per column; got "
                f"{len(row)} in row {position}."
            )
        odd = [cell for cell in row if not (cell is None or isinstance(cell, str))]
        if odd:
            raise ValueError(
                f"`rows` must hold text or None; got {odd[0]!r} in row {position}. Write values "
                "as text first."
            )
    if len(keys) != len(rows) or len(set(keys)) != len(keys):
        raise ValueError(
            f"`keys` must have {len(rows)} different keys, one per row; got {len(keys)}, "
            f"{len(set(keys))} of them different."
        )
    odd_keys = [key for key in keys if not _KEY.fullmatch(key)]
    if odd_keys:
        raise ValueError(
            "`keys` must have letters, digits, `_` and `-` only, and begin with a letter or a "
            f"digit; got {odd_keys[0]!r}."
        )
    if not storage_key:
        raise ValueError(
            "`storage_key` must be text that sets these rows apart; got ''. Give the audit's "
            "fingerprint."
        )


def _shown(cell: str | None) -> str | None:
    """Return text that is safe to show, its lines kept; None for a cell with nothing to see."""
    if cell is None or not cell.strip():
        return None
    return "\n".join(clean(line) for line in _LINE_END.split(cell))
