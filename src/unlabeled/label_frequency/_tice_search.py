"""TIcE on bins and folds: lower bounds of the label frequency over subsets of rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ._tice_table import Table
from ._tice_tree import Tree, search

_FIRST_GUESS = 0.5


@dataclass(frozen=True)
class TIcEResult:
    """What :func:`tice` found; rows are iterations, columns folds in the order of their ids.

    Attributes
    ----------
    label_frequency : float
        Mean of the last iteration's estimates over the folds; not clipped.
    estimates : ndarray of shape (n_iterations, n_folds)
        The best lower bound.
    delta : ndarray of shape (n_folds,)
        The error probability of the bounds.
    n_splits : ndarray of shape (n_iterations, n_folds)
    """

    label_frequency: float
    estimates: np.ndarray
    delta: np.ndarray
    n_splits: np.ndarray


def pick_delta(n_rows: float) -> float:
    """Error probability for `n_rows` estimation rows: max(0.025, 1 / (1 + 0.004 n_rows))."""
    return max(0.025, 1.0 / (1.0 + 0.004 * n_rows))


def tice(
    codes: np.ndarray,
    s: np.ndarray,
    folds: np.ndarray,
    *,
    delta: float | None = None,
    max_splits: int = 500,
    min_rows: float = 10,
    k: float = 5,
    n_iterations: int = 2,
    honest: bool = True,
    sample_weight: np.ndarray | None = None,
) -> TIcEResult:
    """Estimate the label frequency by tree induction (TIcE).

    Under SCAR the expected share of labelled rows in a subset chosen without
    looking at their labels is at most the label frequency, so every subset gives
    a lower bound, ``L / T - sqrt(c0 (1 - c0) (1 - delta) / (delta T))`` with L of T
    rows labelled and `c0` a first guess of the label frequency. For each fold a tree
    grown on its rows proposes subsets, the other rows evaluate them, and the largest
    bound counts; the estimate is the mean over folds, and the next iteration's `c0`.

    The tree grows best first, by the bound on its own rows; ties go to the larger
    labelled count, then to the node made earlier (siblings in the order of their
    bins). A node is split into the bins of the feature with the largest
    ``L / (T + k)`` in one of them, L of T tree rows being labelled; ties go to the
    first feature. A child may be split if its labelled evaluation rows exceed
    ``c0 (1 - c0) (1 - delta) / (delta (1 - best)^2)`` (alone, they would beat the
    best bound so far) and its tree rows exceed `min_rows` and are not all alike in
    `s`. The order of the rows has no influence.

    Parameters
    ----------
    codes : ndarray of shape (n, p), uint8
        Bins 0 to 3, from :func:`scale_features`.
    s : ndarray of shape (n,)
        1 for labelled rows, 0 for the others.
    folds : ndarray of shape (n,), integer
        Fold of every row; at least two folds.
    delta : float in (0, 1], optional
        Error probability of the bounds; by default :func:`pick_delta` of the
        number of rows outside the fold.
    max_splits, n_iterations : int
        Splits per fold and iteration; iterations, at least 1.
    min_rows : float
        Rows a subset needs to be evaluated, and must exceed to be split.
    k : float
        Smoothing of the split score; larger values favour larger subsets.
    honest : bool
        False evaluates subsets on the tree's rows, as SAR-PU's code does.
    sample_weight : ndarray of shape (n,), optional
        All counts are then sums of weights: weight 2 equals a duplicate in the
        same fold, weight 0 no row.

    Returns
    -------
    TIcEResult

    Notes
    -----
    What breaks it: no subset in which nearly all rows are positive (the estimate
    is too small); labelling that depends on the features beyond the class; few
    rows, as the maximum of many noisy bounds is biased upwards.

    References
    ----------
    J. Bekker and J. Davis (2018). Estimating the class prior in positive and
    unlabeled data through decision tree induction. AAAI Conference on
    Artificial Intelligence. doi:10.1609/aaai.v32i1.11715
    """
    if sample_weight is not None:
        present = sample_weight != 0
        codes, s, folds = codes[present], s[present], folds[present]
        sample_weight = np.asarray(sample_weight[present], dtype=np.float64)
    table = Table.make(codes, s, sample_weight)
    trees = [Tree(table, folds == fold, honest, k) for fold in np.unique(folds)]
    deltas = [pick_delta(tree.outside.total) if delta is None else delta for tree in trees]
    guess, estimates, n_splits = _FIRST_GUESS, [], []
    for _ in range(n_iterations):
        found = [
            search(tree, _spread(guess, level), max_splits, min_rows)
            for tree, level in zip(trees, deltas, strict=True)
        ]
        estimates.append([estimate for estimate, _ in found])
        n_splits.append([splits for _, splits in found])
        guess = float(np.mean(estimates[-1]))
    return TIcEResult(guess, np.array(estimates), np.array(deltas), np.array(n_splits))


def _spread(c0: float, delta: float) -> float:
    return c0 * (1.0 - c0) * (1.0 - delta) / delta
