"""What a claim of the paper is here: a quotation and numbers that must lie in a range."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from ._names import ONE_SETTING, SETTINGS

WITHOUT_SETTINGS = ("oracle", "naive", "enhanced")


@dataclass(frozen=True)
class Where:
    """The cells a number is taken over; the mean over them, repeat by repeat.

    Attributes
    ----------
    study : str
    datasets, mechanisms : tuple of str
        Empty: all that the records have.
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
    """One number and the range it must lie in for the claim to hold.

    Attributes
    ----------
    statistic : str
        Name of a function of `_statistics.py`.
    methods : tuple of str
        The first one is compared with the others.
    where : Where
    low, high : float
        The range, an open interval.
    measures : tuple of str
    every_cell : bool
        Whether no single cell may say the opposite ("consistently").
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
    quotation : str
        The paper's words; mark-up turned into text, nothing else changed.
    place : str
        Where in the paper.
    test : str
        How it is tested here, in words.
    parts : tuple of Part
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
        """The settings it is judged in: one where no competitor is involved."""
        methods = {method for part in self.parts for method in part.methods}
        return tuple(SETTINGS) if methods - set(WITHOUT_SETTINGS) else (ONE_SETTING,)
