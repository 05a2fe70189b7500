"""Standard errors and intervals of fitted classifiers."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from unlabeled import EnhancedLogistic, JointLogistic, NaiveLogistic
from unlabeled.datasets import make_paper_gaussian
from unlabeled.inference import frequency_interval


@pytest.mark.parametrize("kind", [NaiveLogistic, EnhancedLogistic])
def test_the_naive_direction_has_white_s_errors(golden, kind):
    data = golden(c=0.6)
    found = kind(tol=1e-10).fit(data.X, data.s).estimates(data.X, data.s)
    assert found.names == ("x0", "x1", "x2", "intercept")
    expected = [0.0832863, 0.0835711, 0.0792892, 0.1366902]
    np.testing.assert_allclose(found.standard_error, expected, atol=5.1e-8)
    assert found.value[-1] == pytest.approx(-1.8264833503, abs=1e-8)


def test_joint_has_an_error_for_its_label_frequency(golden):
    data = golden(c=0.6)
    model = JointLogistic(tol=1e-10).fit(data.X, data.s)
    found = model.estimates(data.X, data.s, kind="expected")
    assert found.names[-1] == "logit c"
    c = model.label_frequency_
    assert found.standard_error[-1] * c * (1 - c) == pytest.approx(0.08584, abs=5.1e-6)
    known = JointLogistic(0.6).fit(data.X, data.s).estimates(data.X, data.s)
    assert known.names == ("x0", "x1", "x2", "intercept")
    assert np.all(known.standard_error < found.standard_error[:-1])


def test_names_labels_and_weights_are_the_user_s(golden):
    data = golden(c=0.6)
    table = pd.DataFrame(data.X, columns=["age", "dose", "weight"])
    plain = NaiveLogistic(tol=1e-9).fit(table, data.s)
    named = NaiveLogistic(positive_label="a", tol=1e-9).fit(table, np.where(data.s, "a", "b"))
    one = plain.estimates(table, data.s)
    other = named.estimates(table, np.where(data.s, "a", "b"))
    assert one.names == ("age", "dose", "weight", "intercept")
    np.testing.assert_allclose(one.value, -other.value)
    np.testing.assert_allclose(one.covariance, other.covariance)
    twice = plain.estimates(table, data.s, np.full(len(data.s), 2.0))
    np.testing.assert_allclose(2 * twice.covariance, one.covariance)
    with pytest.raises(ValueError, match="`kind` must be one of 'sandwich'"):
        plain.estimates(table, data.s, kind="robust")


def test_without_intercept_there_is_none(golden):
    data = golden(c=0.6)
    model = JointLogistic(fit_intercept=False).fit(data.X, data.s)
    assert model.estimates(data.X, data.s).names == ("x0", "x1", "x2", "logit c")


def test_ends_of_the_interval_have_the_likelihood_they_should(golden):
    data = golden(c=0.6)
    model = JointLogistic(tol=1e-8).fit(data.X, data.s)
    interval = model.label_frequency_interval(data.X, data.s)
    assert interval.lower < model.label_frequency_ < interval.upper
    assert not interval.contains_one
    best = model.mean_log_likelihood_ * 2000
    for end in (interval.lower, interval.upper):
        at_end = JointLogistic(end, tol=1e-8).fit(data.X, data.s).mean_log_likelihood_ * 2000
        assert 2 * (best - at_end) == pytest.approx(stats.chi2.ppf(0.95, 1), abs=1e-3)
    wider = model.label_frequency_interval(data.X, data.s, level=0.99)
    assert wider.lower < interval.lower < interval.upper < wider.upper


def test_a_normal_likelihood_gives_the_normal_interval():
    found = frequency_interval(lambda c: -0.5 * ((c - 0.5) / 0.01) ** 2, 0.5, 0.1)
    assert (found.lower, found.upper) == pytest.approx((0.5 - 0.0196, 0.5 + 0.0196), abs=1e-5)
    assert not found.contains_one


@pytest.mark.parametrize(
    ("height_at_one", "upper", "contains_one"),
    [(2.0, 1.0, True), (3.0, 1.0, False), (5.0, None, False)],
)
def test_the_edge_is_tested_more_sharply(height_at_one, upper, contains_one):
    """Twice the difference at c = 1 is 2, 3 and 5; the limits are 2.71 there and 3.84 below."""
    found = frequency_interval(lambda c: -0.5 * height_at_one * ((c - 0.8) / 0.2) ** 2, 0.8, 0.1)
    assert found.contains_one is contains_one
    assert found.upper == 1.0 if upper else found.upper < 1.0


def test_nothing_known_is_everything_possible():
    found = frequency_interval(lambda c: 0.0, 0.5, 0.2)
    assert (found.lower, found.upper, found.contains_one) == (0.2, 1.0, True)


def test_at_the_boundary_the_interval_reaches_one():
    data = make_paper_gaussian(n=300, c=1.0, random_state=3)
    with pytest.warns(UserWarning, match="PU106"):
        model = JointLogistic().fit(data.X, data.s)
    interval = model.label_frequency_interval(data.X, data.s)
    assert interval.upper == 1.0
    assert interval.contains_one
    assert interval.lower < 1
    assert "logit c" not in model.estimates(data.X, data.s).names


def test_a_given_frequency_has_no_interval(golden):
    data = golden(c=0.6)
    with pytest.raises(ValueError, match="`label_frequency` must be None for an interval"):
        JointLogistic(0.6).fit(data.X, data.s).label_frequency_interval(data.X, data.s)
