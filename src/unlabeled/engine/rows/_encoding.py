"""From the two values of a label column to s in {0, 1}, and back.

A labeled row, s = 1, is known to be positive. An unlabeled row, s = 0, may be positive or
negative: its class y is hidden, and only simulated data and tests know it.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Number
from typing import Any

import numpy as np
from sklearn.exceptions import DataConversionWarning
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import type_of_target

from ...codes import warn_caller
from ..arrays import namespace_of, to_host
from ..label_words import as_word, labeled_word
from ..parameters import listed


@dataclass(frozen=True)
class LabelEncoding:
    """The two label values; the last one marks labeled rows.

    Attributes
    ----------
    classes : ndarray of shape (2,)
        ``classes[0]`` marks unlabeled rows, ``classes[1]`` labeled ones.
        A row predicted positive gets ``classes[1]``.
    """

    classes: np.ndarray

    def decode(self, positive: Any) -> Any:
        """Turn booleans (predicted positive or not) into label values.

        Booleans on a device give values on that device, if the values are numbers.
        """
        xp = namespace_of(positive)
        if xp is np or self.classes.dtype.kind not in "biuf":
            return self.classes[np.asarray(to_host(positive), dtype=np.intp)]
        values = xp.asarray(self.classes, device=positive.device)
        return xp.take(values, xp.astype(positive, xp.int64))


def encode_labels(y: Any, pos_label: Any = None) -> tuple[np.ndarray, LabelEncoding]:
    """Turn a label column with two values into s in {0, 1}.

    Parameters
    ----------
    y : array-like of shape (n,)
        Two distinct values of any sortable type.
    pos_label : optional
        The value that marks labeled rows. By default the larger of two numbers,
        and of two texts the one that `labeled_word` knows. Other texts are
        rejected: their order says nothing ("labeled" < "unlabeled").

    Returns
    -------
    s : ndarray of shape (n,), float64
        1.0 for labeled rows, 0.0 for the others.
    encoding : LabelEncoding
    """
    column = _label_column(y)
    values = distinct(column)
    if len(values) == 0:
        raise ValueError(
            "`y` must have two classes, labeled and unlabeled rows; got no rows at all. Check "
            "what removed them."
        )
    if len(values) < 2:
        raise ValueError(
            "`y` must have two classes, labeled and unlabeled rows; got only one class, "
            f"{_listing(values)}. Check that the label column marks the labeled rows."
        )
    if len(values) > 2:
        raise ValueError(
            "Only binary classification is supported. The type of the target is "
            f"{type_of_target(column)}. `y` must have two distinct values; got {len(values)}: "
            f"{_listing(values)}. {_how_to_merge(values)}"
        )
    encoding = LabelEncoding(_labeled_last(values, pos_label))
    return (column == encoding.classes[1]).astype(np.float64), encoding


def _how_to_merge(values: np.ndarray) -> str:
    if values.tolist() == [-1, 0, 1]:
        return (
            "If -1 marks rows that were found negative, unlabeled.datasets.split_labels makes two "
            "columns of it. If -1 or 0 means nothing but unlabeled, pass y == 1."
        )
    return (
        "Merge them into labeled and unlabeled; if one value marks rows that were found negative, "
        "unlabeled.datasets.split_labels makes two columns of them."
    )


def encode_predictions(y_pred: Any, encoding: LabelEncoding) -> np.ndarray:
    """Turn predicted label values into booleans; reject values that `encoding` lacks."""
    column = _label_column(y_pred, name="y_pred")
    positive = column == encoding.classes[1]
    if not np.all(positive | (column == encoding.classes[0])):
        raise ValueError(
            f"`y_pred` must hold the values of `y`, {_listing(encoding.classes)}; "
            f"got {_listing(distinct(column))}."
        )
    return np.asarray(positive, dtype=bool)


def _label_column(y: Any, name: str = "y") -> np.ndarray:
    shape = np.asarray(y).shape
    if len(shape) != 1 and shape[1:] != (1,):
        raise ValueError(
            f"`{name}` must have one label for each row ({name} should be a 1d array, got an "
            f"array of shape {shape} instead). Pass one column."
        )
    column = column_or_1d(y)
    if len(shape) == 2:
        # Same message as in scikit-learn.
        text = "A column-vector y was passed when a 1d array was expected."
        warn_caller(DataConversionWarning(f"{text} Please change the shape of `{name}`."))
    if column.dtype.kind in "fc" and not np.all(np.isfinite(column)):
        raise ValueError(
            f"`{name}` must have no missing or infinite values; got NaN or inf. "
            "Give unlabeled rows a separate value, such as 0."
        )
    if column.dtype.kind == "O" and any(is_missing(value) for value in column):
        raise ValueError(
            f"`{name}` must have no missing values; got None or NaN. "
            "Give unlabeled rows a separate value, such as 0."
        )
    if column.dtype.kind == "f" and np.any(column != np.trunc(column)):
        # The first sentence is scikit-learn's message for a regression target.
        raise ValueError(
            f"Unknown label type: continuous. `{name}` must hold labels, two distinct values; "
            "got fractional numbers. Pass the label column, not a score or a probability."
        )
    return column


def is_missing(value: Any) -> bool:
    """Whether a value is None, NaN or pandas' NA: not equal to itself, or not comparable."""
    if value is None:
        return True
    try:
        return bool(value != value)
    except TypeError:
        return True


def distinct(column: np.ndarray) -> np.ndarray:
    """Return the values of a label column, in order."""
    if column.dtype.kind in "biuf" and len(column):
        ends = np.array([column.min(), column.max()], dtype=column.dtype)
        if np.all((column == ends[0]) | (column == ends[1])):  # the usual case, without a sort
            return ends if ends[0] != ends[1] else ends[:1]
    try:
        return np.unique(column)
    except TypeError:
        kinds = sorted({type(value).__name__ for value in column})
        raise ValueError(
            f"`y` must hold values of one type; got {', '.join(kinds)}. "
            "Convert the label column to one type first."
        ) from None


def _labeled_last(values: np.ndarray, pos_label: Any) -> np.ndarray:
    if pos_label is None:
        return values if _are_numbers(values) else _known_word_last(values)
    # A list would be compared cell by cell.
    is_value = np.ndim(pos_label) == 0
    matches = np.flatnonzero(values == pos_label) if is_value else np.empty(0, dtype=np.intp)
    if len(matches) != 1:
        raise ValueError(
            f"`pos_label` must be one of the values of `y`, {_listing(values)}; "
            f"got {pos_label!r}.{_perhaps_recoded(values, pos_label)}"
        )
    return values if matches[0] == 1 else values[::-1].copy()


def _are_numbers(values: np.ndarray) -> bool:
    return all(isinstance(value, (Number, np.bool_)) for value in values.tolist())


def _known_word_last(values: np.ndarray) -> np.ndarray:
    """Put the value that marks labeled rows last; raise if the words do not say which it is."""
    words = [as_word(value) if isinstance(value, str) else None for value in values.tolist()]
    labeled = None if None in words else labeled_word(word for word in words if word is not None)
    if labeled is None:
        raise ValueError(
            f"`pos_label` must be the value that marks labeled rows, because the values of `y`, "
            f"{_listing(values)}, do not say which one does; got None. Set `pos_label` to "
            f"{' or '.join(repr(value) for value in values.tolist())}."
        )
    return values if words[1] == labeled else values[::-1].copy()


def _perhaps_recoded(values: np.ndarray, pos_label: Any) -> str:
    if not isinstance(pos_label, str) or values.tolist() != [0, 1]:
        return ""
    return (
        " A meta-estimator such as BaggingClassifier or VotingClassifier may have recoded `y` to 0 "
        "and 1, in the order of its values; pass 0 or 1 there."
    )


def _listing(values: np.ndarray) -> str:
    return listed(values.tolist(), most=5)
