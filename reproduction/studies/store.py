"""The results folder: safe if the process is killed, and readable at any time."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from unlabeled.engine.files import LOCK, remove_unfinished, try_lock, write_whole

from .plan import Batch, Plan
from .records import (
    KEY,
    SCHEMA,
    Record,
    ResultsError,
    join_plan,
    now,
    read_manifest,
    to_table,
    write_manifest,
)

if TYPE_CHECKING:
    import pandas as pd

PARTS, RECORDS = "parts", "records"
DAMAGED = ".damaged"
_BATCHES, _SUM = b"unlabeled.batches", b"unlabeled.sha256"

ORDER = ("study", "dataset", "mechanism", "n", "c", "method", "setting", "repeat")
"""The order of joined records. Fits of one method that another shares then compress to nothing."""

ESTIMATES = ("angle", "label_frequency", "class_prior")
"""Columns whose values hardly ever repeat. The scores are fractions of the test rows."""

COMPACT_FROM = 200
"""With at least this many parts, the parts of finished repeats are joined."""

Group = tuple[str, int]  # a study and a repeat

Confirm = Callable[[list[dict[str, Any]]], dict[str, Any] | None]
"""Callback: takes the previous runs and returns an entry for the manifest, or None.

It raises if the run must not continue them.
"""


class Store:
    """The results of a plan in a folder, open for writing.

    `parts/` has one file per batch, written when the batch is done. When some repeats have all
    their batches, their parts become one file in `records/`, which lists its batches. Only then
    are the parts removed. So if the process is killed, every batch is in a part, in a record file
    or in both. Opening the folder drops each part whose batch is in a record file.

    Parameters
    ----------
    folder : Path
        Created if it does not exist.
    plan : Plan
        The plan of the run.
    run, datasets : dict
        Descriptions of this run and of the loaded data sets, for the manifest.
    confirm : callable
        Called with the runs of the manifest before anything in the folder changes. It raises if
        this run must not continue them.

    Attributes
    ----------
    done : set of str
        Keys of the batches that are on disk.
    n_damaged : int
        Files that were truncated or altered, and renamed; their batches are not `done`.
    """

    def __init__(
        self,
        folder: Path,
        plan: Plan,
        run: dict[str, Any],
        datasets: dict[str, Any],
        confirm: Confirm,
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.done, self.n_damaged = folder, set[str](), 0
        self._lock = lock_folder(folder)
        try:
            self._open(plan, run, datasets, confirm)
        except BaseException:
            self._lock.close()
            raise

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *exception: object) -> None:
        self._lock.close()

    def write(self, batch: Batch, records: Sequence[Record]) -> None:
        """Write the records of a batch to disk."""
        path = self._part(batch.key)
        write_part(path, to_table(records), {batch.key: len(records)})
        self.done.add(batch.key)
        self._pending[batch.key] = batch
        if len(self._pending) >= COMPACT_FROM:
            self.compact(at_least=COMPACT_FROM // 2)

    def compact(self, at_least: int = 1) -> None:
        """Join the parts of finished repeats, for studies with at least `at_least` such parts."""
        joined: dict[str, list[Batch]] = defaultdict(list)
        for batch in self._pending.values():
            if self._keys_of[batch.study, batch.repeat] <= self.done:
                joined[batch.study].append(batch)
        for study, batches in joined.items():
            if len(batches) >= at_least:
                self._join(study, batches)

    def finish(self) -> None:
        """Join the remaining parts and note the end of the run."""
        self.compact()
        with suppress(OSError):  # parts of repeats that are not in this plan stay
            (self.folder / PARTS).rmdir()
        self._manifest["runs"][-1]["finished"] = now()
        write_manifest(self.folder, self._manifest)

    def _open(
        self, plan: Plan, run: dict[str, Any], datasets: dict[str, Any], confirm: Confirm
    ) -> None:
        manifest = read_manifest(self.folder)
        if manifest is None and any((self.folder / RECORDS).glob("*.parquet")):
            raise ResultsError(
                f"`{self.folder}` must have the manifest of its records; got records without one. "
                "Restore manifest.json, or choose another folder."
            )
        self._manifest = join_plan(self.folder, plan, manifest)
        check = confirm(self._manifest["runs"])
        names = [study.name for study in plan.studies]
        self._manifest["datasets"].update(datasets)
        self._manifest["runs"].append({**run, "studies": names, "same_numbers": check})
        write_manifest(self.folder, self._manifest)
        self._keys_of: dict[Group, set[str]] = defaultdict(set)
        planned = {batch.key: batch for batch in plan.batches()}
        for batch in planned.values():
            self._keys_of[batch.study, batch.repeat].add(batch.key)
        self._take_stock(planned)

    def _take_stock(self, planned: dict[str, Batch]) -> None:
        """Remove what a kill left unfinished, and find the batches that are on disk."""
        for folder in (self.folder, self.folder / RECORDS, self.folder / PARTS):
            folder.mkdir(exist_ok=True)
            remove_unfinished(folder)
        for path in sorted((self.folder / RECORDS).glob("*.parquet")):
            self.done.update(self._check(path, None))
        self._pending: dict[str, Batch] = {}
        for path in sorted((self.folder / PARTS).glob("*.parquet")):
            if path.stem in self.done:
                path.unlink()
            elif self._check(path, path.stem):
                self.done.add(path.stem)
                if path.stem in planned:
                    self._pending[path.stem] = planned[path.stem]

    def _check(self, path: Path, key: str | None) -> Iterable[str]:
        """Return the batches in a file; rename it if it is damaged, so that it is not read."""
        content = read_part(path)
        if content is None or (key is not None and set(content[1]) != {key}):
            path.replace(path.with_name(path.name + DAMAGED))
            self.n_damaged += 1
            return ()
        return content[1]

    def _join(self, study: str, batches: list[Batch]) -> None:
        contents = [(batch.key, read_part(self._part(batch.key))) for batch in batches]
        for key, content in contents:
            if content is None:
                raise ResultsError(
                    f"`{self._part(key)}` must be as the run wrote it; got an altered file. "
                    "Run the same command again: it runs this batch again."
                )
        tables = [content[0] for _, content in contents if content is not None]
        repeats = [batch.repeat for batch in batches]
        name = f"{study}-{min(repeats):04d}-{max(repeats):04d}.parquet"
        rows = {key: table.num_rows for (key, _), table in zip(contents, tables, strict=True)}
        joined = pa.concat_tables(tables).sort_by([(column, "ascending") for column in ORDER])
        write_part(self.folder / RECORDS / name, joined, rows)
        for key in rows:
            self._part(key).unlink()
            del self._pending[key]

    def _part(self, key: str) -> Path:
        return self.folder / PARTS / f"{key}.parquet"


def read_records(folder: Path) -> pd.DataFrame:
    """Return every record in a results folder, sorted, each once.

    Safe while a run is writing: it skips unfinished and damaged files, and counts a batch in two
    files once.

    Parameters
    ----------
    folder : Path
        The folder given to `python -m reproduction --out`.

    Returns
    -------
    records : DataFrame
        One row per fit, with the columns of `Record`.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise ResultsError(
            f"`folder` must be a results folder; `{folder}` does not exist. "
            "Create one with `python -m reproduction --out`."
        )
    # Parts first: one that is joined in the meantime is then found in the record files.
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


def write_part(path: Path, table: pa.Table, batches: Mapping[str, int]) -> None:
    """Write a record file; `batches` maps the key of each batch in it to its number of rows.

    Both are checked when the file is read.
    """
    marks = {_BATCHES: json.dumps(dict(batches)), _SUM: _sum_of(table)}
    marked = table.replace_schema_metadata(marks)
    write_whole(path, lambda temporary: _write(marked, temporary))


def read_part(path: Path) -> tuple[pa.Table, dict[str, int]] | None:
    """Read a record file; return None if it is truncated, altered or not one of ours."""
    try:
        table = pq.read_table(path, partitioning=None)
        batches = json.loads(table.schema.metadata[_BATCHES])
        whole = table.num_rows == sum(batches.values())
        intact = table.schema.metadata[_SUM].decode() == _sum_of(table)
    except (pa.ArrowException, OSError, KeyError, TypeError, ValueError):
        return None
    if not whole or not intact or not set(SCHEMA.names) <= set(table.schema.names):
        return None
    return table.select(SCHEMA.names).cast(SCHEMA), batches  # 0.2.0 kept seeds and more digits


def _write(table: pa.Table, path: Path) -> None:
    """Write a table in as few bytes as it takes without losing a bit."""
    numbers = [field.name for field in table.schema if pa.types.is_floating(field.type)]
    pq.write_table(
        table,
        path,
        compression="zstd",
        compression_level=19,
        use_dictionary=[name for name in table.schema.names if name not in numbers],
        column_encoding=dict.fromkeys(set(numbers) & set(ESTIMATES), "BYTE_STREAM_SPLIT"),
    )


def _sum_of(table: pa.Table) -> str:
    """Return a SHA-256 of the values, column by column; all NaN count as equal."""
    total = hashlib.sha256()
    for column in table.columns:
        if pa.types.is_string(column.type):
            total.update("\n".join(column.to_pylist()).encode())
        else:
            values = np.array(column.to_numpy())
            if values.dtype.kind == "f":
                values[np.isnan(values)] = np.nan
            total.update(values.tobytes())
    return total.hexdigest()


def lock_folder(folder: Path) -> IO[bytes]:
    """Lock a folder until the returned file is closed or the process ends."""
    stream = open(folder / LOCK, "wb")  # noqa: SIM115
    if not try_lock(stream):
        stream.close()
        raise ResultsError(
            f"`{folder}` must have only one writer; another run is writing to it. "
            "Wait for it to end, or choose another folder."
        )
    return stream
