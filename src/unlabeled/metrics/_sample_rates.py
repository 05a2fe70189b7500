"""Recall and share of a label column and predictions, validated once."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_consistent_length, column_or_1d

from ..codes import warn
from ..engine.rows import (
    LabelEncoding,
    aligned_chunks,
    encode_labels,
    encode_predictions,
    encoding_of,
    is_dask,
    is_on_device,
    labels_in,
    reject_bad_weight,
    to_host,
    validate_weight,
)
from ..rates import largest_class_prior

# Tolerance: rounding may put a class prior this far above its bound.
_ROUNDING = 1e-9


def sample_rates(
    y: Any, y_pred: Any, positive_label: Any = None, sample_weight: Any = None
) -> tuple[float, float]:
    """Return weighted recall r among labelled rows and share q among all rows."""
    if any(is_dask(column) for column in (y, y_pred, sample_weight)):
        return _rates_of_chunks(y, y_pred, positive_label, sample_weight)
    # Three columns are cheap to fetch from a device, and text cannot be on one.
    y, y_pred, sample_weight = (
        to_host(column) if is_on_device(column) else column for column in (y, y_pred, sample_weight)
    )
    check_consistent_length(y, y_pred, sample_weight)
    _require_two_values(y)
    s, encoding = encode_labels(y, positive_label)
    positive = encode_predictions(y_pred, encoding).astype(np.float64)
    weight = _weight(sample_weight, len(s))
    labelled = s == 1
    _reject_no_labelled_weight(weight[labelled].sum())
    recall = np.average(positive[labelled], weights=weight[labelled])
    return float(recall), float(np.average(positive, weights=weight))


def corrected_rates(
    y: Any, y_pred: Any, class_prior: Any, positive_label: Any, sample_weight: Any
) -> tuple[float, float, float]:
    """Return recall, share and the validated class prior; PU112 if they contradict each other."""
    prior = check_class_prior(class_prior)
    recall, share = sample_rates(y, y_pred, positive_label, sample_weight)
    bound = float(largest_class_prior(recall, share))
    if prior > bound + _ROUNDING:
        warn(
            "PU112",
            f"the class prior {prior:.4g} is too large for a recall of {recall:.4g} on the "
            f"labelled rows and a predicted share of {share:.4g}; these allow at most "
            f"{bound:.4g}. The metric is not clipped and may lie outside its range. With few "
            "labelled rows this can happen by chance; otherwise lower `class_prior`.",
        )
    return recall, share, prior


def check_class_prior(class_prior: Any) -> float:
    """Return the class prior as a float; it must lie strictly between 0 and 1."""
    prior = float(class_prior) if isinstance(class_prior, Real) else 0.0
    if not 0 < prior < 1:
        raise ValueError(
            f"`class_prior` must be a number strictly between 0 and 1; got {class_prior!r}. "
            "Pass P(Y=1) in the whole sample, labelled and unlabelled rows together."
        )
    return prior


def _require_two_values(y: Any) -> None:
    values = np.asarray(y).ravel()
    if len(values) and np.all(values == values[0]):
        value = values.tolist()[0]
        raise ValueError(
            "`y` must hold both labelled and unlabelled rows; got only the value "
            f"{value!r}. Hold out more rows, or stratify the folds by the label column."
        )


def _weight(sample_weight: Any, n_rows: int) -> NDArray[np.float64]:
    weight = None if sample_weight is None else column_or_1d(sample_weight)
    checked = validate_weight(weight, n_rows)
    return np.ones(n_rows) if checked is None else checked


def _reject_no_labelled_weight(labelled: float) -> None:
    """Raise if the total weight of the labelled rows is 0."""
    if not labelled > 0:
        raise ValueError(
            "`sample_weight` must be positive for some labelled row; got a total of 0 for the "
            "labelled rows. Recall is not defined without them."
        )


def _rates_of_chunks(
    y: Any, y_pred: Any, positive_label: Any, sample_weight: Any
) -> tuple[float, float]:
    """`sample_rates` for Dask columns; computes sums per chunk."""
    encoding = encoding_of(y, positive_label)
    columns = [y, y_pred] if sample_weight is None else [y, y_pred, sample_weight]
    # Any Dask column determines the chunks; the other columns are divided like it.
    cut = next(column for column in columns if is_dask(column))
    chunks = aligned_chunks(cut, *columns)
    sums = np.sum(chunks.each([_Sums(encoding)] * len(chunks)), axis=0)
    found, labelled, predicted, total = sums.tolist()
    _reject_no_labelled_weight(labelled)
    return found / labelled, predicted / total


@dataclass(frozen=True)
class _Sums:
    """Total weights in a chunk: labelled and predicted positive, labelled, predicted, all."""

    encoding: LabelEncoding

    def __call__(self, parts: tuple[Any, ...]) -> tuple[float, float, float, float]:
        labelled = labels_in(parts[1], self.encoding)
        if len(labelled) == 0:
            return 0.0, 0.0, 0.0, 0.0
        positive = encode_predictions(parts[2], self.encoding)
        weight = _chunked_weight(parts[3]) if len(parts) > 3 else np.ones(len(labelled))
        kinds = (labelled & positive, labelled, positive)
        found, marked, predicted = (float(weight[kind].sum()) for kind in kinds)
        return found, marked, predicted, float(weight.sum())


def _chunked_weight(column: Any) -> np.ndarray:
    weight = np.asarray(column, dtype=np.float64).ravel()
    reject_bad_weight(weight)
    return weight
