"""The interval of a metric of fixed predictions or scores, from resamples of their rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from numbers import Integral
from typing import Any

import numpy as np
from scipy import stats
from sklearn.utils import check_random_state

from ..engine.arrays import to_host
from ..engine.intervals import Interval
from ..engine.parameters import check_level, check_positive, listed
from ..engine.rows import encode_labels, encode_predictions, reject_chunks, validate_groups
from ..engine.sampling import ONE_SAMPLE, Sampling, SamplingWord, check_class_prior
from ..metrics import (
    METRICS,
    Metric,
    OrderedRows,
    ScoreSteps,
    metric_of,
)
from ..scores import PriorDensity
from ._interval import known_prior

METHOD, METHOD_OF_GROUPS = "bootstrap of rows", "bootstrap of groups"
# Rows of either kind that a resample needs, and how many are drawn for each that is needed.
_FEWEST, _MOST_TRIES = 2, 100
# Resamples are drawn together if they have no more rows than this, which fit into a cache.
_CELLS = 50_000

Array = np.ndarray[Any, np.dtype[Any]]


def metric_interval(
    metric: str | Callable[..., float],
    y: Any,
    predicted: Any,
    *,
    class_prior: float | tuple[float, float] | Interval | PriorDensity | None = None,
    sampling: SamplingWord = ONE_SAMPLE,
    pos_label: Any = None,
    sample_weight: Any = None,
    groups: Any = None,
    confidence_level: float = 0.95,
    n_resamples: int = 299,
    random_state: Any = None,
    **options: Any,
) -> Interval:
    r"""Interval of a metric of predictions or scores that are fixed.

    Assumes SCAR, and that the rows (or the groups) were drawn independently of each other. The
    classifier is treated as fixed, so its rows must be new to it: left-out scores or a test set.

    Parameters
    ----------
    metric : str or callable
        A name that :func:`~unlabeled.metrics.make_pu_scorer` knows, "share", or the function of
        :mod:`unlabeled.metrics` itself.
    y : array-like of shape (n_rows,)
        Label column: labeled or unlabeled, any two values.
    predicted : array-like of shape (n_rows,)
        Predictions, with the same two values, or scores: what the metric takes.
    class_prior : float, (float, float), Interval or PriorDensity, optional
        P(Y=1), for the metrics that need it: a number if you know it, otherwise an interval at the
        same level, or the ``class_prior_density_`` of a classifier. The interval of the metric is
        then wider. In two samples, P(Y=1) in the population of the unlabeled rows.
    sampling : {"one-sample", "two-sample"}, default="one-sample"
        Which rows are the population: all of them, or only the unlabeled ones because the
        labeled rows come from elsewhere. In two samples, labeled and unlabeled rows are
        resampled separately.
    pos_label : optional
        The value of `y` that marks labeled rows; by default the larger of two numbers.
    sample_weight : array-like of shape (n_rows,), optional
        Weights of the rows; only their ratios matter.
    groups : array-like of shape (n_rows,), optional
        The group of each row. Whole groups are drawn.
    confidence_level : float, default=0.95
        Confidence level.
    n_resamples : int, default=299
        Number of resamples, at least 2.
    random_state : int, RandomState instance or None, default=None
        Controls the resamples; pass an int for reproducible output.
    **options
        Further arguments of the metric, such as `k` of "precision_at_k".

    Returns
    -------
    interval : Interval
        The estimate is the metric itself. Estimate and ends are values that the metric can have: no
        precision is above 1. A metric outside comes with the warning PU112.

    See Also
    --------
    unlabeled.inference.bootstrap : Refits the classifier to resamples of its training rows.
    unlabeled.metrics.make_pu_scorer : The metrics by name.

    Notes
    -----
    Let g be the logarithm of precision, precision at k, average precision, F1, Fowlkes-Mallows,
    F1_PU and lift, the logit of recall, share and the AUC of the labels, and the metric itself
    otherwise. With the standard deviation d of :math:`g(v^*)` over the resamples, and the class
    prior's ends :math:`\alpha_\pm`,

    .. math:: g(\hat v) \pm \sqrt{z^2 d^2 + (g(v(\alpha_\pm)) - g(\hat v))^2}.

    If recall, share or the AUC of the labels is 0 or 1, resamples all agree. It is then drawn from
    Jeffreys' distribution instead, and quantiles take the place of :math:`\pm z d`.

    The Boyce index is at most 1 and its sample value too small, so resamples are smaller still. Its
    interval is symmetric: the quantile `confidence_level` of the absolute deviations of resampled
    values from the estimate is half of it. It does not reach beyond -1 and 1.

    The measured coverage is on the page "Measures without negatives, measured".

    **What breaks it:** rows that the classifier was fitted to; labeling that prefers some
    positives; a class prior that was estimated from the same rows is treated as independent of
    them; fewer than about ten labeled rows; for the Boyce index, a score that hardly separates the
    classes: its bias is then larger than resamples show, and the interval ends too low.

    References
    ----------
    B. Efron, R. J. Tibshirani (1993). An Introduction to the Bootstrap.
    Chapman & Hall. https://doi.org/10.1201/9780429246593

    Examples
    --------
    >>> from unlabeled.datasets import make_paper_gaussian
    >>> from unlabeled.inference import metric_interval
    >>> data = make_paper_gaussian(n=1000, label_frequency=0.6, random_state=0)
    >>> score = data.X @ data.beta[1:]
    >>> found = metric_interval("auc", data.s, score, class_prior=(0.17, 0.25), random_state=0)
    >>> found.lower < found.estimate < found.upper
    True
    """
    check_level(confidence_level)
    check_positive("n_resamples", n_resamples, Integral, "a whole number of at least 2")
    if n_resamples < 2:
        raise ValueError(f"`n_resamples` must be at least 2; got {n_resamples!r}.")
    measured, how = _known(metric), Sampling.of(sampling)
    measured.check_options(options)
    prior, ends = _prior_of(measured, class_prior, sampling, confidence_level)
    columns = {"pos_label": pos_label, "sample_weight": sample_weight}
    arguments = columns | options | ({} if prior is None else {"class_prior": prior})
    if measured.has_sampling:
        arguments["sampling"] = sampling
    estimate = measured.function(y, predicted, **arguments)
    rows = _rows(measured, y, predicted, columns, how)
    units = _Units.of(rows, validate_groups(groups, len(rows.labeled)), how)
    rng = check_random_state(random_state)
    value = _value_of(measured, rows, options, units, rng)
    is_sure = isinstance(value, _OfRates) and value.is_sure
    drawn = np.concatenate(
        [value(rows.steps(times), prior) for times in units.draws(int(n_resamples), rng)]
    )
    method = METHOD if groups is None else METHOD_OF_GROUPS
    if measured.is_biased:
        return replace(_around(estimate, drawn, confidence_level), method=method)
    whole, to = rows.steps(), measured.on_scale
    center = float(to(value(whole, prior)))
    far = [float(to(value(whole, end))) - center for end in ends]
    apart = (_quantiles if is_sure else _normal)(to(drawn), center, confidence_level)
    found = _add_errors(measured, estimate, center, apart, far, confidence_level)
    return replace(found, method=method)


def _known(metric: Any) -> Metric:
    """Return a metric, given by name or as our function."""
    found = metric_of(metric)
    if found is None:
        raise ValueError(
            f"`metric` must be one of {listed(sorted(METRICS))}, or the function of "
            f"unlabeled.metrics; got {metric!r}."
        )
    return found


def _prior_of(
    metric: Metric, given: Any, sampling: str, confidence_level: float
) -> tuple[float | None, tuple[float, ...]]:
    """Return the class prior, and the ends of its interval if it has one."""
    if (given is None) == metric.needs_prior:
        allowed = "a number, two ends or an interval" if metric.needs_prior else "None"
        raise ValueError(
            f"`class_prior` must be {allowed} for the metric {metric.name!r}; got {given!r}. "
            + ("Pass P(Y=1)." if metric.needs_prior else "This metric needs only the labels.")
        )
    if given is None:
        return None, ()
    if isinstance(given, PriorDensity):
        given = given.interval(confidence_level, "population")
    prior = known_prior(given, lambda value: check_class_prior(value, sampling), confidence_level)
    return (prior.estimate, tuple(prior)) if isinstance(prior, Interval) else (prior, ())


def _rows(
    metric: Metric, y: Any, predicted: Any, columns: dict[str, Any], sampling: Sampling
) -> OrderedRows:
    """Return scored rows; predictions are a score of two values."""
    sampling = Sampling.TWO if metric.of_unlabeled else sampling
    for column in (y, predicted, columns.get("sample_weight")):
        reject_chunks(column, "metric_interval")
    if metric.of_score:
        return OrderedRows.read(y, predicted, sampling=sampling, **columns)
    y, predicted = to_host(y), to_host(predicted)
    encoding = encode_labels(y, columns["pos_label"])[1]
    positive = encode_predictions(predicted, encoding).astype(np.intp)
    rows = OrderedRows.read(y, positive, sampling=sampling, **columns)
    return replace(rows, value=np.array([0.0, 1.0]), step=positive[rows.order])


@dataclass(frozen=True)
class _Units:
    """What is drawn at random: rows, or groups of rows; in two samples of each sample alone.

    Attributes
    ----------
    labeled : ndarray of bool, shape (n_rows,)
    weight : ndarray of shape (n_rows,)
    parts : tuple of (rows, units)
        Of each sample: the numbers of its rows, and the unit to which each belongs.
    """

    labeled: Array
    weight: Array
    parts: tuple[tuple[Array, Array], ...]

    @classmethod
    def of(cls, rows: OrderedRows, groups: Array | None, sampling: Sampling) -> _Units:
        everyone = np.arange(len(rows.labeled))
        samples = (
            [everyone[rows.labeled], everyone[~rows.labeled]] if sampling.is_two else [everyone]
        )
        number = everyone if groups is None else groups[rows.order]
        parts = tuple((one, np.unique(number[one], return_inverse=True)[1]) for one in samples)
        return cls(rows.labeled, rows.weight, parts)

    def draws(self, n_resamples: int, rng: Any) -> Iterator[Array]:
        """Yield blocks of resamples: how often each row is drawn; both kinds at least twice."""
        kept = (self.weight > 0).astype(np.float64)
        kinds = np.stack([kept * self.labeled, kept * ~self.labeled], axis=1)
        in_block = max(1, _CELLS // len(kept))
        missing, tries = n_resamples, _MOST_TRIES * n_resamples
        while missing > 0:
            block = min(in_block, missing)
            times = np.empty((block, len(kept)))
            for rows, unit in self.parts:
                times[:, rows] = _times(int(unit.max()) + 1, block, rng)[:, unit]
            times = times[np.min(times @ kinds, axis=1) >= _FEWEST]
            missing, tries = missing - len(times), tries - block
            if len(times):
                yield times
            if missing > 0 and tries <= 0:
                raise ValueError(
                    "resamples must have at least two labeled and two unlabeled rows; got "
                    f"{int(kinds[:, 0].sum())} labeled rows in all, and resamples almost never "
                    "do. Label more rows."
                )

    def size(self, of: Array) -> float:
        """Return the effective number of units of these rows, (Σ weight)²/Σ weight²."""
        total = squares = 0.0
        for rows, unit in self.parts:
            weight = np.bincount(unit, self.weight[rows] * of[rows])
            total, squares = total + float(weight.sum()), squares + float(weight @ weight)
        return total**2 / squares


def _times(n_units: int, n_resamples: int, rng: Any) -> Array:
    """Draw units with replacement; return how often each is drawn, a line for each resample."""
    drawn = rng.randint(n_units, size=(n_resamples, n_units))
    drawn += n_units * np.arange(n_resamples)[:, None]
    counts = np.bincount(drawn.ravel(), minlength=n_resamples * n_units)
    return counts.reshape(n_resamples, n_units)


_Value = Callable[[ScoreSteps, Any], Any]


def _value_of(
    metric: Metric, rows: OrderedRows, options: dict[str, Any], units: _Units, rng: Any
) -> _Value:
    """Return the metric as a function of the steps of a score and the class prior."""
    if metric.of_steps is not None:
        return partial(metric.of_steps, **options)
    whole, labeled = rows.steps(), units.size(rows.labeled)
    if metric.recall is not None and metric.share is not None:
        recall_of, above = metric.recall, metric.share(float(whole.population.sum()), **options)
        recall = _Rate.of(lambda steps: recall_of(steps, above), whole, labeled, rng)
        return _OfRates(metric, recall, lambda steps: above)
    population = ~rows.labeled if rows.sampling.is_two else np.ones(len(rows.labeled), dtype=bool)
    recall = _Rate.of(lambda steps: _upper_share(steps.labeled), whole, labeled, rng)
    share = _Rate.of(
        lambda steps: _upper_share(steps.population),
        whole,
        units.size(population),
        rng,
    )
    return _OfRates(metric, recall, share)


def _upper_share(weight: Array) -> Any:
    """Return the share of the rows that are predicted positive."""
    return weight[..., 1] / weight.sum(axis=-1)


@dataclass(frozen=True)
class _Rate:
    """A share of rows; if it is 0 or 1 in the sample, resamples draw it from Jeffreys'."""

    of_steps: Callable[[ScoreSteps], Any]
    observed: float
    size: float
    rng: Any

    @classmethod
    def of(
        cls, of_steps: Callable[[ScoreSteps], Any], whole: ScoreSteps, size: float, rng: Any
    ) -> _Rate:
        return cls(of_steps, float(of_steps(whole)), size, rng)

    @property
    def is_sure(self) -> bool:
        """Whether all rows agree."""
        return self.observed in (0.0, 1.0)

    def __call__(self, steps: ScoreSteps) -> Any:
        found = self.of_steps(steps)
        if self.is_sure and np.ndim(found):  # resamples come in blocks
            hits = self.size * self.observed
            return self.rng.beta(hits + 0.5, self.size - hits + 0.5, size=np.shape(found))
        nobody = 0.5 / (self.size + 1)
        return np.clip(found, nobody, 1 - nobody)


@dataclass(frozen=True)
class _OfRates:
    """A metric as a function of recall and share."""

    metric: Metric
    recall: _Rate
    share: Callable[[ScoreSteps], Any]

    @property
    def is_sure(self) -> bool:
        """Whether all rows agree on the recall or on the share."""
        return self.recall.is_sure or (isinstance(self.share, _Rate) and self.share.is_sure)

    def __call__(self, steps: ScoreSteps, prior: Any) -> Any:
        return self.metric.of_rates(self.recall(steps), self.share(steps), prior)


def _normal(drawn: Array, center: float, confidence_level: float) -> tuple[float, float]:
    """Return how far a normal interval reaches down and up."""
    half = float(stats.norm.ppf(0.5 + confidence_level / 2) * np.std(drawn, ddof=1))
    return half, half


def _quantiles(drawn: Array, center: float, confidence_level: float) -> tuple[float, float]:
    """Return how far the quantiles of the drawn values lie down and up."""
    lower, upper = np.quantile(
        drawn, [0.5 - confidence_level / 2, 0.5 + confidence_level / 2], method="nearest"
    )
    return max(0.0, center - float(lower)), max(0.0, float(upper) - center)


def _add_errors(
    metric: Metric,
    estimate: float,
    center: float,
    apart: tuple[float, float],
    far: list[float],
    confidence_level: float,
) -> Interval:
    """Add the errors of drawing rows and of the class prior, in quadrature on each side."""
    below, above = max(0.0, -min(far, default=0.0)), max(0.0, *far, 0.0)
    ends = (center - np.hypot(apart[0], below), center + np.hypot(apart[1], above))
    possible, lower, upper = (
        float(np.clip(value, metric.lowest, metric.highest))
        for value in (estimate, *map(metric.back, ends))
    )
    return Interval.around(possible, (lower, upper), confidence_level, METHOD)


def _around(estimate: float, drawn: Array, confidence_level: float) -> Interval:
    """Symmetric interval from the quantile of absolute deviations.

    A resample without a value lies as far away as possible.
    """
    apart = np.where(np.isnan(drawn), 2.0, np.abs(drawn - estimate))
    half = float(np.quantile(apart, confidence_level))
    return Interval(
        estimate, max(estimate - half, -1.0), min(estimate + half, 1.0), confidence_level, METHOD
    )
