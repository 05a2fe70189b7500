"""The share of positives along a score and a propensity, whose stretch may be held."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from unlabeled.engine.solvers import newton
from unlabeled.scores import propensity_prior
from unlabeled.scores._propensity_prior import PropensityCells, _bins


def rows(n=4000, seed=0):
    """A score, a group whose positives are labeled four times as often in odds, and labels."""
    rng = np.random.default_rng(seed)
    score, group = rng.normal(size=n), (rng.random(n) < 0.3).astype(float)
    y = rng.random(n) < expit(-1 + 2 * score + group)
    s = y & (rng.random(n) < expit(-1 + np.log(4) * group))
    return score, group, np.column_stack([s, np.zeros(n), ~s]).astype(float), y


def cells(stretch, n=600):
    score, group, outcomes, _ = rows(n)
    columns = (score, 1.4 * group, group)
    return PropensityCells.of(columns, outcomes, np.ones(n), 1.0, stretch)[0]


def test_a_stretch_that_is_held_is_what_it_is():
    score, group, outcomes, y = rows()
    found = propensity_prior(score, np.log(4) * group, outcomes, stretch=1.0, beside=group)
    assert found.stretch == pytest.approx(1.0, abs=1e-12)
    lower, upper = found.density.interval()
    assert lower < y.mean() < upper
    at_random = propensity_prior(score, 0 * group, outcomes, stretch=1.0, beside=group)
    assert at_random.density.mean < found.density.mean - 0.02


def test_a_constant_added_to_both_columns_changes_the_level_alone():
    score, group, outcomes, _ = rows(1000)
    one = propensity_prior(score, 2 * group, outcomes, stretch=1.0, beside=group)
    other = propensity_prior(score, 2 * group - 2, outcomes, stretch=1.0, beside=group + 5)
    assert one.density.mean == pytest.approx(other.density.mean, rel=1e-7)
    assert one.level == pytest.approx(other.level - 2, abs=1e-5)


@pytest.mark.parametrize("stretch", [None, 1.0, 0.3])
def test_its_derivatives_are_those_of_finite_differences(stretch):
    problem, step = cells(stretch), 1e-5
    z = np.array([-0.4, 0.5, -0.8, 0.7, 0.3])
    z = z if stretch is None else np.delete(z, 3)
    assert len(z) == problem.n_parameters
    _, gradient, hessian = problem.value_gradient_hessian(z)
    for j, one in enumerate(np.eye(len(z))):
        up, down = (problem.value_gradient_hessian(z + sign * step * one) for sign in (1, -1))
        assert gradient[j] == pytest.approx((up[0] - down[0]) / (2 * step), abs=1e-8)
        np.testing.assert_allclose(hessian[j], (up[1] - down[1]) / (2 * step), atol=1e-7)


def test_held_where_the_free_fit_ends_it_ends_there_too():
    free = cells(None)
    best = newton(free, np.array([-1.0, 0.7, -1.0, 1.0, 0.0]), 1e-10, 100).z
    held = cells(float(best[3]))
    found = newton(held, np.array([-1.0, 0.7, -1.0, 0.0]), 1e-10, 100).z
    np.testing.assert_allclose(held.whole(found), best, atol=1e-5)


def test_every_one_of_few_values_has_a_bin_however_rare_it_is():
    column = np.r_[np.zeros(990), np.ones(10)]
    assert len(np.unique(_bins(column, np.ones(1000), 8))) == 2
    assert len(np.unique(_bins(np.arange(1000.0), np.ones(1000), 8))) == 8
