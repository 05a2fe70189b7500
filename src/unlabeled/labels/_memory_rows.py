"""The border for rows in memory: NumPy arrays, frames and sparse matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import validate_data

from ..blocks import refuse_other_length, to_host, with_distinct_entries
from ._cells import refuse_bad_matrix
from ._device_rows import is_on_device
from ._encoding import encode_labels
from ._labelled_rows import LabelledRows
from ._refuse import refuse_lazy
from ._weight import refuse_one_class, validate_weight

_FLOATS = (np.float64, np.float32)
_REMEDY = (
    "Turn dates into days and text into columns of 0 and 1, for instance by OneHotEncoder, or let "
    "`unlabeled.tables.table_pipeline` do both."
)


def memory_data(
    estimator: Any, X: Any, y: Any, sample_weight: Any, positive_label: Any, reset: bool
) -> LabelledRows:
    """Check rows in memory; labels and weights that are on a device are brought here."""
    X = with_distinct_entries(memory_features(estimator, X, reset))
    y, sample_weight = (to_host(c) if is_on_device(c) else c for c in (y, sample_weight))
    s, encoding = encode_labels(y, positive_label)
    refuse_other_length(X.shape[0], len(s), "`y`")
    weight = validate_weight(sample_weight, len(s))
    if weight is None or np.all(weight > 0):
        return LabelledRows(X, s, weight, encoding)
    refuse_one_class(s, weight)
    kept = weight > 0
    return LabelledRows(X[kept], s[kept], weight[kept], encoding, kept)


def memory_features(estimator: Any, X: Any, reset: bool) -> Any:
    """Check a matrix in memory."""
    refuse_lazy(X)
    try:
        checked = validate_data(
            estimator,
            X,
            reset=reset,
            accept_sparse="csr",
            dtype=_FLOATS,
            ensure_all_finite=False,
        )
    except (ValueError, TypeError) as error:
        bad = _first_bad_column(X)
        if bad is None and "could not convert string" not in str(error):
            raise
        got = f"something else ({error})" if bad is None else f"{bad[1]} in column {bad[0]!r}"
        raise ValueError(f"`X` must hold numbers; got {got}. {_REMEDY}") from None
    refuse_bad_matrix(estimator, checked)
    return checked


def _first_bad_column(X: Any) -> tuple[Any, str] | None:
    """Name of the first column of a frame that is not numbers and what it holds, or None."""
    for name in getattr(X, "columns", ()):
        values = np.asarray(X[name])
        try:
            if values.dtype.kind in "Mm":
                return name, "dates or times"
            values.astype(np.float64)
        except (ValueError, TypeError) as error:
            return name, f"something else ({error})"
    return None
