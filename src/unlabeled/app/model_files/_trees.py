"""Trees of scikit-learn as plain arrays, all checked before scikit-learn gets them.

Scikit-learn's trees trust what they are given: a child or a feature that does not exist makes them
read memory that is not theirs. So a model file names none of their classes. It holds `StoredTrees`:
settings, and one array per field for the nodes of all trees, one tree after the other.

A child is stored as its distance from its parent, 0 if a node is a leaf. Features, thresholds and
the ways of missing cells are stored for splits only. What follows from these is not stored but
computed: depths, and which nodes are leaves. Nor is what no prediction needs: seeds of trees,
scores of the fit, and the bins of boosting.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from typing import Any, NamedTuple

import numpy as np
import sklearn
from sklearn.ensemble import (
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.tree._tree import Tree

from ._nodes import AGAIN, ModelFileError
from ._trusted import StoredTrees

MOST_ENSEMBLES = 100
MOST_TREES = 100_000
MOST_TREE_NODES = 20_000_000
"""Maximum number of nodes of all trees; scikit-learn needs 80 bytes for each."""

MOST_FEATURES = 1_000_000
DEEPEST_TREE = 10_000

KINDS = {
    kind.__name__: kind
    for kind in (ExtraTreesClassifier, HistGradientBoostingClassifier, RandomForestClassifier)
}
"""Classes whose trees a file may hold."""


class _Fields(NamedTuple):
    """Names of the fields of a node."""

    children: tuple[str, str]
    feature: str
    threshold: str
    flags: tuple[str, ...]
    """Other whole numbers of splits, from 0 to a maximum."""
    rows: str
    numbers: tuple[str, ...]
    """Finite numbers of all nodes."""
    computed: tuple[str, ...]

    @property
    def of_splits(self) -> tuple[str, ...]:
        return (self.feature, self.threshold, *self.flags)

    @property
    def stored(self) -> tuple[str, ...]:
        return (*self.children, *self.of_splits, self.rows, *self.numbers)


_FOREST = _Fields(
    children=("left_child", "right_child"),
    feature="feature",
    threshold="threshold",
    flags=("missing_go_to_left",),
    rows="n_node_samples",
    numbers=("impurity", "weighted_n_node_samples"),
    computed=(),
)
_BOOSTING = _Fields(
    children=("left", "right"),
    feature="feature_idx",
    threshold="num_threshold",
    flags=("missing_go_to_left", "bin_threshold"),
    rows="count",
    numbers=("value", "gain"),
    computed=("depth", "is_leaf", "is_categorical", "bitset_idx"),
)
_LARGEST_FLAG = {"missing_go_to_left": 1, "bin_threshold": 255}
_SHARES = "shares"
_LEAF, _UNDEFINED = -1, -2  # what scikit-learn writes into the leaves of a forest
_ROUNDING = 1e-9
_OF_THE_FIT = ("_n_samples", "_n_samples_bootstrap", "train_score_", "validation_score_")


class _Nodes(NamedTuple):
    """Nodes of all trees, checked."""

    columns: dict[str, np.ndarray]
    sizes: np.ndarray
    leaf: np.ndarray
    depth: np.ndarray

    def starts(self) -> np.ndarray:
        return np.cumsum(self.sizes) - self.sizes

    def pieces(self, whole: np.ndarray) -> list[np.ndarray]:
        """Return the part of each tree."""
        return np.split(whole, self.starts()[1:])


def holds_trees(model: Any) -> bool:
    """Return whether a model is one whose trees are stored as arrays."""
    return type(model) in KINDS.values()


def fewest_rows(model: Any) -> tuple[int, int]:
    """Return the number of trees, and of training rows in the smallest leaf."""
    trees = list(_trees_of(model))
    counts = []
    for nodes in trees:
        boosting = "is_leaf" in (nodes.dtype.names or ())
        leaf = nodes["is_leaf"] == 1 if boosting else nodes["left_child"] == _LEAF
        counts.append(nodes["count" if boosting else "n_node_samples"][leaf].min())
    return len(trees), int(min(counts))


def _trees_of(model: Any) -> Iterator[np.ndarray]:
    """Yield the nodes of each tree."""
    if isinstance(model, HistGradientBoostingClassifier):
        yield from (tree.nodes for several in model._predictors for tree in several)
    else:
        yield from (tree.tree_.__getstate__()["nodes"] for tree in model.estimators_)


def _stored(model: Any) -> StoredTrees:
    """Return the settings and arrays of a model; reject what these cannot express."""
    kind = type(model).__name__
    stored = StoredTrees(kind, _settings_of(model))
    if not hasattr(model, "classes_"):
        return stored
    boosting = isinstance(model, HistGradientBoostingClassifier)
    if len(model.classes_) != 2:
        raise ModelFileError(
            f"`model` must hold {kind} of two classes to be saved; got "
            f"{len(model.classes_)}. Fit it to labeled and unlabeled rows."
        )
    if boosting and getattr(model, "is_categorical_", None) is not None:
        raise ModelFileError(
            f"`model` must hold {kind} without categorical features to be saved; got some. "
            "Encode them as numbers, as table_pipeline does."
        )
    stored.classes = model.classes_
    stored.n_features = int(model.n_features_in_)
    names = getattr(model, "feature_names_in_", None)
    stored.feature_names = None if names is None else np.array(list(names), dtype=str)
    trees = list(_trees_of(model))
    stored.sizes = _narrow(np.array([len(tree) for tree in trees]))
    _store_nodes(stored, np.concatenate(trees), _BOOSTING if boosting else _FOREST)
    if boosting:
        stored.baseline = float(model._baseline_prediction.item())
    else:
        shares = np.concatenate([tree.tree_.value[:, 0] for tree in model.estimators_])
        stored.nodes[_SHARES] = _as_counts(shares.T, stored.nodes["weighted_n_node_samples"])
    return stored


def _store_nodes(stored: StoredTrees, nodes: np.ndarray, fields: _Fields) -> None:
    unknown = set(nodes.dtype.names or ()) ^ {*fields.stored, *fields.computed}
    if unknown:
        raise ModelFileError(
            f"`model` must hold trees with nodes that this version of unlabeled knows; got "
            f"those of scikit-learn {sklearn.__version__}, which differ in {min(unknown)}. Update "
            "unlabeled, or install an older scikit-learn."
        )
    sizes = np.asarray(stored.sizes, dtype=np.int64)
    node = np.arange(len(nodes)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    # The root is no child: scikit-learn writes -1 for no child of a forest, and 0 in boosting.
    leaf = nodes[fields.children[0]].astype(np.int64) <= 0
    for name in fields.stored:
        column = nodes[name][~leaf] if name in fields.of_splits else nodes[name]
        if name in fields.children:
            column = np.where(leaf, 0, column.astype(np.int64) - node)
        stored.nodes[name] = _narrow(column)


def _as_counts(shares: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Return shares of the weight as whole numbers if they are; these take a quarter of the room.

    Shares that follow from whole numbers follow exactly, by the division of scikit-learn.
    """
    counts = np.rint(shares * weight)
    with np.errstate(divide="ignore", invalid="ignore"):
        exact = np.array_equal(counts / weight.astype(np.float64), shares)
    return _narrow(counts.astype(np.int64)) if exact else np.ascontiguousarray(shares)


def _settings_of(model: Any) -> dict[str, Any]:
    """Return the settings; threads are a matter of the machine, not of the model."""
    settings = model.get_params(deep=False)
    if "n_jobs" in settings:
        settings["n_jobs"] = None
    for name, value in settings.items():
        if isinstance(value, np.generic):
            settings[name] = value = value.item()
        if not isinstance(value, bool | int | float | str | None):
            raise ModelFileError(
                f"`{name}` of {type(model).__name__} must be a number, text or None to be saved; "
                f"got {type(value).__name__}. Fit with one of these."
            )
    return settings


def _narrow(column: np.ndarray) -> np.ndarray:
    """Return the same numbers in the smallest type that holds them exactly."""
    if column.dtype.kind == "f":
        with np.errstate(over="ignore"):
            single = column.astype(np.float32)
        return single if np.array_equal(single, column) else column
    kinds = (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.int64)
    low, high = (int(column.min()), int(column.max())) if column.size else (0, 0)
    fits = (kind for kind in kinds if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max)
    return column.astype(next(fits))


class TreeStore:
    """Store or read the trees of one model, and count them against the limits."""

    def __init__(self) -> None:
        self._built: dict[int, tuple[StoredTrees, Any]] = {}
        self._counts = np.zeros(3)

    def store(self, model: Any) -> StoredTrees:
        """Return a model of `KINDS` as settings and arrays that can be read again."""
        stored = _stored(model)
        try:
            self._count(stored)
            _checked(stored)
        except ModelFileError as error:
            raise ModelFileError(
                f"`model` must hold only what a model file may hold; got one that {error}"
            ) from None
        return stored

    def read(self, stored: StoredTrees) -> Any:
        """Return the model, each once; every number of it is checked first."""
        if id(stored) not in self._built:
            _check_settings(stored)
            self._count(stored)
            self._built[id(stored)] = stored, _rebuilt(stored)
        return self._built[id(stored)][1]

    def _count(self, stored: StoredTrees) -> None:
        sizes = stored.sizes
        if not isinstance(sizes, np.ndarray) or sizes.dtype.kind not in "iu":
            sizes = np.zeros(0)  # not fitted, or to be rejected
        self._counts += 1, sizes.size, sizes.sum(dtype=np.float64)
        for what, number, most in zip(
            ("ensembles of trees", "trees", "nodes of trees"),
            self._counts,
            (MOST_ENSEMBLES, MOST_TREES, MOST_TREE_NODES),
            strict=True,
        ):
            if number > most:
                raise ModelFileError(
                    f"has more than {most} {what}. If it is a model, fit again with fewer trees "
                    "or larger leaves."
                )


def _rebuilt(stored: StoredTrees) -> Any:
    checked = _checked(stored)
    kind = KINDS[stored.kind]
    if checked is None:
        return kind(**stored.settings)
    # A model of this version of scikit-learn, whose trees are then replaced.
    boosting = kind is HistGradientBoostingClassifier
    short = {"max_iter": 1, "early_stopping": False} if boosting else {"n_estimators": 1}
    model = kind(**short, random_state=0).fit([[0.0], [1.0]], [0, 1])
    model.set_params(**stored.settings)
    (_fill_boosting if boosting else _fill_forest)(model, stored, checked)
    model.classes_ = stored.classes
    model.n_features_in_ = stored.n_features
    if stored.feature_names is not None:
        model.feature_names_in_ = stored.feature_names.astype(object)
    for name in _OF_THE_FIT:
        vars(model).pop(name, None)
    return model


def _fill_forest(model: Any, stored: StoredTrees, nodes: _Nodes) -> None:
    first = model.estimators_[0]
    first.set_params(**{name: getattr(model, name) for name in model.estimator_params})
    first.set_params(random_state=None)
    first.n_features_in_ = stored.n_features
    vars(first).pop("max_features_", None)
    records = np.zeros(len(nodes.leaf), first.tree_.__getstate__()["nodes"].dtype)
    _fill(records, nodes, _FOREST)
    for name in _FOREST.children:
        records[name][nodes.leaf] = _LEAF
    for name in (_FOREST.feature, _FOREST.threshold):
        records[name][nodes.leaf] = _UNDEFINED
    values = np.ascontiguousarray(nodes.columns[_SHARES].T, dtype=np.float64)[:, None, :]
    deepest = np.maximum.reduceat(nodes.depth, nodes.starts())
    model.estimators_ = []
    for of_tree, values_of_tree, depth in zip(
        nodes.pieces(records), nodes.pieces(values), deepest, strict=True
    ):
        tree = copy(first)
        tree.tree_ = Tree(stored.n_features, np.array([2], dtype=np.intp), 1)
        tree.tree_.__setstate__(
            {
                "max_depth": int(depth),
                "node_count": len(of_tree),
                "nodes": of_tree,
                "values": values_of_tree,
            }
        )
        model.estimators_.append(tree)


def _fill_boosting(model: Any, stored: StoredTrees, nodes: _Nodes) -> None:
    ((first,),) = model._predictors
    records = np.zeros(len(nodes.leaf), first.nodes.dtype)
    _fill(records, nodes, _BOOSTING)
    records["is_leaf"] = nodes.leaf
    records["depth"] = nodes.depth
    predictors = []
    for of_tree in nodes.pieces(records):
        predictor = copy(first)  # its sets of categories are empty
        predictor.nodes = of_tree.copy()
        predictors.append([predictor])
    model._predictors = predictors
    model._baseline_prediction = np.full_like(model._baseline_prediction, stored.baseline)
    model._bin_mapper.is_categorical_ = np.zeros(
        stored.n_features, dtype=model._bin_mapper.is_categorical_.dtype
    )


def _fill(records: np.ndarray, nodes: _Nodes, fields: _Fields) -> None:
    """Write the checked columns into records with the types of this scikit-learn."""
    kind = records.dtype
    if set(kind.names or ()) != {*fields.stored, *fields.computed}:
        raise _of_another_version(set(kind.names or ()) ^ {*fields.stored, *fields.computed})
    node = np.arange(len(records)) - np.repeat(nodes.starts(), nodes.sizes)
    split = ~nodes.leaf
    for name in fields.stored:
        column = nodes.columns[name]
        if name in fields.children:
            records[name][split] = (node + column)[split]
        elif name in fields.of_splits:
            records[name][split] = column
        else:
            records[name] = column


def _checked(stored: StoredTrees) -> _Nodes | None:
    """Return the nodes, None if the model is not fitted; reject what scikit-learn never writes."""
    _check_settings(stored)
    if stored.classes is None:
        return None
    _check_features(stored)
    boosting = KINDS[stored.kind] is HistGradientBoostingClassifier
    fields = _BOOSTING if boosting else _FOREST
    needed = {*fields.stored} if boosting else {*fields.stored, _SHARES}
    if stored.nodes.keys() ^ needed:
        raise _of_another_version(set(stored.nodes) ^ needed)
    sizes = _whole(stored, "sizes", stored.sizes, None)
    if not sizes.size or sizes.min() < 1:
        raise _bad(stored, "without trees, or with one that has no nodes")
    total = int(sizes.sum())
    children = [_whole(stored, name, stored.nodes[name], total) for name in fields.children]
    leaf, depth = _check_children(stored, sizes, children)
    columns = dict(zip(fields.children, children, strict=True))
    columns |= _check_splits(stored, fields, total - int(leaf.sum()))
    columns |= _check_numbers(stored, fields, total)
    columns[fields.rows] = _check_counts(stored, fields, children, leaf)
    if boosting:
        if type(stored.baseline) is not float or not np.isfinite(stored.baseline):
            raise _bad(stored, "with a baseline that is not a finite number")
    else:
        columns[_SHARES] = _check_shares(stored, columns["weighted_n_node_samples"])
    return _Nodes(columns, sizes, leaf, depth)


def _check_settings(stored: StoredTrees) -> None:
    if vars(stored).keys() != vars(StoredTrees("", {})).keys():
        raise ModelFileError("has trees with other attributes than save_model writes.", AGAIN)
    if not isinstance(stored.kind, str) or stored.kind not in KINDS:
        raise ModelFileError(
            f"has trees of {str(stored.kind)[:80]!r}, which is not one of {', '.join(KINDS)}. Fit "
            "and save the model again."
        )
    known = KINDS[stored.kind]().get_params(deep=False)
    if not isinstance(stored.settings, dict) or not isinstance(stored.nodes, dict):
        raise _bad(stored, "without settings or nodes")
    for name, value in stored.settings.items():
        if name not in known:
            raise _of_another_version({str(name)[:80]})
        if not isinstance(value, bool | int | float | str | None):
            raise _bad(stored, f"with a {name} that is not a number, text or None")
    if stored.settings.get("n_jobs") is not None:
        raise _bad(stored, "with another n_jobs than None")


def _check_features(stored: StoredTrees) -> None:
    classes, n_features, names = stored.classes, stored.n_features, stored.feature_names
    if not (
        isinstance(classes, np.ndarray)
        and classes.shape == (2,)
        and (classes.dtype.kind in "biufU" or all(isinstance(name, str) for name in classes))
        and classes[0] != classes[1]
    ):
        raise _bad(stored, "without two classes that are numbers or text")
    if type(n_features) is not int or not 1 <= n_features <= MOST_FEATURES:
        raise _bad(stored, f"without a number of features from 1 to {MOST_FEATURES}")
    if names is not None and not (
        isinstance(names, np.ndarray) and names.dtype.kind == "U" and names.shape == (n_features,)
    ):
        raise _bad(stored, "with another number of names than of features")


def _check_children(
    stored: StoredTrees, sizes: np.ndarray, children: list[np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Return which nodes are leaves, and their depths, after checking that the trees are trees.

    Children follow their parent, so that no walk can return to a node, and every node but a root
    has one parent.
    """
    left, right = children
    leaf = left == 0
    node = np.arange(len(leaf))
    after = np.repeat(np.cumsum(sizes), sizes) - node
    if np.any(leaf != (right == 0)):
        raise _bad(stored, "in which a node has one child")
    if min(left.min(), right.min()) < 0:
        raise _bad(stored, "in which a child comes before its parent")
    if np.any(left >= after) or np.any(right >= after):
        raise _bad(stored, "in which a child lies outside of its tree")
    split = ~leaf
    below = np.concatenate([(node + left)[split], (node + right)[split]])
    parents = np.bincount(below, minlength=len(leaf))
    roots = np.cumsum(sizes) - sizes
    parents[roots] += 1
    if np.any(parents != 1):
        raise _bad(stored, "in which a node has no parent, or two")
    depth = np.zeros(len(leaf), dtype=np.int64)
    level, at = 0, roots
    while at.size:
        if level > DEEPEST_TREE:
            raise _bad(stored, f"with more than {DEEPEST_TREE} levels")
        depth[at] = level
        at = at[split[at]]
        at = np.concatenate([at + left[at], at + right[at]])
        level += 1
    return leaf, depth


def _check_splits(stored: StoredTrees, fields: _Fields, splits: int) -> dict[str, np.ndarray]:
    feature = _whole(stored, fields.feature, stored.nodes[fields.feature], splits)
    if np.any(feature < 0) or np.any(feature >= stored.n_features):
        raise _bad(stored, f"that split on a feature outside of 0 to {stored.n_features - 1}")
    threshold = _numbers(stored, fields.threshold, splits)
    # Infinity splits cells that are missing from those that are not.
    if np.any(np.isnan(threshold)) or np.any(np.isneginf(threshold)):
        raise _bad(stored, "with a threshold that is not a number")
    columns = {fields.feature: feature, fields.threshold: threshold}
    for name in fields.flags:
        flag = columns[name] = _whole(stored, name, stored.nodes[name], splits)
        if np.any(flag < 0) or np.any(flag > _LARGEST_FLAG[name]):
            raise _bad(stored, f"with a {name} outside of 0 to {_LARGEST_FLAG[name]}")
    return columns


def _check_numbers(stored: StoredTrees, fields: _Fields, total: int) -> dict[str, np.ndarray]:
    columns = {name: _numbers(stored, name, total) for name in fields.numbers}
    for name, column in columns.items():
        if not np.all(np.isfinite(column)):
            raise _bad(stored, f"with a {name} that is not finite")
    weight = columns.get("weighted_n_node_samples")
    if weight is not None and np.any(weight < 0):
        raise _bad(stored, "with a weight below 0")
    return columns


def _check_counts(
    stored: StoredTrees, fields: _Fields, children: list[np.ndarray], leaf: np.ndarray
) -> np.ndarray:
    count = _whole(stored, fields.rows, stored.nodes[fields.rows], len(leaf))
    if count.min() < 1 or count.max() >= 2**32:
        raise _bad(stored, "with a number of rows that is not positive")
    at = np.flatnonzero(~leaf)
    left, right = children
    if np.any(count[at] != count[at + left[at]] + count[at + right[at]]):
        raise _bad(stored, "in which the rows of two children are not those of their parent")
    return count


def _check_shares(stored: StoredTrees, weight: np.ndarray) -> np.ndarray:
    shares = stored.nodes[_SHARES]
    if not (
        isinstance(shares, np.ndarray)
        and shares.dtype.kind in "fiu"
        and shares.shape == (2, len(weight))
    ):
        raise _bad(stored, f"without shares of two classes for {len(weight)} nodes")
    if shares.dtype.kind != "f":
        with np.errstate(divide="ignore", invalid="ignore"):
            shares = shares / weight
    inside = np.all(shares >= -_ROUNDING) and np.all(shares <= 1 + _ROUNDING)
    if not inside or np.any(np.abs(shares.sum(axis=0, dtype=np.float64) - 1) > _ROUNDING):
        raise _bad(stored, "with shares of the classes that do not add up to 1")
    return shares


def _whole(stored: StoredTrees, name: str, column: Any, length: int | None) -> np.ndarray:
    """Return a column of whole numbers as int64; reject anything else."""
    if not (
        isinstance(column, np.ndarray)
        and column.dtype.kind in "iu"
        and column.ndim == 1
        and length in (None, len(column))
    ):
        raise _bad(stored, f"with a {name} that is not {_many(length)}whole numbers")
    return column.astype(np.int64)


def _numbers(stored: StoredTrees, name: str, length: int) -> np.ndarray:
    column = stored.nodes[name]
    if not (
        isinstance(column, np.ndarray) and column.dtype.kind == "f" and column.shape == (length,)
    ):
        raise _bad(stored, f"with a {name} that is not {_many(length)}numbers")
    return column.astype(np.float64)


def _many(length: int | None) -> str:
    return "" if length is None else f"{length} "


def _bad(stored: StoredTrees, what: str) -> ModelFileError:
    return ModelFileError(f"has trees of {stored.kind} {what}.", AGAIN)


def _of_another_version(names: set[str]) -> ModelFileError:
    return ModelFileError(
        f"has trees that differ in {min(map(str, names))[:80]!r} from those of scikit-learn "
        f"{sklearn.__version__}. Fit and save the model again with this version."
    )
