"""Intervals of totals and of measures made of them, from stratified samples."""

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import brentq

from unlabeled.audit._score_interval import (
    Tally,
    _tilted_share,
    _tilted_shares,
    measure_limits,
)

Z = stats.norm.ppf(0.975)


def count(above, below):
    return above + below


def recall(above, below):
    return above / np.maximum(above + below, 1e-12)


def one_stratum(rows, drawn, positive):
    columns = (np.array([float(one)]) for one in (rows, drawn, positive, 0, rows))
    return Tally(*columns)


def test_six_rows_by_hand():
    """Two strata of 4 and 6 rows, 2 and 3 drawn: totals worked out on paper.

    Above the cut 1 of 2 drawn rows is positive, so 4 * 1/2 = 2 positives; below it 1 of 3, so
    6 * 1/3 = 2. With three labelled rows above and one below: 8 positives, 5 above the cut.
    """
    tally = Tally(
        rows=np.array([6.0, 4.0]),
        drawn=np.array([3.0, 2.0]),
        above=np.array([0.0, 1.0]),
        below=np.array([1.0, 0.0]),
        rows_above=np.array([0.0, 4.0]),
        known_above=3.0,
        known_below=1.0,
    )
    assert measure_limits(tally, count).estimate == 8.0
    assert measure_limits(tally, recall).estimate == pytest.approx(5 / 8)
    # One positive and one negative were seen above, one positive and two negatives below.
    low, high = tally.bounds()
    np.testing.assert_array_equal(low, [4, 2])
    np.testing.assert_array_equal(high, [3 + 4 - 1, 1 + 6 - 2])
    limits = measure_limits(tally, count, level=0.999)
    assert (limits.lower, limits.upper) == (6, 11)


@pytest.mark.parametrize(("drawn", "positive"), [(40, 10), (60, 3), (30, 29), (50, 25)])
def test_one_stratum_is_a_score_interval_with_a_skewness_term(drawn, positive):
    """Solved again for the share itself, by bisection, without the tilted path."""
    rows = 1000
    found = measure_limits(one_stratum(rows, drawn, positive), count)
    seen, fraction = positive / drawn, drawn / rows
    v = (1 - fraction) / (drawn - 1)
    kappa = (1 - fraction) * (1 - 2 * fraction) / (drawn - 1) ** 2

    def beyond(p, sign):
        variance = v * p * (1 - p)
        skewness = kappa * p * (1 - p) * (1 - 2 * p) / variance**1.5
        allowed = Z + np.clip(sign * skewness * (Z**2 - 1) / 6, -Z / 2, Z)
        return sign * (seen - p) / np.sqrt(variance) - allowed

    lower = brentq(beyond, 1e-9, seen, args=(1,))
    upper = brentq(beyond, seen, 1 - 1e-9, args=(-1,))
    assert found.lower == np.floor(rows * lower)
    assert found.upper == np.ceil(rows * upper)


def test_with_many_rows_drawn_from_very_many_it_is_wilsons():
    # 40 001 rows count like 40 000: the variance has n - 1.
    found = measure_limits(one_stratum(1e12, 40_001, 20_000.5), count)
    wilson = stats.binomtest(20_000, 40_000).proportion_ci(method="wilson")
    assert found.lower / 1e12 == pytest.approx(wilson.low, abs=1e-6)
    assert found.upper / 1e12 == pytest.approx(wilson.high, abs=1e-6)


def test_a_census_has_no_length():
    found = measure_limits(one_stratum(37, 37, 11), count)
    assert (found.lower, found.estimate, found.upper) == (11, 11, 11)


def test_no_positive_seen_still_has_an_upper_limit():
    found = measure_limits(one_stratum(1000, 50, 0), count)
    assert found.lower == 0
    assert 40 < found.upper < 110


def test_answers_bound_the_limits():
    found = measure_limits(one_stratum(60, 50, 49), count, level=0.9999)
    assert found.upper <= 59
    assert found.lower >= 49


def test_the_mirror_image_has_mirrored_limits():
    one = measure_limits(one_stratum(1000, 60, 9), count)
    other = measure_limits(one_stratum(1000, 60, 51), count)
    assert (one.lower, one.upper) == (1000 - other.upper, 1000 - other.lower)


def test_the_equations_of_the_tilted_shares_hold():
    rng = np.random.default_rng(0)
    seen = rng.dirichlet([1, 1, 1], size=200)[:, :2]
    tilt = rng.normal(0, 3, (200, 2))
    shares = _tilted_shares(seen, tilt)
    mean = np.sum(shares * tilt, axis=1, keepdims=True)
    np.testing.assert_allclose(seen - shares, shares * (tilt - mean), atol=1e-9)
    assert np.all(shares >= 0)
    assert np.all(shares.sum(axis=1) <= 1 + 1e-12)


def test_two_kinds_of_rows_are_a_special_case_of_three():
    seen, tilt = (
        np.array([0.0, 0.2, 0.5, 1.0, 0.0, 0.7]),
        np.array([-3.0, 2.0, -1.0, 4.0, 2.0, 0.0]),
    )
    one = _tilted_share(seen, tilt)
    both = _tilted_shares(
        np.column_stack([seen, np.zeros(6)]), np.column_stack([tilt, np.full(6, np.inf)])
    )
    np.testing.assert_allclose(both, np.column_stack([one, np.zeros(6)]), atol=1e-10)
    np.testing.assert_allclose(seen - one, tilt * one * (1 - one), atol=1e-12)


def test_a_stratum_cut_in_two_agrees_with_two_strata_about_the_count():
    """The count does not depend on where the cut lies."""
    whole = Tally(*(np.array([x]) for x in (200.0, 40.0, 12.0, 0.0, 200.0)))
    cut = Tally(*(np.array([x]) for x in (200.0, 40.0, 7.0, 5.0, 90.0)))
    for end in ("estimate", "lower", "upper"):
        one, other = (getattr(measure_limits(t, count), end) for t in (whole, cut))
        assert one == pytest.approx(other, abs=1)


def test_ratio_limits_pass_the_test_that_defines_them():
    """At the limit of recall, the linear function that is 0 there has the allowed statistic."""
    tally = Tally(
        rows=np.array([900.0, 300.0]),
        drawn=np.array([60.0, 40.0]),
        above=np.array([0.0, 30.0]),
        below=np.array([6.0, 0.0]),
        rows_above=np.array([0.0, 300.0]),
        known_above=50.0,
        known_below=10.0,
    )

    def statistic(ratio):
        """The score test of "recall = ratio", solved without the library's code."""
        a = np.array([-900 * ratio, 300 * (1 - ratio)])
        constant = 50 * (1 - ratio) - 10 * ratio
        seen = np.array([6 / 60, 30 / 40])
        fraction = np.array([60 / 900, 40 / 300])
        v = (1 - fraction) / np.array([59, 39])
        kappa = v * (1 - 2 * fraction) / np.array([59, 39])

        def tilted(mu):
            k = mu * a * v

            def share(p_seen, one):
                return brentq(lambda p: p_seen - p - one * p * (1 - p), 0, 1)

            shares = [share(p_seen, one) for p_seen, one in zip(seen, k, strict=True)]
            return np.array(shares)

        mu = brentq(lambda mu: a @ tilted(mu) + constant, -0.3, 0.3)
        p = tilted(mu)
        variance = np.sum(a**2 * v * p * (1 - p))
        skewness = np.sum(a**3 * kappa * p * (1 - p) * (1 - 2 * p)) / variance**1.5
        return mu * np.sqrt(variance), skewness

    def beyond(ratio, sign):
        z, skewness = statistic(ratio)
        return sign * z - (Z + np.clip(sign * skewness * (Z**2 - 1) / 6, -Z / 2, Z))

    estimate = (225 + 50) / (225 + 50 + 90 + 10)
    lower = brentq(beyond, 0.55, estimate - 1e-6, args=(1,))
    upper = brentq(beyond, estimate + 1e-6, 0.9, args=(-1,))
    found = measure_limits(tally, recall)
    # Whole rows: the limits are a little further out.
    assert lower - 0.004 < found.lower <= lower
    assert upper <= found.upper < upper + 0.004


def test_many_samples_at_once_are_the_samples_one_by_one():
    rng = np.random.default_rng(1)
    rows, drawn = np.array([300.0, 120.0, 80.0]), np.array([20.0, 15.0, 15.0])
    rows_above = np.array([0.0, 0.0, 80.0])
    positive = rng.integers(0, 12, size=(25, 3)).astype(float)
    side = rows_above > 0
    columns = np.broadcast_arrays(rows, drawn, positive)
    together = Tally(
        columns[0], columns[1], positive * side, positive * ~side, rows_above * np.ones((25, 1))
    )
    found = measure_limits(together, recall)
    for k in range(25):
        alone = Tally(rows, drawn, positive[k] * side, positive[k] * ~side, rows_above)
        one = measure_limits(alone, recall)
        np.testing.assert_allclose(
            [one.lower, one.upper], [found.lower[k], found.upper[k]], atol=2e-3
        )


def test_estimates_are_unbiased_and_intervals_cover():
    """4000 draws from four strata with known positives; the Monte-Carlo error is .0035."""
    rng = np.random.default_rng(2)
    rows, positives = np.array([400, 200, 100, 60]), np.array([6, 20, 40, 50])
    drawn, n = np.array([25, 20, 15, 12]), 4000
    seen = np.stack(
        [
            rng.hypergeometric(good, size - good, k, n)
            for good, size, k in zip(positives, rows, drawn, strict=True)
        ],
        axis=1,
    ).astype(float)
    side = np.array([False, False, True, True])
    ones = np.ones((n, 1))
    tally = Tally(rows * ones, drawn * ones, seen * side, seen * ~side, rows * side * ones, 30, 5)
    for measure in (count, recall):
        found = measure_limits(tally, measure)
        truth = measure(90 + 30, 26 + 5)
        covered = np.mean((found.lower <= truth) & (truth <= found.upper))
        assert covered > 0.945 - 2 * 0.0035
        assert covered < 0.985
    error = tally.totals(tally.shares)[0] - 120
    assert abs(error.mean()) < 4 * error.std() / np.sqrt(n)
