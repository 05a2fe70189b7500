"""Numbers, parts of claims and verdicts as text."""

from __future__ import annotations

import math

import pandas as pd

from ._claim_types import Part
from ._judge import UNDECIDED, Verdict
from ._records import COMPARED, DISCUSSED, MECHANISMS, METHODS, SYNTHETIC
from ._statistics import Estimate

ABSENT = "–"
MANY_REPEATS = 100_000

_MEASURES = {"f1": "F1", "balanced_accuracy": "BA", "angle": "angle", "fit_seconds": "time"}
_SLOPES = {"slope_c": ", per .1 of c", "slope_n": ", per doubling of n"}
_FOR_SE = {"se_median": "median standard error", "se_largest": "largest standard error"}


def number(value: float, digits: int = 3, signed: bool = False) -> str:
    """Write a number without a zero before the decimal point.

    Examples
    --------
    >>> number(0.8124), number(-0.5, 2), number(0.02, 2, signed=True), number(float("nan"))
    ('.812', '−.50', '+.02', '–')
    """
    if not math.isfinite(value):
        return ABSENT
    text = f"{value:{'+' if signed else ''}.{digits}f}"
    sign = text[0] if text[0] in "+-" else ""
    size = text[len(sign) :]
    return sign.replace("-", "−") + (size[1:] if size.startswith("0.") else size)


def with_error(mean: float, se: float, digits: int = 3) -> str:
    """Write a mean with its standard error in brackets."""
    if not math.isfinite(mean):
        return ABSENT
    return f"{number(mean, digits)} ({number(se, digits)})"


def measured(part: Part, estimate: Estimate) -> str:
    """Write what was measured for a part of a claim, with its standard error and unit."""
    unit, digits = _unit(part, estimate)
    signed = part.statistic == "difference" or part.statistic.startswith("slope")
    value = number(estimate.value, digits, signed)
    return value if value == ABSENT else f"{value}{unit} (se {number(estimate.se, digits)})"


def _unit(part: Part, estimate: Estimate) -> tuple[str, int]:
    if part.statistic == "ratio":
        return " ×", 2 if estimate.value < 10 else 1
    if part.statistic in _FOR_SE:
        return "", 4
    if part.measures == ("angle",):
        return "°", 2
    return "", 3


def wanted(part: Part) -> str:
    """Write the range in which a part of a claim holds."""
    low, high = (_bound(part, bound) for bound in (part.low, part.high))
    if math.isinf(part.high):
        return f"above {low}"
    if math.isinf(part.low):
        return f"below {high}"
    return f"between {low} and {high}"


def _bound(part: Part, bound: float) -> str:
    text = f"{bound:g}".replace("-", "−").replace("0.", ".")
    return text + ("°" if part.measures == ("angle",) else "")


def subject(part: Part, cells: pd.DataFrame) -> str:
    """Write what a part of a claim measures, and where."""
    measure = " and ".join(_MEASURES.get(name, name) for name in part.measures)
    if part.statistic in _FOR_SE:
        methods = "all methods" if part.methods == COMPARED else _listed(part.methods)
        what = f"{_FOR_SE[part.statistic]} of {measure}, {methods}"
    elif part.statistic == "agreement":
        what = f"correlation of {measure}"
    else:
        what = f"{_compared(part)}, {measure}{_SLOPES.get(part.statistic, '')}"
    return f"{what}: {_place(part, cells)}"


def _compared(part: Part) -> str:
    first, others = METHODS.get(part.methods[0], part.methods[0]), part.methods[1:]
    if not others:
        return first
    sign = "/" if part.statistic == "ratio" else "−"
    extreme = "slowest" if part.statistic == "ratio" else "best"
    return f"{first} {sign} {f'{extreme} of ' if len(others) > 1 else ''}{_listed(others)}"


def _listed(methods: tuple[str, ...]) -> str:
    return ", ".join(METHODS.get(method, method) for method in methods)


def _place(part: Part, cells: pd.DataFrame) -> str:
    sets = part.where.datasets
    names = "the six sets" if sets == DISCUSSED else ", ".join(sets) or "all sets"
    words = [names.replace(SYNTHETIC, "synthetic")]
    words += [MECHANISMS.get(name, name) for name in part.where.mechanisms]
    for name in ("n", "c"):
        if len(cells) and (name == "c" or part.where.study == "synthetic"):
            words.append(f"{name} = {_span(cells[name])}")
    return ", ".join(words)


def _span(values: pd.Series) -> str:
    ends = [f"{value:g}".replace("0.", ".") for value in sorted({values.min(), values.max()})]
    return "–".join(ends)


def verdict_text(verdict: Verdict) -> str:
    """Write a verdict, with the repeats that would decide an undecided one."""
    needed = repeats_needed(verdict)
    return f"{verdict.word} ({needed})" if needed else verdict.word


def repeats_needed(verdict: Verdict) -> str:
    """Write how many repeats would decide an undecided verdict; empty if that is not known."""
    if verdict.word != UNDECIDED or verdict.repeats is None:
        return ""
    if verdict.repeats > MANY_REPEATS:
        return f"needs more than {MANY_REPEATS:,} repeats"
    return f"needs about {_rounded_up(verdict.repeats):,} repeats"


def _rounded_up(count: int) -> int:
    step = 10 ** max(len(str(count)) - 2, 0)
    return -(-count // step) * step
