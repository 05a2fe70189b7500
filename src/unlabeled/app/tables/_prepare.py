"""Split a table into features, the identifier column, and columns that are not used."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from ._columns import cells_as_words
from ._doubts import doubts
from ._formats import comma_numbers, some_with_points
from ._read import Table
from ._repeated import Repeated
from ._words import TableError, cells_are_not, check_column, count, count_of, listed, together

FOUND_BY_CHECKING = "what was found when rows were checked"
"""Why the column of answers is not used as a feature."""

# With fewer rows than this, all values of a column may differ by chance.
_FEWEST_ROWS = 20
# A text column with this fraction of numbers was probably meant to hold numbers.
_MOSTLY = 0.5
_LARGEST = 1e38
# So many different words may be marks for missing cells.
_MOST_MARKS = 4
_NEARLY_ALL = 0.9
_SPANS = 0.99
# A remark names at most this many columns; summary.json has all.
_MOST_NAMED = 40
# Numbers with separated thousands, a decimal comma, a currency or a per cent sign.
_DECORATED = (
    r"\s*[+-]?(\d{1,3}([.,' \u00a0\u202f]\d{3})+([.,]\d+)?|\d+([.,]\d+)?)\s*[%€$£]?\s*"
    r"|\s*[€$£]\s*[+-]?\d[\d.,' ]*\s*"
)
_ONE_COMMA = r"\s*[+-]?\d+,\d+\s*"
_COULD_BE_THOUSANDS = r"\s*[+-]?[1-9]\d{0,2},\d{3}\s*"
# A name that ends in patient or case may be that of a cost per patient; one that is it is not.
_NAMED_LIKE_ONE = re.compile(
    r"(^|[\W_])(id|uuid|guid|key|nr|number|index|mrn)$|^(patient|case|customer)$", re.IGNORECASE
)
_LIKE_A_DATE = re.compile(r"^\d{1,4}[/.-]\d{1,2}[/.-]\d{1,4}")


EQUAL_ROWS = "equal rows"
"""What stands for the name of a group column where equal rows are one group."""


@dataclass(frozen=True, eq=False)
class Prepared:
    """A table ready for `table_pipeline`.

    Attributes
    ----------
    X : pandas.DataFrame
        The columns that are used.
    label, id : str, str or None
        The label column and the identifier column.
    ids : pandas.Series or None
        The row identifiers.
    dropped : dict of str to str
        Columns that are not used, each with the reason.
    group : str or None
        The column that says which rows belong together, or `EQUAL_ROWS`.
    groups : ndarray of shape (n_rows,) or None
        The number of each row's group.
    doubts : tuple of str
        What was read in one of several ways, one sentence per way.
    repeated : Repeated or None
        Why the groups are those of a column that nobody named.
    """

    X: Any
    label: str
    id: str | None
    ids: Any
    dropped: dict[str, str]
    group: str | None = None
    groups: np.ndarray | None = None
    doubts: tuple[str, ...] = ()
    repeated: Repeated | None = None

    @property
    def n_groups(self) -> int:
        """How many groups there are; 0 without a group column."""
        return 0 if self.groups is None else int(self.groups.max()) + 1

    @property
    def groups_are_copies(self) -> bool:
        """Whether the groups are equal rows, and not those of a column."""
        return self.group == EQUAL_ROWS

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the columns that are used."""
        return tuple(self.X.columns)

    @property
    def remarks(self) -> tuple[str, ...]:
        """One sentence per reason to drop columns, per problem with row IDs, and per doubt."""
        by_reason: dict[str, list[str]] = {}
        for name, reason in self.dropped.items():
            by_reason.setdefault(reason, []).append(name)
        unused = [
            f"Not used: {listed(names, _MOST_NAMED)} ({why})." for why, names in by_reason.items()
        ]
        return (*unused, *self._doubtful_names(), *self.doubts)

    def _doubtful_names(self) -> list[str]:
        """Return remarks on missing and duplicate row identifiers."""
        if self.id is None or self.ids is None:
            return []
        blank = int(self.ids.isna().sum())
        shared = int(self.ids.dropna().duplicated(keep=False).sum())
        have = "has" if blank == 1 else "have"
        remarks = [f"{count_of(blank, 'row')} {have} no {self.id!r}."] * bool(blank)
        if shared:
            together = (
                f" If such rows belong together, as visits of one patient do, name {self.id!r} in "
                "`group` too."
            )
            hint = together if self.group is None else ""
            remarks.append(f"{count_of(shared, 'row')} have a duplicate {self.id!r}.{hint}")
        return remarks


def prepare(
    table: Table,
    label: str,
    *,
    id: str | None = None,
    drop: Iterable[str] = (),
    as_text: Iterable[str] = (),
    checked: str | None = None,
    group: str | None = None,
    of_rows: int | None = None,
) -> Prepared:
    """Split a table into features, the identifier column, and columns that are not used.

    These columns are not used:

    - columns in `drop`;
    - columns that are blank, or have the same value, in every row;
    - identifiers: columns with a different value in every row that are text without spaces,
      digits with leading zeros, consecutive whole numbers, or whole numbers under a name such as
      ``customer_id``; not those in `as_text`.

    `Prepared.remarks` names every column that is not used, with the reason. It also says what was
    read in one of several ways: leading zeros, decimal commas, words for missing cells, numbers
    that perhaps stand for them, dates, and levels that differ by a letter. A column of numbers in
    which some cells are not numbers is rejected; one message names all columns that are.

    Parameters
    ----------
    table : Table
        The table.
    label : str
        The label column.
    id : str, optional
        The identifier column.
    drop : list of str
        Columns to leave out.
    as_text : list of str
        Columns that are text, although many of their cells are numbers.
    checked : str, optional
        The column that says what was found when rows were checked. It is not used.
    group : str, optional
        The column that says which rows belong together, such as the patient of a visit. It is
        not used as a feature. It may be the identifier column.
    of_rows : int, optional
        How many rows the whole table has, if these are a random part of it.

    Returns
    -------
    prepared : Prepared

    Examples
    --------
    >>> from pathlib import Path
    >>> import pandas as pd
    >>> from unlabeled.app.tables import Table, prepare
    >>> frame = pd.DataFrame({"ill": [1, 0, 0], "age": [61, 47, 50], "ward": ["A", "A", "A"]})
    >>> prepared = prepare(Table(frame, Path("patients.csv")), "ill")
    >>> prepared.features, prepared.remarks
    (('age',), ("Not used: 'ward' (the same value in every row).",))
    """
    dropped = _dropped(table, label, id, list(dict.fromkeys(drop)))
    if checked is not None:
        _check_not_another("checked", checked, table, {"label": label, "id": id})
        dropped[checked] = FOUND_BY_CHECKING
    groups = None
    if group is not None:
        _check_not_another("group", group, table, {"label": label, "checked": checked})
        dropped[group] = "the group of a row" if group != id else "row ID and group of a row"
        groups = _group_numbers(group, table.frame[group])
    text = set(as_text)
    others = [name for name in table.columns if name != label and name not in dropped]
    dropped |= _without_use(table.frame[others], text, of_rows or len(table))
    kept = [name for name in table.columns if name != label and name not in dropped]
    if not kept:
        raise TableError(
            "`table` must have at least one column to learn from; got none. "
            + " ".join(Prepared(table.frame[[]], label, id, None, dropped).remarks)
        )
    ids = None if id is None else table.frame[id]
    said = doubts(table, kept, text)
    return Prepared(table.frame[kept], label, id, ids, dropped, group, groups, said)


def count_copies_once(prepared: Prepared) -> Prepared:
    """Make a group of all rows that are equal in the columns that are used.

    Raises
    ------
    TableError
        If a column of groups is given too.
    """
    from ...engine.rows import number_distinct_rows  # a help text needs no scikit-learn

    if prepared.group is not None:
        raise TableError(
            "`copies` must be left out where a column says which rows belong together; got "
            f"{prepared.group!r} as `group`. Leave one of them out."
        )
    number = number_distinct_rows(prepared.X)
    groups = np.arange(len(prepared.X)) if number is None else number
    return replace(prepared, group=EQUAL_ROWS, groups=groups)


def check_labeled_by(
    names: Iterable[str], table: Table, prepared: Prepared, any_checked: bool = False
) -> None:
    """Reject columns that labeling cannot follow, because the fit does not use them.

    Parameters
    ----------
    names : list of str
        The columns that labeling is said to follow.
    table : Table
        The table as it was read.
    prepared : Prepared
        Its columns that are used, and why the others are not.
    any_checked : bool
        Whether rows were checked. Without them, some column must say who is positive and not who
        is labeled: labels alone do not tell the one from the other.

    Raises
    ------
    TableError
        If a name is no column, or a column that is not used, or if all columns are named; the
        message says why.
    """
    names = tuple(names)
    for name in names:
        several = [word.strip() for word in name.split(",")]
        if name not in table.columns and set(several) <= set(table.columns):
            raise TableError(
                f"`labeled_by` must be one column; got {name!r}. Give it once for each column."
            )
        check_column(name, table.columns, "labeled_by", never_suggest=prepared.label)
        if name in prepared.features:
            continue
        why = "it is the label column"
        if name != prepared.label:
            reason = prepared.dropped.get(name, "")
            why = "`drop` names it" if reason.startswith("as asked") else reason
        raise TableError(
            "`labeled_by` must be a column that the fit uses as a feature; got "
            f"{name!r}, which it does not use ({why}). Name a column that is used, such as "
            f"{prepared.features[0]!r}."
        )
    if set(names) == set(prepared.features) and not any_checked:
        raise TableError(
            "`labeled_by` must leave a column that says which rows are positive; got every column "
            f"that the fit uses ({listed(prepared.features)}). Name fewer columns, or give checked "
            "rows with `checked`."
        )


def _group_numbers(name: str, column: Any) -> np.ndarray:
    """Return the number of each row's group; cells are compared as text without spaces around."""
    words = cells_as_words(column)
    blank = int((words == "").sum())
    if blank:
        raise TableError(
            f"`group` must be a column that says for every row to which group it belongs; got "
            f"{name!r}, which is blank in {count_of(blank, 'row')}. Give a row that belongs to no "
            "other row a group of its own."
        )
    groups, group_index = np.unique(words.to_numpy(dtype=str), return_inverse=True)
    if len(groups) == 1:
        raise TableError(
            f"`group` must be a column with at least two groups; got {name!r}, which is the same "
            "in every row. Name another column."
        )
    return np.asarray(group_index)


def _dropped(table: Table, label: str, id: str | None, drop: list[str]) -> dict[str, str]:
    """Return the columns that the caller does not want as features; reject unknown names."""
    check_column(label, table.columns, "label")
    named = [("drop", column) for column in drop] + ([] if id is None else [("id", id)])
    wrong = []
    for argument, name in named:
        try:
            check_column(name, table.columns, argument, never_suggest=label)
        except TableError as error:
            wrong.append(error)
    if wrong:
        raise together(wrong)
    if label in (*drop, id):
        raise TableError(
            f"`label` must not be `id` or in `drop`; got {label!r}. Name another column there."
        )
    dropped = dict.fromkeys(drop, "as asked")
    return dropped if id is None else dropped | {id: "row ID"}


def _check_not_another(
    argument: str, name: str, table: Table, others: dict[str, str | None]
) -> None:
    """Reject a name that is not a column, or that is a column with another part."""
    check_column(name, table.columns, argument, never_suggest=others["label"])
    if name in others.values():
        among = " or ".join(f"`{other}`" for other in others)
        raise TableError(
            f"`{argument}` must not be {among}; got {name!r}. Name another column there."
        )


def _without_use(frame: Any, as_text: set[str], of_rows: int) -> dict[str, str]:
    """Return the columns that are no features, with the reason; reject all wrong ones at once."""
    reasons, wrong, others = {}, [], {}
    for name, column in frame.items():
        error = wrong_type(name, column)
        if error is None and (reason := _useless(name, column, of_rows, name in as_text)):
            reasons[name] = reason
        elif error is None and name not in as_text:
            others[name] = column
        if error is not None:
            wrong.append(error)
    wrong += mixed(others.items())
    if wrong:
        raise together(wrong)
    return reasons


def _useless(name: str, column: Any, of_rows: int, as_text: bool) -> str | None:
    """Return why a column is no feature, or None."""
    present = column.dropna()
    if len(present) == 0:
        return "blank in every row"
    distinct = present.nunique()
    if distinct == 1 and len(present) == len(column):
        return "the same value in every row"
    differs = distinct == len(column) >= _FEWEST_ROWS
    if differs and _is_identifier(name, present, of_rows, as_text):
        return "a different value in every row, so probably an ID"
    return None


def wrong_type(name: str, column: Any) -> TableError | None:
    """Return the error for a column of cells that cannot be a feature, or None."""
    import pandas as pd

    present = column.dropna()
    if len(present) == 0:
        return None
    kind = present.dtype.kind if isinstance(present.dtype, np.dtype) else ""
    if kind in ("i", "u", "f"):
        bad = int((~(np.abs(present.to_numpy(dtype=np.float64)) < _LARGEST)).sum())
        if bad:
            return TableError(
                f"`table` must have numbers below {_LARGEST:g}; got {count_of(bad, 'cell')} of "
                f"{name!r} with larger or infinite ones. Leave those cells blank, or name the "
                "column in `drop`."
            )
    odd = kind == "m" or (kind == "O" and not isinstance(present.iloc[0], str))
    if odd and not pd.api.types.is_bool(present.iloc[0]):
        return TableError(
            "`table` must have columns of numbers, text, dates and true/false; got "
            f"{type(present.iloc[0]).__name__.replace('ndarray', 'list')} in {name!r}. Name the "
            "column in `drop`."
        )
    return None


def mixed(columns: Iterable[tuple[str, Any]]) -> list[TableError]:
    """Return errors for columns of text that are, or are mostly, numbers.

    One error names all columns in which some cells are not numbers.
    """
    errors, strays = [], []
    for name, column in columns:
        found = _not_all_numbers(name, column)
        if isinstance(found, _Strays):
            strays.append(found)
        elif found is not None:
            errors.append(found)
    return errors if not strays else [*errors, _about_strays(strays)]


class _Strays(NamedTuple):
    """How many cells of a column are numbers, how they are written, and the other cells."""

    name: str
    numbers: int
    written: str
    others: Any

    @property
    def words(self) -> list[str]:
        return list(self.others.unique())


def _not_all_numbers(name: str, column: Any) -> TableError | _Strays | None:
    """Return what is wrong with a column of text that is mostly numbers, or None."""
    import pandas as pd

    if not pd.api.types.is_string_dtype(column.dtype) or not column.notna().any():
        return None
    present = column.dropna()
    number, written = _numeric(present), ""
    commas = comma_numbers(present)
    if commas is not None and not commas.all():
        number, written = commas, " with decimal commas"
    decorated = ~number & present.astype(str).str.fullmatch(_DECORATED)
    if decorated.any() and (number | decorated).mean() >= _NEARLY_ALL:
        return TableError(
            f"`table` must have numbers without separators and units; got {name!r} with "
            f"{listed(list(present[decorated].unique()), 3)}. "
            f"{_how_to_write(present[decorated].astype(str))}, or name the column in `as_text` or "
            "in `drop`."
        )
    if number.all() and some_with_points(present):
        example = str(present[present.astype(str).str.contains(".", regex=False)].iloc[0]).strip()
        return TableError(
            "`table` must have numbers that can be read in one way; got "
            f"{name!r} with {listed(list(present.unique()), 3)}. {example} could be "
            f"{example.replace('.', '')} or {example}: write it without the point, or name the "
            f"column in `as_number` if it is {example}, else in `as_text` or in `drop`."
        )
    if not _MOSTLY <= number.mean() < 1:
        return None
    return _Strays(name, int(number.sum()), written, present[~number])


def _about_strays(strays: list[_Strays]) -> TableError:
    """Return one error about all columns of numbers in which some cells are not numbers."""
    first, *more = strays
    if more:
        shown = [
            f"{one.name!r} ({count_of(len(one.others), 'cell')}: {listed(one.words, 3)})"
            for one in strays[:_MOST_NAMED]
        ]
        rest = len(strays) - len(shown)
        got = (
            f"{count(len(strays))} columns of numbers in which some cells are not numbers: "
            f"{', '.join(shown)}{f' and {count(rest)} more' if rest else ''}"
        )
    else:
        got = (
            f"{count_of(first.numbers, 'number')}{first.written} in {first.name!r}, and "
            f"{cells_are_not(len(first.others), 'a number', 'numbers')} ({listed(first.words, 3)})"
        )
    few = [one.words for one in strays if len(one.words) <= _MOST_MARKS]
    marks = list(dict.fromkeys(word.strip() for words in few for word in words))
    hint, otherwise = "", "Leave those cells blank"
    if 0 < len(marks) <= _MOST_MARKS:
        stands = (
            "stands for a missing cell, give it"
            if len(marks) == 1
            else ("stand for missing cells, give each")
        )
        hint, otherwise = (
            f" If {listed(marks)} {stands} to `missing`.",
            "Otherwise correct those cells",
        )
    of = "the columns" if more else "the column"
    return TableError(
        f"`table` must have numbers or text in a column, not both; got {got}.{hint} {otherwise}, "
        f"or name {of} in `as_text` or in `drop`."
    )


def _how_to_write(decorated: Any) -> str:
    """Say what to write for numbers with commas, points or units."""
    comma = decorated[decorated.str.fullmatch(_ONE_COMMA)]
    if len(comma) == 0:
        return "Write 2984.63 for 2,984.63 and 12 for 12 %"
    either = comma[comma.str.fullmatch(_COULD_BE_THOUSANDS)]
    if len(either) < len(comma):
        example = comma[~comma.isin(either)].iloc[0].strip()
        return f"These look like decimal commas: write {example.replace(',', '.')} for {example}"
    example = either.iloc[0].strip()
    return (
        f"{example} could be {example.replace(',', '')} or {example.replace(',', '.')}: write it "
        "without the comma"
    )


def _numeric(text: Any) -> Any:
    import pandas as pd

    return pd.to_numeric(text, errors="coerce").notna()


def _is_identifier(name: str, present: Any, of_rows: int, as_text: bool) -> bool:
    import pandas as pd

    if isinstance(present.dtype, pd.CategoricalDtype):  # digits with leading zeros are kept so
        return not as_text and bool(present.astype(str).str.fullmatch("[0-9]+").all())
    if pd.api.types.is_integer_dtype(present.dtype):
        span = int(present.max()) - int(present.min()) + 1
        # Drawn rows nearly span the numbers of all rows.
        counts_rows = span == of_rows or (len(present) < of_rows and _SPANS <= span / of_rows <= 1)
        return bool(counts_rows or _NAMED_LIKE_ONE.search(name))
    if not pd.api.types.is_string_dtype(present.dtype):
        return False
    text = present.astype(str)
    if text.str.fullmatch(_DECORATED).mean() >= _NEARLY_ALL:
        return False  # numbers
    spaced = text.str.strip().str.contains(r"\s").mean()
    looks_useful = _LIKE_A_DATE.match(text.iloc[0]) or _MOSTLY <= _numeric(text).mean() < 1
    return bool(spaced < 0.1 and not looks_useful)
