"""Check the description inside a model file: its form, and that all its names are trusted.

Skops describes an object by nested nodes: JSON objects with the kind of node, the module and the
name of a type or function, and an id. The check follows what skops will do: it visits nodes in the
same order, an id that occurs again refers to the first node with that id, and a node may have
only the keys that its kind reads.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from ...codes import Message
from ._trusted import FIXED_SETTINGS, PLACE_OF, TRUSTED

DEEPEST = 150
"""Maximum depth of nodes; a model with all kinds of columns of 0.2.0 has about 50."""

MOST_NODES = 1_000_000
"""Maximum number of nodes. A repeated node counts again, with all nodes inside it.

Skops visits repeated nodes again. A model has about 19 nodes per column of numbers, and 90 per
category of eight levels.
"""

Node = dict[str, Any]

_NAMED = {"__loader__", "__module__", "__class__", "__id__"}
# Further keys that each kind of node may have.
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
# The type of the content of each kind of node, a dict for the others.
_CONTENT = {"JsonNode": str, "ListNode": list, "NdArrayNode": list, "TupleNode": list}
_ATTRIBUTE = re.compile(r"(?!__|_doc_link)[A-Za-z_][A-Za-z0-9_]*")
REPEATED = {"__loader__": "CachedNode", "__module__": None, "__class__": None}
"""Keys and values of a node that refers to an earlier node, besides its id."""


class ModelFileError(ValueError):
    """A model file that cannot be written, read or trusted; the message says what to do.

    A message may quote the file: characters that control a terminal are escaped.
    """

    def __init__(self, what: object = "", advice: str = "") -> None:
        self.what, self.advice = printable(str(what)), advice
        super().__init__(self.what + " " + advice if advice else self.what)


AGAIN = Message(python="Fit and save the model again.", terminal="Fit the model again.")
SAVE = Message(
    python="Save the model with save_model.",
    terminal="Name the folder that `unlabeled fit` wrote.",
)
"""Advice about a file that is no model, or no model of this library."""


def printable(text: str) -> str:
    """Escape characters that are not printable, as Python's ``repr`` does.

    Examples
    --------
    >>> print(printable("r\u00e9gion \x1b[31m"))
    région \\x1b[31m
    """
    return "".join(
        character if character.isprintable() else repr(character)[1:-1] for character in text
    )


def malformed(what: str) -> ModelFileError:
    """Return the error for a description that skops would not have written."""
    return ModelFileError(f"has a description that is malformed ({what}).", AGAIN)


def too_deep() -> ModelFileError:
    """Return the error for a description with too many levels."""
    return ModelFileError(f"has more than {DEEPEST} levels of nodes.", AGAIN)


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
    """Visit all nodes; `files` are the arrays that they name, `done` the nodes by id."""

    def __init__(self) -> None:
        self.files: set[str] = set()
        self.done: dict[int, Node] = {}
        self._begun: set[int] = set()
        self._sizes: dict[int, int] = {}

    def visit(self, node: Any, depth: int = 0) -> int:
        """Reject a node if it, or one inside it, is malformed or has a name that is not trusted.

        Returns
        -------
        size : int
            The number of nodes in it, itself and repeated ones included.
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
                raise malformed(f"a repeated node, {number}, that is unknown")
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
                    f"has more than {MOST_NODES} nodes, repeated ones included. If it is a model, "
                    "fit again without some columns (`--drop`)."
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
                "nothing was run. Use classifiers of this library, or its PUThresholdClassifier "
                "over scikit-learn's forests or boosting."
            )

    def _check_content(self, node: Node) -> None:
        """Reject keys and values that skops would not have written."""
        kind: str = node["__loader__"]
        content: Any = node.get("content")
        if not any(node.keys() == _NAMED | more for more in _KEYS[kind]):
            raise malformed(f"keys that no {kind} has")
        if content is not None and not isinstance(content, _CONTENT.get(kind, dict)):
            raise malformed(f"a {kind} with {type(content).__name__} in it")
        if "content" in node and content is None:
            raise malformed(f"a {kind} with nothing in it")
        if kind == "JsonNode":
            if node["is_json"] is not True:
                raise malformed("a value that is not JSON")
            _scalar(node["content"])
        if kind == "NdArrayNode":
            self._check_array(node)

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
        """Run the checks that need the child nodes to be visited first."""
        kind = node["__loader__"]
        if kind == "DictNode":
            keys = self._first(node["key_types"])
            listed = keys["content"] if keys["__loader__"] == "ListNode" else []
            types = [self._first(child) for child in listed]
            if len(types) != len(node["content"]):
                raise malformed("a dictionary without a type for every key")
            if any(kind["__loader__"] != "TypeNode" for kind in types):
                raise malformed("a dictionary with a key that is not a plain value")
        elif kind == "ObjectNode" and "content" in node:
            self._check_settings(node)
        elif kind == "DTypeNode" and self._first(node["content"])["__loader__"] != "NdArrayNode":
            raise malformed("a type that is not that of an array")
        elif kind == "NdArrayNode" and "shape" in node:
            shape = self._first(node["shape"])
            if shape["__loader__"] != "TupleNode" or len(shape["content"]) != 1:
                raise malformed("an array of objects that is not one-dimensional")

    def _check_settings(self, node: Node) -> None:
        settings = self._first(node["content"])
        if settings["__loader__"] not in ("DictNode", "JsonNode"):
            raise malformed(f"{node['__class__']} without settings")
        given: Node = {}
        if settings["__loader__"] == "DictNode":
            given = {name: self._first(value) for name, value in settings["content"].items()}
            keys = self._first(settings["key_types"])["content"]
            if any(self._first(key)["__class__"] != "str" for key in keys):
                raise malformed(f"{node['__class__']} with an attribute whose name is not text")
        _check_attributes(node["__module__"], node["__class__"], given)

    def _first(self, node: Node) -> Node:
        """Return the node itself, or the one it repeats."""
        return self.done[node["__id__"]]


def _check_attributes(module: str, kind: str, given: dict[str, Node]) -> None:
    """Reject attributes that no model has, or that have a meaning for Python or scikit-learn.

    `given` has the nodes by name; repeated ones are replaced by those that they repeat.
    """
    name = f"{module}.{kind}"
    place, owner_name = PLACE_OF.get((module, kind), (module, kind))
    try:
        owner = getattr(import_module(place), owner_name)
    except (ImportError, AttributeError):
        raise ModelFileError(
            f"names {name}, which is not installed. Install the versions in model.json."
        ) from None
    for attribute in given:
        if not _ATTRIBUTE.fullmatch(attribute) or hasattr(owner, attribute):
            raise ModelFileError(
                f"has {name} with the attribute {attribute[:80]!r}, which no model has.", AGAIN
            )
    for setting, wanted in FIXED_SETTINGS.get(name, {}).items():
        node = given.get(setting)
        value = _scalar(node["content"]) if node and node["__loader__"] == "JsonNode" else node
        if node is None or type(value) is not type(wanted) or value != wanted:
            raise ModelFileError(
                f"has {name} with another {setting} than {wanted!r}, and could read other files.",
                AGAIN,
            )


def _scalar(text: str) -> Any:
    """Return the number, text, true/false or None that is written as JSON."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise malformed(f"the value {text[:40]!r}") from None
    if isinstance(value, list | dict):
        raise malformed("a value that is not a number, text or null")
    return value
