"""NaiveLogistic and EnhancedLogistic on designs where an optimum is doubtful."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from tests.linear_model.designs import codes_of, design, fit_and_codes, standardized
from unlabeled import EnhancedLogistic, NaiveLogistic
from unlabeled.engine.linear_fits import separating_columns


def test_one_feature_and_two_rows_of_each_kind():
    X = np.array([[0.0], [1.0], [0.5], [2.0]])
    fit_and_codes(EnhancedLogistic(), X, [0, 1, 0, 1])


def test_running_out_of_iterations_is_reported(rng):
    X, s = design(rng)
    with pytest.warns(UserWarning, match=r"PU105.* 1 iteration"):
        model = NaiveLogistic(max_iter=1, tol=1e-12).fit(X, s)
    assert not model.converged_


def test_labels_without_signal_predict_everybody_and_say_so():
    X = np.array([[5.0], [4], [3], [2], [1], [1]])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = EnhancedLogistic(C=1e-12).fit(np.ones((6, 1)), [0, 0, 1, 0, 1, 0])
    assert {"PU110", "PU111"} <= codes_of(caught)
    assert model.predict(np.ones((6, 1))).all()
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], 1 / 3)


@pytest.mark.parametrize("name", ["adult", "credit-a"])
def test_likelihood_and_probabilities_are_right_without_a_unique_optimum(data_home, name):
    X, s = standardized(name, data_home, 0.5)
    naive = NaiveLogistic(tol=1e-7)
    codes = fit_and_codes(naive, X, s)
    assert "PU104" in codes
    if name == "adult":
        assert "PU103" in codes
        assert not naive.converged_
    reference = LogisticRegression(C=1e12, tol=1e-9, max_iter=20_000).fit(X, s)

    def mean_log_likelihood(t):
        return np.mean(s * t - np.logaddexp(0, t))

    ours, theirs = naive.decision_function(X), reference.decision_function(X)
    assert mean_log_likelihood(ours) == pytest.approx(mean_log_likelihood(theirs), abs=2e-7)
    p_ours, p_theirs = 1 / (1 + np.exp(-ours)), 1 / (1 + np.exp(-theirs))
    np.testing.assert_allclose(p_ours, p_theirs, atol=2e-3)
    assert np.mean(np.abs(p_ours - p_theirs)) < 2e-5


def test_fewer_labeled_rows_than_features_need_not_separate(data_home):
    """102 labeled rows of musk for 166 features: memorized, but the optimum is finite."""
    X, s = standardized("musk", data_home, 0.1)
    model = EnhancedLogistic()
    codes = fit_and_codes(model, X, s)
    assert "PU102" in codes
    assert "PU103" not in codes
    assert model.converged_


def test_one_value_out_of_scale_does_not_stop_the_fit_early(rng):
    """A code such as 1e6 for "unknown" inflates the spread of its column."""
    X, s = design(rng, n=20_000)
    X[np.flatnonzero(s == 0)[0], 0] = 1e6
    loose, tight = NaiveLogistic(), NaiveLogistic(tol=1e-9)
    fit_and_codes(loose, X, s)
    fit_and_codes(tight, X, s)
    np.testing.assert_allclose(loose.coef_, tight.coef_, atol=0.05)


def test_separation_along_a_mixed_direction_is_found(rng):
    """x1 - x2 is 0 for labeled rows and at most 0 for the others; no single column separates."""
    X, s = design(rng, n=1000, p=2)
    gap = np.where((s == 1) | (rng.random(1000) < 0.5), 0.0, rng.uniform(0.1, 1, 1000))
    X = np.column_stack([X[:, 0], X[:, 0] + gap, X[:, 1]])
    model = NaiveLogistic()
    assert "PU103" in fit_and_codes(model, X, s)
    assert not model.converged_
    assert len(separating_columns(X, s)) == 0


def test_without_intercept_separation_is_at_zero(rng):
    """Labeled in [2, 3], unlabeled in [.5, 1]: with no intercept there is a finite optimum."""
    X = np.concatenate([rng.uniform(2, 3, 30), rng.uniform(0.5, 1, 100)])[:, None]
    s = np.repeat([1, 0], [30, 100])
    model = NaiveLogistic(fit_intercept=False, tol=1e-8)
    codes = fit_and_codes(model, X, s)
    reference = LogisticRegression(C=np.inf, fit_intercept=False, tol=1e-10).fit(X, s)
    np.testing.assert_allclose(model.coef_, reference.coef_, rtol=1e-5)
    assert model.converged_
    assert "PU103" not in codes


@pytest.mark.parametrize("offset", [0.1, 1e3, 1e7])
def test_sparse_columns_far_from_zero(rng, offset):
    X, s = design(rng, n=1000)
    X = np.column_stack([X, np.full(1000, offset)])
    X[:, 0] += offset
    dense, in_csr = NaiveLogistic(tol=1e-8), NaiveLogistic(tol=1e-8)
    # Squares of 1e7 leave two digits for the curvature: whether a tolerance of 1e-8 is reached
    # (PU105) depends on the order in which they are summed.
    dense_codes = fit_and_codes(dense, X, s) - {"PU105"}
    assert fit_and_codes(in_csr, sparse.csr_matrix(X), s) - {"PU105"} == dense_codes
    assert "PU104" in dense_codes
    np.testing.assert_allclose(in_csr.coef_, dense.coef_, rtol=1e-4, atol=1e-8)
    assert in_csr.coef_[0, 3] == 0


def test_values_too_large_to_square_are_rejected(rng):
    X, s = design(rng)
    with pytest.raises(ValueError, match="squares.*StandardScaler"):
        NaiveLogistic().fit(X * 1e200, s)


@pytest.mark.parametrize("is_weighted", [False, True])
def test_random_labels_are_reported_except_at_the_level_of_the_test(is_weighted):
    """Of 100 tables 5 go unreported on average, and more than 12 with a probability of .001."""
    silent = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        X, s = rng.normal(size=(200, 3)), rng.random(200) < 0.3
        weight = np.exp(0.7 * rng.normal(size=200)) if is_weighted else None
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            NaiveLogistic().fit(X, s, sample_weight=weight)
        silent += "PU111" not in codes_of(caught)
    assert silent <= 12


def test_a_weight_of_two_is_two_rows_in_the_test_of_random_labels(rng):
    X, s = rng.normal(size=(100, 2)), (np.arange(100) < 40).astype(int)
    told = []
    for rows, weight in ((np.repeat(X, 2, axis=0), None), (X, np.full(100, 2.0))):
        labels = np.repeat(s, len(rows) // 100)
        with pytest.warns(UserWarning, match="PU106|PU111") as caught:
            NaiveLogistic(weights="frequency").fit(rows, labels, sample_weight=weight)
        told += [str(one.message) for one in caught if "PU111" in str(one.message)]
    assert len(set(told)) == 1
