"""What is made from the folder of a fit: its report again, and its model as ONNX."""

from __future__ import annotations

from pathlib import Path

from ._errors import InputError, about_model, in_terminal

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
    from ..report import ReportError, make_report, read_rows, read_summary

    try:
        summary = read_summary(folder)
    except ReportError as error:
        raise InputError(in_terminal(error, path="DIR", summary="DIR/summary.json")) from None
    home = folder if folder.is_dir() else folder.parent
    try:
        shown = None if rows is None else read_rows(home / "scored.csv", rows)
    except ReportError as error:
        raise InputError(in_terminal(error, path="DIR/scored.csv")) from None
    try:
        return make_report(summary, shown, named)
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError) as error:
        raise InputError(
            "DIR/summary.json is damaged or was changed "
            f"({type(error).__name__}: {error}). Fit again."
        ) from None


def export_model(folder: Path, out: Path) -> tuple[str, ...]:
    """Write the model of a fit as ONNX; return the names of its inputs."""
    try:
        from ..model_files import ModelFileError, export_onnx, read_model

        pipeline, _ = read_model(folder)
        return export_onnx(pipeline, out)
    except ImportError as error:
        if error.name != "onnx":
            raise
        raise InputError(
            "`unlabeled export` needs onnx, which is not installed: pip install 'unlabeled[onnx]'."
        ) from None
    except ModelFileError as error:
        raise InputError(about_model(error, "DIR")) from None
