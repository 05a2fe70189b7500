"""The page: the sections in their order, and a policy that lets only the page's own script run."""

from __future__ import annotations

import json
import os
from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from ...engine.files import write_whole
from ._coefficients import coefficients_section
from ._comparison import comparison_section
from ._count import count_section
from ._cut import cut_section, for_script
from ._findings import found_of, glossary
from ._provenance import provenance_section
from ._rows import Rows, rows_section
from ._text import FORMATS, clean_all

SECTIONS = {
    "count": "The count",
    "cut": "Threshold",
    "rows": "Rows to look at",
    "coefficients": "What drives the score",
    "findings": "Findings",
    "comparison": "Comparison",
    "provenance": "How it was made",
}
"""The sections in their order, each with its entry in the page's navigation.

The section ``count`` is made by `_count.py`, shown by `count.html.j2`, and has the id ``count``.
To add a section, write these two files, name it here, and call its function in `make_report`.
"""

# Characters that could end a script element, or that HTML reads.
_ESCAPES = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}
_LONGEST_NAME = 120


def make_report(summary: dict[str, Any], rows: Rows | None = None) -> str:
    """Make the report of a fit.

    Parameters
    ----------
    summary : dict
        What `read_summary` returns: the numbers of a fit, nothing about individual rows.
    rows : Rows, optional
        Unlabelled rows to show, see `read_rows`. The page then contains row identifiers;
        share it with care.

    Returns
    -------
    page : str
        A self-contained HTML page: it loads nothing and sends no request, and a content security
        policy lets only its own script run. All text of the table is escaped.
    """
    summary = clean_all(summary)
    script, style = _file("report.js"), _file("report.css")
    found = found_of(summary)
    return (
        _environment()
        .get_template("page.html.j2")
        .render(
            policy=_policy(script, style),
            script=Markup(script),
            style=Markup(style),
            data=Markup(_json(for_script(summary))),
            sections=SECTIONS,
            summary=summary,
            codes=glossary(summary, found),
            count=count_section(summary, found),
            cut=cut_section(summary),
            rows=rows_section(rows),
            coefficients=coefficients_section(summary),
            findings=found,
            comparison=comparison_section(summary),
            provenance=provenance_section(summary),
        )
    )


def write_report(page: str, path: str | os.PathLike[str]) -> None:
    """Write a report to a temporary file, then rename it: no partial report is ever visible.

    Parameters
    ----------
    page : str
        What `make_report` returned.
    path : str or path
        Where to write it. An existing report is replaced.
    """
    write_whole(Path(path), lambda file: file.write_text(page, "utf-8", newline="\n"))


@cache
def _file(name: str) -> str:
    return (files(__package__) / name).read_text("utf-8").replace("\r\n", "\n")


def _environment() -> Environment:
    environment = Environment(
        loader=FunctionLoader(_file),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= FORMATS | {"data": _data, "sentence": _sentence, "check": _check}
    environment.globals["written"] = _written
    return environment


def _policy(script: str, style: str) -> str:
    return (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return "sha256-" + b64encode(sha256(text.encode("utf-8")).digest()).decode("ascii")


def _json(record: dict[str, Any]) -> str:
    return json.dumps(record, allow_nan=False, separators=(",", ":")).translate(_ESCAPES)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _check(name: str) -> str:
    return "SCAR" if name == "scar" else _sentence(name)


def _written(value: float | None, kind: str) -> str:
    return FORMATS[kind](value)


def _data(text: object, most: int = _LONGEST_NAME) -> Markup:
    """Isolate the direction of text from a table, and shorten long text.

    The `title` attribute then has the full text.
    """
    whole = str(text)
    if len(whole) <= most:
        return Markup("<bdi>{}</bdi>").format(whole)
    return Markup('<bdi title="{}">{}</bdi>').format(whole, whole[: most - 1].rstrip() + "…")
