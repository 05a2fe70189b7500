"""The card: what it says of a model, and cards that are not right."""

from __future__ import annotations

import json
import warnings
from dataclasses import FrozenInstanceError, replace

import pytest
import sklearn
from sklearn.utils.fixes import parse_version

from tests.app.model_files.skops_nodes import ESCAPE
from unlabeled import __version__
from unlabeled.app.model_files import ModelFileError, read_model, write_model
from unlabeled.app.model_files._card import FORMAT
from unlabeled.codes import PUWarning


def test_a_card_holds_what_the_model_knows(table, fitted, card_of):
    model = fitted("pu-logistic, prior given", *table)
    card = card_of(model, id="patient", method="pu-logistic")
    assert card.columns == {
        "age": "number",
        "visits": "number",
        "bmi": "number",
        "sex": "category",
        "région": "category",
        "ward": "category",
        "smoker": "true/false",
        "insured": "true/false",
        "visit": "date",
        "seen": "date",
        "written": "date",
        "notes": "text",
    }
    assert (card.label, card.positive, card.id) == ("diagnosis", "yes", "patient")
    assert (card.method, card.rule, card.class_prior) == ("pu-logistic", "f1", 0.5)
    classifier = model["classifier"]
    assert card.threshold == classifier.threshold_
    assert card.label_frequency == classifier.label_frequency_
    assert card.versions["unlabeled"] == __version__
    assert set(card.versions) >= {"python", "numpy", "scipy", "scikit-learn", "pandas"}
    with pytest.raises(FrozenInstanceError):
        card.threshold = 0.0


@pytest.mark.parametrize(
    ("name", "rule"), [("enhanced", "f1_pu"), ("naive", None), ("threshold", "f1")]
)
def test_rows_above_its_threshold_are_predicted_positive(name, rule, table, fitted, card_of):
    frame, s = table
    model = fitted(name, frame[["age", "sex"]], s)
    card = card_of(model)
    assert (card.rule, card.method) == (rule, type(model["classifier"]).__name__)
    above = model.decision_function(frame) + card.threshold > card.threshold
    assert above.tolist() == (model.predict(frame) == 1).tolist()


def test_a_card_of_another_model_is_not_saved(model, card_of, tmp_path):
    card = replace(card_of(model), threshold=17.0)
    with pytest.raises(ModelFileError, match="`card` must .*threshold 17.0 "):
        write_model(model, tmp_path, card)
    assert not list(tmp_path.iterdir())


def test_a_card_with_a_wrong_fingerprint_is_not_saved(model, card_of, tmp_path):
    card = replace(card_of(model), fingerprint={"rows": 3})
    with pytest.raises(ModelFileError, match="'fingerprint' of `card` must be"):
        write_model(model, tmp_path, card)
    assert not list(tmp_path.iterdir())


def test_a_card_of_another_format_is_not_saved(model, card_of, tmp_path):
    card = replace(card_of(model), format=FORMAT - 1)
    with pytest.raises(ModelFileError, match=f"'format' of `card` .*{FORMAT}; got '{FORMAT - 1}'"):
        write_model(model, tmp_path, card)
    assert not list(tmp_path.iterdir())


def test_a_missing_card_is_rejected(folder):
    (folder / "model.json").unlink()
    with pytest.raises(ModelFileError, match=r"must have model\.json"):
        read_model(folder)


def test_a_missing_model_is_rejected(folder):
    (folder / "model.skops").unlink()
    with pytest.raises(ModelFileError, match=r"has no model\.skops"):
        read_model(folder)
    with pytest.raises(ModelFileError, match=r"nowhere, which does not exist"):
        read_model(folder / "nowhere")
    with pytest.raises(ModelFileError, match="got .*model.json, which only describes it"):
        read_model(folder / "model.json")


@pytest.mark.parametrize(
    "key",
    "columns label positive id method rule threshold label_frequency class_prior fingerprint "
    "versions format sha256".split(),
)
def test_a_missing_key_is_rejected_by_name(key, tampered, folder):
    card = json.loads(tampered.card.read_text("utf-8"))
    del card[key]
    tampered.card.write_text(json.dumps(card), "utf-8")
    with pytest.raises(ModelFileError, match=rf"model\.json must have .*; got no '{key}'"):
        read_model(folder)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("columns", ["age"]),
        ("columns", {}),
        ("columns", {"age": "code"}),
        ("label", 1),
        ("positive", None),
        ("id", 1),
        ("method", []),
        ("rule", 3),
        ("threshold", "0"),
        ("threshold", True),
        ("threshold", float("nan")),
        ("threshold", float("inf")),
        ("threshold", None),
        ("label_frequency", -1),
        ("class_prior", "1"),
        ("fingerprint", {"sha256": "ab" * 32, "rows": -1, "columns": 2}),
        ("fingerprint", {"sha256": "AB", "rows": 1, "columns": 2}),
        ("versions", {"unlabeled": "0.1"}),
        ("versions", "0.1"),
        ("format", "1"),
        ("format", 0),
        ("format", True),
        ("sha256", "abc"),
        ("sha256", 5),
    ],
)
def test_a_wrong_type_is_rejected_by_name(key, value, tampered, folder):
    tampered.write_card(**{key: value})
    with pytest.raises(ModelFileError, match=rf"'{key}' of model\.json must be .*; got"):
        read_model(folder)


def test_an_unknown_key_is_rejected(tampered, folder):
    tampered.write_card(run="rm")
    with pytest.raises(ModelFileError, match="got also 'run'"):
        read_model(folder)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "must be JSON in UTF-8"),
        ("{", "must be JSON in UTF-8"),
        ("[" * 100_000, "must be JSON in UTF-8"),
        ("[]", "must be a JSON object; got a list"),
        ("3", "must be a JSON object; got a number"),
        ("null", "must be a JSON object; got a null"),
        (" " * (17 * 2**20), "must have at most"),
    ],
)
def test_a_file_that_is_not_a_card_is_rejected(text, sentence, tampered, folder):
    tampered.card.write_text(text, "utf-8")
    with pytest.raises(ModelFileError, match=rf"model\.json {sentence}"):
        read_model(folder)


def test_a_newer_format_is_rejected(tampered, folder):
    newer = FORMAT + 1
    tampered.write_card(format=newer, keys_of_the_future=[])
    with pytest.raises(ModelFileError, match=rf"'format'.* {FORMAT}; got {newer}, .*Update"):
        read_model(folder)


MAJOR, MINOR, PATCH = parse_version(__version__).release
NEWER = [f"{MAJOR}.{MINOR}.{PATCH + 1}", f"{MAJOR}.{MINOR + 1}.0.dev0", f"{MAJOR + 1}.0", "10.0.0"]


@pytest.mark.parametrize("version", NEWER)
def test_a_newer_version_of_this_library_is_rejected(version, tampered, folder):
    versions = json.loads(tampered.card.read_text("utf-8"))["versions"]
    tampered.write_card(versions=versions | {"unlabeled": version})
    with pytest.raises(ModelFileError, match=f"must be at most {__version__}; got {version}. Upda"):
        read_model(folder)


@pytest.mark.parametrize(
    ("key", "value"),
    [("threshold", 3.5), ("class_prior", 0.9), ("rule", "f1"), ("columns", {"age": "number"})],
)
def test_a_card_that_differs_from_the_model_is_rejected(key, value, tampered, folder):
    tampered.write_card(**{key: value})
    with pytest.raises(ModelFileError, match=f"do not belong together .model.json has {key}"):
        read_model(folder)


@pytest.mark.parametrize("package", ["scikit-learn", "numpy"])
def test_other_versions_give_one_warning(package, tampered, folder):
    versions = json.loads(tampered.card.read_text("utf-8"))["versions"]
    tampered.write_card(versions=versions | {package: "0.3.1"})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        read_model(folder)
    assert [type(one.message) for one in caught] == [PUWarning]
    assert caught[0].message.code == "PU116"
    assert f"saved with {package} 0.3.1 (now " in str(caught[0].message)
    assert caught[0].filename == __file__


def test_a_model_of_another_scikit_learn_gives_one_warning_and_no_more(tampered, folder):
    found = [one for one in tampered.nodes() if one.get("content") == f'"{sklearn.__version__}"']
    assert found
    for one in found:
        one["content"] = '"1.0.2"'
    tampered.write()
    versions = json.loads(tampered.card.read_text("utf-8"))["versions"]
    tampered.write_card(versions=versions | {"scikit-learn": "1.0.2"})
    with pytest.warns(PUWarning) as caught:
        read_model(folder)
    assert len(caught) == 1


def test_a_patch_release_gives_no_warning(tampered, folder):
    versions = json.loads(tampered.card.read_text("utf-8"))["versions"]
    near = ".".join([*versions["numpy"].split(".")[:2], "99"])
    tampered.write_card(versions=versions | {"numpy": near})
    read_model(folder)


def test_the_card_is_readable_json(folder):
    card = json.loads((folder / "model.json").read_text("utf-8"))
    assert card["columns"]["région"] == "category"
    assert card["fingerprint"]["rows"] == 800


@pytest.mark.parametrize("package", ["numpy", "unlabeled", "python", ESCAPE])
def test_versions_that_a_terminal_would_obey_are_rejected(package, tampered, folder):
    versions = json.loads(tampered.card.read_text("utf-8"))["versions"]
    tampered.write_card(versions=versions | {package: f"0.0.1{ESCAPE}"})
    with pytest.raises(ModelFileError, match="'versions' of model.json must be") as why:
        read_model(folder)
    assert str(why.value).isprintable()


def test_a_newer_version_that_a_terminal_would_obey_is_shown_harmlessly(tampered, folder):
    versions = json.loads(tampered.card.read_text("utf-8"))["versions"]
    tampered.write_card(versions=versions | {"unlabeled": f"99.0{ESCAPE}"})
    with pytest.raises(ModelFileError, match="got 99.0.x1b.0;title.x07. Update") as why:
        read_model(folder)
    assert str(why.value).isprintable()


@pytest.mark.parametrize("key", ["method", "rule"])
def test_a_method_or_rule_that_a_terminal_would_obey_is_rejected(key, tampered, folder):
    tampered.write_card(**{key: ESCAPE})
    with pytest.raises(ModelFileError, match=f"'{key}' of model.json must be printable text"):
        read_model(folder)


@pytest.mark.parametrize("key", ["label", "positive", "id"])
def test_half_a_character_is_rejected(key, tampered, folder):
    tampered.write_card(**{key: "\ud800"})
    with pytest.raises(ModelFileError, match=rf"'{key}' of model.json must be text.*'.ud800'"):
        read_model(folder)
