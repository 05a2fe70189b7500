"""Which column labels seem to follow, if nobody named one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from ..engine.rows import labeled_scores, weighted_quantile
from ._propensity_prior import PropensityCells, PropensityPrior, propensity_prior

NAMED_STRETCH = 3.0
"""Standard deviation of the prior of the slope of a named column, per standard deviation of it."""

_WIDEST = 2.5  # of a standardized column
# With more columns than this, those that go with the score most are tried.
_MOST_COLUMNS = 60
# Scores beyond these quantiles, of labeled rows and of all, are set to them: in the last bin one
# far row would be all that counts.
_ENDS_OF_LABELED, _ENDS_OF_ALL = (0.01, 0.99), (0.001, 0.999)
# Where the search for the mode starts: slopes, and logits of the label frequency at most so far
# from 0.
_FROM, _FAR = (1.0, -1.0), 2.0


@dataclass(frozen=True, eq=False)
class FollowedColumn:
    """The column that labels follow most, and how surely they do.

    Attributes
    ----------
    position : int
        Of the column.
    statistic : float
        Twice the gain in log-likelihood if labels follow it.
    p_value : float
        Of the largest statistic of all columns that were tried, if labels are given at random.
    n_tried : int
    n_independent : float
        Number of independent columns that tell as much as those.
    prior : PropensityPrior
        What the labels say of the class prior and of P(Y=1|S=0) if they follow this column.
    """

    position: int
    statistic: float
    p_value: float
    n_tried: int
    n_independent: float
    prior: PropensityPrior


def standardized_column(
    column: Any, center: float | None = None, scale: float | None = None
) -> np.ndarray:
    """Return a column in standard deviations from its mean, cut at 2.5 of them."""
    values = np.asarray(column, dtype=np.float64)
    center = float(values.mean()) if center is None else center
    scale = float(values.std()) if scale is None else scale
    return np.clip((values - center) / scale, -_WIDEST, _WIDEST)


def followed_column(score: Any, columns: Iterable[Any], s: Any) -> FollowedColumn | None:
    r"""Search the column that labels follow, along a held-out score of the labels.

    With a score t and a standardized column z, :math:`P(S=1|x)=\sigma(g+kz)\,\sigma(a+bt+mz)` is
    compared with k = 0, for each column in turn. m stands in both: a column may matter for the
    class, too. k and m are normal around 0 with standard deviation 3.

    Parameters
    ----------
    score : array-like of shape (n_rows,)
        t: any score, of fits that have not seen the row.
    columns : iterable of array-like of shape (n_rows,)
        Numbers. A column without variance is passed over. Of more than 60, those are tried whose
        correlation with the score is largest.
    s : array-like of shape (n_rows,)
        1 for labeled rows, 0 for the others.

    Returns
    -------
    found : FollowedColumn or None
        None if no column varies.

    Notes
    -----
    If labels are given at random, twice the gain in log-likelihood is nearly a chi-squared variable
    with one degree of freedom. The p-value is that of the largest of as many independent ones as
    the columns are worth, :math:`(\sum\sqrt\lambda)^2/\sum\lambda` with the eigenvalues
    :math:`\lambda` of their correlations (Galwey). Level and power are measured, see
    :doc:`/check_rates/index`.

    **What breaks it:** a score that does not fit the labels. What is missing in it then looks like
    labels that follow a column. And a flexible score that fits them perfectly leaves nothing to
    find. Labels that follow the class itself, or several columns together, are mostly missed.

    References
    ----------
    N. W. Galwey (2009). A new measure of the effective number of tests. Genetic Epidemiology 33,
    559-568. https://doi.org/10.1002/gepi.20408

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> score, *columns = rng.normal(size=(4, 3000))
    >>> y_true = rng.random(3000) < 1 / (1 + np.exp(1 - 3 * score))
    >>> s = y_true & (rng.random(3000) < 1 / (1 + np.exp(-2 * columns[1])))
    >>> found = followed_column(score, columns, s)
    >>> found.position, found.p_value < 0.001
    (1, True)
    """
    score, s, _ = labeled_scores(score, s, None)
    score = _without_far_ends(score, s)
    varying = {
        place: standardized_column(column)
        for place, column in enumerate(columns)
        if np.ptp(np.asarray(column, dtype=np.float64)) > 0
    }
    if not varying:
        return None
    tried = _most_related(varying, score)
    outcomes = np.column_stack([s, np.zeros_like(s), 1 - s])
    nothing = _cells(score, np.zeros_like(score), outcomes, 0.0)
    base = nothing.whole(nothing.mode())
    gains = {place: _gain(score, column, outcomes, base) for place, column in tried.items()}
    position = max(gains, key=lambda place: gains[place])
    n_independent = _independent(list(tried.values()))
    alone = float(stats.chi2.sf(gains[position], 1))
    return FollowedColumn(
        position=position,
        statistic=gains[position],
        p_value=float(-np.expm1(n_independent * np.log1p(-min(alone, 1 - 1e-15)))),
        n_tried=len(tried),
        n_independent=n_independent,
        prior=propensity_prior(score, tried[position], outcomes, stretch_deviation=NAMED_STRETCH),
    )


def _without_far_ends(score: np.ndarray, s: np.ndarray) -> np.ndarray:
    ones = np.ones(len(score))
    of_all = [float(weighted_quantile(score, ones, q)) for q in _ENDS_OF_ALL]
    labeled = score[s == 1]
    own = [float(weighted_quantile(labeled, ones[s == 1], q)) for q in _ENDS_OF_LABELED]
    return np.clip(score, min(of_all[0], own[0]), max(of_all[1], own[1]))


def _most_related(columns: dict[int, np.ndarray], score: np.ndarray) -> dict[int, np.ndarray]:
    """Return the columns to try, in their order."""
    if len(columns) <= _MOST_COLUMNS:
        return columns
    centered = score - score.mean()
    strength = {place: abs(float(centered @ column)) for place, column in columns.items()}
    strongest = sorted(strength, key=lambda place: -strength[place])[:_MOST_COLUMNS]
    return {place: columns[place] for place in sorted(strongest)}


def _cells(
    score: np.ndarray, column: np.ndarray, outcomes: np.ndarray, stretch: float | None
) -> PropensityCells:
    columns = (score, column, column)
    return PropensityCells.of(columns, outcomes, np.ones(len(score)), NAMED_STRETCH, stretch)[0]


def _gain(score: np.ndarray, column: np.ndarray, outcomes: np.ndarray, base: np.ndarray) -> float:
    """Return twice the gain in log-likelihood if the slope of the propensity is free."""
    held, free = (_cells(score, column, outcomes, stretch) for stretch in (0.0, None))
    without = held.mode_from([base])
    a, log_b, level, _, beside = held.whole(without.z)
    level = float(np.clip(level, -_FAR, _FAR))
    with_it = free.mode_from([np.array([a, log_b, level, k, beside]) for k in _FROM])
    return max(0.0, 2 * free.total * (without.value - with_it.value))


def _independent(columns: list[np.ndarray]) -> float:
    """Number of independent columns that tell as much as these."""
    eigenvalues = np.linalg.eigvalsh(np.atleast_2d(np.corrcoef(columns)))
    eigenvalues = np.maximum(eigenvalues, 0.0)
    return float(np.sqrt(eigenvalues).sum() ** 2 / eigenvalues.sum())
