"""`unlabeled explain`: what a code means, and what to do."""

from __future__ import annotations

import textwrap

import click

from ..codes import CODES
from ._table_options import BadInput

_WIDTH = 88


@click.command()
@click.argument("code", required=False)
def explain(code: str | None) -> None:
    """Say what a code of a warning or finding means, and what to do.

    Without CODE all codes are listed, each with its meaning.

    \b
    Example: what does [PU202] mean?
      unlabeled explain PU202

    \b
    Exit codes:
      0    the code was explained
      2    there is no such code; a sentence says so
    """
    if code is None:
        for name, one in CODES.items():
            click.echo(f"{name}  {one.meaning}")
        return
    known = code.upper()
    if known not in CODES:
        raise BadInput(
            f"CODE must be a code such as PU202; got {code!r}. `unlabeled explain` lists all."
        )
    meaning, remedy = CODES[known]
    for line in (f"{known}: {meaning}.", f"What to do: {remedy}"):
        click.echo(textwrap.fill(line, _WIDTH))
    click.echo(f"More in the documentation, at checks.html#{known.lower()}")
