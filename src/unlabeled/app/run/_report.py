"""The report of a fit, made from the files in its folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ._errors import InputError, in_terminal

if TYPE_CHECKING:
    from ..report import ShownRows
    from ..table_model import FitRecord

MOST_ROWS = 50
"""How many rows a report shows unless it is asked for another number."""


def report_of(folder: Path, *, rows: int | None, named: Path) -> str:
    """Make the report of the fit in a folder again.

    Parameters
    ----------
    folder : Path
        The folder, or the file `summary.json` in it.
    rows : int, optional
        The largest number of rows to show; None shows no row.
    named : Path
        The folder as commands on the page name it.

    Returns
    -------
    page : str
    """
    from ..report import ReportError, read_summary

    try:
        summary = read_summary(folder)
    except ReportError as error:
        raise InputError(in_terminal(error, path="DIR", summary="DIR/summary.json")) from None
    home = folder if folder.is_dir() else folder.parent
    shown = None if rows is None else _shown(home / "scored.csv", rows)
    return _page(summary, shown, named)


def _page(summary: FitRecord, shown: ShownRows | None, named: Path) -> str:
    from ..report import make_report

    try:
        return make_report(summary, shown, named)
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError) as error:
        raise InputError(
            "DIR/summary.json is damaged or was changed "
            f"({type(error).__name__}: {error}). Fit again."
        ) from None


def _shown(scored: Path, most: int) -> ShownRows:
    from ..report import ReportError, read_rows

    try:
        return read_rows(scored, most)
    except ReportError as error:
        raise InputError(in_terminal(error, path="DIR/scored.csv")) from None
