"""How many rows are probably positive, and what that rests on."""

from __future__ import annotations

from typing import Any

from ._findings import Found
from ._text import count, finite, percent

# An assumption, the codes that are about it, and the one of the check that is made for it.
_SCAR = (
    "Labelled rows are positives picked at random (SCAR): which positives have a label does not "
    "depend on their features.",
    {"PU201", "PU205", "PU206"},
    "PU201",
)
_NO_LEAK = (
    "No feature gives the label away: each was known before anybody labelled the row.",
    {"PU103", "PU204"},
    "PU204",
)
_LOGISTIC = (
    "Along the score, the chance of being positive is a logistic curve: its shape tells how many "
    "positives have no label.",
    {"PU106", "PU108", "PU111", "PU112", "PU201", "PU202", "PU203"},
    "PU201",
)
_GIVEN = ("The class prior that was given is right.", {"PU112", "PU113"}, "PU113")
_ENOUGH = (
    "There are enough labelled rows, and the fit settled.",
    {"PU102", "PU104", "PU105", "PU107", "PU114"},
    "PU114",
)


def headline(summary: dict[str, Any], found: Found) -> dict[str, Any]:
    """Return the sentences of the first section, and the bar."""
    prior, rows = summary["class_prior"], summary["table"]["rows"]
    positives, hidden = (_three(summary.get(name)) for name in ("positives", "hidden_positives"))
    given = bool(prior.get("given"))
    return {
        "title": _title(positives["estimate"], rows),
        "range": _range(summary, positives),
        "sentences": _sentences(summary, hidden),
        "label_sentence": summary["label"].get("sentence"),
        "positive_means": _positive_means(summary["label"]),
        "bar": _bar(summary, positives),
        "rests_on": _rests_on(found, given),
        "serious": found.of_state("serious"),
        "given": given,
        "positives": positives,
        "hidden": hidden,
    }


def _positive_means(label: dict[str, Any]) -> str | None:
    """Say what a positive row is a row of."""
    if not label.get("column") or label.get("positive") in (None, ""):
        return None
    return f"Positive: such as the rows with {label['positive']!r} in {label['column']!r}."


def _three(record: Any) -> dict[str, float | None]:
    record = record or {}
    return {name: finite(record.get(name)) for name in ("estimate", "lower", "upper")}


def _title(estimate: float | None, rows: int) -> str:
    if estimate is None:
        return "How many rows are positive is not known"
    return f"About {count(estimate)} of {count(rows)} rows are probably positive"


def _range(summary: dict[str, Any], positives: dict[str, float | None]) -> str:
    prior = summary["class_prior"]
    if prior.get("given"):
        share = percent(finite(prior.get("estimate")))
        return (
            f"You gave the class prior, {share}. The number is that share of the rows and no "
            "estimate, so it has no interval."
        )
    if positives["estimate"] is None:
        return "The method estimates no class prior. Ranks and recall are of use without one."
    if positives["lower"] is None or positives["upper"] is None:
        return "No interval could be made: how far off the number may be is not known."
    return (
        f"Between {count(positives['lower'])} and {count(positives['upper'])} "
        f"({level(prior)} interval).{_cut_off(summary)}"
    )


def _cut_off(summary: dict[str, Any]) -> str:
    """Say that the interval of the class prior begins below the labelled rows, where it does."""
    lower, labelled = finite(summary["class_prior"].get("lower")), summary["label"]["labelled"]
    if lower is None or lower * summary["table"]["rows"] >= labelled:
        return ""
    return (
        f" The lower end is the {count(labelled)} labelled rows, which are positive for sure: the "
        f"interval of the class prior begins below their share, at {percent(lower)}, since it is "
        "about the population that the rows come from."
    )


def level(record: dict[str, Any]) -> str:
    """Write the level of an interval."""
    value = finite(record.get("level"))
    return percent(0.95 if value is None else value).replace(".0\u00a0", "\u00a0")


def _sentences(summary: dict[str, Any], hidden: dict[str, float | None]) -> list[str]:
    label, frequency = summary["label"], _three(summary.get("label_frequency"))
    first = f"{count(label['labelled'])} rows are labelled."
    if hidden["estimate"] is None:
        return [first]
    more = f"About {count(hidden['estimate'])} more are hidden among the "
    more += f"{count(label['unlabelled'])} unlabelled rows{_between(hidden, count)}."
    if frequency["estimate"] is None:
        return [first, more]
    share = f"So about {percent(frequency['estimate'])} of the positives are labelled"
    return [first, more, f"{share}{_between(frequency, percent)}."]


def _between(three: dict[str, float | None], write: Any) -> str:
    if three["lower"] is None or three["upper"] is None:
        return ""
    return f" ({write(three['lower'])} to {write(three['upper'])})"


def _bar(summary: dict[str, Any], positives: dict[str, float | None]) -> dict[str, Any]:
    """Return where the parts of the bar end, in percent of all rows."""
    rows = summary["table"]["rows"]

    def place(value: float | None) -> float | None:
        return None if value is None else round(100 * min(1.0, max(0.0, value / rows)), 4)

    labelled = place(summary["label"]["labelled"])
    estimate = place(positives["estimate"])
    return {
        "labelled": labelled,
        "positive": max(labelled or 0.0, estimate or 0.0),
        "lower": place(positives["lower"]),
        "upper": place(positives["upper"]),
        "rest": None if positives["estimate"] is None else rows - positives["estimate"],
    }


def _rests_on(found: Found, given: bool) -> list[dict[str, Any]]:
    assumptions = [_SCAR, _NO_LEAK, _GIVEN if given else _LOGISTIC, _ENOUGH]
    return [{"text": text, **found.standing(codes, main)} for text, codes, main in assumptions]
