"""A report of a model that was fitted in Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..table_model import given_fit, record_of_given
from ._page import make_report, write_page
from ._summary import ReportError

_ENDINGS = (".html", ".htm")


def write_report(
    model: Any,
    X: Any,
    y: Any,
    path: str | Path,
    *,
    checks: bool = True,
    checked: Any = None,
    groups: Any = None,
    random_state: int | None = 0,
) -> None:
    """Write a report of a fitted model: the page that ``unlabeled fit`` writes, as one HTML file.

    It loads nothing and sends no request, and shows no single row. What only a table has, such as
    its name and checksum, is left out, and so are the rows to look at first.

    Parameters
    ----------
    model : classifier or sklearn.pipeline.Pipeline
        A fitted classifier of this library, or a pipeline that ends in one, such as a
        `table_pipeline`.
    X : array or frame of shape (n_rows, n_columns)
        All training rows, in the order of the fit.
    y : array-like of shape (n_rows,)
        Their labels. If it has a name, as a column of a frame does, the page shows it.
    path : str or Path
        The file to write, such as ``report.html``. It is written whole or not at all; an earlier
        report is replaced.
    checks : bool, default=True
        Whether to run the checks of `diagnose`.
    checked, groups : array-like of shape (n_rows,), optional
        Those of the fit, if it had some.
    random_state : int, default=0
        Seed of the checks.

    Raises
    ------
    ReportError
        If the model is none of this library or not fitted, if the rows are not those of its fit,
        or if `path` is no HTML file.
    OSError
        If the file cannot be written.

    See Also
    --------
    unlabeled.diagnostics.diagnose : The checks alone.
    unlabeled.app.save_model : Saves the model.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from unlabeled import PULogistic
    >>> from unlabeled.app import write_report
    >>> from unlabeled.datasets import make_paper_gaussian
    >>> data = make_paper_gaussian(n=500, label_frequency=0.5, random_state=0)
    >>> model = PULogistic().fit(data.X, data.s)
    >>> with TemporaryDirectory() as folder:
    ...     write_report(model, data.X, data.s, f"{folder}/report.html", checks=False)
    ...     Path(folder, "report.html").read_text()[:15]
    '<!DOCTYPE html>'
    """
    file = Path(path)
    if file.suffix.lower() not in _ENDINGS or file.is_dir():
        what = "a folder" if file.is_dir() else "another kind of file"
        raise ReportError(
            f"`path` must be a file that ends in .html; got {path}, {what}. Name it, for example, "
            "report.html."
        )
    try:
        fit = given_fit(model, X, y, checked=checked, groups=groups)
        record = record_of_given(fit, X, checks=checks, random_state=random_state)
    except ValueError as error:
        raise ReportError(str(error)) from None
    write_page(make_report(record), file)
