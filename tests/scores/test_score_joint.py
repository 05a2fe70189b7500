"""JOINT in one dimension: bins to start from, rows to end on."""

from dataclasses import astuple

import numpy as np
import pytest

from unlabeled.scores import ScoreProfile, _score_joint, fit_score_joint


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
    monkeypatch.setattr(_score_joint, "_ROWS_PER_FINE_BIN", np.inf)
    monkeypatch.setattr(_score_joint, "_TOL", 1e-12)
    plain = fit_score_joint(score, s, weight, known)
    assert astuple(quick) == pytest.approx(astuple(plain), rel=1e-6)


def test_fine_bins_leave_one_look_at_all_rows(rng, monkeypatch):
    score, s = many_rows(rng, 100_000)
    looks, evaluate = [], ScoreProfile.derivatives

    def counted(self, *where):
        looks.append(len(self.z))
        return evaluate(self, *where)

    monkeypatch.setattr(ScoreProfile, "derivatives", counted)
    fit_score_joint(score, s)
    assert looks.count(len(s)) == 1


def test_fine_bins_without_a_finite_optimum_are_not_believed(rng):
    """Every labeled row lies above the others but within a bin: the slope has no bound."""
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
    monkeypatch.setattr(_score_joint, "_SHORT_STEP", 0.0)
    monkeypatch.setattr(_score_joint, "_TOL", 1e-12)
    slow = fit_score_joint(score, s)
    assert quick.label_frequency == pytest.approx(slow.label_frequency, rel=1e-6)
    assert quick.slope == pytest.approx(slow.slope, rel=1e-6)
    assert quick.mean_log_likelihood == pytest.approx(slow.mean_log_likelihood, rel=1e-12)


@pytest.mark.parametrize("known", [0.02, 0.1, 0.3])
def test_a_small_known_frequency_is_fitted_as_well_as_on_bins(known, rng):
    """From the line of c = 1 Newton steps ended at a posterior of 1 everywhere."""
    y_true = rng.random(2000) < 0.4
    score = rng.normal(size=2000) + 2 * y_true
    score[np.argsort(score)[-5:]] += 10  # a long tail
    s = (y_true & (rng.random(2000) < known)).astype(float)
    joint = fit_score_joint(score, s, label_frequency=known)
    bins = ScoreProfile.of(score, s, None).lines(np.array([s.mean() / known]))
    assert joint.mean_log_likelihood * 2000 > bins.log_likelihood[0] - 0.5
    assert joint.class_prior < 0.9
