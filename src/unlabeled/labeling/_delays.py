"""How long labels take: families of delays, fitted to labeled rows alone and averaged."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import softmax

from ..engine.history_losses import FAMILIES, DelayLoss
from ..engine.solvers import newton
from ._chances import Draws

# Standard deviations of the priors of location and log-scale.
_LOCATION, _LOG_SCALE = 2.0, 1.0
# About so many pairs of draws, opposite each other; families of less weight are left out.
_PAIRS, _NEGLIGIBLE = 10, 0.02
_SMALLEST_PRECISION = 1e-3
_TOL, _MOST_STEPS = 1e-9, 200


@dataclass(frozen=True, eq=False)
class _FamilyFit:
    """Minus the log-posterior of one family's location and log-scale, per labeled row.

    Attributes
    ----------
    loss : DelayLoss
    log_times : ndarray of shape (n_labeled, 2)
        Logarithms of the delay and of the time within which it had to come.
    center : float
        The prior mean of the location.
    """

    loss: DelayLoss
    log_times: np.ndarray
    center: float

    @property
    def n_parameters(self) -> int:
        """1 or 2."""
        return self.loss.n_predictors

    def value_gradient(self, z: np.ndarray) -> tuple[float, np.ndarray]:
        return self.value_gradient_hessian(z)[:2]

    def value_gradient_hessian(self, z: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        n, total = len(z), len(self.log_times)
        at = tuple(np.full(total, one) for one in z)
        rows = self.loss.derivatives(at, self.log_times, second=True)
        deviation = np.array([_LOCATION, _LOG_SCALE])[:n]
        away = (z - np.array([self.center, 0.0])[:n]) / deviation
        value = rows.value.sum() + 0.5 * away @ away + np.log(deviation).sum()
        gradient = np.array([one.sum() for one in rows.gradient]) + away / deviation
        hessian = np.diag(deviation**-2)
        sums = iter(rows.hessian)
        for j in range(n):
            for k in range(j, n):
                hessian[j, k] += next(sums).sum()
                hessian[k, j] = hessian[j, k]
        return float(value) / total, gradient / total, hessian / total


@dataclass(frozen=True, eq=False)
class Delays:
    """Families of delays with draws of their parameters.

    Attributes
    ----------
    horizon : float
        H: chances are about labels that come within it.
    weights : dict of str to float
        Probability of each family.
    parameters : list of (DelayLoss, float, ndarray)
        Of each draw: the family, its weight, and location and log-scale.
    """

    horizon: float
    weights: dict[str, float]
    parameters: list[tuple[DelayLoss, float, np.ndarray]]

    @classmethod
    def fit(cls, delay: np.ndarray, exposure: np.ndarray, horizon: float) -> Delays:
        """Fit all families to the delays of labeled rows, given that they came in time.

        Weights are Laplace approximations of the evidence, and draws are normal about the mode.
        """
        log_times = np.log(np.column_stack([delay, np.minimum(exposure, horizon)]))
        evidence, found = [], []
        for family in FAMILIES:
            problem = _FamilyFit(DelayLoss(family), log_times, float(np.log(horizon / 2)))
            start = np.array([np.median(log_times[:, 0]), 0.0])[: problem.n_parameters]
            best = newton(problem, start, _TOL, _MOST_STEPS).z
            value, _, hessian = problem.value_gradient_hessian(best)
            values, vectors = np.linalg.eigh(hessian * len(log_times))
            values = np.maximum(values, _SMALLEST_PRECISION)
            evidence.append(-value * len(log_times) - 0.5 * np.log(values).sum())
            found.append((problem.loss, best, vectors / np.sqrt(values)))
        weight = softmax(evidence)
        kept = weight > _NEGLIGIBLE
        parameters, random = [], np.random.default_rng(0)
        for (loss, best, root), share in zip(found, weight, strict=True):
            if share <= _NEGLIGIBLE:
                continue
            drawn = random.standard_normal((int(np.ceil(_PAIRS * share)), len(best))) @ root.T
            part = float(share / weight[kept].sum() / (2 * len(drawn)))
            parameters += [(loss, part, best + sign * one) for one in drawn for sign in (1, -1)]
        return cls(horizon, dict(zip(FAMILIES, weight.tolist(), strict=True)), parameters)

    def within(self, time: np.ndarray) -> Draws:
        """Return F(min(time, H))/F(H) for each draw: chances to be labeled within a time."""
        with np.errstate(divide="ignore"):
            log_time = np.log(np.append(np.minimum(time, self.horizon), self.horizon))
        chances = np.empty((len(self.parameters), len(time)))
        for k, (loss, _, point) in enumerate(self.parameters):
            at = tuple(np.full(len(log_time), one) for one in point)
            found = loss.log_cumulative(at, log_time)
            chances[k] = np.exp(np.minimum(found[:-1] - found[-1], 0.0))
        return Draws(chances, np.array([weight for _, weight, _ in self.parameters]))
