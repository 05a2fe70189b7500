"""From a number with its standard error to a verdict."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

from scipy.special import stdtrit

from ._estimate import Estimate

HOLDS = "holds"
FAILS = "does not hold"
UNTOLD = "cannot be told"
VERDICTS = (HOLDS, FAILS, UNTOLD)


@dataclass(frozen=True)
class Verdict:
    """A verdict, and for an open one the repeats that would tell (None: not known)."""

    word: str
    repeats: int | None = None


@cache
def error_multiple(repeats: int) -> float:
    """How many standard errors decide: 2, or Student's 97.5 % point where repeats are few.

    Examples
    --------
    >>> error_multiple(200), round(error_multiple(5), 2)
    (2.0, 2.78)
    """
    return max(2.0, float(stdtrit(repeats - 1, 0.975)))


def judge(estimate: Estimate, low: float, high: float) -> Verdict:
    """Say whether a number lies in the open interval (low, high), beyond its error.

    Parameters
    ----------
    estimate : Estimate
    low, high : float

    Returns
    -------
    Verdict
        "holds" when the number is inside by its error (two standard errors), "does not hold"
        when it is outside by its error, else "cannot be told" with the number of repeats after
        which the error would be the distance to the nearest bound.
    """
    value, se = estimate.value, estimate.se
    if not (math.isfinite(value) and math.isfinite(se)):
        return Verdict(UNTOLD)
    error = error_multiple(estimate.repeats) * se
    if value - error > low and value + error < high:
        return Verdict(HOLDS)
    if value + error < low or value - error > high:
        return Verdict(FAILS)
    distance = min(abs(value - bound) for bound in (low, high))
    return Verdict(UNTOLD, _repeats_needed(estimate, distance))


def _repeats_needed(estimate: Estimate, distance: float) -> int | None:
    """Return the fewest repeats whose error would be the distance, the spread being the same."""
    if distance == 0:
        return None
    spread = estimate.se * math.sqrt(estimate.repeats)
    needed = max(estimate.repeats + 1, math.ceil((2 * spread / distance) ** 2 - 1e-6))
    while error_multiple(needed) * spread > distance * math.sqrt(needed) * (1 + 1e-9):
        needed += 1
    return needed


def combine(verdicts: list[Verdict], enough: int | None = None) -> Verdict:
    """Join the verdicts on parts: all of them, or `enough` of them, must hold.

    An open verdict carries the repeats after which every part that is still open would tell.
    """
    needed = len(verdicts) if enough is None else enough
    words = [verdict.word for verdict in verdicts]
    if words.count(HOLDS) >= needed:
        return Verdict(HOLDS)
    if len(words) - words.count(FAILS) < needed:
        return Verdict(FAILS)
    waiting = [verdict.repeats for verdict in verdicts if verdict.word == UNTOLD]
    if any(repeats is None for repeats in waiting):
        return Verdict(UNTOLD)
    return Verdict(UNTOLD, max(repeats for repeats in waiting if repeats is not None))
