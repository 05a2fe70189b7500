"""An interval for the best cut of a score, by resamples of fewer rows."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ..engine.parameters import check_level, check_positive
from ..engine.rows import encode_labels, score_column
from ..thresholds import Rule, choose_cut, count_above, get_rule
from ._interval import Interval
from ._resample import draw_multiplicity

METHOD = "m out of n"
# Rows of a resample, as a power of the number of rows.
_POWER = 0.8
# The best cut of a step-shaped criterion is off by about n to this power.
_RATE = 1 / 3


def cut_interval(
    score: Any,
    y: Any,
    rule: str | Rule = "f1_pu",
    *,
    class_prior: float | None = None,
    n_resamples: int = 299,
    n_drawn: int | None = None,
    level: float = 0.95,
    positive_label: Any = None,
    random_state: Any = None,
) -> Interval:
    r"""Interval for the cut that is best in the population for a given score.

    The best cut of a criterion that counts rows is no smooth function of
    them: it is off by about :math:`n^{-1/3}`, with a limit that is not normal, and
    the ordinary bootstrap does not imitate it, since a resample has its
    optimum among the very rows that had the sample's. Resamples of fewer rows
    do, if their number grows more slowly than n.

    Parameters
    ----------
    score : array-like of shape (n_rows,)
        Score of each row, larger meaning more probably positive; best of rows the model
        was not fitted to. It is held fixed: that the direction is estimated is
        not in the interval.
    y : array-like of shape (n_rows,)
        Label column.
    rule : str or Rule, default="f1_pu"
        What the cut is best for.
    class_prior : float, optional
        P(Y=1), for rules that need it.
    n_resamples : int, default=299
    n_drawn : int, optional
        Rows of a resample, m; :math:`n^{0.8}` if None.
    level : float, default=0.95
    positive_label : object, optional
        The value of y that marks labelled rows; the larger one if None.
    random_state : int, RandomState instance or None, default=None
        Draws the resamples.

    Returns
    -------
    interval : Interval

    See Also
    --------
    unlabeled.inference.bootstrap : What the rule with that cut is worth.

    Notes
    -----
    With :math:`\hat z` the cut and :math:`z^*` those of the resamples the interval is

    .. math:: \hat z \pm (m/n)^{1/3}\, Q_{level}(|z^* - \hat z|).

    Where the best cut predicts everybody, or nobody, positive, there is no cut to speak of,
    and the interval says little. Otherwise it is wide: criteria are flat at their
    optimum, and a wide interval for the cut goes with short ones for recall and share at it
    (`bootstrap`), which matter more.

    References
    ----------
    J. Kim, D. Pollard (1990). Cube root asymptotics. Annals of Statistics 18, 191-219.
    https://doi.org/10.1214/aos/1176347498

    P. J. Bickel, F. Götze, W. R. van Zwet (1997). Resampling fewer than n observations: gains,
    losses, and remedies for losses. Statistica Sinica 7, 1-31.

    Examples
    --------
    >>> from unlabeled import NaiveLogistic
    >>> from unlabeled.datasets import make_paper_gaussian
    >>> from unlabeled.inference import cut_interval
    >>> data = make_paper_gaussian(n=1000, c=0.6, random_state=0)
    >>> score = data.X @ data.beta[1:]
    >>> found = cut_interval(score, data.s, random_state=0)
    >>> found.lower < -0.142 < found.upper  # the best cut of this population
    True
    """
    check_positive("n_resamples", n_resamples, Integral, "a whole number of at least 1")
    check_level(level)
    s, _ = encode_labels(y, positive_label)
    score = score_column(score, s).astype(np.float64)
    n_rows = len(s)
    m = round(n_rows**_POWER) if n_drawn is None else n_drawn
    check_positive("n_drawn", m, Integral, "a whole number of at least 4")
    if not 4 <= m <= n_rows:
        raise ValueError(
            f"`n_drawn` must be at least 4 and at most the number of rows, {n_rows}; got {m}."
        )
    chosen, rng = get_rule(rule), check_random_state(random_state)
    cut = choose_cut(count_above(score, s), chosen, class_prior).threshold
    distance = np.empty(int(n_resamples))
    for k, seed in enumerate(rng.randint(np.iinfo(np.int32).max, size=len(distance))):
        drawn = np.repeat(np.arange(n_rows), draw_multiplicity(s, m, seed))
        there = choose_cut(count_above(score[drawn], s[drawn]), chosen, class_prior)
        distance[k] = abs(there.threshold - cut)
    half = float((m / n_rows) ** _RATE * np.quantile(distance, level))
    return Interval(cut, cut - half, cut + half, level, METHOD)
