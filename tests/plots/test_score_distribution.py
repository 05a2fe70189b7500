"""Score distributions: densities, and the part of them that is hidden positives."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

from unlabeled import JointLogistic, PULogistic
from unlabeled.datasets import make_paper_gaussian
from unlabeled.plots import ScoreDistributionDisplay


def test_both_are_densities_on_the_same_equal_bins(golden):
    data = golden(label_frequency=0.6)
    numbers = ScoreDistributionDisplay.from_predictions(data.s, data.X[:, 0], n_bins=12).to_frame()
    width = numbers["right"] - numbers["left"]
    np.testing.assert_allclose(width, width[0])
    for name in ("labeled", "unlabeled"):
        assert np.sum(numbers[name] * width) == pytest.approx(1)
    assert "hidden_positive" not in numbers
    here = (data.X[:, 0] >= numbers["left"][4]) & (data.X[:, 0] < numbers["right"][4])
    expected = np.mean(here[data.s == 1]) / width[0]
    assert numbers["labeled"][4] == pytest.approx(expected)


def test_hidden_positives_have_the_mass_and_shape_they_have():
    data = make_paper_gaussian(n=40000, label_frequency=0.3, random_state=0)
    score, prior = data.X @ [-1.0, 1, 1], data.y_true.mean()
    display = ScoreDistributionDisplay.from_predictions(data.s, score, class_prior=prior, n_bins=15)
    hidden = data.y_true[data.s == 0] == 1
    assert display.hidden_share == pytest.approx(hidden.mean(), abs=1e-12)
    numbers = display.to_frame()
    width = numbers["right"][0] - numbers["left"][0]
    edges = np.append(numbers["left"], numbers["right"].iloc[-1])
    truth = np.histogram(score[data.s == 0][hidden], edges)[0] / np.sum(data.s == 0) / width
    np.testing.assert_allclose(numbers["hidden_positive"], truth, atol=0.006)


@pytest.mark.parametrize("response_method", ["decision_function", "predict_proba"])
@pytest.mark.parametrize("model", [PULogistic(), JointLogistic()])
def test_the_marked_cut_is_the_classifier_s(golden, model, response_method):
    data = golden(label_frequency=0.6)
    model.fit(data.X, data.s)
    display = ScoreDistributionDisplay.from_estimator(
        model, data.X, data.s, response_method=response_method
    )
    values = data.X @ model.coef_[0]
    if response_method == "predict_proba":
        values = model.predict_proba(data.X)[:, 1]
    np.testing.assert_array_equal(values > display.threshold, model.predict(data.X) == 1)
    assert display.class_prior == model.class_prior_


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"n_bins": 0}, "`n_bins` must be .*got 0"),
        ({"class_prior": 2.0}, "`class_prior` must be .*got 2.0"),
    ],
)
def test_bad_arguments_are_rejected(golden, options, words):
    data = golden(label_frequency=0.6)
    with pytest.raises(ValueError, match=words):
        ScoreDistributionDisplay.from_predictions(data.s, data.X[:, 0], **options)
    model = JointLogistic().fit(data.X, data.s)
    with pytest.raises(ValueError, match="`response_method` must be .*'odds'"):
        ScoreDistributionDisplay.from_estimator(model, data.X, data.s, response_method="odds")


def test_the_score_is_the_posterior_where_there_is_nothing_else(golden):
    data = golden(label_frequency=0.6)
    forest = RandomForestClassifier(n_estimators=5, random_state=0).fit(data.X, data.s)
    edges = ScoreDistributionDisplay.from_estimator(forest, data.X, data.s).edges
    expected = forest.predict_proba(data.X)[:, 1]
    assert (edges[0], edges[-1]) == (expected.min(), expected.max())
    with pytest.raises(
        ValueError, match="`response_method` must be .*RandomForest.*'decision_function'"
    ):
        ScoreDistributionDisplay.from_estimator(
            forest, data.X, data.s, response_method="decision_function"
        )
