"""Reliability from labels: what right and wrong posteriors show, and what is not seen."""

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import binomtest
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from unlabeled import JointLogistic
from unlabeled.datasets import make_paper_gaussian
from unlabeled.plots import ReliabilityDisplay


@pytest.fixture(scope="module")
def simulated():
    data = make_paper_gaussian(n=20000, label_frequency=0.5, random_state=0)
    posterior = JointLogistic(0.5).fit(data.X, data.s).predict_proba(data.X)[:, 1]
    return data, posterior


def test_a_right_posterior_lies_on_the_diagonal(simulated):
    data, posterior = simulated
    numbers = ReliabilityDisplay.from_predictions(
        data.s, posterior, label_frequency=0.5, y_true=data.y_true == 1
    ).to_frame()
    covered = (numbers["lower"] <= numbers["predicted"]) & (
        numbers["predicted"] <= numbers["upper"]
    )
    assert covered.sum() >= 8
    np.testing.assert_allclose(numbers["estimated"], numbers["true"], atol=0.05)
    np.testing.assert_array_equal(numbers["rows"], 2000)


def test_a_posterior_that_is_too_steep_leaves_it(simulated):
    data, posterior = simulated
    steep = expit(3 * np.log(posterior / (1 - posterior)))
    numbers = ReliabilityDisplay.from_predictions(data.s, steep, label_frequency=0.5).to_frame()
    assert numbers["upper"].iloc[-1] < numbers["predicted"].iloc[-1]


def test_a_factor_between_posterior_and_frequency_is_not_seen(simulated):
    data, posterior = simulated
    of = ReliabilityDisplay.from_predictions
    half = of(data.s, posterior / 2, label_frequency=1.0).to_frame()
    whole = of(data.s, posterior, label_frequency=0.5).to_frame()
    for name in ("predicted", "estimated", "lower", "upper"):
        np.testing.assert_allclose(2 * half[name], whole[name])


def test_numbers_are_shares_of_labeled_rows_and_wilson_s_ends():
    posterior = np.repeat([0.2, 0.8], 50)
    s = np.r_[np.ones(5), np.zeros(45), np.ones(20), np.zeros(30)]
    display = ReliabilityDisplay.from_predictions(
        s, posterior, label_frequency=0.5, confidence_level=0.9
    )
    numbers = display.to_frame()
    np.testing.assert_allclose(numbers["predicted"], [0.2, 0.8])
    np.testing.assert_allclose(numbers["estimated"], [0.2, 0.8])
    ends = binomtest(5, 50).proportion_ci(0.9, method="wilson")
    assert (numbers["lower"][0], numbers["upper"][0]) == (ends.low / 0.5, ends.high / 0.5)
    np.testing.assert_array_equal(numbers["rows"], [50, 50])


def test_the_label_frequency_is_the_model_s_unless_given(golden):
    data = golden(label_frequency=0.6)
    model = JointLogistic().fit(data.X, data.s)
    own = ReliabilityDisplay.from_estimator(model, data.X, data.s)
    assert own.label_frequency == model.label_frequency_
    given = ReliabilityDisplay.from_estimator(model, data.X, data.s, label_frequency=0.5)
    factor = model.label_frequency_ / 0.5
    np.testing.assert_allclose(given.to_frame()["estimated"], factor * own.to_frame()["estimated"])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"n_bins": 0}, "`n_bins` must be .*got 0"),
        ({"confidence_level": 0}, "`confidence_level` must be .*got 0"),
        ({"label_frequency": 1.5}, "`label_frequency` must be .*got 1.5"),
        ({"label_frequency": None}, "`label_frequency` must be .*got None"),
        ({"y_true": [1, 0]}, "`y_true` must hold .*20000 rows"),
        ({"y_true": np.full(20000, -1)}, "`y_true` must hold .*got \\[-1"),
    ],
)
def test_bad_arguments_are_rejected(simulated, options, words):
    data, posterior = simulated
    with pytest.raises(ValueError, match=words):
        ReliabilityDisplay.from_predictions(
            data.s, posterior, **{"label_frequency": 0.5, **options}
        )


def test_a_plain_classifier_needs_a_given_c_and_probabilities(golden):
    data = golden(label_frequency=0.6)
    with pytest.raises(ValueError, match="`label_frequency` must be .*got None"):
        ReliabilityDisplay.from_estimator(LogisticRegression().fit(data.X, data.s), data.X, data.s)
    with pytest.raises(ValueError, match="`estimator` must have `predict_proba`.*LinearSVC"):
        ReliabilityDisplay.from_estimator(LinearSVC().fit(data.X, data.s), data.X, data.s)


def test_a_score_is_no_posterior(simulated):
    data, posterior = simulated
    with pytest.raises(ValueError, match="`posterior` must hold probabilities.*got -"):
        ReliabilityDisplay.from_predictions(data.s, posterior - 1, label_frequency=0.5)
