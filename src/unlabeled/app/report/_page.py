"""The page: the sections in their order."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import Any

from ...engine.files import write_whole
from ..pages import clean_all, render_page, script_json
from ..table_model import NOT_COMPARED, FitRecord
from ._audit import audit_section, audited_title
from ._coefficients import coefficients_section, members_of, propensity_of
from ._comparison import comparison_section
from ._count import count_section
from ._cut import cut_section, for_script
from ._findings import findings_of, glossary, prose_with
from ._provenance import command_to_draw, folder_of, provenance_section
from ._rows import ShownRows, rows_section
from ._sensitivity import sensitivity_section
from ._text import FORMATS

SECTIONS = {
    "audit": "Checked rows",
    "count": "The count",
    "cut": "Cut",
    "rows": "Rows to look at",
    "coefficients": "What drives the score",
    "sensitivity": "If labels followed a column",
    "findings": "Findings",
    "comparison": "Comparison",
    "provenance": "How it was made",
}
"""The sections in their order, each with its entry in the page's navigation.

The section ``count`` is made by `_count.py`, shown by `count.html.j2`, and has the id ``count``.
The section ``audit`` is left out if no rows were checked, and ``rows`` of a fit in Python.
To add a section, write these two files, name it here, and call its function in `make_report`.
"""


def make_report(
    summary: FitRecord | dict[str, Any],
    rows: ShownRows | None = None,
    folder: str | os.PathLike[str] | None = None,
) -> str:
    """Make the report of a fit.

    Parameters
    ----------
    summary : FitRecord or dict
        What `read_summary` returns, or its dump. The page shows nothing of it about single rows.
    rows : ShownRows, optional
        Unlabeled rows to show, see `read_rows`. The page then contains row identifiers;
        share it with care.
    folder : str or path, optional
        The folder of the fit, for the commands that the page shows. Without it, the folder that
        the fit was written to.

    Returns
    -------
    page : str
        A self-contained HTML page: it loads nothing and sends no request, and a content security
        policy lets only its own script run. All text of the table is escaped.
    """
    if isinstance(summary, FitRecord):
        summary = summary.dump()  # all text of it is cleaned, whatever part it is in
    record = FitRecord.of(clean_all(summary))
    home = folder_of(record) if folder is None else clean_all(os.fspath(folder))
    findings, audit = findings_of(record), audit_section(record)
    count, codes = count_section(record, findings), glossary(record, findings)
    in_python = "command" in record.made and record.made["command"] is None
    left_out = [*(["rows"] if in_python else []), *([] if audit else ["audit"])]
    if record.comparison is None and record.notes.get("comparison") == NOT_COMPARED:
        left_out.append("comparison")
    return render_page(
        __package__,
        "page.html.j2",
        script="report.js",
        style="report.css",
        filters=FORMATS
        | {
            "written": lambda value, kind: FORMATS[kind](value),
            "sentence": _sentence,
            "check": lambda name: "SCAR" if name == "scar" else _sentence(name),
            "prose": prose_with(codes),
        },
        data=script_json(for_script(record)),
        sections={name: SECTIONS[name] for name in SECTIONS if name not in left_out},
        in_python=in_python,
        record=record,
        codes=codes,
        folder=shlex.quote(home),
        to_draw=command_to_draw(record, home),
        heading=audited_title(record) or count,
        audit=audit,
        count=count,
        cut=cut_section(record),
        rows=rows_section(rows),
        coefficients=coefficients_section(record),
        members=members_of(record),
        sensitivity=sensitivity_section(record),
        propensity=propensity_of(record),
        findings=findings,
        comparison=comparison_section(record),
        provenance=provenance_section(record),
    )


def write_page(page: str, path: str | os.PathLike[str]) -> None:
    """Write a report to a temporary file, then rename it: no partial report is ever visible.

    Parameters
    ----------
    page : str
        What `make_report` returned.
    path : str or path
        Where to write it. An existing report is replaced.
    """
    write_whole(Path(path), lambda file: file.write_text(page, "utf-8", newline="\n"))


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
