"""Scores, posteriors, decisions and ranks of rows."""

from __future__ import annotations

import numpy as np
import pytest

from unlabeled.app.table_model import Scored, _scored, if_unlabeled, score_rows


@pytest.mark.parametrize("name", ["pu-logistic", "enhanced", "joint", "naive", "threshold"])
def test_rows_are_scored_as_the_pipeline_predicts(name, fit_of):
    fit = fit_of(name)
    scored = Scored.of(fit.classifier, fit.X_numeric)
    np.testing.assert_array_equal(scored.decision, fit.pipeline.predict(fit.prepared.X))
    posterior = fit.pipeline.predict_proba(fit.prepared.X)[:, 1]
    np.testing.assert_allclose(scored.posterior, posterior, rtol=1e-12)
    np.testing.assert_array_equal(scored.decision, scored.score > fit.classifier.threshold_)
    order = np.argsort(-scored.score)
    assert np.all(np.diff(scored.posterior[order]) <= 0)


def test_equal_scores_share_the_smallest_rank(fit_of):
    fit = fit_of("naive")
    twice = np.vstack([fit.X_numeric[:5]] * 2)
    rank = Scored.of(fit.classifier, twice).rank
    assert sorted(rank) == [1, 1, 3, 3, 5, 5, 7, 7, 9, 9]
    assert rank[:5].tolist() == rank[5:].tolist()


def test_blocks_of_rows_give_the_same_numbers(fit_of, monkeypatch):
    fit = fit_of("pu-logistic")
    monkeypatch.setattr(_scored, "_BLOCK", 70)
    found, is_fitted = score_rows(fit.pipeline, fit.prepared.X)
    for column, expected in zip(found, Scored.of(fit.classifier, fit.X_numeric), strict=True):
        np.testing.assert_allclose(column, expected, rtol=1e-12)
    assert is_fitted
    assert not score_rows(fit.pipeline, fit.prepared.X.iloc[1:])[1]


@pytest.mark.parametrize("name", ["pu-logistic", "threshold"])
def test_rows_of_the_fit_are_scored_by_fits_without_them(name, fit_of):
    fit = fit_of(name)
    model, scored = fit.classifier, fit.scored
    np.testing.assert_array_equal(scored.score, model.held_out_score_)
    np.testing.assert_array_equal(scored.posterior, model.held_out_posterior_)
    np.testing.assert_array_equal(scored.decision, scored.score > model.threshold_)
    assert scored.rank[np.argmax(scored.score)] == 1


def test_a_row_without_a_held_out_score_gets_that_of_the_model(fit_of):
    fit = fit_of("naive")
    own = fit.scored
    held_out = np.where(np.arange(len(own.score)) < 3, np.nan, own.score + 1.0)
    found = Scored.of(fit.classifier, fit.X_numeric, held_out)
    np.testing.assert_array_equal(found.score[:3], own.score[:3])
    np.testing.assert_array_equal(found.score[3:], own.score[3:] + 1.0)


def test_an_unlabeled_row_has_its_own_posterior_and_rank(fit_of):
    fit, c = fit_of("naive"), 0.4
    s, y = fit.labels.s, fit.scored.posterior
    found = if_unlabeled(fit, c)
    assert found.posterior.mask.tolist() == found.rank.mask.tolist() == (s == 1).tolist()
    assert found.lower.mask.all()
    expected = ((1 - c) * y / (1 - c * y))[s == 0]
    np.testing.assert_allclose(found.posterior.compressed(), expected, rtol=1e-12)
    order = np.argsort(-fit.scored.score[s == 0])
    assert found.rank.compressed()[order].tolist() == list(range(1, len(order) + 1))


def test_the_chance_of_an_unlabeled_row_is_averaged_over_the_class_prior(fit_of):
    fit = fit_of("pu-logistic")
    model, s, score = fit.classifier, fit.labels.s, fit.scored.score
    found = if_unlabeled(fit, model.label_frequency_)
    density, expected = model.class_prior_density_, np.zeros(len(s))
    # By all points of the density, each with its probability.
    for prior, probability in zip(density.class_prior, density.probability, strict=True):
        y, c = model.posterior_given(score, prior), min(1.0, s.mean() / prior)
        expected += probability * (1 - c) * y / np.maximum(1 - c * y, 1e-300)
    unlabeled = s == 0
    np.testing.assert_allclose(found.posterior[unlabeled], expected[unlabeled], atol=0.01)
    assert np.all(found.lower[unlabeled] <= found.posterior[unlabeled] + 1e-12)
    assert np.all(found.posterior[unlabeled] <= found.upper[unlabeled] + 1e-12)
    # The expected number of positives without a label is that of the class prior.
    hidden = model.class_prior_ * len(s) - s.sum()
    assert found.posterior.sum() == pytest.approx(hidden, rel=0.05)


def test_another_cut_changes_the_decision_and_a_line_the_posterior(fit_of):
    scored = fit_of("pu-logistic").scored
    cut = float(np.median(scored.score))
    other = scored.with_cut(cut)
    assert other.decision.tolist() == (scored.score > cut).astype(int).tolist()
    assert other.posterior is scored.posterior
    assert other.score is scored.score
    assert other.rank is scored.rank
    mended = scored.with_cut(cut, (0.5, -2.0))
    np.testing.assert_allclose(mended.posterior, 1 / (1 + np.exp(2 * scored.score - 0.5)))
