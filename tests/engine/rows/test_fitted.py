"""The classifier inside a wrapper, and estimators whose second fit fails."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from unlabeled import NaiveLogistic
from unlabeled.engine.rows import (
    RowsFingerprint,
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
    estimator._of_the_fit, estimator._metadata_request = 5.0, "a setting"
    with restore_on_failure(estimator, ("_of_the_fit", "_of_another")):
        estimator.extra_ = 4.0
    assert vars(estimator) == {"C": 2.0, "_metadata_request": "a setting", "extra_": 4.0}


def test_a_fingerprint_depends_on_every_cell_its_place_and_its_type():
    table = np.arange(40_000.0).reshape(20_000, 2)
    found = fingerprint_rows(table)
    assert found == fingerprint_rows(np.asfortranarray(table)) == fingerprint_rows(table.copy())
    last = table.copy()
    last[-1, -1] += 1
    others = [last, table[::-1], table[:, ::-1], table.reshape(2, -1), table.astype(str)]
    in_csr = sparse.csr_matrix(table)
    assert fingerprint_rows(in_csr) == fingerprint_rows(in_csr.tocsc())
    found_in_others = {fingerprint_rows(other) for other in (*others, in_csr, in_csr[1:])}
    assert len(found_in_others | {found}) == 8


def test_equal_cells_in_another_container_have_the_same_fingerprint():
    numbers = np.array([[1.0, 0.0], [3.0, np.nan], [0.5, 2.0]])
    found = fingerprint_rows(numbers)
    same = [numbers.astype(np.float32), pd.DataFrame(numbers), numbers.tolist()]
    same += [numbers.astype(object), pd.DataFrame(numbers, columns=["a", "b"]).astype(object)]
    same += [np.where(numbers == 0, -0.0, -numbers * -1.0)]
    assert {fingerprint_rows(one) for one in same} == {found}
    whole = numbers[:, [0]].round()
    assert fingerprint_rows(whole) == fingerprint_rows(whole.astype(int).tolist())
    texts = ["fever, cough", "well"]
    assert fingerprint_rows(texts) == fingerprint_rows(np.array(texts, dtype=object))
    assert fingerprint_rows(texts) == fingerprint_rows(pd.Series(texts))


def test_cells_that_are_no_numbers_are_told_apart():
    tables = [
        ["ab", "c"],
        ["a", "bc"],
        [["a"], ["b", "c"]],
        [["a", "b"], ["c"]],
        [{"a": 1}, {"b": 2}],
        [{"a": 1}, {"b": 3}],
        pd.DataFrame({"a": ["x", None], "b": [1, 2]}),
        pd.DataFrame({"a": ["x", "y"], "b": [1, 2]}),
    ]
    found = [fingerprint_rows(table) for table in tables]
    assert len(set(found)) == len(tables)
    assert found == [fingerprint_rows(table) for table in tables]


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_blocks_of_rows_have_the_fingerprint_of_all_rows(form):
    table = np.round(np.random.default_rng(0).normal(size=(50, 3)))
    found = RowsFingerprint()
    for start in range(0, 50, 17):
        found.add(form(table[start : start + 17]))
    assert found.hexdigest() == fingerprint_rows(form(table))
