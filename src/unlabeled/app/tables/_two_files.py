"""Two files as one table: cases from one place, a sample of the population from another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ._columns import as_numbers, storage
from ._columns import as_text as cells_as_text
from ._labels import Labels
from ._prepare import Prepared, mixed, prepare
from ._read import Reading, Table, check_reading, read_columns
from ._words import TableError, check_column, count, listed, nearest, together

_CASE = "case"
# With at least this share of the cases among the rows of the population, it is one table.
_ONE_TABLE = 0.5
# Rows of which fewer are distinct can be equal by chance.
_DISTINCT = 0.9
# With fewer rows than this, files differ in a column by chance.
_FEWEST_ROWS = 10


@dataclass(frozen=True, eq=False)
class TwoFiles:
    """Two files, stacked: first the cases, then the sample of the population.

    Attributes
    ----------
    table : Table
        All rows with the columns that both files have. Its path is the population's.
    labels : Labels
        The cases are labeled.
    prepared : Prepared
        The columns that are used.
    """

    table: Table
    labels: Labels
    prepared: Prepared


def read_two_files(
    cases: str | Path,
    population: str | Path,
    *,
    id: str | None = None,
    drop: Iterable[str] = (),
    as_text: Iterable[str] = (),
    group: str | None = None,
    as_number: Iterable[str] = (),
    missing: Iterable[str] = (),
    day_first: Iterable[str] = (),
) -> TwoFiles:
    """Read cases and a sample of the population, and stack their common columns.

    These columns are not used, and `Prepared.remarks` names them:

    - columns that only one file has, or that are blank in one of them;
    - columns that tell the files apart: their values, or the ranges of their numbers and dates, do
      not overlap. A date of collection or the name of a source does so, but a feature of a
      population that has positives does not.

    Parameters
    ----------
    cases : str or Path
        A file of positives.
    population : str or Path
        A file of rows drawn from the population, positives among them. Which rows are positive
        is not known.
    id : str, optional
        The identifier column of the population, and of the cases if they have it.
    drop : list of str
        Columns to leave out.
    as_text : list of str
        Columns to keep as they are written, even if they look like numbers or dates.
    group : str, optional
        The column of both files that says which rows belong together.
    as_number, missing, day_first : list of str
        As in `read_table`, for both files.

    Returns
    -------
    files : TwoFiles

    Raises
    ------
    TableError
        If the files have no column in common, if a column has numbers in one and text in the
        other, or if most cases are rows of the population file too.
    """
    as_text, drop = tuple(as_text), tuple(drop)
    how = Reading(as_text, tuple(as_number), tuple(missing), day_first=tuple(day_first))
    first, second = _read_alike(cases, population, how, id)
    _check_names(first, second, id, drop)
    check_reading(how, (first, second))
    if group is not None:
        _check_group(group, first, second)
    in_first = set(first.columns)
    common = [name for name in second.columns if name in in_first]
    features = [name for name in common if name not in (id, group, *drop)]
    if not features:
        raise TableError(
            "`cases` and `population` must have columns in common; got "
            f"{listed(first.columns)} in {first.path.name} and {listed(second.columns)} in "
            f"{second.path.name}. Give equal columns equal names."
        )
    _check_types(first, second, features, as_text)
    remarks = _shared_rows(first, second, id, features)
    not_used = _in_one_file(first, second, (id, group, *drop)) | _tell_apart(
        first, second, features
    )
    table, label = _stacked(first, second, common, id)
    s = np.repeat([1, 0], [len(first), len(second)])
    unused = [name for name in (*drop, *not_used) if name in common]
    prepared = prepare(table, label, id=id, drop=unused, as_text=as_text, group=group)
    asked = dict.fromkeys((name for name in drop if name not in common), "as asked")
    asked |= {name: why for name, why in prepared.dropped.items() if name not in not_used}
    prepared = replace(prepared, dropped=asked | not_used)
    labels = Labels(s, first.path.name, _CASE, {}, 0, cases=first.path.name)
    known = (*first.remarks, *second.remarks, *remarks)
    return TwoFiles(replace(table, remarks=known), labels, prepared)


def _read_alike(
    cases: str | Path, population: str | Path, how: Reading, id: str | None
) -> tuple[Table, Table]:
    """Read both files; a column that one of them says how to read is read so in the other."""
    first, second = _read(cases, "cases", how, id), _read(population, "population", how, id)
    one, other = first.reading, second.reading
    reading = replace(
        how,
        as_text=tuple(dict.fromkeys((*one.as_text, *other.as_text))),
        decimal_comma=tuple(dict.fromkeys((*one.decimal_comma, *other.decimal_comma))),
        points=tuple(dict.fromkeys((*one.points, *other.points))),
    )
    if reading != first.reading:
        first = _read(cases, "cases", reading, id)
    if reading != second.reading:
        second = _read(population, "population", reading, id)
    return first, second


def _read(path: str | Path, argument: str, how: Reading, id: str | None) -> Table:
    """Read a file; an error speaks of the argument that named it."""
    try:
        return read_columns(Path(path), how, id)
    except TableError as error:
        raise TableError(str(error).replace("`path`", f"`{argument}`")) from None


def _check_names(first: Table, second: Table, id: str | None, drop: tuple[str, ...]) -> None:
    """Reject names of columns that neither file has."""
    if id is not None:
        check_column(id, second.columns, "id")
    either = tuple(dict.fromkeys((*second.columns, *first.columns)))
    for name in drop:
        check_column(name, either, "drop")


def _check_group(group: str, *tables: Table) -> None:
    for table in tables:
        if group not in table.columns:
            meant = nearest(group, table.columns)
            raise TableError(
                f"`group` must be a column of both files; got {group!r}, which is not in "
                f"{table.path.name}.{f' Did you mean {meant!r}?' if meant else ''}"
            )


def _check_types(
    first: Table, second: Table, features: list[str], as_text: tuple[str, ...]
) -> None:
    """Reject a column with numbers in one file and something else in the other."""
    compared = [name for name in features if name not in as_text]
    for table in (first, second):
        wrong = mixed((name, table.frame[name]) for name in compared)
        if wrong:
            raise together(wrong)
    kinds = {
        name: tuple(_kind(table.frame[name]) for table in (first, second)) for name in compared
    }
    words = [
        f"{name!r} ({one} in {first.path.name}, {other} in {second.path.name})"
        for name, (one, other) in kinds.items()
        if None not in (one, other) and one != other
    ]
    if words:
        raise TableError(
            "`cases` and `population` must have the same kind of values in a column; got "
            f"{', '.join(words)}. Write the column alike in both files, or name it in `as_text` or "
            "in `drop`."
        )


def _kind(column: Any) -> str | None:
    """Return what a column holds, in words; None if it is blank."""
    if column.notna().sum() == 0:
        return None
    words = {"number": "numbers", "date": "dates", "true/false": "true and false"}
    return words.get(storage(column), "text")


def _in_one_file(first: Table, second: Table, taken: tuple[str | None, ...]) -> dict[str, str]:
    """Return the columns that only one file has, or has values in, with the reason."""
    reasons = {}
    for table, other in ((first, second), (second, first)):
        in_other = set(other.columns)
        for name in table.columns:
            absent = name not in in_other or other.frame[name].notna().sum() == 0
            if absent and name not in taken and table.frame[name].notna().any():
                reasons[name] = f"only in {table.path.name}"
    return reasons


def _tell_apart(first: Table, second: Table, features: list[str]) -> dict[str, str]:
    """Return the columns whose values in the two files do not overlap."""
    if min(len(first), len(second)) < _FEWEST_ROWS:
        return {}
    reason = f"it tells {first.path.name} and {second.path.name} apart"
    return {
        name: reason
        for name in features
        if _is_apart(first.frame[name].dropna(), second.frame[name].dropna())
    }


def _is_apart(one: Any, other: Any) -> bool:
    if not len(one) or not len(other):
        return False
    if storage(one) in ("number", "date") and storage(other) in ("number", "date"):
        numbers = [as_numbers(column) for column in (one, other)]
        (low, high), (lower, higher) = ((float(x.min()), float(x.max())) for x in numbers)
        return high < lower or higher < low
    return not set(one.astype(str).unique()) & set(other.astype(str).unique())


def _shared_rows(
    first: Table, second: Table, id: str | None, features: list[str]
) -> tuple[str, ...]:
    """Count the cases that are rows of the population file too; reject it if most are."""
    by, columns = "the same cells", features
    if id is not None and id in first.columns:
        by, columns = f"the same {id!r}", [id]
    keys = [_keys(table.frame[columns]) for table in (first, second)]
    if columns == features and keys[1].nunique() < _DISTINCT * len(keys[1]):
        return ()  # equal rows say little
    shared = int(keys[0].isin(set(keys[1])).sum())
    if shared == 0:
        return ()
    start = f"{count(shared)} of {count(len(first))} cases are in {second.path.name} too, with {by}"
    if shared < _ONE_TABLE * len(first):
        return (f"{start}.",)
    raise TableError(
        "`cases` and `population` must be two samples, drawn separately; got files of which "
        f"{start}. If {second.path.name} is your whole table, mark the cases in a column of it and "
        "name that column in `label`. Otherwise remove them from it."
    )


def _keys(frame: Any) -> Any:
    """Return the cells of each row as one text."""
    texts = frame.apply(lambda column: cells_as_text(column).fillna(""))
    return texts.astype(str).agg("\x1f".join, axis=1)


def _stacked(first: Table, second: Table, common: list[str], id: str | None) -> tuple[Table, str]:
    """Stack the common columns, with a column that marks the cases; return its name too."""
    import pandas as pd

    frames = [table.frame.reindex(columns=common) for table in (first, second)]
    frame = pd.concat(frames, ignore_index=True)
    for name in common:
        if any(isinstance(frame[name].dtype, pd.CategoricalDtype) for frame in frames):
            frame[name] = frame[name].astype("category")
    if id is not None and id not in common:
        of_cases = [f"{first.path.name}, row {k}" for k in range(1, len(first) + 1)]
        frame[id] = of_cases + second.frame[id].tolist()
    label = f"in {first.path.name}"
    while label in frame.columns:
        label += "'"
    frame[label] = [_CASE] * len(first) + [None] * len(second)
    marks = {
        name: dict(Counter(first.marks.get(name, {})) + Counter(second.marks.get(name, {})))
        for name in common
    }
    return Table(frame, second.path, reading=second.reading, marks=marks), label
