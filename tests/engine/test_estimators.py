"""The classifier inside a wrapper, and estimators whose second fit fails."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from unlabeled import NaiveLogistic
from unlabeled.engine.estimators import fitted_model, positive_class_of, restore_on_failure

X = np.random.default_rng(0).normal(size=(60, 2))
LABELS = np.where(np.arange(60) % 3 == 0, "lab", "unl")


@pytest.mark.filterwarnings("ignore:.PU1")
def test_the_model_is_found_in_pipelines_and_searches():
    model = NaiveLogistic(C=1, pos_label="lab")
    pipeline = make_pipeline(StandardScaler(), make_pipeline(StandardScaler(), model))
    assert fitted_model(model) is model
    assert fitted_model(pipeline) is model
    search = GridSearchCV(make_pipeline(model), {"naivelogistic__C": [0.5, 1]}, cv=2)
    assert fitted_model(search) is search  # not fitted yet
    search.fit(X, LABELS)
    assert fitted_model(search) is search.best_estimator_[-1]
    assert positive_class_of(search) == "lab"
    assert positive_class_of(StandardScaler()) is None


def test_a_fit_that_fails_leaves_the_last_one():
    estimator = BaseEstimator()
    estimator.coef_, estimator.C = 1.0, 2.0

    def fit():
        with restore_on_failure(estimator):
            assert not hasattr(estimator, "coef_")
            estimator.coef_, estimator.extra_ = 3.0, 4.0
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit()
    assert vars(estimator) == {"coef_": 1.0, "C": 2.0}
    estimator._of_the_fit_, estimator._metadata_request = 5.0, "a setting"
    with restore_on_failure(estimator):
        estimator.extra_ = 4.0
    assert vars(estimator) == {"C": 2.0, "_metadata_request": "a setting", "extra_": 4.0}
