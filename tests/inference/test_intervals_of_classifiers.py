"""Standard errors, intervals and summaries of fitted classifiers."""

from __future__ import annotations

import inspect
import re

import numpy as np
import pandas as pd
import pytest
from scipy import sparse, stats
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from unlabeled import (
    EnhancedLogistic,
    JointLogistic,
    NaiveLogistic,
    PropensityLogistic,
    PUEnsemble,
    PULogistic,
    PUThresholdClassifier,
    WeightedLogistic,
)
from unlabeled.datasets import make_paper_gaussian
from unlabeled.label_frequency import PriorDensity


@pytest.fixture(scope="module")
def data():
    return make_paper_gaussian(n=2000, label_frequency=0.4, random_state=1)


@pytest.mark.parametrize("kind", [NaiveLogistic, EnhancedLogistic])
def test_the_naive_direction_has_white_s_errors(golden, kind):
    data = golden(label_frequency=0.6)
    found = kind(tol=1e-10).fit(data.X, data.s).estimates(data.X, data.s)
    assert found.names == ("x0", "x1", "x2", "intercept")
    expected = [0.0832863, 0.0835711, 0.0792892, 0.1366902]
    np.testing.assert_allclose(found.standard_error, expected, atol=5.1e-8)
    assert found.value[-1] == pytest.approx(-1.8264833503, abs=1e-8)


def test_joint_has_an_error_for_its_label_frequency(golden):
    data = golden(label_frequency=0.6)
    model = JointLogistic(tol=1e-10).fit(data.X, data.s)
    found = model.estimates(data.X, data.s, kind="expected")
    assert found.names[-1] == "logit c"
    c = model.label_frequency_
    assert found.standard_error[-1] * c * (1 - c) == pytest.approx(0.08584, abs=5.1e-6)
    known = JointLogistic(0.6).fit(data.X, data.s).estimates(data.X, data.s)
    assert known.names == ("x0", "x1", "x2", "intercept")
    assert np.all(known.standard_error < found.standard_error[:-1])


def test_names_labels_and_weights_are_the_user_s(golden):
    data = golden(label_frequency=0.6)
    table = pd.DataFrame(data.X, columns=["age", "dose", "weight"])
    plain = NaiveLogistic(tol=1e-9).fit(table, data.s)
    named = NaiveLogistic(pos_label="a", tol=1e-9).fit(table, np.where(data.s, "a", "b"))
    one = plain.estimates(table, data.s)
    other = named.estimates(table, np.where(data.s, "a", "b"))
    assert one.names == ("age", "dose", "weight", "intercept")
    np.testing.assert_allclose(one.value, -other.value)
    np.testing.assert_allclose(one.covariance, other.covariance)
    two = np.full(len(data.s), 2.0)
    counts = NaiveLogistic(tol=1e-9, weights="frequency")
    twice = counts.fit(table, data.s, two).estimates(table, data.s, two)
    np.testing.assert_allclose(2 * twice.covariance, one.covariance)
    with pytest.raises(ValueError, match="`kind` must be.*'robust'"):
        plain.estimates(table, data.s, kind="robust")


def test_without_intercept_there_is_none(golden):
    data = golden(label_frequency=0.6)
    model = JointLogistic(fit_intercept=False).fit(data.X, data.s)
    assert model.estimates(data.X, data.s).names == ("x0", "x1", "x2", "logit c")


def test_ends_of_the_interval_have_the_likelihood_they_should(golden):
    data = golden(label_frequency=0.6)
    model = JointLogistic(tol=1e-8).fit(data.X, data.s)
    interval = model.label_frequency_interval(data.X, data.s)
    assert interval.lower < model.label_frequency_ < interval.upper
    assert 1.0 not in interval
    best = model.mean_log_likelihood_ * 2000
    for end in (interval.lower, interval.upper):
        at_end = JointLogistic(end, tol=1e-8).fit(data.X, data.s).mean_log_likelihood_ * 2000
        assert 2 * (best - at_end) == pytest.approx(stats.chi2.ppf(0.95, 1), abs=1e-3)
    wider = model.label_frequency_interval(data.X, data.s, confidence_level=0.99)
    assert wider.lower < interval.lower < interval.upper < wider.upper


def test_at_the_boundary_the_interval_reaches_one():
    data = make_paper_gaussian(n=300, label_frequency=1.0, random_state=3)
    with pytest.warns(UserWarning, match="PU106"):
        model = JointLogistic().fit(data.X, data.s)
    interval = model.label_frequency_interval(data.X, data.s)
    assert interval.upper == 1.0
    assert 1.0 in interval
    assert interval.lower < 1
    assert "logit c" not in model.estimates(data.X, data.s).names


@pytest.mark.parametrize("method", ["label_frequency_interval", "class_prior_interval"])
def test_a_given_label_frequency_has_no_interval(data, method):
    joint = JointLogistic(0.6).fit(data.X, data.s)
    with pytest.raises(ValueError, match="`label_frequency` must be None"):
        getattr(joint, method)(data.X, data.s)


@pytest.mark.parametrize("kind", [NaiveLogistic, JointLogistic])
def test_a_fitted_model_has_one(golden, kind):
    data = golden(label_frequency=0.6)
    table = pd.DataFrame(data.X, columns=["age", "dose", "weight"])
    text = str(kind().fit(table, data.s).summary(table, data.s, confidence_level=0.9))
    for word in ("age", "intercept", "[0.05", "0.95]", "sandwich"):
        assert word in text
    assert re.search(r"labeled rows +241\n", text)
    assert ("logit c" in text) is (kind is JointLogistic)


def test_joint_s_summary_has_the_intervals_of_c_and_prior_and_a_caution():
    small = make_paper_gaussian(1000, label_frequency=0.3, random_state=1)
    joint = JointLogistic().fit(small.X, small.s)
    facts = dict(joint.summary(small.X, small.s).facts)
    c = joint.label_frequency_interval(small.X, small.s)
    prior = joint.class_prior_interval(small.X, small.s)
    assert facts["label frequency, 95%"] == f"{c.lower:.4f} to {c.upper:.4f}"
    assert facts["class prior, 95%"] == f"{prior.lower:.4f} to {prior.upper:.4f}"
    assert c.upper == 1
    assert "caution" in facts
    large = make_paper_gaussian(5000, label_frequency=0.6, random_state=0)
    sure = JointLogistic().fit(large.X, large.s).summary(large.X, large.s)
    assert "caution" not in dict(sure.facts)
    known = JointLogistic(label_frequency=0.6).fit(large.X, large.s).summary(large.X, large.s)
    assert "class prior, 95%" not in dict(known.facts)


# Coefficients of PULogistic's posterior


@pytest.mark.parametrize("direction", ["joint", "naive"])
@pytest.mark.parametrize("pos_label", [1, 0])
def test_coefficients_are_where_the_gradient_of_the_likelihood_is_zero(data, direction, pos_label):
    y, prior = data.s if pos_label == 1 else 1 - data.s, 0.3
    model = PULogistic(direction=direction, pos_label=pos_label, class_prior=prior, tol=1e-8)
    estimates = model.fit(data.X, y).estimates(data.X, y)
    beta = estimates.value * (1 if pos_label == 1 else -1)
    c = data.s.mean() / prior
    posterior = 1 / (1 + np.exp(-(data.X @ beta[:-1] + beta[-1])))
    of_labeled = 1 - posterior
    of_others = -c * posterior * (1 - posterior) / (1 - c * posterior)
    pull = np.where(data.s == 1, of_labeled, of_others)
    # The ridge: a normal prior of standard deviation 5 in units of the spread.
    ridge = beta[:-1] * data.X.var(axis=0) / 25
    np.testing.assert_allclose(data.X.T @ pull, ridge, atol=1e-4)
    assert np.sum(pull) == pytest.approx(0, abs=1e-4)
    assert np.all(estimates.standard_error > 0)


def test_with_a_known_class_prior_estimates_are_those_of_joint(data):
    c = data.s.mean() / 0.3
    ours = PULogistic(class_prior=0.3, tol=1e-8).fit(data.X, data.s)
    joint = JointLogistic(c, tol=1e-8).fit(data.X, data.s)
    found, expected = (one.estimates(data.X, data.s, kind="observed") for one in (ours, joint))
    np.testing.assert_allclose(found.value, expected.value, rtol=1e-2)
    np.testing.assert_allclose(found.standard_error, expected.standard_error, rtol=1e-2)


def test_an_unknown_class_prior_adds_what_it_moves(data):
    """Of two equally likely class priors: the mean covariance, plus that of the two estimates."""
    priors = np.array([0.25, 0.35])
    density = PriorDensity(priors, np.array([0.5, 0.5]), len(data.s))
    model = PULogistic(class_prior=density, tol=1e-8).fit(data.X, data.s)
    mixed = model.estimates(data.X, data.s)
    one, other = (
        PULogistic(class_prior=prior, tol=1e-8).fit(data.X, data.s).estimates(data.X, data.s)
        for prior in priors
    )
    np.testing.assert_allclose(mixed.value, (one.value + other.value) / 2, rtol=1e-4)
    apart = (one.value - other.value) / 2
    expected = (one.covariance + other.covariance) / 2 + np.outer(apart, apart)
    np.testing.assert_allclose(mixed.covariance, expected, rtol=1e-3)


def test_a_rare_level_without_a_labeled_row_has_a_long_interval(data, rng):
    level = np.zeros(len(data.s))
    level[np.flatnonzero(data.s == 0)[:16]] = 1.0
    X = np.column_stack([data.X, level])
    model = PULogistic().fit(X, data.s)
    lower, upper = model.estimates(X, data.s).interval()[3]
    # All 16 rows may be positive and lack a label by chance, or be negative.
    assert lower < -5
    assert upper > 1
    short = model.estimates(X, data.s).interval()[0]
    assert short.upper - short.lower < 1.5


def test_too_few_labeled_rows_have_no_intervals(data, rng):
    few = rng.permutation(np.flatnonzero(data.s))[:14]
    s = np.zeros_like(data.s)
    s[few] = 1
    model = PULogistic().fit(data.X, s)
    found = model.estimates(data.X, s)
    assert np.isnan(found.standard_error).all()
    line = model.posterior_line_
    np.testing.assert_allclose(found.value, [*(line[1] * model.coef_[0]), line[0]], rtol=1e-12)
    assert "too few labeled rows" in str(model.summary(data.X, s))


def test_units_of_a_feature_change_its_coefficient_and_standard_error_alike(data):
    in_meters, in_feet = data.X, data.X * [3.28, 1, 1]
    meters = PULogistic().fit(in_meters, data.s).estimates(in_meters, data.s)
    feet = PULogistic().fit(in_feet, data.s).estimates(in_feet, data.s)
    np.testing.assert_allclose(meters.value[0], 3.28 * feet.value[0], rtol=1e-4)
    np.testing.assert_allclose(meters.standard_error[0], 3.28 * feet.standard_error[0], rtol=1e-4)


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
    assert "ridge" in text


def test_a_class_prior_that_was_given_has_no_interval(data):
    model = PULogistic(class_prior=0.3).fit(data.X, data.s)
    with pytest.raises(ValueError, match="given as 0.3"):
        model.class_prior_interval()
    assert "class prior, 95%" not in str(model.summary(data.X, data.s))


WITH_INTERVALS = [
    PULogistic(),
    PropensityLogistic(propensity_features=[0]),
    PUThresholdClassifier(LogisticRegression(), random_state=0),
    PUEnsemble(members=[("line", PULogistic())], random_state=0),
]


@pytest.mark.parametrize("method", ["label_frequency_interval", "class_prior_interval"])
def test_one_signature_of_intervals(method):
    of_each = {
        type(model): inspect.signature(getattr(type(model), method)).parameters
        for model in [*WITH_INTERVALS, JointLogistic()]
    }
    for kind, found in of_each.items():
        names = [name for name in found if (kind, name) != (JointLogistic, "checked")]
        assert names == ["self", "X", "y", "sample_weight", "confidence_level", "of"]
    with pytest.raises(ValueError, match="`of` must be 'population'"):
        JointLogistic().class_prior_interval(of="table")


@pytest.mark.filterwarnings("ignore:.*PU1")
@pytest.mark.parametrize("model", WITH_INTERVALS, ids=lambda one: type(one).__name__)
def test_intervals_unpack_and_take_no_rows_but_those_of_the_fit(model):
    data = make_paper_gaussian(300, label_frequency=0.5, random_state=0)
    weight = np.where(np.arange(300) % 3 == 0, 2.0, 1.0)
    model = clone(model).fit(data.X, data.s, weight)
    for ask in (model.class_prior_interval, model.label_frequency_interval):
        lower, upper = ask()
        assert tuple(ask(data.X, data.s, weight)) == (lower, upper)
        wrong = {
            "features": (data.X + 0.5, data.s, weight),
            "labels": (data.X, 1 - data.s, weight),
            "weights": (data.X, data.s, None),
        }
        for rows in wrong.values():
            with pytest.raises(ValueError, match="must be the rows of the fit"):
                ask(*rows)


@pytest.mark.parametrize("model", [NaiveLogistic(), EnhancedLogistic(), WeightedLogistic(0.5)])
def test_a_classifier_without_intervals_says_which_have_them(model):
    for name in ("class_prior_interval", "label_frequency_interval"):
        assert not hasattr(model, name)
        with pytest.raises(AttributeError, match="Use PULogistic"):
            getattr(model, name)
