"""The claims as a table: one row a part and setting."""

from __future__ import annotations

import pandas as pd

from ._claim_types import COINCIDE, MARGINAL, ON_PAR
from ._judge import Judgement
from ._names import ONE_SETTING
from ._table import Table
from ._verdict import VERDICTS
from ._words import measured, number, subject, verdict_text, wanted

RULE = (
    "A number is a mean over complete repeats, its standard error that between repeats, in each of "
    "which methods and label frequencies share a split. A claim holds when the number lies in the "
    "range by two standard errors (or Student's 97.5 % point where repeats are few), does not "
    "hold when it lies outside by as much, and cannot be told otherwise; then the number of "
    "repeats is that at which two standard errors would reach the nearest bound. A claim of "
    f"several parts holds when all do. On par: within ±{number(ON_PAR, 2)}. Marginally: by less "
    f"than {number(MARGINAL, 2)}. Angles coincide: within ±{COINCIDE:g}°."
)


def claim_table(judgements: tuple[Judgement, ...]) -> Table:
    """Make the table of the claims, their numbers and their verdicts."""
    numbers = pd.DataFrame(row for judgement in judgements for row in _rows(judgement))
    shown = pd.DataFrame(
        {
            "Claim": [judgement.claim.id for judgement in judgements],
            "The paper says": [judgement.claim.quotation for judgement in judgements],
            "Setting": [_setting(judgement) for judgement in judgements],
            "Measured": [_measured(judgement) for judgement in judgements],
            "Verdict": [verdict_text(judgement.verdict) for judgement in judgements],
        }
    )
    return Table("claims", "The paper's claims", RULE, (("", shown),), numbers)


def _setting(judgement: Judgement) -> str:
    return "" if judgement.setting == ONE_SETTING else judgement.setting


def _measured(judgement: Judgement) -> str:
    return "; ".join(
        f"{subject(finding.part, finding.cells)} is {measured(finding.part, finding.estimate)}"
        for finding in judgement.findings
    )


def _rows(judgement: Judgement) -> list[dict[str, object]]:
    return [
        {
            "claim": judgement.claim.id,
            "setting": judgement.setting,
            "claim_verdict": judgement.verdict.word,
            "part": subject(finding.part, finding.cells),
            "wanted": wanted(finding.part),
            "value": finding.estimate.value,
            "se": finding.estimate.se,
            "repeats": finding.estimate.repeats,
            "verdict": finding.verdict.word,
            "repeats_that_would_tell": finding.verdict.repeats,
            "notes": "; ".join(finding.notes),
            "quotation": judgement.claim.quotation,
            "place": judgement.claim.place,
            "test": judgement.claim.test,
        }
        for finding in judgement.findings
    ]


def count_verdicts(judgements: tuple[Judgement, ...], setting: str) -> dict[str, int]:
    """Count the verdicts of one setting, claims that have only one setting included."""
    words = [j.verdict.word for j in judgements if j.setting in (setting, ONE_SETTING)]
    return {word: words.count(word) for word in VERDICTS}
