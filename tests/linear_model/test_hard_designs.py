"""Separation, rank deficiency, wide data: a fit, a coded warning, and the truth in `converged_`.

Cases that every linear classifier has in common; those of one are in its file.
"""

import warnings

import numpy as np
import pytest

from tests.linear_model.designs import design, fit_and_codes
from unlabeled import EnhancedLogistic, JointLogistic, NaiveLogistic, WeightedLogistic
from unlabeled.engine.linear_fits import separating_columns

MODELS = [NaiveLogistic(), EnhancedLogistic(), JointLogistic(), WeightedLogistic(0.5)]
each_model = pytest.mark.parametrize("model", MODELS, ids=repr)


@each_model
def test_complete_separation(model, rng):
    X, _ = design(rng)
    s = (X[:, 0] + X[:, 1] > 1).astype(int)
    codes = fit_and_codes(model, X, s)
    assert codes & {"PU103", "PU107"}
    assert not model.converged_
    if not isinstance(model, WeightedLogistic):
        score = model.decision_function(X)
        assert score[s == 1].min() > score[s == 0].max()


@each_model
def test_a_dummy_no_labeled_row_has_is_named(model, rng):
    X, s = design(rng)
    X = np.column_stack([X, (rng.random(400) < 0.05) & (s == 0)])
    assert separating_columns(X, s).tolist() == [3]
    with pytest.warns(UserWarning, match=r"\[PU103\].*column 3 separates"):
        NaiveLogistic().fit(X, s)
    assert "PU103" in fit_and_codes(model, X, s)
    assert not model.converged_


@each_model
def test_constant_and_duplicated_columns(model, rng):
    X, s = design(rng, n=2000)
    wide = np.column_stack([X, np.full(2000, 3.0), X[:, 0]])
    assert "PU104" in fit_and_codes(model, wide, s)
    assert model.converged_
    plain = fit_and_codes(type(model)(**model.get_params()), X, s)
    assert "PU104" not in plain
    narrow = type(model)(**model.get_params()).set_params(tol=1e-9)
    model.set_params(tol=1e-9)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        narrow.fit(X, s)
        model.fit(wide, s)
    model_proba, narrow_proba = model.predict_proba(wide), narrow.predict_proba(X)
    np.testing.assert_allclose(model_proba, narrow_proba, atol=1e-6)
    assert model.coef_[0, 3] == 0.0


@each_model
def test_more_features_than_rows(model, rng):
    X, s = design(rng, n=30, p=50)
    codes = fit_and_codes(model, X, s)
    assert {"PU102", "PU104"} <= codes
    assert codes & {"PU103", "PU107"}
    assert not model.converged_


@each_model
def test_a_penalty_repairs_all_of_it(model, rng):
    X, s = design(rng, n=30, p=50)
    model = type(model)(**model.get_params()).set_params(C=0.1)
    codes = fit_and_codes(model, X, s)
    # What is left is not about the coefficients: scores of 30 rows in 50 dimensions leave a
    # step as the likeliest posterior (naive score), and the risk itself stays unbounded.
    left = {NaiveLogistic: "PU103", EnhancedLogistic: "PU103", WeightedLogistic: "PU107"}
    assert codes & {"PU102", "PU103", "PU104", "PU105", "PU107"} <= {left.get(type(model))}
    assert model.converged_


@pytest.mark.parametrize("n_labeled", [3, 20])
def test_very_few_labels_among_many_rows(n_labeled):
    """The part of the rows a fit starts from may have no labeled row, or only such."""
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X, s = rng.normal(size=(20_000, 3)), np.zeros(20_000, int)
        s[:n_labeled] = 1
        for model in (WeightedLogistic(), JointLogistic(), EnhancedLogistic()):
            fit_and_codes(model, X, s)
