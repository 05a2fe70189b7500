"""Which method is enough: the simplest one, if the data show that no more complex one is better."""

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

A simpler method is enough only if the data rule such a difference out.

F1_PU is proportional to precision times recall, and its difference is divided by the largest mean.
So 0.02 means one percent more precision and one percent more recall. A gain of 0.01 more finds one
more of 100 positives among as many rows. An AUC is a share of pairs of rows: 0.01 means that one
more of 100 pairs is in the right order.
"""

BETTER, WORSE, ALIKE, UNKNOWN = "clearly better", "clearly worse", "no clear difference", "unknown"

_DECISIONS, _RANKS = ("f1_pu", "gain"), "label_auc"
_AMOUNTS = {
    "f1_pu": "2% of F1_PU",
    "gain": "0.01 of the gain",
    "label_auc": "0.01 of the label AUC",
}


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

    @property
    def rules_out_better(self) -> bool:
        """Whether the method is not better by an amount that matters, two errors included."""
        most = self.difference + ERRORS_APART * self.error
        return bool(most <= WORTH_HAVING[self.measure])

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

    @property
    def is_no_better(self) -> bool:
        """Whether the data show that the method is not better by an amount that matters.

        It is clearly worse, or `Difference.rules_out_better` holds for its decisions, by F1_PU or
        by gain, and for its ranks, by the label AUC where there is one.
        """
        if self.outcome in (WORSE, BETTER, UNKNOWN):
            return self.outcome == WORSE
        return bool(self.shown_by) and all(one.rules_out_better for one in self.by if _is_rank(one))

    @property
    def shown_by(self) -> tuple[Difference, ...]:
        """The differences that show it: one of the decisions, then the one of the ranks."""
        decisions = [one for one in self.by if one.measure in _DECISIONS and one.rules_out_better]
        return (*decisions[:1], *filter(_is_rank, self.by)) if decisions else ()

    def __str__(self) -> str:
        # The gain of methods that are alike is told only where it contradicts F1_PU.
        told = [one for one in self.by if one.measure != "gain" or one.only_cut] or self.by
        return "; ".join(map(str, told))


def _is_rank(one: Difference) -> bool:
    return one.measure == _RANKS


@dataclass(frozen=True)
class Verdict:
    """Which of several methods, ordered from simple to complex, is enough; prints as a sentence.

    Attributes
    ----------
    order : tuple of str
        The methods, the simplest first.
    enough : str or None
        The simplest method that no more complex one clearly beats, if the data also show that none
        is better by an amount that matters. None if they do not, or if fewer than two methods
        could be compared.
    steps : tuple
        Each method compared with the one before it: `method`, `than`, `outcome` ("clearly better",
        "clearly worse", "no clear difference" or "unknown"), and `by`, the differences.
    sentence : str
        The verdict in words, with the differences that it rests on and their standard errors.
    not_beaten : str or None
        The simplest method that no more complex one clearly beats, whether or not the data could
        show a difference. None if fewer than two methods could be compared.
    """

    order: tuple[str, ...]
    enough: str | None
    steps: tuple[Step, ...]
    sentence: str
    not_beaten: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict as a JSON-serializable dict.

        Returns
        -------
        found : dict
            "order", "enough", "not_beaten", "steps" and "sentence".
        """
        return {
            "order": list(self.order),
            "enough": self.enough,
            "not_beaten": self.not_beaten,
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
    """Find the simplest method that no more complex one clearly beats, and say if it is enough."""
    pairs = [(method, other) for method in order for other in order if method != other]
    steps = {pair: _step(*pair, differences) for pair in pairs}
    known = {name for pair, step in steps.items() if step.outcome != UNKNOWN for name in pair}
    usable = tuple(name for name in order if name in known)
    between = tuple(steps[after, before] for before, after in pairwise(order))
    if not usable:
        sentence = f"No verdict: fewer than two of {', '.join(order)} have numbers to compare."
        return Verdict(order, None, between, sentence)
    index = next(k for k in range(len(usable)) if not _winners(k, usable, steps))
    simplest = usable[index]
    above = [steps[method, simplest] for method in usable[index + 1 :]]
    open_ = [step for step in above if not step.is_no_better]
    reason = _winner(index, usable, steps) if index else ""
    if open_:
        return Verdict(order, None, between, _not_told_apart(simplest, open_, reason), simplest)
    sentence = _enough(usable, simplest, above, reason)
    return Verdict(order, simplest, between, sentence, simplest)


def _step(method: str, than: str, differences: Differences) -> Step:
    by_measure = tuple(differences(method, than))
    for difference in by_measure:
        if difference.outcome in (BETTER, WORSE):
            return Step(method, than, difference.outcome, (difference,))
    alike = tuple(difference for difference in by_measure if difference.outcome == ALIKE)
    return Step(method, than, ALIKE if alike else UNKNOWN, alike)


def _winners(index: int, usable: tuple[str, ...], steps: Steps) -> list[str]:
    """Return the more complex methods that clearly beat one."""
    return [
        method for method in usable[index + 1 :] if steps[method, usable[index]].outcome == BETTER
    ]


def _enough(usable: tuple[str, ...], simplest: str, above: list[Step], reason: str) -> str:
    """Say that a method is enough, or the last one worth having, of the methods compared."""
    verdict = "is enough" if above else "is worth having"
    reasons = [*([_no_better(above)] if above else []), *([reason] if reason else [])]
    return f"Of {_listed(usable)}, {simplest} {verdict}: {', and '.join(reasons)}."


def _no_better(above: list[Step]) -> str:
    """Say what shows that no more complex method is better."""
    best, several = _best(above), len(above) > 1
    if best.outcome == WORSE:
        name = f"the best, {best.method}: " if several else ""
        every = "every more complex method" if several else best.method
        return f"{every} is clearly worse ({name}{best})"
    shown = best.shown_by
    most = " or ".join(_AMOUNTS[difference.measure] for difference in shown)
    listed = "; ".join(map(str, shown))
    name = f"the best of the more complex methods, {best.method}," if several else best.method
    return f"{name} is not better by more than {most}, two standard errors included ({listed})"


def _not_told_apart(simplest: str, open_: list[Step], reason: str) -> str:
    """Say from which more complex methods the data cannot tell the simplest one apart."""
    others = _listed([step.method for step in open_])
    known = [step for step in open_ if step.outcome != UNKNOWN]
    if known:
        best = _best(known)
        name = f"the best, {best.method}: " if len(open_) > 1 else ""
        numbers = f"{name}{best}"
    else:
        numbers = "on too few splits do both have numbers"
    more = f", and {reason}" if reason else ""
    return (
        f"{simplest} cannot be told apart from {others} ({numbers}){more}. "
        "More labeled rows or more splits may tell which is better."
    )


def _best(steps: list[Step]) -> Step:
    """Return the best method; the label AUC, the last measure, orders those that are not worse."""
    return max(steps, key=lambda step: (step.outcome == ALIKE, step.by[-1].difference))


def _winner(index: int, usable: tuple[str, ...], steps: Steps) -> str:
    """Say who clearly beats the next simpler method."""
    enough, below = usable[index], usable[index - 1]
    winners = _winners(index - 1, usable, steps)
    if enough in winners:
        return f"{below} is clearly worse ({steps[below, enough]})"
    return f"{winners[0]} is clearly better than {below} ({steps[winners[0], below]})"


def _listed(names: Sequence[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last
