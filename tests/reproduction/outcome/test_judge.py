"""Verdicts: holds, does not hold, cannot be told; each type of claim on made-up records."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from reproduction.outcome import _claim_types as types
from reproduction.outcome._claim_types import Claim, Where
from reproduction.outcome._judge import (
    FAILS,
    HOLDS,
    UNDECIDED,
    Verdict,
    combine,
    error_multiple,
    find,
    judge,
    judge_claims,
)
from reproduction.outcome._records import check_records
from reproduction.outcome._statistics import Estimate

INF = math.inf
MUSK = Where("real", ("musk",))
REPEATS = 50
# Mean 0 and standard deviation 1 exactly: se is the noise over sqrt(50).
NOISE = np.tile([-1.0, 1.0], REPEATS // 2) * math.sqrt((REPEATS - 1) / REPEATS)


@pytest.mark.parametrize(
    ("value", "low", "high", "word"),
    [
        (0.03, 0, INF, HOLDS),  # greater
        (-0.03, 0, INF, FAILS),
        (0.01, 0, INF, UNDECIDED),
        (0.0, -0.05, 0.05, HOLDS),  # on par
        (0.08, -0.05, 0.05, FAILS),
        (-0.08, -0.05, 0.05, FAILS),
        (0.04, -0.05, 0.05, UNDECIDED),
        (0.1, -INF, 0.2, HOLDS),  # small
        (0.3, -INF, 0.2, FAILS),
        (0.19, -INF, 0.2, UNDECIDED),
    ],
)
def test_a_verdict_needs_two_standard_errors(value, low, high, word):
    assert judge(Estimate(value, 0.01, 200), low, high).word == word


def test_the_number_of_repeats_that_would_decide():
    # 2 · .02 · sqrt(100 / m) = .01 at m = 1600
    assert judge(Estimate(0.01, 0.02, 100), 0, INF) == Verdict(UNDECIDED, 1600)
    # the nearest bound is .05, at .01
    assert judge(Estimate(0.04, 0.02, 100), -0.05, 0.05) == Verdict(UNDECIDED, 1600)


def test_no_number_of_repeats_decides_a_number_on_the_bound():
    assert judge(Estimate(0.0, 0.02, 100), 0, INF) == Verdict(UNDECIDED, None)


def test_nothing_is_decided_without_a_standard_error():
    assert judge(Estimate(0.5, math.nan, 1), 0, INF) == Verdict(UNDECIDED)
    assert judge(Estimate(), 0, INF) == Verdict(UNDECIDED)


def test_few_repeats_need_more_than_two_standard_errors():
    assert error_multiple(3) == pytest.approx(4.302653, abs=1e-5)
    assert judge(Estimate(0.03, 0.01, 3), 0, INF).word == UNDECIDED
    assert judge(Estimate(0.03, 0.01, 30), 0, INF).word == HOLDS


def test_all_parts_must_hold():
    holds, fails, open_ = Verdict(HOLDS), Verdict(FAILS), Verdict(UNDECIDED, 70)
    assert combine([holds, holds]) == holds
    assert combine([holds, open_, fails]) == fails
    assert combine([holds, open_, Verdict(UNDECIDED, 90)]) == Verdict(UNDECIDED, 90)
    assert combine([open_, Verdict(UNDECIDED, None)]) == Verdict(UNDECIDED, None)


def test_enough_parts_must_hold():
    holds, fails, open_ = Verdict(HOLDS), Verdict(FAILS), Verdict(UNDECIDED, 70)
    assert combine([holds, holds, fails], enough=2) == holds
    assert combine([holds, fails, fails], enough=2) == fails
    assert combine([holds, open_, fails], enough=2) == open_


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
        (types.greater("enhanced", "joint", MUSK), {HOLDS: 0.1, FAILS: -0.1, UNDECIDED: 0.001}),
        (
            types.greater("enhanced", "joint", MUSK, by=0.1),
            {HOLDS: 0.2, FAILS: 0.05, UNDECIDED: 0.101},
        ),
        (types.on_par("enhanced", "joint", MUSK), {HOLDS: 0.004, FAILS: -0.02, UNDECIDED: 0.009}),
        (
            types.marginally_worse("enhanced", "joint", MUSK),
            {HOLDS: -0.01, FAILS: 0.01, UNDECIDED: -0.019},
        ),
        (
            types.no_worse("enhanced", "joint", MUSK),
            {HOLDS: -0.002, FAILS: -0.05, UNDECIDED: -0.009},
        ),
    ],
)
def test_differences(part, gaps):
    for word, gap in gaps.items():
        assert verdict(part, *two("f1", ("enhanced", 0.5 + gap), ("joint", 0.5))) == word


def test_small():
    part = types.small("naive", 0.1, MUSK)
    for word, level in {HOLDS: 0.05, FAILS: 0.2, UNDECIDED: 0.099}.items():
        assert verdict(part, rows("naive", "f1", level, 0.01)) == word


def test_ratio():
    part = types.ratio("mm", "enhanced", MUSK, 2, 3)
    for word, level in {HOLDS: 2.5, FAILS: 5.0, UNDECIDED: 2.001}.items():
        assert verdict(part, *two("fit_seconds", ("mm", level), ("enhanced", 1.0))) == word


def test_trend():
    part = types.trend(("enhanced",), "c", True, MUSK)
    for word, level in {HOLDS: 0.7, FAILS: 0.3, UNDECIDED: 0.501}.items():
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
    assert verdict(part, rows("naive", "f1", 0.5, noise / 10), random) == UNDECIDED


def test_similar():
    part = types.similar(("enhanced", "joint", "mm", "en"), MUSK, 0.5)
    base = [rows("enhanced", "f1", 0.5, balanced_accuracy=0.5)]
    for word, sign in {HOLDS: 1, FAILS: -1}.items():
        others = [
            rows(name, "f1", 0.5 - gap, 0.001, balanced_accuracy=0.5 - sign * gap)
            for name, gap in {"joint": 0.1, "mm": 0.2, "en": 0.3}.items()
        ]
        assert verdict(part, *base, *others) == word
    assert verdict(part, *base, *others[:2]) == UNDECIDED


def test_consistently_fails_if_one_cell_shows_the_opposite():
    part = types.greater("enhanced", "joint", MUSK, every_cell=True)
    groups = [rows("joint", "f1", 0.5, c=c) for c in (0.1, 0.2, 0.3)]
    agreeing = [rows("enhanced", "f1", 0.6, 0.01, c=c) for c in (0.1, 0.2)]
    opposed = rows("enhanced", "f1", 0.49, 0.01, c=0.3)
    undecided = rows("enhanced", "f1", 0.499, 0.01, c=0.3)
    assert verdict(part, *groups, *agreeing, undecided) == HOLDS
    assert verdict(part, *groups, *agreeing, opposed) == FAILS


def test_an_incomplete_repeat_is_left_out_and_noted():
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
    assert found.verdict.word == UNDECIDED
    assert found.notes == ("not in the records: adult",)


def test_every_claim_is_undecided_without_records():
    empty = check_records(pd.DataFrame(rows("naive", "f1", 0.5))).iloc[:0]
    judgments = judge_claims(empty)
    assert {j.verdict.word for j in judgments} == {UNDECIDED}
    assert all(finding.notes for j in judgments for finding in j.findings)


def test_differences_are_paired_on_repeats_with_every_c_and_averaged_over_c():
    levels = {0: (0.1, 0.3), 1: (0.2, 0.5), 2: (0.3, 0.3), 3: (0.0, 0.9)}  # of c = .1 and .2
    fits = [
        {**rows(method, "f1", 0.1, c=c)[repeat], "f1": value if method == "enhanced" else 0.1}
        for method in ("enhanced", "joint")
        for repeat, values in levels.items()
        for c, value in zip((0.1, 0.2), values, strict=True)
    ]
    fits[-1]["error"] = "ValueError: no"  # repeat 3 is left out
    part = types.greater("enhanced", "joint", MUSK)
    found = find(check_records(pd.DataFrame(fits)), part, "published").estimate
    # differences of the repeats: .1, .25, .2; mean .55/3, squares .0116667, variance .0058333
    assert found.repeats == 3
    assert found.value == pytest.approx(0.55 / 3)
    assert found.se == pytest.approx(math.sqrt(0.0175 / 3 / 3), rel=1e-6)
