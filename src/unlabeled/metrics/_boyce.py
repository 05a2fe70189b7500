"""The continuous Boyce index: whether labels are more frequent where the score is higher."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, Literal, get_args

import numpy as np
from scipy.stats import rankdata

from ..engine.parameters import check_choice
from ..engine.sampling import ONE_SAMPLE, SamplingWord
from ._metric import metric
from ._score_steps import Numbers, OrderedRows, ScoreSteps

Windows = Literal["quantile", "score"]
QUANTILES, SCORES = get_args(Windows)
_FEWEST = 3
# Ratios that agree to so many places differ by rounding: they are tied.
_PLACES = 9
# Differences of sums below this part of the total are rounding: the window is empty.
_EMPTY = 1e-12


def _of_resamples(
    steps: ScoreSteps,
    prior: None,
    windows: Windows = QUANTILES,
    width: float = 0.1,
    n_windows: int = 101,
) -> Numbers:
    """Return the index of each line of steps; NaN where there is none."""
    return np.array([boyce_index(line, windows, width, n_windows)[0] for line in steps.lines()])


@metric("boyce", of_steps=_of_resamples, lowest=-1.0, is_biased=True)
def boyce_index_score(
    y: Any,
    score: Any,
    *,
    windows: Windows = QUANTILES,
    width: float = 0.1,
    n_windows: int = 101,
    sampling: SamplingWord = ONE_SAMPLE,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> float:
    r"""Continuous Boyce index: the rank correlation of a score with the frequency of labels.

    A window moves over the score. In each position, P/E is the share of the labeled rows in the
    window over the share of the population there. The index is Spearman's rank correlation of
    P/E with the position. It needs no class prior. Ecologists use it for presence-only data.

    Parameters
    ----------
    y : array-like of shape (n,)
        Label column: labeled or unlabeled, any two values.
    score : array-like of shape (n,)
        One number per row; larger means more likely positive. Dask arrays and columns of frames are
        counted in 8192 bins; rows of a bin count as ties.
    windows : {"quantile", "score"}, default="quantile"
        "quantile": every window holds the same share of the population, so only the order of the
        scores matters. "score": every window has the same length in units of the score, as
        published. Windows without a row of the population are then left out.
    width : float, default=0.1
        Of a window: as a share of the population, or of the range of the scores.
    n_windows : int, default=101
        Number of positions, evenly spaced. The first window begins at the lowest score and the
        last one ends at the highest.
    sampling : {"one-sample", "two-sample"}, default="one-sample"
        Which rows are the population: all of them, or only the unlabeled ones because the
        labeled rows come from elsewhere.
    pos_label : optional
        The value of `y` that marks labeled rows; by default the larger of two numbers.
    sample_weight : array-like of shape (n,), optional
        Weights of the rows.

    Returns
    -------
    float
        In [-1, 1]. About 0 for a score that ignores the labels.

    Raises
    ------
    ValueError
        If P/E is the same in all windows, for example because all scores are equal, or if fewer
        than 3 windows hold a row of the population: there is then no rank correlation. A scorer
        turns this into NaN with a warning, as scikit-learn does with every error.

    See Also
    --------
    unlabeled.metrics.label_auc_score : How well the score separates the classes.
    unlabeled.inference.metric_interval : Its interval.

    Notes
    -----
    Under SCAR, P/E is :math:`P(Y=1|\text{window})/\alpha`. So the index says whether the score
    orders the posterior. It does not say how well the score separates the classes: a score that
    hardly tells them apart can have an index of 1.

    Rows that are tied at the edge of a quantile window count in proportion. In two samples,
    labeled rows between two rows of the population belong half to each. Equal values of P/E get
    their mean rank. Neighboring windows overlap, so a p-value of the rank correlation means
    nothing.

    **What breaks it:** few labeled rows. Noise breaks the order of P/E, so the index is too
    small on average, and most where it should be 1. Also labeling that prefers some positives,
    and scoring rows that the classifier was fitted to. With ``windows="score"``, a few very large
    scores leave most windows almost empty.

    References
    ----------
    A. H. Hirzel, G. Le Lay, V. Helfer, C. Randin, A. Guisan (2006). Evaluating the ability of
    habitat suitability models to predict species presences. Ecological Modelling 199, 142-152.
    doi:10.1016/j.ecolmodel.2006.05.017

    M. S. Boyce, P. R. Vernier, S. E. Nielsen, F. K. A. Schmiegelow (2002). Evaluating resource
    selection functions. Ecological Modelling 157, 281-300. doi:10.1016/S0304-3800(02)00200-4

    Examples
    --------
    >>> from unlabeled.metrics import boyce_index_score
    >>> y = [0, 0, 0, 0, 0, 1, 0, 1, 1, 1]
    >>> round(boyce_index_score(y, list(range(10)), width=0.2, n_windows=5), 6)
    0.948683
    """
    check_windows(windows, width, n_windows)
    rows = OrderedRows.read(y, score, pos_label, sample_weight, sampling)
    value, n_kept = boyce_index(rows.steps(), windows, width, n_windows)
    if n_kept < _FEWEST:
        raise ValueError(
            f"`score` must have a row of the population in at least {_FEWEST} windows; got "
            f"{n_kept} such windows. Pass wider windows, or windows='quantile'."
        )
    if np.isnan(value):
        raise ValueError(
            "`score` must have windows with different shares of labeled rows; got the same share "
            "in all of them. The Boyce index is not defined, for example if all scores are equal."
        )
    return value


def check_windows(windows: Any, width: Any, n_windows: Any) -> None:
    """Reject windows that do not fit into the scores."""
    check_choice("windows", windows, get_args(Windows))
    if isinstance(width, bool) or not isinstance(width, Real) or not 0 < float(width) < 1:
        raise ValueError(f"`width` must be a number strictly between 0 and 1; got {width!r}.")
    if (
        isinstance(n_windows, bool)
        or not isinstance(n_windows, Integral)
        or int(n_windows) < _FEWEST
    ):
        raise ValueError(
            f"`n_windows` must be a whole number of at least {_FEWEST}; got {n_windows!r}."
        )


def boyce_index(steps: ScoreSteps, windows: str, width: float, n_windows: int) -> tuple[float, int]:
    """Return the index, NaN if there is none, and the number of windows that hold a population."""
    ratio = (_of_quantiles if windows == QUANTILES else _of_scores)(steps, width, n_windows)
    if len(ratio) < _FEWEST:
        return float("nan"), len(ratio)
    rank = rankdata(np.round(ratio, _PLACES)) - (len(ratio) + 1) / 2
    position = np.arange(len(ratio)) - (len(ratio) - 1) / 2
    size = float(np.sqrt((rank @ rank) * (position @ position)))
    return (float(rank @ position) / size if size > 0 else float("nan")), len(ratio)


def _of_quantiles(steps: ScoreSteps, width: float, n_windows: int) -> Numbers:
    """P/E in windows that hold the same share of the population."""
    begins = np.linspace(0, 1 - width, n_windows)
    population, labeled = steps.labeled_below()
    below, above = (np.interp(edge, population, labeled) for edge in (begins, begins + width))
    return np.asarray((above - below) / width)


def _of_scores(steps: ScoreSteps, width: float, n_windows: int) -> Numbers:
    """P/E in windows of equal length, without those that hold no population."""
    seen = steps.value[(steps.labeled > 0) | (steps.population > 0)]
    length = float(seen[-1] - seen[0])
    begins = seen[0] + np.linspace(0, (1 - width) * length, n_windows)
    edge = 1e-9 * length  # a score at the edge of a window is inside, whatever the rounding
    first = np.searchsorted(steps.value, begins - edge, "left")
    last = np.searchsorted(steps.value, begins + width * length + edge, "right")
    labeled, population = (
        np.append(0, np.cumsum(of))[last] - np.append(0, np.cumsum(of))[first]
        for of in (steps.labeled, steps.population)
    )
    kept = population > _EMPTY * steps.population.sum()
    ratio = labeled[kept] / population[kept]
    return np.asarray(ratio * steps.population.sum() / steps.labeled.sum())
