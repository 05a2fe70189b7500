"""Files of data sets: where they are, whether they are the originals, and how they are read."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from ..engine.extras import needs_extra
from ._uci_table import UCISpec


class DatasetError(ValueError):
    """A data set is missing, truncated or altered, or cannot be downloaded."""


ENVIRONMENT_VARIABLE = "UNLABELED_DATA"
"""Environment variable with the folder of the data files, used if `data_home` is not given."""


def given_folder(data_home: str | os.PathLike[str] | None) -> Path | None:
    """Return the folder the user named, by argument or environment, or None."""
    source, value = "`data_home`", data_home
    if value is None:
        source = f"the environment variable {ENVIRONMENT_VARIABLE}"
        value = os.environ.get(ENVIRONMENT_VARIABLE) or None
    if value is None:
        return None
    folder = Path(value).expanduser()
    if not folder.is_dir():
        raise DatasetError(
            f"{source} must name a folder of data files; got {str(folder)!r}, which is not a "
            "folder. Correct it, or omit it to use the cache or OpenML."
        )
    return folder


def read_original(folder: Path, spec: UCISpec) -> bytes:
    """Return the bytes of the original file.

    If it is missing or differs, the error names it.
    """
    path = folder / spec.file
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise DatasetError(
            f"the folder {str(folder)!r} must hold `{spec.file}` ({spec.size} bytes); there is "
            f"no such file. Put it there, or omit `data_home` and {ENVIRONMENT_VARIABLE} to "
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
    """Whether size and checksum are those of the original file."""
    return len(content) == spec.size and sha256(content) == spec.sha256


def sha256(content: bytes) -> str:
    """Return the SHA-256 checksum in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def _diagnosis(content: bytes, spec: UCISpec) -> str:
    return "The file was cut off." if len(content) < spec.size else "The file was altered."


def cache_folder() -> Path:
    r"""Return the user's cache folder of this package, which need not exist.

    `$XDG_CACHE_HOME/unlabeled` if that variable is set; otherwise
    `%LOCALAPPDATA%\unlabeled` on Windows, `~/Library/Caches/unlabeled` on macOS and
    `~/.cache/unlabeled` elsewhere.
    """
    configured = os.environ.get("XDG_CACHE_HOME")
    if not configured and sys.platform == "win32":
        configured = os.environ.get("LOCALAPPDATA")
    if configured:
        return Path(configured) / "unlabeled"
    caches = Path("Library", "Caches") if sys.platform == "darwin" else Path(".cache")
    return Path.home() / caches / "unlabeled"


def parse_csv(content: bytes, spec: UCISpec) -> Any:
    """Read all cells of the CSV as text; empty cells are missing (NaN)."""
    text = gzip.decompress(content) if spec.file.endswith(".gz") else content
    frame = require_pandas().read_csv(
        io.BytesIO(text), dtype=str, keep_default_na=False, na_values=[""]
    )
    return frame[[*spec.columns, "y"]]


def format_csv(frame: Any, spec: UCISpec) -> bytes:
    """Write a frame of text the way `parse_csv` reads it."""
    content = bytes(frame.to_csv(index=False, lineterminator="\n").encode())
    return gzip.compress(content, mtime=0) if spec.file.endswith(".gz") else content


def numbers(column: Any) -> np.ndarray:
    """Turn text into float64, NaN where missing.

    Python's conversion is exact: 39, 39.0 and 39.00 are the same number to the last bit. The
    fast parser of pandas does not promise that.
    """
    return np.asarray(column.to_numpy(dtype=object), dtype=np.float64)


def fingerprint(X: np.ndarray, y_true: np.ndarray) -> str:
    """Return the SHA-256 of the shape, the features rounded to nine decimals, and the classes.

    It is the same for every source of the data. The original values have at most five
    decimals. Rounding is needed only for breast-w's column mean, whose last bit depends on the
    order of summation.
    """
    rounded = np.round(X, 9) + 0.0  # + 0.0 turns -0.0 into 0.0
    digest = hashlib.sha256(f"{X.shape[0]}x{X.shape[1]}".encode())
    digest.update(np.ascontiguousarray(rounded, dtype="<f8").tobytes())
    digest.update(np.ascontiguousarray(y_true, dtype="<i8").tobytes())
    return digest.hexdigest()


@needs_extra("`load_uci`", "datasets")
def require_pandas() -> Any:
    """Return the pandas module; the error says how to install it."""
    return import_module("pandas")
