"""The paper's theory on simulated data; every tolerance is a multiple of its Monte-Carlo error."""

import warnings

import numpy as np
import pytest
from sklearn.metrics import f1_score

from reproduction.theory import direction_angle, optimal_cut, ruud_projection
from unlabeled import EnhancedLogistic, JointLogistic, NaiveLogistic
from unlabeled.datasets import hide_labels, make_paper_gaussian, propensity

BETA = np.array([-1.0, 1.0, 1.0])
INTERCEPT = -1.0
# sqrt(n) times the asymptotic root-mean-square angle (radians) of the naive direction
# on the paper's design, from the sandwich covariance.
ANGLE_RATE = {0.3: 5.691, 0.6: 3.699}


def sigmoid(t):
    return 1 / (1 + np.exp(-t))


def naive_angle(X, s):
    return direction_angle(NaiveLogistic().fit(X, s).coef_[0], BETA)


@pytest.mark.parametrize("c", [0.3, 0.6])
def test_naive_coefficients_tend_to_ruuds_projection(c):
    n = 200_000
    data = make_paper_gaussian(n, c, random_state=1)
    naive = NaiveLogistic().fit(data.X, data.s)
    intercept, slope = ruud_projection(INTERCEPT, -1.0, 3.0, c)
    # sqrt(n) sd of (b0, b1, b2, b3) by the sandwich formula.
    sd = {0.3: [7.711, 4.600, 4.508, 4.508], 0.6: [5.888, 3.729, 3.663, 3.663]}[c]
    estimate = np.append(naive.intercept_, naive.coef_[0])
    target = np.append(intercept, slope * BETA)
    assert np.all(np.abs(estimate - target) < 4 * np.array(sd) / np.sqrt(n))


@pytest.mark.parametrize("c", [0.3, 0.6])
def test_direction_error_is_the_asymptotic_one(c):
    n, runs = 5000, 60
    angles = [
        np.radians(naive_angle(d.X, d.s))
        for d in (make_paper_gaussian(n, c, random_state=seed) for seed in range(runs))
    ]
    rms = np.sqrt(np.mean(np.square(angles)))
    expected = ANGLE_RATE[c] / np.sqrt(n)
    # The relative error of a root mean square over 60 runs of 2 degrees of freedom each.
    assert rms == pytest.approx(expected, rel=4 / np.sqrt(4 * runs))


@pytest.mark.parametrize("c", [0.1, 0.3, 0.5])
def test_naive_predicts_nobody_and_enhanced_repairs_it(c):
    train = make_paper_gaussian(20_000, c, random_state=2)
    test = make_paper_gaussian(20_000, c, random_state=3)
    naive = NaiveLogistic().fit(train.X, train.s)
    enhanced = EnhancedLogistic().fit(train.X, train.s)
    assert naive.intercept_[0] < 0
    naive_f1 = f1_score(test.y_true, naive.predict(test.X))
    enhanced_f1 = f1_score(test.y_true, enhanced.predict(test.X))
    expected = {0.1: 0.0001, 0.3: 0.0194, 0.5: 0.1268}[c]
    assert naive_f1 == pytest.approx(expected, abs=0.02)
    best = optimal_cut("f1_pu", INTERCEPT, -1.0, 3.0).f1
    assert enhanced_f1 == pytest.approx(best, abs=0.03)
    np.testing.assert_array_equal(naive.coef_, enhanced.coef_)


def test_centered_features_have_a_negative_naive_intercept_whatever_the_true_one():
    """Theorem 2 (ii): c <= 1/2 makes the naive intercept negative."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(20_000, 2))
    y = (rng.random(20_000) < sigmoid(3 + X @ [1, 1])).astype(int)
    naive = NaiveLogistic().fit(X, hide_labels(y, 0.5, random_state=0))
    assert naive.intercept_[0] < 0


def multivariate_t(rng, n, degrees=5):
    normal = rng.multivariate_normal(np.zeros(3), [[1, 0.2, -0.2], [0.2, 1, 0], [-0.2, 0, 1]], n)
    return normal / np.sqrt(rng.chisquare(degrees, n) / degrees)[:, None] + [1, 1, -1]


def labeled(rng, X, c, beta=BETA, intercept=INTERCEPT):
    y = (rng.random(len(X)) < sigmoid(intercept + X @ beta)).astype(int)
    return hide_labels(y, c, random_state=rng.integers(2**31))


def test_direction_is_recovered_for_an_elliptical_design():
    rng = np.random.default_rng(5)
    X = multivariate_t(rng, 200_000)
    angle = naive_angle(X, labeled(rng, X, 0.3))
    assert angle < 4 * np.degrees(ANGLE_RATE[0.3] / np.sqrt(200_000))


def skewed(rng, n):
    X = rng.exponential(size=(n, 2)) ** 2
    return X, np.array([1.0, -1.0])


def test_direction_is_not_recovered_for_a_strongly_skewed_design():
    """Ruud's condition fails; JOINT, which does not need it, finds the direction."""
    rng = np.random.default_rng(6)
    X, beta = skewed(rng, 200_000)
    s = labeled(rng, X, 0.3, beta, 0.0)
    naive = NaiveLogistic().fit(X, s)
    joint = JointLogistic().fit(X, s)
    joint_angle = direction_angle(joint.coef_[0], beta)
    assert direction_angle(naive.coef_[0], beta) > 5 + 5 * joint_angle
    assert joint_angle < 1.5


@pytest.mark.parametrize("power", [1, 2])
def test_direction_survives_labeling_that_grows_with_the_posterior(power):
    """The paper's conclusion: e(x) an increasing function of y(x) keeps Theorem 1."""
    data = make_paper_gaussian(200_000, 0.5, random_state=7)
    posterior = sigmoid(INTERCEPT + data.X @ BETA)
    e = propensity("posterior", posterior, power=power, label_frequency=0.2, y_true=data.y_true)
    s = hide_labels(data.y_true, propensity=e, random_state=8)
    # Fewer labels than at c = .3 with SCAR, but more informative ones: the same error covers both.
    assert naive_angle(data.X, s) < 4 * np.degrees(ANGLE_RATE[0.3] / np.sqrt(200_000))


def test_direction_is_lost_when_labeling_depends_on_one_feature():
    data = make_paper_gaussian(200_000, 0.5, random_state=9)
    s = hide_labels(data.y_true, propensity=0.6 * sigmoid(2 * data.X[:, 0]), random_state=10)
    assert naive_angle(data.X, s) > 10


def test_joint_is_consistent_with_its_asymptotic_error():
    n, c = 200_000, 0.3
    data = make_paper_gaussian(n, c, random_state=11)
    joint = JointLogistic().fit(data.X, data.s)
    assert abs(joint.label_frequency_ - c) < 4 * 3.708 / np.sqrt(n)
    assert np.all(np.abs(joint.coef_[0] - BETA) < 4 * 9.617 / np.sqrt(n))
    assert abs(joint.intercept_[0] - INTERCEPT) < 4 * 23.03 / np.sqrt(n)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "mean", "sd"), [(1000, 0.359, 0.226), (5000, 0.312, 0.052)])
def test_small_sample_distribution_of_the_joint_frequency(n, mean, sd):
    """Mean and spread of c-hat on the paper's design, c = .3, over 400 runs."""
    runs = 400
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PU106: c = 1 happens in small samples
        estimates = [
            JointLogistic().fit(d.X, d.s).label_frequency_
            for d in (make_paper_gaussian(n, 0.3, random_state=seed) for seed in range(runs))
        ]
    # Both numbers come from 60-100 runs of another implementation, with their own error.
    assert np.mean(estimates) == pytest.approx(mean, abs=4 * sd * np.sqrt(1 / runs + 1 / 60))
    assert np.std(estimates) == pytest.approx(sd, rel=0.45)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "c", "f1"), [(5000, 0.3, 0.575), (5000, 0.6, 0.577), (1000, 0.3, 0.550)]
)
def test_mean_f1_of_enhanced_on_the_paper_design(n, c, f1):
    runs = 100
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scores = []
        for seed in range(runs):
            train = make_paper_gaussian(n, c, random_state=seed)
            test = make_paper_gaussian(20_000, c, random_state=10_000 + seed)
            model = EnhancedLogistic().fit(train.X, train.s)
            scores.append(f1_score(test.y_true, model.predict(test.X)))
    error = np.std(scores) * np.sqrt(1 / runs + 1 / 60)
    assert np.mean(scores) == pytest.approx(f1, abs=4 * error)
