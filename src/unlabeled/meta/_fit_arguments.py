"""The arguments of a meta-estimator's `fit`: validated rows, and the arguments passed on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import indexable
from sklearn.utils.metadata_routing import _routing_enabled, process_routing
from sklearn.utils.metaestimators import _safe_split
from sklearn.utils.validation import _check_method_params

from ..engine.estimators import groups_argument, labels_for, weight_argument
from ..engine.rows import (
    CopyCounts,
    LabelEncoding,
    Negatives,
    Rows,
    encode_labels,
    reject_one_class,
    reject_recoded,
    validate_checked,
    validate_groups,
    validate_negatives,
    validate_weight,
)
from ..engine.sampling import Sampling


class FitArguments(NamedTuple):
    """The rows of positive weight, and the arguments passed on to the estimator and the splitter.

    Attributes
    ----------
    rows : Rows
        The rows; X has any form that the estimator accepts.
    labels : LabelEncoding
        The label values that the estimator sees: the user's, or 0 and 1 if it takes no others.
    fit : dict
        Arguments of the estimator's `fit`.
    split : dict
        Arguments of the splitter's `split`, except groups.
    """

    rows: Rows
    labels: LabelEncoding
    fit: dict[str, Any]
    split: dict[str, Any]

    @property
    def y(self) -> np.ndarray:
        """The label of each row, as the estimator sees it."""
        return np.asarray(self.labels.decode(self.rows.s == 1))

    @property
    def values(self) -> np.ndarray:
        """The two label values that the estimator sees, sorted."""
        return np.sort(self.labels.classes)

    @property
    def positive(self) -> Any:
        """The value among them that marks labeled rows."""
        return self.labels.classes[1]


def fit_arguments(
    owner: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    groups: Any,
    params: dict[str, Any],
    is_prefit: bool = False,
    checked: Any = None,
    negatives: Any = None,
) -> FitArguments:
    """Validate rows and what is known of each; route the other arguments.

    Rows of weight 0 are dropped, and those that were recorded as negative are left out.

    An estimator that is used as it is has seen the user's label values.

    Without scikit-learn's metadata routing, weights and groups go to the estimator, groups only
    if it takes them. Groups are part of the rows, so `label_folds` gives them to the splitter.
    The estimator gets the weights that the rows have: with mean 1, unless they count copies.
    """
    s, encoding = encode_labels(y, owner.pos_label)
    reject_recoded(owner, encoding, owner.pos_label)
    X, s = indexable(X, s)
    weight = validate_weight(sample_weight, len(s))
    number = validate_groups(groups, len(s), X=X)
    are_copies = isinstance(sample_weight, CopyCounts)
    passed_on = weight if weight is None or not are_copies else CopyCounts.of(weight)
    answers = validate_checked(checked, s)
    if checked is not None and _routing_enabled():
        params = {"checked": checked, **params}
    fit, split = _route(owner, passed_on, number, params)
    sampling = Sampling.of(owner.sampling)
    rows = Rows(X, s, weight, encoding, groups=number, sampling=sampling, are_copies=are_copies)
    rows = replace(rows, checked=answers)
    kept = np.ones(len(s), dtype=bool)
    if weight is not None:
        reject_one_class(s, weight)
        kept = weight > 0
    marks = validate_negatives(
        negatives,
        s[kept],
        kept=kept,
        checked=None if answers is None else answers[kept],
        is_two=sampling.is_two,
    )
    if marks is not None or not kept.all():
        rows, fit, split = _without(owner.estimator, rows, kept, marks, fit, split)
    if weight is not None and not are_copies:
        rows = rows.weighted_as(owner.weights)
        fit = _with_weights(fit, rows.weight)
    labels = encoding if is_prefit else labels_for(owner.estimator, encoding)
    return FitArguments(rows, labels, fit, split)


def _with_weights(fit: dict[str, Any], weight: np.ndarray | None) -> dict[str, Any]:
    """Replace the weights that a fit is passed; without weights, leave them out."""
    is_weight = {name for name in fit if name.rpartition("__")[2] == "sample_weight"}
    others = {name: value for name, value in fit.items() if name not in is_weight}
    return others if weight is None else others | dict.fromkeys(is_weight, weight)


def _route(
    owner: Any, weight: np.ndarray | None, groups: np.ndarray | None, params: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    if not _routing_enabled():
        of_estimator = {} if owner._is_prefit else weight_argument(owner.estimator, weight)
        return params | of_estimator | groups_argument(owner.estimator, groups), {}
    if weight is not None:
        params = {"sample_weight": weight, **params}
    if groups is not None:
        params = {"groups": groups, **params}
    routed = process_routing(owner, "fit", **params)
    split = {name: value for name, value in routed.splitter.split.items() if name != "groups"}
    return dict(routed.estimator.fit), split


def _without(
    estimator: Any,
    rows: Rows,
    kept: np.ndarray,
    negative: np.ndarray | None,
    *passed_on: dict[str, Any],
) -> tuple[Rows, dict[str, Any], dict[str, Any]]:
    """Leave out rows, and what they bring along; remember those that are negative."""
    fitted = kept if negative is None else kept & ~negative
    row_index = np.flatnonzero(fitted)
    fit, split = (_check_method_params(rows.X, params, row_index) for params in passed_on)
    X, _ = _safe_split(estimator, rows.X, rows.s, row_index, row_index)  # of a kernel, columns too
    rest = replace(rows.keep(fitted), X=X)
    if negative is None:
        return rest, fit, split
    marks = kept & negative
    left_out = np.flatnonzero(marks)
    of_negatives, _ = _safe_split(estimator, rows.X, rows.s, left_out, row_index)
    weight = None if rows.weight is None else rows.weight[left_out]
    return replace(rest, negatives=Negatives(of_negatives, weight, marks)), fit, split
