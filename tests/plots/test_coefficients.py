"""Coefficients with intervals: those of `estimates`, scaled, sorted and cut to the largest."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from unlabeled import EnhancedLogistic, JointLogistic, NaiveLogistic, PULogistic, WeightedLogistic
from unlabeled.inference import Estimates
from unlabeled.plots import CoefficientDisplay


@pytest.fixture(scope="module")
def table(golden):
    data = golden(label_frequency=0.6)
    return pd.DataFrame(data.X * [1, 10, 100], columns=["age", "dose", "weight"]), data.s


@pytest.mark.parametrize("model", [NaiveLogistic(), EnhancedLogistic(), JointLogistic()])
def test_numbers_are_those_of_estimates_without_intercept_and_frequency(table, model):
    model.fit(*table)
    options = {"confidence_level": 0.9, "kind": "observed"}
    numbers = CoefficientDisplay.from_estimator(model, *table, sort=False, **options).to_frame()
    known = model.estimates(*table, kind="observed")
    assert numbers["feature"].tolist() == ["age", "dose", "weight"]
    np.testing.assert_array_equal(numbers["estimate"], model.coef_[0])
    np.testing.assert_allclose(numbers["lower"], known.interval(0.9).lower[:3])
    np.testing.assert_allclose(numbers["upper"], known.interval(0.9).upper[:3])


@pytest.mark.parametrize("as_rows", [lambda X: X, lambda X: sparse.csr_matrix(X.to_numpy())])
def test_standardized_is_what_standardized_features_give(table, as_rows):
    X, s = table
    model = JointLogistic(tol=1e-9).fit(as_rows(X), s)
    options = {"standardized": True, "sort": False}
    mine = CoefficientDisplay.from_estimator(model, as_rows(X), s, **options).to_frame()
    Z = StandardScaler().fit_transform(X)
    known = CoefficientDisplay.from_estimator(JointLogistic(tol=1e-9).fit(Z, s), Z, s, sort=False)
    for name in ("estimate", "lower", "upper"):
        np.testing.assert_allclose(mine[name], known.to_frame()[name], rtol=1e-4)


def test_a_pipeline_has_the_names_that_went_in(table):
    X, s = table
    pipeline = make_pipeline(StandardScaler(), JointLogistic()).fit(X, s)
    numbers = CoefficientDisplay.from_estimator(pipeline, X, s, sort=False).to_frame()
    assert numbers["feature"].tolist() == ["age", "dose", "weight"]


def test_the_largest_are_kept_and_sorted():
    names = (*(f"f{k}" for k in range(30)), "intercept", "logit c")
    value = np.append(np.arange(30.0) * (-1) ** np.arange(30), [500.0, 500.0])
    estimates = Estimates(names, value, np.eye(32))
    numbers = CoefficientDisplay.from_estimates(estimates, top=3).to_frame()
    assert numbers["feature"].tolist() == ["f29", "f28", "f27"]
    np.testing.assert_array_equal(numbers["estimate"], [-29, 28, -27])
    display = CoefficientDisplay.from_estimates(estimates, top=3, sort=False)
    assert display.to_frame()["feature"].tolist() == ["f27", "f28", "f29"]
    assert "the 3 largest of 30" in display.ax_.get_xlabel()
    assert len(CoefficientDisplay.from_estimates(estimates).to_frame()["feature"]) == 20
    assert len(CoefficientDisplay.from_estimates(estimates, top=None).to_frame()["feature"]) == 30


def test_undetermined_coefficients_differ_from_those_near_0():
    estimates = Estimates(("a", "b", "c"), np.array([1.0, 0.1, 2.0]), np.diag([0.01, 1, np.nan]))
    display = CoefficientDisplay.from_estimates(estimates)
    words = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    expected = ["95% interval excludes 0", "95% interval contains 0", "Not determined by the rows"]
    assert words == expected


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"top": 0}, "`top` must be .*got 0"),
        ({"confidence_level": 1.0}, "`confidence_level` must be .*got 1.0"),
        ({"sort": "size"}, "`sort` must be .*got 'size'"),
        ({"standardized": 2}, "`standardized` must be .*got 2"),
        ({"kind": "robust"}, "`kind` must be .*got 'robust'"),
    ],
)
def test_bad_arguments_are_rejected(table, options, words):
    with pytest.raises(ValueError, match=words):
        CoefficientDisplay.from_estimator(NaiveLogistic().fit(*table), *table, **options)


def test_a_model_without_estimates_is_rejected(table):
    model = WeightedLogistic(label_frequency=0.9, weighting="posterior").fit(*table)
    with pytest.raises(ValueError, match="`estimator` must be .*got WeightedLogistic"):
        CoefficientDisplay.from_estimator(model, *table)


def test_coefficients_of_a_ridge_are_shown_without_shrinkage(table):
    model = PULogistic().fit(*table)
    shown = CoefficientDisplay.from_estimator(model, *table).to_frame()
    known = model.estimates(*table)
    assert sorted(shown["estimate"]) == pytest.approx(sorted(known.value[:-1]))
    assert np.all((shown["lower"] < shown["estimate"]) & (shown["estimate"] < shown["upper"]))
