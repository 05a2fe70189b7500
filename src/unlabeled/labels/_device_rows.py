"""The border for arrays of other libraries, which stay on their device."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.utils.validation import validate_data

from ..blocks import (
    as_type,
    is_sparse,
    namespace_of,
    on_device_of,
    refuse_other_length,
    to_host,
)
from ._cells import refuse_bad_matrix
from ._encoding import LabelEncoding, encode_labels
from ._labelled_rows import LabelledRows
from ._weight import refuse_one_class, validate_weight


def is_on_device(X: Any) -> bool:
    """Whether scikit-learn is told to leave such an array where it is (array_api_dispatch)."""
    if isinstance(X, np.ndarray) or is_sparse(X) or not hasattr(X, "device"):
        return False
    return bool(get_config().get("array_api_dispatch"))


def device_data(
    estimator: Any, X: Any, y: Any, sample_weight: Any, positive_label: Any, reset: bool
) -> LabelledRows:
    """Check rows on a device; the labels and weights are brought beside them."""
    X = device_features(estimator, X, reset)
    s, encoding = _encoded(X, y, positive_label)
    refuse_other_length(X.shape[0], s.shape[0], "`y`")
    if sample_weight is None:
        return LabelledRows(X, s, None, encoding)
    return LabelledRows(*_weighted(X, s, sample_weight), encoding)


def device_features(estimator: Any, X: Any, reset: bool) -> Any:
    """Check a matrix on a device."""
    xp = namespace_of(X)
    X = validate_data(
        estimator, X, reset=reset, dtype=[xp.float64, xp.float32], ensure_all_finite=False
    )
    refuse_bad_matrix(estimator, X)
    return X


def _encoded(X: Any, y: Any, positive_label: Any) -> tuple[Any, LabelEncoding]:
    if not is_on_device(y) or type(y) is not type(X) or y.device != X.device:
        s, encoding = encode_labels(to_host(y) if is_on_device(y) else y, positive_label)
        return on_device_of(X, s), encoding
    xp = namespace_of(y)
    column = xp.reshape(y, (-1,))
    # Two values are the smallest and the largest, unless there are others.
    ends = np.unique(to_host(xp.stack([xp.min(column), xp.max(column)])))
    positive = column == xp.max(column)
    if not bool(xp.all(positive | (column == xp.min(column)))):
        ends = np.unique(to_host(xp.unique_values(column)))
    _, encoding = encode_labels(ends, positive_label)
    if encoding.classes[1] != ends[-1]:
        positive = ~positive
    return as_type(positive, X.dtype), encoding


def _weighted(X: Any, s: Any, sample_weight: Any) -> tuple[Any, Any, Any]:
    """X, s and weight without the rows of weight 0."""
    weight = validate_weight(to_host(sample_weight), X.shape[0])
    assert weight is not None
    if np.all(weight > 0):
        return X, s, on_device_of(X, weight)
    refuse_one_class(to_host(s), weight)
    xp = namespace_of(X)
    kept = xp.asarray(np.flatnonzero(weight > 0), device=X.device)
    weight = on_device_of(X, weight[weight > 0])
    return xp.take(X, kept, axis=0), xp.take(s, kept, axis=0), weight
