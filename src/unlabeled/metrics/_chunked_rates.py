"""Recall and share of columns in chunks of Dask: sums of every chunk, never gathered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..blocks._dask import aligned_chunks, is_dask
from ..labels import LabelEncoding, encode_predictions
from ..labels._chunked_rows import encoding_of, labels_in, refuse_other_lengths


def rates_of_chunks(
    y: Any, y_pred: Any, positive_label: Any, sample_weight: Any
) -> tuple[float, float]:
    """Weighted recall r among labelled rows and share q among all rows."""
    encoding = encoding_of(y, positive_label)
    columns = [y, y_pred] if sample_weight is None else [y, y_pred, sample_weight]
    # Any one of Dask says how the rows are cut; the others are dealt out along it.
    cut = next(column for column in columns if is_dask(column))
    chunks = aligned_chunks(cut, *columns)
    sums = np.sum(chunks.each([_Sums(encoding)] * len(chunks)), axis=0)
    found, labelled, predicted, total = sums.tolist()
    if not labelled > 0:
        raise ValueError(
            "`sample_weight` must be positive for some labelled row; got total weight 0 on the "
            "labelled rows. Recall is not defined without them."
        )
    return found / labelled, predicted / total


@dataclass(frozen=True)
class _Sums:
    """Weights in a chunk: labelled and predicted, labelled, predicted, all."""

    encoding: LabelEncoding

    def __call__(self, parts: tuple[Any, ...]) -> tuple[float, float, float, float]:
        refuse_other_lengths(parts)
        labelled = labels_in(parts[1], self.encoding)
        if len(labelled) == 0:
            return 0.0, 0.0, 0.0, 0.0
        positive = encode_predictions(parts[2], self.encoding)
        weight = checked_weights(parts[3]) if len(parts) > 3 else np.ones(len(labelled))
        kinds = (labelled & positive, labelled, positive)
        found, marked, predicted = (float(weight[kind].sum()) for kind in kinds)
        return found, marked, predicted, float(weight.sum())


def checked_weights(column: Any) -> np.ndarray:
    """Weights as finite numbers of at least 0."""
    weight = np.asarray(column, dtype=np.float64).ravel()
    if not np.all(np.isfinite(weight) & (weight >= 0)):
        wrong = weight[~(np.isfinite(weight) & (weight >= 0))][0]
        raise ValueError(
            f"`sample_weight` must be finite and not negative; got {wrong}. "
            "Drop such rows or give them weight 0."
        )
    return weight
