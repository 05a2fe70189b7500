"""What must not change a fit or a prediction."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from unlabeled import (
    EnhancedLogistic,
    JointLogistic,
    NaiveLogistic,
    PropensityLogistic,
    PULogistic,
    WeightedLogistic,
)
from unlabeled.datasets import make_paper_gaussian
from unlabeled.label_frequency import ElkanNoto, TIcE

TIGHT = {"tol": 1e-9}
CLASSIFIERS = [
    NaiveLogistic(**TIGHT),
    EnhancedLogistic(**TIGHT),
    JointLogistic(**TIGHT),
    WeightedLogistic(0.6, **TIGHT),
    WeightedLogistic(ElkanNoto(), weighting="posterior", **TIGHT),
    PULogistic(**TIGHT),
    PropensityLogistic(propensity_features=[0], **TIGHT),
]
seeds = st.integers(0, 2**16)
each_classifier = pytest.mark.parametrize("model", CLASSIFIERS, ids=repr)


def sample(seed, n=400, c=0.6):
    data = make_paper_gaussian(n, c, random_state=seed)
    return data.X, data.s


def fitted(model, X, s, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # small samples warrant warnings, tested elsewhere
        return clone(model).fit(X, s, **options)


def assert_same_model(one, other, X, X_other=None):
    X_other = X if X_other is None else X_other
    np.testing.assert_allclose(
        one.predict_proba(X), other.predict_proba(X_other), rtol=1e-4, atol=1e-6
    )
    assert one.label_frequency_ == pytest.approx(other.label_frequency_, rel=1e-4)
    assert np.mean(one.predict(X) != other.predict(X_other)) <= 1 / len(one.predict(X))


@each_classifier
@given(seed=seeds)
@settings(max_examples=5)
def test_row_order(model, seed):
    X, s = sample(seed)
    order = np.random.default_rng(seed).permutation(len(s))
    assert_same_model(fitted(model, X, s), fitted(model, X[order], s[order]), X)


@each_classifier
@given(seed=seeds)
@settings(max_examples=5)
def test_weight_two_is_a_row_twice(model, seed):
    X, s = sample(seed)
    weight = np.random.default_rng(seed).integers(0, 3, len(s))
    repeated = np.repeat(np.arange(len(s)), weight)
    counts = clone(model).set_params(weights="frequency")
    weighted = fitted(counts, X, s, sample_weight=weight.astype(float))
    assert_same_model(weighted, fitted(model, X[repeated], s[repeated]), X[weight > 0])


@each_classifier
@given(seed=seeds)
@settings(max_examples=5)
def test_affine_changes_of_the_features(model, seed):
    X, s = sample(seed)
    rng = np.random.default_rng(seed)
    # A ridge on standardized features knows which features there are, not their units.
    mixing = np.eye(3) if isinstance(model, PULogistic) else rng.normal(size=(3, 3))
    A = np.linalg.qr(mixing)[0] * 10.0 ** rng.uniform(-3, 3, 3)
    moved = X @ A + rng.normal(scale=100, size=3)
    assert_same_model(fitted(model, X, s), fitted(model, moved, s), X, moved)


@each_classifier
def test_predictions_do_not_depend_on_the_batch(model):
    X, s = sample(5, n=300)
    model = fitted(model, X, s)
    scores, decisions = model.decision_function(X), model.predict(X)
    proba = model.predict_proba(X)
    for i in range(len(X)):
        row = X[i : i + 1]
        assert model.decision_function(row)[0] == pytest.approx(scores[i], rel=1e-12, abs=1e-12)
        assert model.predict(row)[0] == decisions[i]
        assert model.predict_proba(row)[0, 1] == pytest.approx(proba[i, 1], abs=1e-12)


@each_classifier
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_frames_are_checked_by_name(model, frame):
    X, s = sample(7)
    names = ["age", "dose", "weight"]
    table = frame({name: X[:, j] for j, name in enumerate(names)})
    labels = pd.Series(s) if frame is pd.DataFrame else pl.Series(s)
    from_frame = fitted(model, table, labels)
    assert from_frame.feature_names_in_.tolist() == names
    np.testing.assert_array_equal(from_frame.predict(table), fitted(model, X, s).predict(X))
    with pytest.raises(ValueError, match="feature names"):
        from_frame.predict(table[["dose", "age", "weight"]])


@each_classifier
def test_float32_agrees_to_its_precision(model):
    X, s = sample(11, n=1000)
    loose = clone(model).set_params(tol=1e-4)
    double, single = fitted(loose, X, s), fitted(loose, X.astype(np.float32), s)
    np.testing.assert_allclose(double.coef_, single.coef_, rtol=0.02)
    # Scores are double: in single precision they would have ties the data do not have.
    assert single.decision_function(X.astype(np.float32)).dtype == np.float64


@each_classifier
def test_fortran_order_memory_map_and_read_only_rows(model, tmp_path):
    X, s = sample(13)
    plain = fitted(model, X, s)
    mapped = np.memmap(tmp_path / "X", dtype=np.float64, mode="w+", shape=X.shape)
    mapped[:] = X
    mapped.flush()
    read_only = X.copy()
    read_only.setflags(write=False)
    for variant in (np.asfortranarray(X), mapped, read_only):
        np.testing.assert_allclose(fitted(model, variant, s).coef_, plain.coef_, rtol=1e-6)


@pytest.mark.parametrize(
    "estimator", [ElkanNoto(tol=1e-9), ElkanNoto("e3", tol=1e-9), TIcE(random_state=0)], ids=repr
)
def test_label_frequency_does_not_depend_on_units(estimator):
    X, s = sample(17, n=2000)
    plain = clone(estimator).fit(X, s).label_frequency_
    scaled = clone(estimator).fit(X * [1e3, 1e-3, 1] + [5, -7, 0], s).label_frequency_
    assert scaled == pytest.approx(plain, rel=1e-6)
