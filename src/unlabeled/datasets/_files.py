"""The folders data sets are read from, and the check of a file against its known sum."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from ._errors import DatasetError
from ._uci_table import UCISpec

ENVIRONMENT_VARIABLE = "UNLABELED_DATA"
"""Names the folder of data files when `data_home` is not given."""


def given_folder(data_home: str | os.PathLike[str] | None) -> Path | None:
    """Return the folder the user named, by argument or environment, or None."""
    source, value = "`data_home`", data_home
    if value is None:
        source, value = f"the environment variable {ENVIRONMENT_VARIABLE}", _from_environment()
    if value is None:
        return None
    folder = Path(value).expanduser()
    if not folder.is_dir():
        raise DatasetError(
            f"{source} must name a folder of data files; got {str(folder)!r}, which is not a "
            "folder. Correct it, or leave it out to use the cache or OpenML."
        )
    return folder


def read_original(folder: Path, spec: UCISpec) -> bytes:
    """Return the bytes of the original file; refuse a missing or different one by name."""
    path = folder / spec.file
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise DatasetError(
            f"the folder {str(folder)!r} must hold `{spec.file}` ({spec.size} bytes); there is "
            f"no such file. Put it there, or leave `data_home` and {ENVIRONMENT_VARIABLE} out to "
            "use the cache or OpenML."
        ) from None
    except OSError as error:
        raise DatasetError(
            f"`{path}` could not be read: {error.strerror or error}. Check that it is a file "
            "you may read."
        ) from error
    if not is_original(content, spec):
        raise DatasetError(
            f"`{path}` must be the original `{spec.file}`, {spec.size} bytes with SHA-256 "
            f"{spec.sha256}; got {len(content)} bytes with {sha256(content)}. "
            f"{_diagnosis(content, spec)} Copy it again."
        )
    return content


def is_original(content: bytes, spec: UCISpec) -> bool:
    """Whether size and sum are those of the original file."""
    return len(content) == spec.size and sha256(content) == spec.sha256


def sha256(content: bytes) -> str:
    """Return the SHA-256 sum in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def _diagnosis(content: bytes, spec: UCISpec) -> str:
    return "The file was cut off." if len(content) < spec.size else "The file was altered."


def _from_environment() -> str | None:
    return os.environ.get(ENVIRONMENT_VARIABLE) or None
