"""The zip archive of a model: small, with known members, and checked before anything is built.

Error messages here are a clause that the caller puts in brackets, "model.skops ... (it is empty)",
and then sentences that say what to do.
"""

from __future__ import annotations

import io
import json
import math
import re
import zipfile
import zlib
from collections.abc import Iterable
from typing import Any

import numpy as np

from ._nodes import AGAIN, REPEATED, SAVE, ModelFileError, Node, NodeCheck, children, too_deep
from ._of_020 import rename_attributes
from ._trusted import NAME_OF, PLACE_OF

LARGEST = 512 * 2**20
"""Maximum size of a model file in bytes, compressed or not."""

MOST_PACKED = 200
"""Maximum compression ratio, not counting the first `SMALL` unpacked bytes."""

SMALL = 32 * 2**20
MOST_MEMBERS = 10_000

LARGEST_DESCRIPTION = 64 * 2**20
"""Maximum size of the description in bytes; three text columns of 52 000 n-grams need 1 MB."""

MOST_MARKS = 10_000_000
"""Maximum number of brackets and commas in the description; each may become a large object."""

_DESCRIPTION = "schema.json"
_ARRAY = re.compile(r"[0-9]{1,20}\.npy")
_PLAIN_NUMBERS_AND_TEXT = "biufUM"
_FIRST_PROTOCOL = 2
_HEADER_KEYS = ("protocol", "_skops_version")
_PICKLE_PROTOCOLS = (b"\x02", b"\x03", b"\x04", b"\x05")
_MEMBER = b"PK\x01\x02"
_FIXED_DATE = (1980, 1, 1, 0, 0, 0)


def open_archive(data: bytes) -> zipfile.ZipFile:
    """Open a zip archive with a limited number of members; reject other files by their kind."""
    if not data:
        raise ModelFileError("is empty (0 bytes). Copy it again, or fit and save the model again.")
    if data[:1] == b"\x80" and data[1:2] in _PICKLE_PROTOCOLS:
        raise ModelFileError(
            "is a pickle: it could run any code when opened, and was not opened.", SAVE
        )
    if not data.startswith(b"PK\x03\x04"):
        raise ModelFileError("is another kind of file.", SAVE)
    if data.count(_MEMBER) > MOST_MEMBERS:
        raise ModelFileError(f"has more than {MOST_MEMBERS} members.", AGAIN)
    try:
        return zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, ValueError, OSError, EOFError, NotImplementedError):
        raise ModelFileError(
            "is incomplete or damaged. Copy it again from where it was saved."
        ) from None


def for_skops(archive: zipfile.ZipFile, packed: int) -> bytes:
    """Return a checked archive that names our classes by their Python modules.

    Rejects anything but a model of trusted types. Skops then reads only this new archive, not the
    original file.
    """
    _check_members(archive.infolist(), packed)
    header, root = _description(archive)
    arrays = {member.filename for member in archive.infolist()} - {_DESCRIPTION}
    for node in _checked_nodes(root, arrays):
        rename_attributes(node)
        _rename(node, PLACE_OF)
    contents = ((name, _read(archive, name)) for name in sorted(arrays))
    return _zipped(contents, header | root, zipfile.ZIP_STORED)


def packed_model(data: bytes) -> bytes:
    """Pack what skops wrote as a model file; reject what `for_skops` would reject.

    Our classes get their public names. Equal models give equal bytes, and each object is described
    once; skops describes an object every time it occurs, and numbers it by its address in memory.
    """
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        header, root = _description(archive)
        numbers: dict[int, int] = {}
        files: dict[str, str] = {}
        _number(root, numbers, files)
        _checked_nodes(root, set(files.values()))
        contents = ((files[name], archive.read(name)) for name in files)
        packed = _zipped(contents, header | root, zipfile.ZIP_DEFLATED)
    with open_archive(packed) as new:
        _check_members(new.infolist(), len(packed))
    return packed


def _zipped(contents: Iterable[tuple[str, bytes]], described: Node, how: int) -> bytes:
    """Check arrays and write them to an archive, one at a time; the description comes last."""
    text = json.dumps(described, separators=(",", ":")).encode()
    _check_marks(text)
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in contents:
            _check_array(name, content)
            archive.writestr(zipfile.ZipInfo(name, _FIXED_DATE), content, compress_type=how)
        archive.writestr(zipfile.ZipInfo(_DESCRIPTION, _FIXED_DATE), text, compress_type=how)
    return stream.getvalue()


def _rename(node: Node, names: dict[tuple[str, str], tuple[str, str]]) -> None:
    known = node["__module__"], node["__class__"]
    node["__module__"], node["__class__"] = names.get(known, known)


def _number(node: Node, numbers: dict[int, int], files: dict[str, str]) -> None:
    """Number nodes in the order of reading, replace repeated ones, and name our classes."""
    known = numbers.get(node["__id__"])
    if known is not None:
        node.clear()
        node.update(REPEATED | {"__id__": known})
        return
    numbers[node["__id__"]] = node["__id__"] = len(numbers) + 1
    _rename(node, NAME_OF)
    if "file" in node:
        node["file"] = files.setdefault(node["file"], f"{node['__id__']}.npy")
    for child in children(node):
        _number(child, numbers, files)


def _checked_nodes(root: Node, arrays: set[str]) -> Iterable[Node]:
    """Return all nodes; reject names that are not trusted, and missing or unused arrays."""
    check = NodeCheck()
    check.visit(root)
    if arrays != check.files:
        odd = sorted(arrays ^ check.files)[0]
        raise ModelFileError(
            f"does not hold exactly the arrays that it names ({odd[:80]!r}).", AGAIN
        )
    return check.done.values()


def _check_members(members: list[zipfile.ZipInfo], packed: int) -> None:
    names = [member.filename for member in members]
    odd = [name for name in names if name != _DESCRIPTION and not _ARRAY.fullmatch(name)]
    if _DESCRIPTION not in names:
        raise ModelFileError(
            f"is a zip archive of something else: it has no {_DESCRIPTION}. Check that it is a "
            "model."
        )
    if odd or len(set(names)) < len(names):
        what = repr(odd[0][:80]) if odd else "the same name twice"
        raise ModelFileError(f"holds {what} besides {_DESCRIPTION} and arrays.", AGAIN)
    ways = {member.compress_type for member in members}
    if not ways <= {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
        raise ModelFileError("is not packed by deflate.", AGAIN)
    described = next(member.file_size for member in members if member.filename == _DESCRIPTION)
    if described > LARGEST_DESCRIPTION:
        raise _too_much_described(f"of {described} bytes, more than {LARGEST_DESCRIPTION}")
    unpacked = sum(member.file_size for member in members)
    most = min(LARGEST, SMALL + MOST_PACKED * packed)
    if unpacked > most:
        raise ModelFileError(
            f"has {packed} bytes and would unpack to {unpacked}, more than {most}. If it is a "
            "model, fit again without long text columns (`--drop`), or with fewer trees."
        )


def _read(archive: zipfile.ZipFile, name: str) -> bytes:
    try:
        return archive.read(name)
    except (zipfile.BadZipFile, zlib.error, RuntimeError, OSError, EOFError, ValueError):
        raise ModelFileError(
            f"is damaged: {name[:80]!r} cannot be unpacked. Copy it again from where it was saved."
        ) from None


def _description(archive: zipfile.ZipFile) -> tuple[dict[str, Any], Node]:
    """Return the header that skops wrote, and the node of the model."""
    text = _read(archive, _DESCRIPTION)
    _check_marks(text)
    try:
        root = json.loads(text.decode("utf-8"))
    except RecursionError:
        raise too_deep() from None
    except ValueError:
        raise ModelFileError(f"has a {_DESCRIPTION} that is not JSON.", AGAIN) from None
    if not isinstance(root, dict) or not isinstance(root.get("_skops_version"), str):
        raise ModelFileError(
            f"has a {_DESCRIPTION} that skops did not write. Check that it is a model."
        )
    protocol = root.get("protocol")
    if type(protocol) is not int or protocol < _FIRST_PROTOCOL:
        raise ModelFileError(
            f"has skops protocol {str(protocol)[:40]}, not {_FIRST_PROTOCOL} or later. Save the "
            "model again."
        )
    return {key: root.pop(key) for key in _HEADER_KEYS}, root


def _check_marks(text: bytes) -> None:
    if sum(map(text.count, (b"{", b"[", b","))) > MOST_MARKS:
        raise _too_much_described(f"of more than {MOST_MARKS} brackets and commas")


def _too_much_described(what: str) -> ModelFileError:
    return ModelFileError(
        f"has a {_DESCRIPTION} {what}. If it is a model, fit again without some columns (`--drop`)."
    )


def _check_array(name: str, data: bytes) -> None:
    """Reject an array of objects, or one whose header claims another size than its data has."""
    stream = io.BytesIO(data)
    readers: dict[Any, Any] = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }
    try:
        version = np.lib.format.read_magic(stream)
        shape, _, dtype = readers[version](stream)
    except (ValueError, KeyError, SyntaxError, RecursionError, MemoryError, TypeError):
        raise ModelFileError(f"has {name}, which is not an array.", AGAIN) from None
    items = math.prod(shape)
    fits = items * dtype.itemsize == len(data) - stream.tell() and (items == 0 or dtype.itemsize)
    if dtype.kind not in _PLAIN_NUMBERS_AND_TEXT or not fits:
        raise ModelFileError(
            f"has {name}, which is not an array of numbers or text, or not of the size that its "
            "header claims.",
            AGAIN,
        )
