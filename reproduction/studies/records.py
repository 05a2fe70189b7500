"""Content of a results folder: one record per fit, and the manifest with plans and runs."""

from __future__ import annotations

import hashlib
import json
import math
import os
import platform
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pyarrow as pa

import unlabeled
from unlabeled import __version__
from unlabeled.engine.files import write_whole

from .plan import Plan


class ResultsError(ValueError):
    """A results folder or a run that cannot be used; the message says what to do."""


@dataclass(frozen=True)
class Record:
    """The result of one fit.

    Attributes
    ----------
    study, dataset, mechanism : str
        Where the rows come from and how labels were drawn.
    n : int
        Number of training rows.
    c : float
        The intended label frequency; 0 if the mechanism decides it.
    method, setting : str
        The method, and "published" or "converged"; "-" if it has only one setting.
    repeat, seed : int
        Number of the draw, and the seed that the method gets. Files have no seed: it follows from
        the other columns.
    f1, balanced_accuracy : float
        Scores on the test rows, with the true classes.
    predicted_share : float
        Fraction of the test rows predicted positive.
    angle : float
        Degrees to the true direction (synthetic) or the oracle's (real).
    label_frequency, class_prior : float
        Estimates; NaN if the method has none.
    fit_seconds : float
        Wall time of `fit`.
    n_iter : int
        Iterations of the solver.
    converged : bool
        Whether the fit is a finite optimum to its tolerance.
    warning_codes : str
        Codes of its warnings, joined by commas.
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
"""The columns that identify a fit."""

# What pages show is kept to the last bit; estimates serve only to compare versions.
_NARROW = {
    "n": pa.int32(),
    "repeat": pa.int16(),
    "n_iter": pa.int32(),
    "label_frequency": pa.float32(),
    "class_prior": pa.float32(),
}
_TYPES = {"str": pa.string(), "int": pa.int64(), "float": pa.float64(), "bool": pa.bool_()}

SCHEMA = pa.schema(
    [
        pa.field(field.name, _NARROW.get(field.name, _TYPES[str(field.type)]), nullable=False)
        for field in fields(Record)
        if field.name != "seed"
    ]
)
"""The columns of a record file."""


def to_table(records: Sequence[Record]) -> pa.Table:
    """Put records into a table, one row per record."""
    return pa.Table.from_pylist([asdict(record) for record in records], schema=SCHEMA)


FILE = "manifest.json"
"""The name of the manifest in its folder."""

_LIBRARIES = ("numpy", "scipy", "scikit-learn", "pandas", "pyarrow", "joblib", "threadpoolctl")
# Parts of the library that do not affect results.
_ONLY_SHOWS = ("app", "cli", "plots")


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
            f"`{path}` must be the manifest of a run; got a file that is not one. "
            "Restore it, or choose another folder."
        ) from None
    return dict(manifest)


def write_manifest(folder: Path, manifest: dict[str, Any]) -> None:
    """Write the manifest: the whole file or nothing."""
    text = json.dumps(manifest, indent=1) + "\n"
    write_whole(folder / FILE, lambda path: path.write_text(text, encoding="utf-8"))


def join_plan(folder: Path, plan: Plan, manifest: dict[str, Any] | None) -> dict[str, Any]:
    """Return the manifest with `plan` added; reject a different plan of the same studies.

    `package_version` stays the version that began the folder. Every run has its own.
    """
    if manifest is None:
        manifest = {"package_version": __version__, "studies": {}, "datasets": {}, "runs": []}
    studies = dict(manifest["studies"])
    for study in plan.studies:
        known = studies.get(study.name)
        if known is not None and known["fingerprint"] != study.fingerprint:
            raise ResultsError(
                f"`{folder}` must hold results of this plan; got a {study.name} study with other "
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
    """Describe a run and its machine; `libraries` are packages to list besides our own."""
    return {
        "command": command,
        "started": now(),
        "finished": None,
        "jobs": jobs,
        "backend": backend,
        "python": platform.python_version(),
        "system": platform.system(),
        "machine": {"architecture": platform.machine(), **_size()},
        "libraries": {"unlabeled": __version__, **_versions((*_LIBRARIES, *libraries))},
        "source": _source_sum(),
    }


def _versions(packages: Iterable[str]) -> dict[str, str]:
    """Return the version of each package that is installed."""
    versions = {}
    for package in packages:
        with suppress(PackageNotFoundError):
            versions[package] = version(package)
    return versions


def now() -> str:
    """Return date and time in UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _source_sum() -> str:
    """Return a SHA-256 of the code that affects results; it distinguishes development versions."""
    library, studies = Path(unlabeled.__file__).parent, Path(__file__).parent
    total = hashlib.sha256()
    for folder in (library, studies):
        for path in sorted(folder.rglob("*.py")):
            name = path.relative_to(folder)
            if folder == studies or name.parts[0] not in _ONLY_SHOWS:
                total.update(name.as_posix().encode() + path.read_bytes())
    return total.hexdigest()[:16]


def _size() -> dict[str, Any]:
    size: dict[str, Any] = {"cpus": os.cpu_count(), "memory_gib": None}
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        n_bytes = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        size["memory_gib"] = round(n_bytes / 2**30, 1)
    return size
