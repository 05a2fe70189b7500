"""A fit is whole: what fails leaves a model as it was."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression

from unlabeled import JointLogistic, PULogistic, PUThresholdClassifier, WeightedLogistic
from unlabeled.datasets import make_paper_gaussian
from unlabeled.label_frequency import ElkanNoto

DATA = make_paper_gaussian(400, 0.5, random_state=0)
X, S = DATA.X, DATA.s
MODELS = [
    (JointLogistic(), {"label_frequency": 0.01}),
    (WeightedLogistic(0.5), {"label_frequency": 0.01}),
    (PULogistic(), {"class_prior": 0.01}),
    (PUThresholdClassifier(LogisticRegression(), cv=None), {"class_prior": 0.01}),
]
each_model = pytest.mark.parametrize(
    ("model", "refused"), MODELS, ids=lambda value: type(value).__name__
)


@each_model
def test_a_failed_first_fit_leaves_a_model_that_is_not_fitted(model, refused):
    model = type(model)(**{**model.get_params(deep=False), **refused})
    with pytest.raises(ValueError, match="share of labelled rows"):
        model.fit(X, S)
    with pytest.raises(NotFittedError):
        model.predict(X)


@each_model
def test_a_failed_refit_leaves_the_fit_before(model, refused):
    model = type(model)(**model.get_params(deep=False)).fit(X, S)
    before = model.predict_proba(X)
    with pytest.raises(ValueError, match="share of labelled rows"):
        model.set_params(**refused).fit(X[:, :2], S)
    assert model.n_features_in_ == 3
    np.testing.assert_array_equal(model.predict_proba(X), before)


def test_a_failed_refit_of_a_frequency_estimator_leaves_the_fit_before():
    estimator = ElkanNoto().fit(X, S)
    before = estimator.label_frequency_
    with pytest.raises(ValueError, match="`cv` must be"):
        estimator.set_params(cv="x").fit(X[:, :2], S)
    assert (estimator.n_features_in_, estimator.label_frequency_) == (3, before)
