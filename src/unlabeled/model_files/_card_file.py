"""The file of a card: JSON with known keys, each of its type."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

from .._version import __version__
from ..codes import warn
from ._card import FORMAT, Card, versions_in_use
from ._errors import ModelFileError

CARD = "model.json"
LARGEST = 16 * 2**20

KINDS = ("number", "true/false", "category", "date", "text", "blank")
_AGAIN = "Save the model again."
_LEADING = re.compile(r"\d{1,9}(\.\d{1,9}){0,2}")
_HALVES = re.compile(r"[\ud800-\udfff]")
# The name of a package, or a version: both are shown.
_VERSION = re.compile(r"[\w.+!-]{1,100}", re.ASCII)
_SHA256 = re.compile(r"[0-9a-f]{64}")
# With other versions of these, predictions may differ.
_MATTER = ("scikit-learn", "skrub", "numpy")


def write_card(card: Card) -> bytes:
    """Return the bytes of the file."""
    record = check_values(card.record(), "`card`")
    return (json.dumps(record, indent=2, ensure_ascii=False) + "\n").encode()


def read_card(path: Path) -> Card:
    """Read and check the file."""
    if not path.is_file():
        raise ModelFileError(
            f"`path` must have its card, {CARD}, beside it; got {path.parent} without one. Copy "
            "both files, or save the model again."
        )
    try:
        if path.stat().st_size > LARGEST:
            raise ModelFileError(f"{CARD} must have at most {LARGEST} bytes; got more. {_AGAIN}")
        data = path.read_bytes()
    except OSError as error:
        raise ModelFileError(
            f"{CARD} must be a file that can be read; got {error.strerror}."
        ) from None
    try:
        record = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError):
        raise ModelFileError(
            f"{CARD} must be JSON in UTF-8; got something else. {_AGAIN}"
        ) from None
    if not isinstance(record, dict):
        raise ModelFileError(f"{CARD} must be a JSON object; got a {_name(record)}. {_AGAIN}")
    _check_age(record)
    return Card(**check_values(record, CARD))


def check_values(record: dict[str, Any], where: str) -> dict[str, Any]:
    """Return the record if every key is there, no other is, and each has its type."""
    missing = [key for key in _IS_RIGHT if key not in record]
    odd = [str(key)[:40] for key in record if key not in _IS_RIGHT]
    if missing or odd:
        what = f"no {missing[0]!r}" if missing else f"also {odd[0]!r}"
        raise ModelFileError(f"{where} must have {', '.join(_IS_RIGHT)}; got {what}. {_AGAIN}")
    for key, (wanted, is_right) in _IS_RIGHT.items():
        if not is_right(record[key]):
            raise ModelFileError(
                f"{key!r} of {where} must be {wanted}; got {str(record[key])[:60]!r}. {_AGAIN}"
            )
    return record


def check_facts(facts: dict[str, Any]) -> None:
    """Refuse what a model says of itself if a card could not say it: it may be of any type."""
    for name, fact in facts.items():
        wanted, is_right = _IS_RIGHT[name]
        if not is_right(fact):
            raise TypeError(f"{name} is a {type(fact).__name__}, or not {wanted}")


def warn_of_other_versions(card: Card) -> None:
    """Warn where packages that matter have another version than when the model was saved."""
    now = versions_in_use()
    other = [
        f"{name} {card.versions[name]} (now {now[name]})"
        for name in _MATTER
        if _numbers(card.versions[name])[:2] != _numbers(now[name])[:2]
    ]
    if other:
        warn(
            "PU116",
            f"the model was saved with {', '.join(other)}; its predictions may differ. Compare "
            "some with those of the fit, or fit again.",
        )


def _check_age(record: dict[str, Any]) -> None:
    found = record.get("format")
    if type(found) is int and found > FORMAT:
        raise ModelFileError(
            f"'format' of {CARD} must be {FORMAT}; got {found}, which a newer version of this "
            "library wrote. Update unlabeled."
        )
    if type(found) is int and 0 < found < FORMAT:
        raise ModelFileError(
            f"'format' of {CARD} must be {FORMAT}; got {found}, which unlabeled 0.1.0 wrote. Fit "
            "the model again, for example with `unlabeled fit`, or install unlabeled 0.1.0 to "
            "read it."
        )
    versions = record.get("versions")
    theirs = versions.get("unlabeled") if isinstance(versions, dict) else None
    if isinstance(theirs, str) and _numbers(theirs) > _numbers(__version__):
        raise ModelFileError(
            f"the version of unlabeled in {CARD} must be at most {__version__}; got "
            f"{theirs[:40]}. Update unlabeled."
        )


def _numbers(version: str) -> tuple[int, ...]:
    """Return the leading numbers of a version.

    Examples
    --------
    >>> _numbers("1.10.0rc1") > _numbers("1.9.3")
    True
    """
    found = _LEADING.match(version)
    return tuple(int(part) for part in found.group().split(".")) if found else ()


def _name(value: Any) -> str:
    return {list: "list", str: "text", type(None): "null", bool: "true/false"}.get(
        type(value), "number"
    )


def _text(value: Any) -> bool:
    # Half a character, which JSON can have, can be neither written nor shown.
    return isinstance(value, str) and not _HALVES.search(value)


def _word(value: Any) -> bool:
    return _text(value) and value.isprintable()


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) < math.inf


def _positive(value: Any) -> bool:
    return value is None or (_is_number(value) and value > 0)


def _texts(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_text, [*value, *value.values()]))


def _versions(value: Any) -> bool:
    return (
        _texts(value)
        and all(map(_VERSION.fullmatch, [*value, *value.values()]))
        and {"unlabeled", "python", *_MATTER} <= value.keys()
    )


def _columns(value: Any) -> bool:
    return _texts(value) and bool(value) and set(value.values()) <= set(KINDS)


def _fingerprint(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() == {"sha256", "rows", "columns"}
        and _sha256(value["sha256"])
        and all(type(value[key]) is int and value[key] > 0 for key in ("rows", "columns"))
    )


def _sha256(value: Any) -> bool:
    return isinstance(value, str) and bool(_SHA256.fullmatch(value))


_IS_RIGHT: dict[str, tuple[str, Any]] = {
    "columns": (f"a kind ({', '.join(KINDS)}) for every column", _columns),
    "label": ("text", _text),
    "positive": ("text", _text),
    "id": ("text or null", lambda value: value is None or _text(value)),
    "method": ("printable text", _word),
    "rule": ("printable text or null", lambda value: value is None or _word(value)),
    "threshold": ("a finite number", _is_number),
    "label_frequency": ("a positive number or null", _positive),
    "class_prior": ("a positive number or null", _positive),
    "fingerprint": ("a sha256 and positive numbers of rows and columns", _fingerprint),
    "versions": ("a version for every package", _versions),
    "format": (str(FORMAT), lambda value: type(value) is int and value == FORMAT),
    "sha256": ("64 hexadecimal digits", _sha256),
}
