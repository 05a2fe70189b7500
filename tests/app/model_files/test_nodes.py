"""Descriptions that name what is not trusted, are malformed or do harm; nothing is run."""

from __future__ import annotations

import json
import sys
from contextlib import suppress

import numpy as np
import pytest
import skops.io

from tests.app.model_files.skops_nodes import (
    ESCAPE,
    as_npy,
    doubled,
    mapping,
    node,
    sequence,
    set_attribute,
    text,
)
from unlabeled.app.model_files import ModelFileError, read_model
from unlabeled.app.tables import TableFeatures

MARKING = """
from pathlib import Path
MARK = Path(__file__).with_name("mark")
MARK.touch()

class Marking:
    def __init__(self, *given): MARK.touch()
    def __setstate__(self, state): MARK.touch()

def leave_a_mark(*given): MARK.touch()
"""


PAYLOADS = {
    "object": node("ObjectNode", "marking", "Marking", content=mapping(a=text(1))),
    "constructor": node(
        "ConstructorFromReduceNode", "marking", "Marking", content=sequence("tuple", text("x"))
    ),
    "function": node("FunctionNode", "marking", "leave_a_mark"),
    "type": node("TypeNode", "marking", "Marking"),
    "list": node("ListNode", "marking", "Marking", content=[]),
    "tuple": node("TupleNode", "marking", "Marking", content=[]),
    "dict": node(
        "DictNode", "marking", "Marking", content={}, key_types=sequence("list", number=90_400)
    ),
    "array": node("NdArrayNode", "marking", "Marking", type="numpy", file="1.npy"),
    "partial": node(
        "PartialNode",
        "functools",
        "partial",
        content={
            "func": node("FunctionNode", "marking", "leave_a_mark", 90_001),
            "args": sequence("tuple"),
            "kwds": mapping(),
            "namespace": text(None, 90_101),
        },
    ),
    "method": node(
        "MethodNode",
        "marking",
        "Marking",
        content={"func": "touch", "obj": node("ObjectNode", "marking", "Marking", 90_001)},
    ),
}


@pytest.fixture
def mark(tmp_path, monkeypatch):
    """Return a file that is there as soon as the module `marking` is only imported."""
    (tmp_path / "marking.py").write_text(MARKING)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "marking", raising=False)
    yield tmp_path / "mark"
    sys.modules.pop("marking", None)


@pytest.mark.parametrize("kind", PAYLOADS)
def test_a_type_that_is_not_on_the_list_is_rejected_before_its_module_is_imported(
    kind, tampered, mark, folder
):
    tampered.put(PAYLOADS[kind])
    tampered.members.setdefault("1.npy", as_npy(np.zeros(1)))
    tampered.write()
    with pytest.raises(ModelFileError, match="trusted types") as why:
        read_model(folder)
    named = "functools.partial" if kind == "partial" else "marking."
    assert f"names {named}" in str(why.value)
    assert not mark.exists()
    assert "marking" not in sys.modules


@pytest.mark.parametrize("kind", ["object", "constructor", "function", "partial"])
def test_the_payloads_are_alive(kind, tampered, mark):
    tampered.members.clear()
    header = {key: tampered.root[key] for key in ("protocol", "_skops_version")}
    data = tampered.write(json.dumps(header | PAYLOADS[kind]))
    with suppress(Exception):
        skops.io.loads(data, trusted=skops.io.get_untrusted_types(data=data))
    assert mark.exists()


@pytest.mark.parametrize(
    ("payload", "named"),
    [
        (node("FunctionNode", "os", "system"), "os.system"),
        (node("FunctionNode", "builtins", "eval"), "builtins.eval"),
        (
            node("OperatorFuncNode", "operator", "methodcaller", attrs=sequence("tuple")),
            "operator.methodcaller",
        ),
        (node("TypeNode", "subprocess", "Popen"), "subprocess.Popen"),
        (
            node("ConstructorFromReduceNode", "pathlib", "Path", content=sequence("tuple")),
            "pathlib.Path",
        ),
        # Trusted by skops, and not by us.
        (
            node(
                "ObjectNode", "sklearn.preprocessing._function_transformer", "FunctionTransformer"
            ),
            "FunctionTransformer",
        ),
        (node("FunctionNode", "numpy", "add"), "numpy.add"),
        (node("RandomStateNode", "numpy.random.mtrand", "RandomState"), "RandomState"),
        (node("SetNode", "builtins", "set", content=[]), "builtins.set"),
        (node("BytesNode", "builtins", "bytes", file="a.bin"), "builtins.bytes"),
        # On the list, but as something else.
        (node("TypeNode", "sklearn.pipeline", "Pipeline"), "sklearn.pipeline.Pipeline"),
        (node("ConstructorFromReduceNode", "unlabeled", "TableFeatures"), "TableFeatures"),
        # On the list, but not by its place in Python.
        (
            node("ObjectNode", TableFeatures.__module__, "TableFeatures"),
            f"{TableFeatures.__module__}.TableFeatures",
        ),
        (
            node("ObjectNode", "unlabeled.app.tables", "TableFeatures"),
            "unlabeled.app.tables.TableFeatures",
        ),
        # In the package, but not on the list.
        (node("ObjectNode", "unlabeled", "PUWarning"), "unlabeled.PUWarning"),
    ],
)
def test_other_names_are_rejected_whatever_skops_trusts(payload, named, tampered, folder):
    tampered.put(payload)
    tampered.write()
    with pytest.raises(ModelFileError, match="trusted types") as why:
        read_model(folder)
    assert named in str(why.value)


def test_a_repeated_id_cannot_hide_a_type(tampered, mark, folder):
    first = tampered.settings("NaiveLogistic")["content"]["max_iter"]
    tampered.put(node("ObjectNode", "marking", "Marking", first["__id__"]))
    tampered.write()
    with pytest.raises(ModelFileError, match="malformed .the id|trusted"):
        read_model(folder)
    assert not mark.exists()


@pytest.mark.parametrize(
    ("payload", "what"),
    [
        ({"content": "1"}, "a node without a kind"),
        ([], "a node without a kind"),
        (node("JsonNode", "builtins", "str", "x", content="1", is_json=True), "the id 'x'"),
        (node("JsonNode", "builtins", ["str"], content="1", is_json=True), "a name that is not"),
        (
            node("JsonNode", "builtins", "str", content="[1]", is_json=True),
            "not a number, text or null",
        ),
        (node("JsonNode", "builtins", "str", content="{", is_json=True), "the value"),
        (node("JsonNode", "builtins", "str", content=1, is_json=True), "a JsonNode with int"),
        (
            node("JsonNode", "builtins", "str", content="1", is_json=[[]]),
            "a value that is not JSON",
        ),
        (node("ListNode", "builtins", "list", content={}), "a ListNode with dict"),
        (node("ListNode", "builtins", "list", content=[], more=1), "keys that no ListNode has"),
        (node("ListNode", "builtins", "list", content=None), "a ListNode with nothing"),
        (node("CachedNode", None, None, 99_999), "a repeated node, 99999, that is unknown"),
        (node("NdArrayNode", "numpy", "ndarray", type="x", file="1.npy"), "an array of an unknown"),
        (node("NdArrayNode", "numpy", "ndarray", type="numpy", file=1), "without a name"),
        (mapping(a=text(1)) | {"key_types": sequence("list")}, "without a type for every key"),
        (mapping(a=text(1)) | {"key_types": text("a", 90_500)}, "without a type for every key"),
        (
            sequence("list", node("CachedNode", None, None, 90_200)),  # holds itself
            "a repeated node, 90200, that is unknown",
        ),
        (
            mapping(a=text(1)) | {"key_types": sequence("list", text(1, 90_500))},
            "not a plain value",
        ),
        (
            node("ObjectNode", "sklearn.pipeline", "Pipeline", content=sequence("list")),
            "Pipeline without settings",
        ),
    ],
)
def test_a_malformed_description_is_rejected(payload, what, tampered, folder):
    tampered.put(payload)
    tampered.write()
    with pytest.raises(ModelFileError, match="malformed") as why:
        read_model(folder)
    assert what in str(why.value)


@pytest.mark.parametrize(
    ("owner", "setting", "value"),
    [
        ("Pipeline", "memory", "/tmp/pickles"),
    ],
)
def test_settings_that_read_files_are_rejected(owner, setting, value, tampered, folder):
    tampered.settings(owner)["content"][setting] = text(value)
    tampered.write()
    with pytest.raises(ModelFileError, match=f"{owner} with another {setting} than"):
        read_model(folder)


def test_deep_nesting_is_rejected(tampered, folder):
    deep = text(1)
    for level in range(160):
        deep = sequence("list", deep, number=95_000 + level)
    tampered.put(deep)
    tampered.write()
    with pytest.raises(ModelFileError, match="has more than 150 levels of nodes"):
        read_model(folder)


def test_repeats_of_repeats_are_counted_and_rejected(tampered, folder, numbers):
    tampered.put(doubled(20, numbers))
    tampered.write()
    assert tampered.model.stat().st_size < 50_000
    with pytest.raises(ModelFileError, match="more than 1000000 nodes"):
        read_model(folder)


def test_a_few_repeats_are_accepted(tampered, folder, numbers):
    tampered.put(doubled(8, numbers))
    tampered.write()
    read_model(folder)


def test_an_array_may_be_named_once(tampered, folder, numbers):
    tampered.members["999999.npy"] = as_npy(np.zeros(1000))
    arrays = [
        node("NdArrayNode", "numpy", "ndarray", next(numbers), type="numpy", file="999999.npy")
        for _ in range(2)
    ]
    tampered.put(sequence("list", *arrays))
    tampered.write()
    with pytest.raises(ModelFileError, match="the array '999999.npy' twice"):
        read_model(folder)


def test_an_array_of_objects_must_have_one_dimension(tampered, folder, numbers):
    shape = sequence("tuple", text(1, next(numbers)), text(1, next(numbers)))
    inner = doubled(3, numbers)
    tampered.put(node("NdArrayNode", "numpy", "ndarray", type="json", content=[inner], shape=shape))
    tampered.write()
    with pytest.raises(ModelFileError, match="not one-dimensional"):
        read_model(folder)


def test_a_type_that_is_not_that_of_an_array_is_rejected(tampered, folder, numbers):
    owner = mapping(95_000, dtype=text("datetime64[ns, dateutil//etc/passwd]"))
    payload = node("DTypeNode", "numpy", "dtype", next(numbers), content=None)
    payload["content"] = node(
        "ObjectNode", "skrub._to_str", "ToStr", number=next(numbers), content=owner
    )
    tampered.put(payload)
    tampered.write()
    with pytest.raises(ModelFileError, match="not that of an array"):
        read_model(folder)


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
    ],
)
def test_an_attribute_that_hides_something_of_its_class_is_rejected(owner, name, tampered, folder):
    set_attribute(tampered, owner, name, text("<script>alert(1)</script>"))
    tampered.write()
    with pytest.raises(ModelFileError, match=r"attribute '.*', which no model has"):
        read_model(folder)


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
        read_model(folder)


@pytest.mark.parametrize("where", ["type", "columns"])
def test_names_in_sentences_are_shown_harmlessly(where, tampered, folder):
    if where == "type":
        tampered.put(node("FunctionNode", "os", ESCAPE))
        tampered.write()
    else:
        tampered.write_card(columns={ESCAPE: "number"})
    with pytest.raises(ModelFileError, match="x1b") as why:
        read_model(folder)
    assert str(why.value).isprintable()
