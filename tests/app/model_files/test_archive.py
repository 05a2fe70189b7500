"""The archive of a model: damaged files, files of another kind, and small ones that grow."""

from __future__ import annotations

import io
import json
import pickle
import zipfile

import numpy as np
import pytest

from tests.app.model_files.skops_nodes import as_npy, with_header
from unlabeled.app.model_files import ModelFileError, read_model


class LeavesAMark:
    """Writes a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


def test_a_pickle_is_not_opened(tampered, folder, tmp_path):
    mark = tmp_path / "mark"
    for protocol in (2, 4, 5):
        tampered.write_bytes(pickle.dumps(LeavesAMark(mark), protocol=protocol))
        with pytest.raises(ModelFileError, match=r"is a pickle.* not opened"):
            read_model(folder)
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
    with pytest.raises(ModelFileError, match=r"incomplete or damaged|another kind of file"):
        read_model(folder)


def test_an_empty_file_is_rejected(tampered, folder):
    tampered.write_bytes(b"")
    with pytest.raises(ModelFileError, match=r"empty \(0 bytes\)"):
        read_model(folder)


def test_random_bytes_are_rejected(tampered, folder, rng):
    for start in (b"", b"PK\x03\x04"):
        tampered.write_bytes(start + rng.bytes(5000))
        with pytest.raises(ModelFileError, match="another kind of file|incomplete or damaged"):
            read_model(folder)


def test_one_changed_byte_is_rejected_wherever_it_is(tampered, folder, rng):
    data = bytearray(tampered.model.read_bytes())
    for place in rng.integers(0, len(data), 40):
        changed = data.copy()
        changed[place] ^= 0x11
        tampered.model.write_bytes(changed)
        with pytest.raises(ModelFileError, match="damaged, was changed|do not belong together"):
            read_model(folder)


def test_a_zip_of_something_else_is_rejected(tampered, folder):
    tampered.members = {"table.csv": b"a,b"}
    tampered.write(description=False)
    with pytest.raises(ModelFileError, match=r"has no schema\.json"):
        read_model(folder)


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
        read_model(folder)


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
    # Bytes that do not shrink, so that the description is not rejected for its growth.
    noise = np.random.default_rng(0).bytes(2**20)
    tampered.members["999999.npy"] = as_npy(np.frombuffer(noise, dtype=np.uint8))
    tampered.write(description)

    read = json.loads

    def only_the_card(data, **more):
        assert len(data) < 10**6, "the description was read"
        return read(data, **more)

    monkeypatch.setattr("unlabeled.app.model_files._archive.json.loads", only_the_card)
    with pytest.raises(ModelFileError, match=f"has a schema.json {what}"):
        read_model(folder)


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
        read_model(folder)


def test_a_pickle_in_the_place_of_an_array_is_not_opened(tampered, folder, tmp_path):
    tampered.members[next(iter(tampered.members))] = pickle.dumps(LeavesAMark(tmp_path / "mark"))
    tampered.write()
    with pytest.raises(ModelFileError, match="not an array"):
        read_model(folder)
    assert not (tmp_path / "mark").exists()


@pytest.mark.parametrize("name", ["more.txt", "../1.npy", "1.bin", "/etc/1.npy", "123456789.npy"])
def test_an_unexpected_member_is_rejected(name, tampered, folder):
    tampered.members[name] = as_npy(np.zeros(1))
    tampered.write()
    with pytest.raises(ModelFileError, match="it holds '|the arrays that it names"):
        read_model(folder)


def test_a_small_file_that_unpacks_to_a_large_one_is_rejected(tampered, folder):
    tampered.members["777777.npy"] = bytes(100 * 2**20)
    tampered.write()
    assert tampered.model.stat().st_size < 2**20
    with pytest.raises(ModelFileError, match="would unpack to .* more than"):
        read_model(folder)


def test_a_file_with_a_million_members_is_rejected(tampered, folder):
    tampered.write_bytes(tampered.model.read_bytes() + b"PK\x01\x02" * 20_000)
    with pytest.raises(ModelFileError, match="more than 10000 members"):
        read_model(folder)


def test_another_way_of_packing_is_rejected(tampered, folder):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("schema.json", json.dumps(tampered.root))
    tampered.write_bytes(stream.getvalue())
    with pytest.raises(ModelFileError, match="not packed by deflate"):
        read_model(folder)
