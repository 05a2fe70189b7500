"""Every claim judged on the records, in the settings it has."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ._block import Block, gather
from ._claim import Claim, Part
from ._claims import CLAIMS
from ._estimate import Estimate, jackknife
from ._statistics import STATISTICS
from ._verdict import FAILS, HOLDS, UNTOLD, Verdict, combine, judge

OPPOSED = 3.0
"""Standard errors by which one cell must oppose a claim of "consistently" to refute it.

At two, one of twenty cells without any difference would oppose by chance in two runs of five.
"""


@dataclass(frozen=True)
class Finding:
    """What the records say on one part of a claim."""

    part: Part
    estimate: Estimate
    verdict: Verdict
    cells: pd.DataFrame
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Judgement:
    """What the records say on a claim in one setting."""

    claim: Claim
    setting: str
    verdict: Verdict
    findings: tuple[Finding, ...]


def judge_claims(
    records: pd.DataFrame, claims: tuple[Claim, ...] = CLAIMS
) -> tuple[Judgement, ...]:
    """Judge claims on checked records, each in every setting it has.

    Parameters
    ----------
    records : DataFrame
        Checked records.
    claims : tuple of Claim

    Returns
    -------
    tuple of Judgement
    """
    return tuple(
        _judge_claim(records, claim, setting) for claim in claims for setting in claim.settings
    )


def _judge_claim(records: pd.DataFrame, claim: Claim, setting: str) -> Judgement:
    findings = tuple(find(records, part, setting) for part in claim.parts)
    verdict = combine([finding.verdict for finding in findings], claim.enough)
    return Judgement(claim, setting, verdict, findings)


def find(records: pd.DataFrame, part: Part, setting: str) -> Finding:
    """Measure one part of a claim and judge it."""
    block = gather(records, part, setting)
    estimate = jackknife(block.values, block.cells, STATISTICS[part.statistic])
    # A part of the sets would be another claim.
    verdict = Verdict(UNTOLD) if block.missing else judge(estimate, part.low, part.high)
    notes = _notes(block, estimate)
    if part.every_cell and estimate.repeats > 1:
        agree, oppose = count_cells(block)
        notes = (*notes, f"{agree} of {len(block.cells)} cells agree")
        if oppose:
            notes = (*notes, f"{oppose} oppose by {OPPOSED:g} standard errors")
            verdict = Verdict(FAILS) if verdict.word == HOLDS else verdict
    return Finding(part, estimate, verdict, block.cells, notes)


def count_cells(block: Block) -> tuple[int, int]:
    """Count the cells whose mean difference is positive, and those negative beyond chance."""
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
