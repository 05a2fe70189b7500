"""What the deployed rule is worth in the population: recall, share and what follows from them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ._interval import Interval, pivot_interval

Array = np.ndarray[Any, np.dtype[Any]]

METHOD = "deployed rule"


def _recall(counts: Array) -> Array:
    return (counts[..., 0] + 0.5) / (counts[..., 1] + 1)


def _share(counts: Array) -> Array:
    return (counts[..., 2] + 0.5) / (counts[..., 3] + 1)


def _logit(probability: Array) -> Array:
    return np.log(probability / (1 - probability))


def _expit(value: float) -> float:
    return float(1 / (1 + np.exp(-value)))


Scale = tuple[Callable[[Array, Array], Array], Callable[[float], float], float]

# Each value on a scale without ends, the way back, and the largest value there is on it.
SCALES: dict[str, Scale] = {
    "recall": (lambda counts, prior: _logit(_recall(counts)), _expit, np.inf),
    "share": (lambda counts, prior: _logit(_share(counts)), _expit, np.inf),
    "f1_pu": (
        lambda counts, prior: 2 * np.log(_recall(counts)) - np.log(_share(counts)),
        lambda value: float(np.exp(value)),
        np.inf,
    ),
    "precision": (
        lambda counts, prior: np.log(prior * _recall(counts) / _share(counts)),
        lambda value: float(np.exp(value)),
        0.0,
    ),
    "f1": (
        lambda counts, prior: np.log(2 * prior * _recall(counts) / (prior + _share(counts))),
        lambda value: float(np.exp(value)),
        0.0,
    ),
}
"""Values of a rule, by name."""

NEED_PRIOR = frozenset({"precision", "f1"})


def deployed_interval(
    name: str,
    observed: Array,
    own: Array,
    on_original: Array,
    prior: float,
    drawn_prior: Array,
    level: float,
) -> Interval:
    r"""Interval for the value that the fitted rule has in the population.

    The fitted rule's value on its own rows is off for two reasons: these rows are a sample, and
    the rule was made to suit them. Both are seen in the resamples: a rule refitted to a resample
    has a value there and one on the original rows, which stand for its population. The
    difference, on a logit or log scale, is spread as the fitted rule's own:

    .. math:: g(\hat v) - \overline{D^*} \pm z\,\mathrm{sd}(D^*), \qquad
              D^* = g(\hat v^*(\text{rule}^*)) - g(\hat v(\text{rule}^*)).

    Parameters
    ----------
    name : str
        One of `SCALES`.
    observed : ndarray of shape (4,)
        Counts of the fitted rule on its rows.
    own, on_original : ndarray of shape (n_resamples, 4)
        Counts of the refitted rules on their resamples and on the original rows.
    prior, drawn_prior : float, ndarray of shape (n_resamples,)
        Class prior of the fit and of the refits, for values that need it.
    level : float
    """
    scale, back, largest = SCALES[name]
    fixed = np.broadcast_to(prior, np.shape(drawn_prior))
    differences = scale(own, drawn_prior) - scale(on_original, fixed)
    apparent = float(scale(observed, np.asarray(prior)))
    estimate, lower, upper = pivot_interval(apparent, differences, level, largest)
    return Interval(back(estimate), back(lower), back(upper), level, METHOD)


def with_prior_between(
    name: str, known: Callable[[float], Interval], low: float, high: float
) -> Interval:
    """Interval for precision or F1 when the class prior is known to lie between two values.

    `known` gives the interval at one class prior. The distances from the estimate to its ends,
    and to the values at both ends of the prior, are added as independent errors on the log scale.
    """
    middle = known(float(np.sqrt(low * high)))
    if name not in NEED_PRIOR:
        return middle
    at_low, at_high = known(low).estimate, known(high).estimate
    down = np.hypot(np.log(middle.estimate / middle.lower), np.log(middle.estimate / at_low))
    up = np.hypot(np.log(middle.upper / middle.estimate), np.log(at_high / middle.estimate))
    lower = float(middle.estimate * np.exp(-down))
    upper = min(1.0, float(middle.estimate * np.exp(up)))
    return Interval(middle.estimate, lower, upper, middle.level, METHOD)
