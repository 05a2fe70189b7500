"""How many rows are positive, and what this assumes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...codes import (
    CODES,
    ENOUGH_LABELS,
    GIVEN_PRIOR,
    LABELS_BY_COLUMNS,
    NO_LEAK,
    RANDOM_LABELS,
    RISING_CURVE,
)
from ..table_model import (
    FOLLOWED,
    SCAR,
    FitRecord,
    about_groups,
    count_is_told,
    counted_by_answers,
    headline,
    if_labels,
    labeled_by,
    not_checked,
    scar_by_checked_rows,
    voided_by,
)
from ._findings import Findings
from ._summary import labeled_rows
from ._text import count, finite, percent, three

# Each assumption of `codes.ASSUMPTIONS` in a sentence, and the codes of the checks that test it.
# The sentence of labels that follow columns names them.
_TEXTS = {
    RANDOM_LABELS: (
        "Labeled rows are a random sample of the positives (SCAR): whether a positive row is "
        "labeled does not depend on its features.",
        (SCAR, FOLLOWED),
    ),
    NO_LEAK: (
        "No feature gives the label away: each was known before the row was labeled.",
        ("PU204",),
    ),
    RISING_CURVE: (
        "The probability of being positive rises with the score. The number of hidden positives is "
        "read off the shape of this rise, averaged over curves; the interval spans what they say.",
        (SCAR, FOLLOWED),
    ),
    GIVEN_PRIOR: ("The class prior that you gave is right.", ("PU113",)),
    ENOUGH_LABELS: (
        "At least ten rows, or groups of rows, are labeled, and the fit converged. Ten are the "
        "fewest that a fit takes: they give no exact numbers.",
        ("PU114",),
    ),
}

_BY_ANSWERS = (
    "Rows were chosen for checking by their columns or scores, before anybody knew their class, "
    "and the answers are right. Labels need not be random."
)

_Three = dict[str, float | None]


def count_section(record: FitRecord, findings: Findings) -> dict[str, Any]:
    """Return the title of the page, the sentences below it, the bar and the assumptions."""
    positives, hidden = map(three, (record.positives, record.hidden_positives))
    given = bool(record.class_prior.get("given"))
    said = headline(record, count, percent)
    is_unknown = not count_is_told(record) or voided_by(record) is not None
    return {
        "title": said.title,
        "range": " ".join(said.sentences),
        "not_checked": not_checked(record, count),
        "sentences": _sentences(record, hidden, is_unknown),
        "label_sentence": record.label.get("sentence"),
        "positive_means": _positive_means(record.label),
        "bar": _bar(record, positives, is_unknown),
        "assumptions": _assumptions(record, findings, given),
        "condition": if_labels(record),
        "by_answers": counted_by_answers(record),
        "labeled_by": labeled_by(record),
        "serious": findings.of_state("serious"),
        "given": given,
        "hidden": hidden,
        "labeled": labeled_rows(record),
        "cases": record.label.get("cases"),
        "is_unknown": is_unknown,
        "said": [  # by each score alone
            {**one, "count": (finite(one.get("estimate")) or 0.0) * record.table["rows"]}
            for one in record.class_prior.get("said") or []
        ],
    }


def _sentences(record: FitRecord, hidden: _Three, is_unknown: bool) -> list[str]:
    label, frequency = record.label, three(record.label_frequency)
    of_rows = list(about_groups(record, count))
    if label.get("cases"):
        return of_rows  # the sentence about the labels says it all
    sentences = [f"{count(label['labeled'])} rows are labeled."]
    if voided_by(record) is not None:
        return sentences
    if is_unknown:
        sentences.append(
            f"{count(hidden['lower'])} to {count(hidden['upper'])} positives may be hidden among "
            f"the {count(label['unlabeled'])} unlabeled rows, so {percent(frequency['lower'])} "
            f"to {percent(frequency['upper'])} of the positives are labeled."
        )
    elif hidden["estimate"] is not None:
        sentences.append(
            f"About {count(hidden['estimate'])} more positives are hidden among the "
            f"{count(label['unlabeled'])} unlabeled rows{_between(hidden, count)}."
        )
        if frequency["estimate"] is not None:
            sentences.append(
                f"So about {percent(frequency['estimate'])} of the positives are labeled"
                f"{_between(frequency, percent)}."
            )
    return sentences + of_rows


def _between(three: _Three, write: Callable[[float | None], str]) -> str:
    if three["lower"] is None or three["upper"] is None:
        return ""
    return f" ({write(three['lower'])} to {write(three['upper'])})"


def _positive_means(label: dict[str, Any]) -> str | None:
    if not label.get("column") or label.get("positive") in (None, ""):
        return None
    if label.get("cases"):
        return f"Positive means: like the rows of {label['cases']!r}."
    return f"Positive means: like the rows with {label['positive']!r} in {label['column']!r}."


def _bar(record: FitRecord, positives: _Three, is_unknown: bool) -> dict[str, Any]:
    """Return where the parts of the bar end, in percent of all rows.

    If the number is not known at all, only its interval is drawn; of a void number, nothing.
    """
    rows = record.table["rows"]
    if voided_by(record) is not None:
        positives = dict.fromkeys(positives)

    def place(value: float | None) -> float | None:
        return None if value is None else round(100 * min(1.0, max(0.0, value / rows)), 4)

    labeled = place(labeled_rows(record))
    estimate = None if is_unknown else place(positives["estimate"])
    return {
        "labeled": labeled,
        "positive": max(labeled or 0.0, estimate or 0.0),
        "lower": place(positives["lower"]),
        "upper": place(positives["upper"]),
        "rest": None if estimate is None else rows - (positives["estimate"] or 0.0),
    }


def _assumptions(record: FitRecord, findings: Findings, given: bool) -> list[dict[str, Any]]:
    follows, tested = labeled_by(record), scar_by_checked_rows(record)
    texts = _TEXTS | {LABELS_BY_COLUMNS: (_by_columns(follows), (SCAR,))}
    labels = LABELS_BY_COLUMNS if follows else RANDOM_LABELS
    needed = [labels, NO_LEAK, GIVEN_PRIOR if given else RISING_CURVE, ENOUGH_LABELS]
    listed = []
    if counted_by_answers(record):
        listed = [{"text": _BY_ANSWERS, **findings.standing({"PU123", "PU133"}, "PU123")}]
        needed, tested = [NO_LEAK, ENOUGH_LABELS], None
    for assumption in needed:
        codes = {code for code, one in CODES.items() if assumption in one.doubts}
        text, main = texts[assumption]
        listed.append({"text": text, **findings.standing(codes, main)})
    if tested is not None:
        if tested.against:
            listed[0]["state"] = "in doubt"
        elif listed[0]["state"] == "not checked":
            listed[0]["state"] = "no evidence against it"
        listed[0]["why"] = tested.sentence[:1].upper() + tested.sentence[1:]
    return listed


def _by_columns(follows: str) -> str:
    return (
        f"Labels follow {follows} and nothing else: positive rows with the same {follows} are "
        "labeled equally often. \u201cWhat drives the score\u201d says how often."
    )
