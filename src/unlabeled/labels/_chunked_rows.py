"""The border for rows in chunks of Dask: looked at once, never gathered."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Number
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import validate_data

from ..blocks import (
    BadCells,
    ChunkedTable,
    Chunks,
    aligned_chunks,
    find_bad_cells,
    is_dask,
    is_frame,
    matrix_of,
)
from ._cells import refuse_bad_chunks
from ._encoding import LabelEncoding, encode_labels
from ._labelled_rows import LabelledRows
from ._weight import refuse_bad_weight, refuse_empty_class

# More distinct values than these are no labels.
_MOST_VALUES = 1000


def chunked_data(
    estimator: Any, X: Any, y: Any, sample_weight: Any, positive_label: Any, reset: bool
) -> LabelledRows:
    """Check rows in chunks; feature names and number of features go to `estimator`."""
    dtype = float_type(estimator, X, reset)
    encoding = encoding_of(y, positive_label)
    of_every_row = isinstance(sample_weight, Number)
    columns = (y,) if sample_weight is None or of_every_row else (y, sample_weight)
    prepare = _Prepare(dtype, encoding, sample_weight if of_every_row else None)
    chunks = aligned_chunks(X, *columns).then(prepare)
    looks = chunks.each([_look] * len(chunks))
    refuse_bad_chunks(estimator, [look.bad for look in looks if look.bad is not None])
    n_rows = np.array([look.n_rows for look in looks], dtype=np.int64)
    n_labelled = sum(look.n_labelled for look in looks)
    refuse_empty_class(n_labelled, int(n_rows.sum()))
    table = ChunkedTable(chunks, n_rows, n_labelled)
    weight = None if sample_weight is None else table.part(2, np.dtype(np.float64))
    return LabelledRows(table.part(0, dtype, X.shape[1]), table.part(1, dtype), weight, encoding)


def encoding_of(y: Any, positive_label: Any) -> LabelEncoding:
    """Read the labels alone, for the values they take."""
    values = y
    if is_dask(y):
        chunks = Chunks.of(np.ravel(y.to_delayed()))
        found = chunks.each([_distinct] * len(chunks))
        parts = [part for part in found if len(part)]
        if not parts:
            raise ValueError(
                "Found array with 0 sample(s) while a minimum of 1 is required. `y` must have "
                "rows; got none in any chunk."
            )
        values = np.concatenate(parts)
    return encode_labels(values, positive_label)[1]


def float_type(estimator: Any, X: Any, reset: bool) -> np.dtype[Any]:
    """Check names and number of the features; return the type to compute in."""
    if getattr(X, "ndim", 2) != 2:
        raise ValueError(
            f"Expected 2D array, got {X.ndim}D array instead. `X` must have rows and columns."
        )
    if X.shape[1] == 0:
        raise ValueError(
            "Found array with 0 feature(s) while a minimum of 1 is required. `X` must have columns."
        )
    validate_data(estimator, X._meta if is_frame(X) else X, reset=reset, skip_check_array=True)
    types = {f" in column {name!r}": X.dtypes[name] for name in X.columns} if is_frame(X) else {}
    for where, dtype in (types or {"": X.dtype}).items():
        if getattr(dtype, "kind", "O") not in "biuf":
            raise ValueError(
                f"`X` must hold numbers; got {dtype}{where}. Encode or drop such columns first."
            )
    single = all(str(dtype).lower() == "float32" for dtype in types.values() or [X.dtype])
    return np.dtype(np.float32 if single else np.float64)


@dataclass(frozen=True)
class _Prepare:
    """From a chunk as it is read to (X, s, weight), rows of weight 0 left out."""

    dtype: np.dtype[Any]
    encoding: LabelEncoding
    weight_of_every_row: float | None = None

    def __call__(self, parts: tuple[Any, ...]) -> tuple[Any, ...]:
        X = matrix_of(parts[0], self.dtype)
        s = labels_in(parts[1], self.encoding).astype(self.dtype)
        weight = self._weight(parts)
        if weight is not None and np.any(weight == 0):
            kept = weight != 0
            X, s, weight = X[kept], s[kept], weight[kept]
        return X, s, weight

    def _weight(self, parts: tuple[Any, ...]) -> np.ndarray | None:
        if self.weight_of_every_row is not None:
            return np.full(parts[0].shape[0], self.weight_of_every_row, dtype=np.float64)
        if len(parts) == 2:
            return None
        weight = np.asarray(parts[2], dtype=np.float64)
        if weight.size != weight.shape[0]:
            raise ValueError(
                "`sample_weight` must have one number for each row; got chunks of shape "
                f"{weight.shape}. Sample weights must be 1D array or scalar."
            )
        return weight.ravel()


def labels_in(column: Any, encoding: LabelEncoding) -> np.ndarray:
    """Whether each row of a loaded chunk is labelled; every row must say."""
    values = np.asarray(column).ravel()
    labelled = values == encoding.classes[1]
    if not np.all(labelled | (values == encoding.classes[0])):
        # Frames are joined by their index, which leaves rows of one without a partner.
        raise ValueError(
            "`y` must have one of its two values for each row of `X`; got rows without one. "
            "Take both from one frame, or give them the same index."
        )
    return np.asarray(labelled)


class _Look(NamedTuple):
    """What a first look at a chunk found."""

    n_rows: int
    n_labelled: int
    bad: BadCells | None


def _look(chunk: tuple[Any, ...]) -> _Look:
    X, s, weight = chunk
    if weight is not None:
        refuse_bad_weight(weight)
    return _Look(X.shape[0], int(s.sum()), find_bad_cells(X))


def _distinct(column: Any) -> np.ndarray:
    """Distinct labels of a chunk, a few too many at most."""
    values = np.asarray(column).ravel()
    if values.dtype.kind in "fc" and not np.all(np.isfinite(values)):
        return values[~np.isfinite(values)][:1]
    if values.dtype.kind == "O":
        values = np.array(list(dict.fromkeys(values.tolist())), dtype=object)
        return values[:_MOST_VALUES]
    return np.unique(values)[:_MOST_VALUES]
