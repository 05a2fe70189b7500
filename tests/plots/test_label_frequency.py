"""The profile of the label frequency agrees with fits at given c and with the interval."""

import numpy as np
import pytest
from scipy import stats

from unlabeled import JointLogistic, NaiveLogistic
from unlabeled.datasets import make_paper_gaussian
from unlabeled.plots import LabelFrequencyDisplay


@pytest.fixture(scope="module")
def fitted(golden):
    data = golden(label_frequency=0.6)
    return JointLogistic(tol=1e-8).fit(data.X, data.s), data.X, data.s


def test_the_profile_is_the_likelihood_of_fits_at_a_given_frequency(fitted):
    model, X, s = fitted
    asked = [0.9, 0.5, 0.7, 1.0]
    c, found = model.label_frequency_profile(X, s, frequencies=asked)
    np.testing.assert_array_equal(c, asked)
    for frequency, log_likelihood in zip(c, found, strict=True):
        known = JointLogistic(frequency, tol=1e-8).fit(X, s)
        assert log_likelihood == pytest.approx(2000 * known.mean_log_likelihood_, abs=1e-5)


def test_by_default_it_covers_what_is_possible(fitted):
    model, X, s = fitted
    c, found = model.label_frequency_profile(X, s)
    assert s.mean() < c[0] < c[-1] == 1
    assert np.argmax(found) == np.argmin(np.abs(c - model.label_frequency_))


def test_impossible_frequencies_are_rejected(fitted):
    model, X, s = fitted
    for bad in (s.mean(), 1.01, np.nan):
        with pytest.raises(ValueError, match="`frequencies` must be"):
            model.label_frequency_profile(X, s, frequencies=[0.7, bad])
    with pytest.raises(ValueError, match="`label_frequency` must be None"):
        JointLogistic(0.6).fit(X, s).label_frequency_profile(X, s)


def test_the_curve_leaves_the_limit_at_the_ends_of_the_interval(fitted):
    display = LabelFrequencyDisplay.from_estimator(*fitted, confidence_level=0.9)
    numbers = display.to_frame()
    assert display.limit == pytest.approx(-stats.chi2.ppf(0.9, 1))
    np.testing.assert_array_equal(
        numbers["in_interval"], numbers["likelihood_ratio"] >= display.limit
    )
    assert numbers["in_interval"].any()
    assert not numbers["in_interval"].all()
    top = numbers.loc[numbers["likelihood_ratio"].idxmax()]
    assert top["label_frequency"] == fitted[0].label_frequency_
    assert top["likelihood_ratio"] == 0
    assert numbers["likelihood_ratio"].max() <= 1e-6


def test_the_edge_has_its_own_limit_and_verdict():
    data = make_paper_gaussian(n=600, label_frequency=0.8, random_state=1)
    model = JointLogistic().fit(data.X, data.s)
    display = LabelFrequencyDisplay.from_estimator(model, data.X, data.s)
    assert display.limit_at_one == pytest.approx(-2.7055, abs=1e-4)
    at_one = display.to_frame()["likelihood_ratio"].iloc[-1]
    assert display.to_frame()["in_interval"].iloc[-1] == (at_one >= display.limit_at_one)
    words = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert any("Limit at c = 1" in word and "not ruled out" in word for word in words)


def test_a_fit_at_the_edge_is_drawn():
    data = make_paper_gaussian(n=300, label_frequency=1.0, random_state=3)
    with pytest.warns(UserWarning, match="PU106"):
        model = JointLogistic().fit(data.X, data.s)
    display = LabelFrequencyDisplay.from_estimator(model, data.X, data.s)
    assert display.to_frame()["likelihood_ratio"].iloc[-1] == 0


def test_a_model_without_this_likelihood_is_rejected(fitted):
    _, X, s = fitted
    with pytest.raises(ValueError, match="`estimator` must be .*got NaiveLogistic"):
        LabelFrequencyDisplay.from_estimator(NaiveLogistic().fit(X, s), X, s)


def test_the_curve_of_a_fit_with_checked_rows(golden):
    """With every row checked the likelihood of c is binomial."""
    data = golden(label_frequency=0.6)
    model = JointLogistic(tol=1e-8).fit(data.X, data.s, checked=data.y_true)
    display = LabelFrequencyDisplay.from_estimator(
        model, data.X, data.s, checked=data.y_true, plot=False
    )
    labeled, missed = data.s.sum(), data.y_true.sum() - data.s.sum()
    c = display.to_frame()["label_frequency"]
    expected = labeled * np.log(c) + missed * np.log1p(-c)
    np.testing.assert_allclose(
        display.to_frame()["likelihood_ratio"], 2 * (expected - expected.max()), atol=1e-5
    )
