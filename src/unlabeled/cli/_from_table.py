"""What the commands that begin with a table say about it, and about bad input."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from ..tables import Labels, Prepared, Table

# The arguments of the library that its sentences name, as the command line calls them.
_OPTIONS = {"`path`": "TABLE", "`table`": "TABLE", "`class_prior`": "`--class-prior`"}
_OPTIONS |= {"`test_size`": "`--test-size`", "`n_repeats`": "`--repeats`", "`y`": "`--label`"}
_OPTIONS |= {"`as_text`": "`--as-text`", "`rule`": "`--rule`"}
_OPTIONS |= {f"`{name}`": f"`--{name}`" for name in ("label", "positive", "id", "drop")}


class BadInput(click.ClickException):
    """What was given cannot be used; exit code 2, as for a wrong option."""

    exit_code = 2


def as_options(sentence: str) -> str:
    """Write a sentence of the library with the names of the command line."""
    for argument, option in _OPTIONS.items():
        sentence = sentence.replace(argument, option)
    return sentence


def about_model(sentence: str, argument: str) -> str:
    """Write a sentence about a model file as for somebody who fits from a terminal."""
    sentence = sentence.replace("`path`", argument)
    sentence = sentence.replace("that save_model wrote", "that `unlabeled fit` wrote")
    return sentence.replace(
        "Save the model with save_model.", "Name the folder that `unlabeled fit` wrote."
    )


def about_table(table: Table, labels: Labels, prepared: Prepared) -> dict[str, Any]:
    """Say in a record what was read, what counted as labelled, and which columns were used."""
    return {
        "table": {"name": table.path.name, "rows": len(table), "columns": list(table.columns)},
        "label": labels.record(),
        "features": list(prepared.features),
        "not_used": prepared.dropped,
        "remarks": [*table.remarks, *prepared.remarks],
    }


def missing_extra(command: str, error: ImportError) -> BadInput:
    """Say how to install what a command needs."""
    return BadInput(
        f"`unlabeled {command}` needs {error.name or error}, which is not installed: "
        "pip install 'unlabeled[tables]'."
    )
