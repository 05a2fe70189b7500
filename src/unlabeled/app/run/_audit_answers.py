"""What the answers to checked rows say about the fit."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ...codes import caught_warnings, for_terminal
from ...engine.files import whole_files
from ...engine.result_table import plain
from ..tables import count, has_semicolons
from ._audit_files import (
    AUDITED,
    AUDITED_ROWS,
    CHECK_JSON,
    FORMAT,
    AuditInput,
    Fit,
    answer_files,
    in_order,
    now,
    read_answers,
    read_audited,
    read_drawn,
    read_sealed,
    sealed,
)
from ._errors import InputError, in_terminal
from ._scored_table import (
    REPORT,
    SCORED,
    SUMMARY,
    fingerprint,
    read_scored,
    scored_columns,
    with_kept,
    write_scored,
)

if TYPE_CHECKING:
    import numpy as np

    from ...audit import AuditedClassifier, AuditResult
    from ..table_model import FitRecord

Answered = tuple[dict[str, Any], "np.ndarray"]
Columns = dict[str, Any]


class AuditOutput(NamedTuple):
    """What answers say.

    Attributes
    ----------
    fit : Fit
        The fit whose rows were checked.
    answered : list of (dict, ndarray)
        The designs of all audits of the table with their answers, the last one last.
    result : AuditResult
        The measures.
    record : dict
        The numbers for summary.json and the report.
    rows : dict or None
        The columns of the rows of the fit by the audited cut; None if they are not known.
    """

    fit: Fit
    answered: list[Answered]
    result: AuditResult
    record: dict[str, Any]
    rows: Columns | None

    @property
    def design(self) -> dict[str, Any]:
        """How the rows were drawn that the answers are about."""
        return self.answered[-1][0]


def read_and_audit(given: AuditInput, paths: Sequence[Path], fit: Fit) -> AuditOutput:
    """Read the answers in files or folders, and compute what they say about a fit."""
    files = [file for path in paths for file in answer_files(path)]
    design, answers = _answers(given, paths, files, fit)
    _check_table(given, design)
    answered = _with_earlier(given, fit, design, answers)
    with caught_warnings() as told:
        result = _result(answered)
        audited_model = _recut(given, fit, result)
    # Of each code the last one, which is about all answers.
    last = {code: for_terminal(code, message) for code, message in told if code is not None}
    doubts = [{"code": code, "message": message} for code, message in last.items()]
    rows = _rows(given, fit, answered, audited_model)
    record = _record(fit, answered, result, audited_model, rows) | {"warnings": doubts}
    return AuditOutput(fit, answered, result, record, rows)


def _answers(
    given: AuditInput, paths: Sequence[Path], files: list[Path], fit: Fit
) -> tuple[dict[str, Any], np.ndarray]:
    """Return the design that the answers belong to, and the answers in its order."""
    drawn = read_drawn(given.folder)
    designs = {name: one for name, one in drawn.items() if one["model"] == fit.card.sha256}
    for path in paths:
        designs |= _design_beside(given, path, fit)
    name, answers = read_answers(files, designs)
    return designs[name], in_order(designs[name], answers)


def _design_beside(given: AuditInput, path: Path, fit: Fit) -> dict[str, dict[str, Any]]:
    """Return the design in a folder CHECK, by its name."""
    beside = (path if path.is_dir() else path.parent) / CHECK_JSON
    if not beside.is_file():
        return {}
    design = read_sealed(beside, "Name the CSV file with the answers instead, or draw again.")
    if design.get("model") == fit.card.sha256:
        return {design["name"]: design}
    if path.is_dir():
        raise InputError(
            f"`--answers` must be about rows that were drawn from DIR; got {path}, which was "
            f"drawn from another fit than the one in {given.folder} now. Name that fit, or draw "
            "again."
        )
    return {}


def _check_table(given: AuditInput, design: dict[str, Any]) -> None:
    if given.table is None:
        return
    if not given.table.is_file():
        raise InputError(f"`--table` must be a file; got {given.table}, which does not exist.")
    if fingerprint(given.table)["sha256"] != design["table"]["sha256"]:
        raise InputError(
            f"`--table` must be the table that the rows were drawn from, {design['table']['name']} "
            f"as it was then; got {given.table}, which has other contents. Leave it out, or draw "
            "again."
        )


def _with_earlier(
    given: AuditInput, fit: Fit, design: dict[str, Any], answers: np.ndarray
) -> list[Answered]:
    """Return all audits of the table with their answers, this one last.

    Earlier answers to the same rows stay where the new ones are missing.
    """
    import numpy as np

    if given.force or not (given.folder / AUDITED).is_file():
        return [(design, answers)]
    found = read_audited(given.folder, fit.card.sha256)["audits"]
    others = [one for one in found if one["design"]["name"] != design["name"]]
    for one in found:
        if one["design"]["name"] == design["name"]:
            before = np.array(one["answers"], dtype=float)
            _tell_joined(given, before, answers)
            answers = np.where(np.isnan(answers), before, answers)
    if any(one["design"]["table"]["sha256"] != design["table"]["sha256"] for one in others):
        raise InputError(
            f"DIR has an audit of another table than {design['table']['name']}, and audits of "
            "different tables cannot be pooled. Add `--force` to replace it."
        )
    earlier = [(one["design"], np.array(one["answers"], dtype=float)) for one in others]
    return [*earlier, (design, answers)]


def _tell_joined(given: AuditInput, before: np.ndarray, answers: np.ndarray) -> None:
    import numpy as np

    kept = int(np.sum(np.isnan(answers) & ~np.isnan(before)))
    replaced = int(np.sum(~np.isnan(answers) & ~np.isnan(before) & (answers != before)))
    others = "another answer" if replaced == 1 else "other answers"
    if kept or replaced:
        given.log(
            f"These rows have earlier answers: {_are(kept)} kept, and {_are(replaced)} replaced by "
            f"{others}. Add `--force` to use the new answers alone."
        )


def _are(number: int) -> str:
    return f"{count(number)} {'is' if number == 1 else 'are'}"


def _result(answered: list[Answered]) -> AuditResult:
    from ...audit import Audit, pool_audits

    try:
        found = [Audit.from_dict(design["audit"]).estimate(answers) for design, answers in answered]
        return found[0] if len(found) == 1 else pool_audits(found)
    except ValueError as error:
        raise InputError(in_terminal(error, results="audits that are pooled")) from None


def _recut(given: AuditInput, fit: Fit, result: AuditResult) -> AuditedClassifier:
    """Return the classifier of the fit with the audited cut."""
    rule = given.rule or fit.summary.method.get("rule") or "f1"
    try:
        return result.recut(fit.pipeline, rule)
    except ValueError as error:
        raise InputError(f"{in_terminal(error)} `--rule` sets another.") from None


def _record(
    fit: Fit,
    answered: list[Answered],
    result: AuditResult,
    audited_model: AuditedClassifier,
    rows: Columns | None,
) -> dict[str, Any]:
    """Return the numbers of the audit, for summary.json and the report."""
    from ...audit import on_ends

    design, threshold = answered[-1][0], float(audited_model.threshold_)
    measures = ("precision", "recall", "f1")
    ranges = {name: result.measure_range(name, threshold) for name in measures}
    cut = {
        "rule": audited_model.rule_,
        "threshold": threshold,
        "posterior_line": [float(one) for one in audited_model.posterior_line_],
        "selects_all": bool(audited_model.cut_.predicts_all),
        "kept": threshold == result.audits[0].threshold,
        **_selected(fit.summary, rows),
        **{name: result.measure(name, threshold).to_dict() for name in measures},
        "range": {name: one.to_dict() for name, one in ranges.items()},
        "ends": list(on_ends(result, ranges, threshold)),
    }
    about = {name: design["table"][name] for name in ("name", "rows", "fitted")}
    of_files = {
        "audits": [one["name"] for one, _ in answered],
        "file": None if rows is None else AUDITED_ROWS,
    }
    return plain({**result.to_dict(), "cut": cut, "table": about, **of_files, "at": now()})


def _selected(summary: FitRecord, rows: Columns | None) -> dict[str, int | None]:
    """Return how many rows of the fitted table the audited cut selects, and the fit's own did."""
    names = ("selected", "selected_unlabeled", "selected_before")
    if rows is None:
        return dict.fromkeys(names)
    selected, before = rows["selected"], summary.cut.get("selected")
    unlabeled = int(selected[rows["labeled"] == 0].sum())
    return dict(zip(names, (int(selected.sum()), unlabeled, before), strict=True))


def _rows(
    given: AuditInput, fit: Fit, answered: list[Answered], audited_model: AuditedClassifier
) -> Columns | None:
    """Return the rows of the fit by the audited cut, in their order; None if they are not known.

    Scores are those of `scored.csv`: where there are held-out ones, the audit used them.
    """
    import numpy as np
    import pyarrow as pa

    table = answered[-1][0]["table"]
    names = ("labeled", "score")
    known = read_scored(given.folder, names, kept=True) if table["fitted"] else None
    if known is None or len(known["score"]) != table["rows"]:
        return None
    if not np.isfinite([known["labeled"], known["score"]]).all():
        return None
    if fit.card.id is None and known["id"].tolist() != [*map(str, range(1, table["rows"] + 1))]:
        return None
    answer = np.full(len(known["score"]), None, dtype=object)
    for design, answers in answered:
        drawn = design["audit"]
        if not np.allclose(known["score"][drawn["rows"]], drawn["score"], rtol=1e-9, atol=0):
            return None  # sorted, or scored anew
        for row, one in zip(drawn["rows"], answers, strict=True):
            if not math.isnan(one):
                answer[row] = "yes" if one else "no"
    ids = None if fit.card.id is None else [one or None for one in known["id"].tolist()]
    numbers = {
        "row": np.arange(1, len(answer) + 1),
        "labeled": known["labeled"].astype(np.int64),
        "score": known["score"],
        "posterior": audited_model.posterior_at(known["score"]),
        "selected": (known["score"] > audited_model.threshold_).astype(np.int64),
        "answer": pa.array(answer, pa.string()),
    }
    columns = scored_columns(fit.card.id, ids, numbers)
    return with_kept(columns, known["kept"], fit.card.id)


def write_audited(given: AuditInput, output: AuditOutput, *, named: Path) -> None:
    """Write what the answers say into the folder of the fit, which pages call `named`."""
    from ..report import make_report, shows_rows

    fit, record, rows = output.fit, output.record, output.rows

    audited = {
        "format": FORMAT,
        "model": fit.card.sha256,
        **{name: record["cut"][name] for name in ("rule", "threshold", "posterior_line")},
        "class_prior": record["class_prior"]["estimate"],
        "at": record["at"],
        "result": record,
        "audits": [
            {"design": design, "answers": [None if one != one else int(one) for one in answers]}
            for design, answers in output.answered
        ],
    }
    summary = replace(fit.summary, audit=record)
    texts = {
        AUDITED: sealed(audited),
        SUMMARY: json.dumps(summary.dump(), allow_nan=False, indent=1),
        REPORT: make_report(summary, folder=named),
    }
    names = [*texts, *([] if rows is None else [AUDITED_ROWS])]
    if shows_rows(given.folder / REPORT):
        given.log(
            f"The report shows no rows any more. `unlabeled report {given.folder} "
            "--include-rows` adds them again."
        )
    paths = [given.folder / name for name in names]
    commas = rows is not None and has_semicolons(given.folder / SCORED)
    with whole_files(*paths) as unfinished:
        for path, text in zip(unfinished, texts.values(), strict=False):
            path.write_text(text, "utf-8", newline="\n")
        if rows is not None:
            write_scored(unfinished[-1], rows, commas)
    if rows is None:  # one of an earlier audit has another cut
        (given.folder / AUDITED_ROWS).unlink(missing_ok=True)
