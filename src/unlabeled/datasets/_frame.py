"""Between CSV bytes and a frame of the original columns plus y."""

from __future__ import annotations

import gzip
import io
from typing import Any

import numpy as np

from ._pandas import require_pandas
from ._uci_table import UCISpec


def parse_csv(content: bytes, spec: UCISpec) -> Any:
    """Read the CSV as text, cell by cell, missing (empty) as NaN."""
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

    Python's own conversion is exact, so that 39, 39.0 and 39.00 are one number to the last
    bit; the fast parser of pandas does not promise that.
    """
    return np.asarray(column.to_numpy(dtype=object), dtype=np.float64)
