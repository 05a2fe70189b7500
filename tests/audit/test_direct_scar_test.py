"""The direct test of SCAR has its size and its power, whatever the strata are."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit

from unlabeled.audit._direct_scar_test import DirectScarTest, direct_scar_test

# A table of 5 strata: rows, share of positives. The upper strata are nearly pure, so the number of
# positives found there hardly varies; the lowest is large and has few.
ROWS = np.array([2000, 800, 300, 200, 200])
SHARE = np.array([0.02, 0.1, 0.4, 0.95, 0.99])
CHECKED = np.array([20, 20, 20, 20, 20])
C = 0.4
REPEATS = 1000


def seen_positives(rng, slope=0.0):
    """Label positives of the table, check rows at random in each stratum; arguments of the test."""
    stratum = np.repeat(np.arange(5), ROWS)
    rank = (np.arange(len(stratum)) + 0.5) / len(stratum)
    positive = rng.random(len(stratum)) < SHARE[stratum]
    among = stats.rankdata(rank[positive]) / positive.sum()
    propensity = np.zeros(len(stratum))
    propensity[positive] = expit(np.log(C / (1 - C)) + slope * (among - 0.5))
    labeled = positive & (rng.random(len(stratum)) < propensity)
    unlabeled = np.flatnonzero(~labeled)
    drawn = np.concatenate(
        [
            rng.choice(unlabeled[stratum[unlabeled] == h], CHECKED[h], replace=False)
            for h in range(5)
        ]
    )
    found = drawn[positive[drawn]]
    strata = {
        "stratum_labeled": stratum[labeled],
        "stratum_positive": stratum[found],
        "rows": np.bincount(stratum[unlabeled], minlength=5),
        "checked": CHECKED,
    }
    return rank[labeled], rank[found], strata


def test_statistic_is_the_derivative_of_the_log_likelihood_over_its_standard_deviation():
    labeled, found, strata = seen_positives(np.random.default_rng(0))
    fraction = strata["checked"] / strata["rows"]
    stratum = np.concatenate([strata["stratum_labeled"], strata["stratum_positive"]])
    checked = np.arange(len(stratum)) >= len(labeled)
    t = stats.rankdata(np.concatenate([labeled, found])) / len(stratum)

    def log_likelihood(log_odds, slope):
        # P(checked | seen) = (1-e) f / (e + (1-e) f), with e the propensity.
        e = expit(log_odds + slope * t)
        of_checked = (1 - e) * fraction[stratum]
        return np.sum(np.log(np.where(checked, of_checked, e) / (e + of_checked)))

    grid = np.linspace(-3, 3, 60_001)
    best = grid[np.argmax([log_likelihood(a, 0) for a in grid[::100]]) * 100]
    for width in (1e-2, 1e-4):
        near = best + np.linspace(-width, width, 41)
        best = near[np.argmax([log_likelihood(a, 0) for a in near])]
    step = 1e-4
    slope = (log_likelihood(best, step) - log_likelihood(best, -step)) / (2 * step)
    # The variance, one stratum after the other.
    p = (1 - expit(best)) * fraction / (expit(best) + (1 - expit(best)) * fraction)
    weight = (p * (1 - p))[stratum]
    u = t - np.sum(weight * t) / np.sum(weight)
    variance = np.sum(weight * u**2)
    for h in range(5):
        variance -= (1 - fraction[h]) / CHECKED[h] * np.sum((weight * u)[stratum == h]) ** 2
    result = direct_scar_test(labeled, found, **strata)
    assert result.statistic == pytest.approx(slope / np.sqrt(variance), rel=1e-3)
    assert result.p_value == pytest.approx(
        2 * stats.t.sf(abs(result.statistic), len(found) - 1), rel=1e-9
    )


def test_with_one_stratum_it_is_the_rank_sum_test():
    rng = np.random.default_rng(1)
    labeled, found = rng.normal(0.3, 1, 40), rng.normal(0, 1, 15)
    one = {"stratum_labeled": np.zeros(40, int), "stratum_positive": np.zeros(15, int)}
    result = direct_scar_test(labeled, found, **one, rows=[300], checked=[60])
    rank_sum = stats.mannwhitneyu(labeled, found, method="asymptotic", use_continuity=False)
    # The rank-sum test divides by n - 1 where we divide by n.
    expected = stats.norm.isf(rank_sum.pvalue / 2) * np.sqrt(55 / 54)
    assert result.statistic == pytest.approx(expected, rel=1e-9)
    assert result.difference == pytest.approx(rank_sum.statistic / (40 * 15) - 0.5)


@pytest.fixture(scope="module")
def honest():
    rng = np.random.default_rng(2)
    drawn = (seen_positives(rng) for _ in range(REPEATS))
    return [direct_scar_test(labeled, found, **strata) for labeled, found, strata in drawn]


def test_size_is_the_level_under_scar(honest):
    rejected = np.mean([one.p_value <= 0.05 for one in honest])
    assert abs(rejected - 0.05) < 4 * np.sqrt(0.05 * 0.95 / REPEATS)
    statistic = np.array([one.statistic for one in honest])
    assert abs(statistic.mean()) < 4 / np.sqrt(REPEATS)
    # Without the term for the fixed number of checked rows it would be .8.
    assert statistic.std() == pytest.approx(1, abs=0.08)


def test_the_difference_has_little_bias_under_scar(honest):
    # A ratio of weighted sums: its bias is small next to its error, not 0.
    difference = np.array([one.difference for one in honest])
    assert abs(difference.mean()) < 0.2 * difference.std()
    unweighted = [_unweighted_difference(np.random.default_rng(seed)) for seed in range(100)]
    assert abs(np.mean(unweighted)) > difference.std()


def _unweighted_difference(rng):
    """The difference if found positives of all strata counted alike."""
    labeled, found, _ = seen_positives(rng)
    return np.mean(labeled[:, None] > found) - 0.5


def test_the_smallest_difference_is_seen_four_times_in_five(honest):
    smallest = np.mean([one.smallest_difference for one in honest])
    rng = np.random.default_rng(3)
    slope = 12 * smallest  # of a uniform rank: the difference is slope / 12, for small slopes
    seen, differences = [], []
    for _ in range(600):
        labeled, found, strata = seen_positives(rng, slope)
        result = direct_scar_test(labeled, found, **strata)
        seen.append(result.p_value <= 0.05 and result.statistic > 0)
        differences.append(result.difference)
    assert np.mean(differences) == pytest.approx(smallest, abs=0.02)
    assert np.mean(seen) == pytest.approx(0.8, abs=0.08)


def test_only_the_order_of_the_scores_counts_and_its_reverse_turns_the_sign():
    labeled, found, strata = seen_positives(np.random.default_rng(4), 3.0)
    result = direct_scar_test(labeled, found, **strata)
    assert result.statistic > 0
    assert result.difference > 0
    moved = direct_scar_test(np.exp(9 * labeled), np.exp(9 * found), **strata)
    assert moved.statistic == pytest.approx(result.statistic)
    turned = direct_scar_test(-labeled, -found, **strata)
    assert turned.statistic == pytest.approx(-result.statistic)
    assert turned.difference == pytest.approx(-result.difference)


def test_a_constant_score_shows_nothing():
    strata = {"stratum_labeled": [0] * 9, "stratum_positive": [0] * 6}
    result = direct_scar_test([1.0] * 9, [1.0] * 6, **strata, rows=[50], checked=[20])
    assert (result.statistic, result.p_value, result.difference) == (0, 1, 0)
    assert result.smallest_difference == 0.5


def test_labeled_rows_of_a_stratum_without_answers_do_not_count():
    labeled, found, strata = seen_positives(np.random.default_rng(5))
    none = strata | {"rows": [*strata["rows"], 40], "checked": [*CHECKED, 0]}
    more = none | {"stratum_labeled": [*strata["stratum_labeled"], 5]}
    result = direct_scar_test(labeled, found, **none)
    # A score above all others moves no rank among the others.
    with_it = direct_scar_test([*labeled, 2.0], found, **more)
    assert with_it.statistic == pytest.approx(result.statistic)


def test_words_say_what_was_seen_and_what_could_have_been():
    seen = DirectScarTest(4.0, 0.0002, 0.2, 0.16, 200, 25, 0.05)
    assert "25 positives" in str(seen)
    assert "higher" in str(seen)
    other = DirectScarTest(-0.4, 0.69, -0.02, 0.16, 200, 25, 0.05)
    assert "66 of 100 pairs instead of 50" in str(other)
    assert "does not prove" in str(other)


def test_bad_input_is_rejected():
    good = {"stratum_labeled": [0] * 6, "stratum_positive": [0] * 5, "rows": [50], "checked": [9]}
    six, five = np.arange(6.0), np.arange(5.0)
    with pytest.raises(ValueError, match="at least 5 .*got 6 and 4"):
        direct_scar_test(six, five[:4], **good | {"stratum_positive": [0] * 4})
    with pytest.raises(ValueError, match="Scores must be finite"):
        direct_scar_test(six, [*five[:4], np.nan], **good)
    with pytest.raises(ValueError, match="one stratum; got 10 strata for 11 rows"):
        direct_scar_test(six, five, **good | {"stratum_labeled": [0] * 5})
    with pytest.raises(ValueError, match="from 0 to 0"):
        direct_scar_test(six, five, **good | {"stratum_labeled": [1] * 6})
    with pytest.raises(ValueError, match="`checked` must be at most `rows`"):
        direct_scar_test(six, five, **good | {"checked": [4]})
