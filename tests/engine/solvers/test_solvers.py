"""Solvers on functions with known minima, and the monotone maps."""

import ast
import itertools
from pathlib import Path

import numpy as np
import pytest

from unlabeled.engine import solvers
from unlabeled.engine.solvers import MapStep, iterate_map, lbfgs, minimize, newton


class Quadratic:
    """(z - a)' H (z - a) / 2 with a known minimum."""

    def __init__(self, rng, p=6):
        root = rng.normal(size=(p, p))
        self.hessian = root @ root.T + 0.1 * np.eye(p)
        self.minimum = rng.normal(size=p)
        self.n_parameters = p

    def value_gradient(self, z):
        gradient = self.hessian @ (z - self.minimum)
        return 0.5 * float((z - self.minimum) @ gradient), gradient

    def value_gradient_hessian(self, z):
        return *self.value_gradient(z), self.hessian


class Saddle:
    """x^4 / 4 - x^2 / 2 + y^2 / 2: a saddle at 0, minima at x = +-1."""

    n_parameters = 2

    def value_gradient(self, z):
        x, y = z
        return x**4 / 4 - x**2 / 2 + y**2 / 2, np.array([x**3 - x, y])

    def value_gradient_hessian(self, z):
        return *self.value_gradient(z), np.diag([3 * z[0] ** 2 - 1, 1.0])


@pytest.mark.parametrize("solve", [lbfgs, newton, minimize])
def test_solvers_find_a_quadratic_minimum(solve, rng):
    problem = Quadratic(rng)
    result = solve(problem, np.zeros(6), 1e-9, 500)
    assert result.converged
    assert result.gradient_norm <= 1e-9
    np.testing.assert_allclose(result.z, problem.minimum, atol=1e-7)


def test_newton_leaves_a_saddle_downhill():
    result = newton(Saddle(), np.array([1e-3, 0.5]), 1e-10, 100)
    assert result.converged
    np.testing.assert_allclose(np.abs(result.z), [1, 0], atol=1e-8)


@pytest.mark.parametrize("solve", [lbfgs, newton, minimize])
def test_iterations_used_up_are_reported(solve, rng):
    result = solve(Quadratic(rng, 40), np.zeros(40), 1e-300, 1)
    assert not result.converged
    assert result.n_iter <= 51


@pytest.mark.parametrize("away", [1e-3, 0.1, 1.0])
def test_with_the_hessian_known_lbfgs_needs_two_evaluations(away, rng):
    """The start, at which it is not evaluated twice, and a first step that is Newton's."""
    problem, seen = Quadratic(rng), []

    class Counted(Quadratic):
        def __init__(self):
            self.__dict__.update(vars(problem))

        def value_gradient(self, z):
            seen.append(z)
            return super().value_gradient(z)

    direction = rng.normal(size=6)
    scale = np.sqrt(direction @ problem.hessian @ direction)
    start = problem.minimum + away * direction / scale
    result = lbfgs(Counted(), start, 1e-6 * away, 500, curvature=problem.hessian)
    assert result.converged
    assert len(seen) == 2
    np.testing.assert_allclose(result.gradient, problem.value_gradient(result.z)[1], atol=1e-9)


def test_a_value_that_proves_no_minimum_ends_the_run():
    class Down:
        n_parameters = 1

        def value_gradient(self, z):
            return float(-z[0]), np.array([-1.0])

    result = minimize(Down(), np.zeros(1), 1e-6, 100, unbounded_below=-50.0)
    assert result.message == "no minimum exists"
    assert not result.converged


def test_start_at_the_minimum_stays_there(rng):
    problem = Quadratic(rng)
    result = lbfgs(problem, problem.minimum, 1e-6, 10)
    assert (result.n_iter, result.converged) == (0, True)


@pytest.mark.parametrize("accelerate", [True, False])
def test_iterated_maps_never_let_the_value_rise(accelerate, rng):
    problem = Quadratic(rng)
    largest = np.linalg.eigvalsh(problem.hessian)[-1]
    values = []

    def step(z):
        value, gradient = problem.value_gradient(z)
        return MapStep(value, float(np.linalg.norm(gradient)), z - gradient / largest)

    def recorded(z):
        here = step(z)
        values.append(here.value)
        return here

    result = iterate_map(recorded, np.zeros(6), 1e-8, 100_000, accelerate)
    assert result.converged
    np.testing.assert_allclose(result.z, problem.minimum, atol=1e-5)
    if not accelerate:
        assert np.all(np.diff(values) <= 1e-12)


def test_acceleration_takes_fewer_steps(rng):
    problem = Quadratic(rng)
    largest = np.linalg.eigvalsh(problem.hessian)[-1]

    def step(z):
        value, gradient = problem.value_gradient(z)
        return MapStep(value, float(np.linalg.norm(gradient)), z - gradient / largest)

    plain, fast = (iterate_map(step, np.zeros(6), 1e-8, 10**5, a).n_iter for a in (False, True))
    assert fast < plain / 5


def test_a_bad_extrapolation_is_thrown_away():
    """Where an extrapolated point raises the value, the plain step from the last one is taken."""
    seen = []

    def step(z):
        value = float(np.sum(np.abs(z) ** 1.5) + np.sum(np.sin(3 * z)) * 0.3)
        gradient = 1.5 * np.sign(z) * np.sqrt(np.abs(z)) + 0.9 * np.cos(3 * z)
        here = MapStep(value, float(np.linalg.norm(gradient)), z - 0.05 * gradient)
        seen.append((z, here))
        return here

    iterate_map(step, np.array([3.0, -4.0]), 1e-6, 500, True)
    accepted, thrown_away = seen[0][1], 0
    for (_, there), (following, _) in itertools.pairwise(seen[1:]):
        if there.value > accepted.value + 1e-12:
            np.testing.assert_array_equal(following, accepted.next)
            thrown_away += 1
        else:
            accepted = there
    assert thrown_away > 0


def test_solvers_see_arrays_and_nothing_else_of_the_library():
    for file in Path(solvers.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level > 1:
                assert (node.module, [name.name for name in node.names]) == ("arrays", ["Array"])
