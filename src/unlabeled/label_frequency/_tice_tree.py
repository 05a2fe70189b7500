"""The tree search of TIcE: lower bounds of the label frequency over subsets of rows."""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

_BLOCK = 2048  # rows at once: they stay in the cache, and float32 counts stay exact


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


def label_bound(labelled: float, total: float, c0: float, delta: float) -> float:
    """Lower bound of the label frequency from one subset of rows.

    ``labelled / total - sqrt(c0 (1 - c0) (1 - delta) / (delta total))``: the
    share of labelled rows less Cantelli's one-sided correction, with `c0` a
    first guess of the label frequency.
    """
    return labelled / total - math.sqrt(_spread(c0, delta) / total)


def scale_features(X: np.ndarray, scale: Literal["minmax", "none"] = "minmax") -> np.ndarray:
    """Codes of the columns cut at .25, .5 and .75: 0 below .25, up to 3 from .75 on.

    "minmax" maps every column of `X` onto [0, 1] first and drops the constant
    ones; "none" cuts the columns as they are. Returns uint8, a row for a row.
    """
    if scale == "none":
        return _cut(X)
    low, high = X.min(axis=0), X.max(axis=0)
    varies = high > low
    low, width = low[varies], (high - low)[varies]
    codes = np.empty((len(X), len(low)), dtype=np.uint8)
    for start in range(0, len(X), _BLOCK):
        rows = slice(start, start + _BLOCK)
        codes[rows] = _cut((X[rows, varies] - low) / width)
    return codes


def _cut(X: np.ndarray) -> np.ndarray:
    codes: np.ndarray = (X >= 0.25).view(np.uint8)
    codes += X >= 0.5
    codes += X >= 0.75
    return codes


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
    most_promising: bool = False,
    first_guess: float = 0.5,
    sample_weight: np.ndarray | None = None,
) -> TIcEResult:
    """Estimate the label frequency by tree induction (TIcE).

    Under SCAR the expected share of labelled rows in a subset chosen without
    looking at their labels is at most the label frequency, so every subset gives
    a lower bound (:func:`label_bound`). For each fold a tree grown on its rows
    proposes subsets, the other rows evaluate them, and the largest bound counts;
    the estimate is the mean over folds, and the next iteration's `c0`.

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
    most_promising : bool
        Evaluate only the subset with the largest bound on the tree's rows.
    first_guess : float
        `c0` of the first iteration.
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
    table = _Table.make(codes, s, sample_weight)
    trees = [_Tree(table, folds == fold, honest, k) for fold in np.unique(folds)]
    deltas = [pick_delta(tree.outside.total) if delta is None else delta for tree in trees]
    guess, estimates, n_splits = first_guess, [], []
    for _ in range(n_iterations):
        found = [
            _search(tree, _spread(guess, level), max_splits, min_rows, most_promising)
            for tree, level in zip(trees, deltas, strict=True)
        ]
        estimates.append([estimate for estimate, _ in found])
        n_splits.append([splits for _, splits in found])
        guess = float(np.mean(estimates[-1]))
    return TIcEResult(guess, np.array(estimates), np.array(deltas), np.array(n_splits))


def _spread(c0: float, delta: float) -> float:
    return c0 * (1.0 - c0) * (1.0 - delta) / delta


class _Part(NamedTuple):
    """Rows of a node, as a slice of an order of rows, with their counts."""

    start: int
    stop: int
    labelled: float
    total: float

    def bound(self, spread: float) -> float:
        return self.labelled / self.total - math.sqrt(spread / self.total)


@dataclass(slots=True)
class _Node:
    """A subset of rows: those that grow the tree and those that evaluate it."""

    tree: _Part
    judge: _Part
    children: list[_Node] | None = None  # None until asked for


@dataclass(frozen=True)
class _Table:
    """The data in the layouts that counting needs."""

    keys: np.ndarray  # (p, n): 2 code + s
    bins: np.ndarray  # (n, n_bins): indicators of the bins that occur, by feature
    features: np.ndarray  # (n_bins,): the feature of every bin
    mass: np.ndarray  # (n, 3): one, weight if labelled, weight
    weight: np.ndarray | None  # (n,)

    @classmethod
    def make(cls, codes: np.ndarray, s: np.ndarray, weight: np.ndarray | None) -> _Table:
        labelled = np.asarray(s, dtype=bool)
        occurs = np.stack([(codes == code).any(axis=0) for code in range(4)], axis=1)
        occurs[occurs.sum(axis=1) < 2] = False
        features, values = np.nonzero(occurs)
        bins = (codes.take(features, axis=1) == values.astype(np.uint8)).view(np.uint8)
        keys = np.ascontiguousarray(codes.T) * np.uint8(2) + labelled
        ones = np.ones(len(s), dtype=np.float32 if weight is None else np.float64)
        total = ones if weight is None else weight
        mass = np.stack([ones, total * labelled, total], axis=1)
        return cls(keys, bins, features, mass, weight)

    def part(self, rows: np.ndarray) -> _Part:
        """All of an order of rows, `rows`."""
        counts = self.mass.take(rows, axis=0).sum(axis=0, dtype=np.float64).tolist()
        return _Part(0, len(rows), counts[1], counts[2])

    def best_feature(self, rows: np.ndarray, k: float) -> int | None:
        """Feature that divides `rows` with the largest L / (T + k) in one of its bins."""
        if not len(self.features):
            return None
        counts = np.zeros((3, len(self.features)))
        for start in range(0, len(rows), _BLOCK):
            block = rows[start : start + _BLOCK]
            bins = self.bins.take(block, axis=0).astype(self.mass.dtype)
            counts += self.mass.take(block, axis=0).T @ bins
        n_rows, labelled, total = counts
        divides = (n_rows > 0) & (n_rows < len(rows))
        score = np.divide(labelled, total + k, out=np.zeros(len(total)), where=divides)
        best = score.argmax()
        return int(self.features[best]) if score[best] > 0 else None

    def divide(self, order: np.ndarray, part: _Part, feature: int) -> list[_Part]:
        """Sort `part` of `order` by the bins of `feature`; return the four bins."""
        rows = order[part.start : part.stop]
        keys = self.keys[feature].take(rows)
        sizes = np.bincount(keys, minlength=8).tolist()
        counts = sizes
        if self.weight is not None:
            counts = np.bincount(keys, self.weight.take(rows), minlength=8).tolist()
        order[part.start : part.stop] = rows.take(keys.argsort(kind="stable"))
        parts, start = [], part.start
        for key in range(0, 8, 2):
            stop = start + sizes[key] + sizes[key + 1]
            parts.append(_Part(start, stop, counts[key + 1], counts[key] + counts[key + 1]))
            start = stop
        return parts


class _Tree:
    """One fold's tree, grown on demand. What it is does not depend on the bounds."""

    def __init__(self, table: _Table, inside: np.ndarray, honest: bool, k: float) -> None:
        self._table, self._honest, self._k = table, honest, k
        self._tree_rows, self._judge_rows = np.flatnonzero(inside), np.flatnonzero(~inside)
        self.outside = table.part(self._judge_rows)
        tree = table.part(self._tree_rows)
        self.root = _Node(tree, self.outside if honest else tree)

    def children(self, node: _Node) -> list[_Node]:
        """Children of a node, none if no feature divides it."""
        if node.children is None:
            rows = self._tree_rows[node.tree.start : node.tree.stop]
            feature = self._table.best_feature(rows, self._k)
            node.children = [] if feature is None else self._divide(node, feature)
        return node.children

    def _divide(self, node: _Node, feature: int) -> list[_Node]:
        tree = judge = self._table.divide(self._tree_rows, node.tree, feature)
        if self._honest:
            judge = self._table.divide(self._judge_rows, node.judge, feature)
        pairs = zip(tree, judge, strict=True)
        return [_Node(*pair) for pair in pairs if pair[0].total > 0 or pair[1].total > 0]


def _search(
    tree: _Tree, spread: float, max_splits: int, min_rows: float, most_promising: bool
) -> tuple[float, int]:
    """Search a tree best first; return the estimate and the number of splits."""
    best = tree.outside.labelled / tree.outside.total
    nodes = [tree.root]
    heap = [(-tree.root.tree.bound(spread), -tree.root.tree.labelled, 0, tree.root)]
    n_splits = 0
    while heap and n_splits < max_splits:
        children = tree.children(heapq.heappop(heap)[-1])
        n_splits += bool(children)
        if not most_promising:
            best = max(best, _evaluate(children, spread, min_rows))
        needed = spread / (1.0 - best) ** 2 if best < 1.0 else math.inf
        for number, child in enumerate(children, len(nodes)):
            rows = child.tree
            worth = child.judge.labelled > needed and rows.total > min_rows
            if worth and 0 < rows.labelled < rows.total:
                heapq.heappush(heap, (-rows.bound(spread), -rows.labelled, number, child))
        nodes += children
    if most_promising:
        grown = [node for node in nodes if node.tree.total > 0]
        node = max(grown, key=lambda node: node.tree.bound(spread))
        best = max(best, _evaluate([node], spread, min_rows))
    return best, n_splits


def _evaluate(nodes: list[_Node], spread: float, min_rows: float) -> float:
    """Largest bound on the evaluation rows of nodes that have at least `min_rows`."""
    parts = [node.judge for node in nodes if node.judge.total > 0]
    bounds = [part.bound(spread) for part in parts if part.total >= min_rows]
    return max(bounds, default=-math.inf)
