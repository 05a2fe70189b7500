"""The border: what a user passes to `fit` and `predict` becomes checked arrays, once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..blocks import is_dask
from ._chunked_rows import chunked_data
from ._device_rows import device_data, device_features, is_on_device
from ._labelled_rows import LabelledRows
from ._memory_rows import memory_data, memory_features
from ._refuse import refuse_chunks, refuse_device
from ._weight import has_copies


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
        refuse_device(X, type(estimator).__name__)
    read = chunked_data if is_dask(X) else device_data if is_on_device(X) else memory_data
    rows = read(estimator, X, y, sample_weight, positive_label, reset)
    return replace(rows, are_copies=has_copies(estimator))


def validate_new_rows(estimator: Any, X: Any) -> Any:
    """Check rows to predict against the names and number of features seen in fit.

    An array on a device stays there; rows in chunks are not for this.
    """
    refuse_chunks(X, f"this method of {type(estimator).__name__}")
    if is_on_device(X):
        return device_features(estimator, X, reset=False)
    return memory_features(estimator, X, reset=False)
