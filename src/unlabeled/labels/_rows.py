"""The border: what a user passes to `fit` and `predict` becomes checked arrays, once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_consistent_length, validate_data

from ..blocks import is_chunked, namespace_of, to_host, weighted_mean, with_distinct_entries
from ..blocks._dask import is_dask
from ._chunked_rows import chunked_data
from ._device_rows import device_data, device_features, is_on_device
from ._encoding import LabelEncoding, encode_labels
from ._finite import refuse_large_squares, squares_are_finite
from ._weight import refuse_one_class, validate_weight

_FLOATS = (np.float64, np.float32)


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
        refuse_chunks(X, type(estimator).__name__)
        _refuse_device(X, type(estimator).__name__)
    if is_dask(X):
        return LabelledRows(*chunked_data(estimator, X, y, sample_weight, positive_label, reset))
    if is_on_device(X):
        return LabelledRows(*device_data(estimator, X, y, sample_weight, positive_label, reset))
    X = with_distinct_entries(_validate_features(estimator, X, reset))
    y, sample_weight = (to_host(c) if is_on_device(c) else c for c in (y, sample_weight))
    s, encoding = encode_labels(y, positive_label)
    check_consistent_length(X, s)
    weight = validate_weight(sample_weight, len(s))
    kept = None
    if weight is not None and not np.all(weight > 0):
        kept = weight > 0
        refuse_one_class(s, weight)
        X, s, weight = X[kept], s[kept], weight[kept]
    return LabelledRows(X, s, weight, encoding, kept)


def refuse_chunks(X: Any, who: str) -> None:
    """Raise where rows lie in chunks and would have to be loaded for `who`; say what to use."""
    if is_dask(X):
        raise TypeError(
            f"`X` must be in memory for {who}; got rows in chunks of Dask. "
            "NaiveLogistic, EnhancedLogistic and JointLogistic read chunks; or take a part of "
            "the rows that fits in memory, with X.compute()."
        )


def _refuse_device(X: Any, who: str) -> None:
    if is_on_device(X):
        raise TypeError(
            f"`X` must be a NumPy array or a sparse matrix for {who}; got an array of "
            f"{type(X).__module__.partition('.')[0]}. NaiveLogistic, EnhancedLogistic and "
            "JointLogistic leave it on its device; or convert it to NumPy."
        )


def validate_new_rows(estimator: Any, X: Any) -> Any:
    """Check rows to predict against the names and number of features seen in fit.

    An array on a device stays there; rows in chunks are not for this.
    """
    refuse_chunks(X, f"this method of {type(estimator).__name__}")
    if is_on_device(X):
        return device_features(estimator, X, reset=False)
    return _validate_features(estimator, X, reset=False)


def refuse_sparse(
    X: Any, who: str, instead: str = "Make a few columns of it first, as TruncatedSVD does."
) -> None:
    """Raise where X is sparse and would have to be made dense for `who`; say what to use."""
    if sparse.issparse(X):
        raise TypeError(f"`X` must be dense for {who}; got a sparse matrix. {instead}")


def _validate_features(estimator: Any, X: Any, reset: bool) -> Any:
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
        column = _first_bad_column(X)
        if column is None and "could not convert string" not in str(error):
            raise
        where = "" if column is None else f" in column {column!r}"
        raise ValueError(
            f"`X` must hold numbers; got something else{where} ({error}). Encode or drop such "
            "columns first, for instance text with OneHotEncoder."
        ) from None
    _refuse_missing(estimator, checked)
    return checked


def _first_bad_column(X: Any) -> Any:
    """Name of the first column of a frame that is not numbers, or None."""
    for name in getattr(X, "columns", ()):
        values = np.asarray(X[name])
        try:
            if values.dtype.kind in "Mm":
                return name
            values.astype(np.float64)
        except (ValueError, TypeError):
            return name
    return None


def _refuse_missing(estimator: Any, X: Any) -> None:
    is_sparse = bool(sparse.issparse(X))
    values = X.data if is_sparse else X
    if squares_are_finite(values):
        return
    bad = ~np.isfinite(values)
    if not bad.any():
        refuse_large_squares()
    kinds = " and ".join(
        word
        for word, found in (("NaN", np.isnan(values)), ("inf", np.isinf(values)))
        if found.any()
    )
    where = "" if is_sparse else _place(estimator, np.argwhere(bad)[0])
    raise ValueError(
        f"`X` must hold finite numbers; got {kinds} in {int(bad.sum())} cells{where}. "
        "Fill or drop missing values first, for instance with SimpleImputer."
    )


def _place(estimator: Any, cell: np.ndarray) -> str:
    names = getattr(estimator, "feature_names_in_", None)
    column = str(cell[1]) if names is None else repr(str(names[cell[1]]))
    return f", the first in row {cell[0]}, column {column}"


def names_or_numbers(names: Any, n_features: int) -> tuple[str, ...]:
    """Return the names of features as text; x0, x1, ... where they have none."""
    if names is None:
        names = [f"x{j}" for j in range(n_features)]
    return tuple(str(name) for name in names)


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
