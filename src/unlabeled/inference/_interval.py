"""Intervals from resamples: percentile, and recall and share of a deployed classifier."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from ..engine.intervals import Interval
from ..engine.parameters import check_choice, check_fraction, check_level, check_positive
from ..metrics import METRICS, Metric

Array = np.ndarray[Any, np.dtype[Any]]

METHOD = "deployed rule"

# The ratio D/O (see `Deployed`) for classifiers that change smoothly with their rows, and for
# classifiers that memorize them.
_SMOOTH, _MEMORIZED = 0.5, float(np.exp(-1))


def percentile_interval(estimate: float, drawn: Array, confidence_level: float) -> Interval:
    """Use quantiles of the resampled values as ends of the interval."""
    ends = np.quantile(drawn, [0.5 - confidence_level / 2, 0.5 + confidence_level / 2])
    return Interval.around(estimate, ends, confidence_level, "percentile")


def known_prior(
    given: Any, check: Callable[[Any], float], confidence_level: float
) -> float | Interval:
    """Check a class prior that users know: a number, an interval, or its two ends.

    Two ends are those of an interval around their geometric mean.
    """
    if isinstance(given, Interval):
        for value in (given.estimate, *given):
            check(value)
        return given
    if not isinstance(given, tuple | list):
        return check(given)
    ends = [check(end) for end in given]
    if len(ends) != 2 or ends[0] > ends[1]:
        raise ValueError(
            f"`class_prior` must be one number, or two with the smaller first; got {given!r}."
        )
    return Interval.around(float(np.sqrt(ends[0] * ends[1])), ends, confidence_level, "given")


class Rates(NamedTuple):
    """Recall, share and class prior."""

    recall: Any
    share: Any
    prior: Any


@dataclass(frozen=True)
class Scale:
    """Where the error of a metric is nearly normal, and its part from counting rows.

    Attributes
    ----------
    metric : Metric
    variance : callable
        Maps rates and the numbers of labeled and of all rows to the variance from counting rows.
    """

    metric: Metric
    variance: Callable[[Rates, float, float], float]

    def value(self, rates: Rates) -> Any:
        """Return the place of the metric at these rates."""
        return self.metric.on_scale(self.metric.of_rates(*rates))

    def back(self, place: float) -> float:
        """Return the metric at a place."""
        return float(self.metric.back(place))

    @property
    def largest(self) -> float:
        """The place of the largest possible value."""
        return float(self.metric.on_scale(self.metric.highest))


def _relative(p: float, n: float) -> float:
    """Return the variance of the logarithm of a share."""
    return (1 - p) / (p * n)


_VARIANCES: dict[str, Callable[[Rates, float, float], float]] = {
    "recall": lambda r, labeled, total: 1 / (labeled * r.recall * (1 - r.recall)),
    "share": lambda r, labeled, total: 1 / (total * r.share * (1 - r.share)),
    "f1_pu": lambda r, labeled, total: 4 * _relative(r.recall, labeled) + _relative(r.share, total),
    "precision": lambda r, labeled, total: _relative(r.recall, labeled) + _relative(r.share, total),
    "f1": lambda r, labeled, total: (
        _relative(r.recall, labeled)
        + (r.share / (r.prior + r.share)) ** 2 * _relative(r.share, total)
    ),
}
SCALES = {name: Scale(METRICS[name], variance) for name, variance in _VARIANCES.items()}
"""The scales of a classifier's measures, by name."""

NEED_PRIOR = frozenset(name for name in SCALES if METRICS[name].needs_prior)


def rate_interval(
    name: str,
    recall: float,
    share: float,
    class_prior: Interval,
    n_labeled: float,
) -> Interval:
    r"""Interval of the precision or of F1 above a cut of held-out scores.

    Parameters
    ----------
    name : {"precision", "f1"}
        The measure.
    recall, share : float
        Recall, and share of the rows above the cut.
    class_prior : Interval
        P(Y=1). Its level is that of the result.
    n_labeled : float
        The number of labeled rows, from which recall was counted.

    Returns
    -------
    interval : Interval
        No end is above 1.

    Notes
    -----
    On the log scale the two errors, of the recall and of the class prior, are added in
    quadrature:

    .. math:: \log\hat v \pm \sqrt{z^2\frac{1-r}{r n_1} + (\log v(\alpha_\pm) - \log\hat v)^2}

    Examples
    --------
    >>> prior = Interval(0.25, 0.2, 0.3, confidence_level=0.95, method="from a register")
    >>> found = rate_interval("precision", 0.8, 0.3, prior, 100)
    >>> round(found.lower, 3), round(found.estimate, 3), round(found.upper, 3)
    (0.522, 0.667, 0.82)
    """
    check_choice("name", name, ("precision", "f1"))
    if not isinstance(class_prior, Interval):
        raise ValueError(f"`class_prior` must be an `Interval`; got {class_prior!r}.")
    check_fraction("class_prior", class_prior.estimate)
    _two_shares("class_prior", tuple(class_prior))
    check_positive("n_labeled", n_labeled, Real, "a positive number")
    check_level(class_prior.confidence_level)
    recall, share = _two_shares("recall` and `share", (recall, share))
    scale, nobody = SCALES[name], 0.5 / (n_labeled + 1)
    recall, share = min(max(recall, nobody), 1 - nobody), max(share, np.finfo(float).tiny)
    rates = Rates(recall, share, class_prior.estimate)
    error = float(np.sqrt(scale.variance(rates, n_labeled, np.inf)))
    return over_priors(scale, rates, error, class_prior, class_prior.confidence_level)


def _two_shares(name: str, values: Any) -> tuple[float, float]:
    """Reject anything but two numbers between 0 and 1."""
    pair = np.asarray(values)
    if pair.shape != (2,) or pair.dtype.kind not in "fiu" or not np.all((pair >= 0) & (pair <= 1)):
        raise ValueError(f"`{name}` must be two numbers between 0 and 1; got {values!r}.")
    return float(pair[0]), float(pair[1])


def over_priors(
    scale: Scale, rates: Rates, error: float, prior: Interval, confidence_level: float
) -> Interval:
    """Widen the interval of a rate by what it would be at the ends of the class prior's."""
    value = float(scale.value(rates))
    per_error = float(stats.norm.ppf(0.5 + confidence_level / 2))
    with np.errstate(divide="ignore"):  # a class prior of 0 is a precision of 0, minus infinity
        far = [float(scale.value(rates._replace(prior=end))) - value for end in prior]
    lower, upper = (
        OnScale(value, float(np.hypot(error, one / per_error))).interval(scale, confidence_level)
        for one in far
    )
    return Interval(lower.estimate, lower.lower, upper.upper, confidence_level, METHOD)


class OnScale(NamedTuple):
    """A value and its standard error, on its scale."""

    value: float
    error: float

    def interval(self, scale: Scale, confidence_level: float) -> Interval:
        """Return the normal interval, mapped back from the scale; it ends at the largest value."""
        half = float(stats.norm.ppf(0.5 + confidence_level / 2)) * self.error
        ends = (self.value, self.value - half, self.value + half)
        estimate, lower, upper = (scale.back(min(end, scale.largest)) for end in ends)
        return Interval(estimate, lower, upper, confidence_level, METHOD)


@dataclass(frozen=True)
class Deployed:
    r"""Counts of the fitted classifier on its rows, and of refitted ones on three sets of rows.

    A classifier's recall on its own rows is wrong for two reasons: these rows are a sample, and
    the classifier was fitted to them. Refitted classifiers show both errors. Each has a recall
    :math:`v^*` on its resample, :math:`v` on the original rows, which represent the population,
    and :math:`v_-` on the rows it did not see.

    *Spread.* On a logit or log scale g, the spread of :math:`g(v^*) - g(v)` estimates the
    standard error of the fitted classifier's recall. It is at least the error of counting rows.

    *Optimism.* Let :math:`D = \overline{v^* - v}` and :math:`O = \overline{v^* - v_-}`. For
    classifiers that change smoothly with their rows the optimism is D, and O is twice as large.
    For classifiers that memorize their rows the optimism is O, and D is only 1/e of it. So D/O,
    which is 1/2 for the first kind and 1/e for the second, shows where a classifier lies
    between the two.

    Attributes
    ----------
    observed : ndarray of shape (4,)
        Counts of the fitted classifier on its rows, in the order of `COUNTS`.
    own, original, left_out : ndarray of shape (n_resamples, 4)
        Counts of the refitted classifiers on their resample, the original rows and unseen rows.
    """

    observed: Array
    own: Array
    original: Array
    left_out: Array

    def on_scale(self, name: str, prior: float, drawn_prior: Array) -> OnScale:
        """Return value and error, given the class prior and the class priors of the refits."""
        scale, (labeled, total) = SCALES[name], self.observed[[1, 3]]
        corrected = Rates(*self.corrected(), prior)
        (own_recall, own_share), (recall, share) = _smoothed(self.own), _smoothed(self.original)
        of_own = scale.value(Rates(own_recall, own_share, drawn_prior))
        of_original = scale.value(Rates(recall, share, prior))
        seen = float(np.var(of_own - of_original, ddof=1))
        counted = float(scale.variance(corrected, labeled, total))
        return OnScale(float(scale.value(corrected)), float(np.sqrt(max(seen, counted))))

    def corrected(self) -> tuple[float, float]:
        """Return recall and share minus their optimism, inside (0, 1)."""
        apparent = _smoothed(self.observed)
        own, original = (np.mean(_plain(one), axis=1) for one in (self.own, self.original))
        unseen = _plain(self.left_out.sum(axis=0))
        smooth, whole = own - original, own - unseen
        memory = self._memory(smooth[0], whole[0])
        optimism = smooth + memory * (whole - smooth)
        # Between the two kinds: at least the optimism of a smooth classifier.
        optimism[0] = max(smooth[0], (0.5 + 0.5 * memory) * whole[0])
        edge = 0.5 / (self.observed[[1, 3]] + 1)
        recall, share = np.clip(apparent - optimism, edge, 1 - edge)
        return float(recall), float(share)

    @staticmethod
    def _memory(smooth: float, whole: float) -> float:
        """Return 0 for a classifier that changes smoothly, up to 1 for one that memorizes rows."""
        if whole <= 0:
            return 0.0
        return float(np.clip((_SMOOTH - smooth / whole) / (_SMOOTH - _MEMORIZED), 0, 1))


def _plain(counted: Array) -> Array:
    """Return recall and share as counted; 0 if there are no rows."""
    of = np.maximum(counted[..., [1, 3]], 1)
    return np.moveaxis(counted[..., [0, 2]] / of, -1, 0)


def _smoothed(counted: Array) -> Array:
    """Return recall and share with half a row added on both sides, so that logits exist."""
    return np.moveaxis((counted[..., [0, 2]] + 0.5) / (counted[..., [1, 3]] + 1), -1, 0)
