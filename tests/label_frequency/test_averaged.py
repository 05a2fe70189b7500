"""The class prior averaged over links: likelihoods, the bounded scale, simulations."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, logit

from unlabeled.label_frequency import ScoreProfile, bounded_logit, class_prior_density
from unlabeled.label_frequency._averaged import PriorDensity, _Bins, _links, mixed_density

LINKS = 9


@pytest.fixture(scope="module")
def sample() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.RandomState(0)
    t = rng.normal(size=3000)
    y = rng.random_sample(3000) < expit(2 * t - 0.5)
    return t, (y & (rng.random_sample(3000) < 0.4)).astype(float), y


def test_links_have_their_formulas_and_their_derivatives() -> None:
    t, every = np.linspace(-6, 6, 25)[None, :], np.arange(LINKS)
    posterior, slope = _links(t, every)
    assert posterior.shape == (LINKS, 25)
    sigmoid = expit(t[0])
    powers = (0.4, 0.65, 1.7, 2.8)
    expected = (
        [sigmoid] + [sigmoid**nu for nu in powers] + [1 - (1 - sigmoid) ** nu for nu in powers]
    )
    np.testing.assert_allclose(posterior, expected, rtol=1e-10)
    step = 1e-6
    numeric = (_links(t + step, every)[0] - _links(t - step, every)[0]) / (2 * step)
    np.testing.assert_allclose(slope, numeric, atol=1e-8)


def test_the_logistic_link_has_the_likelihood_of_the_one_dimensional_model(
    sample: tuple[np.ndarray, ...],
) -> None:
    t, s, _ = sample
    bins = _Bins.of(t, s, None)
    cells = np.arange(len(bins.place))
    total = bins.labelled + bins.unlabelled
    profile = ScoreProfile.of_cells(cells, bins.place, 0 * total, total, len(cells))
    profile = replace(profile, labelled=bins.labelled, unlabelled=bins.unlabelled)
    priors = np.array([0.25, 0.42, 0.8])
    np.testing.assert_allclose(
        bins.log_likelihood(priors, of_label=False)[:, 0],
        profile.lines(priors).log_likelihood,
        atol=1e-3,
    )


@pytest.mark.parametrize("of_label", [False, True])
def test_every_link_is_maximised(sample: tuple[np.ndarray, ...], of_label: bool) -> None:
    t, s, _ = sample
    score = logit(0.4 * expit(2 * t - 0.5)) if of_label else t
    bins = _Bins.of(score, s, None)
    found = bins.log_likelihood(np.array([0.45]), of_label)[0]
    place = bounded_logit(bins.place, s.mean() / 0.45) if of_label else bins.place

    def loss(line: np.ndarray, link: int) -> float:
        posterior = _links((line[0] + line[1] * place)[None, :], np.array([link]))[0][0]
        p = np.clip(s.mean() / 0.45 * posterior, 1e-14, 1 - 1e-14)
        return float(-(bins.labelled @ np.log(p) + bins.unlabelled @ np.log1p(-p)))

    for link in range(LINKS):
        starts = ([0.0, 1.0], [-2.0, 0.5], [2.0, 2.0])  # a search may end at a lower maximum
        best = min(minimize(loss, at, args=(link,), method="Nelder-Mead").fun for at in starts)
        assert found[link] == pytest.approx(-best, abs=0.01)


def test_impossible_class_priors_of_a_large_table_have_probability_0() -> None:
    rng = np.random.RandomState(0)
    t = rng.normal(size=20_000)
    s = ((t > 0) & (rng.random_sample(20_000) < 0.5)).astype(float)
    found = class_prior_density(t, s)
    assert found.mean == pytest.approx(0.5, abs=0.02)
    assert np.all(np.isfinite(found.probability))


def test_bins_keep_every_row_and_tied_scores_together() -> None:
    rng = np.random.RandomState(0)
    t = rng.randint(0, 30, 1000).astype(float)
    s = (rng.random_sample(1000) < 0.2).astype(float)
    weight = rng.uniform(0.5, 2, 1000)
    bins = _Bins.of(t, s, weight)
    assert len(bins.place) == 30
    np.testing.assert_allclose(bins.place, np.arange(30))
    np.testing.assert_allclose(bins.labelled.sum(), weight @ s)
    np.testing.assert_allclose(bins.unlabelled.sum(), weight @ (1 - s))


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


def test_the_density_is_a_distribution_between_the_labelled_share_and_one(
    sample: tuple[np.ndarray, ...],
) -> None:
    t, s, _ = sample
    density = class_prior_density(t, s)
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
        errors.append(class_prior_density(t, s).mean - y.mean())
    error = np.std(errors) / np.sqrt(len(errors))
    assert abs(np.mean(errors)) < 0.02 + 3 * error


def test_a_useless_score_leaves_the_prior_of_the_class_prior() -> None:
    rng = np.random.RandomState(0)
    s = (rng.random_sample(500) < 0.2).astype(float)
    density = class_prior_density(np.zeros(500), s)
    assert density.mean == pytest.approx((1 + s.mean()) / 2, abs=0.01)


def test_a_mixture_weighs_the_means() -> None:
    one = PriorDensity(np.array([0.2, 0.4]), np.array([0.5, 0.5]))
    two = PriorDensity(np.array([0.3, 0.9]), np.array([0.1, 0.9]))
    mixed = mixed_density([one, two], np.array([0.25, 0.75]))
    assert mixed.mean == pytest.approx(0.25 * one.mean + 0.75 * two.mean)
    assert np.all(np.diff(mixed.class_prior) > 0)
    assert mixed.probability.sum() == pytest.approx(1)
