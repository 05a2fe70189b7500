"""Small files that would hang, fill the memory, open files or write to the terminal."""

from __future__ import annotations

import json
import pickle
from itertools import count

import numpy as np
import pytest

from tests.app.model_files.skops_nodes import as_npy, mapping, node, repeated, sequence, text
from unlabeled.app.model_files import ModelFileError, load_model, save_model
from unlabeled.app.model_files._pipeline import restore_vectoriser

ESCAPE = "\x1b]0;title\x07"


@pytest.fixture
def numbers():
    return count(200_000)


def set_attribute(tampered, owner, name, value, number=199_999):
    settings = tampered.settings(owner)
    if name not in settings["content"]:
        settings["key_types"]["content"].append(node("TypeNode", "builtins", "str", number))
    settings["content"][name] = value


def doubled(times, numbers):
    """Return a list of a list and the same again, and so on: a short form of 2 ** times lists."""
    inner = sequence("list", text(1, next(numbers)), number=next(numbers))
    for _ in range(times):
        inner = sequence("list", inner, repeated(inner["__id__"]), number=next(numbers))
    return inner


def test_repeats_of_repeats_are_counted_and_rejected(tampered, folder, numbers):
    tampered.put(doubled(20, numbers))
    tampered.write()
    assert tampered.model.stat().st_size < 50_000
    with pytest.raises(ModelFileError, match="more than 1000000 nodes"):
        load_model(folder)


def test_a_few_repeats_are_accepted(tampered, folder, numbers):
    tampered.put(doubled(8, numbers))
    tampered.write()
    load_model(folder)


def test_an_array_may_be_named_once(tampered, folder, numbers):
    tampered.members["999999.npy"] = as_npy(np.zeros(1000))
    arrays = [
        node("NdArrayNode", "numpy", "ndarray", next(numbers), type="numpy", file="999999.npy")
        for _ in range(2)
    ]
    tampered.put(sequence("list", *arrays))
    tampered.write()
    with pytest.raises(ModelFileError, match="the array '999999.npy' twice"):
        load_model(folder)


def test_an_array_of_objects_must_have_one_dimension(tampered, folder, numbers):
    shape = sequence("tuple", text(1, next(numbers)), text(1, next(numbers)))
    inner = doubled(3, numbers)
    tampered.put(node("NdArrayNode", "numpy", "ndarray", type="json", content=[inner], shape=shape))
    tampered.write()
    with pytest.raises(ModelFileError, match="not one-dimensional"):
        load_model(folder)


@pytest.mark.parametrize(
    ("description", "what"),
    [
        ('"' + "x" * (65 * 2**20) + '"', "of 6[0-9]* bytes, more than 67108864"),
        ("[" + "{}," * (6 * 10**6) + "{}]", "of more than 10000000 brackets and commas"),
    ],
    ids=["bytes", "objects"],
)
def test_a_large_description_is_rejected_before_it_is_read(
    description, what, tampered, folder, monkeypatch
):
    # Bytes that do not shrink, so that the description is not refused for how much it grows.
    noise = np.random.default_rng(0).bytes(2**20)
    tampered.members["999999.npy"] = as_npy(np.frombuffer(noise, dtype=np.uint8))
    tampered.write(description)

    read = json.loads

    def only_the_card(data, **more):
        assert len(data) < 10**6, "the description was read"
        return read(data, **more)

    monkeypatch.setattr("unlabeled.app.model_files._archive.json.loads", only_the_card)
    with pytest.raises(ModelFileError, match=f"has a schema.json {what}"):
        load_model(folder)


def test_a_text_given_to_many_encoders_becomes_one_dictionary(model, folder):
    loaded, _ = load_model(folder)
    vectoriser = loaded["table"].vectoriser_
    one = vectoriser.transformers_["notes"]
    other = pickle.loads(pickle.dumps(one))
    one.vectorizer_.vocabulary_ = other.vectorizer_.vocabulary_ = "abc\nbcd"
    vectoriser.transformers_["more notes"] = other
    restore_vectoriser(vectoriser)
    assert one.vectorizer_.vocabulary_ == {"abc": 0, "bcd": 1}
    assert one.vectorizer_.vocabulary_ is other.vectorizer_.vocabulary_


def test_a_text_of_too_many_pieces_is_rejected(tampered, folder):
    tampered.settings("TfidfVectorizer")["content"]["vocabulary_"]["content"] = json.dumps(
        "\n" * 2_000_000
    )
    tampered.write()
    with pytest.raises(ModelFileError, match="a text has more than 2000000 pieces"):
        load_model(folder)


@pytest.mark.parametrize("fact", ["array", "list", "number", "object"])
def test_a_rule_of_another_type_is_rejected(fact, tampered, folder, numbers):
    tampered.members["999999.npy"] = as_npy(np.zeros(3))
    array = node("NdArrayNode", "numpy", "ndarray", next(numbers), type="numpy", file="999999.npy")
    others = {"list": doubled(5, numbers), "number": text(3), "object": mapping(a=text(1))}
    set_attribute(tampered, "NaiveLogistic", "rule", others.get(fact, array))
    if fact != "array":
        del tampered.members["999999.npy"]
    tampered.write()
    with pytest.raises(ModelFileError, match="cannot be rebuilt .TypeError: rule is a "):
        load_model(folder)


def test_a_kind_that_is_an_array_is_rejected(tampered, folder):
    tampered.members["999999.npy"] = as_npy(np.zeros(3))
    tampered.settings("TableFeatures")["content"]["kinds_"]["content"]["age"] = node(
        "NdArrayNode", "numpy", "ndarray", type="numpy", file="999999.npy"
    )
    tampered.write()
    with pytest.raises(ModelFileError, match="cannot be rebuilt .TypeError: columns is a dict"):
        load_model(folder)


@pytest.fixture
def dated(table, fitted, card_of, tmp_path, tampered_at):
    frame, s = table
    model = fitted("naive", frame[["age", "seen"]], s)
    save_model(model, tmp_path / "dated", card_of(model))
    return tampered_at(tmp_path / "dated")


def wrap_in_one_more_pipeline(tampered, numbers):
    """Put the steps of the vectoriser where only `predict` finds them."""
    settings = tampered.settings("TableVectorizer")["content"]
    step = sequence("tuple", text("a", next(numbers)), settings["_pipeline"], number=next(numbers))
    attributes = {
        "steps": sequence("list", step, number=next(numbers)),
        "transform_input": text(None, next(numbers)),
        "memory": text(None, next(numbers)),
        "verbose": text(False, next(numbers)),
    }
    settings["_pipeline"] = node(
        "ObjectNode", "sklearn.pipeline", "Pipeline", content=mapping(**attributes)
    )


@pytest.mark.parametrize("way", ["text", "type of an object"])
def test_a_type_of_dates_that_would_be_opened_as_a_file_is_rejected(way, dated, numbers):
    payload = text("datetime64[ns, dateutil//etc/passwd]")
    if way != "text":
        owner = mapping(95_000, dtype=payload)
        payload = node("DTypeNode", "numpy", "dtype", next(numbers), content=None)
        payload["content"] = node(
            "ObjectNode", "skrub._to_str", "ToStr", number=next(numbers), content=owner
        )
    readers = [
        one["content"]["content"]
        for one in dated.nodes()
        if one["__class__"] == "ToDatetime" and "output_dtype_" in str(one.get("content"))
    ]
    readers[0]["output_dtype_"] = payload
    wrap_in_one_more_pipeline(dated, numbers)
    dated.write()
    with pytest.raises(ModelFileError, match="odd output_dtype_|not that of an array"):
        load_model(dated.model)


@pytest.mark.parametrize(
    ("owner", "name"),
    [
        ("Pipeline", "__doc_link_template"),
        ("Pipeline", "_doc_link_template"),
        ("NaiveLogistic", "_doc_link_module"),
        ("NaiveLogistic", "predict"),
        ("NaiveLogistic", "__class__"),
        ("NaiveLogistic", "<img src=x onerror=alert(1)>_"),
        ("TableFeatures", "transform"),
        ("Pipeline", "named_steps"),
        ("Pipeline", "_repr_html_inner"),
        ("TableVectorizer", "_sk_visual_block_\0"),
    ],
)
def test_an_attribute_that_hides_something_of_its_class_is_rejected(owner, name, tampered, folder):
    set_attribute(tampered, owner, name, text("<script>alert(1)</script>"))
    tampered.write()
    with pytest.raises(ModelFileError, match=r"attribute '.*', which no model has"):
        load_model(folder)


def test_the_name_of_an_attribute_must_be_text(tampered, folder):
    settings = tampered.settings("NaiveLogistic")
    settings["key_types"] = sequence(
        "list",
        *(
            node("TypeNode", "builtins", "bool", 91_000 + k)
            for k in range(len(settings["content"]))
        ),
    )
    tampered.write()
    with pytest.raises(ModelFileError, match="name is not text"):
        load_model(folder)


@pytest.mark.parametrize("package", ["numpy", "unlabeled", "python", ESCAPE])
def test_versions_that_a_terminal_would_obey_are_rejected(package, tampered, folder):
    versions = json.loads(tampered.card.read_text("utf-8"))["versions"]
    tampered.write_card(versions=versions | {package: f"0.0.1{ESCAPE}"})
    with pytest.raises(ModelFileError, match="'versions' of model.json must be") as why:
        load_model(folder)
    assert str(why.value).isprintable()


def test_a_newer_version_that_a_terminal_would_obey_is_shown_harmlessly(tampered, folder):
    versions = json.loads(tampered.card.read_text("utf-8"))["versions"]
    tampered.write_card(versions=versions | {"unlabeled": f"99.0{ESCAPE}"})
    with pytest.raises(ModelFileError, match="got 99.0.x1b.0;title.x07. Update") as why:
        load_model(folder)
    assert str(why.value).isprintable()


@pytest.mark.parametrize("key", ["method", "rule"])
def test_a_method_or_rule_that_a_terminal_would_obey_is_rejected(key, tampered, folder):
    tampered.write_card(**{key: ESCAPE})
    with pytest.raises(ModelFileError, match=f"'{key}' of model.json must be printable text"):
        load_model(folder)


@pytest.mark.parametrize("key", ["label", "positive", "id"])
def test_half_a_character_is_rejected(key, tampered, folder):
    tampered.write_card(**{key: "\ud800"})
    with pytest.raises(ModelFileError, match=rf"'{key}' of model.json must be text.*'.ud800'"):
        load_model(folder)


@pytest.mark.parametrize("where", ["type", "columns"])
def test_names_in_sentences_are_shown_harmlessly(where, tampered, folder):
    if where == "type":
        tampered.put(node("FunctionNode", "os", ESCAPE))
        tampered.write()
    else:
        tampered.write_card(columns={ESCAPE: "number"})
    with pytest.raises(ModelFileError, match="x1b") as why:
        load_model(folder)
    assert str(why.value).isprintable()
