"""Validation of the input of `fit` and `predict`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Integral, Number
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import (
    check_consistent_length,
    validate_data,
)

from ..arrays import (
    is_dask,
    is_on_device,
    is_sparse,
    namespace_of,
    on_device_of,
    reject_other_length,
    to_host,
    with_distinct_entries,
)
from ..parameters import check_positive
from ..sampling import ONE_SAMPLE, Sampling, SamplingWord
from ._blocks import as_type
from ._categories import as_codes, categories_to_keep, with_categories
from ._cells import BadCells, find_bad_cells, reject_bad_cells, reject_bad_chunks
from ._columns import (
    CopyCounts,
    reject_bad_weight,
    reject_empty_class,
    reject_one_class,
    validate_checked,
    validate_groups,
    validate_negatives,
    validate_weight,
)
from ._dask import (
    ChunkedTable,
    Chunks,
    aligned_chunks,
    is_frame,
    matrix_of,
    rows_at,
)
from ._encoding import LabelEncoding, encode_labels
from ._recoded import reject_recoded
from ._rows import Rows
from ._sample import Sample
from ._weights import SAMPLING, WeightsWord


def validate_rows(
    estimator: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    pos_label: Any = None,
    anywhere: bool | str = False,
    reset: bool = True,
    checked: Any = None,
    groups: Any = None,
    negatives: Any = None,
) -> Rows:
    """Validate what was passed to `estimator.fit` and turn labels into s.

    If `reset`, feature names and the number of features are stored on `estimator`; otherwise they
    are compared with the stored ones. If rows may be `anywhere`, Dask chunks stay chunks and
    arrays on a device stay there; if it is "chunks", the former alone. What may not be is rejected:
    the user decides what to load.
    With answers of `checked` rows, with `groups` or `negatives`, all must be in memory; the last
    are left out. Whether there are two samples is the estimator's parameter `sampling`.
    """
    reject_missing_labels(estimator, y)
    if not anywhere:
        reject_chunks(X, type(estimator).__name__)
    if anywhere is not True:
        reject_device(X, type(estimator).__name__)
    read = _rows_of_chunks if is_dask(X) else _device_rows if is_on_device(X) else _memory_rows
    if read is not _memory_rows:
        reject_beside_rows(checked=checked, groups=groups, negatives=negatives)
    sampling = Sampling.of_model(estimator)
    rows = read(estimator, X, y, sample_weight, pos_label, reset)
    reject_recoded(estimator, rows.encoding, pos_label)
    n_passed = rows.s.shape[0] if rows.kept is None else len(rows.kept)
    rows = replace(
        rows,
        checked=validate_checked(_in_memory(checked), rows.s, rows.kept),
        groups=validate_groups(_in_memory(groups), n_passed, rows.kept, rows.passed),
        sampling=sampling,
    )
    if negatives is not None:
        marks = validate_negatives(
            _in_memory(negatives), rows.s, rows.kept, checked=rows.checked, is_two=sampling.is_two
        )
        rows = rows.without_negatives(marks)
    return _weighted(estimator, rows, sample_weight)


def _weighted(estimator: Any, rows: Rows, sample_weight: Any, *, warns: bool = True) -> Rows:
    """Read the weights as the estimator's parameter `weights` says; counts of copies stay."""
    if isinstance(sample_weight, CopyCounts):
        return replace(rows, are_copies=True)
    return rows.weighted_as(getattr(estimator, "weights", SAMPLING), warns=warns)


def reject_missing_labels(estimator: Any, y: Any) -> None:
    """Raise if `fit` got no label column."""
    if y is None:
        raise ValueError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is None. "
            "Pass the label column."
        )


def reject_beside_rows(checked: Any = None, groups: Any = None, negatives: Any = None) -> None:
    """Raise if rows that are not in memory come with answers, groups or recorded negatives."""
    given = (
        ("checked", checked, "answers"),
        ("groups", groups, "groups"),
        ("negatives", negatives, "some"),
    )
    for name, column, got in given:
        if column is not None:
            raise TypeError(
                f"`{name}` must be None for rows in chunks or on a device; got {got}. Take a part "
                "of the rows that fits in memory, as NumPy arrays."
            )


def validate_new_rows(estimator: Any, X: Any) -> Any:
    """Check rows to predict: features must have the names and number they had in `fit`.

    An array on a device stays there. Dask collections do not come here: callers predict them
    lazily, chunk by chunk.
    """
    read = _device_features if is_on_device(X) else _memory_features
    return read(estimator, X, reset=False)


def rows_passed_again(
    estimator: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    pos_label: Any = None,
    anywhere: bool = False,
) -> Rows:
    """Check the rows of a fit, which the user passes again; in memory, those of weight 0 stay."""
    if is_dask(X) or is_on_device(X):
        return validate_rows(estimator, X, y, sample_weight, pos_label, anywhere, reset=False)
    X = with_distinct_entries(validate_new_rows(estimator, X))
    s, encoding = encode_labels(y, pos_label)
    check_consistent_length(X, s)
    weight, sampling = validate_weight(sample_weight, len(s)), Sampling.of_model(estimator)
    rows = Rows(X, s, weight, encoding, sampling=sampling)
    return _weighted(estimator, rows, sample_weight, warns=False)


# Rows in memory: NumPy arrays, frames and sparse matrices.

_FLOATS = (np.float64, np.float32)
_REMEDY = (
    "Turn dates into days and text into columns of 0 and 1, for instance by OneHotEncoder, or let "
    "`unlabeled.app.table_pipeline` do both."
)


def _memory_rows(
    estimator: Any, X: Any, y: Any, sample_weight: Any, pos_label: Any, reset: bool
) -> Rows:
    """Check rows in memory; labels and weights on a device are copied to memory."""
    X = with_distinct_entries(_memory_features(estimator, X, reset))
    s, encoding = encode_labels(_in_memory(y), pos_label)
    reject_other_length(X.shape[0], len(s), "`y`")
    weight = validate_weight(_in_memory(sample_weight), len(s))
    if weight is None or np.all(weight > 0):
        return Rows(X, s, weight, encoding)
    reject_one_class(s, weight)
    return Rows(X, s, weight, encoding).keep(weight > 0)


def _memory_features(estimator: Any, X: Any, reset: bool) -> Any:
    _reject_unreadable(X)
    categories, frame = categories_to_keep(estimator, X, reset), X
    X = as_codes(frame, categories)
    try:
        matrix = validate_data(
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
    reject_bad_cells(estimator, matrix)
    if reset and categories:
        estimator.categories_ = categories
    return with_categories(frame, matrix, categories)


def _reject_unreadable(X: Any) -> None:
    """Raise if cells or names of X would be read wrongly, or not at all."""
    if hasattr(type(X), "collect") and not hasattr(type(X), "__array__"):
        raise TypeError(
            f"`X` must be in memory; got a {type(X).__name__}. Call its collect() first."
        )
    if np.ma.is_masked(X):  # scikit-learn would read what is under the mask
        raise ValueError(
            "`X` must have no masked cells; got some. Make them missing, as X.filled(np.nan) does."
        )
    if not getattr(getattr(X, "columns", None), "is_unique", True):
        twice = X.columns[X.columns.duplicated()][0]
        raise ValueError(
            f"`X` must have columns with different names; got {twice!r} twice. Rename or drop one."
        )


def _first_bad_column(X: Any) -> tuple[Any, str] | None:
    """Name and content of the first column of a frame that is not numeric, or None."""
    for name in getattr(X, "columns", ()):
        values = np.asarray(X[name])
        try:
            if values.dtype.kind in "Mm":
                return name, "dates or times"
            values.astype(np.float64)
        except (ValueError, TypeError) as error:
            return name, f"something else ({error})"
    return None


# Rows on a device: arrays of other libraries, which stay there.


def _in_memory(column: Any) -> Any:
    return to_host(column) if is_on_device(column) else column


def _device_rows(
    estimator: Any, X: Any, y: Any, sample_weight: Any, pos_label: Any, reset: bool
) -> Rows:
    """Check rows on a device; labels and weights are copied to it."""
    X = _device_features(estimator, X, reset)
    s, encoding = _labels_beside(X, y, pos_label)
    reject_other_length(X.shape[0], s.shape[0], "`y`")
    if sample_weight is None:
        return Rows(X, s, None, encoding)
    weight = validate_weight(to_host(sample_weight), X.shape[0])
    assert weight is not None
    rows = Rows(X, s, on_device_of(X, weight), encoding)
    if np.all(weight > 0):
        return rows
    reject_one_class(to_host(s), weight)
    return rows.keep(weight > 0)


def _device_features(estimator: Any, X: Any, reset: bool) -> Any:
    xp = namespace_of(X)
    X = validate_data(
        estimator, X, reset=reset, dtype=[xp.float64, xp.float32], ensure_all_finite=False
    )
    reject_bad_cells(estimator, X)
    return X


def _labels_beside(X: Any, y: Any, pos_label: Any) -> tuple[Any, LabelEncoding]:
    """Labels s on the device of X; labels that are there already are not copied to memory."""
    if not is_on_device(y) or type(y) is not type(X) or y.device != X.device:
        s, encoding = encode_labels(_in_memory(y), pos_label)
        return on_device_of(X, s), encoding
    xp = namespace_of(y)
    column = xp.reshape(y, (-1,))
    # Two values are the smallest and the largest, unless there are others.
    ends = np.unique(to_host(xp.stack([xp.min(column), xp.max(column)])))
    positive = column == xp.max(column)
    if not bool(xp.all(positive | (column == xp.min(column)))):
        ends = np.unique(to_host(xp.unique_values(column)))
    _, encoding = encode_labels(ends, pos_label)
    if encoding.classes[1] != ends[-1]:
        positive = ~positive
    return as_type(positive, X.dtype), encoding


# Rows in chunks of Dask: read once to be validated, never gathered.

DIAGNOSED_ROWS = 20_000
"""On how many rows in chunks fits are diagnosed and methods compared, unless more are asked for."""

# A column with more distinct values than this does not hold labels.
_MOST_VALUES = 1000


def rows_as_given(
    X: Any,
    y: Any,
    sample_weight: Any = None,
    pos_label: Any = None,
    sampling: SamplingWord = ONE_SAMPLE,
    weights: WeightsWord = SAMPLING,
) -> Rows:
    """Return Dask rows in chunks with labels and weights checked, and blocks of X as they are.

    A block of X is a frame, an array or a CSR matrix, whatever its cells: for estimators that
    check their rows themselves. The chunks are read once.
    """
    how = Sampling.of(sampling)
    _reject_other_shapes(X)
    rows = _rows_of_chunks(None, X, y, sample_weight, pos_label)
    return replace(rows, sampling=how).weighted_as(weights)


def sample_chunks(
    X: Any,
    y: Any,
    max_rows: Any,
    random_state: Any,
    pos_label: Any = None,
    *,
    checked: Any = None,
    groups: Any = None,
    sample_weight: Any = None,
    weights: WeightsWord = SAMPLING,
) -> Sample | None:
    """Draw some of Dask rows, as they are: for checks and comparisons, which need them here.

    Returns None for other rows. Labeled rows are not drawn more often than others. Answers of
    `checked` rows, and `groups`, are rejected before anything is computed.
    """
    if not is_dask(X):
        return None
    check_positive("max_rows", max_rows, Integral, "a whole number of at least 1")
    reject_beside_rows(checked, groups)
    rows = rows_as_given(X, y, sample_weight, pos_label, weights=weights)
    return rows.sample(int(max_rows), random_state)


def _rows_of_chunks(
    estimator: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    pos_label: Any,
    reset: bool = False,
) -> Rows:
    """Read the labels, then the chunks once; X is checked and converted for an estimator."""
    dtype = None if estimator is None else float_type(estimator, X, reset)
    encoding = encoding_of(y, pos_label)
    of_every_row = isinstance(sample_weight, Number)
    columns = (y,) if sample_weight is None or of_every_row else (y, sample_weight)
    prepare = _Prepare(dtype, encoding, sample_weight if of_every_row else None)
    chunks = aligned_chunks(X, *columns).then(prepare)
    facts = chunks.each([_check_labels if dtype is None else _check_chunk] * len(chunks))
    reject_bad_chunks(estimator, [fact.bad for fact in facts if fact.bad is not None])
    n_rows = np.array([fact.n_rows for fact in facts], dtype=np.int64)
    labeled = np.array([fact.n_labeled for fact in facts], dtype=np.int64)
    reject_empty_class(int(labeled.sum()), int(n_rows.sum()))
    table = ChunkedTable(chunks, n_rows, labeled)
    weight = None if sample_weight is None else table.part(2, np.dtype(np.float64))
    own = np.dtype(np.float64) if dtype is None else dtype
    return Rows(table.part(0, own, X.shape[1]), table.part(1, own), weight, encoding)


def encoding_of(y: Any, pos_label: Any) -> LabelEncoding:
    """Find the two label values, reading nothing but the labels."""
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
    return encode_labels(values, pos_label)[1]


def _distinct(column: Any) -> np.ndarray:
    """Return the distinct labels of a chunk; the list is cut off if there are too many."""
    values = np.asarray(column).ravel()
    if values.dtype.kind in "fc" and not np.all(np.isfinite(values)):
        return values[~np.isfinite(values)][:1]
    if values.dtype.kind == "O":
        values = np.array(list(dict.fromkeys(values.tolist())), dtype=object)
        return values[:_MOST_VALUES]
    return np.unique(values)[:_MOST_VALUES]


def float_type(estimator: Any, X: Any, reset: bool) -> np.dtype[Any]:
    """Check names and number of the features of Dask rows; return the type to compute in."""
    _reject_other_shapes(X)
    if X.shape[1] == 0:
        raise ValueError(
            "Found array with 0 feature(s) while a minimum of 1 is required. `X` must have columns."
        )
    check_features(estimator, X, reset)
    types = {f" in column {name!r}": X.dtypes[name] for name in X.columns} if is_frame(X) else {}
    for where, dtype in (types or {"": X.dtype}).items():
        if getattr(dtype, "kind", "O") not in "biuf":
            raise ValueError(
                f"`X` must hold numbers; got {dtype}{where}. Encode or drop such columns first."
            )
    single = all(str(dtype).lower() == "float32" for dtype in types.values() or [X.dtype])
    return np.dtype(np.float32 if single else np.float64)


def check_features(estimator: Any, X: Any, reset: bool = False) -> None:
    """Compare the features of Dask rows, names and number, with those of the fit, or store them."""
    _reject_unreadable(X)
    validate_data(estimator, X._meta if is_frame(X) else X, reset=reset, skip_check_array=True)


def _reject_other_shapes(X: Any) -> None:
    """Raise if Dask rows are not a table."""
    if getattr(X, "ndim", 2) != 2:
        raise ValueError(
            f"Expected 2D array, got {X.ndim}D array instead. `X` must have rows and columns."
        )


@dataclass(frozen=True)
class _Prepare:
    """Converts a loaded chunk to (X, s, weight), without the rows of weight 0.

    X is converted to a matrix of a type, or stays as it is if that is None.
    """

    dtype: np.dtype[Any] | None
    encoding: LabelEncoding
    weight_of_every_row: float | None = None

    def __call__(self, parts: tuple[Any, ...]) -> tuple[Any, ...]:
        X = parts[0] if self.dtype is None else matrix_of(parts[0], self.dtype)
        s = labels_in(parts[1], self.encoding).astype(self.dtype or np.float64)
        weight = self._weight(parts)
        if weight is not None and np.any(weight == 0):
            kept = weight != 0
            X, s, weight = rows_at(X, kept), s[kept], weight[kept]
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
    """Whether each row of a loaded chunk is labeled; every row must have a label value."""
    values = np.asarray(column).ravel()
    labeled = values == encoding.classes[1]
    if not np.all(labeled | (values == encoding.classes[0])):
        # Frames are joined by their index, which can leave rows of X without a label.
        raise ValueError(
            "`y` must have one of its two values for each row of `X`; got rows without one. "
            "Take both from one frame, or give them the same index."
        )
    return np.asarray(labeled)


class _ChunkFacts(NamedTuple):
    n_rows: int
    n_labeled: int
    bad: BadCells | None


def _check_chunk(chunk: tuple[Any, ...]) -> _ChunkFacts:
    return _check_labels(chunk)._replace(bad=find_bad_cells(chunk[0]))


def _check_labels(chunk: tuple[Any, ...]) -> _ChunkFacts:
    _, s, weight = chunk
    if weight is not None:
        reject_bad_weight(weight)
    return _ChunkFacts(len(s), int(s.sum()), None)


# Rows that an estimator does not accept.


_LINEAR = "PULogistic, NaiveLogistic, EnhancedLogistic and JointLogistic"


def reject_chunks(
    X: Any,
    who: str,
    instead: str = (
        f"{_LINEAR} read chunks; or take a part of the rows that fits in memory, with X.compute()."
    ),
) -> None:
    """Raise if X is a Dask collection, which `who` cannot read chunk by chunk."""
    if is_dask(X):
        raise TypeError(f"`X` must be in memory for {who}; got rows in chunks of Dask. {instead}")


def reject_device(X: Any, who: str) -> None:
    """Raise if X is an array on a device, which `who` cannot read there."""
    if is_on_device(X):
        raise TypeError(
            f"`X` must be a NumPy array or a sparse matrix for {who}; got an array of "
            f"{type(X).__module__.partition('.')[0]}. {_LINEAR} leave it on its device; or "
            "convert it to NumPy."
        )


def reject_sparse(
    X: Any, who: str, instead: str = "Reduce it to a few dense columns first, as TruncatedSVD does."
) -> None:
    """Raise if X is sparse and `who` needs it dense; `instead` says what to do."""
    if is_sparse(X):
        raise TypeError(f"`X` must be dense for {who}; got a sparse matrix. {instead}")
