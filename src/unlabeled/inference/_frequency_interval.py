"""An interval for the label frequency from its profile likelihood."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import stats
from scipy.optimize import brentq

from ..parameters import check_level

# The way from the labelled share to 1 is looked at in the logit of how far one has come.
_NEAREST = 12.0
_TOL = 1e-6
_MOST_DOUBLINGS = 40
_FIRST_STEP = 0.25


@dataclass(frozen=True)
class FrequencyInterval:
    """Label frequencies that the labels do not rule out.

    Attributes
    ----------
    lower, upper : float
        Ends of the interval; at the least the share of labelled rows, at the most 1.
    contains_one : bool
        Whether c = 1, every positive row labelled, is not ruled out. On that
        edge of the parameters the likelihood ratio is 0 half of the time, so
        the test of c = 1 is sharper than that of any c below it: with `upper` 1
        and this False, every c below 1 is left open, and 1 itself is not.
    estimate : float
        Where the likelihood is largest.
    level : float
    """

    lower: float
    upper: float
    contains_one: bool
    estimate: float
    level: float


def frequency_interval(
    log_likelihood: Callable[[float], float],
    estimate: float,
    labelled_share: float,
    level: float = 0.95,
) -> FrequencyInterval:
    r"""Interval of the c with :math:`2(\ell(\hat c) - \ell(c)) \le \chi^2_{1,level}`.

    Parameters
    ----------
    log_likelihood : callable
        The largest log-likelihood of the labels at a given c.
    estimate : float
        Where it is largest, in (labelled_share, 1].
    labelled_share : float
        c cannot be below it: there would be more positives than rows.
    level : float, default=0.95

    Returns
    -------
    interval : FrequencyInterval

    Notes
    -----
    At c = 1 the reference is :math:`\tfrac12\chi^2_0 + \tfrac12\chi^2_1`: c = 1 is in
    the interval if twice the difference is at most
    :math:`\chi^2_{1, 2\,level - 1}`, 2.71 at 95 %. The reference needs the score in c to have a
    variance there, :math:`E\,e^t < \infty` for the predictor t.
    """
    check_level(level)
    best = log_likelihood(estimate)
    allowed = float(stats.chi2.ppf(level, 1))

    def excess(place: float) -> float:
        return 2 * (best - log_likelihood(_frequency(place, labelled_share))) - allowed

    here = _place(estimate, labelled_share)
    lower = _frequency(_end(excess, here, -1.0), labelled_share)
    at_one = 2 * (best - log_likelihood(1.0))
    contains_one = bool(at_one <= stats.chi2.ppf(max(2 * level - 1, 0.0), 1))
    upper = 1.0
    if at_one > allowed:
        upper = _frequency(_end(excess, here, 1.0), labelled_share)
    return FrequencyInterval(lower, upper, contains_one, estimate, level)


def _end(excess: Callable[[float], float], here: float, direction: float) -> float:
    """Where `excess` crosses 0 on one side; the last place looked at where it does not."""
    if excess(here) > 0:  # with so many rows, nearer to the estimate than is looked
        return here
    step, inside = _FIRST_STEP, here
    for _ in range(_MOST_DOUBLINGS):
        outside = here + direction * step
        if abs(outside) > _NEAREST and excess(direction * _NEAREST) <= 0:
            return direction * np.inf
        outside = float(np.clip(outside, -_NEAREST, _NEAREST))
        if excess(outside) > 0:
            low, high = min(inside, outside), max(inside, outside)
            return float(brentq(excess, low, high, xtol=_TOL))
        inside, step = outside, 2 * step
    return inside


def _place(c: float, labelled_share: float) -> float:
    way = (c - labelled_share) / (1 - labelled_share)
    way = min(max(way, 1e-5), 1 - 1e-5)
    return float(np.log(way / (1 - way)))


def _frequency(place: float, labelled_share: float) -> float:
    way = 1 / (1 + np.exp(-place)) if np.isfinite(place) else float(place > 0)
    return float(labelled_share + (1 - labelled_share) * way)
