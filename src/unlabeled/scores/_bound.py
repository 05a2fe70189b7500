"""The largest class prior that the labels allow, from exact intervals at some cuts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.special import betaincinv

from ..thresholds import Cuts

# Fractions of the labelled rows that lie above the cuts of the binomial bound.
_PARTS = 2.0 ** (-np.arange(9) / 2)


def largest_class_prior(cuts: Cuts, delta: float, design_effect: float = 1.0) -> float:
    """Bound of P(Y=1) in the population that fails with a probability of at most `delta`.

    `design_effect` rows tell as much as one independent row.
    """
    if design_effect > 1:
        labelled, total = cuts.labelled / design_effect, cuts.total / design_effect
        cuts = replace(cuts, labelled=labelled, total=total)
    bound = binomial_bound(cuts, delta)
    if cuts.sampling.is_two:
        return bound
    share = cuts.labelled_share
    return share + (1 - share) * bound


def binomial_bound(cuts: Cuts, delta: float) -> float:
    """Bound of P(Y=1|S=0) from exact intervals at a geometric sequence of labelled ranks."""
    n, m = float(cuts.labelled[-1]), float(cuts.unlabelled[-1])
    rank = np.unique(np.floor(n * _PARTS + 1e-9))
    rank = rank[rank >= 1]
    at = np.searchsorted(cuts.labelled, rank * (1 - 1e-12))
    above = np.clip(cuts.unlabelled[at], 0, m)
    error = delta / (2 * max(len(rank), 1))
    recall = betaincinv(rank, n - rank + 1, error)
    share = np.ones_like(recall)
    inside = above < m
    share[inside] = betaincinv(above[inside] + 1, m - above[inside], 1 - error)
    return float(np.min(share / recall, initial=1.0))
