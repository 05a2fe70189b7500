"""Rows that belong together, such as those of one person: their sums, and how little they tell."""

from __future__ import annotations

from typing import Any

import numpy as np


def group_sums(values: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Add up values over the rows of each group; one row per group that there is.

    Examples
    --------
    >>> group_sums(np.array([1.0, 2.0, 4.0]), np.array([7, 3, 7])).tolist()
    [2.0, 5.0]
    """
    found, place = np.unique(groups, return_inverse=True)
    sums = np.zeros((len(found), *values.shape[1:]))
    np.add.at(sums, place, values)
    return sums


def design_effect(
    residual: np.ndarray, groups: np.ndarray | None, weight: np.ndarray | None = None
) -> float:
    r"""By what factor groups increase the variance of a sum of residuals; at least 1.

    .. math:: \max\Big(1, \sum_g \big(\sum_{i \in g} w_i r_i\big)^2 \Big/ \sum_i w_i r_i^2\Big)

    It is 1 without groups, and m if every group has m equal rows. Row weights are numbers of
    copies, all in the group of the row.

    Parameters
    ----------
    residual : ndarray of shape (n_rows,)
        Residuals with a mean near 0, such as labels less their probabilities.
    groups : ndarray of shape (n_rows,) or None
        The group of each row.
    weight : ndarray of shape (n_rows,), optional
        Row weights.

    References
    ----------
    J. N. K. Rao, A. J. Scott (1984). On chi-squared tests for multiway contingency tables with
    cell proportions estimated from survey data. Annals of Statistics 12, 46-60.
    https://doi.org/10.1214/aos/1176346391

    Examples
    --------
    >>> design_effect(np.array([0.5, 0.5, -0.5, -0.5]), np.array([0, 0, 1, 1]))
    2.0
    """
    if groups is None:
        return 1.0
    moved = residual if weight is None else weight * residual
    alone = float(moved @ residual)
    together = float(np.sum(group_sums(moved, groups) ** 2))
    return max(1.0, together / alone) if alone > 0 else 1.0


def reject_without_folds(cv: Any, groups: Any, why: str) -> None:
    """Raise if there are groups and `cv` is a way to hold rows out that splits them."""
    if groups is not None:
        raise ValueError(
            f"`cv` must keep the rows of one group together; got {cv!r}, which {why}. Use a "
            "number of folds, or leave `groups` out."
        )
