"""Parts of a model file as skops writes them, to be put into one."""

from __future__ import annotations

import io
import json

import numpy as np

ESCAPE = "\x1b]0;title\x07"
"""Characters that set the title of a terminal."""


def node(kind, module, name, number=90_000, **more):
    return {"__loader__": kind, "__module__": module, "__class__": name, "__id__": number, **more}


def text(value, number=90_100):
    return node("JsonNode", "builtins", "str", number, content=json.dumps(value), is_json=True)


def sequence(kind, *content, number=90_200):
    return node(f"{kind.title()}Node", "builtins", kind, number, content=list(content))


def mapping(number=90_300, **content):
    types = [node("TypeNode", "builtins", "str", number + 2 + k) for k in range(len(content))]
    types = sequence("list", *types, number=number + 1)
    return node("DictNode", "builtins", "dict", number, content=content, key_types=types)


def repeated(number):
    return node("CachedNode", None, None, number)


def as_npy(array, **more):
    stream = io.BytesIO()
    np.save(stream, array, **more)
    return stream.getvalue()


def with_header(descr, shape, data=b""):
    stream = io.BytesIO()
    header = {"descr": descr, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(stream, header)
    return stream.getvalue() + data


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
