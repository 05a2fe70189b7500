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
from importlib import import_module
from typing import Any

from ._trusted import CLASSES, FIXED_SETTINGS, PACKAGE, SETTINGS_LIKE, TRUSTED

# What goes wrong with model files.


class ModelFileError(ValueError):
    """A model file that cannot be written, read or trusted; the message says what to do.

    What a file says may be part of the message: characters that a terminal would obey are
    written as in Python's ``repr``.
    """

    def __init__(self, message: object = "") -> None:
        super().__init__(printable(str(message)))


def printable(text: str) -> str:
    """Write what is no letter, sign or blank as in Python's ``repr``.

    Examples
    --------
    >>> print(printable("r\u00e9gion \x1b[31m"))
    région \\x1b[31m
    """
    return "".join(one if one.isprintable() else repr(one)[1:-1] for one in text)


def malformed(what: str) -> ModelFileError:
    """Refuse a description that skops would not have written."""
    return ModelFileError(f"is not described as skops does it ({what}). Save the model again.")


# The attributes of the objects in a model file: their names, and values that could do harm.

_NAME = re.compile(r"(?!__|_doc_link)[A-Za-z_][A-Za-z0-9_]*")


def check_attributes(module: str, kind: str, given: dict[str, dict[str, Any]]) -> None:
    """Refuse attributes of a trusted type that a model never has, or has otherwise.

    Parameters
    ----------
    module, kind : str
        The name of the type, on the list of trusted ones.
    given : dict of str to node
        The attributes; no node is one that repeats another.
    """
    name = f"{module}.{kind}"
    _check_names(module, kind, given)
    for setting, wanted in FIXED_SETTINGS.get(name, {}).items():
        if setting not in given or not _is(given[setting], wanted):
            raise ModelFileError(
                f"has {name} with another {setting} than {wanted!r}, with which it could read "
                "other files or take any time. Save the model again."
            )
    for setting, pattern in SETTINGS_LIKE.get(name, {}).items():
        if setting in given and not _is_like(given[setting], pattern):
            raise ModelFileError(
                f"has {name} with an odd {setting}, with which it could read other files. Save "
                "the model again."
            )


def scalar(text: str) -> Any:
    """Return the number, text, truth or None that is written as JSON."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise malformed(f"the value {text[:40]!r}") from None
    if isinstance(value, list | dict):
        raise malformed("a value that is no number and no text")
    return value


def _check_names(module: str, kind: str, given: dict[str, Any]) -> None:
    """Refuse an attribute in the place of a method, or one that is looked up by a special name."""
    try:
        owner = CLASSES[kind] if module == PACKAGE else getattr(import_module(module), kind)
    except (ImportError, AttributeError):
        raise ModelFileError(
            f"names {module}.{kind}, which is not installed. Install the versions that its card "
            "names."
        ) from None
    for attribute in given:
        if not _NAME.fullmatch(attribute) or hasattr(owner, attribute):
            raise ModelFileError(
                f"has {module}.{kind} with the attribute {attribute[:80]!r}, which no model has. "
                "Save the model again."
            )


def _is(node: dict[str, Any], wanted: object) -> bool:
    if node["__loader__"] != "JsonNode":
        return False
    value = scalar(node["content"])
    return type(value) is type(wanted) and value == wanted


def _is_like(node: dict[str, Any], pattern: str) -> bool:
    """Tell whether a node is None, a type of NumPy, or a text of a pattern."""
    if node["__loader__"] != "JsonNode":
        return bool(node["__loader__"] == "DTypeNode")
    text = scalar(node["content"])
    if text is None:
        return True
    return isinstance(text, str) and re.fullmatch(pattern, text, re.ASCII) is not None


DEEPEST = 150
"""Most levels of nodes; a model with all kinds of columns has about 50."""

MOST_NODES = 1_000_000
"""Most nodes, where one that repeats another counts as much as that one: skops visits it again.

A model has about 170 for a column of numbers, and 660 for a category.
"""

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
        self._sizes: dict[int, int] = {}

    def visit(self, node: Any, depth: int = 0) -> int:
        """Refuse a node, or one inside it, that is malformed or names what is not on the list.

        Returns
        -------
        size : int
            The number of nodes in it, with itself and with those that are repeated.
        """
        if depth > DEEPEST:
            raise too_deep()
        if not isinstance(node, dict) or not _NAMED <= node.keys():
            raise malformed("a node without a kind, a module, a name or an id")
        number = node["__id__"]
        if type(number) is not int or number < 1:
            raise malformed(f"the id {str(number)[:40]!r}")
        if node["__loader__"] == REPEATED["__loader__"]:
            if node != REPEATED | {"__id__": number} or number not in self.done:
                raise malformed(f"a repeated node, {number}, that is not known")
            return self._sizes[number]
        if number in self._begun:
            raise malformed(f"the id {number} twice")
        self._check_name(node)
        self._begun.add(number)
        self._check_content(node)
        size = 1
        for child in children(node):
            size += self.visit(child, depth + 1)
            if size > MOST_NODES:
                raise ModelFileError(
                    f"has more than {MOST_NODES} nodes, with those that are repeated. If it is a "
                    "model, leave out columns."
                )
        self._check_inside(node)
        self.done[number] = node
        self._sizes[number] = size
        return size

    def _check_name(self, node: Node) -> None:
        names = node["__loader__"], node["__module__"], node["__class__"]
        if not all(isinstance(name, str) for name in names):
            raise malformed("a name that is not text")
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
            raise malformed(f"keys that no {kind} has")
        wanted: Any = {"DictNode": dict, "ListNode": list, "TupleNode": list, "JsonNode": str}.get(
            kind, dict if kind != "NdArrayNode" else list
        )
        if content is not None and not isinstance(content, wanted):
            raise malformed(f"a {kind} with {type(content).__name__} in it")
        if "content" in node and content is None:
            raise malformed(f"a {kind} with nothing in it")
        if kind == "JsonNode":
            self._check_scalar(node)
        if kind == "NdArrayNode":
            self._check_array(node)

    def _check_scalar(self, node: Node) -> None:
        if node["is_json"] is not True:
            raise malformed("a value that is not JSON")
        scalar(node["content"])

    def _check_array(self, node: Node) -> None:
        if node["type"] != ("numpy" if "file" in node else "json"):
            raise malformed("an array of an unknown kind")
        if "file" in node:
            if not isinstance(node["file"], str):
                raise malformed("an array in a file without a name")
            if node["file"] in self.files:
                raise malformed(f"the array {node['file'][:40]!r} twice")
            self.files.add(node["file"])

    def _check_inside(self, node: Node) -> None:
        """Refuse what is known only when the inside has been visited."""
        kind = node["__loader__"]
        if kind == "DictNode":
            keys = self._first(node["key_types"])
            listed = keys["content"] if keys["__loader__"] == "ListNode" else []
            types = [self._first(one) for one in listed]
            if len(types) != len(node["content"]):
                raise malformed("a dictionary without a type for every key")
            if any(one["__loader__"] != "TypeNode" for one in types):
                raise malformed("a dictionary with a key that is no plain value")
        elif kind == "ObjectNode" and "content" in node:
            self._check_settings(node)
        elif kind == "DTypeNode" and self._first(node["content"])["__loader__"] != "NdArrayNode":
            raise malformed("a type of something else than an array")
        elif kind == "NdArrayNode" and "shape" in node:
            shape = self._first(node["shape"])
            if shape["__loader__"] != "TupleNode" or len(shape["content"]) != 1:
                raise malformed("an array of objects that is no row")

    def _check_settings(self, node: Node) -> None:
        settings = self._first(node["content"])
        if settings["__loader__"] not in ("DictNode", "JsonNode"):
            raise malformed(f"{node['__class__']} with something else than settings")
        given: Node = {}
        if settings["__loader__"] == "DictNode":
            given = {name: self._first(one) for name, one in settings["content"].items()}
            keys = self._first(settings["key_types"])["content"]
            if any(self._first(one)["__class__"] != "str" for one in keys):
                raise malformed(f"{node['__class__']} with an attribute whose name is no text")
        check_attributes(node["__module__"], node["__class__"], given)

    def _first(self, node: Node) -> Node:
        """Return the node itself, or the one it repeats."""
        return self.done[node["__id__"]]


def too_deep() -> ModelFileError:
    """Refuse a description of too many levels."""
    return ModelFileError(f"has more than {DEEPEST} levels of nodes. Save the model again.")
