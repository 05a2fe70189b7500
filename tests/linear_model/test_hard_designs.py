"""Separation, rank deficiency, wide data: a fit, a coded warning, and the truth in `converged_`."""

import warnings

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from unlabeled import EnhancedLogistic, JointLogistic, NaiveLogistic, WeightedLogistic
from unlabeled.datasets import hide_labels, load_uci
from unlabeled.engine.linear_fits import separating_columns, step_log_likelihood
from unlabeled.label_frequency import ElkanNoto

MODELS = [NaiveLogistic(), EnhancedLogistic(), JointLogistic(), WeightedLogistic(0.5)]
each_model = pytest.mark.parametrize("model", MODELS, ids=repr)


def codes_of(caught):
    return {str(w.message)[1:6] for w in caught}


def fit_and_codes(model, X, s):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, s)
    assert all(type(w.message).__module__ == "unlabeled.codes" for w in caught)
    assert np.all(np.isfinite(model.coef_))
    return codes_of(caught)


def design(rng, n=400, p=3):
    X = rng.normal(size=(n, p))
    y = rng.random(n) < 1 / (1 + np.exp(-X @ np.ones(p)))
    return X, (y & (rng.random(n) < 0.5)).astype(int)


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
def test_a_dummy_no_labelled_row_has_is_named(model, rng):
    X, s = design(rng)
    X = np.column_stack([X, (rng.random(400) < 0.05) & (s == 0)])
    assert separating_columns(X, s).tolist() == [3]
    with pytest.warns(UserWarning, match=r"\[PU103\].*by column 3"):
        NaiveLogistic().fit(X, s)
    assert "PU103" in fit_and_codes(model, X, s)
    assert not model.converged_


def test_separating_columns_in_every_form(rng):
    s = np.array([0] * 1500 + [1] * 5)
    X = rng.normal(size=(1505, 6))
    X[:, 1] = s  # equal to the label
    X[:, 2] = 0.0  # constant
    X[:1499, 3], X[1499, 3], X[1500:, 3] = 1.0, 5.0, 1.0  # one late row breaks a constant
    X[:, 4] = np.where(s == 1, 3.0, -np.abs(X[:, 4]))
    assert separating_columns(X, s).tolist() == [1, 3, 4]
    from scipy import sparse

    assert separating_columns(sparse.csr_matrix(X), s).tolist() == [1, 3, 4]


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


def test_one_feature_and_two_rows_of_each_kind():
    X = np.array([[0.0], [1.0], [0.5], [2.0]])
    fit_and_codes(EnhancedLogistic(), X, [0, 1, 0, 1])


def test_running_out_of_iterations_is_told(rng):
    X, s = design(rng)
    with pytest.warns(UserWarning, match=r"\[PU105\] the solver stopped after 1 iterations"):
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


def test_a_penalty_that_alone_sets_the_coefficients_is_told(golden):
    """The risk is unbounded with c = e1: under a ridge, coefficients grow with C."""
    data = golden(c=0.6)
    sizes = []
    for C in (1.0, 100.0):
        with pytest.warns(UserWarning, match=r"PU107.*set by `C` alone"):
            model = WeightedLogistic(ElkanNoto(), C=C).fit(data.X, data.s)
        assert model.converged_
        sizes.append(np.linalg.norm(model.coef_))
    assert sizes[1] > 50 * sizes[0]


def test_estimates_outside_their_range_are_announced(rng):
    X = rng.normal(size=(50, 1))
    s = (X[:, 0] > 1).astype(int)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = ElkanNoto("e3", quantile=0.01).fit(X, s)
    assert "PU108" in codes_of(caught)
    assert model.label_frequency_ == s.mean()


def standardised(name, data_home, c, seed=0):
    data = load_uci(name, data_home)
    X = StandardScaler().fit_transform(data.X)
    return X, hide_labels(data.y_true, c, random_state=seed)


@pytest.mark.parametrize("name", ["adult", "credit-a"])
def test_likelihood_and_probabilities_are_right_without_a_unique_optimum(data_home, name):
    X, s = standardised(name, data_home, 0.5)
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


def test_fewer_labelled_rows_than_features_need_not_separate(data_home):
    """102 labelled rows of musk for 166 features: memorised, but the optimum is finite."""
    X, s = standardised("musk", data_home, 0.1)
    model = EnhancedLogistic()
    codes = fit_and_codes(model, X, s)
    assert "PU102" in codes
    assert "PU103" not in codes
    assert model.converged_


def test_joint_whose_likelihood_grows_for_ever(rng):
    """All labelled rows on one side, unlabelled on both: the posterior becomes a step."""
    X = np.concatenate([rng.uniform(1, 2, 200), rng.uniform(-2, -1, 200)])[:, None]
    s = np.concatenate([rng.random(200) < 0.4, np.zeros(200)]).astype(int)
    joint = JointLogistic()
    codes = fit_and_codes(joint, X, s)
    assert "PU103" in codes
    assert not joint.converged_
    # The limit is the best posterior there is: a step, with c the labelled share above it.
    np.testing.assert_allclose(joint.predict_proba(X)[:, 1], X[:, 0] > 0, atol=0.01)
    assert joint.label_frequency_ == pytest.approx(s[:200].mean(), abs=0.01)
    assert joint.mean_log_likelihood_ <= step_log_likelihood(X[:, 0], s, None) + 1e-12


def test_joint_finds_the_better_of_two_optima(data_home):
    """On credit-a this draw has a local maximum at c = 1, 12 below the best one."""
    data = load_uci("credit-a", data_home)
    X = StandardScaler().fit_transform(data.X)
    s = hide_labels(data.y_true, 0.3, random_state=1)
    joint = JointLogistic()
    fit_and_codes(joint, X, s)
    assert joint.mean_log_likelihood_ * len(s) > -214
    assert not joint.at_boundary_


def test_one_value_out_of_scale_does_not_stop_the_fit_early(rng):
    """A code such as 1e6 for "unknown" inflates the spread of its column."""
    X, s = design(rng, n=20_000)
    X[np.flatnonzero(s == 0)[0], 0] = 1e6
    loose, tight = NaiveLogistic(), NaiveLogistic(tol=1e-9)
    fit_and_codes(loose, X, s)
    fit_and_codes(tight, X, s)
    np.testing.assert_allclose(loose.coef_, tight.coef_, atol=0.05)


def test_separation_along_a_mixed_direction_is_found(rng):
    """x1 - x2 is 0 for labelled rows and at most 0 for the others; no single column separates."""
    X, s = design(rng, n=1000, p=2)
    gap = np.where((s == 1) | (rng.random(1000) < 0.5), 0.0, rng.uniform(0.1, 1, 1000))
    X = np.column_stack([X[:, 0], X[:, 0] + gap, X[:, 1]])
    model = NaiveLogistic()
    assert "PU103" in fit_and_codes(model, X, s)
    assert not model.converged_
    assert len(separating_columns(X, s)) == 0


def test_without_intercept_separation_is_at_zero(rng):
    """Labelled in [2, 3], unlabelled in [.5, 1]: with no intercept there is a finite optimum."""
    X = np.concatenate([rng.uniform(2, 3, 30), rng.uniform(0.5, 1, 100)])[:, None]
    s = np.repeat([1, 0], [30, 100])
    model = NaiveLogistic(fit_intercept=False, tol=1e-8)
    codes = fit_and_codes(model, X, s)
    reference = LogisticRegression(C=np.inf, fit_intercept=False, tol=1e-10).fit(X, s)
    np.testing.assert_allclose(model.coef_, reference.coef_, rtol=1e-5)
    assert model.converged_
    assert not any("separated by" in code for code in codes)


@pytest.mark.parametrize("n_labelled", [3, 20])
def test_very_few_labels_among_many_rows(n_labelled):
    """The part of the rows a fit starts from may have no labelled row, or only such."""
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X, s = rng.normal(size=(20_000, 3)), np.zeros(20_000, int)
        s[:n_labelled] = 1
        for model in (WeightedLogistic(), JointLogistic(), EnhancedLogistic()):
            fit_and_codes(model, X, s)


def test_many_correlated_features_by_mm(rng):
    """Above 1000 features only scales are whitened; the MM bound must still hold."""
    n, p = 1500, 1100
    factor = rng.normal(size=(n, 1))
    X = factor + 0.5 * rng.normal(size=(n, p))
    s = (rng.random(n) < 1 / (1 + np.exp(2 - factor[:, 0]))).astype(int)
    mm = JointLogistic(solver="mm", C=0.01, max_iter=200)
    fit_and_codes(mm, X, s)
    lbfgs = JointLogistic(C=0.01)
    fit_and_codes(lbfgs, X, s)
    assert mm.mean_log_likelihood_ == pytest.approx(lbfgs.mean_log_likelihood_, abs=0.01)


@pytest.mark.parametrize("offset", [0.1, 1e3, 1e7])
def test_sparse_columns_far_from_zero(rng, offset):
    from scipy import sparse

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


def test_constant_features_leave_the_frequency_at_the_boundary(rng):
    _, s = design(rng)
    for solver in ("lbfgs", "mm", "em"):
        model = JointLogistic(solver=solver)
        codes = fit_and_codes(model, np.ones((400, 2)), s)
        assert "PU106" in codes
        assert model.at_boundary_


@pytest.mark.parametrize("solver", ["lbfgs", "mm", "em"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_complete_labels_are_recognised_by_every_solver(golden, solver, dtype):
    data = golden(c=1.0)
    model = JointLogistic(solver=solver)
    codes = fit_and_codes(model, data.X.astype(dtype) + dtype(10), data.s)
    assert codes == {"PU106"}
    assert model.label_frequency_ == 1.0
    assert model.converged_


def test_scaling_all_weights_changes_nothing(golden):
    data = golden(c=0.6)
    plain = JointLogistic(tol=1e-8).fit(data.X, data.s)
    for scale in (1e-10, 1e10):
        weighted = JointLogistic(tol=1e-8).fit(data.X, data.s, np.full(2000, scale))
        np.testing.assert_allclose(weighted.coef_, plain.coef_, rtol=1e-6)
        assert weighted.label_frequency_ == pytest.approx(plain.label_frequency_, rel=1e-6)


def test_values_too_large_to_square_get_a_sentence(rng):
    X, s = design(rng)
    with pytest.raises(ValueError, match="squares are finite numbers.*StandardScaler"):
        NaiveLogistic().fit(X * 1e200, s)


def test_frequency_equal_to_the_labelled_share(rng):
    """Every row would be positive: the intercept runs away, with a ridge too."""
    X, s = design(rng)
    for rows, weighting in ((X, "risk"), (np.ones((400, 1)), "posterior")):
        for C in (np.inf, 1.0):
            model = WeightedLogistic(s.mean(), weighting=weighting, C=C)
            assert "PU107" in fit_and_codes(model, rows, s)
            assert not model.converged_
            assert abs(model.intercept_[0]) < 50
