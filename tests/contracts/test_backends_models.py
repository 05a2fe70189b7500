"""Fitted models are the same wherever the rows live, and leave them as they were."""

import pickle

import dask
import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from tests.contracts.backends import (
    IN_CHUNKS,
    IN_MEMORY,
    NAMES,
    PLACES,
    data,
    fitted,
    here,
    in_chunks,
)
from unlabeled import EnhancedLogistic, JointLogistic, NaiveLogistic
from unlabeled.engine.rows import _blocks

TIGHT = 1e-10
# Dask's own, when it reads Parquet by a new pandas.
pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword in DataFrame")
MODELS = [
    NaiveLogistic(tol=TIGHT),
    EnhancedLogistic(C=1, tol=TIGHT, pos_label=1),
    EnhancedLogistic(tol=TIGHT, fit_intercept=False),
    JointLogistic(C=10, tol=TIGHT),
    JointLogistic(0.7, tol=TIGHT),
    JointLogistic(0.95, tol=TIGHT, C=1, fit_intercept=False, pos_label=0),
]
NUMBERS = ("coef_", "intercept_", "label_frequency_", "class_prior_", "f1_pu_", "f1_pu_bound_")


@pytest.fixture(autouse=True)
def _one_thread():
    with dask.config.set(scheduler="sync"):
        yield


def assert_same_model(found, expected, rtol=1e-8):
    for name in NUMBERS:
        if hasattr(expected, name):
            scale = np.max(np.abs(expected.coef_))
            wanted = getattr(expected, name)
            np.testing.assert_allclose(getattr(found, name), wanted, rtol, rtol * scale, name)
            assert type(getattr(found, name)) is type(wanted)
    assert found.converged_ == expected.converged_


@pytest.mark.parametrize("model", MODELS, ids=str)
@pytest.mark.parametrize("weighted", [False, True], ids=["", "weighted"])
def test_models_in_memory_and_in_chunks(model, weighted, tmp_path):
    X, s, weight = data()
    weight = weight if weighted else None
    expected, codes = fitted(model, X, s, weight)
    for name in (*IN_MEMORY, "uneven chunks", "CSR chunks"):
        placed = PLACES[name](X, s, weight, tmp_path)
        found, found_codes = fitted(model, *placed)
        assert found_codes == codes
        assert_same_model(found, expected)
        for method in ("predict", "decision_function", "predict_proba"):
            said = here(getattr(found, method)(placed[0]))
            wanted = getattr(expected, method)(X)
            np.testing.assert_allclose(said, wanted, rtol=1e-6, atol=1e-7, err_msg=method)
            assert said.dtype == wanted.dtype


@pytest.mark.parametrize("place", IN_CHUNKS.values(), ids=IN_CHUNKS.keys())
def test_any_chunks(place, tmp_path):
    X, s, weight = data()
    for model in (MODELS[1], JointLogistic(0.7, C=1, tol=TIGHT)):
        expected, _ = fitted(model, X, s, weight)
        placed = place(X, s, weight, tmp_path)
        found, _ = fitted(model, *placed)
        assert_same_model(found, expected)
        np.testing.assert_array_equal(here(found.predict(placed[0])), expected.predict(X))


def test_frames_give_names(tmp_path):
    X, s, _ = data()
    found, _ = fitted(MODELS[0], *PLACES["Parquet"](X, s, None, tmp_path))
    assert found.feature_names_in_.tolist() == NAMES


@pytest.mark.parametrize("name", ["CSR", "memmap", "uneven chunks", "frame"])
def test_single_precision(name, tmp_path):
    X, s, weight = data()
    for model in (NaiveLogistic(C=1, tol=1e-6), JointLogistic(0.7, C=1, tol=1e-6)):
        expected, _ = fitted(model, X, s, weight)
        found, _ = fitted(model, *PLACES[name](X.astype(np.float32), s, weight, tmp_path))
        np.testing.assert_allclose(found.coef_, expected.coef_, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("rows", [7, 100_000])
def test_any_block_size(rows, tmp_path, monkeypatch):
    X, s, weight = data()
    expected, _ = fitted(MODELS[1], X, s, weight)
    monkeypatch.setattr(_blocks, "rows_in_a_block", lambda X: rows)
    for name in ("F order", "memmap", "uneven chunks"):
        found, _ = fitted(MODELS[1], *PLACES[name](X, s, weight, tmp_path))
        assert_same_model(found, expected)


@pytest.mark.parametrize("model", MODELS[:4], ids=str)
def test_inputs_are_left_unchanged(model, tmp_path):
    X, s, weight = (part.copy() for part in data())
    before = [part.tobytes() for part in (X, s, weight)]
    for name in ("F order", "CSR", "uneven chunks", "labels here"):
        placed = PLACES[name](X, s, weight, tmp_path)
        fitted(model, *placed)[0].predict(placed[0])
        assert [part.tobytes() for part in (X, s, weight)] == before
    kept = sparse.csr_matrix(X)
    parts = [kept.data.tobytes(), kept.indices.tobytes(), kept.indptr.tobytes()]
    fitted(model, kept, s, weight)
    assert [kept.data.tobytes(), kept.indices.tobytes(), kept.indptr.tobytes()] == parts


def test_a_fitted_model_keeps_no_rows_and_no_dask(tmp_path):
    X, s, weight = data()
    for model in (MODELS[0], MODELS[1], MODELS[4]):
        found, _ = fitted(model, *PLACES["uneven chunks"](X, s, weight, tmp_path))
        stored = pickle.dumps(found)
        assert b"dask" not in stored
        assert len(stored) < 5000
        np.testing.assert_array_equal(pickle.loads(stored).predict(X), found.predict(X))
        assert clone(found).get_params() == model.get_params()


def doubtful_data(kind):
    """Rows that bring a warning, and the model that gives it."""
    X, s, _ = (part.copy() for part in data())
    if kind == "PU102":
        return X, (np.arange(len(s)) % 100 == 0).astype(int), NaiveLogistic()
    if kind == "PU103":
        return np.column_stack([X, s]), s, JointLogistic()
    if kind == "PU104":
        return np.column_stack([X, X[:, 0] - X[:, 1]]), s, NaiveLogistic()
    if kind == "PU106":
        return X, s, JointLogistic(fit_intercept=False, pos_label=0)
    labels = (np.arange(len(s)) % 7 == 0).astype(int)
    return (np.arange(len(s)) % 2)[:, None].astype(float), labels, EnhancedLogistic()


@pytest.mark.parametrize("kind", ["PU102", "PU103", "PU104", "PU106", "PU110"])
def test_warnings_are_those_of_rows_in_memory(kind):
    X, s, model = doubtful_data(kind)
    _, codes = fitted(model, X, s)
    assert kind in codes
    chunks = in_chunks(X, (50, 0, 120, 1, 69)), in_chunks(s, (50, 0, 120, 1, 69))
    assert fitted(model, *chunks)[1] == codes
    assert fitted(model, sparse.csr_matrix(X), s)[1] == codes
