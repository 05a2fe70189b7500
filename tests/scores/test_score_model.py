"""The model of a score on bins: the best line for each class prior, and the mean class prior."""

import numpy as np
import pytest
from scipy.optimize import brentq, minimize_scalar
from scipy.special import expit

from unlabeled.scores import ScoreProfile, fit_score_joint, mean_class_prior
from unlabeled.scores._score_model import _mean_under


def test_the_mean_is_that_of_a_fine_grid(rng):
    y_true = rng.random(600) < 0.4
    score = rng.normal(size=600) + 2 * y_true
    s = (y_true & (rng.random(600) < 0.5)).astype(float)
    prior = np.linspace(s.mean(), 1, 301)[1:-1]
    value = [
        fit_score_joint(score, s, None, s.mean() / alpha).mean_log_likelihood for alpha in prior
    ]
    weight = np.exp(600 * (np.array(value) - max(value)))
    expected = np.average(prior, weights=weight)
    assert mean_class_prior(score, s) == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("deviation", [1e-6, 1e-3, 0.05])
def test_the_mean_of_a_narrow_normal(deviation):
    mean = _mean_under(lambda x: -0.5 * ((x - 0.3) / deviation) ** 2, 0.01, 1.0)
    assert mean == pytest.approx(0.3, abs=0.02 * deviation)


def test_bins_keep_mass_labels_and_mean(rng):
    score, s = rng.normal(size=5000), (rng.random(5000) < 0.3).astype(float)
    profile = ScoreProfile.of(score, s, None)
    assert len(profile.z) <= 1000
    assert profile.labeled.sum() == s.sum()
    assert profile.unlabeled.sum() == 5000 - s.sum()
    assert profile.mean == pytest.approx(score.mean())


@pytest.mark.parametrize("class_prior", [0.25, 0.4, 0.9])
def test_lines_of_the_profile_are_those_of_the_full_fit(rng, class_prior):
    score = rng.normal(size=600)
    posterior = 1 / (1 + np.exp(0.5 - 2 * score))
    s = (rng.random(600) < 0.5 * posterior).astype(float)
    profile = ScoreProfile.of(score, s, None)
    full = fit_score_joint(score, s, None, s.mean() / class_prior)
    line = profile.line(class_prior)
    assert line.slope == pytest.approx(full.slope, rel=1e-5)
    assert line.intercept == pytest.approx(full.intercept, abs=1e-4)
    likelihood = profile.lines(np.array([class_prior])).log_likelihood
    assert likelihood[0] == pytest.approx(600 * full.mean_log_likelihood, rel=1e-9)
    # Half as steep, it crosses 1/2 at the same score.
    flatter = profile.line(class_prior, widest=0.5 * line.slope * score.std())
    assert flatter.slope == pytest.approx(0.5 * line.slope)
    assert flatter.intercept / flatter.slope == pytest.approx(line.intercept / line.slope)


@pytest.mark.parametrize("frequency", [0.4, 0.02])
def test_lines_are_optima(rng, frequency):
    score = rng.normal(size=3000)
    s = (rng.random(3000) < frequency / (1 + np.exp(1 - 2 * score))).astype(float)
    score, s = (np.r_[each[s == 1], each[s == 0][:250]] for each in (score, s))
    profile = ScoreProfile.of(score, s, None)
    priors = np.linspace(profile.labeled_share * 1.01, 0.99, 5)
    lines = profile.lines(priors)
    c = profile.labeled_share / priors

    def log_likelihood(shift, stretch):
        labeled = c / (
            1 + np.exp(-(lines.intercept + shift + stretch * np.outer(score, lines.slope)))
        )
        return np.sum(np.where(s[:, None] == 1, np.log(labeled), np.log1p(-labeled)), axis=0)

    assert np.all(lines.slope > 0)
    best = log_likelihood(0.0, 1.0)
    np.testing.assert_allclose(best, lines.log_likelihood, rtol=1e-9)
    for shift, stretch in ((0.05, 1), (-0.05, 1), (0, 1.05), (0, 0.95)):
        assert np.all(log_likelihood(shift, stretch) < best)


def test_the_calibrated_line_is_the_likeliest_one_whose_mean_is_the_class_prior():
    rng = np.random.RandomState(0)
    score = rng.normal(2, 3, 1500)
    y = rng.random_sample(1500) < expit(0.8 * score - 1)
    s = (y & (rng.random_sample(1500) < 0.5)).astype(float)
    profile, prior = ScoreProfile.of(score, s, None), 0.4
    line = profile.calibrated_line(prior)
    places = profile.score
    total = profile.labeled + profile.unlabeled
    assert np.average(expit(line.logit(places)), weights=total) == pytest.approx(prior, abs=1e-9)

    def loss(slope):
        def mean(intercept):
            return np.average(expit(intercept + slope * places), weights=total) - prior

        p = s.mean() / prior * expit(brentq(mean, -200, 200) + slope * places)
        return -(profile.labeled @ np.log(p) + profile.unlabeled @ np.log1p(-p))

    found = minimize_scalar(loss, bounds=(0.01, 3), method="bounded", options={"xatol": 1e-9})
    assert line.slope == pytest.approx(found.x, rel=1e-3)


def test_a_calibrated_line_of_a_useless_score_is_flat():
    s = np.repeat([1.0, 0.0], [30, 70])
    line = ScoreProfile.of(-s + np.linspace(0, 0.1, 100), s, None).calibrated_line(0.5)
    assert line == (pytest.approx(0.0), 0.0)


def test_a_calibrated_line_is_no_steeper_than_its_limit():
    score = np.linspace(-1, 1, 400)
    s = (score > 0).astype(float)
    profile = ScoreProfile.of(score, s, None)
    line = profile.calibrated_line(0.5, widest=10.0)
    assert line.slope * profile.deviation <= 10 * (1 + 1e-9)
