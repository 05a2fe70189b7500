"""The calibration study: its bins and errors on made-up numbers, and a tiny run of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

from benchmarks.calibration import summary, words
from benchmarks.calibration.measure import (
    METHODS,
    OURS,
    Outcome,
    Priors,
    equal_mass_bins,
    error_by_chance,
    expected_calibration_error,
    wilson,
)
from benchmarks.calibration.page import write_page
from benchmarks.calibration.summary import Summary, numbers_of
from benchmarks.study import measure_missing
from reproduction.studies.plan import PAPER_GAUSSIAN


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two draws of the synthetic design."""
    folder = tmp_path_factory.mktemp("calibration")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(summary, "REPEATS", 2)
        keys = [key for key in summary.RECORDS.plan() if key[0] == PAPER_GAUSSIAN]
        measure_missing(summary.RECORDS, folder, keys)
    write_page(folder)
    return folder


def made_up(class_prior, posteriors, priors=None, dataset="haberman", method=OURS):
    """A summary of made-up fits, all to the same four test rows."""
    own = [
        Outcome(
            dataset,
            method,
            repeat,
            n_train=16,
            class_prior=class_prior,
            mean_posterior=posterior,
            predicted=np.array([0.1, 0.2, 0.6, 0.9]),
            y_test=np.array([0, 0, 1, 1]),
            priors=priors,
        )
        for repeat, posterior in enumerate(posteriors)
    ]
    return summarized(own)


def summarized(own, ours=None):
    """Make a record of fits, and read it."""
    return Summary.of(own[0].dataset, own[0].method, numbers_of(own, ours or own))


def test_bins_have_equal_mass_and_the_means_of_their_rows(rng):
    predicted, y_true = rng.random(1000), rng.integers(0, 2, 1000)
    bins = equal_mass_bins(predicted, y_true)
    assert bins["rows"].tolist() == [100] * 10
    lowest = np.argsort(predicted)[:100]
    assert bins["predicted"][0] == pytest.approx(predicted[lowest].mean())
    assert bins["observed"][0] == pytest.approx(y_true[lowest].mean())
    assert bins["predicted"].is_monotonic_increasing


def test_bins_do_not_depend_on_the_order_of_rows(rng):
    predicted, y_true = np.round(rng.random(500), 2), rng.integers(0, 2, 500)
    order = rng.permutation(500)
    first = equal_mass_bins(predicted, y_true)
    pd.testing.assert_frame_equal(first, equal_mass_bins(predicted[order], y_true[order]))


def test_equal_posteriors_share_a_bin():
    predicted = np.array([0.0] * 70 + [1.0] * 30)
    bins = equal_mass_bins(predicted, np.ones(100))
    assert bins["rows"].tolist() == [70, 30]
    flat = equal_mass_bins(np.full(50, 0.4), np.repeat([0, 1], 25))
    assert flat.iloc[0].tolist() == pytest.approx([0.4, 0.5, 50])
    assert len(flat) == 1


def test_calibration_error_weighs_bins_by_their_rows():
    bins = pd.DataFrame({"predicted": [0.2, 0.8], "observed": [0.3, 0.4], "rows": [300, 100]})
    assert expected_calibration_error(bins) == pytest.approx(0.75 * 0.1 + 0.25 * 0.4)


def test_right_posteriors_have_the_error_of_chance_and_wrong_ones_more(rng):
    predicted = rng.random((200, 400))
    y_true = rng.random((200, 400)) < predicted
    draws = list(zip(predicted, y_true, strict=True))
    right = [equal_mass_bins(p, y) for p, y in draws]
    chance = np.mean([error_by_chance(p) for p in predicted])
    errors = [expected_calibration_error(bins) for bins in right]
    assert np.mean(errors) == pytest.approx(chance, rel=0.1)
    wrong = [expected_calibration_error(equal_mass_bins(p**2, y)) for p, y in draws]
    assert np.mean(wrong) == pytest.approx(1 / 2 - 1 / 3, abs=0.02)


def test_one_bin_by_chance_has_the_mean_deviation_of_its_share():
    predicted = np.full(20, 0.02)  # far from normal: no positive in two draws of three
    of_each = np.abs(np.arange(21) / 20 - 0.02)
    expected = of_each @ binom.pmf(np.arange(21), 20, 0.02)
    assert error_by_chance(predicted) == pytest.approx(expected, rel=0.25)


def test_errors_of_opposite_sign_do_not_cancel():
    y_test = np.repeat([0, 1], 50)
    own = [
        Outcome("musk", OURS, k, 400, 0.5, posterior, np.full(100, posterior), y_test, None)
        for k, posterior in enumerate([0.4, 0.6])
    ]
    one = summarized(own)
    assert one.ece == pytest.approx(0.1)
    assert one.ece_se == pytest.approx(0, abs=1e-12)
    other = summarized([own[0], replace(own[1], predicted=np.full(100, 0.8))])
    assert other.ece == pytest.approx(0.2)
    assert other.ece_se == pytest.approx(0.1)


def test_rows_tested_many_times_count_once_in_the_figure():
    assert made_up(0.3, [0.3] * 20).times == pytest.approx(20 * 4 / 20)
    assert made_up(0.3, [0.3] * 20, dataset=PAPER_GAUSSIAN).times == 1


def test_wilsons_interval():
    low, high = wilson(np.array([0.0, 0.5]), np.array([10.0, 100.0]))
    np.testing.assert_allclose(low, [0, 0.4038], atol=1e-4)
    np.testing.assert_allclose(high, [0.2775, 0.5962], atol=1e-4)


def test_difference_error_and_verdict():
    one = made_up(0.3, [0.32, 0.36])
    assert one.difference == pytest.approx(0.04)
    assert one.se == pytest.approx(0.02)
    assert one.rms == pytest.approx(np.sqrt((0.02**2 + 0.06**2) / 2))
    assert not one.is_within
    assert made_up(0.3, [0.27, 0.28]).is_within


def test_a_set_that_is_off_is_named_with_what_the_labels_leave_open():
    priors = Priors(0.35, 0.8, 0.4, 0.5)
    one = made_up(0.3, [0.5, 0.48], priors)
    assert one.n_held == 0
    text = " ".join(words.headlines([one, made_up(0.3, [0.3, 0.3], priors, "musk")]))
    assert "On 1 of 2 sets" in text
    assert "haberman (+.190)" in text
    assert "from .35 to .80" in words.reason(one)
    assert "draws of haberman" in words.missed([one])


def test_rivals_with_a_smaller_calibration_error_are_named():
    right = replace(made_up(0.3, [0.3, 0.3], method="NaiveLogistic"), lead=0.1, lead_se=0.04)
    wrong = made_up(0.3, [0.3, 0.3], method="JointLogistic")
    ours = made_up(0.3, [0.3, 0.3])
    sentence = words.beaten([ours, right, wrong])
    assert "that of NaiveLogistic on haberman" in sentence
    assert "that of JointLogistic on no set" in sentence


def test_a_tiny_run_writes_page_numbers_and_figure(folder):
    page = (folder / "index.rst").read_text("utf-8")
    assert "On 1 of 1 sets" in page
    assert '"synthetic", "5000"' in page
    assert "drawn 2 times" in " ".join(page.split())
    numbers = pd.read_csv(folder / "calibration.csv")
    assert sorted(numbers["method"]) == sorted(METHODS)
    assert numbers["calibration_error"].max() < 0.05
    ours = numbers.set_index("method").loc[OURS]
    assert ours["prior_low"] < ours["prior_likeliest"] < ours["prior_high"]
    assert ours["bin_10_rows"] == 2000
    assert (folder / "reliability.png").read_bytes().startswith(b"\x89PNG")
