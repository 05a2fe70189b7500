"""The options that commands share, and how commands that start from a table read it.

Options of a single command are defined in its own file.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from click.core import ParameterSource

from ._errors import BadInput, in_terminal

if TYPE_CHECKING:
    import numpy as np

    from ..app.tables import Labels, Prepared, Table
    from ._in_parts import Parts

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

_OPTIONS: tuple[Decorator, ...] = (
    click.argument("table", type=click.Path(path_type=Path)),
    click.option(
        "--label", required=True, metavar="COLUMN", help="The column that marks labelled rows."
    ),
    click.option(
        "--positive",
        multiple=True,
        metavar="VALUE",
        help="The value of --label in labelled rows, if it is not 1, yes, true, ...; repeatable.",
    ),
    click.option("--id", metavar="COLUMN", help="The column of row IDs; not used as a feature."),
    click.option(
        "--group",
        metavar="COLUMN",
        help="The column that says which rows belong together, such as the patient of a visit. "
        "Rows of one group are never on both sides of a split; not used as a feature.",
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
        type=click.FloatRange(0, 1, min_open=True, max_open=True),
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
    click.option("--label", metavar="COLUMN", help="The column that marks labelled rows."),
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
                "file are the labelled ones."
            )
        if cases is None and not given:
            raise click.UsageError(
                f"{word} is missing. Name a table and its label column, or two files: `--cases` "
                "and `--population`."
            )
    for name in ("positive", "negative", "checked"):
        if cases is not None and values.get(name):
            raise click.UsageError(
                f"`--{name}` must be left out with `--cases` and `--population`, which have no "
                "label column."
            )
    if cases is not None and values.get("labelled_by"):
        raise click.UsageError(
            "`--labelled-by` must be left out with `--cases` and `--population`: it says which "
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


@dataclass(frozen=True, kw_only=True)
class TableOptions:
    """The values of `table_options` and `--quiet`; commands add their own."""

    table: Path | None
    label: str | None
    positive: tuple[str, ...]
    id: str | None
    group: str | None
    drop: tuple[str, ...]
    as_text: tuple[str, ...]
    as_number: tuple[str, ...]
    missing: tuple[str, ...]
    day_first: tuple[str, ...]
    class_prior: float | None
    seed: int
    as_json: bool
    quiet: bool
    negative: tuple[str, ...] = ()
    labelled_by: tuple[str, ...] = ()
    checked: str | None = None
    cases: Path | None = None
    population: Path | None = None

    @property
    def path(self) -> Path:
        """The file whose rows the numbers are about."""
        path = self.table or self.population
        assert path is not None
        return path

    @property
    def reads(self) -> tuple[Path, ...]:
        """All files that the rows come from; one may be a pattern."""
        return tuple(one for one in (self.table, self.cases, self.population) if one is not None)

    def log(self, *lines: str) -> None:
        """Write progress to stderr, unless `--quiet`."""
        if not self.quiet:
            for line in lines:
                click.echo(line, err=True)

    def read(self) -> LoadedTable:
        """Read the table, and log what was changed or left out."""
        from ..app.tables import (
            check_labelled_by,
            checked_rows,
            label_column,
            prepare,
            read_table,
        )

        if self.cases is not None:
            return self._read_two_files()
        assert self.table is not None
        assert self.label is not None
        self.log(f"Reading {self.table} ...")
        table = read_table(self.table, id=self.id, **self.reading)
        labels = label_column(table, self.label, self.positive or None, self.negative)
        prepared = prepare(
            table,
            self.label,
            id=self.id,
            drop=self.drop,
            as_text=self.as_text,
            checked=self.checked,
            group=self.group,
        )
        checked = checked_rows(table, labels, self.checked)
        check_labelled_by(self.labelled_by, table, prepared, any_checked=checked is not None)
        loaded = LoadedTable(table, labels, prepared, checked)
        self.log(*loaded.remarks)
        return loaded

    @property
    def reading(self) -> dict[str, tuple[str, ...]]:
        """What the options say about how to read columns."""
        names = ("as_text", "as_number", "missing", "day_first")
        return {name: getattr(self, name) for name in names}

    def _read_two_files(self) -> LoadedTable:
        from ..app.tables import read_two_files

        assert self.cases is not None
        assert self.population is not None
        self.log(f"Reading {self.cases} and {self.population} ...")
        files = read_two_files(
            self.cases,
            self.population,
            id=self.id,
            drop=self.drop,
            group=self.group,
            **self.reading,
        )
        loaded = LoadedTable(files.table, files.labels, files.prepared, None)
        self.log(*loaded.remarks)
        return loaded


class LoadedTable(NamedTuple):
    """A table, its labels, the columns that are used, and what is known of checked rows.

    If the table is read in `parts`, `table` and `prepared` hold drawn rows, and `labels` all rows.
    """

    table: Table
    labels: Labels
    prepared: Prepared
    checked: np.ndarray | None
    parts: Parts | None = None

    @property
    def s(self) -> np.ndarray:
        """The labels of the rows in memory: all rows, or those that were drawn."""
        return self.labels.s if self.parts is None else self.labels.s[self.parts.rows]

    @property
    def rows(self) -> np.ndarray:
        """The numbers of the rows in memory."""
        import numpy as np

        return np.arange(len(self.labels.s)) if self.parts is None else self.parts.rows

    @property
    def remarks(self) -> tuple[str, ...]:
        """What was changed or left out, and what was kept together."""
        from ..app.tables import count

        prepared = self.prepared
        together = f"Folds keep {count(prepared.n_groups)} groups of {prepared.group!r} together."
        said = (*self.table.remarks, *map(in_terminal, prepared.remarks))
        return (*said, *[together] * bool(prepared.n_groups))

    def need_enough_labelled(self, *, may_be_checked: bool) -> None:
        """Reject a table with too few labelled rows, or groups, to tell anything.

        Rows that were checked and found positive count too. The command may have an option for
        them.
        """
        import numpy as np

        from ..app.tables import count
        from ..linear_model import FEW_LABELLED

        known, unit = self.labels.s == 1, "rows"
        if self.checked is not None:
            known = known | (self.checked == 1)
        enough, of = int(known.sum()), len(known)
        if self.prepared.groups is not None:
            enough, of = len(np.unique(self.prepared.groups[known])), self.prepared.n_groups
            unit = "groups"
        if enough >= FEW_LABELLED:
            return
        must, got = "`--label` must mark", f"{count(enough)} of {count(of)}"
        if self.labels.cases is not None:
            must, got = "`--cases` must hold", count(enough)
        remedy = "Label more rows"
        if may_be_checked and self.labels.cases is None:
            remedy += ", or check rows drawn at random and name the answers with `--checked`"
        raise BadInput(
            f"{must} at least {FEW_LABELLED} {unit}; got {got}. With so few, the number of "
            f"positives and the cut depend on the model more than on the labels. {remedy}."
        )

    def record(self) -> dict[str, Any]:
        """Return what was read, what counted as labelled, and the columns used, for JSON."""
        table = self.table
        return {
            "table": {"name": table.path.name, "rows": len(table), "columns": list(table.columns)},
            "label": self.labels.record(),
            "features": list(self.prepared.features),
            "not_used": self.prepared.dropped,
            "groups": self.prepared.n_groups or None,
            "remarks": list(self.remarks),
        }


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


# With fewer numbers than this, threads cost more time than they save.
_WORTH_THREADS = 10_000_000
_SET_BY_THE_USER = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@contextmanager
def threads_for(n_rows: int, n_columns: int) -> Iterator[None]:
    """Use one thread for a small table, unless the environment sets their number."""
    is_set = any(name in os.environ for name in _SET_BY_THE_USER)
    if is_set or n_rows * n_columns >= _WORTH_THREADS:
        yield
        return
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        yield
