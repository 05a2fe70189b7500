"""A fitted classifier whose score follows the answers of an audit; nothing is fitted again to X."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..classifier import DecidedClassifier
from ..engine.estimators import fitted_model, rows_of_last_step
from ..engine.rows import ChosenBeforehand

if TYPE_CHECKING:
    from ._audit import Audit

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, eq=False)
class Refit:
    """A classifier that follows the answers of an audit, and what that gained.

    Attributes
    ----------
    model : classifier
        The one that follows them; the one that was audited if they gained nothing.
    gain : float
        By how much the mean log-likelihood of an answer exceeds that by labels alone. Each answer
        is predicted from all others.
    gain_error : float
        Its standard error.
    n_answers : int
        Number of answers about unlabeled rows.
    """

    model: Any
    gain: float
    gain_error: float
    n_answers: int

    @property
    def is_better(self) -> bool:
        """Whether the model follows the answers."""
        return self.gain > 0

    def __str__(self) -> str:
        per = f"{self.gain:.3f} (standard error {self.gain_error:.3f}) per answer"
        if self.is_better:
            return f"The model follows {self.n_answers} answers. They gain {per} on those left out."
        return (
            f"The model stays: {self.n_answers} answers gain nothing on those left out, {per}. "
            "Labels alone predict them as well."
        )


def refit(
    estimator: Any,
    X: Any,
    y: Any,
    audits: Sequence[Audit],
    answers: Sequence[Array],
    sample_weight: Any,
    groups: Any,
) -> Refit:
    """Let the score of a fitted classifier follow answers; see `AuditResult.refit`."""
    inner = fitted_model(estimator)
    is_decided = isinstance(inner, DecidedClassifier) and inner.can_follow_answers
    if not is_decided:
        raise ValueError(
            "`estimator` must be a PUEnsemble or a PUThresholdClassifier with held-out scores, "
            f"fitted to labels alone; got {type(inner).__name__}. Fit one of these, or pass all "
            "answers to fit(..., checked=...)."
        )
    rows = rows_of_last_step(estimator, X)
    labeled = np.asarray(y) == inner.positive_class_
    checked = np.full(len(labeled), np.nan)
    for audit, given in zip(audits, answers, strict=True):
        there = ~np.isnan(given)
        checked[audit.rows[there]] = given[there]
    checked[labeled] = np.nan  # labels are taken as right
    model, answered = inner.following(
        rows, y, checked.view(ChosenBeforehand), sample_weight, groups=groups
    )
    n_answers = answered.n_positive + answered.n_negative
    found = _within(estimator, inner, model) if answered.gain > 0 else estimator
    return Refit(found, answered.gain, answered.gain_error, n_answers)


def _within(estimator: Any, inner: Any, model: Any) -> Any:
    """Return a copy of a pipeline or search with another classifier inside."""
    if estimator is inner:
        return model
    made = copy(estimator)
    if getattr(estimator, "steps", None):
        (*before, (name, last)) = estimator.steps
        made.steps = [*before, (name, _within(last, inner, model))]
    else:
        made.best_estimator_ = _within(estimator.best_estimator_, inner, model)
    return made
