"""`unlabeled explain`: what a code means, and what to do."""

from __future__ import annotations

import textwrap

import click

from ..codes import CODES, section_of

_WIDTH = 88


@click.command()
@click.argument("code", required=False)
def explain(code: str | None) -> None:
    """Explain the code of a warning or finding, and what to do.

    Without CODE, list all codes and what they mean.

    \b
    Example: what does [PU202] mean?
      unlabeled explain PU202
      unlabeled explain 202

    \b
    Exit codes:
      0    the code was explained
      2    the code does not exist
    """
    if code is None:
        for name, one in CODES.items():
            click.echo(f"{name}  {one.meaning}")
        return
    known = f"PU{code}" if code.isdecimal() else code.upper()
    if known not in CODES:
        from ..app.run import InputError  # needed only here: it loads NumPy

        raise InputError(
            f"CODE must be a code such as PU202; got {code!r}. `unlabeled explain` lists all."
        )
    found = CODES[known]
    for line in (f"{known}: {found.meaning}.", f"What to do: {found.remedy}"):
        click.echo(textwrap.fill(line, _WIDTH, break_on_hyphens=False))  # as in --labeled-by
    click.echo(f"More on {section_of(known)}.")
