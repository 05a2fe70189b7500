"""Whether values, and their squares, are finite numbers, in one pass where they are."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..blocks import Array


def squares_are_finite(values: Array) -> bool:
    """Whether the sum of squares is finite: then so is every value."""
    with np.errstate(over="ignore", invalid="ignore"):
        if values.flags.c_contiguous or values.flags.f_contiguous:
            flat = values.ravel(order="K")
            total: Any = np.dot(flat, flat)
        else:
            total = np.einsum("ij,ij->", values, values)
        if np.isfinite(total):
            return True
        # In single precision the sum may overflow where squares in double precision do not.
        return bool(np.isfinite(np.square(values, dtype=np.float64).sum()))


def refuse_large_squares() -> None:
    """Raise the sentence about values whose squares are no finite numbers."""
    raise ValueError(
        "`X` must have values whose squares are finite numbers; got larger ones. "
        "Rescale the features, for instance with StandardScaler."
    )
