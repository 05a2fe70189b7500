"""Every number of the page at a cut, the same in Python and in `report.js`."""

from __future__ import annotations

from typing import Any

from .. import rates
from ._numbers import finite
from ._rules import rule_words

_STEPS = 10


def numbers_at(summary: dict[str, Any], index: int) -> dict[str, float | None]:
    """Return what the page shows of a cut of the curve, at the costs of the summary."""
    curve, prior, rows = summary["curve"], summary["class_prior"], summary["table"]["rows"]
    recall, share = curve["recall"][index], curve["share"][index]
    known: dict[str, float | None] = {
        name: curve[name][index]
        for name in ("threshold", "recall", "share", "selected", "selected_unlabelled")
    }
    known["posterior"] = finite(curve["posterior"][index])
    known["selected_share"] = curve["selected"][index] / rows
    for end in ("lower", "upper"):
        known[f"precision_{end}"] = _precision(recall, share, finite(prior.get(end)))
    known |= _with_prior(recall, share, finite(prior.get("estimate")), rows, costs(summary))
    labelled = summary["label"]["labelled"] / rows
    known["precision_unlabelled"] = _among_unlabelled(
        recall, share, finite(prior.get("estimate")), labelled, rows
    )
    return {name: finite(value) for name, value in known.items()}


def costs(summary: dict[str, Any]) -> dict[str, float]:
    """Return the costs of a miss and of a false alarm; 1 where none are given."""
    given = summary.get("costs") or {}
    known = {name: finite(given.get(name)) for name in ("miss", "false_alarm")}
    return {name: 1.0 if value is None else value for name, value in known.items()}


def _precision(recall: float, share: float, prior: float | None) -> float | None:
    return None if prior is None else float(rates.precision(recall, share, prior))


def _among_unlabelled(
    recall: float, share: float, prior: float | None, labelled: float, rows: int
) -> float | None:
    """Precision among the unlabelled rows selected: labelled ones are positive for sure.

    None where less than one such row is expected.
    """
    others = share - labelled * recall
    return None if prior is None or others * rows < 1 else (prior - labelled) * recall / others


def _with_prior(
    recall: float, share: float, prior: float | None, rows: int, cost: dict[str, float]
) -> dict[str, float | None]:
    names = ("precision", "f1", "cost", "total_cost", "missed", "false_alarms")
    if prior is None:
        return dict.fromkeys(names)
    a_row = float(rates.cost(recall, share, prior, **cost))
    found = prior * recall
    return {
        "precision": _precision(recall, share, prior),
        "f1": float(rates.f1(recall, share, prior)),
        "cost": a_row,
        "total_cost": a_row * rows,
        "missed": (prior - found) * rows,
        "false_alarms": (share - found) * rows,
    }


def cut_section(summary: dict[str, Any]) -> dict[str, Any]:
    """Return what the section of the cut shows."""
    curve, chosen = summary["curve"], summary["cut"]["index"]
    method = summary.get("method") or {}
    return {
        "chosen": chosen,
        "last": len(curve["threshold"]) - 1,
        "now": numbers_at(summary, chosen),
        "rule": rule_words(method.get("rule") or "")["name"] if method.get("rule") else "",
        "where": method.get("cut") or "",
        "source": curve.get("source") or "",
        "honest": curve.get("honest") is not False,
        "costs": costs(summary),
        "rules": _rules(summary),
        "table": [
            {"index": k, "chosen": k == chosen, **numbers_at(summary, k)} for k in _steps(summary)
        ],
    }


def for_script(summary: dict[str, Any]) -> dict[str, Any]:
    """Return the numbers that the slider needs: nothing else is in the page twice."""
    prior = summary["class_prior"]
    names = ("threshold", "recall", "share", "selected", "selected_unlabelled", "posterior")
    return {
        "rows": summary["table"]["rows"],
        "labelled": summary["label"]["labelled"],
        "prior": {name: finite(prior.get(name)) for name in ("estimate", "lower", "upper")},
        "costs": costs(summary),
        "chosen": summary["cut"]["index"],
        "curve": {name: [finite(value) for value in summary["curve"][name]] for name in names},
    }


def _rules(summary: dict[str, Any]) -> list[dict[str, Any]]:
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    rules = (summary.get("rules") or [])[: len(letters)]
    return [
        {
            "letter": letter,
            "index": rule["index"],
            **rule_words(str(rule.get("name") or "")),
            "numbers": numbers_at(summary, rule["index"]),
        }
        for letter, rule in zip(letters, rules, strict=False)
    ]


def _steps(summary: dict[str, Any]) -> list[int]:
    """Return about ten cuts, even in the number of rows, and the chosen one."""
    selected = summary["curve"]["selected"]
    first, last = selected[0], selected[-1]
    wanted = [first + (last - first) * k / _STEPS for k in range(_STEPS + 1)]
    places = range(len(selected))
    nearest = {min(places, key=lambda k: abs(selected[k] - target)) for target in wanted}
    return sorted(nearest | {summary["cut"]["index"]})
