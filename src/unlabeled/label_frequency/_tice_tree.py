"""A tree of TIcE: subsets of rows, searched for the largest lower bound of the label frequency."""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass

import numpy as np

from ._tice_table import Part, Table


@dataclass(slots=True)
class Node:
    """A subset of rows: those that grow the tree and those that evaluate it."""

    tree: Part
    judge: Part
    children: list[Node] | None = None  # None until asked for


class Tree:
    """One fold's tree, grown on demand. What it is does not depend on the bounds."""

    def __init__(self, table: Table, inside: np.ndarray, honest: bool, k: float) -> None:
        self._table, self._honest, self._k = table, honest, k
        self._tree_rows, self._judge_rows = np.flatnonzero(inside), np.flatnonzero(~inside)
        self.outside = table.part(self._judge_rows)
        tree = table.part(self._tree_rows)
        self.root = Node(tree, self.outside if honest else tree)

    def children(self, node: Node) -> list[Node]:
        """Children of a node, none if no feature divides it."""
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
    best = tree.outside.labelled / tree.outside.total
    heap = [(0.0, 0.0, 0, tree.root)]
    n_nodes, n_splits = 1, 0
    while heap and n_splits < max_splits:
        children = tree.children(heapq.heappop(heap)[-1])
        n_splits += bool(children)
        best = max(best, _largest_bound(children, spread, min_rows))
        needed = spread / (1.0 - best) ** 2 if best < 1.0 else math.inf
        for number, child in enumerate(children, n_nodes):
            if _may_be_split(child, needed, min_rows):
                priority = (-child.tree.bound(spread), -child.tree.labelled)
                heapq.heappush(heap, (*priority, number, child))
        n_nodes += len(children)
    return best, n_splits


def _largest_bound(nodes: list[Node], spread: float, min_rows: float) -> float:
    """Largest bound on the evaluation rows of nodes that have at least `min_rows`."""
    parts = [node.judge for node in nodes if node.judge.total > 0]
    bounds = [part.bound(spread) for part in parts if part.total >= min_rows]
    return max(bounds, default=-math.inf)


def _may_be_split(node: Node, needed: float, min_rows: float) -> bool:
    """Whether more than `needed` labelled rows judge it, and its own are many and differ in s."""
    rows = node.tree
    worth = node.judge.labelled > needed and rows.total > min_rows
    return worth and 0 < rows.labelled < rows.total
