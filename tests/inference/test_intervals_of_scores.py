"""Intervals of PULogistic: from its left-out scores, and of its ridge coefficients."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.special import expit

from unlabeled import JointLogistic, NaiveLogistic, PULogistic
from unlabeled.datasets import make_paper_gaussian
from unlabeled.inference import intervals_of_scores
from unlabeled.thresholds import scan_cuts


@pytest.fixture(scope="module")
def scored():
    rng = np.random.default_rng(3)
    t = rng.normal(size=900)
    y_true = rng.random(900) < expit(-0.5 + 1.8 * t)
    return t, (y_true & (rng.random(900) < 0.5)).astype(int)


def test_it_is_joints_interval_on_the_one_column_of_scores(scored):
    t, s = scored
    found = intervals_of_scores(scan_cuts(t, s))
    joint = JointLogistic(tol=1e-8).fit(t[:, None], s)
    frequency = joint.label_frequency_interval(t[:, None], s)
    prior = joint.class_prior_interval(t[:, None], s)
    assert found.label_frequency.estimate == pytest.approx(joint.label_frequency_, abs=1e-3)
    assert found.label_frequency.lower == pytest.approx(frequency.lower, abs=1e-4)
    assert found.label_frequency.upper == pytest.approx(frequency.upper, abs=1e-4)
    assert found.class_prior.lower == pytest.approx(prior.lower, abs=1e-3)
    assert found.class_prior.upper == pytest.approx(prior.upper, abs=1e-3)


@pytest.mark.filterwarnings("ignore::unlabeled.codes.PUWarning")
def test_local_maxima_of_small_samples_do_not_cut_the_interval_short():
    rng = np.random.default_rng(67)
    t = rng.normal(size=60)
    s = ((rng.random(60) < expit(2 * t)) & (rng.random(60) < 0.4)).astype(int)
    found = intervals_of_scores(scan_cuts(t, s)).label_frequency
    joint = JointLogistic().fit(t[:, None], s).label_frequency_interval(t[:, None], s)
    assert found.upper == pytest.approx(joint.upper, abs=1e-4)
    assert found.upper > 0.48  # from one start alone it is 0.37


def test_a_million_rows_with_every_positive_labelled_have_an_interval():
    t = np.repeat(np.linspace(-3, 3, 200), 2)
    total = np.full(400, 10_000.0)
    weight = total * np.where(np.arange(400) % 2, expit(2 * t), 1 - expit(2 * t))
    s = (np.arange(400) % 2).astype(float)
    found = intervals_of_scores(scan_cuts(t, s, weight)).label_frequency
    assert 0.99 < found.lower <= found.estimate <= found.upper == 1


def test_a_higher_level_is_wider_and_ties_count_as_rows(scored):
    t, s = scored
    twice = intervals_of_scores(scan_cuts(np.tile(t, 2), np.tile(s, 2))).class_prior
    once = intervals_of_scores(scan_cuts(t, s)).class_prior
    wide = intervals_of_scores(scan_cuts(t, s), 0.99).class_prior
    assert wide.lower < once.lower < twice.lower < twice.upper < once.upper < wide.upper
    # Twice the rows: ends at about 1/sqrt(2) of the distance.
    assert (twice.upper - twice.lower) / (once.upper - once.lower) == pytest.approx(0.7, abs=0.1)


def test_a_score_without_signal_leaves_every_class_prior_open(scored):
    s = scored[1]
    found = intervals_of_scores(scan_cuts(np.zeros(len(s)), s))
    assert found.label_frequency.upper == 1
    assert found.class_prior.upper == 1


@pytest.fixture(scope="module")
def data():
    return make_paper_gaussian(n=2000, c=0.4, random_state=1)


@pytest.mark.parametrize("direction", ["joint", "naive"])
@pytest.mark.parametrize("positive_label", [1, 0])
def test_coefficients_are_where_the_gradient_of_what_was_minimised_is_zero(
    data, direction, positive_label
):
    y = data.s if positive_label == 1 else 1 - data.s
    model = PULogistic(direction=direction, positive_label=positive_label, tol=1e-8)
    model.fit(data.X, y)
    optimum = model._optimum(model._rows_of(data.X, y, None))
    assert np.abs(optimum.objective.value_gradient(optimum.theta)[1]).max() < 1e-7
    estimates = model.estimates(data.X, y)
    np.testing.assert_allclose(estimates.value[:-1], model.coef_[0], rtol=1e-12)
    assert np.all(estimates.standard_error > 0)


def test_without_a_ridge_standard_errors_are_those_of_the_naive_fit(data):
    free = PULogistic(direction="naive", C=1e9, tol=1e-9).fit(data.X, data.s)
    naive = NaiveLogistic(tol=1e-9).fit(data.X, data.s)
    np.testing.assert_allclose(
        free.estimates(data.X, data.s).standard_error,
        naive.estimates(data.X, data.s).standard_error,
        rtol=1e-5,
    )


def test_units_of_a_feature_change_its_coefficient_and_standard_error_alike(data):
    in_metres, in_feet = data.X, data.X * [3.28, 1, 1]
    metres = PULogistic().fit(in_metres, data.s).estimates(in_metres, data.s)
    feet = PULogistic().fit(in_feet, data.s).estimates(in_feet, data.s)
    np.testing.assert_allclose(metres.value[0], 3.28 * feet.value[0], rtol=1e-4)
    np.testing.assert_allclose(metres.standard_error[0], 3.28 * feet.standard_error[0], rtol=1e-4)


def test_sparse_rows_give_the_same_standard_errors(data):
    model = PULogistic().fit(data.X, data.s)
    dense = model.estimates(data.X, data.s).standard_error
    compressed = model.estimates(sparse.csr_matrix(data.X), data.s).standard_error
    np.testing.assert_allclose(compressed, dense, rtol=1e-10)


def test_the_interval_is_around_the_estimate_and_the_summary_says_what_is_held(data):
    model = PULogistic().fit(data.X, data.s)
    interval = model.class_prior_interval()
    assert interval.lower < model.class_prior_ == interval.estimate < interval.upper
    text = str(model.summary(data.X, data.s))
    assert f"class prior, 95%      {interval.lower:.4f} to {interval.upper:.4f}" in text
    assert "intervals hold ridge and label frequency" in text


def test_a_class_prior_that_was_given_has_no_interval(data):
    model = PULogistic(class_prior=0.3).fit(data.X, data.s)
    with pytest.raises(ValueError, match="it was given as 0.3. Fit without it"):
        model.class_prior_interval()
    assert "class prior, 95%" not in str(model.summary(data.X, data.s))
