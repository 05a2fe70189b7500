"""Parts of claims and verdicts as text."""

from __future__ import annotations

import pandas as pd

from reproduction.outcome._claim_types import Where, on_par
from reproduction.outcome._judge import UNDECIDED, Verdict
from reproduction.outcome._statistics import Estimate
from reproduction.outcome._words import measured, subject, verdict_text, wanted


def test_a_part_of_a_claim():
    part = on_par("enhanced", "joint", Where("real", ("musk",)))
    cells = pd.DataFrame({"n": [100], "c": [0.5]})
    assert subject(part, cells) == "Enhanced − JOINT, F1: musk, c = .5"
    assert wanted(part) == "between −.01 and .01"
    assert measured(part, Estimate(0.0088, 0.0014, 50)) == "+.009 (se .001)"


def test_an_undecided_verdict_has_the_repeats_that_would_decide_it():
    text = verdict_text(Verdict(UNDECIDED, 272))
    assert text.startswith(UNDECIDED)
    assert "280 repeats" in text
    assert "100,000 repeats" in verdict_text(Verdict(UNDECIDED, 10**6))
    assert verdict_text(Verdict(UNDECIDED)) == UNDECIDED
