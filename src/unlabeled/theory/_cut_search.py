"""The search for the best cut: solve the condition on the posterior at the boundary."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from .. import rates
from ._models import ScoredPopulation

_GRID = 129
"""Cuts scanned for sign changes; F1_PU and MCC may have more than one local maximum."""


@dataclass(frozen=True)
class PopulationCut:
    """A cut of a score and what the rule "score > threshold" achieves in the population.

    Ratios with an empty denominator (nothing, or everything, called positive) are 0.

    Attributes
    ----------
    threshold : float
        The cut.
    posterior : float
        P(Y=1) for a row exactly at the cut.
    share : float
        q, the share of rows called positive.
    recall : float
        r, the share of positives called positive.
    precision, f1, f1_pu, balanced_accuracy, accuracy, mcc : float
        The measures of the rule; ``f1_pu`` is r²/q.
    """

    threshold: float
    posterior: float
    share: float
    recall: float
    precision: float
    f1: float
    f1_pu: float
    balanced_accuracy: float
    accuracy: float
    mcc: float


def describe_cut(population: ScoredPopulation, threshold: float) -> PopulationCut:
    """Measures of the rule score > threshold."""
    recall, share = population.rates(threshold)
    known = recall, share, population.prior
    return PopulationCut(
        threshold=threshold,
        posterior=population.posterior(threshold),
        share=share,
        recall=recall,
        precision=float(rates.precision(*known)),
        f1=float(rates.f1(*known)),
        f1_pu=float(rates.f1_pu(recall, share)),
        balanced_accuracy=float(rates.balanced_accuracy(*known)),
        accuracy=float(rates.accuracy(*known)),
        mcc=float(rates.mcc(*known)),
    )


def best_cut(population: ScoredPopulation, criterion: str) -> PopulationCut:
    """Solve posterior(cut) = wanted posterior; of several solutions take the best."""
    wanted = _WANTED_POSTERIOR[criterion]

    def excess(log_odds: float) -> float:
        threshold = population.threshold(log_odds)
        recall, share = population.rates(threshold)
        return population.posterior(threshold) - wanted(recall, share, population.prior)

    # Every wanted posterior lies in [prior/2, (1+prior)/2]; the margin absorbs rounding.
    prior = population.prior
    lowest = math.log(prior) - math.log(2 - prior) - 0.01
    highest = math.log1p(prior) - math.log1p(-prior) + 0.01
    grid = np.linspace(lowest, highest, _GRID)
    values = np.array([excess(x) for x in grid])
    crossings = np.flatnonzero((values[:-1] <= 0) & (values[1:] > 0))
    roots = [brentq(excess, grid[i], grid[i + 1], xtol=1e-14, rtol=1e-15) for i in crossings]
    cuts = [describe_cut(population, population.threshold(float(root))) for root in roots]
    return max(cuts, key=lambda cut: float(getattr(cut, criterion)))


def _ratio(numerator: float, denominator: float) -> float:
    return numerator / denominator if denominator > 0 else 0.0


def _wanted_for_mcc(r: float, q: float, prior: float) -> float:
    return prior + prior * _ratio((r - q) * (1 - 2 * q), 2 * q * (1 - q))


_WANTED_POSTERIOR: dict[str, Callable[[float, float, float], float]] = {
    "f1": lambda r, q, prior: prior * r / (prior + q),
    "f1_pu": lambda r, q, prior: prior * _ratio(r, 2 * q),
    "balanced_accuracy": lambda r, q, prior: prior,
    "accuracy": lambda r, q, prior: 0.5,
    "mcc": _wanted_for_mcc,
}
"""The posterior at the boundary of the best rule, in terms of that rule's rates."""

CRITERIA = tuple(_WANTED_POSTERIOR)
"""Names a cut can be chosen by."""
