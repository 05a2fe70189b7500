"""Recall and share of columns in chunks of Dask: sums of every chunk, never gathered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..blocks import aligned_chunks, is_dask
from ..labels import LabelEncoding, encode_predictions, encoding_of, labels_in, refuse_bad_weight


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
    refuse_no_labelled_weight(labelled)
    return found / labelled, predicted / total


@dataclass(frozen=True)
class _Sums:
    """Weights in a chunk: labelled and predicted, labelled, predicted, all."""

    encoding: LabelEncoding

    def __call__(self, parts: tuple[Any, ...]) -> tuple[float, float, float, float]:
        labelled = labels_in(parts[1], self.encoding)
        if len(labelled) == 0:
            return 0.0, 0.0, 0.0, 0.0
        positive = encode_predictions(parts[2], self.encoding)
        weight = _weight(parts[3]) if len(parts) > 3 else np.ones(len(labelled))
        kinds = (labelled & positive, labelled, positive)
        found, marked, predicted = (float(weight[kind].sum()) for kind in kinds)
        return found, marked, predicted, float(weight.sum())


def refuse_no_labelled_weight(labelled: float) -> None:
    """Raise where the labelled rows weigh nothing together."""
    if not labelled > 0:
        raise ValueError(
            "`sample_weight` must be positive for some labelled row; got total weight 0 on the "
            "labelled rows. Recall is not defined without them."
        )


def _weight(column: Any) -> np.ndarray:
    weight = np.asarray(column, dtype=np.float64).ravel()
    refuse_bad_weight(weight)
    return weight
