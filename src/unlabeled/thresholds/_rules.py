"""Rules: what a cut is chosen for, as functions of recall, share and class prior."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from numbers import Real
from typing import Any

import numpy as np

from ..engine.parameters import check_fraction, check_positive
from ..engine.rows import Array
from . import _criteria as criteria

_RATIOS = ("f1_pu", "f1", "mcc")
_LEAST_LABELLED = 5

Criterion = Callable[[Array, Array, float | None], Array]


@dataclass(frozen=True)
class Rule:
    """A criterion to be maximised over the cuts of a score.

    A rule of your own takes a few lines: a name, whether it needs the class
    prior, a function of recall, share and prior at every cut, and in words
    where in the population it cuts. Rules of the same name are equal. A rule
    can be pickled if its functions can: write them with ``def``.

    Attributes
    ----------
    name : str
        What it maximises.
    needs_class_prior : bool
        Whether the best cut depends on P(Y=1).
    criterion : callable
        From arrays of recall r and share q, and the class prior (None if it
        is not needed), to the values to be maximised; -inf where a cut is
        not allowed.
    cuts_at : str
        The posterior at the cut, in the population.
    exact : callable, optional
        From integer (labelled, total) to a number in the same order, to
        decide near ties without rounding.
    least_labelled : int
        How many labelled rows must lie above a cut for it to be allowed.

    Examples
    --------
    >>> from unlabeled.thresholds import Rule, get_rule
    >>> youden = Rule("youden", False, lambda r, q, prior: r - q, "the class prior")
    >>> get_rule(youden).name
    'youden'
    """

    name: str
    needs_class_prior: bool = field(repr=False)
    criterion: Criterion = field(compare=False, repr=False)
    cuts_at: str = field(repr=False)
    exact: Callable[[int, int], Fraction] | None = field(default=None, compare=False, repr=False)
    least_labelled: int = field(default=1, repr=False)


def f1_pu() -> Rule:
    """Recall squared over the share predicted positive: the paper's F1_PU.

    Returns
    -------
    rule : Rule
    """
    return Rule(
        "f1_pu",
        False,
        criteria.f1_pu,
        "half the precision of the rule",
        exact=criteria.exact_f1_pu,
    )


def balanced_accuracy() -> Rule:
    """Mean of sensitivity and specificity; its best cut maximises r - q and needs no prior.

    Returns
    -------
    rule : Rule
    """
    return Rule("balanced_accuracy", False, criteria.recall_above_share, "the class prior")


def mcc() -> Rule:
    """Matthews correlation; its best cut maximises (r - q) / sqrt(q (1 - q)).

    Returns
    -------
    rule : Rule
    """
    cuts_at = "the mean of the precision and of the share of positives below the cut"
    return Rule("mcc", False, criteria.mcc, cuts_at)


def f1() -> Rule:
    """Harmonic mean of precision and recall.

    Returns
    -------
    rule : Rule
    """
    return Rule("f1", True, partial(criteria.fbeta, beta=1.0), "half the best F1")


def fbeta(beta: float) -> Rule:
    """Weighted harmonic mean of precision and recall.

    Parameters
    ----------
    beta : float
        How many times as much recall weighs as precision.

    Returns
    -------
    rule : Rule
    """
    _positive("beta", beta)
    criterion = partial(criteria.fbeta, beta=beta)
    cuts_at = "the best value over 1 + beta squared"
    return Rule(f"fbeta({_written(beta)})", True, criterion, cuts_at)


def accuracy() -> Rule:
    """Share of right predictions.

    Returns
    -------
    rule : Rule
    """
    return Rule("accuracy", True, criteria.accuracy, "1/2")


def cost(miss: float = 1.0, false_alarm: float = 1.0) -> Rule:
    """Minus the mean cost of a row.

    Parameters
    ----------
    miss : float, default=1.0
        Cost of a positive that is not predicted.
    false_alarm : float, default=1.0
        Cost of a negative that is.

    Returns
    -------
    rule : Rule
    """
    _positive("miss", miss)
    _positive("false_alarm", false_alarm)
    return Rule(
        f"cost({_written(miss)}, {_written(false_alarm)})",
        True,
        partial(criteria.minus_cost, miss=miss, false_alarm=false_alarm),
        f"{false_alarm / (false_alarm + miss):g}, the cost of a false alarm over both costs",
    )


def recall_at_least(recall: float) -> Rule:
    """Fewest predicted positive among the cuts with at least this recall.

    Parameters
    ----------
    recall : float
        In (0, 1].

    Returns
    -------
    rule : Rule
    """
    check_fraction("recall", recall)
    criterion = partial(criteria.fewest_with_recall, recall=recall)
    name = f"recall_at_least({_written(recall)})"
    return Rule(name, False, criterion, "wherever the recall is reached")


def precision_at_least(precision: float) -> Rule:
    """Most predicted positive among the cuts with at least this precision.

    Parameters
    ----------
    precision : float
        In (0, 1].

    Returns
    -------
    rule : Rule
    """
    check_fraction("precision", precision)
    criterion = partial(criteria.most_with_precision, precision=precision)
    name = f"precision_at_least({_written(precision)})"
    return Rule(name, True, criterion, "wherever the precision is reached")


def share(share: float) -> Rule:
    """As near as can be to this share predicted positive.

    Parameters
    ----------
    share : float
        In (0, 1].

    Returns
    -------
    rule : Rule
    """
    check_fraction("share", share)
    criterion = partial(criteria.near_share, share=share)
    return Rule(f"share({_written(share)})", False, criterion, "wherever the share is")


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

    Parameters
    ----------
    rule : str or Rule
        A name in `RULES`, or the call of a rule with numbers as text.

    Returns
    -------
    rule : Rule

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
    call = f" Call it: {rule.__name__}(...)." if _makes_a_rule(rule) else ""
    raise ValueError(
        f"`rule` must be one of {names}, or a rule with numbers such as 'recall_at_least(0.9)', "
        f"'precision_at_least(0.8)', 'share(0.1)', 'fbeta(2)' or 'cost(5, 1)' (of a miss and a "
        f"false alarm); got {rule!r}.{call}"
    )


def _makes_a_rule(rule: Any) -> bool:
    return rule in (*RULES.values(), *(make for make, _ in _WITH_NUMBERS.values()))


def _numbers(text: str) -> list[float] | None:
    try:
        return [float(number) for number in text.split(",")]
    except ValueError:
        return None


def with_enough_labelled(rule: Rule, n_labelled: float) -> Rule:
    """Return the rule, for ratios with five labelled rows above the cut, or half of them.

    A ratio such as recall over share may be won by one labelled row on top.
    """
    if rule.name not in _RATIOS:
        return rule
    enough = min(_LEAST_LABELLED, int(n_labelled) // 2)
    return replace(rule, least_labelled=max(rule.least_labelled, enough))


def _positive(name: str, value: float) -> None:
    check_positive(name, value, Real, "a positive number")
    if np.isinf(value):
        raise ValueError(f"`{name}` must be a finite number; got {value!r}.")


def _written(number: float) -> str:
    """Write a number shortly, and so that reading it gives the same number."""
    short = f"{number:g}"
    return short if float(short) == number else repr(float(number))
