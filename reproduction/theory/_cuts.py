"""The best cuts of a score in the population, and what any cut achieves."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logit
from scipy.stats import norm

from unlabeled import rates

from ._normal import (
    finite_number,
    index_variance,
    normal_nodes,
    open_probability,
    positive_number,
)


@dataclass(frozen=True)
class PopulationCut:
    """A cut of a score, and the measures of "score > threshold" in the population.

    Ratios with a denominator of 0 (no row, or every row, predicted positive) are 0.

    Attributes
    ----------
    threshold : float
        The cut.
    posterior : float
        P(Y=1) for a row exactly at the cut.
    share : float
        q, the fraction of rows predicted positive.
    recall : float
        r, the fraction of positives predicted positive.
    precision, f1, f1_pu, balanced_accuracy, accuracy, mcc : float
        The measures of the classifier; ``f1_pu`` is r²/q.
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


def class_prior(beta0: float, mean: float, var: float) -> float:
    r"""Compute the fraction of positives when the linear predictor is normal.

    Assumes :math:`P(Y=1|T) = \sigma(\beta_0+T)` with :math:`T \sim N(mean, var)`.

    Parameters
    ----------
    beta0 : float
        True intercept.
    mean, var : float
        Mean and variance of the index T (without the intercept).

    Returns
    -------
    float
        :math:`\alpha = E\,\sigma(\beta_0+T)`.

    Notes
    -----
    Exact for a normal index only.

    Examples
    --------
    >>> from reproduction.theory import class_prior
    >>> round(class_prior(-1, mean=-1, var=3), 10)
    0.2064803545
    """
    return _normal_index(beta0, mean, var).prior


def cut_properties(threshold: float, beta0: float, mean: float, var: float) -> PopulationCut:
    r"""Compute the measures of the classifier :math:`T > \tau` when the index T is normal.

    Assumes :math:`P(Y=1|T) = \sigma(\beta_0+T)` with :math:`T \sim N(mean, var)`.
    The naive classifier of a projection :math:`(\beta_0^*, \eta)` is the cut
    :math:`\tau = -\beta_0^*/\eta`.

    Parameters
    ----------
    threshold : float
        The cut :math:`\tau` on T.
    beta0 : float
        True intercept.
    mean, var : float
        Mean and variance of the index T (without the intercept).

    Returns
    -------
    PopulationCut

    Notes
    -----
    :math:`q = P(T>\tau)` and :math:`r = E[\sigma(\beta_0+T); T>\tau]/\alpha`; the
    measures follow from these two and :math:`\alpha`. Values are accurate to
    about 1e-13. Exact for a normal index only.

    Examples
    --------
    >>> from reproduction.theory import cut_properties, ruud_projection
    >>> intercept, slope = ruud_projection(-1, mean=-1, var=3, c=0.3)
    >>> naive = cut_properties(-intercept / slope, -1, mean=-1, var=3)
    >>> round(naive.f1, 6), round(naive.balanced_accuracy, 6)
    (0.019396, 0.504855)
    """
    population = _two_classes(_normal_index(beta0, mean, var))
    return _describe_cut(population, finite_number("threshold", threshold))


def optimal_cut(criterion: str, beta0: float, mean: float, var: float) -> PopulationCut:
    r"""Find the best classifier :math:`T > \tau` for a criterion when the index T is normal.

    Assumes :math:`P(Y=1|T) = \sigma(\beta_0+T)` with :math:`T \sim N(mean, var)`.
    The cut does not depend on the label frequency. In the units of a naive fit
    with slope factor :math:`\eta` its intercept is :math:`-\eta\tau`.

    Parameters
    ----------
    criterion : {"f1", "f1_pu", "balanced_accuracy", "accuracy", "mcc"}
        What the cut maximizes.
    beta0 : float
        True intercept.
    mean, var : float
        Mean and variance of the index T (without the intercept).

    Returns
    -------
    PopulationCut
        With the cut in `threshold`, accurate to about 1e-10 in ordinary cases.

    See Also
    --------
    reproduction.theory.cut_properties : Properties of any other cut.
    unlabeled.thresholds.choose_cut : The same on a sample.

    Notes
    -----
    At the optimum the posterior on the boundary equals

    ====================  ==========================================================
    accuracy              :math:`1/2`
    balanced accuracy     :math:`\alpha`
    F1                    :math:`F1/2` [1]_
    F1_PU                 :math:`\text{precision}/2`
    MCC                   :math:`\alpha + \alpha(r-q)(1-2q) / (2q(1-q))`
    ====================  ==========================================================

    All of these lie in :math:`[\alpha/2, (1+\alpha)/2]`, so the solution is searched for in
    this range of posteriors. So F1_PU cuts at a posterior of at most one half. Reference
    [2]_ states that the intercept that maximizes F1_PU estimates :math:`\eta\beta_0`. It does
    not: it estimates the cut with the largest Fowlkes-Mallows index.

    Exact for a normal index only. If the index carries hardly any signal, the best
    classifier by F1 or F1_PU predicts every row as positive: the threshold then lies
    far below the index.

    References
    ----------
    .. [1] Z. C. Lipton, C. Elkan, B. Naryanaswamy (2014). Optimal thresholding of
       classifiers to maximize F1 measure. ECML PKDD 2014.
       doi:10.1007/978-3-662-44851-9_15
    .. [2] M. Płatek, J. Mielniczuk (2023). Enhancing naive classifier for positive
       unlabeled data based on logistic regression approach. FedCSIS 2023.
       doi:10.15439/2023F1402

    Examples
    --------
    >>> from reproduction.theory import optimal_cut
    >>> cut = optimal_cut("f1_pu", -1, mean=-1, var=3)
    >>> round(cut.threshold, 6), round(cut.f1_pu, 6), round(cut.f1, 6)
    (-0.142482, 1.70289, 0.580887)
    """
    _check_criterion(criterion)
    return _best_cut(_two_classes(_normal_index(beta0, mean, var)), criterion)


def binormal_cut(criterion: str, distance: float, class_prior: float) -> PopulationCut:
    r"""Find the best classifier :math:`X > \tau` for a criterion when both classes are normal.

    Assumes :math:`X|Y=1 \sim N(d, 1)` and :math:`X|Y=0 \sim N(0, 1)`; every
    quantity then has a closed form in the normal distribution function.

    Parameters
    ----------
    criterion : {"f1", "f1_pu", "balanced_accuracy", "accuracy", "mcc"}
        What the cut maximizes.
    distance : float
        The distance d > 0 of the class means, in standard deviations.
    class_prior : float
        :math:`\alpha = P(Y=1)`, strictly between 0 and 1.

    Returns
    -------
    PopulationCut
        With the cut in `threshold`, accurate to about 1e-10 in ordinary cases.

    See Also
    --------
    optimal_cut : The same for a normal index; lists the optimality conditions.

    Notes
    -----
    :math:`r = 1-\Phi(\tau-d)` and :math:`q = \alpha r + (1-\alpha)(1-\Phi(\tau))`.
    **What breaks it:** classes with different variances: the posterior is then
    no longer increasing in X, and a single cut is not the best classifier.

    Examples
    --------
    >>> from reproduction.theory import binormal_cut
    >>> cut = binormal_cut("f1_pu", distance=1, class_prior=0.5)
    >>> round(cut.threshold, 6), round(cut.f1_pu, 6)
    (-0.382003, 1.073286)
    """
    _check_criterion(criterion)
    distance = positive_number("distance", distance)
    return _best_cut(_Binormal(distance, open_probability("class_prior", class_prior)), criterion)


# The search: solve the condition on the posterior at the boundary of the best classifier.

_GRID = 129
"""Cuts scanned for sign changes: F1_PU and MCC may have several local maxima."""


def _best_cut(population: _ScoredPopulation, criterion: str) -> PopulationCut:
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
    cuts = [_describe_cut(population, population.threshold(float(root))) for root in roots]
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
"""The posterior at the boundary of the best classifier, as a function of its rates."""


def _check_criterion(value: Any) -> None:
    if value not in _WANTED_POSTERIOR:
        allowed = ", ".join(map(repr, _WANTED_POSTERIOR))
        raise ValueError(f"`criterion` must be one of {allowed}; got {value!r}.")


def _describe_cut(population: _ScoredPopulation, threshold: float) -> PopulationCut:
    """Return the measures of the classifier score > threshold."""
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


# Two populations with a one-dimensional score: a normal index, and two normal classes.


class _ScoredPopulation(Protocol):
    """What the search for a cut needs from a population."""

    @property
    def prior(self) -> float:
        """P(Y=1)."""

    def posterior(self, threshold: float) -> float:
        """Return P(Y=1) given a score equal to the threshold; it increases with the threshold."""

    def threshold(self, log_odds: float) -> float:
        """Return the score at which the posterior has these log-odds."""

    def rates(self, threshold: float) -> tuple[float, float]:
        """Return recall r and fraction predicted positive q of score > threshold."""


@dataclass(frozen=True)
class _NormalIndex:
    """T ~ N(mean, var) and P(Y=1|T) = σ(beta0 + T)."""

    beta0: float
    mean: float
    var: float

    @cached_property
    def prior(self) -> float:
        """P(Y=1) = E σ(beta0 + T)."""
        return self._positive_mass(-math.inf)

    def posterior(self, threshold: float) -> float:
        """Return σ(beta0 + threshold)."""
        return float(expit(self.beta0 + threshold))

    def threshold(self, log_odds: float) -> float:
        """Return the index at which the posterior has these log-odds."""
        return log_odds - self.beta0

    def rates(self, threshold: float) -> tuple[float, float]:
        """Return recall and fraction predicted positive of T > threshold."""
        share = float(norm.sf(threshold, self.mean, math.sqrt(self.var)))
        return self._positive_mass(threshold) / self.prior, share

    def _positive_mass(self, lower: float) -> float:
        nodes, weights = normal_nodes(self.mean, self.var, lower)
        return float(weights @ expit(self.beta0 + nodes))


def _normal_index(beta0: float, mean: float, var: float) -> _NormalIndex:
    return _NormalIndex(
        finite_number("beta0", beta0), finite_number("mean", mean), index_variance(var)
    )


def _two_classes(population: _NormalIndex) -> _NormalIndex:
    if not 0 < population.prior < 1:
        raise ValueError(
            "`beta0` and the index must leave both classes possible; got a class prior of "
            f"{population.prior:g}. Move `beta0` toward -`mean`."
        )
    return population


@dataclass(frozen=True)
class _Binormal:
    """X given Y=1 is N(distance, 1), X given Y=0 is N(0, 1), P(Y=1) = prior."""

    distance: float
    prior: float

    def posterior(self, threshold: float) -> float:
        """Return the posterior, which is logistic in X with slope `distance`."""
        return float(expit(logit(self.prior) + self.distance * (threshold - self.distance / 2)))

    def threshold(self, log_odds: float) -> float:
        """Return the value of X at which the posterior has these log-odds."""
        return float((log_odds - logit(self.prior)) / self.distance + self.distance / 2)

    def rates(self, threshold: float) -> tuple[float, float]:
        """Return recall and fraction predicted positive of X > threshold."""
        recall = float(norm.sf(threshold - self.distance))
        return recall, self.prior * recall + (1 - self.prior) * float(norm.sf(threshold))
