"""The paper's claims: each type on made records, in the three verdicts."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from unlabeled.paper.outcome import CLAIMS, UNSTATED_CHOICES
from unlabeled.paper.outcome import _claim as types
from unlabeled.paper.outcome._claim import Claim, Where
from unlabeled.paper.outcome._judge import FAILS, HOLDS, UNTOLD, find, judge_claims
from unlabeled.paper.outcome._records import METHODS, check_records
from unlabeled.paper.outcome._statistics import STATISTICS
from unlabeled.paper.outcome._unstated_choices import CERTAINTIES
from unlabeled.paper.outcome._words import measured, subject, verdict_text, wanted

MUSK = Where("real", ("musk",))
REPEATS = 50
# Mean 0 and standard deviation 1 exactly: se is the noise over sqrt(50).
NOISE = np.tile([-1.0, 1.0], REPEATS // 2) * math.sqrt((REPEATS - 1) / REPEATS)


def rows(
    method: str, measure: str, level: float, noise: float = 0.0, **place: object
) -> list[dict]:
    setting = "-" if method in ("oracle", "naive", "enhanced") else "published"
    common = {
        "study": "real",
        "dataset": "musk",
        "mechanism": "scar",
        "n": 100,
        "c": 0.5,
        "method": method,
        "setting": setting,
        **dict.fromkeys(["f1", "balanced_accuracy", "angle", "fit_seconds"], math.nan),
        **dict.fromkeys(["label_frequency", "class_prior"], math.nan),
        "converged": True,
        "warning_codes": "",
        "error": "",
        **place,
    }
    values = level + noise * NOISE
    return [{**common, "repeat": r, measure: v} for r, v in enumerate(values)]


def verdict(part, *groups: list[dict], setting: str = "published") -> str:
    records = check_records(pd.DataFrame([row for group in groups for row in group]))
    return find(records, part, setting).verdict.word


def two(measure: str, first: tuple[str, float], second: tuple[str, float], noise: float = 0.01):
    return rows(first[0], measure, first[1], noise), rows(second[0], measure, second[1])


# With 50 repeats and noise .01 two standard errors are .0028.
@pytest.mark.parametrize(
    ("part", "gaps"),
    [
        (types.greater("enhanced", "joint", MUSK), {HOLDS: 0.1, FAILS: -0.1, UNTOLD: 0.001}),
        (
            types.greater("enhanced", "joint", MUSK, by=0.1),
            {HOLDS: 0.2, FAILS: 0.05, UNTOLD: 0.101},
        ),
        (types.on_par("enhanced", "joint", MUSK), {HOLDS: 0.004, FAILS: -0.02, UNTOLD: 0.009}),
        (
            types.marginally_worse("enhanced", "joint", MUSK),
            {HOLDS: -0.01, FAILS: 0.01, UNTOLD: -0.019},
        ),
        (types.no_worse("enhanced", "joint", MUSK), {HOLDS: -0.002, FAILS: -0.05, UNTOLD: -0.009}),
    ],
)
def test_differences(part, gaps):
    for word, gap in gaps.items():
        assert verdict(part, *two("f1", ("enhanced", 0.5 + gap), ("joint", 0.5))) == word


def test_small():
    part = types.small("naive", 0.1, MUSK)
    for word, level in {HOLDS: 0.05, FAILS: 0.2, UNTOLD: 0.099}.items():
        assert verdict(part, rows("naive", "f1", level, 0.01)) == word


def test_ratio():
    part = types.ratio("mm", "enhanced", MUSK, 2, 3)
    for word, level in {HOLDS: 2.5, FAILS: 5.0, UNTOLD: 2.001}.items():
        assert verdict(part, *two("fit_seconds", ("mm", level), ("enhanced", 1.0))) == word


def test_trend():
    part = types.trend(("enhanced",), "c", True, MUSK)
    for word, level in {HOLDS: 0.7, FAILS: 0.3, UNTOLD: 0.501}.items():
        low = rows("enhanced", "f1", 0.5, c=0.2)
        assert verdict(part, low, rows("enhanced", "f1", level, 0.01, c=0.4)) == word


def test_se_bound():
    noise = 0.01 * math.sqrt(200)  # a standard error of .01 at 200 repeats
    part = types.se_bound("largest", ("naive", "joint"), MUSK, "f1", high=0.01)
    for word, size in {HOLDS: 0.5, FAILS: 2.0}.items():
        groups = rows("naive", "f1", 0.5, size * noise), rows("joint", "f1", 0.5, noise / 10)
        assert verdict(part, *groups) == word
    rng = np.random.default_rng(0)
    random = rows("joint", "f1", 0.5)
    for row, value in zip(random, rng.normal(0.5, noise, REPEATS), strict=True):
        row["f1"] = value
    assert verdict(part, rows("naive", "f1", 0.5, noise / 10), random) == UNTOLD


def test_similar():
    part = types.similar(("enhanced", "joint", "mm", "en"), MUSK, 0.5)
    base = [rows("enhanced", "f1", 0.5, balanced_accuracy=0.5)]
    for word, sign in {HOLDS: 1, FAILS: -1}.items():
        others = [
            rows(name, "f1", 0.5 - gap, 0.001, balanced_accuracy=0.5 - sign * gap)
            for name, gap in {"joint": 0.1, "mm": 0.2, "en": 0.3}.items()
        ]
        assert verdict(part, *base, *others) == word
    assert verdict(part, *base, *others[:2]) == UNTOLD


def test_consistently_fails_when_one_cell_says_the_opposite():
    part = types.greater("enhanced", "joint", MUSK, every_cell=True)
    groups = [rows("joint", "f1", 0.5, c=c) for c in (0.1, 0.2, 0.3)]
    agreeing = [rows("enhanced", "f1", 0.6, 0.01, c=c) for c in (0.1, 0.2)]
    opposed = rows("enhanced", "f1", 0.49, 0.01, c=0.3)
    undecided = rows("enhanced", "f1", 0.499, 0.01, c=0.3)
    assert verdict(part, *groups, *agreeing, undecided) == HOLDS
    assert verdict(part, *groups, *agreeing, opposed) == FAILS


def test_an_incomplete_repeat_is_left_out_and_said():
    groups = two("f1", ("enhanced", 0.6), ("joint", 0.5))
    groups[1][3]["error"] = "ValueError: no"
    records = check_records(pd.DataFrame([*groups[0], *groups[1][:-1]]))
    found = find(records, types.greater("enhanced", "joint", MUSK), "published")
    assert found.estimate.repeats == REPEATS - 2
    assert found.notes == ("2 repeats left out as incomplete", "1 fits failed")


def test_the_settings_of_competitors_are_judged_apart():
    published = two("f1", ("enhanced", 0.6), ("joint", 0.5))
    converged = rows("joint", "f1", 0.7, setting="converged")
    records = check_records(pd.DataFrame([*published[0], *published[1], *converged]))
    claim = Claim("x", "q", "p", "t", (types.greater("enhanced", "joint", MUSK),))
    found = {j.setting: j.verdict.word for j in judge_claims(records, (claim,))}
    assert found == {"published": HOLDS, "converged": FAILS}


def test_a_claim_on_sets_that_were_not_run_cannot_be_told():
    part = types.greater("enhanced", "joint", Where("real", ("musk", "adult")))
    groups = two("f1", ("enhanced", 0.6), ("joint", 0.5))
    records = check_records(pd.DataFrame([*groups[0], *groups[1]]))
    found = find(records, part, "published")
    assert found.verdict.word == UNTOLD
    assert found.notes == ("not in the records: adult",)


def test_every_claim_is_open_without_records():
    empty = check_records(pd.DataFrame(rows("naive", "f1", 0.5))).iloc[:0]
    judgements = judge_claims(empty)
    assert {j.verdict.word for j in judgements} == {UNTOLD}
    assert all(finding.notes for j in judgements for finding in j.findings)


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


def test_what_was_left_open_has_known_degrees_of_certainty():
    assert {choice.certainty for choice in UNSTATED_CHOICES} == set(CERTAINTIES)


def test_the_words_of_a_finding():
    part = types.on_par("enhanced", "joint", MUSK)
    groups = two("f1", ("enhanced", 0.5088), ("joint", 0.5))
    found = find(check_records(pd.DataFrame([*groups[0], *groups[1]])), part, "published")
    assert subject(part, found.cells) == "Enhanced − JOINT, F1: musk, c = .5"
    assert wanted(part) == "between −.01 and .01"
    assert measured(part, found.estimate) == "+.009 (se .001)"
    assert verdict_text(found.verdict) == "cannot be told (about 280 repeats would tell)"
