"""JOINT: hard designs, its solvers, the profile of the label frequency."""

import warnings

import numpy as np
import pytest
from scipy.special import expit
from sklearn.preprocessing import StandardScaler

from tests.linear_model.designs import design, fit_and_codes, standardized
from unlabeled import JointLogistic
from unlabeled.codes import PUWarning
from unlabeled.datasets import hide_labels, load_uci, make_paper_gaussian
from unlabeled.engine.linear_fits import step_log_likelihood
from unlabeled.linear_model._joint_fit import best_label_frequency


def test_joint_whose_likelihood_grows_for_ever(rng):
    """All labeled rows on one side, unlabeled on both: the posterior becomes a step."""
    X = np.concatenate([rng.uniform(1, 2, 200), rng.uniform(-2, -1, 200)])[:, None]
    s = np.concatenate([rng.random(200) < 0.4, np.zeros(200)]).astype(int)
    joint = JointLogistic()
    codes = fit_and_codes(joint, X, s)
    assert "PU103" in codes
    assert not joint.converged_
    # The limit is the best posterior there is: a step, with c the labeled share above it.
    np.testing.assert_allclose(joint.predict_proba(X)[:, 1], X[:, 0] > 0, atol=0.01)
    assert joint.label_frequency_ == pytest.approx(s[:200].mean(), abs=0.01)
    assert joint.mean_log_likelihood_ <= step_log_likelihood(X[:, 0], s, None) + 1e-12


def test_joint_finds_the_better_of_two_optima(data_home):
    """On credit-a this draw has a local maximum at c = 1, 12 below the best one."""
    X, s = standardized("credit-a", data_home, 0.3, seed=1)
    joint = JointLogistic()
    fit_and_codes(joint, X, s)
    assert joint.mean_log_likelihood_ * len(s) > -214
    assert not joint.at_boundary_


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


def test_constant_features_leave_the_frequency_at_the_boundary(rng):
    _, s = design(rng)
    for solver in ("lbfgs", "mm", "em"):
        model = JointLogistic(solver=solver)
        codes = fit_and_codes(model, np.ones((400, 2)), s)
        assert "PU106" in codes
        assert model.at_boundary_


@pytest.mark.parametrize("solver", ["lbfgs", "mm", "em"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_complete_labels_are_recognized_by_every_solver(golden, solver, dtype):
    data = golden(label_frequency=1.0)
    model = JointLogistic(solver=solver)
    codes = fit_and_codes(model, data.X.astype(dtype) + dtype(10), data.s)
    assert codes == {"PU106"}
    assert model.label_frequency_ == 1.0
    assert model.converged_


@pytest.mark.filterwarnings(r"ignore:\[PU114\]")
def test_scaling_all_weights_changes_nothing(golden):
    data = golden(label_frequency=0.6)
    plain = JointLogistic(tol=1e-8).fit(data.X, data.s)
    for scale in (1e-10, 1e10):
        weighted = JointLogistic(tol=1e-8).fit(data.X, data.s, np.full(2000, scale))
        np.testing.assert_allclose(weighted.coef_, plain.coef_, rtol=1e-6)
        assert weighted.label_frequency_ == pytest.approx(plain.label_frequency_, rel=1e-6)


@pytest.mark.parametrize("weighted", [False, True])
def test_best_label_frequency_is_the_root_of_the_derivative(weighted, rng):
    posterior = rng.random(500)
    s = (rng.random(500) < 0.4 * posterior).astype(float)
    weight = rng.random(500) if weighted else None
    c = best_label_frequency(posterior, s, weight)
    w = np.ones(500) if weight is None else weight
    slope = np.sum(w * s) / c - np.sum(w * (1 - s) * posterior / (1 - c * posterior))
    assert abs(slope) < 1e-8 * 500
    assert 0 < c < 1


def test_best_label_frequency_at_the_boundary():
    assert best_label_frequency(np.full(10, 0.3), np.r_[np.ones(9), 0.0], None) == 1.0


def fitted(data, **settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PUWarning)
        return JointLogistic(**settings).fit(data.X, data.s)


@pytest.mark.parametrize(("seed", "c"), [(0, 0.3), (2, 0.9), (10, 0.6), (22, 0.6)])
def test_every_label_frequency_is_as_likely_as_a_fit_with_it_known(seed, c):
    """The estimate is a step here, from which fits with a larger c found no way back."""
    data = make_paper_gaussian(n=100, label_frequency=c, random_state=seed)
    share = data.s.mean()
    frequencies = share + (1 - share) * np.array([0.1, 0.3, 0.5, 0.7, 0.9, 1.0])
    _, found = fitted(data).label_frequency_profile(data.X, data.s, frequencies=frequencies)
    known = [fitted(data, label_frequency=one).mean_log_likelihood_ for one in frequencies]
    assert np.all(found >= len(data.s) * np.array(known) - 1e-3)


def test_without_an_intercept_the_naive_fit_is_a_start_as_it_is():
    data = make_paper_gaussian(n=300, label_frequency=0.6, random_state=0)
    share = data.s.mean()
    frequencies = share + (1 - share) * np.array([0.2, 0.5, 1.0])
    model = fitted(data, fit_intercept=False)
    _, found = model.label_frequency_profile(data.X, data.s, frequencies=frequencies)
    known = [
        fitted(data, fit_intercept=False, label_frequency=one).mean_log_likelihood_
        for one in frequencies
    ]
    assert np.all(found >= len(data.s) * np.array(known) - 1e-3)


def test_intervals_of_a_model_that_keeps_nothing_need_the_rows():
    data = make_paper_gaussian(n=2000, label_frequency=0.5, random_state=1)
    model = JointLogistic().fit(data.X, data.s)
    for interval in (model.class_prior_interval, model.label_frequency_interval):
        with pytest.raises(ValueError, match="`X` and `y` must be.*None"):
            interval()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"solver": "sgd"}, "`solver` must be.*'sgd'"),
        ({"label_frequency": 1.5}, "`label_frequency` must be.*1.5"),
        ({"label_frequency": True}, "`label_frequency` must be.*True"),
        ({"label_frequency": 0.05}, r"`label_frequency` must be at least.*0\.26.*0\.05"),
        ({"inner": "published"}, "`inner` must be.*'published'"),
        ({"settings": "published", "tol": 1e-6}, "`tol` must be.*0.0001.*1e-06"),
        ({"accelerate": False}, "`accelerate` must be True.*False"),
    ],
)
def test_bad_parameters_are_named(options, message, rng):
    X, s = design(rng)
    with pytest.raises(ValueError, match=message):
        JointLogistic(**options).fit(X, s)


@pytest.mark.needs_data
@pytest.mark.filterwarnings("ignore::unlabeled.codes.PUWarning")
def test_few_labels_in_a_long_table_reach_the_likelihood_of_the_published_optimizer(data_home):
    """600 labeled rows of 26 048: a part of the rows would be separated by its labels."""
    adult = load_uci("adult", str(data_home))
    train = np.random.RandomState(0).permutation(len(adult.y_true))[:26_048]
    X = StandardScaler().fit_transform(adult.X[train])
    s = hide_labels(adult.y_true[train], 0.1, random_state=0)

    def log_likelihood(model):
        p = model.label_frequency_ * expit(X @ model.coef_[0] + model.intercept_[0])
        return float(np.sum(np.where(s == 1, np.log(p), np.log1p(-p))))

    ours, published = (
        JointLogistic(settings=settings).fit(X, s) for settings in ("converged", "published")
    )
    assert log_likelihood(ours) > log_likelihood(published) - 1


def test_a_summary_by_group_has_no_interval_of_independent_rows(golden):
    data = golden(label_frequency=0.6)
    model, groups = JointLogistic().fit(data.X, data.s), np.arange(len(data.s)) // 5
    told = [str(model.summary(data.X, data.s, groups=one)) for one in (None, groups)]
    assert ["label frequency, 95%" in text for text in told] == [True, False]
    assert f"sandwich, {groups[-1] + 1} groups" in told[1]
    with pytest.raises(ValueError, match=r"`kind` must be 'sandwich' with groups; got 'observed'"):
        model.estimates(data.X, data.s, kind="observed", groups=groups)
