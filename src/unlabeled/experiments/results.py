"""Reading the results of a folder, finished or not."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from .errors import ResultsError
from .parts import read_part
from .records import KEY, SCHEMA
from .store import PARTS, RECORDS

if TYPE_CHECKING:
    import pandas as pd


def read_records(folder: Path) -> pd.DataFrame:
    """Return every record in a folder of results, sorted, each once.

    May be called while a run is writing there: files that are being written are not looked
    at, damaged ones are left out, and a batch that is in two files counts once.

    Parameters
    ----------
    folder : Path
        What `unlabeled reproduce --out` was given.

    Returns
    -------
    records : DataFrame
        One row a fit, with the columns of `Record`.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise ResultsError(
            f"`folder` must be a folder of results; there is no `{folder}`. "
            "Make one with `unlabeled reproduce --out`."
        )
    # Parts first: one that is joined meanwhile is then found in the record files.
    parts = _read_all(folder / PARTS)
    tables, seen = [SCHEMA.empty_table()], set[str]()
    for table, batches in [*_read_all(folder / RECORDS), *parts]:
        if not seen.issuperset(batches):
            tables.append(table)
            seen.update(batches)
    frame = pa.concat_tables(tables).to_pandas()
    return frame.sort_values(list(KEY), ignore_index=True)


def _read_all(folder: Path) -> list[tuple[pa.Table, dict[str, int]]]:
    contents = (read_part(path) for path in sorted(folder.glob("*.parquet")))
    return [content for content in contents if content is not None]
