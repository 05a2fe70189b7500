"""The paper's claims, and what it does not state: well formed."""

from __future__ import annotations

from reproduction.outcome import CLAIMS, UNSTATED_CHOICES
from reproduction.outcome._records import METHODS
from reproduction.outcome._statistics import STATISTICS
from reproduction.outcome._unstated_choices import CERTAINTIES


def test_the_claims_are_many_distinct_and_well_formed():
    assert len(CLAIMS) >= 12
    assert len({claim.id for claim in CLAIMS}) == len(CLAIMS)
    for part in (part for claim in CLAIMS for part in claim.parts):
        assert part.statistic in STATISTICS
        assert set(part.methods) <= set(METHODS)
        assert part.low < part.high


def test_claims_without_competitors_have_one_setting():
    settings = {claim.id: claim.settings for claim in CLAIMS}
    assert settings["naive-zero"] == ("-",)
    assert settings["f1-adult-tice"] == ("published", "converged")


def test_unstated_choices_have_known_degrees_of_certainty():
    assert {choice.certainty for choice in UNSTATED_CHOICES} == set(CERTAINTIES)
