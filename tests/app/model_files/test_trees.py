"""Trees come back to the last bit, or their file is rejected; scikit-learn sees no odd node."""

from __future__ import annotations

import copy
import io
import zipfile

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.ensemble import (
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from tests.app.model_files.skops_nodes import as_npy, set_attribute, text
from unlabeled import PUEnsemble, PULogistic, PUThresholdClassifier
from unlabeled.app.model_files import ModelFileError, _trees, export_onnx, read_model, write_model
from unlabeled.app.model_files._trees import KINDS, TreeStore, holds_trees
from unlabeled.app.tables import table_pipeline

FOREST = {"n_estimators": 4, "min_samples_leaf": 2, "bootstrap": True, "random_state": 0}
FOREST |= {"oob_score": True}
MODELS = {
    "ExtraTreesClassifier": lambda **more: ExtraTreesClassifier(**FOREST | more),
    "RandomForestClassifier": lambda **more: RandomForestClassifier(**FOREST | more),
    "HistGradientBoostingClassifier": lambda **more: HistGradientBoostingClassifier(
        **{"max_iter": 4, "max_leaf_nodes": 6, "min_samples_leaf": 5, "random_state": 0} | more
    ),
}
FORESTS = ["ExtraTreesClassifier", "RandomForestClassifier"]
pytestmark = [
    pytest.mark.filterwarnings("ignore:Some inputs do not have OOB scores"),
    pytest.mark.filterwarnings("ignore::unlabeled.codes.PUWarning"),
]


@pytest.fixture(scope="module")
def rows():
    """Return numbers with gaps, and labels that need a split on two of them."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 4)).astype(np.float32)
    X[rng.random(X.shape) < 0.1] = np.nan
    y = (np.nan_to_num(X[:, 0]) * np.nan_to_num(X[:, 1]) + 0.3 * rng.normal(size=150) > 0).astype(
        int
    )
    return X, y


@pytest.fixture(scope="module")
def stored(rows):
    """Return each kind of model as it is stored; copy before you change it."""
    return {name: store_trees(make().fit(*rows)) for name, make in MODELS.items()}


def store_trees(model):
    return TreeStore().store(model)


def read(one):
    return TreeStore().read(one)


def nodes_of(model):
    if isinstance(model, HistGradientBoostingClassifier):
        return [predictor.nodes for (predictor,) in model._predictors]
    return [tree.tree_.__getstate__()["nodes"] for tree in model.estimators_]


def assert_same(loaded, model, X):
    assert type(loaded) is type(model)
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize("name", MODELS)
def test_trees_come_back_to_the_last_bit(name, rows):
    X, y = rows
    model = MODELS[name]().fit(X, y)
    loaded = read(store_trees(model))
    assert_same(loaded, model, np.vstack([X, np.full((1, 4), np.nan), 10 * X]))
    assert loaded.get_params() == model.get_params()
    for one, other in zip(nodes_of(loaded), nodes_of(model), strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("name", FORESTS)
def test_a_forest_is_as_deep_wide_and_important_as_before(name, rows):
    X, y = rows
    model = MODELS[name]().fit(X, y)
    loaded = read(store_trees(model))
    for one, other in zip(loaded.estimators_, model.estimators_, strict=True):
        before, after = other.tree_.__getstate__(), one.tree_.__getstate__()
        assert after["max_depth"] == before["max_depth"]  # it sizes the memory of decision_path
        np.testing.assert_array_equal(after["values"], before["values"])
        assert one.get_params() == other.get_params() | {"random_state": None}
    np.testing.assert_array_equal(loaded.feature_importances_, model.feature_importances_)
    filled = np.nan_to_num(X)
    assert (loaded.decision_path(filled)[0] != model.decision_path(filled)[0]).nnz == 0


@pytest.mark.parametrize("name", MODELS)
def test_weights_names_and_text_classes_come_back(name, rows):
    X, y = rows
    frame = pd.DataFrame(X, columns=list("abcd"))
    weight = np.random.default_rng(1).random(len(y))
    labels = np.where(y == 1, "yes", "no").astype(object)
    model = MODELS[name]().fit(frame, labels, sample_weight=weight)
    loaded = read(store_trees(model))
    assert_same(loaded, model, frame)
    assert list(loaded.feature_names_in_) == list("abcd")


@pytest.mark.parametrize("name", FORESTS)
@pytest.mark.parametrize("settings", [{"max_leaf_nodes": 5}, {"max_depth": 0x7FFFFFFF}])
def test_other_orders_of_nodes_and_sparse_rows(name, settings, rows):
    X, y = np.nan_to_num(rows[0]), rows[1]
    model = MODELS[name](**settings).fit(sparse.csr_array(X), y)
    assert_same(read(store_trees(model)), model, sparse.csr_array(X))


def test_a_forest_of_roots_only(rows):
    X, y = rows
    model = MODELS["ExtraTreesClassifier"](min_samples_leaf=100).fit(X, y)
    assert len(nodes_of(model)[0]) == 1
    assert_same(read(store_trees(model)), model, X)


@pytest.mark.parametrize("name", MODELS)
def test_a_model_that_is_not_fitted_comes_back_so(name):
    loaded = read(store_trees(MODELS[name](random_state=7)))
    assert not hasattr(loaded, "classes_")
    assert loaded.random_state == 7


@pytest.mark.parametrize("name", FORESTS)
def test_threads_are_left_to_the_machine_that_reads(name, rows):
    loaded = read(store_trees(MODELS[name](n_jobs=2).fit(*rows)))
    assert loaded.n_jobs is None


def pipeline_over(model, frame, s):
    return table_pipeline(PUThresholdClassifier(model, cv="train", class_prior=0.6)).fit(frame, s)


@pytest.mark.parametrize(
    ("name", "inside"), [*((name, False) for name in MODELS), ("ExtraTreesClassifier", True)]
)
def test_a_file_predicts_the_same(name, inside, table, other_rows, card_of, tmp_path):
    columns = ["age", "bmi", "smoker"]
    frame, s = table[0][columns], table[1]
    inner = make_pipeline(StandardScaler(), MODELS[name]()) if inside else MODELS[name]()
    model = pipeline_over(inner, frame, s)
    write_model(model, tmp_path, card_of(model))
    loaded, card = read_model(tmp_path)
    for method in ("predict", "predict_proba", "decision_function"):
        for new in (frame, other_rows[columns]):
            expected = getattr(model, method)(new)
            np.testing.assert_array_equal(getattr(loaded, method)(new), expected)
    assert str(loaded["classifier"].get_params()) == str(model["classifier"].get_params())
    assert card.trees.startswith("4 trees. A leaf shows the share of labeled rows")


def test_the_card_names_the_smallest_leaf(table, card_of):
    frame, s = table[0][["age", "bmi"]], table[1]
    for fewest in (3, 40):
        model = pipeline_over(MODELS["ExtraTreesClassifier"](min_samples_leaf=fewest), frame, s)
        forest = model["classifier"].estimator_
        rows_in = [tree.tree_.n_node_samples[tree.tree_.feature < 0] for tree in forest.estimators_]
        smallest = np.concatenate(rows_in).min()
        assert smallest >= fewest
        assert f"the smallest leaf holds {smallest}." in card_of(model).trees


def test_a_fitted_model_given_as_such_is_stored_once(table, card_of, tmp_path):
    frame, s = table[0][["age"]], table[1]
    features = table_pipeline(PUThresholdClassifier(MODELS["ExtraTreesClassifier"]()))[0]
    X = features.fit_transform(frame, s)
    inner = MODELS["ExtraTreesClassifier"]().fit(X, s)
    classifier = PUThresholdClassifier(inner, cv="prefit", class_prior=0.6).fit(X, s)
    model = Pipeline([("table", features), ("classifier", classifier)])
    write_model(model, tmp_path, card_of(model))
    loaded, _ = read_model(tmp_path)
    assert loaded["classifier"].estimator is loaded["classifier"].estimator_
    np.testing.assert_array_equal(loaded.predict_proba(frame), model.predict_proba(frame))


def test_an_ensemble_comes_back_without_rows(table, other_rows, card_of, tmp_path):
    columns = ["age", "bmi", "smoker"]
    frame, s = table[0][columns], table[1]
    members = [("line", PULogistic(C=1.0)), ("trees", MODELS["ExtraTreesClassifier"]())]
    members.append(("boosting", MODELS["HistGradientBoostingClassifier"]()))
    grid = {"trees": [{"min_samples_leaf": 20}, {"min_samples_leaf": 10}]}
    model = table_pipeline(PUEnsemble(members=members, grid=grid, cv=2, random_state=0))
    model.fit(frame, s)
    before = dict(vars(model["classifier"]))
    write_model(model, tmp_path, card_of(model))
    assert all(value is before[name] for name, value in vars(model["classifier"]).items())
    loaded, card = read_model(tmp_path)
    for method in ("predict", "predict_proba", "decision_function"):
        for new in (frame, other_rows[columns]):
            expected = getattr(model, method)(new)
            np.testing.assert_array_equal(getattr(loaded, method)(new), expected)
    assert str(loaded["classifier"].get_params()) == str(model["classifier"].get_params())
    assert "trees. A leaf shows" in card.trees
    left = {"cuts_", "observed_cuts_", "held_out_score_"}
    for one in (loaded["classifier"], *loaded["classifier"].members_.values()):
        assert not left & vars(one).keys()
    kept = vars(loaded["classifier"]).keys()
    assert kept == before.keys() - left
    with zipfile.ZipFile(tmp_path / "model.skops") as archive:
        arrays = [name for name in archive.namelist() if name.endswith(".npy")]
        shapes = [np.load(io.BytesIO(archive.read(name))).shape for name in arrays]
    assert not any({len(s), int(s.sum())} & set(shape) for shape in shapes)


@pytest.fixture
def saved(table, card_of, tmp_path, tampered_at):
    """Return the files of a small forest, to be changed."""
    frame, s = table[0][["age", "visits"]], table[1]
    model = pipeline_over(MODELS["ExtraTreesClassifier"](), frame, s)
    write_model(model, tmp_path / "trees", card_of(model))
    return tampered_at(tmp_path / "trees")


def test_a_file_names_no_class_of_trees_and_holds_no_scores_of_rows(saved):
    names = {one["__class__"] for one in saved.nodes()}
    assert "StoredTrees" in names
    assert not names & {*KINDS, "Tree", "TreePredictor", "ExtraTreeClassifier"}
    description = str(saved.root)
    for word in ("oob_decision_function_", "oob_score_", "_n_samples", "estimators_"):
        assert f"'{word}'" not in description
    with zipfile.ZipFile(saved.model) as archive:
        arrays = [name for name in archive.namelist() if name.endswith(".npy")]
        shapes = [np.load(io.BytesIO(archive.read(name))).shape for name in arrays]
    assert not any(800 in shape for shape in shapes)


def test_an_odd_node_in_a_file_is_rejected_with_one_sentence(saved):
    trees = [one for one in saved.nodes() if one["__class__"] == "StoredTrees"]
    nodes = [one["content"]["content"]["nodes"]["content"] for one in trees]
    name = next(one["feature"]["file"] for one in nodes if one)
    feature = np.load(io.BytesIO(saved.members[name]))
    feature[3] = 2
    saved.members[name] = as_npy(feature)
    saved.write()
    with pytest.raises(ModelFileError) as why:
        read_model(saved.model)
    assert str(why.value) == (
        "model.skops is damaged, was changed, or was not written by unlabeled (it has trees of "
        "ExtraTreesClassifier that split on a feature outside of 0 to 1). It was not loaded. Fit "
        "and save the model again."
    )


@pytest.mark.parametrize("name", ["predict", "tree_", "estimators_"])
def test_other_attributes_are_rejected(name, saved):
    set_attribute(saved, "StoredTrees", name, text("x"))
    saved.write()
    with pytest.raises(ModelFileError, match="has trees with other attributes than save_model"):
        read_model(saved.model)


@pytest.mark.parametrize(
    ("name", "settings", "what"),
    [
        ("ExtraTreesClassifier", {"random_state": np.random.RandomState(0)}, "`random_state` of"),
        ("RandomForestClassifier", {"class_weight": {0: 1.0, 1: 2.0}}, "`class_weight` of .* dict"),
        ("HistGradientBoostingClassifier", {"monotonic_cst": [0, 1, 0, 0]}, "`monotonic_cst`"),
        (
            "HistGradientBoostingClassifier",
            {"categorical_features": "from_dtype", "of_dtype": True},
            "without categorical features to be saved; got some",
        ),
    ],
)
def test_what_a_file_cannot_hold_is_rejected(name, settings, what, rows):
    X, y = rows
    if settings.pop("of_dtype", False):
        X = pd.DataFrame(X).rename(columns=str).assign(kind=pd.Categorical(np.arange(150) % 3))
    with pytest.raises(ModelFileError, match=what):
        store_trees(MODELS[name](**settings).fit(X, y))


def test_three_classes_are_rejected(rows):
    model = MODELS["ExtraTreesClassifier"]().fit(np.nan_to_num(rows[0]), np.arange(150) % 3)
    with pytest.raises(ModelFileError, match="of two classes to be saved; got 3"):
        store_trees(model)


def test_other_models_of_trees_are_rejected_by_name(table, card_of, tmp_path):
    assert not holds_trees(DecisionTreeClassifier())
    frame, s = table[0][["age"]], table[1]
    model = pipeline_over(DecisionTreeClassifier(max_depth=2), frame, s)
    with pytest.raises(ModelFileError, match="names sklearn.tree._classes.DecisionTreeClassifier"):
        write_model(model, tmp_path, card_of(model))


def put(field, where, value):
    def change(one):
        column = one.nodes[field] = one.nodes[field].astype(
            np.float64 if isinstance(value, float) else np.int64
        )
        column[..., where] = value

    return change


def last(field, value):
    return put(field, -1, value)


def replaced(**attributes):
    return lambda one: vars(one).update(attributes)


def in_nodes(change):
    return lambda one: change(one.nodes)


ANY = {
    "kind": (replaced(kind="GradientBoostingClassifier"), "'GradientBoostingClassifier', which is"),
    "kind, a list": (replaced(kind=["x"]), "which is not one of"),
    "settings": (replaced(settings=None), "without settings or nodes"),
    "a setting": (replaced(settings={"x": 1}), "differ in 'x' from those of scikit-learn"),
    "an object": (replaced(settings={"verbose": np.zeros(3)}), "a verbose that is not a number"),
    "nodes": (replaced(nodes=[1]), "without settings or nodes"),
    "no trees": (replaced(sizes=np.zeros(0, dtype=int)), "without trees"),
    "an empty tree": (replaced(sizes=np.array([0, 9])), "without trees, or with one that has no"),
    "sizes of another type": (replaced(sizes=np.array([1.0])), "a sizes that is not whole numbers"),
    "sizes of other nodes": (replaced(sizes=np.array([3])), "that is not 3 whole numbers"),
    "one class": (replaced(classes=np.array([1])), "without two classes"),
    "equal classes": (replaced(classes=np.array([1, 1])), "without two classes"),
    "classes, a list": (replaced(classes=[0, 1]), "without two classes"),
    "features": (replaced(n_features=0), "without a number of features"),
    "features, very many": (replaced(n_features=2**30), "a number of features from 1 to 1000000"),
    "features, true": (replaced(n_features=True), "without a number of features"),
    "fewer features": (replaced(n_features=1), "on a feature outside of 0 to 0"),
    "names": (replaced(feature_names=np.array(["a"])), "another number of names"),
    "a flag": (put("missing_go_to_left", 0, 2), "missing_go_to_left outside of 0 to 1"),
    "a flag below": (put("missing_go_to_left", 0, -1), "missing_go_to_left outside of 0 to 1"),
    "a field less": (
        in_nodes(lambda nodes: nodes.pop("missing_go_to_left")),
        "Fit and save the model again with this version",
    ),
    "a field more": (in_nodes(lambda nodes: nodes.update(x=np.zeros(1))), "differ in 'x'"),
}
FOREST_ONLY = {
    "threads": (replaced(settings={"n_jobs": 64}), "another n_jobs than None"),
    "one child": (put("left_child", 0, 0), "a node has one child"),
    "a child before": (put("right_child", 1, -1), "a child comes before its parent"),
    "a child after the last": (put("left_child", 0, 10**6), "a child lies outside of its tree"),
    "a huge child": (put("left_child", 1, 2**63 - 1), "a child lies outside of its tree"),
    "the same child twice": (put("right_child", 0, 1), "a node has no parent, or two"),
    "a feature": (put("feature", 0, 4), "on a feature outside of 0 to 3"),
    "a feature below": (put("feature", 0, -2), "on a feature outside of 0 to 3"),
    "a threshold": (put("threshold", 0, np.nan), "a threshold that is not a number"),
    "a threshold below": (put("threshold", 0, -np.inf), "a threshold that is not a number"),
    "an impurity": (last("impurity", np.inf), "an? impurity that is not finite"),
    "a weight": (last("weighted_n_node_samples", -1.0), "a weight below 0"),
    "no weight": (last("weighted_n_node_samples", 0.0), "do not add up to 1"),
    "rows": (last("n_node_samples", 0), "a number of rows that is not positive"),
    "other rows": (last("n_node_samples", 99), "rows of two children are not those of"),
    "shares": (put("shares", 0, 0.7), "do not add up to 1"),
    "no share": (put("shares", 0, np.nan), "do not add up to 1"),
    "shares of one": (in_nodes(lambda n: n.update(shares=n["shares"][:1])), "of two classes for"),
    "short": (in_nodes(lambda n: n.update(impurity=n["impurity"][:-1])), r"is not \d+ numbers"),
    "whole": (in_nodes(lambda n: n.update(impurity=n["left_child"])), r"is not \d+ numbers"),
    "text": (in_nodes(lambda n: n.update(feature=np.array(["a"]))), r"is not \d+ whole numbers"),
    "table": (in_nodes(lambda n: n.update(feature=n["feature"][:, None])), "whole numbers"),
}
BOOSTING_ONLY = {
    "a bin": (put("bin_threshold", 0, 256), "bin_threshold outside of 0 to 255"),
    "a value": (last("value", np.nan), "a value that is not finite"),
    "a gain": (put("gain", 0, np.inf), "a gain that is not finite"),
    "a feature": (put("feature_idx", 0, 4), "on a feature outside of 0 to 3"),
    "a child": (put("left", 0, 10**6), "a child lies outside of its tree"),
    "rows": (last("count", 2**32), "a number of rows that is not positive"),
    "baseline": (replaced(baseline=np.nan), "a baseline that is not a finite number"),
    "no baseline": (replaced(baseline=None), "a baseline that is not a finite number"),
    "categories": (in_nodes(lambda n: n.update(is_categorical=n["left"])), "'is_categorical'"),
}


@pytest.mark.parametrize(
    ("name", "what"),
    [
        *((name, what) for name in MODELS for what in ANY),
        *((FORESTS[0], what) for what in FOREST_ONLY),
        *(("HistGradientBoostingClassifier", what) for what in BOOSTING_ONLY),
    ],
)
def test_every_kind_of_odd_trees_is_rejected(name, what, stored):
    more = FOREST_ONLY if name in FORESTS else BOOSTING_ONLY
    change, sentence = (ANY | more)[what]
    one = copy.deepcopy(stored[name])
    change(one)
    with pytest.raises(ModelFileError, match=sentence) as why:
        read(one)
    assert str(why.value).startswith("has trees ")
    assert ". Fit and save the model again" in str(why.value)


@pytest.mark.parametrize(
    ("limit", "most", "what"),
    [
        ("MOST_ENSEMBLES", 1, "more than 1 ensembles of trees"),
        ("MOST_TREES", 3, "more than 3 trees"),
        ("MOST_TREE_NODES", 20, "more than 20 nodes of trees"),
        ("DEEPEST_TREE", 1, "more than 1 levels"),
    ],
)
def test_limits_hold_for_a_whole_file(limit, most, what, stored, monkeypatch):
    reader = TreeStore()
    monkeypatch.setattr(_trees, limit, most)
    with pytest.raises(ModelFileError, match=what):
        [reader.read(one) for one in stored.values()]


def test_limits_hold_when_a_model_is_saved(rows, monkeypatch):
    store = TreeStore()
    forest = MODELS["ExtraTreesClassifier"]().fit(*rows)
    monkeypatch.setattr(_trees, "MOST_TREES", 7)
    store.store(forest)
    with pytest.raises(ModelFileError, match="^`model` must .*has more than 7 trees.*fewer"):
        store.store(forest)


def test_nodes_of_another_scikit_learn_are_not_saved(stored):
    nodes = np.zeros(1, dtype=[("left_child", int), ("color", int)])
    with pytest.raises(ModelFileError, match=r"which differ in color\. Update unlabeled"):
        _trees._store_nodes(copy.deepcopy(stored[FORESTS[0]]), nodes, _trees._FOREST)


def odd_value(rng, column):
    """Return a value that may or may not be right."""
    small = int(rng.integers(-3, 12))
    wild = [0, 1, -1, -2, 2**31, 2**32 - 1, -(2**63), 2**63 - 1, small, small, small]
    value = wild[rng.integers(len(wild))]
    if column.dtype.kind == "f":
        floats = [np.nan, np.inf, -np.inf, -0.0, 1e308, 0.5, float(value)]
        return floats[rng.integers(len(floats))]
    return value


def shuffle_one(one, rng):
    """Change entries, the length, the type or the order of one array."""
    name = list(one.nodes)[rng.integers(len(one.nodes))]
    column = one.nodes[name]
    way = rng.integers(8)
    if way < 5 and column.size:
        wide = column.astype(np.int64 if column.dtype.kind in "iu" else np.float64)
        for _ in range(rng.integers(1, 4)):
            wide[..., rng.integers(column.shape[-1])] = odd_value(rng, wide)
        one.nodes[name] = wide
    elif way == 5:
        one.nodes[name] = rng.permutation(column.T).T
    elif way == 6:
        one.nodes[name] = column[..., : rng.integers(column.shape[-1] + 1)]
    else:
        data = bytearray(column.tobytes())
        data[rng.integers(len(data))] ^= 1 << rng.integers(8)
        one.nodes[name] = np.frombuffer(bytes(data), column.dtype).reshape(column.shape)
    if rng.random() < 0.1:
        one.sizes = rng.permutation(
            np.append(one.sizes.astype(np.int64), odd_value(rng, one.sizes))
        )


def test_changed_trees_are_rejected_or_predict_within_bounds(stored, rows):
    X = np.vstack([rows[0], [[np.nan] * 4, [1e30] * 4, [-1e30] * 4]])
    rng = np.random.default_rng(0)
    kept = 0
    for case in range(300):
        one = copy.deepcopy(stored[list(MODELS)[case % 3]])
        shuffle_one(one, rng)
        try:
            model = read(one)
        except ModelFileError:
            continue
        kept += 1
        share = model.predict_proba(X)
        assert share.shape == (len(X), 2)
        assert np.all((share >= -1e-9) & (share <= 1 + 1e-9))
        for nodes in nodes_of(model):
            assert len(nodes) > 0
    assert 20 < kept < 200  # neither all nor none


def test_onnx_takes_no_trees(table, tmp_path):
    frame, s = table[0][["age"]], table[1]
    model = pipeline_over(MODELS["ExtraTreesClassifier"](), frame, s)
    with pytest.raises(ModelFileError, match="got ExtraTreesClassifier. Fit one of these, or use"):
        export_onnx(model, tmp_path / "model.onnx")
