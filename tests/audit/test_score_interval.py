"""Intervals of totals and of measures made of them, from stratified samples."""

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import brentq

from unlabeled.audit import Tally, measure_intervals, measure_of
from unlabeled.audit._score_interval import _limit, _limit_by_halving, _tilted_share

Z = stats.norm.ppf(0.975)


def count(above, below):
    return above + below


def recall(above, below):
    return above / np.maximum(above + below, 1e-12)


def one_stratum(rows, drawn, positive):
    columns = (np.array([float(one)]) for one in (rows, drawn, positive))
    return Tally(*columns, above=np.array([True]))


def test_six_rows_by_hand():
    """Two strata of 4 and 6 rows, 2 and 3 drawn: totals worked out on paper.

    Above the cut 1 of 2 drawn rows is positive, so 4 * 1/2 = 2 positives; below it 1 of 3, so
    6 * 1/3 = 2. With three labeled rows above and one below: 8 positives, 5 above the cut.
    """
    tally = Tally(
        rows=np.array([6.0, 4.0]),
        drawn=np.array([3.0, 2.0]),
        positive=np.array([1.0, 1.0]),
        above=np.array([False, True]),
        known_above=3.0,
        known_below=1.0,
    )
    assert measure_intervals(tally, count).estimate == 8.0
    assert measure_intervals(tally, recall).estimate == pytest.approx(5 / 8)
    # One positive and one negative were seen above, one positive and two negatives below.
    low, high = tally.bounds()
    np.testing.assert_array_equal(low, [4, 2])
    np.testing.assert_array_equal(high, [3 + 4 - 1, 1 + 6 - 2])
    limits = measure_intervals(tally, count, confidence_level=0.999)
    assert (limits.lower, limits.upper) == (6, 11)


@pytest.mark.parametrize(("drawn", "positive"), [(40, 10), (60, 3), (30, 29), (50, 25)])
def test_one_stratum_is_a_score_interval_with_a_skewness_term(drawn, positive):
    """Solved again for the share itself, by bisection, without the tilted path."""
    rows = 1000
    found = measure_intervals(one_stratum(rows, drawn, positive), count)
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
    found = measure_intervals(one_stratum(1e12, 40_001, 20_000.5), count)
    wilson = stats.binomtest(20_000, 40_000).proportion_ci(method="wilson")
    assert found.lower / 1e12 == pytest.approx(wilson.low, abs=1e-6)
    assert found.upper / 1e12 == pytest.approx(wilson.high, abs=1e-6)


def test_a_census_has_no_length():
    found = measure_intervals(one_stratum(37, 37, 11), count)
    assert (found.lower, found.estimate, found.upper) == (11, 11, 11)


def test_no_positive_seen_still_has_an_upper_limit():
    found = measure_intervals(one_stratum(1000, 50, 0), count)
    assert found.lower == 0
    assert 40 < found.upper < 110


def test_answers_bound_the_limits():
    found = measure_intervals(one_stratum(60, 50, 49), count, confidence_level=0.9999)
    assert found.upper <= 59
    assert found.lower >= 49


def test_the_mirror_image_has_mirrored_limits():
    one = measure_intervals(one_stratum(1000, 60, 9), count)
    other = measure_intervals(one_stratum(1000, 60, 51), count)
    assert (one.lower, one.upper) == (1000 - other.upper, 1000 - other.lower)


def test_the_equation_of_a_tilted_share_holds():
    rng = np.random.default_rng(0)
    seen = np.concatenate([rng.random(200), [0.0, 0.0, 1.0, 1.0]])
    tilt = np.concatenate([rng.normal(0, 3, 200), [-3.0, 3.0, -3.0, 3.0]])
    share = _tilted_share(seen, tilt)
    np.testing.assert_allclose(seen - share, tilt * share * (1 - share), atol=1e-12)
    assert np.all((share >= 0) & (share <= 1))
    np.testing.assert_allclose(share[-4:], [2 / 3, 0, 1, 1 / 3])


def test_ratio_limits_pass_the_test_that_defines_them():
    """At the limit of recall, the linear function that is 0 there has the allowed statistic."""
    tally = Tally(
        rows=np.array([900.0, 300.0]),
        drawn=np.array([60.0, 40.0]),
        positive=np.array([6.0, 30.0]),
        above=np.array([False, True]),
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
    found = measure_intervals(tally, recall)
    # Whole rows: the limits are a little further out.
    assert lower - 0.004 < found.lower <= lower
    assert upper <= found.upper < upper + 0.004


def limit_of_a_ratio(tally, line, sign, between):
    """Where the score test of "ratio = r" is at its limit, by a search over r itself.

    `line(r)` has the weights of the totals above and below the cut, and a constant: their sum is
    0 if the ratio is r.
    """
    fraction = tally.drawn / tally.rows
    v = (1 - fraction) / (tally.drawn - 1)
    kappa = v * (1 - 2 * fraction) / (tally.drawn - 1)

    def beyond(ratio):
        of_above, of_below, constant = line(ratio)
        a = tally.rows * np.where(tally.above, of_above, of_below)
        constant += of_above * tally.known_above + of_below * tally.known_below
        largest = 1e6 / np.max(np.abs(a) * v)

        def off(mu):
            return a @ _tilted_share(tally.shares, mu * a * v) + constant

        mu = brentq(off, -largest, largest, xtol=1e-14 * largest)
        p = _tilted_share(tally.shares, mu * a * v)
        variance = np.sum(a**2 * v * p * (1 - p))
        skewness = np.sum(a**3 * kappa * p * (1 - p) * (1 - 2 * p)) / variance**1.5
        allowed = Z + np.clip(sign * skewness * (Z**2 - 1) / 6, -Z / 2, Z)
        return sign * mu * np.sqrt(variance) - allowed

    return brentq(beyond, *between)


def eight_strata(positive):
    """20 000 rows, none of them labeled, half of them above the cut."""
    rows, drawn = np.full(8, 2500.0), np.full(8, 12.0)
    return Tally(rows, drawn, np.array(positive, dtype=float), np.arange(8) >= 4)


def test_recall_with_one_positive_answer_is_the_inverted_test():
    """The direction goes round in circles here: nothing but that answer is known."""
    one = [0, 0, 0, 0, 1, 0, 0, 0]
    line = lambda r: (1 - r, -r, 0.0)  # noqa: E731
    lower = limit_of_a_ratio(eight_strata(one), line, 1, (0.01, 0.9))
    assert 0.05 < lower < 0.08
    function = measure_of("recall", 20_000, 10_000)
    found = measure_intervals(eight_strata(one), function)
    assert lower - 0.005 < found.lower <= lower  # whole rows
    assert found.upper == 1
    mirrored = measure_intervals(eight_strata(one[::-1]), function)
    assert mirrored.lower == 0
    assert mirrored.upper == pytest.approx(1 - found.lower, abs=0.005)


def test_f1_is_the_inverted_test_where_every_answer_above_the_cut_is_positive():
    """A total at its edge can move to one side only, and so does its gradient."""
    rows = np.array([3_000_000.0, 1_000_000.0])
    tally = Tally(rows, np.array([12.0, 12.0]), np.array([3.0, 12.0]), np.array([False, True]))
    line = lambda f: (2 - f, -f, -f * 1_000_000)  # noqa: E731
    lower = limit_of_a_ratio(tally, line, 1, (0.4, 0.7))
    found = measure_intervals(tally, measure_of("f1", 4_000_000, 1_000_000))
    assert found.lower == pytest.approx(lower, abs=1e-3)


def test_halving_angles_finds_what_fixed_point_steps_find():
    rng = np.random.default_rng(3)
    positive = rng.integers(1, 11, size=(20, 3)).astype(float)
    rows, above = np.array([900.0, 700.0, 200.0]), np.array([False, False, True])
    tally = Tally(rows, np.full(3, 12.0), positive, above, 30.0, 10.0)
    for name in ("recall", "f1", "mcc", "count", "precision"):
        function = measure_of(name, 1840, 230)
        for sign in (1.0, -1.0):
            found, direction = _limit(tally, function, sign, Z)
            halved, of_halved = _limit_by_halving(tally, function, sign, Z)
            np.testing.assert_allclose(of_halved, direction, atol=1e-3)
            values = [function(*one.T) for one in (found, halved)]
            np.testing.assert_allclose(*values, rtol=1e-4)


def test_recall_covers_where_often_one_positive_is_seen():
    """2000 draws of 96 of 20 000 rows, none labeled; the Monte-Carlo error is .005."""
    rng = np.random.default_rng(4)
    positives = np.array([3, 3, 2, 2, 50, 50, 50, 50])
    rows, drawn = np.full(8, 2500), np.full(8, 12)
    different, times = np.unique(
        draw_answers(rng, rows, positives, drawn, 2000), axis=0, return_counts=True
    )
    found = measure_intervals(eight_strata(different), measure_of("recall", 20_000, 10_000))
    covered = np.average((found.lower <= 200 / 210) & (found.upper >= 200 / 210), weights=times)
    assert covered > 0.95 - 3 * 0.005


def test_many_samples_at_once_are_the_samples_one_by_one():
    rng = np.random.default_rng(1)
    rows, drawn = np.array([300.0, 120.0, 80.0]), np.array([20.0, 15.0, 15.0])
    above = np.array([False, False, True])
    positive = rng.integers(0, 12, size=(25, 3)).astype(float)
    found = measure_intervals(Tally(rows, drawn, positive, above), recall)
    for k in range(25):
        alone = Tally(rows, drawn, positive[k], above)
        one = measure_intervals(alone, recall)
        np.testing.assert_allclose(
            [one.lower, one.upper], [found.lower[k], found.upper[k]], atol=2e-3
        )


def draw_answers(rng, rows, positives, drawn, n):
    """Numbers of positives among the drawn rows of each stratum, n times."""
    return rng.hypergeometric(positives, rows - positives, drawn, (n, len(rows))).astype(float)


@pytest.mark.parametrize("measure", ["recall", "mcc", "f1", "balanced_accuracy"])
@pytest.mark.parametrize("positives", [[2, 6], [1595, 395]])
def test_intervals_cover_where_no_positive_or_no_negative_may_be_seen(measure, positives):
    """2000 draws of new rows, of which none is labeled; the Monte-Carlo error is .005."""
    rng = np.random.default_rng(0)
    rows, drawn, above = np.array([1600, 400]), np.array([60, 40]), np.array([False, True])
    positives = np.array(positives)
    function = measure_of(measure, 2000, 400)
    seen = draw_answers(rng, rows, positives, drawn, 2000)
    found = measure_intervals(Tally(rows, drawn, seen, above), function)
    truth = float(function(*positives[::-1].astype(float)))
    assert np.isfinite([found.estimate, found.lower, found.upper]).all()
    covered = np.mean((found.lower <= truth + 1e-12) & (truth - 1e-12 <= found.upper))
    assert covered > 0.95 - 3 * 0.005


def test_intervals_of_pooled_samples_cover():
    """2000 pairs of samples of one table with different strata; the Monte-Carlo error is .005."""
    rng = np.random.default_rng(1)
    kind = rng.choice(4, 900, p=[0.4, 0.3, 0.2, 0.1])  # both designs are made of these cells
    y_true = rng.random(900) < np.array([0.02, 0.1, 0.5, 0.9])[kind]
    tallies, truth = [], float(y_true.sum())
    for strata, n_drawn in (([0, 0, 1, 1], [20, 30]), ([0, 1, 2, 2], [15, 15, 30])):
        stratum = np.array(strata)[kind]
        rows, positives = np.bincount(stratum), np.bincount(stratum, y_true).astype(int)
        seen = draw_answers(rng, rows, positives, np.array(n_drawn), 2000)
        tallies.append((rows, np.array(n_drawn), seen))
    together = Tally(
        rows=np.concatenate([one[0] for one in tallies]),
        drawn=np.concatenate([one[1] for one in tallies]),
        positive=np.concatenate([one[2] for one in tallies], axis=1),
        above=np.zeros(5, dtype=bool),
        weight=np.repeat([50 / 110, 60 / 110], [2, 3]),
    )
    found = measure_intervals(together, count)
    covered = np.mean((found.lower <= truth) & (truth <= found.upper))
    assert 0.95 - 3 * 0.005 < covered < 0.985


def test_estimates_are_unbiased_and_intervals_cover():
    """4000 draws from four strata with known positives; the Monte-Carlo error is .0035."""
    rng = np.random.default_rng(2)
    rows, positives = np.array([400, 200, 100, 60]), np.array([6, 20, 40, 50])
    drawn, n = np.array([25, 20, 15, 12]), 4000
    seen = draw_answers(rng, rows, positives, drawn, n)
    side = np.array([False, False, True, True])
    tally = Tally(rows, drawn, seen, side, known_above=30, known_below=5)
    for measure in (count, recall):
        found = measure_intervals(tally, measure)
        truth = measure(90 + 30, 26 + 5)
        covered = np.mean((found.lower <= truth) & (truth <= found.upper))
        assert covered > 0.945 - 2 * 0.0035
        assert covered < 0.99  # whole rows: a small table has longer intervals
    error = tally.totals(rows * tally.shares)[:, 0] - 120
    assert abs(error.mean()) < 4 * error.std() / np.sqrt(n)
