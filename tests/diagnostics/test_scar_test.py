"""The SCAR test: its p-value, its features, and how it prints."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.special import logit

from unlabeled.diagnostics import ScarTest, scar_test


def test_honest_labels_are_not_rejected(honest):
    test = scar_test(honest.X, honest.s, n_resamples=39, enough=5, random_state=0)
    assert test.p_value > 0.05
    assert "No single feature" in str(test)


def test_labels_that_come_with_a_feature_are_rejected_and_the_feature_is_named(dependent):
    X, s = dependent
    frame = pd.DataFrame(X, columns=["income", "age", "x<script>"])
    test = scar_test(frame, s, n_resamples=39, random_state=0)
    assert test.p_value == pytest.approx(1 / 40)
    assert np.argmax(test.feature_statistic) == 0
    assert test.feature_slope[0] > 0
    assert test.feature_p_value[0] == pytest.approx(1 / 40)
    assert "where income is large" in str(test)
    assert list(test.to_frame()["feature"]) == ["income", "age", "x<script>"]
    assert test.statistic > test.null_statistics.max()


def test_the_drawing_ends_when_enough_is_known(honest):
    whole = scar_test(honest.X, honest.s, n_resamples=30, enough=31, random_state=0)
    short = scar_test(honest.X, honest.s, n_resamples=30, enough=3, random_state=0)
    as_large = np.cumsum(whole.null_statistics >= whole.statistic)
    length = int(np.searchsorted(as_large, 3)) + 1
    np.testing.assert_array_equal(short.null_statistics, whole.null_statistics[:length])
    assert short.p_value == pytest.approx(3 / length)
    assert whole.p_value == pytest.approx((1 + as_large[-1]) / 31)


def test_the_result_does_not_depend_on_processes_or_label_values(honest):
    call = {"n_resamples": 12, "enough": 13, "random_state": 3}
    one = scar_test(honest.X, honest.s, **call)
    y = np.where(honest.s == 1, "seen", "unseen")
    two = scar_test(honest.X, y, pos_label="seen", n_jobs=2, **call)
    np.testing.assert_array_equal(one.null_statistics, two.null_statistics)


def test_sensitivity_tests_both_ends_of_the_interval_of_c(honest):
    test = scar_test(honest.X, honest.s, n_resamples=9, sensitivity=True, random_state=0)
    low, high = sorted(test.sensitivity)
    assert honest.s.mean() < low < test.label_frequency < high <= 1
    assert all(0 < p <= 1 for p in test.sensitivity.values())
    assert f"were {low:.3f}" in str(test)


def test_constant_and_dependent_columns_do_no_harm(honest):
    X = np.column_stack([honest.X, np.ones(len(honest.X)), honest.X[:, 0] + honest.X[:, 1]])
    plain = scar_test(honest.X, honest.s, n_resamples=5, enough=6, random_state=0)
    more = scar_test(X, honest.s, n_resamples=5, enough=6, random_state=0)
    assert more.statistic == pytest.approx(plain.statistic, rel=1e-3)
    assert np.isnan(more.feature_statistic[3])


@pytest.mark.filterwarnings("error")
def test_separated_labels_are_no_error():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    test = scar_test(X, (X[:, 0] > 1).astype(int), n_resamples=5, random_state=0)
    assert np.isfinite(test.statistic)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_resamples": 0}, "`n_resamples` must be.*got 0"),
        ({"enough": 0}, "`enough` must be"),
        ({"sensitivity": "yes"}, "`sensitivity` must be.*'yes'"),
    ],
)
def test_wrong_arguments_are_named(arguments, message, honest):
    with pytest.raises(ValueError, match=message):
        scar_test(honest.X, honest.s, **arguments)


def test_missing_values_are_named(honest):
    X = honest.X.copy()
    X[3, 1] = np.nan
    with pytest.raises(ValueError, match="NaN.*row 3, column 1"):
        scar_test(X, honest.s)


def test_a_result_prints_its_caveat_first():
    gains, slopes = np.array([8.0, np.nan]), np.array([-2.0, np.nan])
    test = ScarTest(9.0, np.ones(39), 0.025, 0.5, ("a", "b"), gains, slopes)
    lines = str(test).splitlines()
    assert "SCAR" in lines[1]
    assert "logistic" in lines[1]
    assert "where a is small" in lines[-1]


def test_one_feature_alone_has_no_direction():
    """Posterior and propensity are interchangeable."""
    test = ScarTest(9.0, np.ones(39), 0.025, 0.5, ("a",), np.array([8.0]), np.array([-2.0]))
    assert "where a is" not in str(test)
    assert "depend on a" in str(test)


def test_the_middle_of_c_is_where_the_labels_put_it(honest):
    test = scar_test(honest.X, honest.s, n_resamples=2, random_state=0)
    assert logit(test.label_frequency) == pytest.approx(logit(0.6), abs=1.5)
