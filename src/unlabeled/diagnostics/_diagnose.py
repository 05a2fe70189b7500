"""The list of checks, and `diagnose`, which runs them on one classifier and its data.

Their words stand in `codes.CHECKS`, in the order of a diagnosis; what a code means, how it comes
about and what to do stands in the docstring of the check's own file.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from copy import deepcopy
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from .. import codes
from ..engine.estimators import (
    checked_argument,
    fitted_model,
    groups_argument,
    positive_class_of,
    reject_other_groups,
    reject_other_labels,
    reject_weighted_fit,
    weight_argument,
)
from ..engine.rows import (
    DIAGNOSED_ROWS,
    SAMPLING,
    RowWeights,
    encode_labels,
    sample_chunks,
    validate_groups,
    validate_weight,
)
from ..engine.sampling import Sampling
from ._case import Case, CheckResult, NotApplicable, inner_model
from ._finding import Diagnosis, Finding


@dataclass(frozen=True)
class Check:
    """A check with its name and code; call it with a case to get a finding.

    Attributes
    ----------
    name : str
        The name users ask for.
    code : str
        Key of `codes.CODES`.
    function : callable
        Maps a `Case` to a `CheckResult`. It may raise `NotApplicable` with a reason.
    """

    name: str
    code: str
    function: Callable[[Case], CheckResult]

    def __call__(self, case: Case) -> Finding:
        """Run the check."""
        try:
            result = self.function(case)
        except NotApplicable as reason:
            sentence = f"{reason}."
            result = CheckResult("not applicable", sentence[0].upper() + sentence[1:])
        code = result.code or self.code
        return Finding(self.name, code, result.state, result.message, result.facts)


def _function_of(name: str) -> Callable[[Case], CheckResult]:
    """Return the check of this name: `check_<name>` in `_check_<name>.py`."""
    slug = f"check_{name.replace(' ', '_')}"
    function: Callable[[Case], CheckResult] = getattr(import_module(f"._{slug}", __package__), slug)
    return function


CHECKS: dict[str, Check] = {
    name: Check(name, asked.code, _function_of(name)) for name, asked in codes.CHECKS.items()
}
"""The checks by name, in the order of a diagnosis."""


def diagnose(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    checks: Iterable[str] | str | None = None,
    random_state: Any = None,
    checked: Any = None,
    groups: Any = None,
    max_rows: int = DIAGNOSED_ROWS,
    sample_weight: Any = None,
) -> Diagnosis:
    """Look for evidence that a fit cannot be trusted.

    Parameters
    ----------
    estimator : classifier, pipeline or search
        One of this library's classifiers, a pipeline that ends in one, or a search over
        either. It is not changed: if it is not fitted, a copy is fitted, and the warnings of
        that fit are a finding.
    X : array-like, sparse matrix or frame
        The training rows, with the columns of the fit. Checks look at the features that
        reach the classifier at the end of a pipeline. Of rows in chunks of Dask a random part is
        checked, see `max_rows`; a classifier that is not fitted is fitted to it.
    y : array-like of shape (n_rows,)
        Their labels.
    checks : str or list of str, default=None
        Names of the checks to run, see `CHECKS`; None runs all.
    random_state : int, RandomState instance or None, default=None
        Controls the folds and resamples of checks that need them, and which rows in chunks are
        checked; pass an int for reproducible output.
    checked : array-like of shape (n_rows,), optional
        Answers of checked rows, for the fit of a classifier that is not fitted. The checks look
        at the labels alone.
    groups : array-like of shape (n_rows,) or "copies", optional
        Which rows belong together, such as those of one person. The fit of a classifier that is
        not fitted gets them if it takes them. Scores of checks leave out whole groups. Tests
        that take rows as independent are not applicable.
    max_rows : int, default=20000
        The most rows in chunks to check, with the labeled share of all; `Diagnosis.note` then says
        so. Row numbers in `Finding.facts` are those of all rows. Rows in memory are all checked.
    sample_weight : array-like of shape (n_rows,), optional
        Row weights, as in `fit`. The fit of a classifier that is not fitted gets them, and so do
        the scores and counts of checks. Tests that take all rows as equally sure are not
        applicable. Without weights, a classifier that is known to be fitted with some is rejected.

    Returns
    -------
    diagnosis : Diagnosis
        Prints as text; a notebook shows it as a table.

    See Also
    --------
    unlabeled.diagnostics.scar_test : The test behind the check "scar".
    unlabeled.inference.bootstrap : Intervals of the results.

    Notes
    -----
    "fine" means that a check found nothing, not that all is well. Several checks are tests,
    each at a level of 5 % or 2.5 %, so false alarms occur.

    Examples
    --------
    >>> from unlabeled import EnhancedLogistic
    >>> from unlabeled.datasets import make_paper_gaussian
    >>> from unlabeled.diagnostics import diagnose
    >>> data = make_paper_gaussian(n=5000, label_frequency=0.6, random_state=0)
    >>> print(diagnose(EnhancedLogistic(), data.X, data.s, checks=["labels", "separation"]))
    labels        fine  644 of 5000 rows are labeled, for 4 parameters.
    separation    fine  Labeled and unlabeled rows overlap.
    """
    chosen = _chosen(checks)
    positive = positive_class_of(estimator)
    if positive is None:
        positive = getattr(fitted_model(estimator), "pos_label", None)
    word = getattr(fitted_model(estimator), "weights", SAMPLING)
    asked = {"checked": checked, "groups": groups, "sample_weight": sample_weight, "weights": word}
    sample = sample_chunks(X, y, max_rows, random_state, positive, **asked)
    if sample is not None:
        X, y, weight = sample.rows.X, sample.rows.labels, sample.rows.weight
        more = {"random_state": random_state, "sample_weight": weight}
        diagnosis = diagnose(estimator, X, y, checks=checks, **more)
        findings = tuple(_in_table(finding, sample.row_index) for finding in diagnosis)
        return Diagnosis(findings, sample.note)
    number = validate_groups(groups, len(y), X=X)
    fitted, caught = _fitted(estimator, X, y, checked, number, sample_weight)
    if CHECKS["fit"] not in chosen:
        for one in caught or ():
            warnings.warn(one, stacklevel=2)
    if sample_weight is None:
        reject_weighted_fit(fitted, "diagnose")
    if groups is None:
        reject_other_groups(fitted, None)
    reject_other_labels(fitted, y)
    s, _ = encode_labels(y, positive_class_of(fitted))
    check_consistent_length(X, s)
    weight = validate_weight(sample_weight, len(s))
    read = RowWeights.of(weight, s, word, Sampling.of_model(fitted_model(fitted)), warns=False)
    case = Case(inner_model(fitted, X), X, s, caught, random_state, number, read)
    return Diagnosis(tuple(check(case) for check in chosen))


def _in_table(finding: Finding, row_index: np.ndarray) -> Finding:
    """Return a finding with the numbers that rows of a part have in the whole table."""
    rows = finding.facts.get("rows")
    if not isinstance(rows, list):
        return finding
    return replace(
        finding, facts=finding.facts | {"rows": row_index[np.array(rows, dtype=int)].tolist()}
    )


def _chosen(checks: Iterable[str] | str | None) -> list[Check]:
    names = [checks] if isinstance(checks, str) else list(CHECKS if checks is None else checks)
    for name in names:
        if name not in CHECKS:
            raise ValueError(
                f"`checks` must be None or names of checks, {', '.join(map(repr, CHECKS))}; "
                f"got {name!r}."
            )
    if not names:
        raise ValueError(
            "`checks` must name at least one check; got none. To run all, leave it out."
        )
    return [check for name, check in CHECKS.items() if name in names]


def _fitted(
    estimator: Any, X: Any, y: Any, checked: Any, groups: Any, sample_weight: Any
) -> tuple[Any, tuple[Warning, ...] | None]:
    """Return the estimator, or a fitted copy and the warnings of its fit."""
    further = checked_argument(estimator, checked) | groups_argument(estimator, groups)
    further |= weight_argument(estimator, sample_weight)
    try:
        check_is_fitted(estimator)
    except NotFittedError:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            fitted = deepcopy(estimator).fit(X, y, **further)
        return fitted, tuple(_as_warning(warning.message) for warning in caught)
    return estimator, None


def _as_warning(message: Warning | str) -> Warning:
    return message if isinstance(message, Warning) else UserWarning(message)
