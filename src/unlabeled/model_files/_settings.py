"""The attributes of the objects in a model file: their names, and values that could do harm."""

from __future__ import annotations

import json
import re
from importlib import import_module
from typing import Any

from ._errors import ModelFileError, malformed
from ._trusted import CLASSES, FIXED_SETTINGS, PACKAGE, SETTINGS_LIKE

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
