r"""Intervals of totals, and of measures made of them, from a stratified sample of rows.

Every stratum is a simple random sample without replacement, and lies on one side of the cut. A
score test is inverted, so that a stratum without a single positive among its drawn rows still adds
to the length of the interval.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.stats import norm

from ..engine.intervals import Intervals

Array = np.ndarray[Any, np.dtype[Any]]
Measure = Callable[[Array, Array], Any]
"""A measure as a function of the positives above the cut and below it."""

METHOD = "stratified score"

# Where mu is searched, relative to z divided by the largest possible standard error.
_SMALLEST, _LARGEST = 1e-2, 1e6
_MOST_STEPS = 40
# The search for mu ends when the logarithm of the statistic is this close.
_ARRIVED = 1e-7
# The direction of the test is that of the measure at the limit: found by fixed-point steps.
_MOST_TURNS = 12
_TURNED = 1e-4
# Where these do not end, by halving a right angle so often.
_HALVINGS = 24
# Step of the differences that give the gradient of a measure, as a share of the rows.
_STEP = 1e-5
# It is no longer than this share of the positives, or of the negatives.
_STEP_OF_ROOM = 1e-3
# Stands for a variance of 0, in rows squared.
_NO_VARIANCE = 1e-200


@dataclass(frozen=True)
class Tally:
    """What was seen in every stratum; leading axes, if any, are samples of the same table.

    Attributes
    ----------
    rows : ndarray of shape (..., n_strata)
        Number of rows in the stratum.
    drawn : ndarray of shape (..., n_strata)
        How many of them have an answer; at least 2, or all.
    positive : ndarray of shape (..., n_strata)
        How many of these are positive.
    above : ndarray of bool, of shape (n_strata,)
        Whether the stratum lies above the cut.
    known_above, known_below : float
        Positives that need no answer: the labeled rows above and below the cut.
    weight : ndarray of shape (n_strata,)
        The part that the stratum has in the estimate: 1, or less if strata of several samples of
        the same rows are listed together.
    """

    rows: Array
    drawn: Array
    positive: Array
    above: Array
    known_above: float = 0.0
    known_below: float = 0.0
    weight: Array | float = 1.0

    def totals(self, positives: Array) -> Array:
        """Positives above and below the cut, (..., 2), for numbers of positives per stratum."""
        weighted = self.weight * positives
        above = np.sum(weighted * self.above, axis=-1) + self.known_above
        below = np.sum(weighted * ~self.above, axis=-1) + self.known_below
        return np.stack([above, below], axis=-1)

    def some(self, which: Array) -> Tally:
        """Return some of the samples; `which` says of each whether it is one of them."""
        shape = (*which.shape, len(self.above))
        columns = (self.rows, self.drawn, self.positive)
        rows, drawn, positive = (np.broadcast_to(one, shape)[which] for one in columns)
        return replace(self, rows=rows, drawn=drawn, positive=positive)

    @property
    def shares(self) -> Array:
        """Observed share of positives of each stratum."""
        return np.asarray(self.positive / self.drawn)

    def bounds(self) -> tuple[Array, Array]:
        """Fewest and most positives that the answers leave possible, (..., 2): above, below."""
        negative = self.drawn - self.positive
        return self.totals(self.positive), self.totals(self.rows - negative)


def measure_intervals(tally: Tally, measure: Measure, confidence_level: float = 0.95) -> Intervals:
    r"""Compute the interval of a measure by inverting a stratified score test.

    Parameters
    ----------
    tally : Tally
        The answers.
    measure : callable
        Maps the positives above and below the cut to the measure. Smooth and monotone in each.
    confidence_level : float, default=0.95
        Coverage. Only .95 was measured at length; far below it, intervals may be too short.

    Returns
    -------
    intervals : Intervals
        Columns of the leading axes of the tally.

    Notes
    -----
    With sampled fraction :math:`\phi = n_h/N_h`, :math:`v_h = (1-\phi)/(n_h-1)` and
    :math:`\kappa_h = (1-\phi)(1-2\phi)/(n_h-1)^2`, the total :math:`\theta = \sum_h a_h p_h` is
    tested at the shares that solve :math:`\hat p_h - p = \mu a_h v_h p(1-p)`. Then
    :math:`(\hat\theta - \theta)/\sqrt V = \mu\sqrt V`, with
    :math:`V = \sum a_h^2 v_h p(1-p)`. The lower limit has
    :math:`\mu\sqrt V = z + \gamma(z^2-1)/6`, with the skewness
    :math:`\gamma = \sum a_h^3 \kappa_h p(1-p)(1-2p)/V^{3/2}`; the last term is kept between
    :math:`-z/2` and :math:`z`. The upper limit is the lower one of :math:`-\theta`.

    The direction of the test of a measure is its gradient at the limit. For a ratio of totals that
    is Fieller's method. Fixed-point steps find the direction. Where they do not end, because hardly
    anything is known, a search by halving does. Totals are whole numbers, so the limits are rounded
    outwards; and the answers seen bound them.
    """
    totals = tally.totals(tally.rows * tally.shares)
    estimate = np.asarray(measure(totals[..., 0], totals[..., 1]), dtype=np.float64)
    z = float(norm.ppf(0.5 + confidence_level / 2))
    ends = [_end(tally, measure, sign, z) for sign in (1.0, -1.0)]
    ends = _at_the_edge(tally, measure, totals, z, ends)
    return Intervals.around(estimate, ends, confidence_level, METHOD)


def _at_the_edge(
    tally: Tally, measure: Measure, totals: Array, z: float, ends: list[Array]
) -> list[Array]:
    """Widen the interval if no positive, or no negative, is known.

    A ratio such as recall then is 0/0, and has no direction. It is taken as far as one row, and as
    many rows as each total may have alone, can move it.
    """
    low, high = tally.bounds()
    for edge, sign in ((low, -1.0), (high, 1.0)):
        known = edge.sum(axis=-1) == totals.sum(axis=-1)
        at_edge = known & ((edge == 0).all(axis=-1) if sign < 0 else _is_full(tally, edge))
        if not at_edge.any():
            continue
        for k in range(2):
            alone = np.zeros_like(totals)
            alone[..., k] = sign
            far = tally.totals(tally.rows * _shares_at_limit(tally, alone, z))[..., k]
            for total in (edge[..., k] - sign, _outward(far, np.full_like(far, -sign))):
                at = edge.copy()
                at[..., k] = np.clip(total, low[..., k], high[..., k])
                value = np.asarray(measure(at[..., 0], at[..., 1]), dtype=np.float64)
                ends = [
                    np.where(at_edge, np.minimum(ends[0], value), ends[0]),
                    np.where(at_edge, np.maximum(ends[1], value), ends[1]),
                ]
    return ends


def _is_full(tally: Tally, totals: Array) -> Array:
    """Whether these totals are all rows."""
    everything = np.sum(tally.weight * tally.rows, axis=-1) + tally.known_above + tally.known_below
    return np.asarray(np.isclose(totals.sum(axis=-1), everything, rtol=1e-12))


def _end(tally: Tally, measure: Measure, sign: float, z: float) -> Array:
    """Lower end of the interval if `sign` is 1, upper end if it is -1."""
    found, direction = _limit(tally, measure, sign, z)
    away = -np.sign(direction)
    low, high = tally.bounds()
    at = _outward(found, away)
    outside = (at < low) | (at > high)
    # If the answers bound one total, the other goes as far as it may alone.
    for k in range(2):
        bounded = outside[..., 1 - k]
        if bounded.any():
            alone = np.zeros_like(direction)
            alone[..., k] = direction[..., k]
            further = tally.totals(tally.rows * _shares_at_limit(tally, alone, z))[..., k]
            at[..., k] = np.where(bounded, _outward(further, away[..., k]), at[..., k])
    at = np.clip(at, low, high)
    # A measure of the sum of both totals: the sum is rounded, not each of them.
    of_sum = np.abs(direction[..., 0] - direction[..., 1]) < _TURNED
    whole = np.clip(_outward(found.sum(axis=-1), away[..., 0]), low.sum(axis=-1), high.sum(axis=-1))
    at[..., 1] = np.where(of_sum, whole - at[..., 0], at[..., 1])
    return np.asarray(measure(at[..., 0], at[..., 1]), dtype=np.float64)


def _outward(totals: Array, away: Array) -> Array:
    """Round to whole rows, away from the estimate."""
    # A limit that is a whole number up to rounding errors stays.
    return np.where(away < 0, np.floor(totals + 1e-6), np.ceil(totals - 1e-6))


def _limit(tally: Tally, measure: Measure, sign: float, z: float) -> tuple[Array, Array]:
    """Totals (..., 2) at the lower limit of sign * measure, and the direction of the test."""
    direction = _gradient(tally, measure, tally.shares) * sign
    for _ in range(_MOST_TURNS):
        shares = _shares_at_limit(tally, direction, z)
        turned = _gradient(tally, measure, shares) * sign
        turning = np.max(np.abs(turned - direction), axis=-1) >= _TURNED
        if not turning.any():
            break
        direction = turned
    found = tally.totals(tally.rows * shares)
    if turning.any():
        found[turning], direction[turning] = _limit_by_halving(
            tally.some(turning), measure, sign, z
        )
    return found, direction


def _limit_by_halving(tally: Tally, measure: Measure, sign: float, z: float) -> tuple[Array, Array]:
    """As `_limit`, where fixed-point steps go round in circles.

    A measure rises or falls in each total, so its direction is an angle between 0 and a right
    angle. At the first the gradient of the limit is no smaller, at the second no larger.
    """
    signs = sign * _signs(tally, measure)
    low = np.zeros(tally.positive.shape[:-1])
    high = np.full(low.shape, np.pi / 2)

    def limit(angle: Array) -> tuple[Array, Array, Array]:
        direction = signs * np.stack([np.cos(angle), np.sin(angle)], axis=-1)
        shares = _shares_at_limit(tally, direction, z)
        turned = np.abs(_gradient(tally, measure, shares))
        toward = np.arctan2(turned[..., 1], turned[..., 0])
        return tally.totals(tally.rows * shares), direction, toward

    for _ in range(_HALVINGS):
        angle = 0.5 * (low + high)
        beyond = limit(angle)[2] > angle
        low, high = np.where(beyond, angle, low), np.where(beyond, high, angle)
    # Where the limit jumps from one end to the other, the longer interval holds.
    (one, of_one, _), (other, of_other, _) = limit(low), limit(high)
    further = sign * (measure(other[..., 0], other[..., 1]) - measure(one[..., 0], one[..., 1])) < 0
    further = np.asarray(further)[..., None]
    return np.where(further, other, one), np.where(further, of_other, of_one)


def _signs(tally: Tally, measure: Measure) -> Array:
    """1 if the measure rises in the total above the cut, or below it, -1 if it falls, (..., 2)."""
    most = _all_rows(tally)
    above, below = most[..., 0], most[..., 1]
    by_above = np.asarray(measure(0.75 * above, below / 2) - measure(0.25 * above, below / 2))
    by_below = np.asarray(measure(above / 2, 0.75 * below) - measure(above / 2, 0.25 * below))
    return np.sign(np.stack([by_above, by_below], axis=-1))


def _gradient(tally: Tally, measure: Measure, shares: Array) -> Array:
    """Direction of the gradient in the totals above and below the cut, of length 1, (..., 2)."""
    totals = tally.totals(tally.rows * shares)
    most = _all_rows(tally)
    # Where hardly any row is positive, or negative, a measure bends within a step.
    room = np.minimum(totals.sum(axis=-1), (most - totals).sum(axis=-1))
    step = _STEP * (1.0 + np.sum(tally.rows, axis=-1))
    step = np.where(room > 0, np.minimum(step, _STEP_OF_ROOM * room), step)[..., None]
    # A total at its edge moves to one side only.
    low, high = np.maximum(totals - step, 0.0), np.minimum(totals + step, most)
    above, below = totals[..., 0], totals[..., 1]
    moved = np.stack(
        [
            measure(high[..., 0], below) - measure(low[..., 0], below),
            measure(above, high[..., 1]) - measure(above, low[..., 1]),
        ],
        axis=-1,
    )
    width = high - low
    gradient = np.divide(moved, width, out=np.zeros_like(totals), where=width > 0)
    length = np.sqrt(np.sum(gradient**2, axis=-1, keepdims=True))
    return np.divide(gradient, length, out=np.zeros_like(gradient), where=length > 0)


def _all_rows(tally: Tally) -> Array:
    """Rows above and below the cut, known ones included, (..., 2)."""
    return tally.totals(tally.rows + np.zeros_like(tally.positive))


def _shares_at_limit(tally: Tally, direction: Array, z: float) -> Array:
    """Shares (..., n_strata) at the lower limit of direction @ (total above, total below)."""
    test = _Test.of(tally, direction, z)
    # The statistic is nearly proportional to mu: false position in the logarithms is fast.
    low = np.full(np.shape(test.scale), np.log(_SMALLEST))
    high = np.full(np.shape(test.scale), np.log(_LARGEST))
    at_low, at_high = test.excess(low), test.excess(high)
    found, side = high, np.zeros(np.shape(low))
    for _ in range(_MOST_STEPS):
        gap = at_high - at_low
        between = low - at_low * np.divide(high - low, gap, out=np.zeros_like(gap), where=gap > 0)
        found = np.where(at_low >= 0, low, np.where(at_high <= 0, high, between))
        here = test.excess(found)
        outside = here > 0
        # Illinois: an end that stays twice counts half, so that the other end moves too.
        at_low = np.where(outside, np.where(side > 0, at_low / 2, at_low), here)
        at_high = np.where(outside, here, np.where(side < 0, at_high / 2, at_high))
        low, high = np.where(outside, low, found), np.where(outside, found, high)
        side = np.where(outside, 1.0, -1.0)
        if np.max(np.abs(here), initial=0.0) < _ARRIVED:
            break
    return test.shares(found)


@dataclass(frozen=True)
class _Test:
    """The score test of a total, as a function of log mu."""

    seen: Array
    a: Array
    v: Array
    kappa: Array
    scale: Array
    z: float

    @classmethod
    def of(cls, tally: Tally, direction: Array, z: float) -> _Test:
        fraction = tally.drawn / tally.rows
        less_one = np.maximum(tally.drawn - 1, 1)
        v = (1 - fraction) / less_one
        kappa = (1 - fraction) * (1 - 2 * fraction) / less_one**2
        along = np.where(tally.above, direction[..., :1], direction[..., 1:])
        a = tally.weight * tally.rows * along
        largest = np.sqrt(np.sum(a**2 * v, axis=-1)) / 2
        scale = z / np.where(largest > 0, largest, 1.0)
        return cls(tally.shares, a, v, kappa, scale, z)

    def shares(self, log_mu: Array) -> Array:
        mu = np.exp(log_mu) * self.scale
        return _tilted_share(self.seen, mu[..., None] * self.a * self.v)

    def excess(self, log_mu: Array) -> Array:
        """Logarithm of the statistic minus that of the largest accepted; rises with mu."""
        p, mu, z = self.shares(log_mu), np.exp(log_mu) * self.scale, self.z
        spread = self.a**2 * p * (1 - p)
        variance = np.maximum(np.sum(self.v * spread, axis=-1), _NO_VARIANCE)
        third = np.sum(self.kappa * spread * self.a * (1 - 2 * p), axis=-1)
        allowed = z + np.clip(third / variance**1.5 * (z**2 - 1) / 6, -z / 2, z)
        return np.asarray(np.log(mu) + 0.5 * np.log(variance) - np.log(allowed))


def _tilted_share(seen: Array, tilt: Array) -> Array:
    r"""Solve :math:`\hat p - p = k\,p(1-p)` for p in [0, 1]; where 0 or 1 solves it too, the other.

    Examples
    --------
    >>> _tilted_share(np.array([0.5, 0.0, 0.0, 1.0]), np.array([0.0, 1.0, -2.0, 4.0])).tolist()
    [0.5, 0.0, 0.5, 0.25]
    """
    linear = 1 + tilt
    root = np.sqrt(np.maximum(linear**2 - 4 * tilt * seen, 0.0))
    plus = np.where(linear >= 0, linear + root, 1.0)
    minus = np.where(linear < 0, 2 * tilt, 1.0)
    return np.asarray(
        np.where(linear >= 0, 2 * seen / np.where(plus > 0, plus, 1.0), (linear - root) / minus)
    )
