"""A result in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..engine.result_table import TextTable
from ._table import is_above, missed_positives

if TYPE_CHECKING:
    from ..engine.intervals import Interval
    from ._direct_scar_test import DirectScarTest
    from ._result import AuditResult

_TITLES = {
    "count": "positives in the table",
    "class_prior": "share of positives",
    "precision": "precision",
    "recall": "recall",
    "f1": "F1",
}
_IN_SENTENCES = _TITLES | {"count": "the number of positives", "class_prior": "their share"}


def verdict(result: AuditResult) -> str:
    """Say how what the labels claimed compares with what the checked rows say."""
    claimed, found = result.claimed, result.range
    parts = []
    if claimed["count"] is not None:
        parts.append(_on_count(_claimant(result), claimed["count"], found["count"]))
    if claimed["precision"] is not None and "precision" in found:
        parts.append(_on_precision(claimed["precision"], found["precision"]))
    return " ".join(parts) or _plain_count(result)


def _claimant(result: AuditResult) -> str:
    """Say at the beginning of a sentence who claimed what the checked rows are compared with."""
    return f"The {result.claimed_by.removeprefix('the ')}"


def _on_count(who: str, claimed: float, found: Interval) -> str:
    low, high = _whole(found.lower), _whole(found.upper)
    if found.lower <= claimed <= found.upper:
        return (
            f"{who} claimed about {_whole(claimed)} positives, and the checked rows "
            f"agree: {low} to {high}."
        )
    side = "too many" if claimed > found.upper else "too few"
    return (
        f"{who} claimed about {_whole(claimed)} positives, which is {side}: the checked "
        f"rows say {low} to {high}."
    )


def _on_precision(claimed: float, found: Interval) -> str:
    ends = f"{found.lower:.0%} to {found.upper:.0%}"
    if f"{claimed:.0%}" in (f"{found.lower:.0%}", f"{found.upper:.0%}"):  # they differ by less
        return _finer(claimed, found)
    if found.lower <= claimed <= found.upper:
        return f"The claimed precision of {claimed:.0%} agrees with them: {ends}."
    side = "too high" if claimed > found.upper else "too low"
    return f"The claimed precision of {claimed:.0%} was {side}: {ends}."


def _finer(claimed: float, found: Interval) -> str:
    ends = f"{found.lower:.1%} to {found.upper:.1%}"
    if found.lower <= claimed <= found.upper:
        return f"The claimed precision of {claimed:.1%} just agrees with them: {ends}."
    side = "too high" if claimed > found.upper else "too low"
    return f"The claimed precision of {claimed:.1%} was a little {side}: {ends}."


def _plain_count(result: AuditResult) -> str:
    found = result.range["count"]
    return (
        f"The table has {_whole(found.lower)} to {_whole(found.upper)} positives, by the checked "
        "rows."
    )


def tables(result: AuditResult) -> list[TextTable]:
    """Every headline beside its claim, then what is doubtful."""
    heading = ["", result.claimed_by, "checked rows", f"{result.confidence_level:.0%} interval"]
    rows = []
    for name, interval in result.range.items():
        number, claim = _whole if name == "count" else _share, result.claimed[name]
        ends = f"{number(interval.lower)} to {number(interval.upper)}"
        claimed = "-" if claim is None else number(claim)
        rows.append([_TITLES[name], claimed, number(interval.estimate), ends])
    n_checked = f"{result.n_checked} rows were checked.{_missing(result.n_missing)}"
    return [
        TextTable(n_checked),
        TextTable("", [heading, *rows], left=(0, 3)),
        TextTable("", notes=_readings(result)),
    ]


def _readings(result: AuditResult) -> list[str]:
    lines = [result.verdict, *on_ends(result, result.range)]
    if result.wrong_labels is not None:
        lines.append(on_wrong_labels(result, result.wrong_labels))
    if result.n_missing:
        lines.append(_on_missing(result))
    if result.scar_test is not None:
        lines.append(on_scar(result, result.scar_test))
    elif any(audit.by_features for audit in result.audits):
        lines.append(
            "Whether labels were given at random was not tested: the model does not assume it, but "
            "lets labeling follow columns."
        )
    elif any(audit.in_groups for audit in result.audits):
        lines.append(
            "Whether labels were given at random was not tested: the test takes rows as "
            "independent, and these come in groups."
        )
    elif not result.audits[0].held_out and result.audits[0].table.n_labeled:
        lines.append(
            "Whether labels were given at random was not tested: that needs held-out scores of the "
            "labeled rows, which PULogistic keeps."
        )
    return lines


def _on_missing(result: AuditResult) -> str:
    """Say what the numbers take missing answers to be."""
    which = "the missing answer is" if result.n_missing == 1 else "the missing answers are"
    ends = f"{_whole(result.count.lower)} to {_whole(result.count.upper)}"
    others = "" if result.scar_test is None else " and the test below"
    return (
        f"The intervals hold whatever {which}. If rows without an answer are like the others with "
        f"similar scores, {ends} rows are positive; the estimates{others} assume that."
    )


def on_scar(result: AuditResult, test: DirectScarTest) -> str:
    """Say what the test of SCAR found, and of several audits which one it used."""
    if len(result.audits) == 1:
        return str(test)
    found = missed_positives(result.audits, result.answers)
    return (
        f"Whether labels were given at random was tested with one of the {len(result.audits)} "
        f"audits, the one with the most positives: {test.n_positive} of the {len(found)} that were "
        f"found. {test}"
    )


def on_ends(
    result: AuditResult, found: Mapping[str, Interval], threshold: float | None = None
) -> Iterator[str]:
    """Say why an estimate is an end of its interval: checked rows were answered alike."""
    for end, side in (("lower", "higher"), ("upper", "lower")):
        names = [
            _IN_SENTENCES[name]
            for name, one in found.items()
            if one.estimate == getattr(one, end) and one.lower < one.upper
        ]
        why = _alike(result, end, threshold) if names else None
        if why is not None:
            *others, last = names
            ends = f"are at the {end} ends of their intervals"
            if not others:
                ends = f"is at the {end} end of its interval"
            listed = f"{', '.join(others)} and {last}" if others else last
            yield f"{why}, so {listed} {ends}: the truth may well be {side}."


def _alike(result: AuditResult, end: str, threshold: float | None) -> str | None:
    """Say which checked rows were answered alike, so that estimates are an end; None if none."""
    which = [audit.strata["drawn"] < audit.strata["rows"] for audit in result.audits]
    row = _in_part(result, which)
    yes, no = (_above_and_below(result, answer, which, threshold) for answer in (1, 0))
    if end == "lower":
        where = "" if not sum(yes) else " above the cut"
        return None if yes[0] else f"No {row}{where} is positive"
    if not sum(no):
        return f"Every {row} is positive"
    every = None if no[0] else f"Every {row} above the cut is positive"
    if yes[1]:
        return every
    return f"No {row} below the cut is positive" if every is None else f"{every}, and none below it"


def _in_part(result: AuditResult, which: Sequence[np.ndarray]) -> str:
    """Name a checked row of the strata that were not checked as a whole."""
    pairs = list(zip(result.audits, which, strict=True))
    if all(one.all() for one in which):
        return "checked row"
    if all(np.array_equal(one, ~audit.strata["labeled"]) for audit, one in pairs):
        return "checked unlabeled row"
    return "checked row that stands for others"


def _above_and_below(
    result: AuditResult, answer: int, which: Sequence[np.ndarray], threshold: float | None
) -> tuple[int, int]:
    """Return how many rows of some strata, above and below a cut, have an answer."""
    above = below = 0
    for audit, answers, strata in zip(result.audits, result.answers, which, strict=True):
        has_it, high = (answers == answer) & strata[audit.stratum], is_above(audit, threshold)
        above, below = above + int(np.sum(has_it & high)), below + int(np.sum(has_it & ~high))
    return above, below


def on_wrong_labels(result: AuditResult, found: Interval) -> str:
    """Say how many labels are wrong."""
    n_labeled = result.audits[0].table.n_labeled
    n_checked = sum(
        int(np.sum(~np.isnan(answers) & audit.strata["labeled"][audit.stratum]))
        for audit, answers in zip(result.audits, result.answers, strict=True)
    )
    if found.estimate == found.lower == 0 < found.upper:
        return (
            f"All {_whole(n_checked)} labeled rows that were checked are positive, so at most "
            f"{_percent(found.upper)} of the {_whole(n_labeled)} labels are wrong."
        )
    return (
        f"Of the {_whole(n_labeled)} labels, {_percent(found.estimate)} are wrong "
        f"({_percent(found.lower)} to {_percent(found.upper)}), by {_whole(n_checked)} labeled "
        "rows that were checked."
    )


def _missing(n_rows: int) -> str:
    if n_rows == 0:
        return ""
    rows = "1 drawn row has" if n_rows == 1 else f"{n_rows} drawn rows have"
    return f" {rows} no answer."


def _whole(value: float) -> str:
    return f"{np.round(value):,.0f}".replace(",", " ")


def _share(value: float) -> str:
    """Write a share with three digits, or with two that are not 0."""
    digits = 3 if value == 0 or value >= 0.01 else 1 - int(np.floor(np.log10(value)))
    return f"{value:.{digits}f}"


def _percent(value: float) -> str:
    return f"{value:.0%}" if value >= 0.1 else f"{value:.1%}"
