"""Points for a mean under a density, against densities whose means are known."""

import numpy as np
import pytest

from unlabeled.scores._importance_sample import climb, draw_points, effective_number

PRECISION = np.array([[4.0, 1.0, 0.0], [1.0, 2.0, 0.5], [0.0, 0.5, 0.3]])
MODE = np.array([1.0, -2.0, 3.0])


def log_normal_density(points):
    gap = points - MODE
    return -0.5 * np.einsum("ij,jk,ik->i", gap, PRECISION, gap)


def test_a_climb_ends_at_the_mode_with_its_curvature():
    mode, precision = climb(log_normal_density, np.zeros(3), np.ones(3))
    np.testing.assert_allclose(mode, MODE, atol=1e-6)
    np.testing.assert_allclose(precision, PRECISION, atol=1e-6)


def test_a_climb_leaves_a_region_where_the_density_is_not_concave():
    def log_density(points):
        return np.log(np.cosh(points[:, 0])) * 3 - points[:, 0] ** 4 + points[:, 0]

    mode, precision = climb(log_density, np.array([0.01]), np.ones(1))
    grid = np.linspace(-3, 3, 60001)[:, None]
    assert mode[0] == pytest.approx(grid[np.argmax(log_density(grid)), 0], abs=0.02)
    assert precision[0, 0] > 0


@pytest.mark.parametrize("wrong", [1.0, 0.2, 25.0])
def test_moments_and_integral_whatever_the_first_guess(wrong):
    """The mean is that of the density also if the precision is wrong by a factor."""
    points, part, log_integral = draw_points(log_normal_density, MODE + 0.1, wrong * PRECISION)
    mean = part @ points
    covariance = np.cov(points.T, aweights=part, bias=True)
    np.testing.assert_allclose(mean, MODE, atol=0.25)
    np.testing.assert_allclose(np.diag(covariance), np.diag(np.linalg.inv(PRECISION)), rtol=0.35)
    half = draw_points(lambda z: log_normal_density(z) - np.log(2), MODE, wrong * PRECISION)[2]
    there = draw_points(log_normal_density, MODE, wrong * PRECISION)[2]
    assert there - half == pytest.approx(np.log(2), abs=1e-9)
    assert log_integral == pytest.approx(there, abs=0.3)


def test_the_effective_number_of_equal_parts_is_their_number():
    assert effective_number(np.full(7, 0.3)) == pytest.approx(7)
    assert effective_number(np.array([1.0, 0.0])) == 1
