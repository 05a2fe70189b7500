"""The description inside a model file: which nodes it has, and whether all are on the list.

Skops describes an object by nested nodes, JSON objects with the kind of node, the module
and the name of a type or function, and an id. What is checked here is what skops will do:
nodes are visited in its order, a repeated id stands for the node that had it first,
and a node may have no key beyond those that its kind reads.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ._errors import ModelFileError, malformed
from ._settings import check_attributes, scalar
from ._trusted import TRUSTED

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
