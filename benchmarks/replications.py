"""Repeat a measurement, a function of a seed, many times; a stopped run can be continued."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from reproduction.studies.draw import seed_of
from reproduction.studies.records import FILE, ResultsError, describe_run, now, write_manifest
from reproduction.studies.store import lock_folder
from unlabeled.engine.files import remove_unfinished, write_whole
from unlabeled.engine.progress import Progress

_PARTS = "parts"
_REPEAT = "repeat"


@dataclass(frozen=True)
class Replication:
    """A measurement to repeat.

    Attributes
    ----------
    name : str
        Unique in a folder. It names the file and, with the number of the repeat, sets the seed.
    function : str
        Where the measurement is imported from, as "module:function". It is called with a seed
        and `arguments`, and returns numbers by name. The manifest records it: a run is continued
        only under the same name.
    repeats : int
    arguments : dict
        Further arguments of the function; they must fit into JSON.
    batch : int
        Repeats that one worker runs in a row.
    """

    name: str
    function: str
    repeats: int
    arguments: Mapping[str, Any] = field(default_factory=dict)
    batch: int = 20

    def firsts(self) -> range:
        """Return the first repeats of its batches."""
        return range(0, self.repeats, self.batch)

    def described(self) -> dict[str, Any]:
        """Return what determines the numbers of a repeat, for the manifest."""
        return {"function": self.function, "arguments": dict(self.arguments)}


def run_replications(
    replications: Sequence[Replication],
    folder: str | Path,
    *,
    n_jobs: int = 1,
    progress: Progress | None = None,
    command: str = "",
    libraries: Sequence[str] = (),
) -> None:
    """Run the repeats that are not on disk yet.

    If a run is killed, the same call continues it. The numbers do not depend on the order or on
    `n_jobs`.

    Parameters
    ----------
    replications : sequence of Replication
    folder : str or Path
        Where the records go, one Parquet file per replication.
    n_jobs : int, default=1
        Worker processes.
    progress : callable, optional
        Called with the number of repeats done and the number of all repeats.
    command : str, default=""
        How the run was started, for the manifest.
    libraries : sequence of str, default=()
        Further packages whose versions the manifest records.
    """
    folder = Path(folder)
    (folder / _PARTS).mkdir(parents=True, exist_ok=True)
    with lock_folder(folder):
        remove_unfinished(folder)
        remove_unfinished(folder / _PARTS)
        manifest = _join(folder, replications, describe_run(command, n_jobs, "loky", libraries))
        for one in replications:
            _gather(folder, one.name)
        _run_missing(replications, folder, n_jobs, progress or (lambda done, total: None))
        for one in replications:
            _gather(folder, one.name)
        (folder / _PARTS).rmdir()
        manifest["runs"][-1]["finished"] = now()
        write_manifest(folder, manifest)


def _run_missing(
    replications: Sequence[Replication], folder: Path, n_jobs: int, progress: Progress
) -> None:
    """Run the repeats that are not on disk, and write them batch by batch."""
    done = {
        one.name: set(read_replication(folder, one.name)[_REPEAT].astype(int))
        for one in replications
    }
    total = sum(one.repeats for one in replications)
    n_done = sum(len(done[one.name] & set(range(one.repeats))) for one in replications)
    progress(n_done, total)
    workers = Parallel(n_jobs, return_as="generator_unordered", batch_size=1)
    batches = list(_batches(replications, done))
    for name, records in workers(delayed(_run)(one, repeats) for one, repeats in batches):
        _write(folder / _PARTS / f"{name}-{records[_REPEAT].iloc[0]:06d}.parquet", records)
        n_done += len(records)
        progress(n_done, total)


def read_replication(folder: str | Path, name: str) -> pd.DataFrame:
    """Read the repeats of one measurement, in order; the frame is empty if there are none.

    Parameters
    ----------
    folder : str or Path
    name : str
    """
    folder = Path(folder)
    files = [folder / f"{name}.parquet", *sorted((folder / _PARTS).glob(f"{name}-*.parquet"))]
    frames = [pd.read_parquet(path) for path in files if path.exists()]
    if not frames:
        return pd.DataFrame({_REPEAT: []})
    whole = pd.concat(frames, ignore_index=True)
    return whole.drop_duplicates(_REPEAT).sort_values(_REPEAT, ignore_index=True)


def _batches(
    replications: Sequence[Replication], done: Mapping[str, set[int]]
) -> Iterator[tuple[Replication, list[int]]]:
    """Yield batches of all replications in turn, so that they progress together."""
    firsts = sorted({first for one in replications for first in one.firsts()})
    for first in firsts:
        for one in replications:
            if first in one.firsts():
                repeats = range(first, min(first + one.batch, one.repeats))
                missing = [repeat for repeat in repeats if repeat not in done[one.name]]
                if missing:
                    yield one, missing


def _run(one: Replication, repeats: list[int]) -> tuple[str, pd.DataFrame]:
    module, _, name = one.function.partition(":")
    function: Callable[..., Mapping[str, float]] = getattr(import_module(module), name)
    records = [
        {_REPEAT: repeat, **function(seed_of(one.name, repeat), **one.arguments)}
        for repeat in repeats
    ]
    frame = pd.DataFrame(records)
    numbers = [column for column in frame if column != _REPEAT]
    return one.name, frame.astype(dict.fromkeys(numbers, np.float32))


def _gather(folder: Path, name: str) -> None:
    """Move the parts of a measurement into its file."""
    parts = sorted((folder / _PARTS).glob(f"{name}-*.parquet"))
    if parts:
        _write(folder / f"{name}.parquet", read_replication(folder, name))
        for path in parts:
            path.unlink()


def _write(path: Path, frame: pd.DataFrame) -> None:
    write_whole(
        path,
        lambda temporary: frame.to_parquet(
            temporary, index=False, compression="zstd", compression_level=9
        ),
    )


def _join(folder: Path, replications: Sequence[Replication], run: dict[str, Any]) -> dict[str, Any]:
    """Record what is measured; reject a folder where a name has another meaning."""
    path = folder / FILE
    manifest = json.loads(path.read_text("utf-8")) if path.exists() else {}
    known = manifest.get("replications", {})
    for one in replications:
        described = json.loads(json.dumps(one.described()))
        if known.setdefault(one.name, described) != described:
            raise ResultsError(
                f"`{folder}` must hold the same measurements; its {one.name!r} has another "
                "function or other arguments. Choose another folder, or remove that file and its "
                "manifest entry."
            )
    manifest = {"replications": known, "runs": [*manifest.get("runs", []), run]}
    write_manifest(folder, manifest)
    return manifest
