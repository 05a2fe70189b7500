"""Columns of any table as comparable numbers, and random trees on them: what r may depend on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.tree import ExtraTreeRegressor

from ..engine.arrays import is_on_device, is_sparse, to_host

# StandardizedColumns columns are cut off here.
_FAR = 3.0
# Of more columns, those that go most with the labels are taken.
_MOST_COLUMNS = 200
# A level of a column of text is a column of its own if it has this share of the rows, and so many.
_LEAST_SHARE, _LEAST_ROWS, _MOST_LEVELS = 0.01, 20, 20
_TREES, _LEAST_IN_LEAF, _MOST_ROWS_OF_TREES = 100, 20, 4096
_LEAF = -1


@dataclass(frozen=True, eq=False)
class StandardizedColumns:
    """Some columns, standardized.

    Attributes
    ----------
    taken : tuple of (name, position, level)
        The level is None for numbers. Otherwise the column says which rows have it.
    mean, deviation : ndarray of shape (n_columns,)
    """

    taken: tuple[tuple[Any, int, str | None], ...]
    mean: np.ndarray
    deviation: np.ndarray

    def of_rows(self, X: Any) -> np.ndarray:
        """Return the columns of rows; a missing cell is at the mean."""
        n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
        found = np.empty((n_rows, len(self.taken)), dtype=np.float32)
        for k, one in enumerate(self.taken):
            column = (_column(X, one) - self.mean[k]) / self.deviation[k]
            found[:, k] = np.where(np.isfinite(column), np.clip(column, -_FAR, _FAR), 0.0)
        return found


class Columns:
    """Columns of a table as comparable numbers, and how to make them of new rows.

    Attributes
    ----------
    asked : dict
        What was learned of the columns that a fit asked for, by their names, as text.
    """

    def __init__(self) -> None:
        self.asked: dict[str, StandardizedColumns] = {}

    def of_fit(
        self, X: Any, s: np.ndarray, weight: np.ndarray | None = None, names: Any = None
    ) -> Callable[[Any], np.ndarray]:
        """Return what makes a matrix of named columns of the rows of a fit, or of all.

        All are at most 200: those that go most with the labels. Rows that are no table, such as
        texts, have none. `names` are those of the columns if X does not have them.
        """
        X = _table(X)
        known = getattr(X, "columns", names)
        named = None if known is None else [str(one) for one in known]

        def known_columns(wanted: Any = None) -> np.ndarray:
            if wanted is None:
                found = _all(X, named)
            else:
                places = [_place(named, one) for one in _listed(wanted)]
                found = [part for place in places for part in _of_column(X, *place)]
            learned = _standardized(X, found, s, weight, chooses=wanted is None)
            self.asked[repr(_listed(wanted))] = learned
            return learned.of_rows(X)

        return known_columns

    def of_rows(self, X: Any) -> Callable[[Any], np.ndarray]:
        """Return what makes the same matrices of new rows."""
        X = _table(X)

        def known(wanted: Any = None) -> np.ndarray:
            return self.asked[repr(_listed(wanted))].of_rows(X)

        return known

    @property
    def positions(self) -> list[int]:
        """Where the columns of X are that somebody asked for."""
        return sorted({place for one in self.asked.values() for _, place, _ in one.taken})

    def of_some(self, X: Any) -> Callable[[list[int]], Callable[[Any], np.ndarray]]:
        """Return what makes those matrices, given which columns of X are known.

        All others are at their means.
        """
        X = _table(X)
        made = {asked: learned.of_rows(X) for asked, learned in self.asked.items()}
        places = {asked: [place for _, place, _ in one.taken] for asked, one in self.asked.items()}

        def with_known(positions: list[int]) -> Callable[[Any], np.ndarray]:
            def known(wanted: Any = None) -> np.ndarray:
                asked = repr(_listed(wanted))
                return made[asked] * np.isin(places[asked], positions).astype(np.float32)

            return known

        return with_known


def _table(X: Any) -> Any:
    """Return rows in a list as an array, if they are numbers."""
    if not isinstance(X, list) or not len(X) or isinstance(X[0], str):
        return X
    table = np.asarray(X)
    return table if table.ndim == 2 and table.dtype.kind in "biuf" else X


def _listed(wanted: Any) -> list[Any]:
    """Return names or positions as a list; that of all columns is empty."""
    if wanted is None:
        return []
    is_one = isinstance(wanted, str) or np.isscalar(wanted)
    return [one if isinstance(one, str) else int(one) for one in ([wanted] if is_one else wanted)]


def _place(names: list[str] | None, wanted: Any) -> tuple[Any, int]:
    """Return name and position of a column that somebody asked for."""
    if isinstance(wanted, str):
        if names is None or wanted not in names:
            raise ValueError(f"`X` must have a column {wanted!r}; got none of that name.")
        return wanted, names.index(wanted)
    return (None if names is None else names[int(wanted)]), int(wanted)


def _standardized(
    X: Any,
    taken: list[tuple[Any, int, str | None]],
    s: np.ndarray,
    weight: np.ndarray | None,
    chooses: bool,
) -> StandardizedColumns:
    """Compute means and deviations; choose among many columns, and leave out constant ones."""
    weight = np.ones(len(s)) if weight is None else weight
    mean, square, along = (np.zeros(len(taken)) for _ in range(3))
    centered = weight * (s - weight @ s / weight.sum())
    for k, one in enumerate(taken):
        column = _column(X, one)
        there = np.isfinite(column)
        known = max(float(weight @ there), 1e-300)
        mean[k] = weight @ np.where(there, column, 0.0) / known
        away = np.where(there, column - mean[k], 0.0)
        square[k] = weight @ away**2 / known
        along[k] = abs(centered @ away)
    deviation = np.sqrt(square)
    varies = deviation > 1e-12 * np.abs(mean)
    if not chooses:
        return StandardizedColumns(tuple(taken), mean, np.where(varies, deviation, 1.0))
    chosen = np.flatnonzero(varies)
    strength = along[chosen] / deviation[chosen]
    chosen = np.sort(chosen[np.argsort(-strength, kind="stable")[:_MOST_COLUMNS]])
    return StandardizedColumns(tuple(taken[k] for k in chosen), mean[chosen], deviation[chosen])


def _all(X: Any, names: list[str] | None) -> list[tuple[Any, int, str | None]]:
    """Return all columns that numbers can be made of."""
    if len(getattr(X, "shape", ())) != 2:
        return []
    positions = np.arange(X.shape[1])
    if is_sparse(X) and X.shape[1] > 4 * _MOST_COLUMNS:
        squares = np.asarray(X.multiply(X).sum(axis=0)).ravel()
        positions = np.sort(np.argsort(-squares, kind="stable")[: 4 * _MOST_COLUMNS])
    return [
        part
        for j in positions.tolist()
        for part in _of_column(X, None if names is None else names[j], j)
    ]


def _of_column(X: Any, name: Any, position: int) -> list[tuple[Any, int, str | None]]:
    """Return a column of numbers, or one for each frequent level."""
    if is_sparse(X):
        return [(name, position, None)]
    values = _cells(X, name, position)
    if values.dtype.kind in "biufM" or _are_numbers(values):
        return [(name, position, None)]
    text = values.astype(str)
    levels, counts = np.unique(text, return_counts=True)
    frequent = counts >= max(_LEAST_ROWS, _LEAST_SHARE * len(text))
    order = np.argsort(-counts[frequent], kind="stable")[:_MOST_LEVELS]
    return [(name, position, str(level)) for level in levels[frequent][order]]


def _are_numbers(values: np.ndarray) -> bool:
    try:
        values.astype(np.float64)
    except (TypeError, ValueError):
        return False
    return True


def _cells(X: Any, name: Any, position: int) -> np.ndarray:
    """Return the cells of one column, as they are."""
    if not hasattr(X, "columns"):
        column = X[:, position]
        return np.asarray(to_host(column) if is_on_device(column) else column)
    column = X[name] if name in X.columns else X[X.columns[position]]
    if str(column.dtype) == "category":
        column = column.astype(object)
    return np.asarray(column)


def _column(X: Any, one: tuple[Any, int, str | None]) -> np.ndarray:
    name, position, level = one
    if is_sparse(X):
        return np.asarray(X[:, [position]].todense(), dtype=np.float64).ravel()
    values = _cells(X, name, position)
    if level is not None:
        return (values.astype(str) == level).astype(np.float64)
    if values.dtype.kind == "M":
        seconds = values.astype("datetime64[s]").astype(np.float64)
        return np.where(np.isnat(values), np.nan, seconds)
    return values.astype(np.float64)


@dataclass(frozen=True, eq=False)
class RandomTrees:
    """Random partitions of rows: a hundred trees, each a list of nodes in one array.

    Attributes
    ----------
    root : ndarray of shape (n_trees,)
        Number of the first node of each tree.
    feature, left, right : ndarray of shape (n_nodes,)
        Where a node splits, and the nodes below. The feature of a leaf is -1.
    threshold : ndarray of shape (n_nodes,)
        A row goes left if its feature is at most that.
    """

    root: np.ndarray
    feature: np.ndarray
    threshold: np.ndarray
    left: np.ndarray
    right: np.ndarray

    @classmethod
    def of(cls, design: np.ndarray) -> RandomTrees | None:
        """Grow trees that look at nothing but the columns; None if there is nothing to split.

        Order of rows and columns, which says nothing, changes nothing.
        """
        if design.shape[1] == 0 or len(design) < 2 * _LEAST_IN_LEAF:
            return None
        columns = np.argsort(
            [float((one**3 + np.exp(one)).sum(dtype=np.float64)) for one in design.T]
        )
        rng = np.random.RandomState(0)
        along = design[:, columns] @ rng.normal(size=len(columns))
        rows = np.argsort(along, kind="stable")
        rows = rows[np.sort(rng.permutation(len(rows))[:_MOST_ROWS_OF_TREES])]
        grown = design[np.ix_(rows, columns)].astype(np.float32)
        noise = rng.normal(size=len(rows))  # keeps nodes from being pure
        trees = [
            ExtraTreeRegressor(max_features=1, min_samples_leaf=_LEAST_IN_LEAF, random_state=k)
            .fit(grown, noise, check_input=False)
            .tree_
            for k in range(_TREES)
        ]
        root = np.cumsum([0] + [one.node_count for one in trees])
        feature, left, right = (np.empty(root[-1], dtype=np.int32) for _ in range(3))
        threshold = np.empty(root[-1])
        for first, tree in zip(root, trees, strict=False):
            there = slice(first, first + tree.node_count)
            is_leaf = tree.children_left == _LEAF
            feature[there] = np.where(is_leaf, _LEAF, columns[np.maximum(tree.feature, 0)])
            threshold[there] = tree.threshold
            left[there], right[there] = tree.children_left + first, tree.children_right + first
        return cls(root[:-1].astype(np.int32), feature, threshold, left, right)

    @property
    def n_nodes(self) -> int:
        """Number of nodes of all trees."""
        return len(self.feature)

    def leaves(self, design: np.ndarray) -> np.ndarray:
        """Return the node in which each row ends, of each tree: shape (n_rows, n_trees)."""
        n_rows, n_trees = len(design), len(self.root)
        node = np.tile(self.root, n_rows)
        # As trees of scikit-learn do.
        flat = np.ascontiguousarray(design, dtype=np.float32).ravel()
        start = np.repeat(np.arange(n_rows, dtype=np.int64) * design.shape[1], n_trees)
        moving = np.arange(len(node))
        while len(moving):
            here = node[moving]
            feature = self.feature[here]
            inner = feature != _LEAF
            moving, here, feature = moving[inner], here[inner], feature[inner]
            goes_left = flat[start[moving] + feature] <= self.threshold[here]
            node[moving] = np.where(goes_left, self.left[here], self.right[here])
        return node.reshape(n_rows, n_trees)
