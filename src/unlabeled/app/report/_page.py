"""Writing a report whole or not at all."""

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
from ._coefficients import coefficient_section
from ._comparison import comparison_section
from ._cut import curve_picture, cut_section, for_script
from ._findings import found_of, glossary
from ._headline import headline
from ._provenance import made_section
from ._read import Rows, check_summary
from ._text import FORMATS, clean, clean_all, shortened

# The page: sections into a template, with a policy that lets nothing else run.

# In a script element, text that could end it or that HTML would read.
_ESCAPES = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}
_LONGEST_NAME = 120


def make_report(summary: dict[str, Any], rows: Rows | None = None) -> str:
    """Make the report of a fit.

    Parameters
    ----------
    summary : dict
        What `read_summary` returns: the numbers of a fit, nothing about single rows.
    rows : Rows, optional
        Unlabelled rows to show, see `read_rows`. They are part of the page then, with their
        names: mind who gets it.

    Returns
    -------
    page : str
        HTML that needs nothing but itself: no request leaves it, and a content security policy
        lets only its own script run. All text of the table is escaped.

    Raises
    ------
    ReportError
        When the summary lacks what the page is about.
    """
    check_summary(summary)
    summary = clean_all(summary)
    script, style = _file("report.js"), _file("report.css")
    found, cut = found_of(summary), cut_section(summary)
    return (
        _environment()
        .get_template("report.html.j2")
        .render(
            policy=_policy(script, style),
            script=Markup(script),
            style=Markup(style),
            data=Markup(_json(for_script(summary))),
            summary=summary,
            head=headline(summary, found),
            cut=cut,
            picture=curve_picture(summary, cut),
            rows=None if rows is None else _clean_rows(rows),
            coefficients=coefficient_section(summary),
            found=found,
            codes=glossary(summary, found),
            comparison=comparison_section(summary),
            made=made_section(summary),
        )
    )


@cache
def _file(name: str) -> str:
    text = (files(__package__) / "templates" / name).read_text("utf-8")
    return text.replace("\r\n", "\n")


def _environment() -> Environment:
    environment = Environment(
        loader=FunctionLoader(_file),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= FORMATS | {"data": _data, "sentence": _sentence}
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


def _written(value: float | None, kind: str) -> str:
    return FORMATS[kind](value)


def _data(text: object, most: int = _LONGEST_NAME) -> Markup:
    """Mark text of the table: its direction stays its own, and a long one is cut, with a title."""
    whole = str(text)
    shown = shortened(whole, most)
    if shown == whole:
        return Markup("<bdi>{}</bdi>").format(whole)
    return Markup('<bdi title="{}">{}</bdi>').format(whole, shown)


def _clean_rows(rows: Rows) -> dict[str, Any]:
    return {
        "id_column": clean(rows.id_column),
        "rows": [
            {
                "rank": row.rank,
                "id": clean(row.id),
                "score": row.score,
                "chance": row.chance,
                "decision": row.decision,
            }
            for row in rows.rows
        ],
        "n_unlabelled": rows.n_unlabelled,
    }


def write_report(page: str, path: str | os.PathLike[str]) -> None:
    """Write a report beside its place, then move it there: nobody ever sees half a file.

    Parameters
    ----------
    page : str
        What `make_report` returned.
    path : str or path
        Where it goes; a report that is there is replaced.
    """
    write_whole(Path(path), lambda unfinished: _write(page, unfinished))


def _write(page: str, path: Path) -> None:
    path.write_text(page, "utf-8", newline="\n")
