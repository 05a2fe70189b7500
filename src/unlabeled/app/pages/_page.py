"""A page from its template: only its own script may run, and text from a table is made safe."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

# Characters that could end a script element, or that HTML reads.
_ESCAPES = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}
_LONGEST_NAME = 120
# Text must not be invisible or turn other text around.
_CONTROL_PICTURES = 0x2400
_TURNS_TEXT = re.compile("[\u202a-\u202e\u2066-\u2069]")
_NO_CHARACTER = re.compile("[\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff\x80-\x84\x86-\x9f]")
_CONTROL = re.compile("[\x00-\x1f\x7f]")
_BREAK = re.compile("[\t\n\v\f\r\x85\u2028\u2029]+")


def render_page(
    package: str,
    template: str,
    *,
    script: str,
    style: str,
    filters: dict[str, Callable[..., Any]] | None = None,
    **content: Any,
) -> str:
    """Render a template that extends ``skeleton.html.j2``.

    Parameters
    ----------
    package : str
        The package that has the files named below.
    template : str
        The page's template. It fills the blocks ``title`` and ``body``. All text is escaped.
    script, style : str
        The page's script, and its stylesheet, which follows the one that all pages share.
    filters : dict of str to callable, optional
        Filters of the template, besides ``data``, which shows text from a table.
    **content : object
        What the template shows.

    Returns
    -------
    page : str
        A self-contained page: it loads nothing and sends no request.
    """
    environment = _environment(package)
    environment.filters |= filters or {}
    own_script = _file(package, script)
    whole_style = _file(__package__, "page.css") + _file(package, style)
    return environment.get_template(template).render(
        policy=_policy(own_script, whole_style),
        script=Markup(own_script),
        style=Markup(whole_style),
        **content,
    )


def script_json(record: Any) -> Markup:
    """Return a record as JSON that is safe inside a script element.

    Examples
    --------
    >>> print(script_json(["</script>"]))
    ["\\u003c/script\\u003e"]
    """
    return Markup(json.dumps(record, allow_nan=False, separators=(",", ":")).translate(_ESCAPES))


@cache
def _environment(package: str) -> Environment:
    """Return the templates of a package; they are compiled once, which takes half a second."""

    def source(name: str) -> str:
        return _file(__package__ if name == "skeleton.html.j2" else package, name)

    environment = Environment(
        loader=FunctionLoader(source),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["data"] = _data
    return environment


@cache
def _file(package: str, name: str) -> str:
    return (files(package) / name).read_text("utf-8").replace("\r\n", "\n")


def _policy(script: str, style: str) -> str:
    return (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return "sha256-" + b64encode(sha256(text.encode("utf-8")).digest()).decode("ascii")


def _data(text: object, most: int = _LONGEST_NAME) -> Markup:
    """Isolate the direction of text from a table, and shorten long text.

    The `title` attribute then has the full text.
    """
    whole = str(text)
    if len(whole) <= most:
        return Markup("<bdi>{}</bdi>").format(whole)
    return Markup('<bdi title="{}">{}</bdi>').format(whole, whole[: most - 1].rstrip() + "…")


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
