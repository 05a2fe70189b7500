"""How many groups have a positive row."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.special import expit

from unlabeled.scores import class_prior_density, given_unlabeled, positive_groups_density
from unlabeled.scores._positive_groups import GroupedRows, OneClass, OneEffect


def drawn(rng, n_groups=200, one_class=False, frequency=0.4):
    """Return labels, scores, groups and classes of rows."""
    groups = np.repeat(np.arange(n_groups), 1 + rng.poisson(3, n_groups))
    of_group = rng.normal(size=n_groups)[groups]
    score = of_group + 0.5 * rng.normal(size=len(groups))
    if one_class:
        y = (
            rng.random(n_groups) < expit(3 * np.bincount(groups, score) / np.bincount(groups) - 1)
        )[groups]
    else:
        y = rng.random(len(groups)) < expit(3 * score - 1)
    s = (y & (rng.random(len(y)) < frequency)).astype(float)
    return s, score, groups, y.astype(float)


@pytest.mark.parametrize("model", [OneEffect, OneClass])
def test_gradients_of_both_models_are_finite_differences(model):
    s, score, groups, _ = drawn(np.random.default_rng(0), 60)
    one = model(GroupedRows.of(s, score, groups))
    theta = np.array([-0.4, 1.3, 0.7, -0.2])[: len(one.start)]
    numeric = approx_fprime(theta, lambda at: one.loss(at, 0.4)[0], 1e-7)
    np.testing.assert_allclose(one.loss(theta, 0.4)[1], numeric, rtol=1e-4, atol=1e-3)


def test_without_an_effect_rows_are_independent_given_their_scores():
    s, score, groups, _ = drawn(np.random.default_rng(1), 50)
    rows = GroupedRows.of(s, score, groups)
    theta = np.array([-0.4, 1.3, 0.7, -30.0])
    posterior = expit(theta[0] + theta[1] * rows.score + theta[2] * rows.mean)
    missed = given_unlabeled(posterior, 0.4)
    none = np.multiply.reduceat(1 - missed, rows.first)
    expected = np.where(rows.labeled > 0, 1.0, 1 - none)
    np.testing.assert_allclose(OneEffect(rows).have_positive(theta, 0.4), expected, atol=1e-9)


def test_a_group_of_one_class_without_a_label_follows_bayes():
    s, score, groups, _ = drawn(np.random.default_rng(2), 50)
    rows, theta = GroupedRows.of(s, score, groups), np.array([-0.4, 1.3])
    positive = expit(theta[0] + theta[1] * rows.mean[rows.first])
    silent = positive * 0.6**rows.size
    expected = np.where(rows.labeled > 0, 1.0, silent / (silent + 1 - positive))
    np.testing.assert_allclose(OneClass(rows).have_positive(theta, 0.4), expected)


def test_likelihoods_of_both_models_sum_to_one_over_all_labels():
    score, groups = np.array([0.3, -0.8, 1.1]), np.zeros(3, dtype=int)
    for model, theta in ((OneEffect, [-0.4, 1.3, 0.7, -0.2]), (OneClass, [-0.4, 1.3])):
        total = 0.0
        penalty = 0.5 * (theta[3] / 1.5) ** 2 if model is OneEffect else 0.0
        for pattern in np.ndindex(2, 2, 2):
            one = model(GroupedRows.of(np.array(pattern, dtype=float), score, groups))
            total += np.exp(penalty - one.loss(np.array(theta), 0.4)[0])
        assert total == pytest.approx(1.0)


@pytest.mark.parametrize("one_class", [False, True])
def test_the_number_of_groups_is_near_the_truth(one_class):
    rng = np.random.default_rng(3)
    errors, hits = [], []
    for _ in range(10):
        s, score, groups, y = drawn(rng, 400, one_class)
        truth = np.mean(np.bincount(groups, y) > 0)
        share = positive_groups_density(s, score, groups, float(y.mean())).interval()
        errors.append(share.estimate - truth)
        hits.append(truth in share)
    assert abs(np.mean(errors)) < 0.03
    assert np.mean(hits) >= 0.8


def test_if_labels_are_of_groups_a_group_is_the_unit():
    rng = np.random.default_rng(4)
    _, score, groups, y = drawn(rng, 600, one_class=True)
    s = y * (rng.random(600) < 0.4)[groups]
    share = positive_groups_density(s, score, groups, float(y.mean()))
    truth = np.mean(np.bincount(groups, y) > 0)
    assert truth in share.interval()
    assert share.n_rows == 600


def test_groups_of_one_row_have_about_the_class_prior_of_rows():
    rng = np.random.default_rng(5)
    score = rng.normal(size=2000)
    s = ((rng.random(2000) < expit(3 * score - 1)) & (rng.random(2000) < 0.5)).astype(float)
    rows = class_prior_density(s, score)
    share = positive_groups_density(s, score, np.arange(2000), rows)
    assert share.mean == pytest.approx(rows.mean, abs=0.03)


def test_many_groups_are_drawn_with_the_error_of_drawing(monkeypatch):
    s, score, groups, y = drawn(np.random.default_rng(6), 900)
    whole = positive_groups_density(s, score, groups, float(y.mean()))
    monkeypatch.setattr("unlabeled.scores._positive_groups._MOST_GROUPS", 300)
    part = positive_groups_density(s, score, groups, float(y.mean()))
    assert part.mean == pytest.approx(whole.mean, abs=0.08)
    lengths = [float(np.subtract(*one.interval())) for one in (part, whole)]
    assert lengths[0] < 1.3 * lengths[1]  # both are negative: the part's interval is longer
