"""Rows made of rows: some of them, or all with features of unit variance."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import sparse
from sklearn.preprocessing import StandardScaler

from ..labels import LabelledRows


def part_of(rows: LabelledRows, numbers: np.ndarray) -> LabelledRows:
    """The rows with these numbers."""
    weight = None if rows.weight is None else rows.weight[numbers]
    return replace(rows, X=rows.X[numbers], s=rows.s[numbers], weight=weight, kept=None)


def scaled_rows(rows: LabelledRows) -> LabelledRows:
    """Rows whose features have unit variance, so that a ridge treats them alike."""
    scaler = StandardScaler(with_mean=not sparse.issparse(rows.X))
    return replace(rows, X=scaler.fit_transform(rows.X, sample_weight=rows.weight))
