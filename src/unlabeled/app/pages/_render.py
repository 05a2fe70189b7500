"""A page from its template, with a policy that lets only the page's own script run."""

from __future__ import annotations

import json
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
