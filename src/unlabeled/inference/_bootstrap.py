"""The bootstrap of rows: any estimator, every step refitted."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from ..labels import encode_labels, positive_class_of
from ..parameters import check_flag, check_fraction, check_positive
from ._bootstrap_result import Bootstrap
from ._checkpoint import Checkpoint
from ._resample import (
    COUNTS,
    PARAMETERS,
    Rows,
    counts,
    draw_multiplicity,
    parameters_of,
    predicted_positive,
    refit,
)

# Groups of rows left out in turn, for BCa.
_GROUPS = 40
_BATCH = 20


def bootstrap(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    n_resamples: int = 299,
    class_prior: float | tuple[float, float] | None = None,
    positive_label: Any = None,
    acceleration: bool = False,
    n_jobs: int | None = None,
    random_state: Any = None,
    checkpoint: str | Path | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Bootstrap:
    r"""Refit an estimator to resamples of the rows, for intervals of what it says.

    Assumes that rows were drawn independently of each other. Works for
    every classifier, pipelines and other packages' included, and for
    estimators of the label frequency; a search over
    parameters is repeated too if it is part of the estimator.

    Parameters
    ----------
    estimator : classifier or label-frequency estimator
        Fitted to these rows, or not fitted; it stays as it is.
    X : array-like, frame or sparse matrix of shape (n_rows, n_features)
        Rows of the fit.
    y : array-like of shape (n_rows,)
        Label column.
    n_resamples : int, default=299
        How many; 299 suit 95 % intervals.
    class_prior : float or (float, float), optional
        P(Y=1), if it is known, or the ends of an interval for it from elsewhere, at the level
        that is then asked for. Otherwise the estimator's own is used, and
        its uncertainty is part of the intervals of precision and F1.
    positive_label : object, optional
        The value of y that marks labelled rows, for estimators that do not say.
    acceleration : bool, default=False
        Refit 40 times more, with a fortieth of the rows left out, which BCa
        intervals need.
    n_jobs : int, optional
        Processes; the result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Draws the resamples.
    checkpoint : str or Path, optional
        File in which resamples are kept as they are done: the same call goes
        on from there. Needs a whole number as `random_state`.
    progress : callable, optional
        Called with the number of refits done and of all.

    Returns
    -------
    bootstrap : Bootstrap
        Intervals by name: "label_frequency" and "class_prior" where the
        estimator has them, and "recall", "share", "f1_pu", "precision" and
        "f1" of its predictions.

    Notes
    -----
    Parameters get percentile or BCa intervals. What is asked about
    predictions is another question: the rule is fixed now, and its recall in
    the population is wanted. Its recall on the rows it was fitted to is
    too large, and the cut was chosen on them as well. So each refitted rule
    is held against its own resample and against the original rows, and the
    differences tell how far off the fitted rule's own recall is, in mean and in
    spread. How often these intervals hold the truth is measured in the
    documentation, under "How sure, measured".

    The cut itself is no such thing: the best cut of a step-shaped criterion varies as
    the cube root of n, and the bootstrap is not consistent for it; see `cut_interval`.

    **What breaks it:** rows that come in groups; samples in which the label
    frequency is often estimated as 1, where percentile intervals of it end there.

    References
    ----------
    B. Efron, R. J. Tibshirani (1993). An Introduction to the Bootstrap.
    Chapman & Hall. https://doi.org/10.1201/9780429246593

    Examples
    --------
    >>> from unlabeled import EnhancedLogistic
    >>> from unlabeled.datasets import make_paper_gaussian
    >>> from unlabeled.inference import bootstrap
    >>> data = make_paper_gaussian(n=500, c=0.6, random_state=0)
    >>> found = bootstrap(EnhancedLogistic(), data.X, data.s, n_resamples=19, random_state=0)
    >>> recall = found.interval("recall")
    >>> recall.lower < recall.estimate < recall.upper
    True
    """
    check_positive("n_resamples", n_resamples, Integral, "a whole number of at least 2")
    if n_resamples < 2:
        raise ValueError(f"`n_resamples` must be at least 2; got {n_resamples!r}.")
    check_flag("acceleration", acceleration)
    class_prior = _checked(class_prior)
    model, rows = fitted_to(estimator, X, y, positive_label)
    seeds = check_random_state(random_state).randint(
        np.iinfo(np.int32).max, size=int(n_resamples) + 1
    )
    plans = [draw_multiplicity(rows.s, len(rows.s), seed) for seed in seeds[:-1]]
    if acceleration:
        plans += _all_but_one_group(len(rows.s), seeds[-1])
    names = _columns(model)
    store = Checkpoint.at(checkpoint, random_state, estimator, rows, len(plans), names)
    _fill(store, estimator, rows, plans, n_jobs, progress)
    everybody = np.ones(len(rows.s), dtype=np.intp)
    observed = _record(model, rows, everybody, [])[0]
    return Bootstrap.of(store.table(), int(n_resamples), observed, names, class_prior)


def _checked(prior: Any) -> float | tuple[float, float] | None:
    if prior is None:
        return None
    if not isinstance(prior, tuple):
        check_fraction("class_prior", prior)
        return float(prior)
    for end in prior:
        check_fraction("class_prior", end)
    if len(prior) != 2 or prior[0] > prior[1]:
        raise ValueError(
            f"`class_prior` must be a number or two, the smaller first; got {prior!r}."
        )
    return float(prior[0]), float(prior[1])


def fitted_to(estimator: Any, X: Any, y: Any, positive_label: Any) -> tuple[Any, Rows]:
    """Return the estimator fitted, itself or a clone, and its rows."""
    y = column_or_1d(y)
    check_consistent_length(X, y)
    try:
        check_is_fitted(estimator)
        model = estimator
    except NotFittedError:
        model = clone(estimator).fit(X, y)
    positive = positive_label
    if positive is None:
        positive = positive_class_of(model)
    if positive is None:
        positive = getattr(model, "positive_label", None)
    s, _ = encode_labels(y, positive)
    X = X if hasattr(X, "iloc") or hasattr(X, "shape") else np.asarray(X)
    return model, Rows(X, y, s)


def _columns(model: Any) -> tuple[str, ...]:
    rule: tuple[str, ...] = ()
    if hasattr(model, "predict"):
        rule = tuple(f"{where}.{name}" for where in ("own", "original") for name in COUNTS)
    return (*(name for name in PARAMETERS if name in parameters_of(model)), *rule)


def _record(
    model: Any, rows: Rows, multiplicity: np.ndarray, codes: list[str]
) -> tuple[np.ndarray, list[str]]:
    """Numbers in the order of `_columns`."""
    numbers = list(parameters_of(model).values())
    positive = predicted_positive(model, rows)
    if positive is not None:
        everybody = np.ones(len(rows.s))
        numbers += [*counts(positive, rows.s, multiplicity), *counts(positive, rows.s, everybody)]
    return np.array(numbers), codes


def _refitted(
    estimator: Any, rows: Rows, multiplicity: np.ndarray, n_columns: int
) -> tuple[np.ndarray, list[str]]:
    try:
        model, codes = refit(estimator, rows, multiplicity)
    except ValueError as error:
        return np.full(n_columns, np.nan), [f"failed: {error}"]
    return _record(model, rows, multiplicity, codes)


def _fill(
    store: Checkpoint,
    estimator: Any,
    rows: Rows,
    plans: list[np.ndarray],
    n_jobs: int | None,
    progress: Callable[[int, int], None] | None,
) -> None:
    """Do what is missing, keeping it as it comes."""
    missing = store.missing()
    if progress is not None:
        progress(len(plans) - len(missing), len(plans))
    calls = (delayed(_refitted)(estimator, rows, plans[k], len(store.names)) for k in missing)
    results = Parallel(n_jobs, return_as="generator")(calls)
    for n_done, (k, (numbers, codes)) in enumerate(zip(missing, results, strict=True), 1):
        store.add(k, numbers, codes)
        if n_done % _BATCH == 0 or n_done == len(missing):
            store.save()
        if progress is not None:
            progress(len(plans) - len(missing) + n_done, len(plans))


def _all_but_one_group(n_rows: int, seed: int) -> list[np.ndarray]:
    group = np.random.RandomState(seed).permutation(n_rows) % min(_GROUPS, n_rows)
    return [(group != k).astype(np.intp) for k in range(min(_GROUPS, n_rows))]
