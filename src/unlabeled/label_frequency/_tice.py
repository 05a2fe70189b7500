"""TIcE: the label frequency from the regions of decision trees with the most labels."""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state

from ..engine.arrays import is_sparse
from ..engine.parameters import check_choice, check_flag, check_fraction, check_positive
from ..engine.rows import (
    SAMPLING,
    Rows,
    WeightsWord,
    check_number_of_folds,
    is_number_of_folds,
    label_folds,
)
from ..engine.sampling import ONE_SAMPLE, SamplingWord
from ._base import FoldsFrequencyEstimator, estimator

Scale = Literal["minmax", "none"]

_FIRST_GUESS = 0.5
# Rows per block: they stay in the cache, and float32 counts stay exact.
_BLOCK = 2048


@estimator(
    looks_at="the region of a tree with the largest share of labeled rows",
    breaks="no region in which all rows are positive: its estimate of c is then too low",
)
class TIcE(FoldsFrequencyEstimator):
    r"""Label frequency by tree induction (TIcE).

    Assumes SCAR (labeled rows are a random sample of the positives) and a region of the
    features, bounded by a few axis-aligned cuts, where nearly all rows are positive. Use it if
    such a region is plausible. With overlapping classes the estimate is too low.

    Parameters
    ----------
    cv : int, splitter or iterable, default=5
        Number of random folds, or a splitter. For each split a tree is grown on the test rows
        and evaluated on all other rows (the reverse of the usual roles).
    honest : bool, default=True
        Whether regions are evaluated on other rows than those that grew the tree (honest
        trees). False reproduces SAR-PU's code, which evaluates on the same rows.
    scale : {"minmax", "none"}, default="minmax"
        How features are scaled before they are cut at .25, .5 and .75. "none" does not scale.
        SAR-PU's code standardizes the features first and then does the same.
    delta : float, default=None
        Error probability of the bound; ``max(0.025, 1 / (1 + 0.004 n))`` if None.
    max_splits : int, default=500
        Maximum number of splits per tree.
    n_iterations : int, default=2
        Number of iterations. Each uses the previous estimate as :math:`c_0` in the bound; the
        first uses one half.
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
    fold_estimates_ : ndarray of shape (n_iterations, n_folds)
        The estimate of each fold in each iteration.
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
    If L of the T rows in a region are labeled, and the region was chosen
    without their labels, :math:`E[L/T] = c\,P(Y=1|\text{region}) \le c`. The
    estimate is the largest lower bound
    :math:`L/T - \sqrt{c_0(1-c_0)(1-\delta)/(\delta T)}` over the regions of the
    tree, averaged over folds.

    Sparse rows stay sparse: only entries that lie in another bin than 0 are counted, and the
    others are what is left. With word counts a region is then a few words that occur.

    **What breaks it:** classes that overlap everywhere (then every region has
    P(Y=1) < 1), and few rows.

    References
    ----------
    J. Bekker, J. Davis (2018). Estimating the class prior in positive and
    unlabeled data through decision tree induction. AAAI.
    https://doi.org/10.1609/aaai.v32i1.11715

    Examples
    --------
    >>> from unlabeled.datasets import make_paper_gaussian
    >>> from unlabeled.label_frequency import TIcE
    >>> data = make_paper_gaussian(n=5000, label_frequency=0.6, random_state=0)
    >>> TIcE(random_state=0).fit(data.X, data.s).label_frequency_ < 0.6
    True
    """

    def __init__(
        self,
        *,
        cv: Any = 5,
        honest: bool = True,
        scale: Scale = "minmax",
        delta: float | None = None,
        max_splits: int = 500,
        n_iterations: int = 2,
        pos_label: Any = None,
        sampling: SamplingWord = ONE_SAMPLE,
        weights: WeightsWord = SAMPLING,
        random_state: Any = None,
    ) -> None:
        self.cv = cv
        self.honest = honest
        self.scale = scale
        self.delta = delta
        self.max_splits = max_splits
        self.n_iterations = n_iterations
        self.pos_label = pos_label
        self.sampling = sampling
        self.weights = weights
        self.random_state = random_state

    def _estimate(self, rows: Rows) -> float:
        self._check_parameters()
        folds = self._folds(rows)
        result = tice(
            scale_features(rows.X, self.scale),
            rows.s,
            folds,
            delta=self.delta,
            max_splits=self.max_splits,
            n_iterations=self.n_iterations,
            honest=self.honest,
            sample_weight=rows.weight,
        )
        self.fold_estimates_ = result.estimates
        return result.label_frequency

    def _folds(self, rows: Rows) -> np.ndarray:
        """Return the index of each row's fold."""
        n_rows = len(rows.s)
        if not is_number_of_folds(self.cv):
            folds = np.full(n_rows, -1)
            for number, (_, test) in enumerate(label_folds(rows, self.cv)):
                folds[test] = number
            if np.any(folds < 0):
                raise ValueError(
                    "`cv` must put every row into the test part of one split; got splits that "
                    f"leave out {np.sum(folds < 0)} of {n_rows} rows."
                )
            return folds
        if rows.groups is None:
            unit, n_units, unit_of = "rows", n_rows, np.arange(n_rows)
        else:
            numbers, unit_of = np.unique(rows.groups, return_inverse=True)
            unit, n_units = "groups", len(numbers)
        check_number_of_folds(self.cv, n_units, f"{unit} ({n_units})")
        folds = np.arange(n_units) % self.cv
        check_random_state(self.random_state).shuffle(folds)
        return folds[unit_of]

    def _check_parameters(self) -> None:
        check_choice("scale", self.scale, get_args(Scale))
        check_flag("honest", self.honest)
        check_fraction("delta", self.delta, none_allowed=True)
        for name in ("max_splits", "n_iterations"):
            value = getattr(self, name)
            check_positive(name, value, Integral, "a whole number of at least 1")


@dataclass(frozen=True, eq=False)
class SparseCodes:
    """Codes of sparse rows: those that differ from the code of 0.

    Attributes
    ----------
    stored : CSC matrix of shape (n, p), uint8
        One more than the codes that differ from `of_zero`.
    of_zero : ndarray of shape (p,), uint8
        The code of 0 in each column.
    """

    stored: Any
    of_zero: np.ndarray

    def __getitem__(self, rows: np.ndarray) -> SparseCodes:
        return SparseCodes(self.stored[rows], self.of_zero)


Codes = np.ndarray | SparseCodes


def scale_features(X: Any, scale: Scale = "minmax") -> Codes:
    """Codes of the columns cut at .25, .5 and .75: 0 below .25, up to 3 from .75 on.

    "minmax" first maps every column of `X` onto [0, 1] and drops constant columns;
    "none" cuts the columns as they are. Returns a uint8 array with one row per row of `X`, or
    `SparseCodes` of a sparse matrix.
    """
    if is_sparse(X):
        return _sparse_codes(X.tocsc(), scale)
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


def _sparse_codes(X: Any, scale: Scale) -> SparseCodes:
    low, width = np.zeros(X.shape[1], dtype=X.dtype), np.ones(X.shape[1], dtype=X.dtype)
    if scale == "minmax":
        low, high = (end.toarray().ravel() for end in (X.min(axis=0), X.max(axis=0)))
        varies = high > low
        X, low, width = X[:, varies], low[varies], (high - low)[varies]
    column = np.repeat(np.arange(X.shape[1]), np.diff(X.indptr))
    codes, of_zero = _cut((X.data - low[column]) / width[column]), _cut((0 - low) / width)
    differs = codes != of_zero[column]
    kept = (codes[differs] + np.uint8(1), (X.indices[differs], column[differs]))
    return SparseCodes(sparse.csc_array(kept, shape=X.shape), of_zero)


def _cut(X: np.ndarray) -> np.ndarray:
    codes: np.ndarray = (X >= 0.25).view(np.uint8)
    codes += X >= 0.5
    codes += X >= 0.75
    return codes


@dataclass(frozen=True)
class TIcEResult:
    """The result of :func:`tice`; rows are iterations, columns are folds in the order of their ids.

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
    codes: Codes,
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

    Under SCAR the expected fraction of labeled rows in a subset chosen without looking at
    their labels is at most the label frequency, so every subset gives a lower bound, ``L / T -
    sqrt(c0 (1 - c0) (1 - delta) / (delta T))``. L of its T rows are labeled, and `c0` is a
    first guess of the label frequency. In each fold a tree grown on its rows proposes subsets,
    the other rows evaluate them, and the largest bound is the result of the fold. The estimate
    is the mean over folds; it is `c0` in the next iteration.

    The tree grows as follows. The order of the rows has no influence.

    - The node with the largest bound on the tree's own rows is split next. Ties go to the
      larger labeled count, then to the node made earlier (siblings in the order of their bins).
    - A node is split into the bins of one feature: the one with the largest ``L / (T + k)`` in
      a bin with L labeled of T tree rows. Ties go to the first feature.
    - A child may be split if it has more than
      ``c0 (1 - c0) (1 - delta) / (delta (1 - best)^2)`` labeled evaluation rows (if a subset
      contained only these rows, its bound would exceed the best one so far), more than
      `min_rows` tree rows, and among these both values of `s`.

    Parameters
    ----------
    codes : ndarray of shape (n, p), uint8, or SparseCodes
        Bins 0 to 3, from :func:`scale_features`.
    s : ndarray of shape (n,)
        1 for labeled rows, 0 for the others.
    folds : ndarray of shape (n,), integer
        Fold of every row; at least two folds.
    delta : float in (0, 1], optional
        Error probability of the bounds; by default :func:`pick_delta` of the
        number of rows outside the fold.
    max_splits, n_iterations : int
        Maximum number of splits per fold and iteration; number of iterations, at least 1.
    min_rows : float
        A subset needs this many rows to be evaluated, and more to be split.
    k : float
        Smoothing of the split score; larger values favor larger subsets.
    honest : bool
        False evaluates subsets on the tree's rows, as SAR-PU's code does.
    sample_weight : ndarray of shape (n,), optional
        All counts are then sums of weights. Weight 2 means two equal rows in the same fold;
        weight 0 removes the row.

    Returns
    -------
    TIcEResult

    Notes
    -----
    **What breaks it:** no subset in which nearly all rows are positive (the estimate
    is too small); labeling that depends on the features beyond the class; few
    rows, because the maximum of many noisy bounds is biased upwards.

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


@dataclass(slots=True)
class Node:
    """A subset of rows: those that grow the tree and those that evaluate it."""

    tree: Part
    judge: Part
    children: list[Node] | None = None  # None until needed


class Tree:
    """The tree of one fold, grown lazily; it is the same for all bounds."""

    def __init__(self, table: Table, inside: np.ndarray, honest: bool, k: float) -> None:
        self._table, self._honest, self._k = table, honest, k
        self._tree_rows, self._judge_rows = np.flatnonzero(inside), np.flatnonzero(~inside)
        self.outside = table.part(self._judge_rows)
        tree = table.part(self._tree_rows)
        self.root = Node(tree, self.outside if honest else tree)

    def children(self, node: Node) -> list[Node]:
        """Children of a node; empty if no feature divides it."""
        if node.children is None:
            rows = self._tree_rows[node.tree.start : node.tree.stop]
            feature = self._table.best_feature(rows, self._k)
            node.children = [] if feature is None else self._divide(node, feature)
        return node.children

    def _divide(self, node: Node, feature: int) -> list[Node]:
        tree = judge = self._table.divide(self._tree_rows, node.tree, feature)
        if self._honest:
            judge = self._table.divide(self._judge_rows, node.judge, feature)
        pairs = zip(tree, judge, strict=True)
        return [Node(*pair) for pair in pairs if pair[0].total > 0 or pair[1].total > 0]


def search(tree: Tree, spread: float, max_splits: int, min_rows: float) -> tuple[float, int]:
    """Search a tree best first; return the largest bound and the number of splits."""
    best = tree.outside.labeled / tree.outside.total
    heap = [(0.0, 0.0, 0, tree.root)]
    n_nodes, n_splits = 1, 0
    while heap and n_splits < max_splits:
        children = tree.children(heapq.heappop(heap)[-1])
        n_splits += bool(children)
        best = max(best, _largest_bound(children, spread, min_rows))
        needed = spread / (1.0 - best) ** 2 if best < 1.0 else math.inf
        for number, child in enumerate(children, n_nodes):
            if _may_be_split(child, needed, min_rows):
                priority = (-child.tree.bound(spread), -child.tree.labeled)
                heapq.heappush(heap, (*priority, number, child))
        n_nodes += len(children)
    return best, n_splits


def _largest_bound(nodes: list[Node], spread: float, min_rows: float) -> float:
    """Largest bound on the evaluation rows of nodes that have at least `min_rows`."""
    parts = [node.judge for node in nodes if node.judge.total > 0]
    bounds = [part.bound(spread) for part in parts if part.total >= min_rows]
    return max(bounds, default=-math.inf)


def _may_be_split(node: Node, needed: float, min_rows: float) -> bool:
    """Whether a node has enough labeled evaluation rows, and enough tree rows with both labels."""
    rows = node.tree
    worth = node.judge.labeled > needed and rows.total > min_rows
    return worth and 0 < rows.labeled < rows.total


class Part(NamedTuple):
    """The rows of a node, as a slice of an array of row indices, with their counts."""

    start: int
    stop: int
    labeled: float
    total: float

    def bound(self, spread: float) -> float:
        """Lower bound of c: the labeled share minus Cantelli's one-sided correction."""
        return self.labeled / self.total - math.sqrt(spread / self.total)


class DenseBins:
    """The bins of dense rows, laid out for counting."""

    def __init__(self, codes: np.ndarray) -> None:
        occurs = np.stack([(codes == code).any(axis=0) for code in range(4)], axis=1)
        self.features, values = _bins_that_divide(occurs)
        self._codes = np.ascontiguousarray(codes.T)
        self._bins = codes.take(self.features, axis=1) == values.astype(np.uint8)

    def codes(self, feature: int, rows: np.ndarray) -> np.ndarray:
        """Code of each row in a feature."""
        return self._codes[feature].take(rows)

    def counts(self, rows: np.ndarray, mass: np.ndarray) -> np.ndarray:
        """Sums of the masses of rows in every bin, of shape (n_masses, n_bins)."""
        counts = np.zeros((mass.shape[1], len(self.features)))
        for start in range(0, len(rows), _BLOCK):
            block = rows[start : start + _BLOCK]
            bins = self._bins.take(block, axis=0).astype(mass.dtype)
            counts += mass.take(block, axis=0).T @ bins
        return counts


class SparseBins:
    """The bins of sparse rows: entries are counted, and the bin of 0 has what is left."""

    def __init__(self, codes: SparseCodes) -> None:
        stored, (n_rows, p) = codes.stored, codes.stored.shape
        column = np.repeat(np.arange(p), np.diff(stored.indptr))
        occurs = np.zeros((p, 4), dtype=bool)
        occurs[column, stored.data - 1] = True
        has_zeros = np.flatnonzero(np.diff(stored.indptr) < n_rows)
        occurs[has_zeros, codes.of_zero[has_zeros]] = True
        self.features, values = _bins_that_divide(occurs)
        self._stored, self._of_zero = stored, codes.of_zero
        number = np.full((p, 4), -1)
        number[self.features, values] = np.arange(len(self.features))
        place = number[column, stored.data - 1]
        counted = place >= 0
        entries = (np.ones(counted.sum()), (stored.indices[counted], place[counted]))
        self._entries = sparse.csr_array(entries, shape=(n_rows, len(self.features)))
        self._is_rest = values == codes.of_zero[self.features]

    def codes(self, feature: int, rows: np.ndarray) -> np.ndarray:
        """Code of each row in a feature."""
        column = np.full(self._stored.shape[0], self._of_zero[feature])
        here = slice(*self._stored.indptr[feature : feature + 2])
        column[self._stored.indices[here]] = self._stored.data[here] - 1
        return column.take(rows)

    def counts(self, rows: np.ndarray, mass: np.ndarray) -> np.ndarray:
        """Sums of the masses of rows in every bin, of shape (n_masses, n_bins)."""
        own = mass.take(rows, axis=0).astype(np.float64)
        counts = np.asarray((self._entries[rows].T @ own).T)
        for one, total in zip(counts, own.sum(axis=0), strict=True):
            of_feature = np.bincount(self.features, one)
            one[self._is_rest] = total - of_feature[self.features[self._is_rest]]
        return counts


def _bins_that_divide(occurs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Features and codes of the bins that occur, of features with at least two of them."""
    occurs = occurs & (occurs.sum(axis=1) >= 2)[:, None]
    features, values = np.nonzero(occurs)
    return features, values


@dataclass(frozen=True)
class Table:
    """The data, laid out for counting."""

    bins: DenseBins | SparseBins
    labeled: np.ndarray  # (n,): 1 if labeled
    mass: np.ndarray  # (n, 3): one, weight if labeled, weight
    weight: np.ndarray | None  # (n,)

    @classmethod
    def make(cls, codes: Codes, s: np.ndarray, weight: np.ndarray | None) -> Table:
        """Lay out the bins of every row, its label and its weight."""
        labeled = np.asarray(s, dtype=bool)
        ones = np.ones(len(s), dtype=np.float32 if weight is None else np.float64)
        total = ones if weight is None else weight
        mass = np.stack([ones, total * labeled, total], axis=1)
        bins = SparseBins(codes) if isinstance(codes, SparseCodes) else DenseBins(codes)
        return cls(bins, labeled.astype(np.uint8), mass, weight)

    def part(self, rows: np.ndarray) -> Part:
        """The part that holds all of `rows`."""
        counts = self.mass.take(rows, axis=0).sum(axis=0, dtype=np.float64).tolist()
        return Part(0, len(rows), counts[1], counts[2])

    def best_feature(self, rows: np.ndarray, k: float) -> int | None:
        """Feature that divides `rows` with the largest L / (T + k) in one of its bins."""
        if not len(self.bins.features):
            return None
        n_rows, labeled, total = self.bins.counts(rows, self.mass)
        divides = (n_rows > 0) & (n_rows < len(rows))
        score = np.divide(labeled, total + k, out=np.zeros(len(total)), where=divides)
        best = score.argmax()
        return int(self.bins.features[best]) if score[best] > 0 else None

    def divide(self, order: np.ndarray, part: Part, feature: int) -> list[Part]:
        """Sort `part` of `order` by the bins of `feature`; return the four bins."""
        rows = order[part.start : part.stop]
        keys = 2 * self.bins.codes(feature, rows) + self.labeled.take(rows)
        sizes = np.bincount(keys, minlength=8).tolist()
        counts = sizes
        if self.weight is not None:
            counts = np.bincount(keys, self.weight.take(rows), minlength=8).tolist()
        order[part.start : part.stop] = rows.take(keys.argsort(kind="stable"))
        parts, start = [], part.start
        for key in range(0, 8, 2):
            stop = start + sizes[key] + sizes[key + 1]
            parts.append(Part(start, stop, counts[key + 1], counts[key] + counts[key + 1]))
            start = stop
        return parts
