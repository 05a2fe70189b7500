"""Rules by name, as text."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ._rules import (
    Rule,
    accuracy,
    balanced_accuracy,
    cost,
    f1,
    f1_pu,
    fbeta,
    mcc,
    precision_at_least,
    recall_at_least,
    share,
)

RULES: dict[str, Callable[[], Rule]] = {
    "f1_pu": f1_pu,
    "balanced_accuracy": balanced_accuracy,
    "mcc": mcc,
    "f1": f1,
    "accuracy": accuracy,
    "cost": cost,
}
"""Rules that can be given by name; the others take a number."""

_WITH_NUMBERS: dict[str, tuple[Callable[..., Rule], int]] = {
    "fbeta": (fbeta, 1),
    "cost": (cost, 2),
    "recall_at_least": (recall_at_least, 1),
    "precision_at_least": (precision_at_least, 1),
    "share": (share, 1),
}
"""Rules that take so many numbers, and can be given as text: ``"recall_at_least(0.9)"``."""

_CALL = re.compile(r"\s*([a-z0-9_]+)\s*\(([^()]*)\)\s*")


def get_rule(rule: Any) -> Rule:
    """Return the rule itself, or the one of this name, such as "f1" or "recall_at_least(0.9)".

    Examples
    --------
    >>> from unlabeled.thresholds import get_rule
    >>> get_rule("cost(5, 1)").cuts_at
    '0.166667, the cost of a false alarm over both costs'
    """
    if isinstance(rule, Rule):
        return rule
    if isinstance(rule, str):
        if rule in RULES:
            return RULES[rule]()
        called = _CALL.fullmatch(rule)
        numbers = _numbers(called[2]) if called else None
        if called and numbers is not None and called[1] in _WITH_NUMBERS:
            make, n_numbers = _WITH_NUMBERS[called[1]]
            if len(numbers) == n_numbers:
                return make(*numbers)
    names = ", ".join(repr(name) for name in RULES)
    raise ValueError(
        f"`rule` must be one of {names}, or a rule with numbers such as 'recall_at_least(0.9)', "
        f"'precision_at_least(0.8)', 'share(0.1)', 'fbeta(2)' or 'cost(5, 1)' (of a miss and a "
        f"false alarm); got {rule!r}."
    )


def _numbers(text: str) -> list[float] | None:
    try:
        return [float(number) for number in text.split(",")]
    except ValueError:
        return None
