"""The choice between an ensemble and its line, by left-out labels."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.special import logit

from unlabeled import PULogistic
from unlabeled.app.table_model import line_or_ensemble
from unlabeled.datasets import make_paper_gaussian
from unlabeled.scores import Scale


@pytest.fixture(scope="module")
def data():
    return make_paper_gaussian(1000, label_frequency=0.4, random_state=0)


@pytest.fixture(scope="module")
def line(data):
    return PULogistic(random_state=0).fit(data.X, data.s)


def ensemble_of(line, score):
    """Return what the choice reads of an ensemble."""
    scale = Scale(label_line=(0.0, 1.0))
    return SimpleNamespace(
        members_={"line": line}, held_out_score_=score, left_out_={}, posterior_scale=scale
    )


def test_the_gain_is_that_of_the_log_likelihoods_paired_over_rows(data, line, rng):
    p = line.label_frequency_ * line.held_out_posterior_
    score = logit(p) + rng.normal(0, 0.3, len(p))
    choice = line_or_ensemble(ensemble_of(line, score), data.X, data.s)
    q = 1 / (1 + np.exp(-score))
    rows = data.s * np.log(q / p) + (1 - data.s) * np.log((1 - q) / (1 - p))
    assert choice.gain == pytest.approx(rows.sum() / data.s.sum())
    assert choice.error == pytest.approx(np.sqrt(1000) * rows.std(ddof=1) / data.s.sum())
    assert not choice.ensemble


def test_the_line_stays_where_the_score_is_its_own(data, line):
    score = logit(line.label_frequency_ * line.held_out_posterior_)
    choice = line_or_ensemble(ensemble_of(line, score), data.X, data.s)
    assert choice.gain == pytest.approx(0, abs=1e-9)
    assert choice.sentence.startswith("The line is used")


def test_a_score_that_knows_more_of_the_labels_is_used_and_the_sentence_has_the_numbers(data, line):
    score = logit(line.label_frequency_ * line.held_out_posterior_) + 2 * data.s - 0.5
    choice = line_or_ensemble(ensemble_of(line, score), data.X, data.s)
    assert choice.ensemble
    assert choice.gain > 2 * choice.error > 0
    assert f"log-likelihood per labeled row {choice.gain:.3f} higher" in choice.sentence
    assert f"standard error {choice.error:.3f}" in choice.sentence
    worse = line_or_ensemble(ensemble_of(line, -score), data.X, data.s)
    assert not worse.ensemble
    assert "lower" in worse.sentence


def test_a_clear_gain_that_is_too_small_to_matter_keeps_the_line(data, line):
    score = logit(line.label_frequency_ * line.held_out_posterior_) + 0.005 * (2 * data.s - 1)
    choice = line_or_ensemble(ensemble_of(line, score), data.X, data.s)
    assert 2 * choice.error < choice.gain < 0.01
    assert not choice.ensemble


def test_rows_that_no_model_left_out_do_not_count(data, line):
    p = line.label_frequency_ * line.held_out_posterior_
    score = logit(p) + data.s
    score[:500] = np.nan
    choice = line_or_ensemble(ensemble_of(line, score), data.X, data.s)
    q, s = 1 / (1 + np.exp(-score[500:])), data.s[500:]
    rows = s * np.log(q / p[500:]) + (1 - s) * np.log((1 - q) / (1 - p[500:]))
    assert choice.gain == pytest.approx(rows.sum() / s.sum())


def test_a_line_fitted_by_passes_is_compared_by_its_left_out_scores(data, line, monkeypatch):
    score = logit(line.label_frequency_ * line.held_out_posterior_) + data.s
    wanted = line_or_ensemble(ensemble_of(line, score), data.X, data.s)
    monkeypatch.setattr(PULogistic, "_subset_rows", 400)
    by_passes = PULogistic(C=line.C_, class_prior=line.class_prior_).fit(data.X, data.s)
    found = line_or_ensemble(ensemble_of(by_passes, score), data.X, data.s)
    assert found.gain == pytest.approx(wanted.gain, rel=0.05)


def test_a_line_that_is_certain_has_finite_log_likelihoods():
    certain = SimpleNamespace(
        held_out_score_=np.array([50.0, -50.0]),
        posterior_at=lambda score: (score > 0).astype(float),
        label_frequency_=1.0,
    )
    ensemble = ensemble_of(certain, np.array([0.0, 0.0]))
    choice = line_or_ensemble(ensemble, np.zeros((2, 1)), np.array([0, 1]))
    # The ensemble keeps posteriors 1e-12 away from 0 and 1; under it each label has 1/2.
    assert choice.gain == pytest.approx(2 * np.log(0.5 / 1e-12), rel=1e-4)


def test_without_a_line_the_ensemble_is_used():
    model = SimpleNamespace(members_={}, left_out_={"line": "it takes no missing cells."})
    choice = line_or_ensemble(model, np.zeros((2, 1)), np.array([0, 1]))
    assert choice.ensemble
    assert "it takes no missing cells." in choice.sentence
