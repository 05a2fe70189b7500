"""What a user passes to `fit` and `predict` becomes checked rows, once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from numbers import Number
from typing import Any, NamedTuple

import numpy as np
from sklearn import get_config
from sklearn.utils.validation import check_array, validate_data

from ._arrays import is_sparse, namespace_of, on_device_of, to_host, with_distinct_entries
from ._blocks import as_type, weighted_mean
from ._cells import BadCells, find_bad_cells, reject_bad_chunks, reject_bad_matrix
from ._chunks import (
    ChunkedTable,
    Chunks,
    aligned_chunks,
    is_chunked,
    is_dask,
    is_frame,
    matrix_of,
    reject_other_length,
)
from ._encoding import LabelEncoding, encode_labels

# What the border makes of the arguments of `fit`.


@dataclass(frozen=True)
class LabelledRows:
    """Checked training rows.

    Attributes
    ----------
    X : matrix of shape (n_rows, n_features)
        Dense or CSR; on a device, or in chunks, where the estimator takes such.
    s : column of shape (n_rows,)
        1.0 for labelled rows, 0.0 for the others; it lives where X lives.
    weight : column of shape (n_rows,) or None
        Positive weights; rows of weight zero have left.
    encoding : LabelEncoding
    kept : ndarray of bool or None
        Which of the rows passed to `fit` are here; None if all.
    are_copies : bool
        Whether a row of weight 2 is one row that was drawn twice, so that both are left out
        where it is; otherwise it stands for two rows.
    """

    X: Any
    s: Any
    weight: Any
    encoding: LabelEncoding
    kept: np.ndarray | None = None
    are_copies: bool = False

    @property
    def total_weight(self) -> float:
        """Number of rows, or the sum of their weights."""
        return self.s.shape[0] * (1.0 if self.weight is None else weighted_mean(self.weight))

    @property
    def labelled_share(self) -> float:
        """Weighted share of labelled rows, the estimate of P(S=1)."""
        return weighted_mean(self.s, self.weight)

    @property
    def n_labelled(self) -> int:
        """How many rows are labelled."""
        if is_chunked(self.s):
            return self.s.table.n_labelled
        xp = namespace_of(self.s)
        return int(xp.sum(self.s, dtype=xp.float64))

    def position(self, numbers: Any) -> np.ndarray:
        """Where the rows with these numbers in the user's data are now; those that left are not."""
        numbers = np.asarray(numbers)
        if self.kept is None:
            return np.asarray(np.arange(len(self.s))[numbers])
        place = np.where(self.kept, np.cumsum(self.kept) - 1, -1)[numbers]
        return np.asarray(place[place >= 0])


# Rows that an estimator does not take, refused with a word on what to do.


def reject_chunks(X: Any, who: str) -> None:
    """Raise where rows lie in chunks and would have to be loaded for `who`; say what to use."""
    if is_dask(X):
        raise TypeError(
            f"`X` must be in memory for {who}; got rows in chunks of Dask. "
            "NaiveLogistic, EnhancedLogistic and JointLogistic read chunks; or take a part of "
            "the rows that fits in memory, with X.compute()."
        )


def reject_device(X: Any, who: str) -> None:
    """Raise where rows lie on a device and would have to be brought here for `who`."""
    if is_on_device(X):
        raise TypeError(
            f"`X` must be a NumPy array or a sparse matrix for {who}; got an array of "
            f"{type(X).__module__.partition('.')[0]}. NaiveLogistic, EnhancedLogistic and "
            "JointLogistic leave it on its device; or convert it to NumPy."
        )


def reject_lazy(X: Any) -> None:
    """Raise where rows are a query that was not run yet."""
    if hasattr(type(X), "collect") and not hasattr(type(X), "__array__"):
        raise TypeError(
            f"`X` must be in memory; got a {type(X).__name__}. Call its collect() first."
        )


def reject_sparse(
    X: Any, who: str, instead: str = "Make a few columns of it first, as TruncatedSVD does."
) -> None:
    """Raise where X is sparse and would have to be made dense for `who`; say what to use."""
    if is_sparse(X):
        raise TypeError(f"`X` must be dense for {who}; got a sparse matrix. {instead}")


# Row weights, checked.

_FITTED_TO_COPIES: ContextVar[Any] = ContextVar("_FITTED_TO_COPIES", default=None)


@contextmanager
def weights_are_copies(estimator: Any) -> Iterator[None]:
    """Within this context, weights passed to the fit of `estimator` count copies of a row.

    A bootstrap draws rows repeatedly: where such a row is left out, its copies must be too.
    This holds for the fit of `estimator` itself, not for other estimators that it fits.
    """
    token = _FITTED_TO_COPIES.set(estimator)
    try:
        yield
    finally:
        _FITTED_TO_COPIES.reset(token)


def has_copies(estimator: Any) -> bool:
    """Whether `weights_are_copies` was said of this estimator."""
    return _FITTED_TO_COPIES.get() is estimator


def validate_weight(sample_weight: Any, n_rows: int) -> np.ndarray | None:
    """Check row weights; None stays None."""
    if sample_weight is None:
        return None
    if isinstance(sample_weight, Number):
        sample_weight = np.full(n_rows, sample_weight)
    if isinstance(sample_weight, str):
        raise ValueError(
            f"`sample_weight` must have one number for each of the {n_rows} rows; got "
            f"{sample_weight!r}. Compute them first, for instance with compute_sample_weight."
        )
    weight = check_array(
        sample_weight,
        ensure_2d=False,
        dtype=np.float64,
        ensure_all_finite=False,
        input_name="sample_weight",
    )
    if weight.ndim != 1 or len(weight) != n_rows:
        raise ValueError(
            f"`sample_weight` must have one number for each of the {n_rows} rows; "
            f"got shape {weight.shape}. Sample weights must be 1D array or scalar."
        )
    reject_bad_weight(weight)
    return weight


def reject_bad_weight(weight: np.ndarray) -> None:
    """Raise where a weight is negative or no finite number."""
    fine = np.isfinite(weight) & (weight >= 0)
    if not np.all(fine):
        raise ValueError(
            f"`sample_weight` must hold finite numbers of at least 0; got {weight[~fine][0]}. "
            "Give rows to leave out the weight 0."
        )


def reject_one_class(s: np.ndarray, weight: np.ndarray) -> None:
    """Raise where only labelled, or only unlabelled, rows have a weight above 0."""
    kept = weight > 0
    reject_empty_class(int(s[kept].sum()), int(kept.sum()))


def reject_empty_class(n_labelled: int, n_rows: int) -> None:
    """Raise where, of the rows with a weight above 0, none or all are labelled."""
    if not 0 < n_labelled < n_rows:
        raise ValueError(
            "`sample_weight` must be positive for some row of each class, labelled and "
            "unlabelled; got only zeros for one class. Check the weights."
        )


# The border for rows in memory: NumPy arrays, frames and sparse matrices.

_FLOATS = (np.float64, np.float32)
_REMEDY = (
    "Turn dates into days and text into columns of 0 and 1, for instance by OneHotEncoder, or let "
    "`unlabeled.app.tables.table_pipeline` do both."
)


def memory_data(
    estimator: Any, X: Any, y: Any, sample_weight: Any, positive_label: Any, reset: bool
) -> LabelledRows:
    """Check rows in memory; labels and weights that are on a device are brought here."""
    X = with_distinct_entries(memory_features(estimator, X, reset))
    y, sample_weight = (to_host(c) if is_on_device(c) else c for c in (y, sample_weight))
    s, encoding = encode_labels(y, positive_label)
    reject_other_length(X.shape[0], len(s), "`y`")
    weight = validate_weight(sample_weight, len(s))
    if weight is None or np.all(weight > 0):
        return LabelledRows(X, s, weight, encoding)
    reject_one_class(s, weight)
    kept = weight > 0
    return LabelledRows(X[kept], s[kept], weight[kept], encoding, kept)


def memory_features(estimator: Any, X: Any, reset: bool) -> Any:
    """Check a matrix in memory."""
    reject_lazy(X)
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
    reject_bad_matrix(estimator, checked)
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


# The border for arrays of other libraries, which stay on their device.


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
    reject_other_length(X.shape[0], s.shape[0], "`y`")
    if sample_weight is None:
        return LabelledRows(X, s, None, encoding)
    return LabelledRows(*_weighted(X, s, sample_weight), encoding)


def device_features(estimator: Any, X: Any, reset: bool) -> Any:
    """Check a matrix on a device."""
    xp = namespace_of(X)
    X = validate_data(
        estimator, X, reset=reset, dtype=[xp.float64, xp.float32], ensure_all_finite=False
    )
    reject_bad_matrix(estimator, X)
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
    reject_one_class(to_host(s), weight)
    xp = namespace_of(X)
    kept = xp.asarray(np.flatnonzero(weight > 0), device=X.device)
    weight = on_device_of(X, weight[weight > 0])
    return xp.take(X, kept, axis=0), xp.take(s, kept, axis=0), weight


# The border for rows in chunks of Dask: looked at once, never gathered.

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
    reject_bad_chunks(estimator, [look.bad for look in looks if look.bad is not None])
    n_rows = np.array([look.n_rows for look in looks], dtype=np.int64)
    n_labelled = sum(look.n_labelled for look in looks)
    reject_empty_class(n_labelled, int(n_rows.sum()))
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
        reject_bad_weight(weight)
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


# The border: what a user passes to `fit` and `predict` becomes checked arrays, once.


def validate_rows(
    estimator: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    positive_label: Any = None,
    anywhere: bool = False,
    reset: bool = True,
) -> LabelledRows:
    """Check what was passed to `estimator.fit` and turn labels into s.

    Feature names and the number of features are recorded on `estimator`, or, unless
    `reset`, held against those it has. Rows in chunks of Dask, and arrays on a device,
    are taken as such if they may live `anywhere`; they are refused otherwise, as
    loading them all is not ours to do.
    """
    if y is None:
        raise ValueError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is None. "
            "Pass the label column."
        )
    if not anywhere:
        reject_chunks(X, type(estimator).__name__)
        reject_device(X, type(estimator).__name__)
    read = chunked_data if is_dask(X) else device_data if is_on_device(X) else memory_data
    rows = read(estimator, X, y, sample_weight, positive_label, reset)
    return replace(rows, are_copies=has_copies(estimator))


def validate_new_rows(estimator: Any, X: Any) -> Any:
    """Check rows to predict against the names and number of features seen in fit.

    An array on a device stays there; rows in chunks are not for this.
    """
    reject_chunks(X, f"this method of {type(estimator).__name__}")
    if is_on_device(X):
        return device_features(estimator, X, reset=False)
    return memory_features(estimator, X, reset=False)


# A column of scores, checked.


def score_column(score: Any, s: np.ndarray, name: str = "score") -> np.ndarray:
    """Check a column with one finite number a row."""
    column = np.asarray(score)
    if column.ndim != 1 or column.dtype.kind not in "fiu" or len(column) != len(s):
        raise ValueError(
            f"`{name}` must hold one number for each of the {len(s)} rows; got shape "
            f"{column.shape} of type {column.dtype}. Pass one column."
        )
    if not np.all(np.isfinite(column)):
        raise ValueError(
            f"`{name}` must hold finite numbers; got NaN or inf in "
            f"{int(np.sum(~np.isfinite(column)))} rows. Drop these rows."
        )
    return column
