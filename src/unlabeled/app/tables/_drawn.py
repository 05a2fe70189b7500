"""One pass over a table in batches: rows drawn at random, and the labels of all rows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ._batches import Batches, Progress
from ._columns import cells_as_words
from ._formats import Raw, as_categories
from ._labels import Labels, labels_of_codes
from ._read import Reading, Table, check_reading, read_columns, table_of
from ._words import TableError, check_column, count

MOST_VALUES = 100_000
"""The largest number of different values of a label column."""


class Drawn(NamedTuple):
    """Rows drawn from a table at random, each equally often, and the labels of all its rows.

    Attributes
    ----------
    table : Table
        The drawn rows in the order of the files, as `read_table` would read a file of them.
    rows : ndarray of shape (n_drawn,)
        Their numbers in the whole table, counted from 0.
    labels : Labels
        The labels of all rows.
    """

    table: Table
    rows: np.ndarray
    labels: Labels

    @property
    def is_whole(self) -> bool:
        """Whether every row was drawn."""
        return len(self.rows) == len(self.labels.s)


def draw_table(
    batches: Batches,
    label: str,
    *,
    max_rows: int,
    folder: Path,
    positive: Any = None,
    filled: bool = False,
    negative: Iterable[Any] = (),
    id: str | None = None,
    how: Reading = Reading(),  # noqa: B008  # it is frozen
    seed: int = 0,
    progress: Progress | None = None,
) -> Drawn:
    """Read a table once, keep rows drawn at random, and read the labels of all rows.

    Parameters
    ----------
    batches : Batches
        The table.
    label : str
        The label column.
    max_rows : int
        How many rows to draw; all, if the table has fewer.
    folder : Path
        A folder for temporary files: drawn rows of text are written there, and read as a table.
    positive, filled, negative
        As in `label_column`.
    id : str, optional
        The identifier column.
    how : Reading
        How to read columns.
    seed : int
        Seed of the draw. The same rows are drawn whatever the batches.
    progress : callable, optional
        See `Batches.read`.

    Returns
    -------
    drawn : Drawn

    Raises
    ------
    TableError
        As `read_table` and `label_column` raise it.
    """
    check_column(label, batches.columns, "label")
    if id is not None:
        check_column(id, batches.columns, "id", never_suggest=label)
    drawn, values = _Draw(max_rows, seed), _Values(label)
    for batch in batches.read(progress=progress):
        drawn.add(batch)
        values.add(batch.column(label))
    codes, labels_in_file = values.codes(), values.values(batches.schema.field(label).type)
    words = _words(batches, label, labels_in_file, how, folder)
    labels = labels_of_codes(label, codes, words, positive, negative, filled=filled)
    cells, rows = drawn.result()
    table = _read(batches, cells, how, id, folder / "drawn.csv")
    # A mark for missing cells may be in no drawn row.
    check_reading(how if len(rows) == len(codes) else replace(how, missing=()), (table,))
    remarks = (*batches.remarks, *table.remarks)
    return Drawn(replace(table, path=batches.path, remarks=remarks), rows, labels)


def _read(batches: Batches, cells: Any, how: Reading, id: str | None, path: Path) -> Table:
    """Read drawn rows as a table: text by way of a file, so that its types are found as ever."""
    if batches.form != "text":
        known = [name for name in batches.categories if name in cells.column_names]
        return table_of(Raw(as_categories(cells, known)), batches.path, how, id)
    batches.write_text(cells, path)
    try:
        return read_columns(path, how, id)
    finally:
        path.unlink()


def _words(batches: Batches, label: str, values: Any, how: Reading, folder: Path) -> list[str]:
    """Return the values of the label column as words, blank where missing."""
    import pyarrow as pa

    other = "row" if label != "row" else "number"
    cells = pa.table({label: values, other: pa.array(np.arange(len(values)) + 1)})
    kept = Reading(
        tuple(name for name in how.as_text if name == label),
        tuple(name for name in how.as_number if name == label),
        how.missing,
    )
    table = _read(batches, cells, kept, None, folder / "labels.csv")
    return [str(word) for word in cells_as_words(table.frame[label])]


class _Draw:
    """Keep the rows with the smallest of random numbers, one per row."""

    def __init__(self, most: int, seed: int) -> None:
        self._most, self._random = most, np.random.default_rng(seed)
        self._seen, self._bound = 0, np.inf
        self._rows: list[np.ndarray] = []
        self._keys: list[np.ndarray] = []
        self._cells: list[Any] = []

    def add(self, batch: Any) -> None:
        """Look at the next rows."""
        keys = self._random.random(batch.num_rows)
        low = np.flatnonzero(keys < self._bound)
        self._rows.append(self._seen + low)
        self._keys.append(keys[low])
        self._cells.append(batch if len(low) == batch.num_rows else batch.take(low))
        self._seen += batch.num_rows
        if sum(map(len, self._keys)) > 2 * self._most:
            self._thin()

    def _thin(self) -> None:
        import pyarrow as pa

        keys, rows = np.concatenate(self._keys), np.concatenate(self._rows)
        cells = pa.concat_tables(self._cells)
        if len(keys) > self._most:
            self._bound = float(np.partition(keys, self._most)[self._most])
            low = np.flatnonzero(keys < self._bound)
            keys, rows, cells = keys[low], rows[low], cells.take(low)
        self._keys, self._rows, self._cells = [keys], [rows], [cells.combine_chunks()]

    def result(self) -> tuple[Any, np.ndarray]:
        """Return the cells of the drawn rows and their numbers, in the order of the table."""
        self._thin()
        return self._cells[0], self._rows[0]


class _Values:
    """The values of a column of any length, each once, and a code for each row."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._code_of: dict[Any, int] = {}
        self._parts: list[np.ndarray] = []

    def add(self, column: Any) -> None:
        """Look at the next rows."""
        import pyarrow as pa

        if pa.types.is_nested(column.type) or pa.types.is_binary(column.type):
            raise TableError(
                "`label` must be a column of text, numbers or true/false; got "
                f"{self._name!r} of type {column.type}. Name another column."
            )
        encoded = column.combine_chunks().dictionary_encode(null_encoding="encode")
        chunks = encoded.chunks if isinstance(encoded, pa.ChunkedArray) else [encoded]
        for chunk in chunks:
            codes = np.array([self._code(one) for one in chunk.dictionary.to_pylist()])
            indices = chunk.indices.to_numpy(zero_copy_only=False)
            kind = np.min_scalar_type(max(len(self._code_of) - 1, 0))
            self._parts.append(codes.astype(kind)[indices] if len(codes) else indices.astype(kind))

    def _code(self, value: Any) -> int:
        if value != value:
            value = None
        code = self._code_of.setdefault(value, len(self._code_of))
        if code >= MOST_VALUES:
            raise TableError(
                f"`label` must be the column that marks the labeled rows; got {self._name!r} with "
                f"more than {count(MOST_VALUES)} different values, so it is probably not that "
                "column. Name another column."
            )
        return code

    def codes(self) -> np.ndarray:
        """Return one code per row."""
        return np.concatenate(self._parts)

    def values(self, kind: Any) -> Any:
        """Return the values, in the order of their codes."""
        import pyarrow as pa

        return pa.array(list(self._code_of), kind)
