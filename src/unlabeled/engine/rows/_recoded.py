"""Labels that a meta-estimator of scikit-learn recoded to 0 and 1 before it called our `fit`.

Voting, stacking, bagging and one-versus-rest number the values in sorted order, and do not say so.
What the numbers meant can only be read where it was called.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...codes import callers
from ..arrays import is_dask
from ..parameters import listed
from ._encoding import LabelEncoding, encode_labels

# An attribute of a clone, until its fit.
_REMEMBERED = "_labels_at_clone"


def reject_recoded(estimator: Any, encoding: LabelEncoding, pos_label: Any) -> None:
    """Raise if 0 and 1 are text labels that were recoded so that 1 does not mark labeled rows."""
    remembered = vars(estimator).pop(_REMEMBERED, None) if estimator is not None else None
    if pos_label is not None or encoding.classes.dtype.kind not in "biuf":
        return
    if encoding.classes.tolist() != [0, 1]:
        return
    inside, found = _labels_around()
    values = found or (remembered if inside else None)
    if values is None:
        return
    try:
        place = values.index(encode_labels(np.array(values))[1].classes[1])
    except ValueError:
        place_of = "the value that marks labeled rows"
    else:
        if place == 1:
            return
        place_of = repr(values[0])
    raise ValueError(
        "`y` must be 1 for labeled rows and 0 for others where a meta-estimator recodes labels; "
        f"got {listed(values)}, which became 0 and 1 in this order. Pass 0 and 1 to the "
        f"meta-estimator, or set `pos_label` of {type(estimator).__name__} to the place of "
        f"{place_of}, 0 or 1."
    )


def remember_labels(clone: Any) -> Any:
    """Let a clone know the text labels where it was made: a worker process does not see them."""
    _, found = _labels_around()
    if found is not None:
        vars(clone)[_REMEMBERED] = found
    return clone


def _labels_around() -> tuple[bool, tuple[str, ...] | None]:
    """Say whether scikit-learn called us, and return the text labels that it got, in order.

    What we recoded ourselves is not of interest, so the walk ends at labels in our own code.
    """
    left_ours = False
    for frame, is_ours in callers():
        if is_ours and left_ours:
            break
        left_ours = left_ours or not is_ours
        # A worker of a bagging has the meta-estimator itself, cross_val_predict its encoder.
        known = [frame.f_locals.get(name) for name in ("y", "ensemble", "le")]
        for column in (known[0], *(getattr(one, "classes_", None) for one in known[1:])):
            values = _two_texts(column)
            if values is not None:
                return left_ours, values if left_ours else None
    return left_ours, None


def _two_texts(column: Any) -> tuple[str, ...] | None:
    if isinstance(column, list | tuple):
        may_be = bool(column) and isinstance(column[0], str)
    else:  # nothing is computed or copied from a device
        kind = getattr(getattr(column, "dtype", None), "kind", "")
        may_be = kind in ("O", "U", "T") and not is_dask(column)
    values = np.asarray(column) if may_be else np.empty(0)
    if values.ndim != 1:
        return None
    distinct = list(dict.fromkeys(values.tolist()))
    is_text = len(distinct) == 2 and all(isinstance(value, str) for value in distinct)
    return tuple(sorted(distinct)) if is_text else None
