"""The description inside a model file: which nodes it has, and whether all are on the list.

Skops describes an object by nested nodes, JSON objects with the kind of node, the module
and the name of a type or function, and an id. What is checked here is what skops will do:
nodes are visited in its order, a repeated id stands for the node that had it first,
and a node may have no key beyond those that its kind reads.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from ._errors import ModelFileError
from ._trusted import FIXED_SETTINGS, SETTINGS_LIKE, TRUSTED

DEEPEST = 150
"""Most levels of nodes; a model with all kinds of columns has about 50."""

Node = dict[str, Any]

_NAMED = {"__loader__", "__module__", "__class__", "__id__"}
# Keys of each kind of node beside those that name it.
_KEYS: dict[str, tuple[set[str], ...]] = {
    "ObjectNode": ({"content"}, set()),
    "DTypeNode": ({"content"},),
    "DictNode": ({"content", "key_types"},),
    "ListNode": ({"content"},),
    "TupleNode": ({"content"},),
    "JsonNode": ({"content", "is_json"},),
    "NdArrayNode": ({"type", "file"}, {"type", "content", "shape"}),
    "TypeNode": (set(),),
}
REPEATED = {"__loader__": "CachedNode", "__module__": None, "__class__": None}
"""A node that was there before, but for its id."""


def children(node: Node) -> Iterator[Node]:
    """Yield the nodes inside a node, in the order in which skops reads them."""
    kind: str = node["__loader__"]
    content: Any = node.get("content")
    if kind == "DictNode":
        yield node["key_types"]
        yield from content.values()
    elif kind in ("ListNode", "TupleNode"):
        yield from content
    elif kind == "NdArrayNode" and content is not None:
        yield from content
        yield node["shape"]
    elif kind in ("ObjectNode", "DTypeNode") and content is not None:
        yield content


class NodeCheck:
    """One visit to all nodes; `files` are the arrays they want, `done` the nodes by id."""

    def __init__(self) -> None:
        self.files: set[str] = set()
        self.done: dict[int, Node] = {}
        self._begun: set[int] = set()

    def visit(self, node: Any, depth: int = 0) -> None:
        """Refuse a node, or one inside it, that is malformed or names what is not on the list."""
        if depth > DEEPEST:
            raise too_deep()
        if not isinstance(node, dict) or not _NAMED <= node.keys():
            raise _malformed("a node without a kind, a module, a name or an id")
        number = node["__id__"]
        if type(number) is not int or number < 1:
            raise _malformed(f"the id {number!r}")
        if node["__loader__"] == REPEATED["__loader__"]:
            if node != REPEATED | {"__id__": number} or number not in self.done:
                raise _malformed(f"a repeated node, {number}, that is not known")
            return
        if number in self._begun:
            raise _malformed(f"the id {number} twice")
        self._check_name(node)
        self._begun.add(number)
        self._check_content(node)
        for child in children(node):
            self.visit(child, depth + 1)
        self._check_inside(node)
        self.done[number] = node

    def _check_name(self, node: Node) -> None:
        names = node["__loader__"], node["__module__"], node["__class__"]
        if not all(isinstance(name, str) for name in names):
            raise _malformed("a name that is not text")
        if names not in TRUSTED:
            kind, module, name = (name[:80] for name in names)
            raise ModelFileError(
                f"names {module}.{name} (as {kind}), which is not on the list of trusted types; "
                "nothing was run. Use only classifiers of this library."
            )

    def _check_content(self, node: Node) -> None:
        """Refuse keys and values that skops would not have written."""
        kind: str = node["__loader__"]
        content: Any = node.get("content")
        if not any(node.keys() == _NAMED | more for more in _KEYS[kind]):
            raise _malformed(f"keys that no {kind} has")
        wanted: Any = {"DictNode": dict, "ListNode": list, "TupleNode": list, "JsonNode": str}.get(
            kind, dict if kind != "NdArrayNode" else list
        )
        if content is not None and not isinstance(content, wanted):
            raise _malformed(f"a {kind} with {type(content).__name__} in it")
        if "content" in node and content is None:
            raise _malformed(f"a {kind} with nothing in it")
        if kind == "JsonNode" and isinstance(content, str):
            _scalar(content)
        if kind == "NdArrayNode":
            self._check_array(node)

    def _check_array(self, node: Node) -> None:
        if node["type"] != ("numpy" if "file" in node else "json"):
            raise _malformed("an array of an unknown kind")
        if "file" in node:
            if not isinstance(node["file"], str):
                raise _malformed("an array in a file without a name")
            self.files.add(node["file"])

    def _check_inside(self, node: Node) -> None:
        """Refuse what is known only when the inside has been visited."""
        if node["__loader__"] == "DictNode":
            keys = self._first(node["key_types"])
            listed = keys["content"] if keys["__loader__"] == "ListNode" else []
            types = [self._first(one) for one in listed]
            if len(types) != len(node["content"]):
                raise _malformed("a dictionary without a type for every key")
            if any(one["__loader__"] != "TypeNode" for one in types):
                raise _malformed("a dictionary with a key that is no plain value")
        elif node["__loader__"] == "ObjectNode" and "content" in node:
            self._check_settings(node)

    def _check_settings(self, node: Node) -> None:
        name = f"{node['__module__']}.{node['__class__']}"
        settings = self._first(node["content"])
        if settings["__loader__"] not in ("DictNode", "JsonNode"):
            raise _malformed(f"{name} with something else than settings")
        given = settings["content"] if settings["__loader__"] == "DictNode" else {}
        for setting, wanted in FIXED_SETTINGS.get(name, {}).items():
            value = self._first(given[setting]) if setting in given else node
            if value["__loader__"] != "JsonNode" or _scalar(value["content"]) != wanted:
                raise ModelFileError(
                    f"has {name} with another {setting} than {wanted!r}, with which it could read "
                    "other files. Save the model again."
                )

        for setting, pattern in SETTINGS_LIKE.get(name, {}).items():
            if setting in given and not _is_like(self._first(given[setting]), pattern):
                raise ModelFileError(
                    f"has {name} with an odd {setting}, with which it could read other files. Save "
                    "the model again."
                )

    def _first(self, node: Node) -> Node:
        """Return the node itself, or the one it repeats."""
        return self.done[node["__id__"]]


def _scalar(text: str) -> Any:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise _malformed(f"the value {text[:40]!r}") from None
    if isinstance(value, list | dict):
        raise _malformed("a value that is no number and no text")
    return value


def too_deep() -> ModelFileError:
    """Refuse a description of too many levels."""
    return ModelFileError(f"has more than {DEEPEST} levels of nodes. Save the model again.")


def _malformed(what: str) -> ModelFileError:
    return ModelFileError(f"is not described as skops does it ({what}). Save the model again.")


def _is_like(node: Node, pattern: str) -> bool:
    """Tell whether a node is None, or a text of a pattern that names no file of dateutil."""
    if node["__loader__"] != "JsonNode":
        return False
    text = _scalar(node["content"])
    if text is None:
        return True
    known = isinstance(text, str) and re.fullmatch(pattern, text, re.ASCII) is not None
    return known and not str(text).startswith("dateutil")
