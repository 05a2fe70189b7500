"""Golden numbers on data made without a random generator."""

import numpy as np
import pytest

from unlabeled import EnhancedLogistic, JointLogistic, NaiveLogistic, WeightedLogistic
from unlabeled.codes import PUConvergenceWarning, PUWarning
from unlabeled.label_frequency import ElkanNoto
from unlabeled.linear_model._joint_fit import best_label_frequency
from unlabeled.scores import fit_score_joint

TIGHT = {"tol": 1e-11}
NAIVE = [-1.8264833503, -0.7729838372, 0.8021033468, 0.7693716704]
JOINT = [-0.8451696785, -1.0832566183, 1.0668160493, 1.0703463606]
ORACLE = [-1.0698380456, -0.9486078787, 0.9877255222, 0.9506274210]


def parameters(model):
    return np.append(model.intercept_, model.coef_[0])


def test_naive(golden):
    data = golden(label_frequency=0.6)
    naive = NaiveLogistic(**TIGHT).fit(data.X, data.s)
    np.testing.assert_allclose(parameters(naive), NAIVE, atol=5e-11)
    assert naive.converged_
    t = naive.decision_function(data.X)
    assert np.sum(data.s * t - np.logaddexp(0, t)) == pytest.approx(-594.114369933, abs=5e-10)


def test_naive_score_equations(golden):
    data = golden(label_frequency=0.6)
    naive = NaiveLogistic(**TIGHT).fit(data.X, data.s)
    residual = data.s - 1 / (1 + np.exp(-naive.decision_function(data.X)))
    assert abs(residual.sum()) < 1e-8 * 2000
    np.testing.assert_allclose(residual @ data.X, 0, atol=1e-8 * 2000)


def test_enhanced(golden):
    data = golden(label_frequency=0.6)
    enhanced = EnhancedLogistic(**TIGHT).fit(data.X, data.s)
    np.testing.assert_allclose(enhanced.coef_[0], NAIVE[1:], atol=5e-11)
    assert enhanced.naive_intercept_ == pytest.approx(NAIVE[0], abs=5e-11)
    assert enhanced.predict(data.X).sum() == 802
    assert enhanced.f1_pu_ == pytest.approx(1.7519603824, abs=5e-11)
    assert enhanced.intercept_interval_ == pytest.approx((0.3966557124, 0.3991060881), abs=5e-11)
    # The middle of two ends printed to ten digits: good to one more unit of the last.
    assert enhanced.intercept_[0] == pytest.approx(0.3978809003, abs=1e-10)
    assert enhanced.predict(data.X)[data.s == 1].mean() == pytest.approx(0.8381742739, abs=5e-11)


def test_enhanced_with_every_positive_labeled(golden):
    data = golden(label_frequency=1.0)
    with pytest.warns(PUWarning, match="PU106"):
        enhanced = EnhancedLogistic(**TIGHT).fit(data.X, data.s)
    assert enhanced.predict(data.X).sum() == 508
    assert enhanced.f1_pu_ == pytest.approx(1.6899641409, abs=5e-11)


@pytest.mark.parametrize(
    ("solver", "tol", "digits"), [("lbfgs", 1e-11, 5e-10), ("mm", 1e-9, 1e-6), ("em", 1e-9, 1e-6)]
)
def test_joint_by_every_solver(golden, solver, tol, digits):
    data = golden(label_frequency=0.6)
    joint = JointLogistic(solver=solver, tol=tol).fit(data.X, data.s)
    np.testing.assert_allclose(parameters(joint), JOINT, atol=digits)
    assert joint.label_frequency_ == pytest.approx(0.5419373453, abs=digits)
    assert joint.class_prior_ == pytest.approx(0.2223504268, abs=digits)
    assert joint.mean_log_likelihood_ * 2000 == pytest.approx(-589.851144379, abs=1e-9)
    assert joint.converged_
    assert not joint.at_boundary_


def test_mean_posterior_is_the_class_prior_at_the_joint_optimum(golden):
    data = golden(label_frequency=0.6)
    joint = JointLogistic(**TIGHT).fit(data.X, data.s)
    assert joint.predict_proba(data.X)[:, 1].mean() == pytest.approx(joint.class_prior_, abs=1e-10)


def test_joint_with_every_positive_labeled_is_logistic_regression(golden):
    data = golden(label_frequency=1.0)
    with pytest.warns(PUWarning, match=r"\[PU106\]"):
        joint = JointLogistic(**TIGHT).fit(data.X, data.s)
    np.testing.assert_allclose(parameters(joint), ORACLE, atol=5e-10)
    assert joint.label_frequency_ == 1.0
    assert joint.at_boundary_
    assert joint.mean_log_likelihood_ * 2000 == pytest.approx(-742.215795770, abs=5e-9)


def test_known_frequency_one_is_the_naive_fit(golden):
    data = golden(label_frequency=0.6)
    for solver in ("lbfgs", "mm", "em"):
        known = JointLogistic(label_frequency=1.0, solver=solver, tol=1e-10).fit(data.X, data.s)
        np.testing.assert_allclose(parameters(known), NAIVE, atol=1e-8)


def test_known_frequency_at_the_joint_optimum_gives_the_joint_coefficients(golden):
    data = golden(label_frequency=0.6)
    for solver in ("lbfgs", "mm", "em"):
        known = JointLogistic(0.5419373453, solver=solver, tol=1e-9).fit(data.X, data.s)
        np.testing.assert_allclose(parameters(known), JOINT, atol=1e-6)
        assert known.label_frequency_ == 0.5419373453


def test_the_laboratory_loop_literally(golden):
    """56 outer and 33 505 inner steps, and the next c would be .30112."""
    data = golden(label_frequency=0.3)
    literal = JointLogistic(solver="mm", settings="published", inner="published")
    literal.fit(data.X, data.s)
    assert literal._n_inner_iter_ == 33_505
    posterior = literal.predict_proba(data.X)[:, 1]
    assert best_label_frequency(posterior, data.s, None) == pytest.approx(0.30112, abs=6e-6)
    exact = JointLogistic(solver="mm", settings="published").fit(data.X, data.s)
    assert exact.n_iter_ == literal.n_iter_
    # The outer loop stops when c moves by less than 1e-4; the inner solution is good to 1e-6.
    assert exact.label_frequency_ == pytest.approx(literal.label_frequency_, abs=1e-5)
    np.testing.assert_allclose(parameters(exact), parameters(literal), atol=1e-3)
    optimum = JointLogistic(**TIGHT).fit(data.X, data.s)
    assert optimum.label_frequency_ == pytest.approx(0.30221, abs=6e-6)


def test_published_em_loop_ends_where_the_published_mm_loop_does(golden):
    data = golden(label_frequency=0.6)
    em = JointLogistic(solver="em", settings="published").fit(data.X, data.s)
    mm = JointLogistic(solver="mm", settings="published").fit(data.X, data.s)
    assert em.label_frequency_ == pytest.approx(mm.label_frequency_, abs=1e-9)


def test_published_joint_stops_near_the_optimum(golden):
    data = golden(label_frequency=0.6)
    published = JointLogistic(settings="published").fit(data.X, data.s)
    assert published.converged_
    assert published.label_frequency_ == pytest.approx(0.5419, abs=0.01)
    assert published.label_frequency_ != pytest.approx(0.5419373453, abs=1e-8)


def test_elkan_noto(golden):
    data = golden(label_frequency=0.6)
    e1, e2, e3 = (
        ElkanNoto(which, **TIGHT).fit(data.X, data.s).label_frequency_
        for which in ("e1", "e2", "e3")
    )
    assert e1 == pytest.approx(0.260673751743, abs=5e-13)
    assert e1 == pytest.approx(e2, abs=1e-12)
    assert e3 == pytest.approx(0.828873199, abs=5e-10)


def test_weighted_risk_with_the_true_frequency(golden):
    data = golden(label_frequency=0.6)
    weighted = WeightedLogistic(0.6, **TIGHT).fit(data.X, data.s)
    expected = [-1.0887031852, -0.9973362479, 1.0264467576, 0.9817233954]
    np.testing.assert_allclose(parameters(weighted), expected, atol=5e-10)
    mean_posterior = weighted.predict_proba(data.X)[:, 1].mean()
    assert mean_posterior == pytest.approx(weighted.class_prior_, abs=1e-10)


def test_weighted_risk_with_frequency_one_is_naive(golden):
    data = golden(label_frequency=0.6)
    weighted = WeightedLogistic(1.0, **TIGHT).fit(data.X, data.s)
    np.testing.assert_allclose(parameters(weighted), NAIVE, atol=5e-10)


def test_weighted_risk_without_a_minimizer_says_so(golden):
    data = golden(label_frequency=0.6)
    with pytest.warns(PUConvergenceWarning, match=r"\[PU107\].*published.*posterior.*`C`"):
        weighted = WeightedLogistic(ElkanNoto()).fit(data.X, data.s)
    assert not weighted.converged_
    assert np.max(np.abs(parameters(weighted))) < 50


def test_posterior_weights_at_the_joint_optimum_give_the_joint_coefficients(golden):
    """With g = c sigma(t), weighting by the posterior is one EM step, and the optimum is fixed."""
    data = golden(label_frequency=0.6)
    joint = JointLogistic(**TIGHT).fit(data.X, data.s)
    c = joint.label_frequency_
    g = c * joint.predict_proba(data.X)[:, 1]
    w = (1 - c) / c * g / (1 - g)
    rows = np.concatenate([np.arange(2000), np.flatnonzero(data.s == 0)])
    target = np.concatenate([data.s + (data.s == 0), np.zeros(int((data.s == 0).sum()))])
    weight = np.concatenate([np.where(data.s == 1, 1, w), (1 - w)[data.s == 0]])
    with pytest.warns(PUWarning, match="PU106"):  # the expected classes are complete labels
        refit = NaiveLogistic(**TIGHT).fit(data.X[rows], target, sample_weight=weight)
    np.testing.assert_allclose(parameters(refit), JOINT, atol=1e-8)


def test_one_dimensional_joint_on_the_joint_score_is_joint(golden):
    data = golden(label_frequency=0.6)
    joint = JointLogistic(**TIGHT).fit(data.X, data.s)
    line = fit_score_joint(joint.decision_function(data.X), data.s)
    assert line.label_frequency == pytest.approx(joint.label_frequency_, abs=1e-6)
    assert (line.intercept, line.slope) == pytest.approx((0, 1), abs=1e-5)
    assert line.class_prior == pytest.approx(joint.class_prior_, abs=1e-6)
