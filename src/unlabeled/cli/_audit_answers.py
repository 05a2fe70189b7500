"""The second run of `unlabeled audit`: read the answers, and write what they say."""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..app.tables import count
from ..engine.files import whole_files
from ._audit_files import (
    AUDITED,
    AUDITED_ROWS,
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
from ._errors import BadInput, in_terminal
from ._output import (
    SCORED,
    fingerprint,
    named_folder,
    output_errors,
    read_scored,
    scored_columns,
    with_kept,
    write_scored,
)

if TYPE_CHECKING:
    import numpy as np

    from ..audit import AuditedClassifier, AuditResult
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
        with _caught() as doubts:
            result = _result(entries)
            better = _recut(options, fit, result)
        rows = _rows(options, fit, entries, better)
        record = _record(fit, entries, result, better, rows) | {"warnings": doubts}
        _write_audited(options, fit, entries, record, rows)
    if options.as_json:
        click.echo(json.dumps(record, indent=2))
    elif not options.quiet:
        click.echo(_text(options, entry, result, record))


@contextmanager
def _caught() -> Iterator[list[dict[str, str]]]:
    """Catch what the answers warn of: of each code the last one, which is about all answers."""
    import warnings

    from ..codes import PUWarning, for_terminal

    said: list[dict[str, str]] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", PUWarning)
        yield said
    ours = [one.message for one in caught if isinstance(one.message, PUWarning)]
    last = {one.code: for_terminal(one.code, one.message) for one in ours}
    said += [{"code": code, "message": message} for code, message in last.items()]


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
Columns = dict[str, Any]


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
        raise BadInput(in_terminal(error, results="audits that are pooled")) from None


def _recut(options: Options, fit: Fit, result: AuditResult) -> AuditedClassifier:
    """Return the classifier of the fit with the audited cut."""
    rule = options.rule or (fit.summary.get("method") or {}).get("rule") or "f1"
    try:
        return result.recut(fit.pipeline, rule)
    except ValueError as error:
        raise BadInput(f"{in_terminal(error)} `--rule` sets another.") from None


def _record(
    fit: Fit,
    entries: list[Answered],
    result: AuditResult,
    better: AuditedClassifier,
    rows: Columns | None,
) -> dict[str, Any]:
    """Return the numbers of the audit, for summary.json and the report."""
    entry, threshold = entries[-1][0], float(better.threshold_)
    measures = ("precision", "recall", "f1")
    cut = {
        "rule": better.rule_,
        "threshold": threshold,
        "posterior_line": [float(one) for one in better.posterior_line_],
        "selects_all": bool(better.cut_.predicts_all),
        **_selected(fit.summary, rows),
        **{name: result.measure(name, threshold).record() for name in measures},
        "range": {name: result.measure_range(name, threshold).record() for name in measures},
    }
    about = {name: entry["table"][name] for name in ("name", "rows", "fitted")}
    of_files = {
        "audits": [one["name"] for one, _ in entries],
        "file": None if rows is None else AUDITED_ROWS,
    }
    return _finite({**result.to_dict(), "cut": cut, "table": about, **of_files, "at": now()})


def _finite(value: Any) -> Any:
    """Return a record with None for numbers that JSON does not have."""
    if isinstance(value, dict):
        return {name: _finite(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _selected(summary: dict[str, Any], rows: Columns | None) -> dict[str, int | None]:
    """Return how many rows of the fitted table the audited cut selects, and the fit's own did."""
    names = ("selected", "selected_unlabelled", "selected_before")
    if rows is None:
        return dict.fromkeys(names)
    selected, before = rows["selected"], summary["cut"].get("selected")
    unlabelled = int(selected[rows["labelled"] == 0].sum())
    return dict(zip(names, (int(selected.sum()), unlabelled, before), strict=True))


def _rows(
    options: Options, fit: Fit, entries: list[Answered], better: AuditedClassifier
) -> Columns | None:
    """Return the rows of the fit by the audited cut, in their order; None if they are not known.

    Scores are those of `scored.csv`: where there are held-out ones, the audit used them.
    """
    import numpy as np
    import pyarrow as pa

    table = entries[-1][0]["table"]
    names = ("labelled", "score")
    known = read_scored(options.folder, names, kept=True) if table["fitted"] else None
    if known is None or len(known["score"]) != table["rows"]:
        return None
    if not np.isfinite([known["labelled"], known["score"]]).all():
        return None
    if fit.card.id is None and known["id"].tolist() != [*map(str, range(1, table["rows"] + 1))]:
        return None
    answer = np.full(len(known["score"]), None, dtype=object)
    for entry, answers in entries:
        drawn = entry["audit"]
        if not np.allclose(known["score"][drawn["rows"]], drawn["score"], rtol=1e-9, atol=0):
            return None  # sorted, or scored anew
        for row, one in zip(drawn["rows"], answers, strict=True):
            if not math.isnan(one):
                answer[row] = "yes" if one else "no"
    ids = None if fit.card.id is None else [one or None for one in known["id"].tolist()]
    numbers = {
        "row": np.arange(1, len(answer) + 1),
        "labelled": known["labelled"].astype(np.int64),
        "score": known["score"],
        "posterior": better.posterior_at(known["score"]),
        "selected": (known["score"] > better.threshold_).astype(np.int64),
        "answer": pa.array(answer, pa.string()),
    }
    columns = scored_columns(fit.card.id, ids, numbers)
    return with_kept(columns, known["kept"], fit.card.id)


def _write_audited(
    options: Options,
    fit: Fit,
    entries: list[Answered],
    record: dict[str, Any],
    rows: Columns | None,
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
        REPORT: make_report(summary, folder=named_folder(options.folder)),
    }
    names = [*texts, *([] if rows is None else [AUDITED_ROWS])]
    if _shows_rows(options.folder / REPORT):
        options.log(
            f"The report shows no rows any more. `unlabeled report {options.folder} "
            "--include-rows` adds them again."
        )
    paths = [options.folder / name for name in names]
    with output_errors(options.folder, is_option=False), whole_files(*paths) as unfinished:
        for path, text in zip(unfinished, texts.values(), strict=False):
            path.write_text(text, "utf-8", newline="\n")
        if rows is not None:
            write_scored(unfinished[-1], rows, ".csv")
    if rows is None:  # one of an earlier audit has another cut
        with output_errors(options.folder, is_option=False):
            (options.folder / AUDITED_ROWS).unlink(missing_ok=True)


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
