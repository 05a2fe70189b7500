"""Bad input gets one clear sentence."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from unlabeled import EnhancedLogistic, JointLogistic, NaiveLogistic, PULogistic, WeightedLogistic
from unlabeled.codes import PUWarning
from unlabeled.engine.rows import validate_rows
from unlabeled.label_frequency import ElkanNoto, TIcE

X = np.random.default_rng(0).normal(size=(30, 2))
S = np.arange(30) % 3 == 0
MODELS = [
    NaiveLogistic(),
    EnhancedLogistic(),
    JointLogistic(),
    WeightedLogistic(),
    PULogistic(),
    ElkanNoto(),
]
each_model = pytest.mark.parametrize("model", MODELS, ids=repr)


def changed(value):
    Z = X.copy()
    Z[4, 1] = value
    return Z


@each_model
@pytest.mark.parametrize(
    ("rows", "labels", "sentence"),
    [
        (changed(np.nan), S, "finite numbers; got NaN in 1 cell, the first in row 4, column 1."),
        (changed(np.inf), S, "finite numbers; got inf in 1 cell, the first in row 4, column 1."),
        (X, np.zeros(30), "got only one class, 0.0. Check that the label column"),
        (X, np.ones(30), "got only one class, 1.0. Check that the label column"),
        (X, np.arange(30) % 3, "`y` must have two distinct values; got 3: 0, 1, 2."),
        (X, None, "requires y to be passed, but the target y is None. Pass the label column."),
        (X, S[:-1], "inconsistent numbers of samples: 30 rows, and 29 in `y`"),
        (X[:, :0], S, "0 feature"),
        (X[0], S, "Expected 2D array"),
    ],
)
def test_rows_and_labels(model, rows, labels, sentence):
    with pytest.raises(ValueError, match=sentence):
        model.fit(rows, labels)


def test_finite_numbers_may_have_a_sum_that_is_not():
    rows = np.full((30, 2), np.finfo(np.float32).max / 4, dtype=np.float32)
    assert validate_rows(NaiveLogistic(), rows, S).X.dtype == np.float32
    rows[7, 0] = np.inf
    with pytest.raises(ValueError, match="got inf in 1 cell, the first in row 7, column 0"):
        validate_rows(NaiveLogistic(), rows, S)


@each_model
def test_text_where_numbers_belong_names_the_column(model):
    table = pd.DataFrame({"age": X[:, 0], "town": ["Warsaw"] * 30})
    told = "got something else .* in column 'town'.*OneHotEncoder.*table_pipeline"
    with pytest.raises(ValueError, match=told):
        model.fit(table, S)


@each_model
def test_dates_name_the_column(model):
    table = pd.DataFrame({"age": X[:, 0], "seen": pd.date_range("2020-01-01", periods=30)})
    told = "^`X` must hold numbers; got dates or times in column 'seen'. Turn dates into days"
    with pytest.raises(ValueError, match=told) as refused:
        model.fit(table, S)
    assert "DType" not in str(refused.value)


@each_model
def test_missing_cells_name_the_column_of_a_frame(model):
    table = pd.DataFrame(changed(np.nan), columns=["age", "dose"])
    with pytest.raises(ValueError, match="the first in row 4, column 'dose'"):
        model.fit(table, S)


@each_model
def test_missing_cells_in_sparse_rows(model):
    with pytest.raises(ValueError, match="got NaN in 1 cell, the first in row 4, column 1"):
        model.fit(sparse.csr_matrix(changed(np.nan)), S)


@each_model
def test_a_query_that_was_not_run_is_refused(model):
    with pytest.raises(TypeError, match=r"`X` must be in memory; got a LazyFrame. Call its coll"):
        model.fit(pl.LazyFrame({"age": X[:, 0]}), S)


def test_new_rows_are_checked_too():
    with pytest.warns(PUWarning, match="PU106"):
        model = NaiveLogistic().fit(X, S)
    with pytest.raises(ValueError, match="got NaN in 1 cell"):
        model.predict(changed(np.nan))


@each_model
@pytest.mark.parametrize(
    ("weight", "sentence"),
    [
        (-np.ones(30), "at least 0; got -1.0"),
        (np.full(30, np.nan), "at least 0; got nan"),
        (np.ones(29), r"one number for each of the 30 rows; got shape \(29,\)"),
        ((~S).astype(float), "got only zeros for one class"),
        ("balanced", "one number for each of the 30 rows; got 'balanced'. Compute them first"),
    ],
)
def test_weights(model, weight, sentence):
    with pytest.raises(ValueError, match=sentence):
        model.fit(X, S, sample_weight=weight)


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (NaiveLogistic(C=0), "`C` must be a positive number, inf for no penalty; got 0."),
        (NaiveLogistic(C="1"), "`C` must be a positive number"),
        (NaiveLogistic(tol=-1), "`tol` must be a positive number; got -1."),
        (NaiveLogistic(max_iter=0.5), "`max_iter` must be a whole number of at least 1; got 0.5."),
        (NaiveLogistic(fit_intercept="no"), "`fit_intercept` must be True or False; got 'no'."),
        (JointLogistic(solver="sgd"), "`solver` must be one of 'lbfgs', 'mm', 'em'; got 'sgd'."),
        (JointLogistic(label_frequency=1.5), r"None or in \(0, 1\]; got 1.5."),
        (JointLogistic(inner="published"), "`inner` must be 'exact' unless settings='published'"),
        (JointLogistic(settings="published", tol=1e-6), "`tol` must be left at its default"),
        (JointLogistic(accelerate=False), "`accelerate` must be True with solver='lbfgs'"),
        (WeightedLogistic(0), r"`label_frequency` must be in \(0, 1\]; got 0."),
        (WeightedLogistic("EN"), "a number in .* or an estimator such as ElkanNoto"),
        (WeightedLogistic(weighting="both"), "`weighting` must be one of 'risk', 'posterior'"),
        (ElkanNoto("e4"), "`variant` must be one of 'e1', 'e2', 'e3'; got 'e4'."),
        (ElkanNoto(C=-1), "`C` must be a positive number"),
        (ElkanNoto(cv="x"), "`cv` must be a number of folds, a splitter"),
        (ElkanNoto(cv=11), r"at most the number of labelled \(10\).*got 11. Use fewer folds."),
        (ElkanNoto("e3", quantile=0), r"`quantile` must be in \(0, 1\]; got 0."),
        (TIcE(honest="no"), "`honest` must be True or False; got 'no'."),
        (TIcE(cv="x"), "`cv` must be a number of folds, a splitter"),
        (JointLogistic(label_frequency=0.2), "at least the share of labelled rows, 0.3333"),
        (JointLogistic(label_frequency=True), r"None or in \(0, 1\]; got True."),
        (WeightedLogistic(0.2), "at least the share of labelled rows, 0.3333"),
        (TIcE(cv=1), "`cv` must be at least 2"),
        (TIcE(scale="std"), "`scale` must be one of 'minmax', 'none'; got 'std'."),
        (TIcE(delta=2), r"`delta` must be None or in \(0, 1\]; got 2."),
        (TIcE(max_splits=0), "`max_splits` must be a whole number of at least 1; got 0."),
    ],
)
def test_parameters(model, sentence):
    with pytest.raises(ValueError, match=sentence):
        model.fit(X, S)
