"""The sentences of the page that hold numbers, and how it writes numbers."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from reproduction.outcome import number

from .measure import GIVEN, METHODS, OURS
from .summary import LIMIT, Summary


def headlines(ours: list[Summary]) -> list[str]:
    """Return sentences: on how many sets the mean posterior is right, and where it is not."""
    off = [one for one in ours if not one.is_within]
    words = [
        f"On {len(ours) - len(off)} of {len(ours)} sets the mean difference is at most "
        f"{number(LIMIT, 2)}."
    ]
    if off:
        words.append(f"It is larger on {_named(off)}.")
    unsure = [one for one in ours if one.is_within and abs(one.difference) + 2 * one.se > LIMIT]
    if unsure:
        words.append(
            f"On {_named(unsure)} it is below the limit by less than two standard errors, so other "
            "draws may exceed it."
        )
    noisy = [one for one in ours if one.rms > LIMIT]
    if noisy:
        listed = _listed(f"{one.name} ({number(one.rms)})" for one in noisy)
        words.append(
            "These are means over draws. The error of a single draw, like yours, is given by the "
            f"root mean square, which is above {number(LIMIT, 2)} on {listed}."
        )
    return words


def reason(one: Summary) -> str:
    """Return what the labels leave open on a set, and the last bin."""
    top, priors = one.bins.iloc[-1], one.priors
    if priors is None:
        raise ValueError("reasons are given for PULogistic only")
    return (
        f"*{one.name}*: α is {number(one.class_prior, 2)}, and the labels leave priors from "
        f"{number(priors.low, 2)} to {number(priors.high, 2)} open. The error of the likeliest "
        f"is {signed(priors.likeliest - one.class_prior, 2)}, that of their average, which is "
        f"taken, {signed(priors.taken - one.class_prior, 2)}, and that of the mean posterior "
        f"{signed(one.difference, 2)}. In the last bin the mean posterior is "
        f"{number(top['predicted'], 2)} and the share of positives {number(top['observed'], 2)}."
    )


def missed(ours: list[Summary]) -> str:
    """Name the sets on which the range of priors misses the true one in most repeats."""
    sets = [one for one in ours if 2 * one.n_held < one.repeats]
    if not sets:
        return "Here the range contains α in at least half of the draws of every set."
    return (
        f"Here that happens in more than half of the draws of {_listed(one.name for one in sets)}: "
        "the model is slightly wrong, and there are enough rows to show it."
    )


def error_sentence(ours: list[Summary]) -> str:
    """Return the smallest and the largest calibration error."""
    ordered = sorted(ours, key=lambda one: one.ece)
    if len(ordered) == 1:
        return f"The calibration error on {ordered[0].name} is {number(ordered[0].ece)}."
    low, high = ordered[0], ordered[-1]
    return (
        f"The calibration error is smallest on {low.name} ({number(low.ece)}) and largest on "
        f"{high.name} ({number(high.ece)})."
    )


def comparison(summaries: list[Summary]) -> str:
    """List on how many sets each method is within the limit, and its mean calibration error."""
    parts = []
    for method in METHODS:
        own = [one for one in summaries if one.method == method]
        within, ece = sum(one.is_within for one in own), np.mean([one.ece for one in own])
        parts.append(f"- *{method}*: {within} of {len(own)} sets, {number(ece)}")
    return "\n".join(parts)


def beaten(summaries: list[Summary]) -> str:
    """Name the sets on which PULogistic clearly has the larger calibration error, by rival."""
    parts = []
    for method in METHODS:
        rivals = [one for one in summaries if one.method == method]
        worse = [one.name for one in rivals if one.lead > 2 * one.lead_se]
        if method not in (OURS, GIVEN):
            parts.append(f"that of {method} on {_listed(worse) if worse else 'no set'}")
    return (
        "By more than two standard errors of the paired difference, the calibration error of "
        f"{OURS} is above {'; above '.join(parts)}."
    )


def _named(sets: list[Summary]) -> str:
    return _listed(f"{one.name} ({signed(one.difference)})" for one in sets)


def _listed(words: Iterable[str]) -> str:
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def signed(value: float, digits: int = 3) -> str:
    """Write a difference; no minus if it rounds to 0."""
    return number(round(value, digits) + 0.0, digits, signed=True)


def thousands(count: int) -> str:
    """Write a count; from five digits on a space separates the thousands."""
    return f"{count:,}".replace(",", " ") if count >= 10_000 else str(count)
