"""The manifest: what a folder of results is, and every run that wrote into it."""

from __future__ import annotations

import hashlib
import json
import math
import os
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa

from ..._version import __version__
from ...engine.files import write_whole
from ...engine.versions import versions_of
from .plan import Plan

# The one error of the results folder.


class ResultsError(ValueError):
    """A folder of results that cannot be used as asked; the message says what to do."""


# One fit, one record: the fields, and their columns in the files.


@dataclass(frozen=True)
class Record:
    """What one fit gave.

    Attributes
    ----------
    study, dataset, mechanism : str
        Where the rows come from and how their labels were hidden.
    n : int
        Number of training rows.
    c : float
        Label frequency that was aimed at; 0 where the mechanism decides it.
    method, setting : str
        Which method, "published" or "converged"; "-" where there is only one setting.
    repeat, seed : int
        Number of the draw, and the seed of the method's own randomness.
    f1, balanced_accuracy : float
        On the test rows, with the true classes.
    predicted_share : float
        Share of the test rows that are predicted positive; NaN in older files.
    angle : float
        Degrees to the true direction (synthetic) or the oracle's (real).
    label_frequency, class_prior : float
        Estimates; NaN where the method has none.
    fit_seconds : float
        Wall time of `fit`.
    n_iter : int
        Iterations of the solver.
    converged : bool
        Whether the fit is a finite optimum to its tolerance.
    warning_codes : str
        Codes of the warnings, joined by commas.
    error : str
        Empty, or "Type: message" of what the fit raised.
    """

    study: str
    dataset: str
    mechanism: str
    n: int
    c: float
    method: str
    setting: str
    repeat: int
    seed: int
    f1: float = math.nan
    balanced_accuracy: float = math.nan
    predicted_share: float = math.nan
    angle: float = math.nan
    label_frequency: float = math.nan
    class_prior: float = math.nan
    fit_seconds: float = math.nan
    n_iter: int = 0
    converged: bool = False
    warning_codes: str = ""
    error: str = ""


KEY = ("study", "dataset", "mechanism", "n", "c", "repeat", "method", "setting")
"""The columns that name a fit."""

_NARROW = {"n": pa.int32(), "repeat": pa.int16(), "seed": pa.uint32(), "n_iter": pa.int32()}
_TYPES = {"str": pa.string(), "int": pa.int64(), "float": pa.float64(), "bool": pa.bool_()}

SCHEMA = pa.schema(
    [
        pa.field(field.name, _NARROW.get(field.name, _TYPES[str(field.type)]), nullable=False)
        for field in fields(Record)
    ]
)
"""Columns of a record file."""

ADDED = ("predicted_share",)
"""Columns that files written before they were recorded do not have."""


def to_table(records: Sequence[Record]) -> pa.Table:
    """Put records into a table, one row each."""
    return pa.Table.from_pylist([asdict(record) for record in records], schema=SCHEMA)


FILE = "manifest.json"
_LIBRARIES = ("numpy", "scipy", "scikit-learn", "pandas", "pyarrow", "joblib", "threadpoolctl")
_ONLY_SHOWS = ("cli", "plots", "report")


def read_manifest(folder: Path) -> dict[str, Any] | None:
    """Return the manifest of a folder, or None if it has none."""
    path = folder / FILE
    if not path.exists():
        return None
    try:
        manifest = json.loads(path.read_text("utf-8"))
        if not {"package_version", "studies", "datasets", "runs"} <= set(manifest):
            raise KeyError
    except (ValueError, KeyError, TypeError):
        raise ResultsError(
            f"`{path}` must be the manifest of a run; it cannot be read. "
            "Restore it, or choose another folder."
        ) from None
    return dict(manifest)


def write_manifest(folder: Path, manifest: dict[str, Any]) -> None:
    """Write the manifest, whole or not at all."""
    text = json.dumps(manifest, indent=1) + "\n"
    write_whole(folder / FILE, lambda path: _write_text(path, text))


def join_plan(folder: Path, plan: Plan, manifest: dict[str, Any] | None) -> dict[str, Any]:
    """Return the manifest with `plan` in it; reject another plan.

    `package_version` stays the version that began the folder; every run has its own.
    """
    if manifest is None:
        manifest = {"package_version": __version__, "studies": {}, "datasets": {}, "runs": []}
    studies = dict(manifest["studies"])
    for study in plan.studies:
        known = studies.get(study.name)
        if known is not None and known["fingerprint"] != study.fingerprint:
            raise ResultsError(
                f"`{folder}` must hold results of this plan; its {study.name} study has other "
                "data sets, cells, methods or rules. Choose another folder, or the same options."
            )
        described = asdict(study)
        if known is not None:
            described["repeats"] = max(study.repeats, known["plan"]["repeats"])
        studies[study.name] = {"fingerprint": study.fingerprint, "plan": described}
    return {**manifest, "studies": studies}


def describe_run(
    command: str, jobs: int, backend: str, libraries: Sequence[str] = ()
) -> dict[str, Any]:
    """Say what is about to run, on what; `libraries` are packages to name besides our own."""
    return {
        "command": command,
        "started": now(),
        "finished": None,
        "jobs": jobs,
        "backend": backend,
        "python": platform.python_version(),
        "system": platform.system(),
        "machine": {"architecture": platform.machine(), **_size()},
        "libraries": {"unlabeled": __version__, **versions_of((*_LIBRARIES, *libraries))},
        "source": _source_sum(),
    }


def now() -> str:
    """Return date and time, UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _source_sum() -> str:
    """SHA-256 of the package's code that decides numbers: tells development versions apart."""
    package = Path(__file__).parents[1]
    total = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        name = path.relative_to(package)
        if name.parts[0] not in _ONLY_SHOWS and "outcome" not in name.parts:
            total.update(name.as_posix().encode() + path.read_bytes())
    return total.hexdigest()[:16]


def _size() -> dict[str, Any]:
    size: dict[str, Any] = {"cpus": os.cpu_count(), "memory_gib": None}
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        n_bytes = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        size["memory_gib"] = round(n_bytes / 2**30, 1)
    return size


def _write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
