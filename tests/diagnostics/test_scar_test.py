"""The SCAR test: the models behind it, its p-value, its reading, and the published baseline."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from scipy.special import expit, logit

from unlabeled import JointLogistic, PULogistic
from unlabeled.datasets import hide_labels, logistic_propensity, make_paper_gaussian
from unlabeled.diagnostics import ScarTest, diagnose, published_scar_test, scar_test
from unlabeled.diagnostics._double_logistic import NestedModels
from unlabeled.diagnostics._published_scar_test import _divergence, _taken_for_positive


@pytest.fixture(scope="module")
def honest():
    return make_paper_gaussian(1500, c=0.6, random_state=5)


@pytest.fixture(scope="module")
def dependent(honest):
    """Labels that come with the first feature."""
    data = make_paper_gaussian(4000, c=0.6, random_state=1)
    e = logistic_propensity(data.X, [1.5, 0, 0], mean_frequency=0.4, y_true=data.y_true)
    return data.X, hide_labels(data.y_true, propensity=e, random_state=2)


def null_of(models, s):
    return models.fit_null(s, models.starts(s, (0.1, 0.4, 0.8)))


def log_likelihood(probability, s):
    return float(np.sum(np.log(np.where(s == 1, probability, 1 - probability))))


def test_the_null_fit_is_joint(honest):
    s = honest.s.astype(float)
    null = null_of(NestedModels(honest.X), s)
    joint = JointLogistic(tol=1e-8).fit(honest.X, s)
    # The ridge of a tenth leaves its trace in the third digit.
    assert null.label_frequency == pytest.approx(joint.label_frequency_, rel=0.02)
    value = joint.mean_log_likelihood_ * len(s)
    assert -null.loss == pytest.approx(value, abs=0.5)
    assert -null.loss < value


def test_probabilities_are_those_the_loss_is_made_of(honest):
    s, models = honest.s.astype(float), NestedModels(honest.X)
    null = null_of(models, s)
    penalty = 0.05 * float(null.theta[:-2] @ null.theta[:-2])
    assert -null.loss == pytest.approx(log_likelihood(models.probability(null), s) - penalty)


def test_the_known_frequency_of_the_estimate_gives_the_same_fit(honest):
    s, models = honest.s.astype(float), NestedModels(honest.X)
    null = null_of(models, s)
    again = models.fit_null_at(null.label_frequency, s, null)
    assert again.loss == pytest.approx(null.loss, abs=1e-5)
    assert models.fit_null_at(0.95, s, null).loss > null.loss


def test_features_and_their_whitened_selves_give_the_same_statistic(honest):
    s = honest.s.astype(float)
    mixed = honest.X @ np.array([[3.0, 1, 0], [0, 0.1, 2], [0, 0, 50]]) + 7
    values = []
    for X in (honest.X, mixed):
        models = NestedModels(X)
        values.append(models.departure(s, null_of(models, s)))
    assert values[0] == pytest.approx(values[1], rel=1e-3)


def test_the_statistic_is_twice_the_gain_of_the_double_logistic_model(dependent):
    """A generic optimiser on the formula reaches the same value."""
    X, s = dependent
    models = NestedModels(X)
    null = null_of(models, s.astype(float))
    Z = models.Z

    def loss(theta):
        b, g = theta[:4], theta[4:]
        p = expit(Z @ b[:3] + b[3]) * expit(Z @ g[:3] + g[3])
        p = np.clip(p, 1e-300, 1 - 1e-16)
        return -log_likelihood(p, s) + 0.05 * (b[:3] @ b[:3] + g[:3] @ g[:3])

    starts = [np.concatenate([null.theta[:4], g]) for g in ([1, 0, 0, 0], [-1, 0, 0, 0])]
    starts += [
        np.concatenate([null.theta[:4], np.roll(g, 1)]) for g in ([1, 0, 0, 0], [0, 1, 0, 0])
    ]
    best = min(minimize(loss, start, method="BFGS").fun for start in starts)
    statistic = models.departure(s.astype(float), null)
    assert statistic == pytest.approx(2 * (null.loss - best), abs=0.05)


def test_one_feature_gains_at_most_what_all_do_and_what_its_own_model_does(dependent):
    X, s = dependent
    s, models = s.astype(float), NestedModels(X)
    null = null_of(models, s)
    whole = models.departure(s, null)
    readings = [models.read(s, null, j) for j in range(3)]
    assert all(reading.statistic <= whole + 0.01 for reading in readings)
    # By hand: the first feature alone in the propensity.
    feature = (X[:, 0] - X[:, 0].mean()) / X[:, 0].std()
    theta = np.append(null.theta[:-1], [readings[0].slope, 0.0])

    def loss(theta):
        p = expit(models.Z @ theta[:3] + theta[3]) * expit(theta[4] * feature + theta[5])
        p = np.clip(p, 1e-300, 1 - 1e-16)
        return -log_likelihood(p, s) + 0.05 * (theta[:3] @ theta[:3] + theta[4] ** 2)

    best = minimize(loss, theta, method="BFGS")
    assert readings[0].statistic == pytest.approx(2 * (null.loss - best.fun), abs=0.05)
    assert readings[0].slope == pytest.approx(best.x[4], rel=0.05)


def test_the_score_is_the_slope_of_the_likelihood_in_the_propensity(honest):
    """By finite differences of P(S=1|x) = c (1 + d z) sigma(t), cleared of JOINT's parameters."""
    s, models = honest.s.astype(float), NestedModels(honest.X)
    null = null_of(models, s)
    score, variance = models._efficient_score(s, null)
    c, theta, Z = null.label_frequency, null.theta, models.Z

    def value(parameters):
        b, c, d = parameters[:4], parameters[4], parameters[5:]
        return c * (1 + Z @ d) * expit(Z @ b[:3] + b[3])

    here = np.concatenate([theta[:4], [c], np.zeros(3)])
    steps = 1e-6 * np.eye(8)
    jacobian = np.column_stack([(value(here + h) - value(here - h)) / 2e-6 for h in steps])
    p = value(here)
    weight = 1 / (p * (1 - p))
    information = jacobian.T @ (weight[:, None] * jacobian)
    raw = jacobian.T @ (weight * (s - p))
    solved = np.linalg.solve(information[:5, :5], information[:5, 5:])
    np.testing.assert_allclose(score, raw[5:] - solved.T @ raw[:5], rtol=1e-5, atol=1e-6)
    expected = information[5:, 5:] - information[5:, :5] @ solved
    np.testing.assert_allclose(variance, expected, rtol=1e-5)


def test_honest_labels_are_not_rejected(honest):
    test = scar_test(honest.X, honest.s, n_resamples=39, enough=5, random_state=0)
    assert test.p_value > 0.05
    assert "No single feature" in str(test)


def test_labels_that_come_with_a_feature_are_rejected_and_the_feature_is_named(dependent):
    X, s = dependent
    frame = pd.DataFrame(X, columns=["income", "age", "x<script>"])
    test = scar_test(frame, s, n_resamples=39, random_state=0)
    assert test.p_value == pytest.approx(1 / 40)
    assert np.argmax(test.feature_statistic) == 0
    assert test.feature_slope[0] > 0
    assert test.feature_p_value[0] == pytest.approx(1 / 40)
    assert "where income is large" in str(test)
    assert list(test.frame()["feature"]) == ["income", "age", "x<script>"]
    assert test.statistic > test.null_statistics.max()


def test_the_drawing_ends_when_enough_is_known(honest):
    whole = scar_test(honest.X, honest.s, n_resamples=30, enough=31, random_state=0)
    short = scar_test(honest.X, honest.s, n_resamples=30, enough=3, random_state=0)
    as_large = np.cumsum(whole.null_statistics >= whole.statistic)
    length = int(np.searchsorted(as_large, 3)) + 1
    np.testing.assert_array_equal(short.null_statistics, whole.null_statistics[:length])
    assert short.p_value == pytest.approx(3 / length)
    assert whole.p_value == pytest.approx((1 + as_large[-1]) / 31)


def test_the_result_does_not_depend_on_processes_or_label_values(honest):
    call = {"n_resamples": 12, "enough": 13, "random_state": 3}
    one = scar_test(honest.X, honest.s, **call)
    y = np.where(honest.s == 1, "seen", "unseen")
    two = scar_test(honest.X, y, positive_label="seen", n_jobs=2, **call)
    np.testing.assert_array_equal(one.null_statistics, two.null_statistics)


def test_sensitivity_tests_both_ends_of_the_interval_of_c(honest):
    test = scar_test(honest.X, honest.s, n_resamples=9, sensitivity=True, random_state=0)
    low, high = sorted(test.sensitivity)
    assert honest.s.mean() < low < test.label_frequency < high <= 1
    assert all(0 < p <= 1 for p in test.sensitivity.values())
    assert f"p-value if c were {low:.3f}" in str(test)


def test_constant_and_dependent_columns_do_no_harm(honest):
    X = np.column_stack([honest.X, np.ones(len(honest.X)), honest.X[:, 0] + honest.X[:, 1]])
    plain = scar_test(honest.X, honest.s, n_resamples=5, enough=6, random_state=0)
    more = scar_test(X, honest.s, n_resamples=5, enough=6, random_state=0)
    assert more.statistic == pytest.approx(plain.statistic, rel=1e-3)
    assert np.isnan(more.feature_statistic[3])


@pytest.mark.filterwarnings("error")
def test_separated_labels_are_no_error():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    test = scar_test(X, (X[:, 0] > 1).astype(int), n_resamples=5, random_state=0)
    assert np.isfinite(test.statistic)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_resamples": 0}, "`n_resamples` must be.*got 0"),
        ({"enough": 0}, "`enough` must be"),
        ({"sensitivity": "yes"}, "`sensitivity` must be.*'yes'"),
    ],
)
def test_wrong_arguments_are_named(arguments, message, honest):
    with pytest.raises(ValueError, match=message):
        scar_test(honest.X, honest.s, **arguments)


def test_missing_values_are_named(honest):
    X = honest.X.copy()
    X[3, 1] = np.nan
    with pytest.raises(ValueError, match="NaN.*row 3, column 1"):
        scar_test(X, honest.s)


def test_a_result_prints_its_caveat_first():
    gains, slopes = np.array([8.0, np.nan]), np.array([-2.0, np.nan])
    test = ScarTest(9.0, np.ones(39), 0.025, 0.5, ("a", "b"), gains, slopes)
    lines = str(test).splitlines()
    assert "SCAR" in lines[1]
    assert "logistic" in lines[1]
    assert "where a is small" in lines[-1]


def test_one_feature_alone_has_no_direction():
    """Posterior and propensity could change places."""
    test = ScarTest(9.0, np.ones(39), 0.025, 0.5, ("a",), np.array([8.0]), np.array([-2.0]))
    assert "where a is" not in str(test)
    assert "depend on a" in str(test)


def test_the_larger_fit_finds_a_strong_dependence_beside_a_local_maximum():
    """One start along the score alone ended at a gain of 6.6 here, of 188."""
    rng = np.random.RandomState(795)
    X = rng.standard_t(3, size=(1000, 6))
    b, g = rng.normal(size=6) * 1.5, np.zeros(6)
    g[: rng.randint(0, 6)] = rng.normal() * 2
    s = (rng.uniform(size=1000) < expit(X @ b - 1) * expit(X @ g + rng.normal())).astype(float)
    models = NestedModels(X)
    assert models.departure(s, null_of(models, s)) > 180


def test_published_divergence_is_that_of_normal_distributions():
    rng = np.random.default_rng(0)
    features, labelled = rng.normal(size=(50, 2)), np.arange(50) < 20
    first, second = features[labelled], features
    expected = 0
    for j in range(2):
        m1, m2 = first[:, j].mean(), second[:, j].mean()
        v1, v2 = first[:, j].var(), second[:, j].var()
        expected += 0.5 * np.log(v2 / v1) + (v1 + (m1 - m2) ** 2) / (2 * v2) - 0.5
    assert _divergence(features, labelled) == pytest.approx(expected)


def test_published_test_takes_the_best_unlabelled_rows_for_positive():
    s = np.array([1.0] * 10 + [0.0] * 90)
    score = np.arange(100.0)
    taken = _taken_for_positive(score, s, 0.4)  # 10 / .4 - 10 = 15 rows more
    np.testing.assert_array_equal(taken, [*range(10), *range(85, 100)])
    assert len(_taken_for_positive(score, s, 0.99)) == 20


def test_published_test_rejects_honest_overlapping_classes(honest):
    """Its known defect, which is why it is a baseline only."""
    assert published_scar_test(honest.X, honest.s, 0.6, random_state=0).p_value < 0.05
    shuffled = np.random.default_rng(1).permutation(honest.s)
    test = published_scar_test(honest.X, shuffled, 0.9, score=np.ones(1500), random_state=0)
    assert test.p_value > 0.01


def test_the_middle_of_c_is_where_the_labels_put_it(honest):
    test = scar_test(honest.X, honest.s, n_resamples=2, random_state=0)
    assert logit(test.label_frequency) == pytest.approx(logit(0.6), abs=1.5)


def test_the_check_does_not_apply_to_separated_rows_or_few_labelled_ones(honest):
    separated = np.column_stack([honest.X, honest.s])
    for X, s in ((separated, honest.s), (honest.X, honest.s * (np.cumsum(honest.s) <= 15))):
        finding = diagnose(PULogistic(), X, s, checks="scar", random_state=0)["scar"]
        assert finding.state == "not applicable"
        assert finding.message.startswith("because")


def test_a_column_that_separates_is_named(honest):
    separated = np.column_stack([honest.X, honest.s])
    finding = diagnose(PULogistic(), separated, honest.s, checks="scar")["scar"]
    share = np.mean(honest.s == 0)
    assert "'x3' separates" in finding.message
    assert f"{share:.0%} of the rows" in finding.message


def test_rows_of_a_rare_level_without_a_labelled_row_are_left_out_and_told(honest):
    rare = np.flatnonzero(honest.s == 0)[:20]
    level = np.isin(np.arange(len(honest.s)), rare)
    X = np.column_stack([honest.X, level])
    finding = diagnose(PULogistic(), X, honest.s, checks="scar", random_state=0)["scar"]
    assert "20 rows" in finding.message
    assert "'x3'" in finding.message
    assert finding.facts["rows_left_out"] == 20
    rest = diagnose(
        PULogistic(), honest.X[~level], honest.s[~level], checks="scar", random_state=0
    )["scar"]
    assert finding.facts["p_value"] == rest.facts["p_value"]
    assert finding.facts["statistic"] == pytest.approx(rest.facts["statistic"])
