"""The second run of `unlabeled audit`: read the answers, and write what they say."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..app.run import (
    AUDITED_ROWS,
    MEASURES,
    REPORT,
    SCORED,
    fit_in,
    read_and_audit,
    write_audited,
)
from ..app.tables import count
from ._output import named_folder, only_audit, output_errors

if TYPE_CHECKING:
    from ..app.run import AuditOutput
    from ._audit import Options


def estimate(options: Options, given: Sequence[Path]) -> None:
    """Read the answers, and write what they say into the folder of the fit."""
    with only_audit(options.folder):
        output = read_and_audit(options, given, fit_in(options.folder))
        with output_errors(options.folder, is_option=False):
            write_audited(options, output, named=named_folder(options.folder))
    if options.as_json:
        click.echo(json.dumps(output.record, indent=2))
    elif not options.quiet:
        click.echo(_text(options, output))


def _text(options: Options, output: AuditOutput) -> str:
    entry, record = output.design, output.record
    lines = str(output.result).splitlines()
    if not entry["table"]["fitted"]:
        lines.insert(0, f"These numbers are about {entry['table']['name']}, not the fitted table.")
    if len(record["audits"]) > 1:
        lines.insert(0, f"The answers to {len(record['audits'])} audits are pooled.")
    doubts = [f"Warning ({one['code']}): {one['message']}" for one in record["warnings"]]
    lines = [*doubts, *([""] if doubts else []), *lines]
    cut, new = record["cut"], "TABLE" if entry["table"]["fitted"] else entry["table"]["name"]
    command = shlex.join(["unlabeled", "predict", str(options.folder), new])
    lines += [
        "",
        f"The audited cut, by {cut['rule']}: {_measures(cut)}{_instead(cut)}.",
        "The same answers chose this cut and judge it, so its numbers are a little too good.",
        *_on_missing(record),
        _about_rows(options, entry, cut, record["file"]),
        f"Use it on new rows: {command} --out FILE --cut audited",
        f"The report is {options.folder / REPORT}.",
    ]
    return "\n".join(lines)


def _on_missing(record: dict[str, Any]) -> list[str]:
    """Say how the cut was chosen if answers are missing."""
    if not record["missing"]:
        return []
    return [
        "Its choice takes rows without an answer to be like the others with similar scores; its "
        "intervals do not."
    ]


def _about_rows(
    options: Options, entry: dict[str, Any], cut: dict[str, Any], file: str | None
) -> str:
    """Say where the rows of the fit are, by the audited cut, or why they are nowhere."""
    scored = options.folder / SCORED
    if file is not None:
        return (
            f"Your rows by this cut, with the answers, are in {options.folder / file}: selected is "
            f"1 where the score is above {cut['threshold']!r}."
        )
    if not entry["table"]["fitted"]:
        return f"{AUDITED_ROWS} was not written: the checked rows are not those of the fit."
    return f"{AUDITED_ROWS} was not written: {scored} is missing or was changed. Fit again."


def _measures(cut: dict[str, Any]) -> str:
    return ", ".join(
        f"{MEASURES[name]} {one['estimate']:.2f} ({one['lower']:.2f} to {one['upper']:.2f})"
        for name, one in cut["range"].items()
        if one["estimate"] is not None
    )


def _instead(cut: dict[str, Any]) -> str:
    if cut["selected"] is None:
        return ""
    before = count(cut["selected_before"])
    every = "all " if cut["selects_all"] else ""
    return f"; it selects {every}{count(cut['selected'])} rows instead of {before}"
