"""The label frequency from a logistic model of the out-of-fold score."""

from dataclasses import astuple

import numpy as np
import pytest

from unlabeled.codes import PUWarning
from unlabeled.datasets import make_paper_gaussian
from unlabeled.label_frequency import (
    OneDimensionalJoint,
    fit_score_joint,
)
from unlabeled.label_frequency import (
    _score_joint as _score_rows,
)
from unlabeled.label_frequency import (
    _score_joint as _score_starts,
)
from unlabeled.label_frequency._profile import ScoreProfile, _mean_under, mean_class_prior


def estimates(estimate, n, c, seeds):
    return [
        OneDimensionalJoint(estimate, random_state=0).fit(data.X, data.s).label_frequency_
        for data in (make_paper_gaussian(n, c, random_state=seed) for seed in seeds)
    ]


@pytest.mark.parametrize("estimate", ["mean", "mode"])
@pytest.mark.parametrize("c", [0.3, 0.6])
def test_it_finds_the_frequency_where_classes_overlap(estimate, c):
    # At n = 5000, c = .3 the sd is .053 in simulations, so .027 at 20000 rows; the mean of four
    # has .013 and is tried at three of them.
    assert np.mean(estimates(estimate, 20_000, c, range(4))) == pytest.approx(c, abs=0.04)


@pytest.mark.filterwarnings("ignore:.*PU106")
def test_with_few_labelled_rows_the_mean_is_closer_than_the_mode():
    # About 20 labelled rows of 1000. Twelve draws had root mean square errors .03 and .37.
    errors = {
        estimate: np.abs(np.subtract(estimates(estimate, 1000, 0.1, range(6)), 0.1))
        for estimate in ("mean", "mode")
    }
    assert errors["mean"].max() < 0.1
    assert errors["mean"].mean() < errors["mode"].mean()


def test_the_model_of_the_score_belongs_to_the_estimate():
    data = make_paper_gaussian(5000, 0.6, random_state=0)
    mode = OneDimensionalJoint("mode", random_state=0).fit(data.X, data.s)
    assert mode.class_prior_ == pytest.approx(mode.score_joint_.class_prior, rel=1e-5)
    mean = OneDimensionalJoint(random_state=0).fit(data.X, data.s)
    assert mean.score_joint_.label_frequency == mean.label_frequency_


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
    assert mean_class_prior(score, s, None) == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("deviation", [1e-6, 1e-3, 0.05])
def test_the_mean_of_a_narrow_normal(deviation):
    mean = _mean_under(lambda x: -0.5 * ((x - 0.3) / deviation) ** 2, 0.01, 1.0)
    assert mean == pytest.approx(0.3, abs=0.02 * deviation)


def test_bins_keep_mass_labels_and_mean(rng):
    score, s = rng.normal(size=5000), (rng.random(5000) < 0.3).astype(float)
    profile = ScoreProfile.of(score, s, None)
    assert len(profile.place) <= 1000
    assert profile.labelled.sum() == s.sum()
    assert profile.unlabelled.sum() == 5000 - s.sum()
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
    priors = np.linspace(profile.labelled_share * 1.01, 0.99, 5)
    lines = profile.lines(priors)
    c = profile.labelled_share / priors

    def log_likelihood(shift, stretch):
        labelled = c / (
            1 + np.exp(-(lines.intercept + shift + stretch * np.outer(score, lines.slope)))
        )
        return np.sum(np.where(s[:, None] == 1, np.log(labelled), np.log1p(-labelled)), axis=0)

    assert np.all(lines.slope > 0)
    best = log_likelihood(0.0, 1.0)
    np.testing.assert_allclose(best, lines.log_likelihood, rtol=1e-9)
    for shift, stretch in ((0.05, 1), (-0.05, 1), (0, 1.05), (0, 0.95)):
        assert np.all(log_likelihood(shift, stretch) < best)


def test_all_positives_labelled_is_told_by_the_mode_only(rng):
    y_true = (rng.random(800) < 0.5).astype(int)
    X = rng.normal(size=(800, 1)) + 2 * y_true[:, None]
    with pytest.warns(PUWarning, match="PU106.*estimated the label frequency as 1"):
        model = OneDimensionalJoint("mode", random_state=0).fit(X, y_true)
    assert model.label_frequency_ == 1.0
    assert 0.8 < OneDimensionalJoint(random_state=0).fit(X, y_true).label_frequency_ < 1


def test_a_score_without_meaning_is_told():
    X, s = np.zeros((40, 1)), np.arange(40) % 4 == 0
    with pytest.warns(PUWarning, match="PU111"):
        model = OneDimensionalJoint().fit(X, s)
    # Nothing known: the class prior is in the middle of what is possible.
    assert model.class_prior_ == pytest.approx((1 + 0.25) / 2)


def test_a_bad_variant_is_named(golden):
    data = golden(c=0.6)
    with pytest.raises(ValueError, match="`variant` must be one of 'mean', 'mode'; got 'best'."):
        OneDimensionalJoint("best").fit(data.X, data.s)


def many_rows(rng, n=20_000):
    y_true = rng.random(n) < 0.3
    score = 2 * rng.normal(size=n) + 3 * y_true
    return score, (y_true & (rng.random(n) < 0.6)).astype(float)


@pytest.mark.parametrize("known", [None, 0.6, 0.9])
@pytest.mark.parametrize("weighted", [False, True])
def test_many_rows_start_from_fine_bins_and_end_where_rows_do(known, weighted, rng, monkeypatch):
    score, s = many_rows(rng)
    weight = rng.exponential(size=len(s)) if weighted else None
    quick = fit_score_joint(score, s, weight, known)
    monkeypatch.setattr(_score_starts, "_ROWS_PER_FINE_BIN", np.inf)
    monkeypatch.setattr(_score_rows, "_TOL", 1e-12)
    plain = fit_score_joint(score, s, weight, known)
    assert astuple(quick) == pytest.approx(astuple(plain), rel=1e-6)


def test_fine_bins_leave_one_look_at_all_rows(rng, monkeypatch):
    score, s = many_rows(rng, 100_000)
    looks, evaluate = [], _score_rows._ScoreObjective.value_gradient_hessian

    def counted(self, z):
        looks.append(len(self.rows.s))
        return evaluate(self, z)

    monkeypatch.setattr(_score_rows._ScoreObjective, "value_gradient_hessian", counted)
    fit_score_joint(score, s)
    assert looks.count(len(s)) == 1


def test_fine_bins_without_a_finite_optimum_are_not_believed(rng):
    """Every labelled row lies above the others but within a bin: the slope has no bound."""
    score = np.concatenate([rng.normal(size=20_000), [40.0]])
    cut = np.quantile(score, 0.7)
    assert fit_score_joint(score, (score > cut).astype(float)).is_step
    # Two rows on the wrong side make it finite, and far steeper than any start.
    swapped = np.argsort(np.abs(score - cut))[:2]
    s = (score > cut).astype(float)
    s[swapped] = 1 - s[swapped]
    joint = fit_score_joint(score, s, None, 1.0)
    assert not joint.is_step
    assert joint.slope * score.std() > 10


def test_one_step_from_the_bins_ends_where_many_steps_on_rows_do(rng, monkeypatch):
    score, s = many_rows(rng, 100_000)
    quick = fit_score_joint(score, s)
    monkeypatch.setattr(_score_rows, "_SHORT_STEP", 0.0)
    monkeypatch.setattr(_score_rows, "_TOL", 1e-12)
    slow = fit_score_joint(score, s)
    assert quick.label_frequency == pytest.approx(slow.label_frequency, rel=1e-6)
    assert quick.slope == pytest.approx(slow.slope, rel=1e-6)
    assert quick.mean_log_likelihood == pytest.approx(slow.mean_log_likelihood, rel=1e-12)
