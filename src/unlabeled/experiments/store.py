"""The results folder: parts as they come, record files of finished repeats, nothing lost."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa

from ..files import remove_unfinished
from .errors import ResultsError
from .lock import lock_folder
from .manifest import join_plan, now, read_manifest, write_manifest
from .parts import read_part, write_part
from .plan import Batch, Plan
from .records import Record, to_table

PARTS, RECORDS = "parts", "records"
DAMAGED = ".damaged"
COMPACT_FROM = 200
"""Parts of finished repeats are joined when there are so many."""

Group = tuple[str, int]  # a study and a repeat

Confirm = Callable[[list[dict[str, Any]]], dict[str, Any] | None]
"""From the runs that wrote into a folder to what the manifest is to note; raises to reject."""


class Store:
    """The results of a plan in a folder, open for writing.

    `parts/` has one file a batch, written when the batch is done. When all batches of some
    repeats are there, their parts become one file in `records/`, which lists its batches; only
    then are the parts removed. So a kill at any moment leaves every batch in a part, in a
    record file or in both, and a part whose batch is in a record file is dropped on opening.

    Parameters
    ----------
    folder : Path
        Made if it is not there.
    plan : Plan
        What the results are of.
    run, datasets : dict
        Descriptions of this run and of the loaded data sets, for the manifest.
    confirm : callable
        Called with the runs of the manifest before anything in the folder is changed. It raises
        if this run may not continue them.

    Attributes
    ----------
    done : set of str
        Keys of the batches that are on disk.
    n_damaged : int
        Files that were cut off or altered, and set aside; their batches are not `done`.
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
        """Put the records of a batch on disk."""
        path = self._part(batch.key)
        write_part(path, to_table(records), {batch.key: len(records)})
        self.done.add(batch.key)
        self._pending[batch.key] = batch
        if len(self._pending) >= COMPACT_FROM:
            self.compact(at_least=COMPACT_FROM // 2)

    def compact(self, at_least: int = 1) -> None:
        """Join the parts of finished repeats, study by study, if there are `at_least` so many."""
        joined: dict[str, list[Batch]] = defaultdict(list)
        for batch in self._pending.values():
            if self._keys_of[batch.study, batch.repeat] <= self.done:
                joined[batch.study].append(batch)
        for study, batches in joined.items():
            if len(batches) >= at_least:
                self._join(study, batches)

    def finish(self) -> None:
        """Compact what is left and note the end of the run."""
        self.compact()
        with suppress(OSError):  # parts of repeats that are not in this plan stay
            (self.folder / PARTS).rmdir()
        self._manifest["runs"][-1]["finished"] = now()
        write_manifest(self.folder, self._manifest)

    def _open(
        self, plan: Plan, run: dict[str, Any], datasets: dict[str, Any], confirm: Confirm
    ) -> None:
        found = read_manifest(self.folder)
        if found is None and any((self.folder / RECORDS).glob("*.parquet")):
            raise ResultsError(
                f"`{self.folder}` must have the manifest of its records; there is none. "
                "Restore manifest.json, or choose another folder."
            )
        self._manifest = join_plan(self.folder, plan, found)
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
        """Clear away what a kill left, and see which batches are there."""
        for place in (self.folder, self.folder / RECORDS, self.folder / PARTS):
            place.mkdir(exist_ok=True)
            remove_unfinished(place)
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
        """Return the batches in a file; if it is damaged, give it a name that is not read."""
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
                    f"`{self._part(key)}` must be as it was written; it was altered since. "
                    "Run the same command again: it is redone."
                )
        tables = [content[0] for _, content in contents if content is not None]
        repeats = [batch.repeat for batch in batches]
        name = f"{study}-{min(repeats):04d}-{max(repeats):04d}.parquet"
        rows = {key: table.num_rows for (key, _), table in zip(contents, tables, strict=True)}
        write_part(self.folder / RECORDS / name, pa.concat_tables(tables), rows)
        for key in rows:
            self._part(key).unlink()
            del self._pending[key]

    def _part(self, key: str) -> Path:
        return self.folder / PARTS / f"{key}.parquet"
