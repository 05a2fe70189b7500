"""Which method is enough: the simplest one that no more complex one clearly beats."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np

ERRORS_APART = 2
"""A difference of at most this many standard errors is not clear."""

WORTH_HAVING = {"f1_pu": 0.02, "gain": 0.01, "label_auc": 0.01}
"""Smallest difference that is worth a more complex method, whatever its standard error.

F1_PU is proportional to precision times recall, and its difference is divided by the largest mean.
So 0.02 means one percent more precision and one percent more recall. A gain of 0.01 more finds one
more of 100 positives among as many rows. An AUC is a share of pairs of rows: 0.01 means that one
more of 100 pairs is in the right order.
"""

BETTER, WORSE, ALIKE, UNKNOWN = "clearly better", "clearly worse", "no clear difference", "unknown"


@dataclass(frozen=True)
class Difference:
    """A measure of one method minus that of another, paired over splits.

    Attributes
    ----------
    measure : str
        "f1_pu", as a fraction of the largest mean F1_PU, "gain" or "label_auc".
    difference, error : float
        The mean difference and its standard error; NaN if there is none.
    only_cut : bool
        Whether F1_PU and gain differ in opposite directions. One score with two cuts can do that,
        so such a difference is never clear.
    """

    measure: str
    difference: float
    error: float
    only_cut: bool = False

    @property
    def outcome(self) -> str:
        """Whether it is beyond its error and large enough to matter."""
        if not np.isfinite([self.difference, self.error]).all():
            return UNKNOWN
        needed = max(ERRORS_APART * self.error, WORTH_HAVING[self.measure])
        if self.only_cut or abs(self.difference) <= needed:
            return ALIKE
        return BETTER if self.difference > 0 else WORSE

    def __str__(self) -> str:
        size, way = abs(self.difference), "higher" if self.difference > 0 else "lower"
        if self.measure == "f1_pu":
            return f"F1_PU {size:.1%} {way}, standard error {self.error:.1%}"
        title = self.measure.replace("label_auc", "label AUC")
        return f"{title} {size:.3f} {way}, standard error {self.error:.3f}"


@dataclass(frozen=True)
class Step:
    """How a method compares with a simpler one.

    Attributes
    ----------
    method, than : str
        The method, and the simpler one.
    outcome : str
        "clearly better", "clearly worse", "no clear difference" or "unknown".
    by : tuple of Difference
        The difference that is clear; if none is, all that are known.
    """

    method: str
    than: str
    outcome: str
    by: tuple[Difference, ...]

    def __str__(self) -> str:
        # The gain of methods that are alike is told only where it contradicts F1_PU.
        told = [one for one in self.by if one.measure != "gain" or one.only_cut] or self.by
        return "; ".join(map(str, told))


@dataclass(frozen=True)
class Verdict:
    """Which of several methods, ordered from simple to complex, is enough; prints as a sentence.

    Attributes
    ----------
    order : tuple of str
        The methods, the simplest first.
    enough : str or None
        The simplest method that no more complex one clearly beats; None if fewer than two methods
        could be compared.
    steps : tuple of Step
        Each method compared with the one before it.
    sentence : str
        The verdict in words, with the differences that it rests on and their standard errors.
    """

    order: tuple[str, ...]
    enough: str | None
    steps: tuple[Step, ...]
    sentence: str

    def record(self) -> dict[str, Any]:
        """Return the verdict as a JSON-serialisable dict.

        Returns
        -------
        record : dict
            "order", "enough", "steps" and "sentence".
        """
        return {
            "order": list(self.order),
            "enough": self.enough,
            "steps": [
                {
                    "method": step.method,
                    "than": step.than,
                    "outcome": step.outcome,
                    "by": [asdict(one) for one in step.by],
                }
                for step in self.steps
            ],
            "sentence": self.sentence,
        }

    def __str__(self) -> str:
        return self.sentence


Differences = Callable[[str, str], Sequence[Difference]]
"""The differences between two methods, by each measure; the first that is clear decides."""

Steps = dict[tuple[str, str], Step]


def verdict_of(order: tuple[str, ...], differences: Differences) -> Verdict:
    """Find the simplest method that no more complex one clearly beats."""
    pairs = [(one, other) for one in order for other in order if one != other]
    steps = {pair: _step(*pair, differences) for pair in pairs}
    known = {name for pair, step in steps.items() if step.outcome != UNKNOWN for name in pair}
    usable = tuple(name for name in order if name in known)
    between = tuple(steps[after, before] for before, after in pairwise(order))
    if not usable:
        sentence = f"No verdict: fewer than two of {', '.join(order)} have numbers to compare."
        return Verdict(order, None, between, sentence)
    place = next(k for k in range(len(usable)) if not _winners(k, usable, steps))
    return Verdict(order, usable[place], between, _sentence(place, usable, steps))


def _step(method: str, than: str, differences: Differences) -> Step:
    found = tuple(differences(method, than))
    for one in found:
        if one.outcome in (BETTER, WORSE):
            return Step(method, than, one.outcome, (one,))
    alike = tuple(one for one in found if one.outcome == ALIKE)
    return Step(method, than, ALIKE if alike else UNKNOWN, alike)


def _winners(place: int, usable: tuple[str, ...], steps: Steps) -> list[str]:
    """Return the more complex methods that clearly beat one."""
    return [one for one in usable[place + 1 :] if steps[one, usable[place]].outcome == BETTER]


def _sentence(place: int, usable: tuple[str, ...], steps: Steps) -> str:
    is_last = place + 1 == len(usable)
    reasons = [] if is_last else [_no_clear_winner(usable[place], usable[place + 1 :], steps)]
    reasons += [_winner(place, usable, steps)] if place else []
    verdict = "is worth having" if is_last else "is enough"
    return f"{usable[place]} {verdict}: {', and '.join(reasons)}."


def _no_clear_winner(enough: str, above: tuple[str, ...], steps: Steps) -> str:
    """Say that the best of the more complex methods is not clearly better."""
    known = [step for one in above if (step := steps[one, enough]).outcome != UNKNOWN]
    if not known:
        return f"{', '.join(above)} could not be compared with it"
    # Methods that are clearly worse come last; the last measure, the label AUC, orders the others.
    best = max(known, key=lambda step: (step.outcome == ALIKE, step.by[-1].difference))
    if len(above) > 1:
        return f"no more complex method is clearly better (the best, {best.method}: {best})"
    words = "is not clearly better" if best.outcome == ALIKE else "is clearly worse"
    return f"{best.method} {words} ({best})"


def _winner(place: int, usable: tuple[str, ...], steps: Steps) -> str:
    """Say who clearly beats the next simpler method."""
    enough, below = usable[place], usable[place - 1]
    winners = _winners(place - 1, usable, steps)
    if enough in winners:
        return f"{below} is clearly worse ({steps[below, enough]})"
    return f"{winners[0]} is clearly better than {below} ({steps[winners[0], below]})"
