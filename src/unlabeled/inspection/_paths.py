"""What each feature changes on a row's way from the root of a tree to its leaf."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.ensemble import (
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)

from ..engine.arrays import is_sparse
from ..engine.rows import consecutive_slices

FORESTS = (ExtraTreesClassifier, RandomForestClassifier)
BOOSTING = HistGradientBoostingClassifier

# Rows per block: a forest needs one cell per row, tree and step of the path.
_BLOCK = 1000


def forest_values(forest: Any, X: Any, positive: Any) -> np.ndarray:
    """Return the changes of a forest's probability of `positive`, one column per feature.

    A node's value is the share of `positive` among the training rows that reach it. A split
    credits the change from a node to its child to the feature that it splits.
    """
    column = int(np.flatnonzero(forest.classes_ == positive)[0])
    trees = [tree.tree_ for tree in forest.estimators_]
    changes = sparse.vstack([_changes(tree, column) for tree in trees], format="csr")
    first = np.cumsum([0, *(tree.node_count for tree in trees)])
    above = np.concatenate([_above(tree, k) for tree, k in zip(trees, first[:-1], strict=True)])
    n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
    blocks = [
        (_ways(forest.apply(_rows(X, block)) + first[:-1], above) @ changes).toarray()
        for block in consecutive_slices(n_rows, _BLOCK)
    ]
    return np.vstack(blocks) / len(trees)


def _above(tree: Any, first: int) -> np.ndarray:
    """Return the node above each node, if the nodes are counted from `first`; -1 at the root."""
    above = np.full(tree.node_count, -1, dtype=np.intp)
    parents = np.flatnonzero(tree.children_left >= 0)
    for children in (tree.children_left, tree.children_right):
        above[children[parents]] = first + parents
    return above


def _ways(leaves: np.ndarray, above: np.ndarray) -> sparse.csr_matrix:
    """Return the nodes on the ways of rows to their leaves, of shape (n_rows, n_nodes).

    This is `decision_path` of the forest, which in scikit-learn 1.6 sends every missing value to
    the right, wherever the fit has sent it.
    """
    row, at = np.repeat(np.arange(len(leaves)), leaves.shape[1]), leaves.ravel()
    rows, nodes = [], []
    while len(at):
        rows.append(row)
        nodes.append(at)
        up = above[at]
        row, at = row[up >= 0], up[up >= 0]
    cells = np.concatenate(rows), np.concatenate(nodes)
    shape = len(leaves), len(above)
    return sparse.csr_matrix((np.ones(len(cells[0]), dtype=np.intp), cells), shape=shape)


def _rows(X: Any, block: slice) -> Any:
    return X.iloc[block] if hasattr(X, "iloc") else X[block]


def _changes(tree: Any, column: int) -> sparse.csr_matrix:
    """Return the change at each node of a tree, in the column of the feature that leads to it."""
    value = tree.value[:, 0, column]
    parents = np.flatnonzero(tree.children_left >= 0)
    children = np.concatenate([tree.children_left[parents], tree.children_right[parents]])
    parents = np.tile(parents, 2)
    cells = (value[children] - value[parents], (children, tree.feature[parents]))
    return sparse.csr_matrix(cells, shape=(tree.node_count, tree.n_features))


def boosting_values(model: Any, X: Any, positive: Any) -> np.ndarray:
    """Return the changes of a boosting's decision function toward `positive`.

    A node's value is the mean of its leaves, each weighted by the number of its training rows.
    """
    X = np.asarray(X.toarray() if is_sparse(X) else X, dtype=np.float64)
    values = np.zeros(X.shape)
    for (tree,) in model._predictors:  # scikit-learn has no public way to the nodes
        _reject_categories(tree.nodes)
        _walk(tree.nodes, X, values)
    return values if positive == model.classes_[1] else -values


def _reject_categories(nodes: np.ndarray) -> None:
    if nodes["is_categorical"].any():
        raise ValueError(
            "`estimator` must be a boosting without `categorical_features`; got one that splits "
            "them. Encode them before the fit, as OneHotEncoder does."
        )


def _walk(nodes: np.ndarray, X: np.ndarray, values: np.ndarray) -> None:
    """Follow every row to its leaf; add what each step changes to `values`."""
    mean, at = _means(nodes), np.zeros(len(X), dtype=np.intp)
    while len(inside := np.flatnonzero(nodes["is_leaf"][at] == 0)):
        here = nodes[at[inside]]
        cell = X[inside, here["feature_idx"]]
        left = np.where(np.isnan(cell), here["missing_go_to_left"], cell <= here["num_threshold"])
        after = np.where(left, here["left"], here["right"]).astype(np.intp)
        values[inside, here["feature_idx"]] += mean[after] - mean[at[inside]]
        at[inside] = after


def _means(nodes: np.ndarray) -> np.ndarray:
    mean, count = nodes["value"].copy(), nodes["count"]
    for k in np.flatnonzero(nodes["is_leaf"] == 0)[::-1]:  # children come after their parent
        sides = [int(nodes["left"][k]), int(nodes["right"][k])]
        mean[k] = np.average(mean[sides], weights=count[sides])
    return mean
