"""Who is ahead where: paired differences, lost cells and verdicts on made-up records."""

from __future__ import annotations

import math
import re

import numpy as np
import pandas as pd
import pytest

from benchmarks.field.cast import PEERS
from benchmarks.field.compare import (
    below_enhanced,
    best_rival,
    losses,
    mean_over_sets,
    paired,
    scores,
)
from benchmarks.field.ten import ten_summary, ten_verdicts
from benchmarks.field.words import counts, headlines, without_mean

OURS = ("pu_logistic", "-"), ("pu_logistic_ba", "-")
BAGGING, HANDED = ("pulearn bagging", "-"), ("pulearn nnpu", "true prior")
FOREST = ("forest", "-")
ENHANCED, ORACLE = ("enhanced", "-"), ("oracle", "-")
WOBBLE = np.array([-0.01, 0.0, 0.01, 0.0])


def fits(key, values, dataset="adult", c=0.3, study="real", **more) -> pd.DataFrame:
    """Records of one method in one cell, one value per repeat for both measures."""
    table = pd.DataFrame({"f1": values, "balanced_accuracy": values, "repeat": range(len(values))})
    method, setting = key
    facts = {"error": "", "predicted_share": 0.4, "warning_codes": "", "fit_seconds": 0.1}
    place = {"study": study, "dataset": dataset, "c": c, "method": method, "setting": setting}
    return table.assign(**{**place, **facts, **more})


def ours(values, **more) -> pd.DataFrame:
    return pd.concat([fits(key, values, **more) for key in OURS])


def test_a_cell_is_lost_by_more_than_two_errors_of_the_paired_difference():
    # The wobble is shared, so the differences hardly vary.
    records = pd.concat(
        [
            ours(0.7 + 5 * WOBBLE),
            fits(BAGGING, 0.72 + 5 * WOBBLE + WOBBLE / 10),
            fits(ENHANCED, 0.701 + 20 * WOBBLE),
        ]
    )
    lost = losses(records)
    assert lost["measure"].tolist() == ["f1", "balanced_accuracy"]
    assert set(lost["method"]) == {"pulearn bagging"}
    assert set(lost["winners"]) == {1}
    assert lost["lead"].tolist() == pytest.approx([0.02, 0.02])


def test_the_method_furthest_ahead_is_named_and_the_others_counted():
    records = pd.concat(
        [ours(0.6 + WOBBLE), fits(BAGGING, 0.7 + WOBBLE), fits(ENHANCED, 0.8 + WOBBLE)]
    )
    lost = losses(records)
    assert set(lost["method"]) == {"Enhanced"}
    assert set(lost["winners"]) == {2}


def test_nothing_is_lost_to_the_oracle_or_to_who_is_handed_the_prior():
    records = pd.concat(
        [ours(0.6 + WOBBLE), fits(ORACLE, 0.9 + WOBBLE), fits(HANDED, 0.8 + WOBBLE)]
    )
    assert losses(records).empty


def test_one_repeat_tells_nothing():
    assert losses(pd.concat([ours([0.6]), fits(BAGGING, [0.9])])).empty


def test_only_repeats_that_both_have_are_compared():
    failing = fits(BAGGING, [0.9, 0.9, 0.9, 0.9])
    failing.loc[1:, "error"] = "ValueError: no"
    wide = scores(pd.concat([ours(0.6 + WOBBLE), failing]), "f1")
    gap = paired(wide, BAGGING, OURS[0])["adult", 0.3]
    assert gap.repeats == 1
    assert gap.value == pytest.approx(0.31)
    assert math.isnan(gap.se)


def test_a_method_that_mostly_fails_wins_nothing():
    lucky = fits(BAGGING, 0.9 + np.tile(WOBBLE, 2))
    lucky.loc[3:, "error"] = "ValueError: no"
    records = pd.concat([ours(0.6 + np.tile(WOBBLE, 2)), lucky])
    assert losses(records).empty
    assert best_rival(records, scores(records, "f1"), ("adult", 0.3), PEERS) is None


def test_below_enhanced_needs_a_hundredth_and_two_errors():
    def gap(size):
        return pd.concat([ours(0.7 + WOBBLE), fits(ENHANCED, 0.7 + size + WOBBLE)])

    assert below_enhanced(gap(0.009)).empty
    assert len(below_enhanced(gap(0.011))) == 2
    assert below_enhanced(gap(-0.1)).empty


def test_without_our_scores_there_is_nothing_to_lose():
    records = pd.concat([ours([0.0, 0.0], error="ImportError: no"), fits(BAGGING, [0.6, 0.7])])
    assert losses(records).empty
    assert below_enhanced(records).empty
    assert "PULogistic lacks scores" in headlines(records)[0]


def test_the_mean_over_sets_adds_the_variances_and_needs_every_set():
    first = fits(BAGGING, [0.6, 0.8], dataset="adult")
    second = fits(BAGGING, [0.4, 0.4], dataset="musk")
    wide = scores(pd.concat([first, second]), "f1")
    one = mean_over_sets(wide, BAGGING, ["adult", "musk"], 0.3)
    assert one.value == pytest.approx(0.55)
    assert one.se == pytest.approx(0.1 / 2)
    second["error"] = "SizeLimitError: not fitted"
    wide = scores(pd.concat([first, second]), "f1")
    assert math.isnan(mean_over_sets(wide, BAGGING, ["adult", "musk"], 0.3).value)


def test_label_frequencies_of_a_repeat_are_averaged_before_the_error():
    low, high = fits(BAGGING, [0.5, 0.7], c=0.1), fits(BAGGING, [0.7, 0.5], c=0.9)
    wide = scores(pd.concat([low, high]), "f1")
    one = mean_over_sets(wide, BAGGING, ["adult"], None)
    assert one.value == pytest.approx(0.6)
    assert one.se == pytest.approx(0.0, abs=1e-12)


def test_the_best_peer_is_of_another_package_and_not_handed_the_prior():
    records = pd.concat(
        [fits(BAGGING, [0.5]), fits(ENHANCED, [0.8]), fits(HANDED, [0.9]), ours([0.6])]
    )
    assert best_rival(records, scores(records, "f1"), ("adult", 0.3), PEERS) == BAGGING


def test_headlines_and_counts_are_made_from_the_records():
    records = pd.concat(
        [ours(0.7 + WOBBLE), fits(BAGGING, 0.8 + WOBBLE), fits(ORACLE, 0.9 + WOBBLE)]
    )
    found = re.findall(r"(PULogistic|pulearn bagging|oracle)\b.*?(\.\d+) \(", headlines(records)[0])
    assert found == [("PULogistic", ".700"), ("pulearn bagging", ".800"), ("oracle", ".900")]
    lost = {"cells": 2, "lost": 2, "by_peer": 2, "most_by_peer": 2, "below_enhanced": 0}
    assert counts(records) == lost
    forest = fits(FOREST, 0.85 + WOBBLE)  # further ahead than the peer
    assert counts(pd.concat([records, forest])) == lost | {"most_by_peer": 0}


def test_peers_without_scores_on_some_set_are_named():
    records = pd.concat(
        [
            *(fits(BAGGING, [0.5, 0.6], dataset=dataset) for dataset in ("adult", "musk")),
            fits(HANDED, [0.5, 0.6], dataset="adult"),
            *(ours([0.6, 0.7], dataset=dataset) for dataset in ("adult", "musk")),
        ]
    )
    assert without_mean(records) == []
    only_adult = records[(records["dataset"] == "adult") | (records["method"] != BAGGING[0])]
    assert without_mean(only_adult) == ["pulearn bagging"]


def test_ten_labels_are_judged_set_by_set():
    def draws(dataset, mine, enhanced, **more):
        place = {"study": "ten_labels", "c": 0.0, "dataset": dataset}
        return [ours(mine + WOBBLE, **place, **more), fits(ENHANCED, enhanced + WOBBLE, **place)]

    records = pd.concat(
        [*draws("adult", 0.8, 0.6), *draws("musk", 0.5, 0.6), *draws("diabetes", 0.7, 0.7)]
    )
    assert ten_verdicts(records) == {
        "adult": "above chance; better than Enhanced",
        "diabetes": "above chance; no clear difference from Enhanced",
        "musk": "not above chance; worse than Enhanced",
    }


def test_ten_labels_count_one_sided_draws_and_warnings():
    place = {"study": "ten_labels", "c": 0.0}
    records = ours([0.5, 0.5], **place, predicted_share=1.0, warning_codes="PU103,PU106")
    summary = ten_summary(records)
    assert summary["one_sided"].tolist() == [2, 2]
    assert summary["warnings"].tolist() == ["PU103 (2), PU106 (2)"] * 2
