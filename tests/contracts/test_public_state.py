"""Every classifier has one score, one threshold and one posterior, whatever its label values."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from tests.contracts.backends import data
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
from unlabeled.scores import bounded_logit

LINEAR = [
    NaiveLogistic(),
    EnhancedLogistic(),
    EnhancedLogistic(fit_intercept=False),
    JointLogistic(0.7),
    WeightedLogistic(0.7, C=1),
    PULogistic(),
    PropensityLogistic(propensity_features=[0]),
]
OVER_OTHERS = [
    PUThresholdClassifier(LogisticRegression(), random_state=0),
    PUThresholdClassifier(GaussianNB(), random_state=0),  # its scores are probabilities
    PUThresholdClassifier(EnhancedLogistic(), random_state=0),
    PUEnsemble(
        members=[("bayes", GaussianNB()), ("tree", DecisionTreeClassifier(max_depth=2))],
        cv=2,
        random_state=0,
    ),
]
# The value of unlabeled rows, and that of labeled ones.
LABELS = [(0, 1), (1, 0), ("no", "yes"), ("sick", "healthy")]

pytestmark = pytest.mark.filterwarnings("ignore:.PU1")
every_classifier = pytest.mark.parametrize("model", [*LINEAR, *OVER_OTHERS], ids=str)
every_pair = pytest.mark.parametrize("values", LABELS, ids=str)


def fitted(model, values):
    X, s, _ = data()
    model = clone(model).set_params(pos_label=values[1])
    return model.fit(X, np.array(values)[s]), X


@every_classifier
@every_pair
def test_a_score_above_the_threshold_is_predicted_positive(model, values):
    model, X = fitted(model, values)
    above = model.positive_score(X) > model.threshold_
    assert type(model.threshold_) is float
    assert model.positive_class_ == values[1]
    np.testing.assert_array_equal(above, model.predict(X) == model.positive_class_)
    points_to_positive = model.classes_[1] == model.positive_class_
    decision = model.decision_function(X)
    np.testing.assert_array_equal(above, decision > 0 if points_to_positive else decision < 0)


@every_classifier
@every_pair
def test_the_posterior_of_a_score_is_what_predict_proba_says(model, values):
    model, X = fitted(model, values)
    score = model.positive_score(X)
    column = list(model.classes_).index(model.positive_class_)
    proba = model.predict_proba(X)
    posterior = model.posterior_at(score)
    np.testing.assert_array_equal(posterior, proba[:, column])
    np.testing.assert_array_equal(proba.argsort()[:, -1] == column, posterior > 0.5)
    assert np.all(np.diff(posterior[np.argsort(score)]) >= 0)
    np.testing.assert_array_equal(model.posterior_at(score.tolist()), posterior)
    assert model.posterior_at(score[0]) == posterior[0]
    with pytest.raises(ValueError, match=r"`score` must be .*got shape .*`positive_score\(X\)`"):
        model.posterior_at(X)


@every_classifier
def test_the_posterior_is_a_line_on_the_scale_of_logits(model):
    model, X = fitted(model, (0, 1))
    line = model.posterior_line_
    assert [type(line), *map(type, line)] == [tuple, float, float]
    score = model.positive_score(X)
    if isinstance(getattr(model, "estimator", None), GaussianNB):
        kept = (score > 0.001) & (score < 0.999)  # without those whose logit is nearly infinite
        score, X = np.log(score / (1 - score))[kept], X[kept]
    if getattr(model, "_label_line_", None) is not None:
        score = model._label_line_[0] + model._label_line_[1] * score
        score = bounded_logit(score, model.label_frequency_)
    if isinstance(model, PUEnsemble):
        score = bounded_logit(score, model.label_frequency_)
    expected = 1 / (1 + np.exp(-(line[0] + line[1] * score)))
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], expected, rtol=1e-9)


@pytest.mark.parametrize("model", LINEAR, ids=str)
@pytest.mark.parametrize("values", LABELS[1:], ids=str)
def test_label_values_change_neither_score_nor_threshold(model, values):
    plain, X = fitted(model, (0, 1))
    named, _ = fitted(model, values)
    assert named.threshold_ == plain.threshold_
    assert named.posterior_line_ == plain.posterior_line_
    np.testing.assert_array_equal(named.positive_score(X), plain.positive_score(X))
    np.testing.assert_array_equal(plain.positive_score(X), X @ plain.coef_[0])


@pytest.mark.parametrize("values", [(0, 1), (1, 0)], ids=str)
def test_a_score_at_the_threshold_is_not_above_it(values):
    model, _ = fitted(NaiveLogistic(), values)
    sign = 1.0 if values[1] == 1 else -1.0
    model.coef_, model.intercept_ = sign * np.array([[1.0, 0, 0]]), sign * np.array([-2.0])
    X = np.array([[1.9, 0, 0], [2, 0, 0], [2.1, 0, 0]])
    assert model.threshold_ == 2
    assert model.positive_score(X).tolist() == [1.9, 2, 2.1]
    assert (model.predict(X) == values[1]).tolist() == [False, False, True]


@every_classifier
def test_there_is_no_score_and_no_threshold_before_the_fit(model):
    X, _, _ = data()
    model = clone(model)
    for ask in (model.positive_score, model.posterior_at):
        with pytest.raises(NotFittedError):
            ask(X)
    assert not hasattr(model, "threshold_")
    assert not hasattr(model, "posterior_line_")
