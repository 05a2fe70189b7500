"""Estimates, their covariance against golden numbers and brute force, and the printed summary."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from unlabeled import JointLogistic, NaiveLogistic
from unlabeled.engine.losses import LogisticLoss, ProductLoss
from unlabeled.engine.objective import CONSTANT, FEATURES, Objective
from unlabeled.inference import (
    Estimates,
    Summary,
    covariance,
)


def naive_objective(X, s, weight=None, ridge=0.0):
    return Objective(LogisticLoss(), (FEATURES,), X, s.astype(float), weight, ridge)


def joint_objective(X, s, weight=None):
    return Objective(ProductLoss(), (FEATURES, CONSTANT), X, s.astype(float), weight)


def naive_theta(data):
    model = NaiveLogistic(tol=1e-10).fit(data.X, data.s)
    return np.append(model.coef_[0], model.intercept_)


def joint_theta(data):
    model = JointLogistic(tol=1e-10).fit(data.X, data.s)
    c = model.label_frequency_
    return np.concatenate([model.coef_[0], model.intercept_, [np.log(c / (1 - c))]]), c


def errors(objective, theta, kind):
    return np.sqrt(np.diag(covariance(objective, theta, kind)))


@pytest.mark.parametrize(
    ("kind", "intercept_first"),
    [
        ("sandwich", [0.1366902, 0.0832863, 0.0835711, 0.0792892]),
        ("observed", [0.1346367, 0.0842493, 0.0833640, 0.0827846]),
        ("expected", [0.1346367, 0.0842493, 0.0833640, 0.0827846]),
    ],
)
def test_naive_golden_standard_errors(golden, kind, intercept_first):
    data = golden(label_frequency=0.6)
    found = errors(naive_objective(data.X, data.s), naive_theta(data), kind)
    np.testing.assert_allclose(np.roll(found, 1), intercept_first, atol=5.1e-8)


@pytest.mark.parametrize(
    ("kind", "intercept_first", "of_c"),
    [
        ("expected", [0.33135, 0.15764, 0.15431, 0.15394], 0.08584),
        ("observed", [0.36530, 0.16376, 0.14990, 0.16366], 0.09050),
    ],
)
def test_joint_golden_standard_errors(golden, kind, intercept_first, of_c):
    data = golden(label_frequency=0.6)
    theta, c = joint_theta(data)
    found = errors(joint_objective(data.X, data.s), theta, kind)
    np.testing.assert_allclose(np.roll(found[:-1], 1), intercept_first, atol=5.1e-6)
    assert found[-1] * c * (1 - c) == pytest.approx(of_c, abs=5.1e-6)


# √n times the asymptotic standard deviation: (b0, b1, b2, b3), that of c, the angle's.
def direction_of(slopes):
    """Estimate the direction w / |w|, by the delta method."""
    length = np.linalg.norm(slopes.value)
    unit = slopes.value / length
    across = np.eye(len(unit)) - np.outer(unit, unit)
    return Estimates(slopes.names, unit, across @ slopes.covariance @ across / length**2)


ASYMPTOTIC = {
    0.3: ([23.03, 9.617, 9.528, 9.528], 3.708, [7.711, 4.600, 4.508, 4.508], 5.691, 5.305),
    0.6: ([14.26, 6.384, 6.324, 6.324], 4.414, [5.888, 3.729, 3.663, 3.663], 3.699, 3.563),
}


@pytest.mark.parametrize("c", ASYMPTOTIC)
def test_the_asymptotic_table(golden, c):
    """At the true and the projected parameters, on 200 000 rows spread evenly over the design."""
    n = 200_000
    data = golden(n=n, label_frequency=c)
    joint, of_c, naive, naive_angle, joint_angle = ASYMPTOTIC[c]
    truth = np.array([-1.0, 1.0, 1.0, -1.0, np.log(c / (1 - c))])
    expected = n * covariance(joint_objective(data.X, data.s), truth, "expected")
    found = np.sqrt(np.diag(expected))
    np.testing.assert_allclose(np.roll(found[:-1], 1), joint, rtol=0.01)
    assert found[-1] * c * (1 - c) == pytest.approx(of_c, rel=0.01)
    slopes = Estimates(("a", "b", "c"), truth[:3], expected[:3, :3])
    assert np.sqrt(np.trace(direction_of(slopes).covariance)) == pytest.approx(
        joint_angle, rel=0.01
    )
    theta = naive_theta(data)
    sandwich = n * covariance(naive_objective(data.X, data.s), theta)
    np.testing.assert_allclose(np.roll(np.sqrt(np.diag(sandwich)), 1), naive, rtol=0.02)
    slopes = Estimates(("a", "b", "c"), theta[:3], sandwich[:3, :3])
    assert np.sqrt(np.trace(direction_of(slopes).covariance)) == pytest.approx(
        naive_angle, rel=0.02
    )


@pytest.mark.parametrize("kind", ["sandwich", "observed", "expected"])
def test_a_row_of_weight_two_is_two_rows(rng, kind):
    X, s = rng.normal(size=(60, 3)), rng.random(60) < 0.4
    weight = rng.integers(1, 4, 60)
    again = np.repeat(np.arange(60), weight)
    theta = rng.normal(size=4)
    one = covariance(naive_objective(X, s, weight.astype(float)), theta, kind)
    two = covariance(naive_objective(X[again], s[again]), theta, kind)
    np.testing.assert_allclose(one, two, rtol=1e-10)


def test_a_ridge_makes_everything_smaller(rng):
    X, s = rng.normal(size=(60, 3)), rng.random(60) < 0.4
    theta = rng.normal(size=4)
    free = errors(naive_objective(X, s), theta, "observed")
    held = errors(naive_objective(X, s, ridge=0.1), theta, "observed")
    assert np.all(held[:3] < free[:3])


def test_the_sandwich_by_hand(rng):
    X, s = rng.normal(size=(50, 2)), (rng.random(50) < 0.4).astype(float)
    theta = rng.normal(size=3)
    table = np.column_stack([X, np.ones(50)])
    sigma = 1 / (1 + np.exp(-table @ theta))
    bread = np.linalg.inv((table * (sigma * (1 - sigma))[:, None]).T @ table)
    meat = (table * ((sigma - s) ** 2)[:, None]).T @ table
    found = covariance(naive_objective(X, s), theta)
    np.testing.assert_allclose(found, bread @ meat @ bread, rtol=1e-10)


def test_the_sandwich_of_groups_by_hand(rng):
    """Bread, and the outer products of the sums of weighted gradients of each group."""
    X, s, weight = rng.normal(size=(60, 2)), rng.integers(0, 2, 60), rng.uniform(0.5, 2, 60)
    groups, theta = rng.integers(0, 12, 60), np.array([0.3, -0.2, 0.1])
    ones = np.column_stack([X, np.ones(60)])
    p = 1 / (1 + np.exp(-ones @ theta))
    bread = np.linalg.inv(ones.T @ ((weight * p * (1 - p))[:, None] * ones))
    of_rows = (weight * (p - s))[:, None] * ones
    sums = np.array([of_rows[groups == g].sum(axis=0) for g in np.unique(groups)])
    expected = 12 / 11 * bread @ (sums.T @ sums) @ bread
    for rows in (X, sparse.csr_array(X)):
        found = covariance(naive_objective(rows, s, weight), theta, groups=groups)
        np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_groups_of_one_row_are_rows_and_copies_in_a_group_say_nothing_new(rng):
    X, s, theta = rng.normal(size=(80, 2)), rng.integers(0, 2, 80), np.array([0.1, 0.2, -0.3, -1.0])
    rows = covariance(joint_objective(X, s), theta)
    alone = covariance(joint_objective(X, s), theta, groups=np.arange(80))
    np.testing.assert_allclose(alone, rows * 80 / 79, rtol=1e-9)
    thrice = joint_objective(np.repeat(X, 3, axis=0), np.repeat(s, 3))
    grouped = covariance(thrice, theta, groups=np.repeat(np.arange(80), 3))
    np.testing.assert_allclose(grouped, alone, rtol=1e-9)


def test_what_rows_do_not_determine_has_no_error(rng):
    X = rng.normal(size=(60, 2))
    table = np.column_stack([X, X[:, 0], np.zeros(60)])
    s = rng.random(60) < 0.4
    found = errors(naive_objective(table, s), np.array([0.1, 0.2, 0.1, 0.0, -0.5]), "sandwich")
    assert np.isnan(found).tolist() == [True, False, True, True, False]


def test_intervals_and_p_values():
    made = Estimates(("a", "b"), np.array([1.0, 0.0]), np.diag([0.25, 4.0]))
    np.testing.assert_allclose(made.standard_error, [0.5, 2.0])
    np.testing.assert_allclose(
        [[*one] for one in made.interval(0.95)],
        [[1 - 0.979982, 1.979982], [-3.919928, 3.919928]],
        atol=1e-6,
    )
    np.testing.assert_allclose(made.p_value, [0.0455003, 1.0], atol=1e-7)
    with pytest.raises(ValueError, match="`confidence_level` must be.*got 95"):
        made.interval(95)


TEXT = """\
Model
-----------------------------------------------------------------
rows  10
-----------------------------------------------------------------
           estimate  std. error      z   P>|z|   [0.025    0.975]
-----------------------------------------------------------------
dose         1.0000      0.5000   2.00  0.0455   0.0200    1.9800
intercept  -20.0000      2.0000 -10.00  0.0000 -23.9199  -16.0801
-----------------------------------------------------------------"""


def made(names=("dose", "intercept")):
    estimates = Estimates(names, np.array([1.0, -20.0]), np.diag([0.25, 4.0]))
    return Summary("Model", (("rows", "10"),), estimates)


def test_it_prints_aligned_columns():
    lines = str(made()).splitlines()
    assert [line.split() for line in lines if "-" * 9 not in line] == [
        line.split() for line in TEXT.splitlines() if "-" * 9 not in line
    ]
    table = [line for line in lines if not line.startswith("rows") and line != "Model"]
    assert len({len(line) for line in table}) == 1


def test_html_has_the_same_numbers_and_no_markup_of_the_user():
    html = made(names=("<b>dose", "intercept"))._repr_html_()
    assert "&lt;b&gt;dose" in html
    assert "<b>" not in html
    for number in ("1.0000", "0.5000", "-23.9199"):
        assert number in html


def test_the_frame_has_the_numbers():
    table = made().to_frame().set_index("name")
    assert table.loc["intercept", "z"] == -10
    assert table.loc["dose", "lower"] == pytest.approx(0.0200, abs=1e-4)
