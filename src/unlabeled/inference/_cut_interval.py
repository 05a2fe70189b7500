"""An interval for the best cut of a score, from resamples of fewer rows."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ..engine.parameters import check_level, check_positive
from ..engine.rows import encode_labels, score_column, validate_groups
from ..engine.sampling import ONE_SAMPLE, Sampling
from ..thresholds import Rule, choose_cut, count_above, get_rule
from ._interval import Interval
from ._resample import draw_multiplicity

METHOD = "m out of n"
# A resample has n to this power rows.
_POWER = 0.8
# The error of the best cut of a step-shaped criterion shrinks as n to minus this power.
_RATE = 1 / 3


def cut_interval(
    y: Any,
    score: Any,
    rule: str | Rule = "f1_pu",
    *,
    class_prior: float | None = None,
    n_resamples: int = 299,
    n_drawn: int | None = None,
    level: float = 0.95,
    positive_label: Any = None,
    sampling: str = ONE_SAMPLE,
    random_state: Any = None,
    groups: Any = None,
) -> Interval:
    r"""Interval for the cut that is best in the population for a given score.

    A criterion that counts rows is a step function of the cut. The error of its best
    cut is about :math:`n^{-1/3}`, and its limiting distribution is not normal. The ordinary
    bootstrap is inconsistent here: a resample has its optimum among the same rows as the
    sample. Resamples of m < n rows are consistent if :math:`m/n \to 0`.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        Label column.
    score : array-like of shape (n_rows,)
        Score of each row; a larger score means more probably positive. Held-out scores
        are best. The score is treated as fixed: the interval does not include the uncertainty
        of an estimated direction.
    rule : str or Rule, default="f1_pu"
        The criterion that the cut maximises.
    class_prior : float, optional
        P(Y=1) of the population, for rules that need it.
    n_resamples : int, default=299
        Number of resamples.
    n_drawn : int, optional
        Rows per resample, m; :math:`n^{0.8}` if None. With `groups`, m and n are numbers of
        groups.
    level : float, default=0.95
        Confidence level.
    positive_label : object, optional
        The value of y that marks labelled rows; the larger one if None.
    sampling : {"one-sample", "two-sample"}, default="one-sample"
        "two-sample" if the unlabelled rows alone are a sample of the population. Rows of both
        samples are then drawn separately.
    random_state : int, RandomState instance or None, default=None
        Controls the resamples; pass an int for reproducible output.
    groups : array-like of shape (n_rows,), optional
        Which rows belong together, such as those of one person; whole groups are drawn.

    Returns
    -------
    interval : Interval
        The best cut of the sample and the ends of its interval.

    See Also
    --------
    unlabeled.inference.bootstrap : Recall, precision and F1 of the classifier with that cut.

    Notes
    -----
    With :math:`\hat z` the cut of the sample and :math:`z^*` the cuts of the resamples, the
    interval is

    .. math:: \hat z \pm (m/n)^{1/3}\, Q_{level}(|z^* - \hat z|).

    If the best cut predicts all rows or no row positive, the interval says little. Otherwise
    expect a wide interval: criteria are flat near their optimum. More useful are the intervals
    of recall and share from `bootstrap`, which are shorter.

    References
    ----------
    J. Kim, D. Pollard (1990). Cube root asymptotics. Annals of Statistics 18, 191-219.
    https://doi.org/10.1214/aos/1176347498

    P. J. Bickel, F. Götze, W. R. van Zwet (1997). Resampling fewer than n observations: gains,
    losses, and remedies for losses. Statistica Sinica 7, 1-31.

    Examples
    --------
    >>> from unlabeled.datasets import make_paper_gaussian
    >>> from unlabeled.inference import cut_interval
    >>> data = make_paper_gaussian(n=1000, c=0.6, random_state=0)
    >>> score = data.X @ data.beta[1:]
    >>> found = cut_interval(data.s, score, random_state=0)
    >>> found.lower < -0.142 < found.upper  # the best cut of this population
    True
    """
    check_positive("n_resamples", n_resamples, Integral, "a whole number of at least 1")
    check_level(level)
    s, _ = encode_labels(y, positive_label)
    score = score_column(score, s).astype(np.float64)
    number = validate_groups(groups, len(s))
    n_units, unit = (len(s), "rows") if number is None else (int(number.max()) + 1, "groups")
    m = round(n_units**_POWER) if n_drawn is None else n_drawn
    check_positive("n_drawn", m, Integral, "a whole number of at least 4")
    if not 4 <= m <= n_units:
        raise ValueError(f"`n_drawn` must be from 4 to the number of {unit}, {n_units}; got {m}.")
    chosen, rng = get_rule(rule), check_random_state(random_state)
    sampling = Sampling.of(sampling)
    cut = choose_cut(count_above(score, s, None, sampling), chosen, class_prior).threshold
    distance = np.empty(int(n_resamples))
    for k, seed in enumerate(rng.randint(np.iinfo(np.int32).max, size=len(distance))):
        drawn = np.repeat(np.arange(len(s)), draw_multiplicity(s, m, seed, number, sampling))
        cuts = count_above(score[drawn], s[drawn], None, sampling)
        redrawn = choose_cut(cuts, chosen, class_prior)
        distance[k] = abs(redrawn.threshold - cut)
    half = float((m / n_units) ** _RATE * np.quantile(distance, level))
    return Interval(cut, cut - half, cut + half, level, METHOD)
