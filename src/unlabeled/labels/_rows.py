"""The border: what a user passes to `fit` and `predict` becomes checked arrays, once."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Number
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_array, check_consistent_length, validate_data

from ._encoding import LabelEncoding, encode_labels

_FLOATS = (np.float64, np.float32)


@dataclass(frozen=True)
class LabelledRows:
    """Checked training rows.

    Attributes
    ----------
    X : ndarray or CSR matrix of shape (n_rows, n_features)
    s : ndarray of shape (n_rows,)
        1.0 for labelled rows, 0.0 for the others.
    weight : ndarray of shape (n_rows,) or None
        Positive weights; rows of weight zero have left.
    encoding : LabelEncoding
    kept : ndarray of bool or None
        Which of the rows passed to `fit` are here; None if all.
    are_copies : bool
        Whether a row of weight 2 is one row that was drawn twice, so that both are left out
        where it is; otherwise it stands for two rows.
    """

    X: Any
    s: np.ndarray
    weight: np.ndarray | None
    encoding: LabelEncoding
    kept: np.ndarray | None = None
    are_copies: bool = False

    @property
    def total_weight(self) -> float:
        """Number of rows, or the sum of their weights."""
        return float(len(self.s) if self.weight is None else self.weight.sum())

    @property
    def labelled_share(self) -> float:
        """Weighted share of labelled rows, the estimate of P(S=1)."""
        return float(np.average(self.s, weights=self.weight))

    @property
    def n_labelled(self) -> int:
        """How many rows are labelled."""
        return int(self.s.sum())

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
) -> LabelledRows:
    """Check what was passed to `estimator.fit` and turn labels into s.

    Feature names and the number of features are recorded on `estimator`. Sparse rows become CSR
    without repeated entries.
    """
    if y is None:
        raise ValueError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is None. "
            "Pass the label column."
        )
    X = with_distinct_entries(_validate_features(estimator, X, reset=True))
    s, encoding = encode_labels(y, positive_label)
    check_consistent_length(X, s)
    weight = validate_weight(sample_weight, len(s))
    kept = None
    if weight is not None and not np.all(weight > 0):
        kept = weight > 0
        refuse_one_class(s, weight)
        X, s, weight = X[kept], s[kept], weight[kept]
    return LabelledRows(X, s, weight, encoding, kept)


def refuse_one_class(s: np.ndarray, weight: np.ndarray) -> None:
    """Raise where only labelled, or only unlabelled, rows have a weight above 0."""
    if not 0 < s[weight > 0].sum() < np.sum(weight > 0):
        raise ValueError(
            "`sample_weight` must be positive for some row of each class, labelled and "
            "unlabelled; got only zeros for one class. Check the weights."
        )


def validate_new_rows(estimator: Any, X: Any) -> Any:
    """Check rows to predict against the names and number of features seen in fit."""
    return _validate_features(estimator, X, reset=False)


def refuse_sparse(
    X: Any, who: str, instead: str = "Make a few columns of it first, as TruncatedSVD does."
) -> None:
    """Raise where X is sparse and would have to be made dense for `who`; say what to use."""
    if sparse.issparse(X):
        raise TypeError(f"`X` must be dense for {who}; got a sparse matrix. {instead}")


def with_distinct_entries(X: Any) -> Any:
    """Return CSR rows whose column numbers are in order, each once; a copy only if they are not.

    Sums of squares and extremes are taken over stored entries, of which repeated ones are parts.
    """
    is_sparse = bool(sparse.issparse(X))
    if not is_sparse or X.has_canonical_format:
        return X
    X = X.copy()
    X.sum_duplicates()
    return X


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
    # One pass without a mask: a sum is finite unless some value is not, or it overflows.
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(values.sum(dtype=np.float64)):
            return
    bad = ~np.isfinite(values)
    if not bad.any():
        return
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


def validate_weight(sample_weight: Any, n_rows: int) -> np.ndarray | None:
    """Check row weights; None stays None."""
    if sample_weight is None:
        return None
    if isinstance(sample_weight, Number):
        sample_weight = np.full(n_rows, sample_weight)
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
    if not np.all(np.isfinite(weight)) or np.any(weight < 0):
        raise ValueError(
            "`sample_weight` must hold finite numbers of at least 0; got NaN, inf or negative "
            "values. Give rows to leave out the weight 0."
        )
    return weight


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
