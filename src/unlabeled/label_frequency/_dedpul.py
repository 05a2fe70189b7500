"""DEDPUL: the label frequency from the ratio of two densities of a score."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.ndimage import gaussian_filter1d, median_filter

from ..engine.losses import softplus_and_sigmoid
from ..engine.rows import Rows
from ._base import estimator, frequency_of_share
from ._out_of_fold import ScoreFrequencyEstimator

_TOL = 1e-5
_MOST_STEPS = 1000
_STEP = 1e-3
# Candidates for the share of negatives are those whose mean posterior exceeds them by less than
# this.
_MOST_ERROR = 0.05

# Quantiles of the unlabeled scores, and cells of the grid of a density.
_POINTS = 1000
_CELLS = 4096
# Kernel widths, in standard deviations.
_LABELED_WIDTH = 0.1
_UNLABELED_WIDTH = 0.05
_LARGEST_RATIO = 50.0
# Half widths of the running medians, as fractions of the number of points.
_FIRST_MEDIAN = 0.005
_SECOND_MEDIAN = 0.05


@estimator(
    looks_at="the largest ratio of two score densities",
    breaks="classes that overlap everywhere: its estimate of c is then too low",
)
class DEDPUL(ScoreFrequencyEstimator):
    r"""Label frequency by the difference of estimated densities (DEDPUL).

    Assumes SCAR (labeled rows are a random sample of the positives) and a score along which
    some region is nearly all positive. Unlike :class:`BestBin` it uses the density of the score
    instead of counts above a cut, so the region need not begin at the highest score.

    Parameters
    ----------
    cv : "auto", int, splitter, iterable or None, default="auto"
        Folds of the out-of-fold scores. "auto": ten stratified folds, or fewer
        if fewer rows are labeled. None: no cross-validation; one model scores its own training
        rows. (In scikit-learn None means five folds.)
    C : float, default=0.1
        Inverse strength of the ridge on features of unit variance, as in
        scikit-learn's LogisticRegression.
    tol : float, default=1e-4
        Tolerance of the fits, as in `NaiveLogistic`.
    max_iter : int, default=1000
        Maximum number of iterations per fit.
    pos_label : object, default=None
        The value of y that marks labeled rows; if None, the larger number or the text that says it.
    sampling : {"one-sample", "two-sample"}, default="one-sample"
        "two-sample" if the labeled rows come from elsewhere and the unlabeled rows are a sample
        of the population. What is reported is then the population's; see
        :doc:`/choose/two_samples`.
    weights : {"sampling", "frequency"}, default="sampling"
        What `sample_weight` says: how many rows of the population a row stands for, or how often
        the row occurs; see :doc:`/understand/weights`.
    random_state : int, RandomState instance or None, default=None
        Controls the folds; pass an int for reproducible output.

    Attributes
    ----------
    label_frequency_ : float
        The estimate of c = P(S=1|Y=1).
    class_prior_ : float
        P(Y=1) in the whole sample: the fraction of labeled rows divided by `label_frequency_`.
    converged_ : bool
        Whether every logistic fit reached a finite optimum.
    unlabeled_share_ : float
        P(Y=1|S=0), the share of positives among the unlabeled rows; the method
        estimates this first.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, if X had names.

    See Also
    --------
    unlabeled.label_frequency.OneDimensionalJoint : The classifiers' default.
    unlabeled.label_frequency.PriorBound : The largest class prior that the labels allow.

    Notes
    -----
    With :math:`\rho = f_P/f_U` the ratio of the densities of the score among
    labeled and unlabeled rows, and :math:`\nu = P(Y=0|S=0)`, Bayes' rule says
    :math:`P(Y=0|S=0,x) = 1 - \rho(x)(1-\nu)`. The estimate of :math:`\nu` is the fixed point of

    .. math:: \nu \leftarrow \operatorname{mean}_U \max(0, 1 - \rho\,(1-\nu))

    iterated from :math:`\nu = 0`. If the only fixed point is :math:`\nu = 1`, the estimate is
    instead the :math:`\nu` at which the difference of the two sides has its largest curvature.
    Densities are Gaussian kernel estimates with widths .1 and .05 standard deviations. The
    ratio is evaluated at 1000 quantiles of the unlabeled scores, smoothed by running medians
    and made monotone on its upper part.

    The original fits its classifier with balanced classes. Here the naive
    score is shifted to balance, which changes only where the upper part begins.
    **What breaks it:** overlap everywhere (c is too low); few labeled rows (the
    ratio is rough, and c is wrong in either direction).

    References
    ----------
    D. Ivanov (2020). DEDPUL: difference-of-estimated-densities-based
    positive-unlabeled learning. ICMLA. https://doi.org/10.48550/arXiv.1902.06965

    Examples
    --------
    >>> from unlabeled.datasets import make_paper_gaussian
    >>> from unlabeled.label_frequency import DEDPUL
    >>> data = make_paper_gaussian(n=5000, label_frequency=0.6, random_state=0)
    >>> DEDPUL(random_state=0).fit(data.X, data.s).label_frequency_ < 0.6
    True
    """

    def _estimate_from_scores(self, score: np.ndarray, rows: Rows) -> float:
        ratio = density_ratio(score, rows.s, rows.weight)
        self.unlabeled_share_ = 1 - negative_share(ratio)
        return frequency_of_share(self.unlabeled_share_, rows.labeled_share)


def negative_share(ratio: np.ndarray) -> float:
    """Share of negatives in U, from the density ratio of P to U at points of equal mass in U."""
    fixed = _fixed_point(ratio)
    grid = np.arange(0, 1, _STEP)
    error = _mean_posterior(ratio, grid) - grid
    inner = error[1:-1] < _MOST_ERROR
    kinks = np.diff(error, 2)[inner]
    kink = float(grid[1:-1][inner][np.argmax(kinks)]) if len(kinks) else 1.0
    if kink >= fixed or (np.sum(error < 0) > 1 and fixed < 1 - _STEP):
        return fixed
    return kink


def _fixed_point(ratio: np.ndarray) -> float:
    share = 0.0
    for _ in range(_MOST_STEPS):
        posterior = np.maximum(0, 1 - ratio * (1 - share))
        mean = float(posterior.mean())
        if abs(mean - share) < _TOL or posterior.min() > 0:
            break
        share = mean
    return share


def _mean_posterior(ratio: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Mean of max(0, 1 - ratio (1 - share)) for every share, from sorted partial sums."""
    ordered = np.sort(ratio)
    sums = np.append(0.0, np.cumsum(ordered))
    count = np.searchsorted(ordered, 1 / (1 - shares))
    return (count - (1 - shares) * sums[count]) / len(ratio)


def density_ratio(score: np.ndarray, s: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
    """Density among labeled rows over that among unlabeled rows, smoothed, mostly rising.

    Evaluated at 1000 quantiles of the unlabeled scores. They have equal mass. A row of weight
    2 counts as two rows.
    """
    weight = np.ones_like(score) if weight is None else weight
    labeled = s == 1
    points = _equal_masses(score[~labeled], weight[~labeled])
    if not score.max() > score.min():
        return np.ones_like(points)
    edges = (float(score.min()), float(score.max()))
    spread = _deviation(score, weight)
    densities = [
        _density(score[part], weight[part], width, spread, edges)(points)
        for part, width in ((labeled, _LABELED_WIDTH), (~labeled, _UNLABELED_WIDTH))
    ]
    smallest = np.finfo(np.float64).tiny
    ratio = np.minimum(densities[0] / np.maximum(densities[1], smallest), _LARGEST_RATIO)
    return _smoothed(ratio, points > _middle(score, s, weight))


def _equal_masses(values: np.ndarray, weight: np.ndarray) -> np.ndarray:
    order = np.argsort(values)
    mass = np.cumsum(weight[order])
    levels = (np.arange(_POINTS) + 0.5) / _POINTS * mass[-1]
    return values[order][np.searchsorted(mass, levels)]


def _density(
    values: np.ndarray,
    weight: np.ndarray,
    width: float,
    spread: float,
    edges: tuple[float, float],
) -> Callable[[np.ndarray], np.ndarray]:
    """Gaussian kernel density, computed on a fine grid, as a function of points."""
    deviation = width * (_deviation(values, weight) or spread)
    low, high = edges[0] - 4 * deviation, edges[1] + 4 * deviation
    place = (values - low) * ((_CELLS - 1) / (high - low))
    cell = place.astype(np.intp)
    part = place - cell
    mass = np.bincount(cell, weight * (1 - part), minlength=_CELLS)
    mass += np.bincount(cell + 1, weight * part, minlength=_CELLS)[:_CELLS]
    step = (high - low) / (_CELLS - 1)
    smooth = gaussian_filter1d(mass, deviation / step, mode="constant", truncate=6.0)
    grid = low + step * np.arange(_CELLS)
    return lambda points: np.interp(points, grid, smooth / (mass.sum() * step))


def _deviation(values: np.ndarray, weight: np.ndarray) -> float:
    mean = np.average(values, weights=weight)
    return float(np.sqrt(np.average((values - mean) ** 2, weights=weight)))


def _middle(score: np.ndarray, s: np.ndarray, weight: np.ndarray) -> float:
    """Score whose balanced probability is midway between the means of both groups."""
    odds = float(np.sum(weight * s) / np.sum(weight * (1 - s)))
    probability = softplus_and_sigmoid(score - np.log(odds))[1]
    means = [np.average(probability, weights=weight * (s == group)) for group in (0, 1)]
    middle = np.clip(np.mean(means), 1e-12, 1 - 1e-12)
    return float(np.log(middle / (1 - middle)) + np.log(odds))


def _smoothed(ratio: np.ndarray, upper: np.ndarray) -> np.ndarray:
    ratio = _running_median(ratio, _FIRST_MEDIAN)
    ratio[upper] = np.maximum.accumulate(ratio[upper])
    return _running_median(ratio, _SECOND_MEDIAN)


def _running_median(ratio: np.ndarray, fraction: float) -> np.ndarray:
    return median_filter(ratio, 2 * int(fraction * len(ratio)) + 1, mode="nearest")
