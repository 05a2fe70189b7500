"""Verdicts on the claims in each setting: holds, does not hold, or undecided."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from ._claim_types import Claim, Part
from ._claims import CLAIMS
from ._statistics import STATISTICS, Block, Estimate, gather, jackknife

HOLDS = "holds"
FAILS = "does not hold"
UNDECIDED = "cannot be told"
VERDICTS = (HOLDS, FAILS, UNDECIDED)

OPPOSED = 3.0
"""Standard errors by which one cell must oppose a claim of "consistently" to refute it.

With a limit of two standard errors, a claim about twenty cells without any true difference would
be refuted by chance in about 40 % of runs.
"""


@dataclass(frozen=True)
class Verdict:
    """A verdict. If it is undecided, `repeats` would probably decide it; None if unknown."""

    word: str
    repeats: int | None = None


@dataclass(frozen=True)
class Finding:
    """The result for one part of a claim."""

    part: Part
    estimate: Estimate
    verdict: Verdict
    cells: pd.DataFrame
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Judgment:
    """The result for a claim in one setting."""

    claim: Claim
    setting: str
    verdict: Verdict
    findings: tuple[Finding, ...]


def judge_claims(records: pd.DataFrame, claims: tuple[Claim, ...] = CLAIMS) -> tuple[Judgment, ...]:
    """Judge claims on checked records, each in all its settings.

    Parameters
    ----------
    records : DataFrame
        Checked records.
    claims : tuple of Claim
        The claims to judge.

    Returns
    -------
    tuple of Judgment
    """
    return tuple(
        _judge_claim(records, claim, setting) for claim in claims for setting in claim.settings
    )


def _judge_claim(records: pd.DataFrame, claim: Claim, setting: str) -> Judgment:
    findings = tuple(find(records, part, setting) for part in claim.parts)
    verdict = combine([finding.verdict for finding in findings], claim.enough)
    return Judgment(claim, setting, verdict, findings)


def find(records: pd.DataFrame, part: Part, setting: str) -> Finding:
    """Measure one part of a claim and judge it."""
    block = gather(records, part, setting)
    estimate = jackknife(block.values, block.cells, STATISTICS[part.statistic])
    # With some of the data sets missing it would be another claim.
    verdict = Verdict(UNDECIDED) if block.missing else judge(estimate, part.low, part.high)
    notes = _notes(block, estimate)
    if part.every_cell and estimate.repeats > 1:
        agree, oppose = count_cells(block)
        notes = (*notes, f"{agree} of {len(block.cells)} cells agree")
        if oppose:
            notes = (*notes, f"{oppose} oppose by {OPPOSED:g} standard errors")
            verdict = Verdict(FAILS) if verdict.word == HOLDS else verdict
    return Finding(part, estimate, verdict, block.cells, notes)


def count_cells(block: Block) -> tuple[int, int]:
    """Count the cells with a positive, and with a clearly negative, mean difference."""
    gaps = block.values[:, :, 0, 0] - block.values[:, :, 1, 0]
    means = gaps.mean(axis=0)
    errors = gaps.std(axis=0, ddof=1) / math.sqrt(len(gaps))
    return int(np.sum(means > 0)), int(np.sum(means < -OPPOSED * errors))


def _notes(block: Block, estimate: Estimate) -> tuple[str, ...]:
    notes = []
    if block.missing:
        notes.append(f"not in the records: {', '.join(block.missing)}")
    if block.left_out:
        notes.append(f"{block.left_out} repeats left out as incomplete")
    if block.failed:
        notes.append(f"{block.failed} fits failed")
    if not len(block.cells) and not block.missing:
        notes.append("not in the records")
    elif estimate.repeats == 1:
        notes.append("one complete repeat has no standard error")
    elif estimate.repeats > 1 and not math.isfinite(estimate.value):
        notes.append("too few cells")
    return tuple(notes)


@cache
def error_multiple(repeats: int) -> float:
    """Return how many standard errors decide: 2, or Student's 97.5 % point with few repeats.

    Examples
    --------
    >>> error_multiple(200), round(error_multiple(5), 2)
    (2.0, 2.78)
    """
    return max(2.0, float(stdtrit(repeats - 1, 0.975)))


def judge(estimate: Estimate, low: float, high: float) -> Verdict:
    """Decide whether a number lies in the open interval (low, high), given its error.

    Parameters
    ----------
    estimate : Estimate
        The number and its standard error.
    low, high : float
        Bounds of the interval.

    Returns
    -------
    Verdict
        "holds" if the number is inside by more than its error (two standard errors), "does not
        hold" if it is outside by more than its error. Otherwise "cannot be told" (undecided), with
        the number of repeats at which the error equals the distance to the nearest bound.
    """
    value, se = estimate.value, estimate.se
    if not (math.isfinite(value) and math.isfinite(se)):
        return Verdict(UNDECIDED)
    error = error_multiple(estimate.repeats) * se
    if value - error > low and value + error < high:
        return Verdict(HOLDS)
    if value + error < low or value - error > high:
        return Verdict(FAILS)
    distance = min(abs(value - bound) for bound in (low, high))
    return Verdict(UNDECIDED, _repeats_needed(estimate, distance))


def _repeats_needed(estimate: Estimate, distance: float) -> int | None:
    """Return the fewest repeats whose error is at most the distance, for the same spread."""
    if distance == 0:
        return None
    spread = estimate.se * math.sqrt(estimate.repeats)
    needed = max(estimate.repeats + 1, math.ceil((2 * spread / distance) ** 2 - 1e-6))
    while error_multiple(needed) * spread > distance * math.sqrt(needed) * (1 + 1e-9):
        needed += 1
    return needed


def combine(verdicts: list[Verdict], enough: int | None = None) -> Verdict:
    """Combine the verdicts on parts: all of them, or `enough` of them, must hold.

    In an undecided verdict, `repeats` would probably decide every undecided part.
    """
    needed = len(verdicts) if enough is None else enough
    words = [verdict.word for verdict in verdicts]
    if words.count(HOLDS) >= needed:
        return Verdict(HOLDS)
    if len(words) - words.count(FAILS) < needed:
        return Verdict(FAILS)
    waiting = [verdict.repeats for verdict in verdicts if verdict.word == UNDECIDED]
    if any(repeats is None for repeats in waiting):
        return Verdict(UNDECIDED)
    return Verdict(UNDECIDED, max(repeats for repeats in waiting if repeats is not None))
