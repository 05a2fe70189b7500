"""KM1 and KM2, and the distance to the hull behind them."""

import numpy as np
import pytest
from scipy.optimize import minimize

from unlabeled.engine.rows import validate_rows
from unlabeled.label_frequency import KernelMean, _kernel_mean
from unlabeled.label_frequency._kernel_mean import (
    HullDistance,
    best_kernel,
    mixture_share,
    points_of,
)


def rows_of(X, s):
    return validate_rows(KernelMean(), X, s)


def hull_of(component, mixture):
    points = np.vstack([component, mixture])
    s = np.repeat([1, 0], [len(component), len(mixture)])
    return HullDistance(*best_kernel(points, rows_of(points, s)))


@pytest.mark.parametrize("limit", [np.inf, 0.05])
def test_disjoint_supports_give_the_share(limit, rng):
    mixture = np.vstack([rng.uniform(size=(160, 2)), rng.uniform(size=(240, 2)) + 5])
    share = mixture_share(hull_of(rng.uniform(size=(400, 2)), mixture), limit)
    assert share == pytest.approx(0.4, abs=0.05)


def test_a_mixture_equal_to_the_component_reaches_the_cap(rng):
    points = rng.normal(size=(150, 2))
    assert mixture_share(hull_of(points, points)) == pytest.approx(0.875, abs=0.005)


@pytest.mark.parametrize("width", [0.05, 0.5, 5.0])
@pytest.mark.parametrize("scale", [1.5, 4.0])
def test_distance_is_that_of_a_general_solver(width, scale, rng):
    points = rng.normal(size=(24, 2)) + np.repeat([[2, 0], [0, 0]], 12, axis=0)
    squared = ((points[:, None] - points) ** 2).sum(axis=2)
    component, mixture = np.repeat([[1, 0], [0, 1]], 12, axis=1) / 12
    hull = HullDistance(np.exp(-squared / (2 * width**2)), mixture, component)
    mixed = scale * mixture + (1 - scale) * component
    found = minimize(
        lambda v: (mixed - v) @ hull.kernel @ (mixed - v),
        np.full(24, 1 / 24),
        jac=lambda v: -2 * hull.kernel @ (mixed - v),
        bounds=[(0, 1)] * 24,
        constraints={"type": "eq", "fun": lambda v: v.sum() - 1, "jac": lambda v: np.ones(24)},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    assert hull.at(scale)[0] == pytest.approx(np.sqrt(found.fun), abs=2e-5)


def test_blocks_and_steps_agree(rng):
    hull = hull_of(rng.normal(size=(60, 10)) + 1, rng.normal(size=(100, 10)))
    for scale in (1.1, 2.0, 3.0):
        target = hull.kernel @ (scale * hull.mixture + (1 - scale) * hull.component)
        blocks, steps = hull._by_blocks(target), hull._by_steps(target)
        value = [v @ hull.kernel @ v / 2 - v @ target for v in (blocks, steps)]
        assert value[0] == pytest.approx(value[1], abs=1e-9)
        assert np.sum(steps) == pytest.approx(1)


def test_the_slope_is_the_derivative_of_the_distance(rng):
    hull = hull_of(rng.normal(size=(80, 2)) + 2, rng.normal(size=(120, 2)))
    for scale in (1.3, 2.0, 4.0):
        ahead, behind = hull.at(scale + 1e-4)[0], hull.at(scale - 1e-4)[0]
        assert hull.at(scale)[1] == pytest.approx((ahead - behind) / 2e-4, rel=1e-3)


def test_the_distance_is_convex_and_starts_at_zero(rng):
    hull = hull_of(rng.normal(size=(80, 2)) + 2, rng.normal(size=(120, 2)))
    distances = [hull.at(scale)[0] for scale in np.linspace(1, 5, 9)]
    assert distances[0] < 1e-6
    assert np.all(np.diff(distances, 2) > -1e-6)


@pytest.mark.parametrize(("n_labeled", "kept"), [(20, 20), (300, 50)])
def test_a_subset_of_the_rows_keeps_labeled_ones_first(n_labeled, kept, rng, monkeypatch):
    s, seen = np.repeat([1, 0], [n_labeled, 600]), []
    monkeypatch.setattr(_kernel_mean, "points_of", lambda rows, _: seen.append(rows) or rows.X)
    KernelMean(max_rows=100, random_state=0).fit(rng.normal(size=(len(s), 2)), s)
    assert (seen[0].n_labeled, len(seen[0].s)) == (kept, 100)


def test_many_features_become_principal_components(rng):
    X = rng.normal(size=(80, 3)) @ rng.normal(size=(3, 70))
    points = points_of(rows_of(X, np.arange(80) % 2), 3)
    assert points.shape == (80, 3)
    distances = [np.linalg.norm(values[0] - values[1:], axis=1) for values in (points, X)]
    np.testing.assert_allclose(*distances, rtol=1e-10)
    assert points_of(rows_of(X, np.arange(80) % 2), None).shape == (80, 70)


def test_constant_features_are_no_obstacle():
    assert KernelMean().fit(np.ones((30, 2)), np.arange(30) % 3 == 0).unlabeled_share_ > 0.87


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (KernelMean("KM3"), "`variant` must be .*got 'KM3'"),
        (KernelMean(max_rows=0), "`max_rows` must be .*got 0"),
        (KernelMean(n_components=0), "`n_components` must be .*got 0"),
    ],
)
def test_bad_parameters_are_named(model, message, golden):
    data = golden(label_frequency=0.6)
    with pytest.raises(ValueError, match=message):
        model.fit(data.X, data.s)
