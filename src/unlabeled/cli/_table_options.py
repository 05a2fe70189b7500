"""The options that commands share.

Options of a single command are defined in its own file.
"""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from ..app.run import AUTO, ENSEMBLE, FITTED, FOREST, LINE, NAIVE_CUT, PROPENSITY, InputError

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


class Share(click.ParamType):
    """A number between 0 and 1; for a larger one, the share that was probably meant is named."""

    name = "share"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the share, or reject it."""
        try:
            share = float(value)
        except ValueError:
            share = math.nan
        if 0 < share < 1:
            return share
        percent = share / 100
        meant = f" Did you mean {percent:.6g}?" if 0 < percent < 1 <= share else ""
        said = f"it must be a share above 0 and below 1; got {value}.{meant}"
        raise click.BadParameter(said, ctx, param)


_OPTIONS: tuple[Decorator, ...] = (
    click.argument("table", type=click.Path(path_type=Path)),
    click.option(
        "--label", required=True, metavar="COLUMN", help="The column that marks labeled rows."
    ),
    click.option(
        "--positive",
        multiple=True,
        metavar="VALUE",
        help="The value of --label in labeled rows, if it is not 1, yes, true, ...; repeatable.",
    ),
    click.option(
        "--filled",
        is_flag=True,
        help="Every value of --label marks a labeled row, such as a date of diagnosis; blank rows "
        "are the others.",
    ),
    click.option("--id", metavar="COLUMN", help="The column of row IDs; not used as a feature."),
    click.option(
        "--group",
        metavar="COLUMN",
        help="The column that says which rows belong together, such as the patient of a visit. "
        "Rows of one group are never on both sides of a split; not used as a feature.",
    ),
    click.option(
        "--no-group",
        is_flag=True,
        help="No rows belong together. Without --group, a column whose values have several rows "
        "that are alike is taken as one, and named.",
    ),
    click.option(
        "--copies",
        is_flag=True,
        help="Rows that are equal in all columns that are used are copies, and count once.",
    ),
    click.option(
        "--drop", multiple=True, metavar="COLUMN", help="A column to leave out; repeatable."
    ),
    click.option(
        "--as-text",
        multiple=True,
        metavar="COLUMN",
        help="A column to read as text, such as codes made of digits; repeatable.",
    ),
    click.option(
        "--as-number",
        multiple=True,
        metavar="COLUMN",
        help="A column of digits to read as numbers in spite of leading zeros; repeatable.",
    ),
    click.option(
        "--missing",
        multiple=True,
        metavar="VALUE",
        help="A value that marks a missing cell, such as -999, or COLUMN=VALUE for one column; "
        "repeatable. Blank, NA and ? always do.",
    ),
    click.option(
        "--day-first",
        multiple=True,
        metavar="COLUMN",
        help="A column of dates such as 31/12/2024, if its dates do not tell; repeatable.",
    ),
    click.option(
        "--class-prior",
        type=Share(),
        help="Share of positives in the whole table, if you know it; of two files, in the "
        "population. Otherwise it is estimated.",
    ),
    click.option(
        "--seed",
        type=click.IntRange(0, 2**31 - 1),
        default=0,
        show_default=True,
        help="Seed of the random numbers.",
    ),
    click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text."),
)


# A table may also come as two files.
_OR_TWO_FILES: tuple[Decorator, ...] = (
    click.argument("table", type=click.Path(path_type=Path), required=False),
    click.option("--label", metavar="COLUMN", help="The column that marks labeled rows."),
    click.option(
        "--cases",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="A file of positives, instead of TABLE and --label. Needs --population.",
    ),
    click.option(
        "--population",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="A file of rows drawn from the population, positives among them. Needs --cases.",
    ),
)


def table_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of every command that starts from a table; see `TableOptions`."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def table_or_two_files(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the same options, and those of a table in two files."""
    for option in reversed((*_OR_TWO_FILES, *_OPTIONS[2:])):
        command = option(command)
    return command


def check_two_files(values: dict[str, Any]) -> None:
    """Reject anything but a table with its label column, or two files."""
    cases, population = values["cases"], values["population"]
    if (cases is None) != (population is None):
        there, absent = ("--cases", "--population")[:: 1 if population is None else -1]
        raise click.UsageError(
            f"`{there}` must go with `{absent}`: one file of positives, and one of rows drawn from "
            f"the population. Add `{absent}`, or name one TABLE with `--label`."
        )
    for name, word in (("table", "TABLE"), ("label", "`--label`")):
        given = values[name] is not None
        if cases is not None and given:
            raise click.UsageError(
                f"{word} must be left out with `--cases` and `--population`: the rows of the first "
                "file are the labeled ones."
            )
        if cases is None and not given:
            raise click.UsageError(
                f"{word} is missing. Name a table and its label column, or two files: `--cases` "
                "and `--population`."
            )
    for name in ("positive", "negative", "checked", "filled"):
        if cases is not None and values.get(name):
            raise click.UsageError(
                f"`--{name}` must be left out with `--cases` and `--population`, which have no "
                "label column."
            )
    if cases is not None and values.get("labeled_by"):
        raise click.UsageError(
            "`--labeled-by` must be left out with `--cases` and `--population`: it says which "
            "positive rows of one table have a label. Name one TABLE with `--label`."
        )


def keep_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that put columns of the table beside the scores; see `kept_columns`."""
    keep = click.option(
        "--keep",
        multiple=True,
        metavar="COLUMN",
        help="A column of the table to copy, as it is written there, behind the scores; "
        "repeatable. If the scores have a column of that name, the copy is called original_COLUMN.",
    )
    keep_all = click.option("--keep-all", is_flag=True, help="Keep all columns of the table.")
    return keep(keep_all(command))


def jobs_option(default: int) -> Decorator:
    """Return the option `--jobs`."""
    return click.option(
        "--jobs",
        type=int,
        default=default,
        show_default=True,
        callback=_check_jobs,
        help="Number of processes; -1 starts one per core.",
    )


def _check_jobs(context: click.Context, option: click.Parameter, jobs: int) -> int:
    if jobs == 0:
        raise click.UsageError("`--jobs` must be a number of processes or -1; got 0.")
    return jobs


# The option `--memory`.

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


# The option `--method`.

_ONLY_COMPARED = {
    NAIVE_CUT: "It is `--method naive --rule f1`.",
    FOREST: "Use 'ensemble', which has trees among its members, or in Python "
    "PUThresholdClassifier(RandomForestClassifier(oob_score=True), cv='oob').",
}
_BY_AN_OPTION = {PROPENSITY: "Name the columns that labeling follows: `--labeled-by COLUMN`."}


class FittedMethod(click.Choice):
    """Choice of a method in `FITTED`; the error for others says what to use instead."""

    def __init__(self) -> None:
        super().__init__(FITTED)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name, or reject it."""
        if value in _ONLY_COMPARED:
            message = f"{value!r} can only be compared. {_ONLY_COMPARED[value]}"
            self.fail(message, param, ctx)
        if value in _BY_AN_OPTION:
            self.fail(f"{value!r} is no choice of its own. {_BY_AN_OPTION[value]}", param, ctx)
        return str(super().convert(value, param, ctx))


def check_labeled_by(columns: tuple[str, ...], method: str) -> None:
    """Reject columns that labeling follows for methods that take labels as given at random."""
    if columns and method not in (AUTO, LINE, ENSEMBLE):
        raise click.UsageError(
            "`--labeled-by` must go with `--method auto`, pu-logistic or ensemble; got "
            f"{method!r}, which takes labels as given at random. Leave `--method` out."
        )


def command_line() -> str:
    """Return the current command with the options that were given."""
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
