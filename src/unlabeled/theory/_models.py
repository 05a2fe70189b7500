"""Two populations with a one-dimensional score: a normal index, and two normal classes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from scipy.special import expit, logit
from scipy.stats import norm

from ._quadrature import normal_nodes


class ScoredPopulation(Protocol):
    """What the search for a cut needs from a population."""

    @property
    def prior(self) -> float:
        """P(Y=1)."""

    def posterior(self, threshold: float) -> float:
        """P(Y=1) given a score equal to the threshold; increasing."""

    def threshold(self, log_odds: float) -> float:
        """Score at which the posterior has these log-odds."""

    def rates(self, threshold: float) -> tuple[float, float]:
        """Recall r and share q of the rule score > threshold."""


@dataclass(frozen=True)
class NormalIndex:
    """T ~ N(mean, var) and P(Y=1|T) = σ(beta0 + T)."""

    beta0: float
    mean: float
    var: float

    @cached_property
    def prior(self) -> float:
        """P(Y=1) = E σ(beta0 + T)."""
        return self._positive_mass(-math.inf)

    def posterior(self, threshold: float) -> float:
        """σ(beta0 + threshold)."""
        return float(expit(self.beta0 + threshold))

    def threshold(self, log_odds: float) -> float:
        """Index at which the posterior has these log-odds."""
        return log_odds - self.beta0

    def rates(self, threshold: float) -> tuple[float, float]:
        """Recall and share of the rule T > threshold."""
        share = float(norm.sf(threshold, self.mean, math.sqrt(self.var)))
        return self._positive_mass(threshold) / self.prior, share

    def _positive_mass(self, lower: float) -> float:
        nodes, weights = normal_nodes(self.mean, self.var, lower)
        return float(weights @ expit(self.beta0 + nodes))


@dataclass(frozen=True)
class Binormal:
    """X given Y=1 is N(distance, 1), X given Y=0 is N(0, 1), P(Y=1) = prior."""

    distance: float
    prior: float

    def posterior(self, threshold: float) -> float:
        """Logistic in X, with slope `distance`."""
        return float(expit(logit(self.prior) + self.distance * (threshold - self.distance / 2)))

    def threshold(self, log_odds: float) -> float:
        """Value of X at which the posterior has these log-odds."""
        return float((log_odds - logit(self.prior)) / self.distance + self.distance / 2)

    def rates(self, threshold: float) -> tuple[float, float]:
        """Recall and share of the rule X > threshold."""
        recall = float(norm.sf(threshold - self.distance))
        return recall, self.prior * recall + (1 - self.prior) * float(norm.sf(threshold))
