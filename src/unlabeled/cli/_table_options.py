"""What every command that begins with a table is asked, and how it reads the table."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from click.core import ParameterSource

from ._from_table import BadInput, as_options, missing_extra

if TYPE_CHECKING:
    from ..tables import Labels, Prepared, Table


SEED = click.IntRange(0, 2**31 - 1)
"""What can seed a generator of random numbers."""


class Read(NamedTuple):
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

    def read(self) -> Read:
        """Read the table, and say what was changed or left out."""
        from ..tables import label_column, prepare, read_table

        self.say(f"Reading {self.table} ...")
        table = read_table(self.table, as_text=self.as_text, id=self.id)
        labels = label_column(table, self.label, self.positive)
        prepared = prepare(table, self.label, id=self.id, drop=self.drop, as_text=self.as_text)
        read = Read(table, labels, prepared)
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
    from ..tables import TableError

    try:
        yield
    except ImportError as error:
        raise missing_extra(command, error) from None
    except TableError as error:
        raise BadInput(as_options(str(error))) from None
