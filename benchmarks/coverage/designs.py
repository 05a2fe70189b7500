"""Populations with a logistic posterior, known exactly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy import stats
from scipy.optimize import brentq
from scipy.special import expit

from unlabeled.engine.losses import LogisticLoss
from unlabeled.engine.objective import FEATURES, Objective
from unlabeled.engine.solvers import newton

# Points of the Sobol sequence that stand for the population: 2 to this power.
_POINTS = 18


@dataclass(frozen=True)
class Design:
    """Features as a function of independent uniforms, and a logistic posterior."""

    name: str
    words: str
    beta: tuple[float, ...]
    features: Callable[[np.ndarray], np.ndarray]

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.beta) - 1

    def posterior(self, X: np.ndarray) -> np.ndarray:
        """P(Y=1|x)."""
        return np.asarray(expit(self.beta[0] + X @ np.array(self.beta[1:])))


def _paper(u: np.ndarray) -> np.ndarray:
    covariance = [[1, 0.2, -0.2], [0.2, 1, 0], [-0.2, 0, 1]]
    return np.array([1, 1, -1]) + stats.norm.ppf(u) @ np.linalg.cholesky(covariance).T


def _skewed(u: np.ndarray) -> np.ndarray:
    return np.column_stack(
        [stats.expon.ppf(u[:, 0]), (u[:, 1] < 0.4).astype(float), stats.laplace.ppf(u[:, 2])]
    )


def _ten(u: np.ndarray) -> np.ndarray:
    places = np.arange(10)
    covariance = 0.3 ** np.abs(places[:, None] - places)
    return np.asarray(stats.norm.ppf(u) @ np.linalg.cholesky(covariance).T)


DESIGNS = {
    design.name: design
    for design in (
        Design("paper", "the paper's: three correlated normal features", (-1, -1, 1, 1), _paper),
        Design(
            "skewed",
            "an exponential, a binary and a Laplace feature",
            (-2.5, 1.2, 1.0, -0.8),
            _skewed,
        ),
        Design(
            "ten",
            "ten correlated normal features, five of which matter",
            (-1.5, 0.8, -0.8, 0.8, 0.8, -0.8, 0, 0, 0, 0, 0),
            _ten,
        ),
        Design(
            "rare",
            "one positive in fifty, which one of three normal features hardly shows",
            (-4.2, 0.8, 0, 0),
            stats.norm.ppf,
        ),
    )
}
"""The designs, by name."""


@dataclass(frozen=True)
class Draw:
    """A sample: features and labels."""

    X: np.ndarray
    s: np.ndarray


def draw(design: str, n: int, c: float, seed: int, mechanism: str = "scar") -> Draw:
    """Draw rows and label positives with mean frequency c.

    Mechanisms: "scar"; "x1:d", e(x) logistic in the first feature with slope d; "y^k", e(x)
    proportional to the posterior to the power k, at most 1.
    """
    chosen, rng = DESIGNS[design], np.random.default_rng(seed)
    X = chosen.features(rng.uniform(size=(n, chosen.n_features)))
    posterior = chosen.posterior(X)
    y_true = rng.uniform(size=n) < posterior
    e = np.full(n, c) if mechanism == "scar" else _propensity(mechanism, c, X, posterior, y_true)
    return Draw(X, (y_true & (rng.uniform(size=n) < e)).astype(float))


def _propensity(
    mechanism: str, c: float, X: np.ndarray, posterior: np.ndarray, y_true: np.ndarray
) -> np.ndarray:
    if mechanism.startswith("x1:"):
        tilt = float(mechanism[3:]) * X[:, 0]
        shift = brentq(lambda a: expit(a + tilt[y_true]).mean() - c, -50, 50)
        return np.asarray(expit(shift + tilt))
    shape = posterior ** float(mechanism[2:])
    scale = brentq(lambda k: np.minimum(1, k * shape[y_true]).mean() - c, 0, 1e9)
    return np.minimum(1, scale * shape)


@dataclass(frozen=True)
class Population:
    """Points that stand for a population, and the posterior there."""

    X: np.ndarray
    posterior: np.ndarray

    @property
    def class_prior(self) -> float:
        """P(Y=1)."""
        return float(self.posterior.mean())

    def recall(self, positive: np.ndarray) -> float:
        """P(predicted positive | Y=1) of a rule, given at the points."""
        return float(self.posterior[positive].sum() / self.posterior.sum())


@cache
def population(design: str) -> Population:
    """Points of a Sobol sequence, transformed."""
    chosen = DESIGNS[design]
    sobol = stats.qmc.Sobol(chosen.n_features, scramble=True, rng=0)
    X = chosen.features(np.clip(sobol.random_base2(_POINTS), 1e-12, 1 - 1e-12))
    return Population(X, chosen.posterior(X))


@cache
def naive_aim(design: str, c: float) -> np.ndarray:
    """What the naive logistic fit estimates: slopes, then the intercept."""
    points = population(design)
    objective = Objective(LogisticLoss(), (FEATURES,), points.X, c * points.posterior)
    start = np.zeros(points.X.shape[1] + 1)
    return np.asarray(newton(objective, start, 1e-10, 100).z)
