"""What a reader is told: the number of positives, what was not checked, what to run next."""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable
from typing import Any, NamedTuple

from scipy.stats import norm

from ...codes import CHECKS, CODES, LABELS
from ...inference import Interval
from ...scores import NOT_AT_ALL, ROUGHLY
from ._record import FitRecord

SCAR, FOLLOWED, _CAN_CHANGE_PLACES, _ALL_NEGATIVE = "PU201", "PU208", "PU122", "PU123"
_LEAK = "PU204"
# What these find is the condition of the number, or in its place.
_IN_THE_HEADLINE = (SCAR, FOLLOWED, "PU202", "PU205")
LABELING = tuple(name for name, one in CODES.items() if one.doubts == LABELS)
"""Codes of the other checks of the labeling."""

_NEEDS = "labeled rows are a random sample of the positives"
_NEEDS_OF_CASES = "the cases are a random sample of the population's positives"
# Two scores disagree if both have at least this probability, and differ by at least this much.
_POSSIBLE, _APART = 0.05, 0.05
# The check "fit" repeats warnings of the fit, which the record has anyway.
_ABOUT = {name: asked.subject for name, asked in CHECKS.items() if name != "fit"}
_OF_RANDOM_LABELS = (_ABOUT["scar"], _ABOUT["labeling"])
# With fewer labeled rows than this, the recall is shown as a range.
_ENOUGH_FOR_ONE_RECALL = 100
PER_ERROR = float(norm.ppf(0.975))
"""Half the length of a 95 % interval in standard errors."""
_COMPARISON, _NOT_RUN = "other methods", "not run: "
NOT_COMPARED = f"{_NOT_RUN}--no-compare"
"""The note of a fit that nobody asked to compare."""
_NAMES = {"line": "a line", "trees": "trees", "boosting": "boosting"}


class Headline(NamedTuple):
    """What to say about the number of positives.

    Attributes
    ----------
    title : str
        One sentence without its full stop.
    sentences : tuple of str
        How sure that is, what it assumes, whether methods disagree, and what checked rows
        would tell.
    """

    title: str
    sentences: tuple[str, ...]


def headline(
    record: FitRecord, count: Callable[[float], str], percent: Callable[[float], str]
) -> Headline:
    """Say how many rows are positive.

    Parameters
    ----------
    record : FitRecord
    count, percent : callable
        How numbers and shares are written.

    Returns
    -------
    headline : Headline
    """
    prior, positives = record.class_prior, record.positives
    rows = f"{count(record.table['rows'])} rows"
    estimate, lower, upper = (positives.get(name) for name in ("estimate", "lower", "upper"))
    tells = (*_checked_rows_tell(record, count), *_unasked(record))
    voided = voided_by(record)
    if voided is not None:
        code = voided["code"]
        why = f"{CODES[code].meaning} ({code})"
        return Headline(
            f"The number of positive rows is unknown: {why}",
            (
                _sentence(str(voided.get("terminal") or voided.get("message"))),
                "Until that is settled, use neither the number of positives nor recall, precision "
                "and probabilities.",
            ),
        )
    if estimate is None:
        return Headline(
            "The number of positive rows is unknown",
            (
                "The method does not estimate the class prior. The ranking and the recall do not "
                "need it.",
            ),
        )
    if prior.get("given"):
        return Headline(
            f"With your class prior of {percent(prior['estimate'])}, {count(estimate)} of {rows} "
            "are positive",
            (
                "The number is that share of the rows. It is not an estimate, so it has no "
                "interval.",
                *tells,
            ),
        )
    if lower is None or upper is None:
        title = f"About {count(estimate)} of {rows} are positive"
        why = "The method gives no interval, so it is unknown how far off the number may be."
        if record.checked:
            why = "The fit used checked rows; `unlabeled audit` gives an interval."
        if _warned(record, _ALL_NEGATIVE):
            title += ", if rows were chosen for checking before anybody knew their class"
            why = (
                "No checked row is positive. If they were recorded because they are negative, the "
                f"number is far too small: leave them out ({_ALL_NEGATIVE})."
            )
        return Headline(title, (why, *tells))
    ends, level = (count(lower), count(upper)), f"{round(100 * (prior.get('level') or 0.95))} %"
    state = prior.get("identified")
    doubt, scar = _about_labels(record)
    moved = (record.checked or {}).get("said") or ()
    tells = (*moved[1:], *tells)
    if not count_is_told(record):
        what = "Labels and answers do" if counted_by_answers(record) else "The labels do"
        title = f"{what} not tell how many of {rows} are positive"
        sure = f"Anything between {ends[0]} and {ends[1]} agrees with them ({level} interval)"
        stands = ("The ranking of rows does not need it.",) if record.label.get("cases") else ()
        return Headline(
            title, (f"{sure}{doubt}.", *stands, scar, *_disagree(record, percent), *tells)
        )
    adverb = "Roughly" if state == ROUGHLY else "Between"
    word = "to" if state == ROUGHLY else "and"
    title = f"{adverb} {ends[0]} {word} {ends[1]} of {rows} are positive{doubt}"
    sure = f"This is the {level} interval; its mean is {count(estimate)}."
    return Headline(title, (sure, scar, *_disagree(record, percent), *tells))


def voided_by(record: FitRecord) -> dict[str, Any] | None:
    """Return the serious finding, or the warning of a leak, that voids the numbers of a fit.

    Labels that may not be random are the condition of every number, and labels that hardly tell
    it (PU202) have a headline of their own.
    """
    serious = [one for one in record.findings if one.get("state") == "serious"]
    serious += [one for one in record.warnings if one.get("code") == _LEAK]
    voids = CODES.keys() - set(_IN_THE_HEADLINE)
    return next((one for one in serious if one.get("code") in voids), None)


def count_is_told(record: FitRecord) -> bool:
    """Return whether the labels say anything about the number of positives."""
    return record.class_prior.get("identified") != NOT_AT_ALL


def independent_labeled(record: FitRecord) -> float:
    """Return how many independent labeled rows of equal weight tell as much about the recall."""
    effects = (
        (record.groups or {}).get("design_effect"),
        (record.labeled_by or {}).get("weight_effect"),
    )
    known = [one for one in effects if isinstance(one, int | float) and 0 < one < math.inf]
    return float(record.label["labeled"] / math.prod(known))


def recall_range(record: FitRecord, recall: float) -> Interval | None:
    """Return Wilson's 95 % interval of a recall; None if a hundred labeled rows or more tell it.

    Rows of groups, and of unequal weight, count as the independent rows that tell as much.

    Examples
    --------
    >>> lower, upper = recall_range(FitRecord.of({"label": {"labeled": 12}}), 1.0)
    >>> print(f"{lower:.2f} to {upper:.2f}")
    0.76 to 1.00
    """
    n = independent_labeled(record)
    if not 0 < n < _ENOUGH_FOR_ONE_RECALL:
        return None
    extra = PER_ERROR**2 / n
    half = math.sqrt(extra * (recall * (1 - recall) + extra / 4))
    lower, upper = ((recall + extra / 2 + side * half) / (1 + extra) for side in (-1, 1))
    return Interval.around(recall, (max(0.0, lower), min(1.0, upper)), 0.95, "Wilson")


def about_groups(record: FitRecord, count: Callable[[float], str]) -> tuple[str, ...]:
    """Say how many groups, such as patients with several rows, are positive."""
    groups = record.groups
    if not groups:
        return ()
    column, positives = groups.get("column"), groups.get("positives")
    said = [f"All other counts are of rows, not of groups ({column})."]
    if positives is None:
        said = [f"All counts are of rows, not of groups ({column})."]
    else:
        ends = (count(positives["lower"]), count(positives["upper"]))
        number = f"the {count(groups['number'])} groups ({column})"
        is_told = positives.get("identified") != NOT_AT_ALL
        told = f"Of {number}, between {ends[0]} and {ends[1]} have a positive row"
        untold = f"The labels do not tell how many of {number} have a positive row: {ends[0]} to "
        said.insert(0, f"{told}, {if_labels(record)}." if is_told else f"{untold}{ends[1]}.")
    return tuple(said)


def _unasked(record: FitRecord) -> tuple[str, ...]:
    """Say that nobody named the groups, and how to answer."""
    found = (record.groups or {}).get("unasked")
    return (f"Nobody named the groups: {found}",) if found else ()


def if_labels(record: FitRecord) -> str:
    """Return the condition of count, recall and precision, to stand in a sentence."""
    if counted_by_answers(record):
        return "if rows were chosen for checking before anybody knew their class"
    follows = labeled_by(record)
    return f"if labels follow only {follows}" if follows else f"if {_labels(record)} are random"


def _about_labels(record: FitRecord) -> tuple[str, str]:
    """Say whether labels are random: a condition for the number, and what the checks said."""
    doubt, follows = f", {if_labels(record)}", labeled_by(record)
    if counted_by_answers(record):
        return (
            doubt,
            "Labels need not be random: the answers say how many of the other rows are positive.",
        )
    if follows:
        return doubt, _about_propensity(record, follows)
    needs = _NEEDS_OF_CASES if record.label.get("cases") else _NEEDS
    random = f"{_labels(record).capitalize()} are random"
    states = {one.get("code"): one.get("state") for one in record.findings}
    searched = (SCAR, FOLLOWED)
    against = [
        code for code in (*searched, *LABELING) if states.get(code) in ("warning", "serious")
    ]
    noted = [code for code in (SCAR, *LABELING) if states.get(code) == "note"]
    if against:
        speaks = "The check speaks" if len(against) == 1 else "The checks speak"
        line = ", or against a line" if SCAR in against else ""
        if against[0] == FOLLOWED:
            line = ", or against the curve"
        return doubt, f"{random} if {needs}. {speaks} against it{line} ({', '.join(against)})."
    but = f", but see {' and '.join(noted)}" if noted else ""
    if any(states.get(code) == "fine" for code in searched):
        found = f"The check, which misses much, found nothing against it{but}"
        return doubt, f"{random} if {needs}. {found}."
    return doubt, f"{random} if {needs}, which was not checked{but}."


def counted_by_answers(record: FitRecord) -> bool:
    """Whether answers count the positives along held-out scores, however rows were labeled."""
    is_told = record.class_prior.get("identified") is not None
    return bool(record.checked) and is_told and not record.labeled_by


def not_checked(record: FitRecord, count: Callable[[float], str]) -> tuple[str, ...]:
    """Say what was not checked, and what was checked on a part of the rows.

    Parameters
    ----------
    record : FitRecord
    count : callable
        How numbers are written.

    Returns
    -------
    sentences : tuple of str
        The first lists all that was not checked, with the reasons. If checked rows have tested
        whether labels are random, the next says what they found.
    """
    tested = scar_by_checked_rows(record)
    why: dict[str, list[str]] = {}
    for what, reason in _reasons(record):
        if tested is None or what not in _OF_RANDOM_LABELS:
            why.setdefault(reason, []).append(what)
    groups = [f"{', '.join(what)} ({reason})" for reason, what in why.items()]
    listed = (f"Not checked: {'; '.join(groups)}.",) if groups else ()
    found = () if tested is None else (f"Labels at random: {tested.sentence}",)
    return (*listed, *found, *_checked_in_part(record, count))


class ScarByCheckedRows(NamedTuple):
    """Whether checked rows speak against labels at random, and a sentence that says so."""

    against: bool
    sentence: str


def scar_by_checked_rows(record: FitRecord) -> ScarByCheckedRows | None:
    """Return what an audit of the fitted table said about labels at random; None if nothing."""
    audit = record.audit or {}
    test = audit.get("scar") or {}
    p_value, level = test.get("p_value"), test.get("significance_level", 0.05)
    if not (audit.get("table") or {}).get("fitted") or not isinstance(p_value, int | float):
        return None
    against = bool(p_value <= level)
    said = "speak against it" if against else "found nothing against it, which is no proof"
    return ScarByCheckedRows(against, f"the checked rows {said} (p-value {p_value:.2g}).")


def _reasons(record: FitRecord) -> list[tuple[str, str]]:
    """Return what was not checked, each with the reason."""
    notes, findings = record.notes, record.findings
    if any(
        one.get("code") == FOLLOWED and one.get("state") != "not applicable" for one in findings
    ):
        # It asks the same of a model that the test of a line cannot take.
        findings = [one for one in findings if one.get("code") != SCAR]
    found = [
        (_ABOUT.get(name, name), _reason(str(one.get("message") or "the reason is unknown")))
        for one in findings
        if one.get("state") == "not applicable" and (name := str(one.get("check"))) != "fit"
    ]
    if not findings:
        reason = _reason(notes.get("checks") or "no checks were run")
        found = [(what, reason) for what in _ABOUT.values()]
    if record.comparison is None and notes.get("comparison") != NOT_COMPARED:
        reason = _reason(notes.get("comparison") or "they were not fitted")
        found.append((_COMPARISON, reason))
    return found


def _reason(message: str) -> str:
    """Return the first sentence of a message, to stand in brackets."""
    return _inside(message.removeprefix(_NOT_RUN).split(". ")[0].rstrip(".")).rstrip(".")


def _checked_in_part(record: FitRecord, count: Callable[[float], str]) -> tuple[str, ...]:
    """Say which checks used only a part of the rows."""
    notes, sentences = record.notes, []
    part = notes.get("checks") or ""
    if record.findings and part:
        sentences.append(f"The checks were made {part}.")
    if record.comparison and notes.get("comparison"):
        sentences.append(f"The methods were compared {notes['comparison']}.")
    for one in record.findings:
        facts = one.get("facts") or {}
        tested, of = facts.get("rows_tested"), facts.get("rows_in_all")
        if tested is not None and of is not None and tested < of:
            what = _ABOUT.get(str(one.get("check")), str(one.get("check")))
            sentences.append(f"The check of {what} used {count(tested)} of {count(of)} rows.")
    return tuple(sentences)


def labeled_by(record: FitRecord) -> str:
    """Return the columns that labeling follows, for a sentence; "" if it is at random."""
    *others, last = [str(one) for one in (record.labeled_by or {}).get("columns") or [""]]
    return f"{', '.join(others)} and {last}" if others else last


def _about_propensity(record: FitRecord, follows: str) -> str:
    """Say what labels that follow columns assume, and whether the labels contradict each other."""
    means = (
        f"It assumes that positive rows with the same {follows} are labeled equally often. Labels "
        "alone cannot check that."
    )
    if _warned(record, _CAN_CHANGE_PLACES):
        means += (
            " Do not rely on the number: the labels do not tell what makes a row positive from "
            f"what makes a positive row labeled ({_CAN_CHANGE_PLACES})."
        )
    return means


def _warned(record: FitRecord, code: str) -> bool:
    return any(one.get("code") == code for one in record.warnings)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _labels(record: FitRecord) -> str:
    return "cases" if record.label.get("cases") else "labels"


def _inside(sentence: str) -> str:
    """Write a sentence after a colon; acronyms and names keep their capitals."""
    first = sentence.split(" ", 1)[0]
    is_name = first.isupper() and len(first) > 1
    small = sentence if is_name else sentence[:1].lower() + sentence[1:]
    return small if small.endswith(".") else f"{small}."


def _disagree(record: FitRecord, percent: Callable[[float], str]) -> tuple[str, ...]:
    """Say what each score says, if the labels cannot tell which is right and they differ."""
    said = record.class_prior.get("said") or []
    possible = [one for one in said if one["probability"] >= _POSSIBLE]
    shares = [one["estimate"] for one in possible]
    if len(possible) < 2 or max(shares) - min(shares) < _APART:
        return ()
    possible.sort(key=lambda one: -one["estimate"])
    words = [f"{_NAMES.get(one['name'], one['name'])} {_verb(one)} {percent(one['estimate'])}"
             for one in possible]  # fmt: skip
    return (f"Methods disagree: {', '.join(words)}; the labels do not tell which is right.",)


def _verb(one: dict[str, Any]) -> str:
    return "say" if one["name"] == "trees" else "says"


def _if_and_whether(record: FitRecord) -> tuple[str, str]:
    """Return what an interval of the fit needs, and that one of checked rows does not need it."""
    follows = labeled_by(record)
    if follows:
        return f"only if labels follow only {follows}", "whatever the labels follow"
    labels = _labels(record)
    return f"only if {labels} are random", f"whether {labels} are random or not"


def _checked_rows_tell(record: FitRecord, count: Callable[[float], str]) -> tuple[str, ...]:
    """Say how long an audit's interval would be beside the fit's, and which of them needs what."""
    expected = record.if_checked
    if not expected:
        return ()
    positives, rows, length = record.positives, count(expected["rows"]), expected["count"]
    needs, whether = _if_and_whether(record)
    if length / 2 > positives["estimate"]:
        return (
            f"If positives are as rare as the labels say, {rows} checked rows hardly tell their "
            "number. They tell whether there are far more, and how many of the selected rows are "
            f"positive, {whether}.",
        )
    if positives.get("lower") is None or positives.get("upper") is None:
        return (
            f"{rows} checked rows would give an interval that is about {count(length)} rows long, "
            f"and holds {whether}.",
        )
    # Of the ends as they are written: a reader may subtract them.
    of_fit = int(positives["upper"] + 0.5) - int(positives["lower"] + 0.5)
    return (
        f"This interval is {count(of_fit)} rows long, and holds {needs}. That of {rows} checked "
        f"rows would be about {count(length)} long, and would hold {whether}.",
    )


_ROWS_TO_CHECK, _FEWEST_TO_CHECK = 100, 10


def audit_command(folder: str, table: str, check: str, n_unlabeled: float | None) -> str | None:
    """Write the command that draws rows to check.

    Parameters
    ----------
    folder, table, check : str
        The folder of the fit, its table, and a new folder for the rows.
    n_unlabeled : float or None
        How many unlabeled rows there are, if that is known.

    Returns
    -------
    command : str or None
        As one writes it in a shell; None if there are too few rows to draw from.

    Examples
    --------
    >>> audit_command("ward", "my patients.csv", "ward-check", 2400)
    "unlabeled audit ward --table 'my patients.csv' --rows 100 --out ward-check"
    """
    rows = _ROWS_TO_CHECK if n_unlabeled is None else min(_ROWS_TO_CHECK, int(n_unlabeled))
    if rows < _FEWEST_TO_CHECK:
        return None
    words = ["unlabeled", "audit", folder, "--table", table, "--rows", str(rows), "--out", check]
    return shlex.join(words)
