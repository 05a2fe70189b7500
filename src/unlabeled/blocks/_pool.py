"""Moments of two sets of rows taken together, without cancellation."""

from __future__ import annotations

from typing import Any

import numpy as np

# The weight of rows, the mean of a number or of each column, and the sum of the products of
# the deviations from it: of squares, or a matrix of those of every two columns.
MomentSums = tuple[float, Any, Any]


def pooled(first: MomentSums, second: MomentSums) -> MomentSums:
    """Moments of two sets of rows, about their common mean."""
    total = first[0] + second[0]
    apart = second[1] - first[1]
    share = second[0] / total
    between = apart[:, None] * apart if np.ndim(second[2]) == 2 else apart * apart
    mean = first[1] + share * apart
    return total, mean, first[2] + second[2] + (first[0] * share) * between
