"""The second run of `unlabeled audit`: read the answers, and write what they say."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..app.tables import count
from ..engine.files import whole_files
from ._audit_files import (
    AUDITED,
    CHECK_JSON,
    FORMAT,
    MEASURES,
    Fit,
    files_of,
    fit_in,
    in_order,
    now,
    only_audit,
    read_answers,
    read_audited,
    read_drawn,
    read_sealed,
    sealed,
)
from ._errors import BadInput, with_options
from ._output import SCORED, fingerprint, output_errors, read_scored

if TYPE_CHECKING:
    import numpy as np

    from ..audit import AuditResult
    from ._audit import Options

SUMMARY, REPORT = "summary.json", "report.html"


def estimate(options: Options, given: Sequence[Path]) -> None:
    """Read the answers, and write what they say into the folder of the fit."""
    files = [file for one in given for file in files_of(one)]
    with only_audit(options.folder):
        fit = fit_in(options.folder)
        entry, answers = _answers(options, given, files, fit)
        _check_table(options, entry)
        entries = _with_earlier(options, fit, entry, answers)
        result = _result(entries)
        record = _record(options, fit, entries, result)
        _write_audited(options, fit, entries, record)
    if options.as_json:
        click.echo(json.dumps(record, indent=2))
    elif not options.quiet:
        click.echo(_text(options, entry, result, record))


def _answers(
    options: Options, given: Sequence[Path], files: list[Path], fit: Fit
) -> tuple[dict[str, Any], np.ndarray]:
    """Return the design that the answers belong to, and the answers in its order."""
    drawn = read_drawn(options.folder)
    designs = {name: one for name, one in drawn.items() if one["model"] == fit.card.sha256}
    for one in given:
        designs |= _design_beside(options, one, fit)
    name, answers = read_answers(files, designs)
    return designs[name], in_order(designs[name], answers)


def _design_beside(options: Options, given: Path, fit: Fit) -> dict[str, dict[str, Any]]:
    """Return the design in a folder CHECK, by its name."""
    beside = (given if given.is_dir() else given.parent) / CHECK_JSON
    if not beside.is_file():
        return {}
    entry = read_sealed(beside, "Name the CSV file with the answers instead, or draw again.")
    if entry.get("model") == fit.card.sha256:
        return {entry["name"]: entry}
    if given.is_dir():
        raise BadInput(
            f"`--answers` must be about rows that were drawn from DIR; got {given}, which was "
            f"drawn from another fit than the one in {options.folder} now. Name that fit, or draw "
            "again."
        )
    return {}


def _check_table(options: Options, entry: dict[str, Any]) -> None:
    if options.table is None:
        return
    if not options.table.is_file():
        raise BadInput(f"`--table` must be a file; got {options.table}, which does not exist.")
    if fingerprint(options.table)["sha256"] != entry["table"]["sha256"]:
        raise BadInput(
            f"`--table` must be the table that the rows were drawn from, {entry['table']['name']} "
            f"as it was then; got {options.table}, which has other contents. Leave it out, or draw "
            "again."
        )


Answered = tuple[dict[str, Any], "np.ndarray"]


def _with_earlier(
    options: Options, fit: Fit, entry: dict[str, Any], answers: np.ndarray
) -> list[Answered]:
    """Return all audits of the table with their answers, this one last.

    Earlier answers to the same rows stay where the new ones are missing.
    """
    import numpy as np

    if options.force or not (options.folder / AUDITED).is_file():
        return [(entry, answers)]
    found = read_audited(options.folder, fit.card.sha256)["audits"]
    others = [one for one in found if one["design"]["name"] != entry["name"]]
    for one in found:
        if one["design"]["name"] == entry["name"]:
            before = np.array(one["answers"], dtype=float)
            _tell_joined(options, before, answers)
            answers = np.where(np.isnan(answers), before, answers)
    if any(one["design"]["table"]["sha256"] != entry["table"]["sha256"] for one in others):
        raise BadInput(
            f"DIR has an audit of another table than {entry['table']['name']}, and audits of "
            "different tables cannot be pooled. Add `--force` to replace it."
        )
    earlier = [(one["design"], np.array(one["answers"], dtype=float)) for one in others]
    return [*earlier, (entry, answers)]


def _tell_joined(options: Options, before: np.ndarray, answers: np.ndarray) -> None:
    import numpy as np

    kept = int(np.sum(np.isnan(answers) & ~np.isnan(before)))
    replaced = int(np.sum(~np.isnan(answers) & ~np.isnan(before) & (answers != before)))
    others = "another answer" if replaced == 1 else "other answers"
    if kept or replaced:
        options.log(
            f"These rows have earlier answers: {_are(kept)} kept, and {_are(replaced)} replaced by "
            f"{others}. Add `--force` to use the new answers alone."
        )


def _are(number: int) -> str:
    return f"{count(number)} {'is' if number == 1 else 'are'}"


def _result(entries: list[Answered]) -> AuditResult:
    from ..audit import Audit, pool_audits

    try:
        found = [Audit.from_dict(entry["audit"]).estimate(answers) for entry, answers in entries]
        return found[0] if len(found) == 1 else pool_audits(found)
    except ValueError as error:
        raise BadInput(str(error).replace("`results`", "audits that are pooled")) from None


def _record(
    options: Options, fit: Fit, entries: list[Answered], result: AuditResult
) -> dict[str, Any]:
    """Return the numbers of the audit, for summary.json and the report."""
    entry = entries[-1][0]
    rule = options.rule or (fit.summary.get("method") or {}).get("rule") or "f1"
    try:
        better = result.recut(fit.pipeline, rule)
    except ValueError as error:
        raise BadInput(f"{with_options(error)} `--rule` sets another.") from None
    found, test = result.to_dict(), result.scar_test
    found["scar"] = None if test is None else found["scar"] | {"sentence": str(test)}
    threshold = float(better.threshold_)
    cut = {
        "rule": better.rule_,
        "threshold": threshold,
        "posterior_line": [float(one) for one in better.posterior_line_],
        **_selected(options.folder, fit.summary, threshold, entry["table"]["fitted"]),
        **{name: _plain(result.measure(name, threshold)) for name in ("precision", "recall", "f1")},
    }
    about = {name: entry["table"][name] for name in ("name", "rows", "fitted")}
    names = [one["name"] for one, _ in entries]
    return _finite({**found, "cut": cut, "table": about, "audits": names, "at": now()})


def _plain(interval: Any) -> dict[str, float]:
    return {name: float(getattr(interval, name)) for name in ("estimate", "lower", "upper")}


def _finite(value: Any) -> Any:
    """Return a record with None for numbers that JSON does not have."""
    if isinstance(value, dict):
        return {name: _finite(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _selected(
    folder: Path, summary: dict[str, Any], threshold: float, fitted: bool
) -> dict[str, int | None]:
    """Return how many rows of the fitted table a threshold selects, and the fit's own did."""
    known = read_scored(folder, ("score",)) if fitted else None
    if known is None:
        return {"selected": None, "selected_before": None}
    before = summary["cut"].get("selected")
    return {"selected": int((known["score"] > threshold).sum()), "selected_before": before}


def _write_audited(
    options: Options, fit: Fit, entries: list[Answered], record: dict[str, Any]
) -> None:
    from ..app.report import make_report

    audited = {
        "format": FORMAT,
        "model": fit.card.sha256,
        **{name: record["cut"][name] for name in ("rule", "threshold", "posterior_line")},
        "class_prior": record["class_prior"]["estimate"],
        "at": record["at"],
        "result": record,
        "audits": [
            {"design": entry, "answers": [None if one != one else int(one) for one in answers]}
            for entry, answers in entries
        ],
    }
    summary = fit.summary | {"audit": record}
    texts = {
        AUDITED: sealed(audited),
        SUMMARY: json.dumps(summary, allow_nan=False, indent=1),
        REPORT: make_report(summary),
    }
    paths = [options.folder / name for name in texts]
    if _shows_rows(options.folder / REPORT):
        options.log(
            f"The report shows no rows any more. `unlabeled report {options.folder} "
            "--include-rows` adds them again."
        )
    with output_errors(options.folder), whole_files(*paths) as unfinished:
        for path, text in zip(unfinished, texts.values(), strict=True):
            path.write_text(text, "utf-8", newline="\n")


def _shows_rows(report: Path) -> bool:
    return report.is_file() and "It shows IDs of individual rows" in report.read_text("utf-8")


def _text(
    options: Options, entry: dict[str, Any], result: AuditResult, record: dict[str, Any]
) -> str:
    lines = str(result).splitlines()
    if not entry["table"]["fitted"]:
        lines.insert(0, f"These numbers are about {entry['table']['name']}, not the fitted table.")
    if len(record["audits"]) > 1:
        lines.insert(0, f"The answers to {len(record['audits'])} audits are pooled.")
    cut, folder = record["cut"], options.folder
    lines += [
        "",
        f"The audited cut, by {cut['rule']}: {_measures(cut)}{_instead(cut)}.",
        "The same answers chose this cut and judge it, so its numbers are a little too good.",
        f"Use it on new rows: unlabeled predict {folder} TABLE --out FILE --cut audited",
        f"Among the rows of the fit it selects those whose score in {folder / SCORED} is above "
        f"{cut['threshold']!r}.",
        f"The report is {folder / REPORT}.",
    ]
    return "\n".join(lines)


def _measures(cut: dict[str, Any]) -> str:
    return ", ".join(
        f"{MEASURES[name]} {one['estimate']:.2f} ({one['lower']:.2f} to {one['upper']:.2f})"
        for name, one in cut.items()
        if name in MEASURES and one["estimate"] is not None
    )


def _instead(cut: dict[str, Any]) -> str:
    if cut["selected"] is None:
        return ""
    before = count(cut["selected_before"])
    return f"; it selects {count(cut['selected'])} rows instead of {before}"
