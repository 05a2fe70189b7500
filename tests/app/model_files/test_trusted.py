"""Names in a model file are public, wherever a class is; small things are plain tuples."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from sklearn.base import BaseEstimator

from tests.app.model_files.skops_nodes import as_npy, node, sequence, text
from tests.label_frequency.test_frequency_estimators import ESTIMATORS
from unlabeled import PULogistic, ensemble, label_frequency, labeling, linear_model, meta
from unlabeled.app.model_files import ModelFileError, read_model, write_model
from unlabeled.app.model_files._of_020 import Attributes
from unlabeled.app.model_files._trusted import CLASSES, NAME_OF, PLACE_OF, TRUSTED, TRUSTED_PLACES
from unlabeled.app.tables import table_pipeline

CLASSIFIERS = [
    *("pu-logistic", "enhanced", "joint", "naive", "weighted", "threshold", "propensity"),
]
PRIORS = [one.__name__ for one in ESTIMATORS if one is not label_frequency.PriorBound]


@pytest.fixture(scope="module")
def few_columns(table):
    frame, s = table
    return frame[["age", "bmi", "sex", "smoker"]], s


def ours_in(one):
    """Return what the nodes of a written model call our types: module and name."""
    found = {(part["__module__"], part["__class__"]) for part in one.nodes()}
    return {names for names in found if (names[0] or "").partition(".")[0] == "unlabeled"}


def saved(model, card_of, folder, tampered_at):
    write_model(model, folder, card_of(model))
    return tampered_at(folder)


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_a_file_names_our_types_by_their_public_names(
    name, few_columns, fitted, card_of, tmp_path, tampered_at
):
    model = fitted(name, *few_columns)
    names = ours_in(saved(model, card_of, tmp_path, tampered_at))
    assert names <= PLACE_OF.keys()
    assert names >= {("unlabeled", type(step).__name__) for step in model.named_steps.values()}


@pytest.mark.parametrize("name", PRIORS)
def test_a_file_names_an_estimator_of_the_class_prior_by_its_public_name(
    name, few_columns, card_of, tmp_path, tampered_at
):
    estimator = getattr(label_frequency, name)()
    model = table_pipeline(PULogistic(class_prior=estimator)).fit(*few_columns)
    names = ours_in(saved(model, card_of, tmp_path, tampered_at))
    assert ("unlabeled", name) in names <= PLACE_OF.keys()
    loaded, _ = read_model(tmp_path)
    expected = model.predict_proba(few_columns[0])
    np.testing.assert_array_equal(loaded.predict_proba(few_columns[0]), expected)


def test_the_table_has_the_public_types_that_a_model_may_hold_and_no_others():
    parts = (ensemble, label_frequency, labeling, linear_model, meta)
    public = [getattr(part, name) for part in parts for name in part.__all__]
    estimators = {
        one.__name__ for one in public if isinstance(one, type) and issubclass(one, BaseEstimator)
    } - {"LabelFrequencyEstimator", "Labeling"}  # the bases of others
    assert CLASSES.keys() == estimators | {
        "AlongChances",
        "AlongColumns",
        "AnswerCurves",
        "AuditedClassifier",
        "ChanceBySources",
        "ChosenCut",
        "Columns",
        "DoubtedDensity",
        "ExpectedChance",
        "FollowsColumns",
        "MendedScore",
        "PriorDensity",
        "RandomTrees",
        "ScoreJoint",
        "StandardizedColumns",
        "StoredTrees",
        "TableFeatures",
    }
    assert all(one.__name__ == name for name, one in CLASSES.items())
    assert len(NAME_OF) == len(CLASSES)


def test_no_private_place_of_ours_is_trusted():
    ours = {(module, name) for _, module, name in TRUSTED if module.startswith("unlabeled")}
    assert ours == {("unlabeled", name) for name in CLASSES}


def test_of_other_packages_a_new_file_names_only_classifiers_of_scikit_learn(
    table, fitted, card_of, tmp_path, tampered_at
):
    model = fitted("naive", *table)  # with every kind of column
    written = saved(model, card_of, tmp_path, tampered_at)
    objects = {
        (one["__module__"], one["__class__"])
        for one in written.nodes()
        if one["__loader__"] == "ObjectNode"
    }
    assert objects == {
        ("sklearn.pipeline", "Pipeline"),
        ("unlabeled", "NaiveLogistic"),
        ("unlabeled", "TableFeatures"),
    }


def test_what_a_file_of_0_2_0_says_of_other_packages_does_nothing():
    theirs = [place for names, place in PLACE_OF.items() if names[0] != "unlabeled"]
    assert set(theirs) == {("unlabeled.app.model_files._of_020", "Attributes")}
    assert not any(callable(value) for value in vars(Attributes).values())


def test_a_type_that_moved_is_read_from_its_new_place(
    few_columns, fitted, card_of, tmp_path, monkeypatch
):
    import unlabeled.cli

    model = fitted("naive", *few_columns)
    write_model(model, tmp_path, card_of(model))
    place = ("unlabeled.cli", "NaiveLogistic")
    moved = type(place[1], (linear_model.NaiveLogistic,), {"__module__": place[0]})
    monkeypatch.setattr(unlabeled.cli, place[1], moved, raising=False)
    monkeypatch.setitem(PLACE_OF, ("unlabeled", "NaiveLogistic"), place)
    monkeypatch.setattr(
        "unlabeled.app.model_files._files.TRUSTED_PLACES", [*TRUSTED_PLACES, ".".join(place)]
    )
    loaded, _ = read_model(tmp_path)
    assert type(loaded["classifier"]) is moved


def test_a_file_of_0_1_0_is_rejected_with_what_to_do(tampered, folder):
    for one in tampered.nodes():
        names = one["__module__"], one["__class__"]
        one["__module__"], one["__class__"] = PLACE_OF.get(names, names)
    tampered.write()
    tampered.write_card(format=1)
    with pytest.raises(ModelFileError, match=r"'format'.* got 1\b") as why:
        read_model(folder)
    assert "0.1.0" in str(why.value)
    assert "`unlabeled fit`" in str(why.value)
    tampered.write_card(format=2)  # a card that lies about it
    with pytest.raises(ModelFileError, match=r"names unlabeled\.[\w.]+\._\w+\.\w+ .*trusted types"):
        read_model(folder)


def test_small_things_are_plain_tuples_in_the_file(
    few_columns, fitted, card_of, tmp_path, tampered_at
):
    model = fitted("pu-logistic", *few_columns)
    written = saved(model, card_of, tmp_path, tampered_at)
    tuples = {
        (one["__module__"], one["__class__"])
        for one in written.nodes()
        if one["__loader__"] == "TupleNode"
    }
    assert tuples == {("builtins", "tuple")}


def test_features_survive_a_copy_and_a_file(model, folder):
    features = model["table"].features_
    for other in (copy.copy(model["table"]), copy.deepcopy(model["table"])):
        assert other.features_ == features
    loaded = read_model(folder)[0]["table"].features_
    assert loaded == features
    assert [type(one) for one in loaded] == [type(one) for one in features]


@pytest.mark.parametrize("what", ["array", "text", "number", "texts", "short", "long", "lists"])
def test_features_that_are_not_plain_tuples_are_rejected(what, tampered, folder):
    values = [text(None, 80_000 + number) for number in range(8)]
    payload = {
        "array": node("NdArrayNode", "numpy", "ndarray", type="numpy", file="999999.npy"),
        "text": text("x" * 1_000_000),
        "number": text(7),
        "texts": sequence("list", text("1234567")),
        "short": sequence("list", sequence("tuple", *values[:6], number=80_100)),
        "long": sequence("list", sequence("tuple", *values, number=80_100)),
        "lists": sequence("list", sequence("list", *values[:7], number=80_100)),
    }[what]
    if what == "array":
        tampered.members["999999.npy"] = as_npy(np.zeros((1000, 7)))
    content = tampered.settings("TableFeatures")["content"]
    # Later nodes repeat some of the features, which are kept where they do nothing.
    content["output_to_input_"], content["features_"] = content["features_"], payload
    tampered.write()
    with pytest.raises(ModelFileError, match="cannot be rebuilt .*features must be a list of"):
        read_model(folder)


def test_no_function_is_on_the_list():
    assert not {kind for kind, _, _ in TRUSTED} & {
        "FunctionNode",
        "MethodNode",
        "PartialNode",
        "OperatorFuncNode",
        "ReduceNode",
    }
