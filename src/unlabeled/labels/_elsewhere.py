"""What the border makes of rows that are not in memory."""

from __future__ import annotations

from typing import Any, NamedTuple

from ._encoding import LabelEncoding


class RowsElsewhere(NamedTuple):
    """Matrix, labels in {0, 1}, weights or None, in one place, and the two label values."""

    X: Any
    s: Any
    weight: Any
    encoding: LabelEncoding
