"""Claims: a quotation, and quantities that must lie in given ranges.

Each function at the end makes one part of a claim. The paper gives no numbers for its adjectives,
so the margins are ours. "On par" is a difference of less than .01, the bound that the paper puts
on its standard errors; "marginally" one of less than .02; angles "coincide" within one degree.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from ._records import ONE_SETTING, SETTINGS

WITHOUT_SETTINGS = ("oracle", "naive", "enhanced")
ON_PAR = 0.01
MARGINAL = 0.02
COINCIDE = 1.0  # degrees


@dataclass(frozen=True)
class Where:
    """The cells over which a number is averaged, repeat by repeat.

    Attributes
    ----------
    study : str
        Name of the study.
    datasets, mechanisms : tuple of str
        Empty for all in the records.
    c, n : tuple of float
        Lowest and highest label frequency and size, both included.
    """

    study: str
    datasets: tuple[str, ...] = ()
    mechanisms: tuple[str, ...] = ()
    c: tuple[float, float] = (0.0, 1.0)
    n: tuple[float, float] = (0.0, math.inf)


@dataclass(frozen=True)
class Part:
    """One number, and the range in which the claim holds.

    Attributes
    ----------
    statistic : str
        Name of a function in `_statistics.py`.
    methods : tuple of str
        The first is compared with the others.
    where : Where
        The cells.
    low, high : float
        The range, an open interval.
    measures : tuple of str
        Columns of the records.
    every_cell : bool
        Whether the claim fails if a single cell shows the opposite ("consistently").
    """

    statistic: str
    methods: tuple[str, ...]
    where: Where
    low: float = -math.inf
    high: float = math.inf
    measures: tuple[str, ...] = ("f1",)
    every_cell: bool = False


@dataclass(frozen=True)
class Claim:
    """A claim of the paper.

    Attributes
    ----------
    id : str
        Short name of the claim.
    quotation : str
        The paper's words, with mark-up turned into text.
    place : str
        Where in the paper.
    test : str
        How we test it, in words.
    parts : tuple of Part
        The numbers that the claim is about.
    enough : int or None
        How many parts must hold; None for all.
    """

    id: str
    quotation: str
    place: str
    test: str
    parts: tuple[Part, ...] = field(repr=False)
    enough: int | None = None

    @property
    def settings(self) -> tuple[str, ...]:
        """The settings in which it is judged: only one if it involves no competitor."""
        methods = {method for part in self.parts for method in part.methods}
        return tuple(SETTINGS) if methods - set(WITHOUT_SETTINGS) else (ONE_SETTING,)


def greater(
    first: str,
    second: str | tuple[str, ...],
    where: Where,
    measure: str = "f1",
    by: float = 0.0,
    every_cell: bool = False,
) -> Part:
    """The first method's mean exceeds the second's (the best of several) by more than `by`."""
    others = (second,) if isinstance(second, str) else second
    return Part("difference", (first, *others), where, by, math.inf, (measure,), every_cell)


def on_par(
    first: str, second: str, where: Where, measure: str = "f1", margin: float = ON_PAR
) -> Part:
    """The two means differ by less than the margin."""
    return Part("difference", (first, second), where, -margin, margin, (measure,))


def marginally_worse(first: str, second: str, where: Where, measure: str = "f1") -> Part:
    """The first method's mean is below the second's, by less than the margin."""
    return Part("difference", (first, second), where, -MARGINAL, 0.0, (measure,))


def no_worse(first: str, second: str | tuple[str, ...], where: Where, measure: str = "f1") -> Part:
    """The first method is better than the second (the best of several) or on par."""
    return greater(first, second, where, measure, by=-ON_PAR)


def small(method: str, bound: float, where: Where, measure: str = "f1") -> Part:
    """The method's mean is below the bound."""
    return Part("mean", (method,), where, high=bound, measures=(measure,))


def trend(
    methods: tuple[str, ...], along: str, rising: bool, where: Where, measure: str = "f1"
) -> Part:
    """The mean (or the difference of two) rises or falls with c or n."""
    low, high = (0.0, math.inf) if rising else (-math.inf, 0.0)
    return Part(f"slope_{along}", methods, where, low, high, (measure,))


def se_bound(
    statistic: str,
    methods: tuple[str, ...],
    where: Where,
    measure: str,
    low: float = -math.inf,
    high: float = math.inf,
) -> Part:
    """The median or largest standard error of cells, at 200 repeats, lies in a range."""
    return Part(f"se_{statistic}", methods, where, low, high, (measure,))


def ratio(
    first: str, second: str | tuple[str, ...], where: Where, low: float, high: float = math.inf
) -> Part:
    """The first method's mean training time over the longest of the others' lies in a range."""
    others = (second,) if isinstance(second, str) else second
    return Part("ratio", (first, *others), where, low, high, ("fit_seconds",))


def similar(methods: tuple[str, ...], where: Where, correlation: float) -> Part:
    """The first method's advantages in F1 and in balanced accuracy are correlated.

    There is one advantage over each competitor on each data set.
    """
    measures = ("f1", "balanced_accuracy")
    return Part("agreement", methods, where, low=correlation, measures=measures)
