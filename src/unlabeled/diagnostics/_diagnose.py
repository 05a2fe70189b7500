"""All checks, or some, on one classifier and its data."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from copy import deepcopy
from typing import Any

from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from ..engine.rows import encode_labels, positive_class_of, reject_chunks
from ._case import Case, Check, seen_by
from ._check_direction import direction
from ._check_fit import class_prior, fit, separation
from ._check_identifiability import identifiability
from ._check_label_quality import label_quality
from ._check_labels import duplicates, labels
from ._check_leakage import leakage
from ._check_scar import scar
from ._finding import Diagnosis

CHECKS: dict[str, Check] = {
    check.name: check
    for check in (
        fit,
        labels,
        separation,
        identifiability,
        direction,
        scar,
        leakage,
        label_quality,
        duplicates,
        class_prior,
    )
}
"""The checks by name, in the order of a diagnosis."""


def diagnose(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    checks: Iterable[str] | str | None = None,
    random_state: Any = None,
) -> Diagnosis:
    """Check whether a classifier and its data can be believed.

    Parameters
    ----------
    estimator : classifier or pipeline
        One of this library's classifiers, or a pipeline that ends in one. If it
        is not fitted, a copy is, and what the fit warns of is a finding. It is
        not changed.
    X : array-like, sparse matrix or frame
        The rows of the fit, with its columns. Checks see the features that reach the
        classifier at the end of a pipeline.
    y : array-like of shape (n_rows,)
        Their labels.
    checks : str or list of str, default=None
        Names of the checks to make, see `CHECKS`; None makes all.
    random_state : int, RandomState instance or None, default=None
        Draws folds and resamples, for the checks that need any.

    Returns
    -------
    diagnosis : Diagnosis
        Prints as text; a notebook shows a table.

    See Also
    --------
    unlabeled.diagnostics.scar_test : The test of labelling at random by itself.
    unlabeled.inference.bootstrap : How sure the numbers are.

    Notes
    -----
    A check that says "fine" found nothing; that is no proof. Several checks are
    tests at the level of 5 % or 2.5 %, each by itself: of ten honest samples some get a note.

    Examples
    --------
    >>> from unlabeled import EnhancedLogistic
    >>> from unlabeled.datasets import make_paper_gaussian
    >>> from unlabeled.diagnostics import diagnose
    >>> data = make_paper_gaussian(n=5000, c=0.6, random_state=0)
    >>> print(diagnose(EnhancedLogistic(), data.X, data.s, checks=["labels", "separation"]))
    labels      PU114  fine  644 of 5000 rows are labelled, for 4 parameters.
    separation  PU103  fine  Labelled and unlabelled rows overlap.
    """
    chosen = _chosen(checks)
    reject_chunks(X, "diagnose")
    fitted, caught = _fitted(estimator, X, y)
    if fit not in chosen:
        for one in caught or ():
            warnings.warn(one, stacklevel=2)
    s, _ = encode_labels(y, positive_class_of(fitted))
    check_consistent_length(X, s)
    case = Case(seen_by(fitted, X), X, s, caught, random_state)
    return Diagnosis(tuple(check(case) for check in chosen))


def _chosen(checks: Iterable[str] | str | None) -> list[Check]:
    names = [checks] if isinstance(checks, str) else list(CHECKS if checks is None else checks)
    for name in names:
        if name not in CHECKS:
            raise ValueError(
                f"`checks` must be None or names of checks, {', '.join(map(repr, CHECKS))}; "
                f"got {name!r}."
            )
    if not names:
        raise ValueError("`checks` must name at least one check; got none. Leave it out for all.")
    return [check for name, check in CHECKS.items() if name in names]


def _fitted(estimator: Any, X: Any, y: Any) -> tuple[Any, tuple[Warning, ...] | None]:
    """Return the estimator, or a fitted copy of it with what the fit warned of."""
    try:
        check_is_fitted(estimator)
    except NotFittedError:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            fitted = deepcopy(estimator).fit(X, y)
        return fitted, tuple(_as_warning(one.message) for one in caught)
    return estimator, None


def _as_warning(message: Warning | str) -> Warning:
    return message if isinstance(message, Warning) else UserWarning(message)
