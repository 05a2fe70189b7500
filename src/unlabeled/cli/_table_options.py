"""What every command that begins with a table asks for, and how it reads the table."""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from click.core import ParameterSource

if TYPE_CHECKING:
    from ..app.tables import Labels, Prepared, Table


# How long each step of a command took.


class Clock:
    """How long each step took."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._before = time.perf_counter()

    def done(self, step: str) -> None:
        """Say that a step is over."""
        self.took({step: time.perf_counter() - self._before})

    def took(self, steps: dict[str, float]) -> None:
        """Say what the steps until now took."""
        self.seconds |= {step: round(seconds, 3) for step, seconds in steps.items()}
        self._before = time.perf_counter()


# As many threads for linear algebra as a table is worth.

# With fewer numbers than this, threads that wait for each other cost more than they bring.
_WORTH_THREADS = 10_000_000
_SET_BY_THE_USER = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@contextmanager
def threads_for(n_rows: int, n_columns: int) -> Iterator[None]:
    """One thread for small tables, unless the environment says how many; for large ones all."""
    asked = any(name in os.environ for name in _SET_BY_THE_USER)
    if asked or n_rows * n_columns >= _WORTH_THREADS:
        yield
        return
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        yield


# What the commands that begin with a table say about it, and about bad input.

# The arguments of the library that its sentences name, as the command line calls them.
_OPTION_OF = {"`path`": "TABLE", "`table`": "TABLE", "`class_prior`": "`--class-prior`"}
_OPTION_OF |= {"`test_size`": "`--test-size`", "`n_repeats`": "`--repeats`", "`y`": "`--label`"}
_OPTION_OF |= {"`as_text`": "`--as-text`", "`rule`": "`--rule`"}
_OPTION_OF |= {f"`{name}`": f"`--{name}`" for name in ("label", "positive", "id", "drop")}


class BadInput(click.ClickException):
    """What was given cannot be used; exit code 2, as for a wrong option."""

    exit_code = 2


def as_options(sentence: str) -> str:
    """Write a sentence of the library with the names of the command line."""
    for argument, option in _OPTION_OF.items():
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


# What every command that begins with a table is asked, and how it reads the table.

SEED = click.IntRange(0, 2**31 - 1)
"""What can seed a generator of random numbers."""


class LoadedTable(NamedTuple):
    """A table, what its label column says, and the columns that are used."""

    table: Table
    labels: Labels
    prepared: Prepared

    @property
    def remarks(self) -> tuple[str, ...]:
        """What was changed or left out."""
        return (*self.table.remarks, *self.prepared.remarks)


@dataclass(frozen=True, kw_only=True)
class TableOptions:
    """What was asked for."""

    table: Path
    label: str
    positive: str | None
    id: str | None
    drop: tuple[str, ...]
    as_text: tuple[str, ...]
    as_json: bool
    quiet: bool
    seed: int

    def say(self, *lines: str) -> None:
        """Say on stderr what is being done."""
        if not self.quiet:
            for line in lines:
                click.echo(line, err=True)

    def read(self) -> LoadedTable:
        """Read the table, and say what was changed or left out."""
        from ..app.tables import label_column, prepare, read_table

        self.say(f"Reading {self.table} ...")
        table = read_table(self.table, as_text=self.as_text, id=self.id)
        labels = label_column(table, self.label, self.positive)
        prepared = prepare(table, self.label, id=self.id, drop=self.drop, as_text=self.as_text)
        read = LoadedTable(table, labels, prepared)
        self.say(*read.remarks)
        return read


_OPTIONS = (
    click.argument("table", type=click.Path(path_type=Path)),
    click.option("--label", required=True, metavar="COLUMN", help="The column that marks rows."),
    click.option(
        "--positive", metavar="VALUE", help="Its value in labelled rows, if not 1, yes, ..."
    ),
    click.option(
        "--id", metavar="COLUMN", help="The column that names rows; not used as a feature."
    ),
    click.option(
        "--drop", multiple=True, metavar="COLUMN", help="A column to leave out; repeatable."
    ),
    click.option(
        "--as-text",
        multiple=True,
        metavar="COLUMN",
        help="A column to take as it is written, such as a code of digits; repeatable.",
    ),
)


def table_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say which table, which label, and which columns."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def command_line() -> str:
    """The command as it was given, without options that were left out."""
    context = click.get_current_context()
    words = ["unlabeled", str(context.info_name)]
    for parameter in context.command.params:
        name = str(parameter.name)
        if context.get_parameter_source(name) != ParameterSource.COMMANDLINE:
            continue
        value = context.params[name]
        for one in value if isinstance(value, tuple) else (value,):
            if isinstance(parameter, click.Argument):
                words.append(str(one))
            elif isinstance(one, bool):
                words.append((parameter.opts if one else parameter.secondary_opts)[0])
            else:
                words += [parameter.opts[0], str(one)]
    return shlex.join(words)


@contextmanager
def sentences(command: str) -> Iterator[None]:
    """Turn what cannot be used into a sentence."""
    from ..app.tables import TableError

    try:
        yield
    except ImportError as error:
        raise missing_extra(command, error) from None
    except TableError as error:
        raise BadInput(as_options(str(error))) from None
