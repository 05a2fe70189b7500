"""Files that are not models, or were tampered with, are rejected, and nothing is run."""

from __future__ import annotations

import hashlib
import io
import json
import pickle
import sys
import zipfile
from contextlib import suppress

import numpy as np
import pytest
import skops.io

from tests.app.model_files.skops_nodes import as_npy, mapping, node, sequence, text, with_header
from unlabeled.app.model_files import ModelFileError, load_model
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


class LeavesAMark:
    """Writes a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


@pytest.fixture
def mark(tmp_path, monkeypatch):
    """Return a file that is there as soon as the module `marking` is only imported."""
    (tmp_path / "marking.py").write_text(MARKING)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "marking", raising=False)
    yield tmp_path / "mark"
    sys.modules.pop("marking", None)


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


@pytest.mark.parametrize("kind", PAYLOADS)
def test_a_type_that_is_not_on_the_list_is_rejected_before_its_module_is_imported(
    kind, tampered, mark, folder
):
    tampered.put(PAYLOADS[kind])
    tampered.members.setdefault("1.npy", as_npy(np.zeros(1)))
    tampered.write()
    with pytest.raises(ModelFileError, match="trusted types") as why:
        load_model(folder)
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
        load_model(folder)
    assert named in str(why.value)


def test_a_repeated_id_cannot_hide_a_type(tampered, mark, folder):
    first = tampered.settings("NaiveLogistic")["content"]["max_iter"]
    tampered.put(node("ObjectNode", "marking", "Marking", first["__id__"]))
    tampered.write()
    with pytest.raises(ModelFileError, match="malformed .the id|trusted"):
        load_model(folder)
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
        load_model(folder)
    assert what in str(why.value)


@pytest.mark.parametrize(
    ("owner", "setting", "value"),
    [
        ("Pipeline", "memory", "/tmp/pickles"),
        ("TfidfVectorizer", "input", "filename"),
        ("TfidfVectorizer", "analyzer", "word"),
        ("TfidfVectorizer", "token_pattern", r"(?:\w+\s?)*!"),
        ("TfidfVectorizer", "preprocessor", 1),
        ("TfidfVectorizer", "tokenizer", 1),
        ("ApplyToEachCol", "n_jobs", 64),
        ("ApplyToEachCol", "rename_columns", "{0.__class__}"),
        ("TableVectorizer", "n_jobs", 64),
    ],
)
def test_settings_that_read_files_start_processes_or_search_forever_are_rejected(
    owner, setting, value, tampered, folder
):
    tampered.settings(owner)["content"][setting] = text(value)
    tampered.write()
    with pytest.raises(ModelFileError, match=f"{owner} with another {setting} than"):
        load_model(folder)


@pytest.mark.parametrize("zone", ["dateutil/etc/passwd", "/etc/localtime", "../x", 5, "a b"])
def test_a_time_zone_that_would_be_opened_as_a_file_is_rejected(zone, tampered, folder):
    settings = tampered.settings("ToDatetime")
    if "output_time_zone_" not in settings["content"]:
        keys = settings["key_types"]["content"]
        keys.append(keys[0])
    settings["content"]["output_time_zone_"] = text(zone)
    tampered.write()
    with pytest.raises(ModelFileError, match="odd output_time_zone_"):
        load_model(folder)


def test_a_trusted_type_in_an_impossible_state_is_rejected(tampered, folder):
    del tampered.settings("NaiveLogistic")["content"]["intercept_"]
    keys = tampered.settings("NaiveLogistic")["key_types"]["content"]
    keys.pop()
    tampered.write()
    with pytest.raises(ModelFileError, match="cannot be rebuilt|arrays that it names"):
        load_model(folder)


def test_a_pickle_is_not_opened(tampered, folder, tmp_path):
    mark = tmp_path / "mark"
    for protocol in (2, 4, 5):
        tampered.write_bytes(pickle.dumps(LeavesAMark(mark), protocol=protocol))
        with pytest.raises(ModelFileError, match=r"is a pickle.* not opened"):
            load_model(folder)
        assert not mark.exists()
    pickle.loads(folder.joinpath("model.skops").read_bytes()).close()
    assert mark.exists()  # it was alive


@pytest.mark.parametrize("share", [1e-9, 0.001, 0.1, 0.5, 0.9, 0.999, "all but one byte"])
@pytest.mark.parametrize("card_fits", [True, False])
def test_a_file_that_is_cut_off_is_rejected(share, card_fits, tampered, folder):
    data = tampered.model.read_bytes()
    length = len(data) - 1 if isinstance(share, str) else 1 + int(share * len(data))
    tampered.model.write_bytes(data[:length])
    if card_fits:
        tampered.write_bytes(data[:length])
    with pytest.raises(ModelFileError, match=r"cut short or damaged|another kind of file"):
        load_model(folder)


def test_an_empty_file_is_rejected(tampered, folder):
    tampered.write_bytes(b"")
    with pytest.raises(ModelFileError, match=r"empty \(0 bytes\)"):
        load_model(folder)


def test_random_bytes_are_rejected(tampered, folder, rng):
    for start in (b"", b"PK\x03\x04"):
        tampered.write_bytes(start + rng.bytes(5000))
        with pytest.raises(ModelFileError, match="another kind of file|cut short or damaged"):
            load_model(folder)


def test_one_changed_byte_is_rejected_wherever_it_is(tampered, folder, rng):
    data = bytearray(tampered.model.read_bytes())
    for place in rng.integers(0, len(data), 40):
        changed = data.copy()
        changed[place] ^= 0x11
        tampered.model.write_bytes(changed)
        with pytest.raises(ModelFileError, match="`path` must be a model"):
            load_model(folder)


def test_a_zip_of_something_else_is_rejected(tampered, folder):
    tampered.members = {"table.csv": b"a,b"}
    tampered.write(description=False)
    with pytest.raises(ModelFileError, match=r"has no schema\.json"):
        load_model(folder)


@pytest.mark.parametrize(
    ("description", "sentence"),
    [
        ("{", "that is not JSON"),
        (b"\xff", "that is not JSON"),
        ("[]", "that skops did not write"),
        ("[" * 100_000, "levels of nodes"),
        (json.dumps({"protocol": 0, "_skops_version": "0.16"}), "has skops protocol 0"),
        (json.dumps({"protocol": True, "_skops_version": "0.16"}), "has skops protocol True"),
        (json.dumps({"protocol": 2, "_skops_version": [["0.16"]]}), "that skops did not write"),
        (json.dumps({"protocol": 2, "_skops_version": "0.16"}), "a node without a kind"),
    ],
)
def test_a_description_that_skops_did_not_write_is_rejected(
    description, sentence, tampered, folder
):
    tampered.write(description)
    with pytest.raises(ModelFileError, match=sentence):
        load_model(folder)


def test_deep_nesting_is_rejected(tampered, folder):
    deep = text(1)
    for level in range(160):
        deep = sequence("list", deep, number=95_000 + level)
    tampered.put(deep)
    tampered.write()
    with pytest.raises(ModelFileError, match="has more than 150 levels of nodes"):
        load_model(folder)


@pytest.mark.parametrize(
    "data",
    [
        with_header("<f8", (10**15,)),
        with_header("<f8", (-1,), b"12345678"),
        with_header("<U0", (10**9,)),
        with_header("|O", (1,), b"12345678"),
        with_header([("a", "<f8")], (1,), b"12345678"),
    ],
)
def test_an_array_of_objects_or_another_size_than_it_has_is_rejected(data, tampered, folder):
    tampered.members[next(iter(tampered.members))] = data
    tampered.write()
    with pytest.raises(ModelFileError, match="not an array of numbers or text"):
        load_model(folder)


def test_a_pickle_in_the_place_of_an_array_is_not_opened(tampered, folder, tmp_path):
    tampered.members[next(iter(tampered.members))] = pickle.dumps(LeavesAMark(tmp_path / "mark"))
    tampered.write()
    with pytest.raises(ModelFileError, match="not an array"):
        load_model(folder)
    assert not (tmp_path / "mark").exists()


@pytest.mark.parametrize("name", ["more.txt", "../1.npy", "1.bin", "/etc/1.npy", "123456789.npy"])
def test_an_unexpected_member_is_rejected(name, tampered, folder):
    tampered.members[name] = as_npy(np.zeros(1))
    tampered.write()
    with pytest.raises(ModelFileError, match="which holds '|the arrays that it names"):
        load_model(folder)


def test_a_small_file_that_unpacks_to_a_large_one_is_rejected(tampered, folder):
    tampered.members["777777.npy"] = bytes(100 * 2**20)
    tampered.write()
    assert tampered.model.stat().st_size < 2**20
    with pytest.raises(ModelFileError, match="would unpack to .* more than"):
        load_model(folder)


def test_a_file_with_a_million_members_is_rejected(tampered, folder):
    tampered.write_bytes(tampered.model.read_bytes() + b"PK\x01\x02" * 20_000)
    with pytest.raises(ModelFileError, match="more than 10000 members"):
        load_model(folder)


def test_a_huge_file_is_rejected_before_it_is_read(tampered, folder):
    with tampered.model.open("r+b") as stream:
        stream.truncate(2**30)  # holes, not bytes
    with pytest.raises(ModelFileError, match="536870912 bytes; got model.skops with 1073741824"):
        load_model(folder)


def test_another_way_of_packing_is_rejected(tampered, folder):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("schema.json", json.dumps(tampered.root))
    tampered.write_bytes(stream.getvalue())
    with pytest.raises(ModelFileError, match="not packed by deflate"):
        load_model(folder)


@pytest.mark.parametrize("which", ["model", "card"])
def test_a_model_and_a_card_that_do_not_belong_together_are_rejected(which, tampered, folder):
    if which == "model":
        tampered.settings("NaiveLogistic")["content"]["max_iter"] = text(7)
        fits = tampered.card.read_bytes()
        tampered.write()
        tampered.card.write_bytes(fits)
    else:
        tampered.write_card(sha256=hashlib.sha256(b"another").hexdigest())
    with pytest.raises(ModelFileError, match="sha256 .* instead of"):
        load_model(folder)
