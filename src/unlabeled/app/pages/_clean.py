"""Text from a table, made safe to show: it must not be invisible or turn other text around."""

from __future__ import annotations

import re
from typing import Any

_CONTROL_PICTURES = 0x2400
_TURNS_TEXT = re.compile("[\u202a-\u202e\u2066-\u2069]")
_NO_CHARACTER = re.compile("[\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff\x80-\x84\x86-\x9f]")
_CONTROL = re.compile("[\x00-\x1f\x7f]")
_BREAK = re.compile("[\t\n\v\f\r\x85\u2028\u2029]+")


def clean(text: str) -> str:
    """Make control characters visible and line breaks spaces.

    The template escapes HTML later.

    Examples
    --------
    >>> clean("a\\nb\\x07"), clean("\\u202eevil")
    ('a b␇', '⟨U+202E⟩evil')
    """
    text = _BREAK.sub(" ", text)
    text = _TURNS_TEXT.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", text)
    text = _CONTROL.sub(_picture, text)
    return _NO_CHARACTER.sub("\ufffd", text)


def clean_all(value: Any) -> Any:
    """Return nested lists and dictionaries with all text cleaned."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {clean(str(key)): clean_all(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [one if isinstance(one, float | int) else clean_all(one) for one in value]
    return value


def _picture(found: re.Match[str]) -> str:
    code = ord(found[0])
    return chr(0x2421 if code == 0x7F else _CONTROL_PICTURES + code)
