"""What every linear classifier does: it names bad input, and a failed fit changes nothing."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression

from unlabeled import (
    EnhancedLogistic,
    JointLogistic,
    NaiveLogistic,
    PropensityLogistic,
    PULogistic,
    PUThresholdClassifier,
    WeightedLogistic,
)
from unlabeled.codes import PUWarning
from unlabeled.datasets import make_paper_gaussian
from unlabeled.engine.rows import validate_rows
from unlabeled.label_frequency import ElkanNoto

X = np.random.default_rng(0).normal(size=(30, 2))
S = np.arange(30) % 3 == 0
MODELS = [
    NaiveLogistic(),
    EnhancedLogistic(),
    JointLogistic(),
    WeightedLogistic(),
    PULogistic(),
    PropensityLogistic(propensity_features=[0]),
    ElkanNoto(),
]
each_model = pytest.mark.parametrize("model", MODELS, ids=repr)

DATA = make_paper_gaussian(400, 0.5, random_state=0)
FAILURES = [
    (JointLogistic(), {"label_frequency": 0.01}),
    (WeightedLogistic(0.5), {"label_frequency": 0.01}),
    (PULogistic(), {"class_prior": 0.01}),
    (PUThresholdClassifier(LogisticRegression(), cv="train"), {"class_prior": 0.01}),
]
each_failure = pytest.mark.parametrize(
    ("model", "rejected"), FAILURES, ids=lambda value: type(value).__name__
)


def changed(value):
    Z = X.copy()
    Z[4, 1] = value
    return Z


@each_model
@pytest.mark.parametrize(
    ("rows", "labels", "message"),
    [
        (changed(np.nan), S, "NaN.*row 4, column 1"),
        (changed(np.inf), S, "inf.*row 4, column 1"),
        (X, np.zeros(30), r"`y` must.*0\.0"),
        (X, np.ones(30), r"`y` must.*1\.0"),
        (X, np.arange(30) % 3, "`y` must have two.*0, 1, 2"),
        (X, None, "requires y to be passed, but the target y is None"),
        (X, S[:-1], "inconsistent numbers of samples.*30.*29"),
        (X[:, :0], S, "0 feature"),
        (X[0], S, "Expected 2D array"),
    ],
)
def test_bad_rows_and_labels_are_named(model, rows, labels, message):
    with pytest.raises(ValueError, match=message):
        model.fit(rows, labels)


def test_finite_numbers_may_have_a_sum_that_is_not():
    rows = np.full((30, 2), np.finfo(np.float32).max / 4, dtype=np.float32)
    assert validate_rows(NaiveLogistic(), rows, S).X.dtype == np.float32
    rows[7, 0] = np.inf
    with pytest.raises(ValueError, match="inf.*row 7, column 0"):
        validate_rows(NaiveLogistic(), rows, S)


@each_model
def test_text_where_numbers_belong_names_the_column(model):
    table = pd.DataFrame({"age": X[:, 0], "town": ["Warsaw"] * 30})
    with pytest.raises(ValueError, match="column 'town'.*OneHotEncoder"):
        model.fit(table, S)


@each_model
def test_dates_name_the_column(model):
    table = pd.DataFrame({"age": X[:, 0], "seen": pd.date_range("2020-01-01", periods=30)})
    with pytest.raises(ValueError, match="`X` must.*dates.*column 'seen'") as rejected:
        model.fit(table, S)
    assert "DType" not in str(rejected.value)


@each_model
def test_missing_cells_name_the_column_of_a_frame(model):
    table = pd.DataFrame(changed(np.nan), columns=["age", "dose"])
    with pytest.raises(ValueError, match="row 4, column 'dose'"):
        model.fit(table, S)


@each_model
def test_missing_cells_in_sparse_rows(model):
    with pytest.raises(ValueError, match="NaN.*row 4, column 1"):
        model.fit(sparse.csr_matrix(changed(np.nan)), S)


@each_model
def test_a_query_that_was_not_run_is_rejected(model):
    with pytest.raises(TypeError, match="`X` must be in memory.*LazyFrame.*collect"):
        model.fit(pl.LazyFrame({"age": X[:, 0]}), S)


def test_new_rows_are_checked_too():
    with pytest.warns(PUWarning, match="PU106|PU111"):
        model = NaiveLogistic().fit(X, S)
    with pytest.raises(ValueError, match="NaN"):
        model.predict(changed(np.nan))


@each_model
@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (-np.ones(30), r"-1\.0"),
        (np.full(30, np.nan), "nan"),
        (np.ones(29), r"30.*\(29,\)"),
        ((~S).astype(float), "zero"),
        ("balanced", "30.*'balanced'"),
    ],
)
def test_bad_weights_are_named(model, weight, message):
    with pytest.raises(ValueError, match=f"`sample_weight` must.*{message}"):
        model.fit(X, S, sample_weight=weight)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"C": 0}, "`C` must be.*got 0"),
        ({"C": "1"}, "`C` must be.*'1'"),
        ({"tol": -1}, "`tol` must be.*-1"),
        ({"max_iter": 0.5}, "`max_iter` must be.*0.5"),
        ({"fit_intercept": "no"}, "`fit_intercept` must be.*'no'"),
    ],
)
def test_bad_parameters_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        NaiveLogistic(**options).fit(X, S)


@each_failure
def test_a_failed_first_fit_leaves_a_model_that_is_not_fitted(model, rejected):
    model = type(model)(**{**model.get_params(deep=False), **rejected})
    with pytest.raises(ValueError, match="share of labeled rows"):
        model.fit(DATA.X, DATA.s)
    with pytest.raises(NotFittedError):
        model.predict(DATA.X)


@each_failure
def test_a_failed_refit_leaves_the_fit_before(model, rejected):
    model = type(model)(**model.get_params(deep=False)).fit(DATA.X, DATA.s)
    before = model.predict_proba(DATA.X)
    with pytest.raises(ValueError, match="share of labeled rows"):
        model.set_params(**rejected).fit(DATA.X[:, :2], DATA.s)
    assert model.n_features_in_ == 3
    np.testing.assert_array_equal(model.predict_proba(DATA.X), before)


@pytest.mark.parametrize(
    "model", [JointLogistic(), PULogistic(), PropensityLogistic(propensity_features=[0])], ids=repr
)
def test_answers_are_passed_by_name(model):
    with pytest.raises(TypeError, match=r"fit\(\) takes from 3 to 4 positional arguments"):
        model.fit(X, S, None, np.full(30, np.nan))


@pytest.mark.parametrize(
    "model", [NaiveLogistic(), PULogistic(), PropensityLogistic(propensity_features=[0])], ids=repr
)
def test_before_a_fit_there_is_no_threshold(model):
    names = ["threshold_", *["held_out_posterior_"] * isinstance(model, PULogistic)]
    for name in names:
        assert not hasattr(model, name)
        with pytest.raises(NotFittedError, match=f"{type(model).__name__} .*not fitted.*'fit'"):
            getattr(model, name)


def test_the_message_about_a_class_prior_names_all_that_it_can_be():
    with pytest.raises(ValueError, match="`class_prior` must be None.*PriorDensity.*got 'x'"):
        PULogistic(class_prior="x").fit(X, S)
