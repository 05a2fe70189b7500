"""The class prior averaged over links: likelihoods, the bounded scale, simulations."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, logit

from unlabeled.label_frequency import PriorBound, class_prior_density
from unlabeled.scores import ScoreProfile, bounded_logit, largest_class_prior
from unlabeled.scores._prior_density import PriorDensity, _fits, _links, mixed_density
from unlabeled.thresholds import count_above

LINKS = 9


@pytest.fixture(scope="module")
def sample() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.RandomState(0)
    t = rng.normal(size=3000)
    y = rng.random_sample(3000) < expit(2 * t - 0.5)
    return t, (y & (rng.random_sample(3000) < 0.4)).astype(float), y


def test_links_have_their_formulas_and_their_derivatives() -> None:
    t, every = np.linspace(-6, 6, 25)[None, :], np.arange(LINKS)
    log_posterior, rise = _links(np.tile(t, (LINKS, 1)), every)
    posterior = np.exp(log_posterior)
    assert posterior.shape == (LINKS, 25)
    sigmoid = expit(t[0])
    powers = (0.4, 0.65, 1.7, 2.8)
    expected = (
        [sigmoid] + [sigmoid**nu for nu in powers] + [1 - (1 - sigmoid) ** nu for nu in powers]
    )
    np.testing.assert_allclose(posterior, expected, rtol=1e-10)
    step = 1e-6
    above, below = (_links(np.tile(t + h, (LINKS, 1)), every)[0] for h in (step, -step))
    np.testing.assert_allclose(rise, (above - below) / (2 * step), atol=1e-8)


def test_the_logistic_link_has_the_likelihood_of_the_one_dimensional_model(
    sample: tuple[np.ndarray, ...],
) -> None:
    t, s, _ = sample
    bins = ScoreProfile.of_both_kinds(t, s, None)
    cells = np.arange(len(bins.score))
    total = bins.labeled + bins.unlabeled
    profile = ScoreProfile.of_cells((cells, len(cells)), bins.score, 0 * total, total)
    profile = replace(profile, labeled=bins.labeled, unlabeled=bins.unlabeled)
    priors = np.array([0.35, 0.42, 0.5])  # lines that are far less likely rest early
    np.testing.assert_allclose(
        _fits(bins, priors, np.array([0]), of_label=False).log_likelihood[:, 0],
        profile.lines(priors).log_likelihood,
        atol=1e-3,
    )


@pytest.mark.parametrize("of_label", [False, True])
def test_every_link_is_maximized(sample: tuple[np.ndarray, ...], of_label: bool) -> None:
    t, s, _ = sample
    score = logit(0.4 * expit(2 * t - 0.5)) if of_label else t
    bins = ScoreProfile.of_both_kinds(score, s, None)
    found = _fits(bins, np.array([0.45]), np.arange(LINKS), of_label).log_likelihood[0]
    place = bounded_logit(bins.score, s.mean() / 0.45) if of_label else bins.score

    def loss(line: np.ndarray, link: int) -> float:
        posterior = np.exp(_links((line[0] + line[1] * place)[None, :], np.array([link]))[0][0])
        p = np.clip(s.mean() / 0.45 * posterior, 1e-14, 1 - 1e-14)
        return float(-(bins.labeled @ np.log(p) + bins.unlabeled @ np.log1p(-p)))

    for link in range(LINKS):
        starts = ([0.0, 1.0], [-2.0, 0.5], [2.0, 2.0])  # a search may end at a lower maximum
        best = min(minimize(loss, at, args=(link,), method="Nelder-Mead").fun for at in starts)
        assert found[link] == pytest.approx(-best, abs=0.01)


def test_impossible_class_priors_of_a_large_table_have_probability_0() -> None:
    rng = np.random.RandomState(0)
    t = rng.normal(size=20_000)
    s = ((t > 0) & (rng.random_sample(20_000) < 0.5)).astype(float)
    found = class_prior_density(s, t)
    assert found.mean == pytest.approx(0.5, abs=0.02)
    assert np.all(np.isfinite(found.probability))


def test_bins_keep_every_row_and_tied_scores_together() -> None:
    rng = np.random.RandomState(0)
    t = rng.randint(0, 30, 1000).astype(float)
    s = (rng.random_sample(1000) < 0.2).astype(float)
    weight = rng.uniform(0.5, 2, 1000)
    bins = ScoreProfile.of_both_kinds(t, s, weight)
    assert len(bins.score) == 30
    np.testing.assert_allclose(bins.score, np.arange(30))
    np.testing.assert_allclose(bins.labeled.sum(), weight @ s)
    np.testing.assert_allclose(bins.unlabeled.sum(), weight @ (1 - s))


def test_far_below_c_the_bounded_logit_is_the_logit_of_the_ratio() -> None:
    ratio = np.array([1e-9, 1e-4, 0.01, 0.3, 0.7])
    np.testing.assert_allclose(bounded_logit(logit(0.2 * ratio), 0.2), logit(ratio), atol=5e-3)
    rest = 1 - np.array([0.9, 1.0, 1.5])
    hyperbola = 0.5 * (rest + np.sqrt(rest**2 + 4 * 0.02**2))
    expected = np.log((1 - rest) / hyperbola)
    np.testing.assert_allclose(bounded_logit(logit(0.2 * (1 - rest)), 0.2), expected, rtol=1e-9)


def test_the_bounded_logit_increases_strictly_beyond_c_and_stays_finite() -> None:
    p = np.concatenate([np.geomspace(1e-12, 0.1, 60), np.linspace(0.11, 1 - 1e-9, 400)])
    u = bounded_logit(logit(p), 0.2)
    assert np.all(np.isfinite(u))
    assert np.all(np.diff(u) > 0)


def test_the_density_is_a_distribution_between_the_labeled_share_and_one(
    sample: tuple[np.ndarray, ...],
) -> None:
    t, s, _ = sample
    density = class_prior_density(s, t)
    assert density.probability.sum() == pytest.approx(1)
    assert np.all(np.diff(density.class_prior) > 0)
    assert s.mean() < density.class_prior[0] < density.class_prior[-1] < 1
    assert density.mean == pytest.approx(density.class_prior @ density.probability)


def test_the_mean_is_near_the_truth_for_a_logistic_posterior() -> None:
    """Mean error over 20 tables within three Monte-Carlo errors of a small bias."""
    errors = []
    for seed in range(20):
        rng = np.random.RandomState(seed)
        t = rng.normal(size=2000)
        y = rng.random_sample(2000) < expit(3 * t)
        s = (y & (rng.random_sample(2000) < 0.5)).astype(float)
        errors.append(class_prior_density(s, t).mean - y.mean())
    error = np.std(errors) / np.sqrt(len(errors))
    assert abs(np.mean(errors)) < 0.02 + 3 * error


def test_a_useless_score_leaves_the_prior_of_the_class_prior() -> None:
    rng = np.random.RandomState(0)
    s = (rng.random_sample(500) < 0.2).astype(float)
    density = class_prior_density(s, np.zeros(500))
    # Uniform on (share, 1), but for what the errors of counting push beyond 1.
    assert density.mean == pytest.approx((1 + s.mean()) / 2, abs=0.03)
    assert density.identified == "not at all"


def test_the_lower_end_is_not_above_the_smallest_share_that_the_labels_do_not_reject() -> None:
    points = np.linspace(0.1, 0.9, 81)
    flat = PriorDensity(points, np.full(81, 1 / 81), 1e6)
    lower, upper = flat.interval()
    # A likelihood that falls by 10 per .1 below .3: within 1.92 of the largest from .2808 on.
    falling = np.stack([[0.1, 0.3, 0.9], [20.0, 0.0, 0.0]])
    steep = replace(flat, profile=falling)
    assert lower == pytest.approx(0.12, abs=0.01)
    assert tuple(steep.interval()) == (lower, upper)  # the quantile is lower already
    high = replace(steep, class_prior=0.5 + points / 2)
    assert high.interval().lower == pytest.approx(0.3 - 1.9207 / 100, abs=1e-4)
    assert high.interval(0.5).lower == pytest.approx(0.3 - 0.5 * 0.6745**2 / 100, abs=1e-4)
    drawn = replace(high, n_rows=1000.0).interval(of="population").lower
    likely = 0.3 - 1.9207 / 100
    assert drawn == pytest.approx(likely - 1.96 * np.sqrt(likely * (1 - likely) / 1000), abs=1e-4)


def test_a_profile_that_begins_likely_reaches_its_first_share() -> None:
    profile = np.stack([[0.2, 0.25, 0.9], [0.5, 0.5, 0.0]])
    density = PriorDensity(np.array([0.8, 0.9]), np.array([0.5, 0.5]), 1e6, {}, profile)
    assert density.interval().lower == 0.2
    assert density.interval(0.5).lower == pytest.approx(
        0.25 + 0.65 * (0.5 - 0.5 * 0.6745**2) / 0.5, abs=1e-3
    )


def test_a_mixture_has_the_profile_of_its_likelier_score() -> None:
    share = np.linspace(0.1, 0.7, 61)
    steep, flat = 200 * (share - 0.5) ** 2, np.where(share < 0.5, 1.0, 0.0)
    one, two = (
        PriorDensity(np.array([0.6]), np.array([1.0]), 100, {}, np.stack([share, below]))
        for below in (steep, flat)
    )
    equal = mixed_density({"one": one, "two": two}, np.array([0.5, 0.5]))
    assert equal.interval().lower == 0.1
    # At a weight of 1 in 1000 the second lies log(999) below, and nothing of it is likely.
    rare = mixed_density({"one": one, "two": two}, np.array([0.999, 0.001]))
    assert rare.interval().lower == one.interval().lower == pytest.approx(0.402, abs=1e-3)
    # A score without a profile, as that of trees, leaves the lower end to the others.
    trees = replace(two, profile=np.empty((2, 0)))
    with_trees = mixed_density({"one": one, "trees": trees}, np.array([0.5, 0.5]))
    assert with_trees.interval().lower == one.interval().lower
    alone = mixed_density({"one": one, "two": two}, np.array([1.0, 0.0]))
    assert alone.interval() == one.interval()


@pytest.mark.parametrize(("alpha", "c", "n"), [(0.02, 0.9, 3000), (0.02, 0.3, 5000)])
def test_rare_positives_are_held_although_the_mean_is_far_above(
    alpha: float, c: float, n: int
) -> None:
    # Without the lower end, 0 and 49 of 100 intervals held the share.
    rng, held, means = np.random.RandomState(0), 0, []
    for _ in range(20):
        y = rng.random_sample(n) < alpha
        s = (y & (rng.random_sample(n) < c)).astype(float)
        density = class_prior_density(s, rng.normal(size=n) + y)
        lower, upper = density.interval()
        held += lower <= y.mean() <= upper
        means.append(density.mean)
    assert held >= 17  # 19 expected; 17 or more with probability .98
    assert np.mean(means) > 2 * alpha


def test_a_table_without_hidden_positives_is_not_rejected() -> None:
    rng = np.random.RandomState(1)
    y = rng.random_sample(3000) < 0.3
    density = class_prior_density(y.astype(float), rng.normal(size=3000) + 2 * y)
    assert density.interval().lower == pytest.approx(y.mean(), abs=1e-12)


def test_a_mixture_weighs_the_means() -> None:
    one = PriorDensity(np.array([0.2, 0.4]), np.array([0.5, 0.5]), 100)
    two = PriorDensity(np.array([0.3, 0.9]), np.array([0.1, 0.9]), 100)
    mixed = mixed_density({"line": one, "trees": two}, np.array([0.25, 0.75]))
    assert mixed.said == {"line": (0.25, one.mean), "trees": (0.75, two.mean)}
    assert mixed.mean == pytest.approx(0.25 * one.mean + 0.75 * two.mean)
    assert np.all(np.diff(mixed.class_prior) > 0)
    assert mixed.probability.sum() == pytest.approx(1)


def test_the_positives_of_a_line_are_the_sum_of_their_probabilities(
    sample: tuple[np.ndarray, ...],
) -> None:
    """Bayes' rule by hand: a labeled row counts 1, another one P(Y=1|S=0,t)."""
    t, s, _ = sample
    bins, prior = ScoreProfile.of_both_kinds(t, s, None), 0.45
    c = bins.labeled_share / prior
    place, n = bins.score, bins.total_weight
    for link in range(LINKS):
        fits = _fits(bins, np.array([prior]), np.array([link]), of_label=False)

        def posterior(line: np.ndarray, link: int = link) -> np.ndarray:
            return np.exp(_links((line[0] + line[1] * place)[None, :], np.array([link]))[0][0])

        def loss(line: np.ndarray) -> float:
            p = np.clip(c * posterior(line), 1e-14, 1 - 1e-14)
            return float(-(bins.labeled @ np.log(p) + bins.unlabeled @ np.log1p(-p)))

        line = minimize(loss, [-0.5, 2.0], method="Nelder-Mead", options={"xatol": 1e-7}).x
        y = posterior(line)
        hidden = bins.unlabeled @ (y * (1 - c) / (y * (1 - c) + 1 - y))
        assert fits.positives[0, 0] == pytest.approx((s.sum() + hidden) / n, abs=2e-4)


def test_the_error_of_the_positives_is_that_of_the_line_and_of_the_classes() -> None:
    """Against the spread over tables drawn from the model itself, c and link known."""
    rng = np.random.RandomState(0)
    t = rng.normal(size=3000)
    c, y_of = 0.5, expit(1.5 * t - 0.5)
    shares, errors, truths = [], [], []
    for _ in range(300):
        y = rng.random_sample(3000) < y_of
        s = (y & (rng.random_sample(3000) < c)).astype(float)
        bins = ScoreProfile.of_both_kinds(t, s, None)
        fits = _fits(bins, np.array([bins.labeled_share / c]), np.array([0]), of_label=False)
        shares.append(fits.positives[0, 0])
        errors.append(fits.error[0, 0])
        truths.append(y.mean())
    misses = np.array(shares) - truths
    assert abs(misses.mean()) < 3 * misses.std() / np.sqrt(300)
    # Given c, an error of counting labels is left over: the class prior varies with the labels.
    assert 0.8 < misses.std() / np.mean(errors) < 1.15


def test_the_interval_holds_the_quantiles_of_the_density() -> None:
    points = np.linspace(0.2, 0.4, 401)
    probability = np.exp(-0.5 * ((points - 0.3) / 0.02) ** 2)
    density = PriorDensity(points, probability / probability.sum(), 1000.0)
    lower, upper = density.interval()
    assert (lower, upper) == pytest.approx((0.3 - 1.96 * 0.02, 0.3 + 1.96 * 0.02), abs=2e-4)
    half = density.interval(0.5)
    assert [*half] == pytest.approx([0.3 - 0.6745 * 0.02, 0.3 + 0.6745 * 0.02], abs=2e-4)


def test_the_population_adds_the_error_of_drawing_the_rows() -> None:
    points = np.linspace(0.2, 0.4, 401)
    probability = np.exp(-0.5 * ((points - 0.3) / 0.02) ** 2)
    density = PriorDensity(points, probability / probability.sum(), 500.0)
    error = np.sqrt(0.02**2 + 0.3 * 0.7 / 500)
    found = density.interval(of="population")
    assert [*found] == pytest.approx([0.3 - 1.96 * error, 0.3 + 1.96 * error], abs=2e-3)
    with pytest.raises(ValueError, match="`of`.*'town'"):
        density.interval(of="town")


def test_weights_that_are_copies_give_the_same_density(sample: tuple[np.ndarray, ...]) -> None:
    t, s, _ = sample
    twice = class_prior_density(np.tile(s, 2), np.tile(t, 2))
    weighted = class_prior_density(s, t, np.full(len(s), 2.0), weights="frequency")
    assert [*weighted.interval()] == pytest.approx([*twice.interval()], abs=1e-6)
    lower, upper = class_prior_density(s, t).interval()
    assert upper - lower > np.diff([*twice.interval()])[0]


def test_no_share_is_above_the_largest_one_that_the_labels_allow() -> None:
    """Positives of two kinds, one of which no curve along the score expects."""
    rng = np.random.RandomState(0)
    t = np.concatenate([rng.normal(3, 0.3, 1000), rng.normal(0, 1, 3000)])
    y = np.repeat([1.0, 0.0], [1000, 3000])
    s = y * (rng.random_sample(4000) < 0.3)
    density = class_prior_density(s, t)
    bound = largest_class_prior(count_above(t, s), 0.05)
    assert density.class_prior[-1] <= bound
    assert bound < 0.35
    assert PriorBound().confidence_level == 0.95


@pytest.mark.parametrize(
    ("length", "mean", "scores", "expected"),
    [
        (0.1, 0.4, 2, "well"),
        (0.1, 0.4, 1, "roughly"),
        (0.1, 0.2, 2, "roughly"),
        (0.2, 0.6, 2, "roughly"),
        (0.45, 0.5, 2, "not at all"),
        (0.09, 0.04, 2, "not at all"),
    ],
)
def test_how_far_a_share_is_identified_depends_on_its_interval_and_the_number_of_scores(
    length: float, mean: float, scores: int, expected: str
) -> None:
    points = mean + np.linspace(-0.5, 0.5, 400) * length / 0.95
    said = {str(k): (0.5, mean) for k in range(scores)}
    density = PriorDensity(points, np.full(400, 1 / 400), 100.0, said)
    assert np.diff([*density.interval()])[0] == pytest.approx(length, rel=0.01)
    assert density.identified == expected


def test_intervals_hold_the_share_of_the_table_whatever_the_link() -> None:
    """Over 60 tables: a logistic curve, a complementary log-log one, and one with a plateau."""
    curves = (
        lambda t: expit(2 * t - 1),
        lambda t: 1 - np.exp(-np.exp(1.2 * t - 1)),
        lambda t: 0.05 + 0.9 * expit(4 * t - 3),
    )
    held = []
    for seed in range(60):
        rng = np.random.RandomState(seed)
        t = rng.normal(size=1500)
        y = rng.random_sample(1500) < curves[seed % 3](t)
        s = (y & (rng.random_sample(1500) < 0.4)).astype(float)
        lower, upper = class_prior_density(s, t).interval()
        held.append(lower <= y.mean() <= upper)
    assert np.mean(held) >= 0.95 - 2 * np.sqrt(0.95 * 0.05 / 60)
