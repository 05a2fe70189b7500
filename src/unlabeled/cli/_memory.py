"""The option `--memory`: a size such as 4GB."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import click

from ..app.run import InputError

_SIZE = re.compile(r"\s*([0-9]*\.?[0-9]+)\s*([kmgt])(i?)b?\s*", re.IGNORECASE)
_POWER = {"k": 1, "m": 2, "g": 3, "t": 4}


class Memory(click.ParamType):
    """A size such as 4GB, as a number of bytes."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number of bytes, or reject the text."""
        if isinstance(value, int):
            return value
        found = _SIZE.fullmatch(str(value))
        if found is None or float(found[1]) == 0:
            raise InputError(
                f"`--memory` must be a size such as 4GB or 800MB; got {str(value)!r}. Give a "
                "number with MB or GB."
            )
        base = 1024 if found[3] else 1000
        return int(float(found[1]) * base ** _POWER[found[2].lower()])


def memory_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the option `--memory`."""
    return click.option(
        "--memory",
        type=Memory(),
        metavar="SIZE",
        help="The most memory to take, such as 4GB. A larger table is read in parts.  [default: "
        "half of what is free, 2GB at least]",
    )(command)
