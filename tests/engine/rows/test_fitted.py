"""The classifier inside a wrapper, and estimators whose second fit fails."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from unlabeled import NaiveLogistic
from unlabeled.engine.rows import (
    fingerprint_rows,
    fitted_model,
    positive_class_of,
    restore_on_failure,
)

X = np.random.default_rng(0).normal(size=(60, 2))
LABELS = np.where(np.arange(60) % 3 == 0, "lab", "unl")


@pytest.mark.filterwarnings("ignore:.PU1")
def test_the_model_is_found_in_pipelines_and_searches():
    model = NaiveLogistic(C=1, positive_label="lab")
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
    with restore_on_failure(estimator):
        estimator.extra_ = 4.0
    assert vars(estimator) == {"C": 2.0, "extra_": 4.0}


def test_a_fingerprint_depends_on_every_cell_its_place_and_its_type():
    table = np.arange(40_000.0).reshape(20_000, 2)
    found = fingerprint_rows(table)
    assert found == fingerprint_rows(np.asfortranarray(table)) == fingerprint_rows(table.copy())
    last = table.copy()
    last[-1, -1] += 1
    others = [last, table[::-1], table[:, ::-1], table.reshape(2, -1), table.astype(np.float32)]
    in_csr = sparse.csr_matrix(table)
    assert fingerprint_rows(in_csr) == fingerprint_rows(in_csr.copy())
    found_in_others = {fingerprint_rows(other) for other in (*others, in_csr, in_csr[1:])}
    assert len(found_in_others | {found}) == 8
