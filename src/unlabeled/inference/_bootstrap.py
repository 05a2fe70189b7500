"""The bootstrap of rows: any estimator, every step refitted to each resample."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from numbers import Integral
from pathlib import Path
from typing import Any

import joblib
import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

from .._version import __version__
from ..engine.estimators import fitted_model
from ..engine.files import write_whole
from ..engine.intervals import Interval
from ..engine.parallel import delayed, in_parallel
from ..engine.parameters import check_fraction, check_positive
from ..engine.rows import Rows
from ..scores import PriorDensity
from ._bootstrap_result import Bootstrap
from ._interval import known_prior
from ._resample import columns_of, draw_multiplicity, fit_if_needed, numbers_of, refit

# The checkpoint is written each time this many refits are done.
_BATCH = 20


def bootstrap(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    n_resamples: int = 299,
    class_prior: float | tuple[float, float] | Interval | None = None,
    pos_label: Any = None,
    n_jobs: int | None = None,
    random_state: Any = None,
    checkpoint: str | Path | None = None,
    progress: Callable[[int, int], None] | None = None,
    checked: Any = None,
    groups: Any = None,
    sample_weight: Any = None,
) -> Bootstrap:
    r"""Refit an estimator to resamples of the rows, for intervals of its results.

    Assumes that rows, or groups of rows, were drawn independently of each other. Works for any
    classifier, also for pipelines and classifiers of other packages, and for
    estimators of the label frequency. If the estimator searches over
    parameters, every refit repeats the search.

    Parameters
    ----------
    estimator : classifier or label-frequency estimator
        Fitted to these rows, or not fitted. It is not changed.
    X : array-like, frame or sparse matrix of shape (n_rows, n_features)
        Training rows.
    y : array-like of shape (n_rows,)
        Label column.
    n_resamples : int, default=299
        Number of resamples, at least 2.
    class_prior : float, (float, float) or Interval, optional
        P(Y=1), if you know it, or a confidence interval for it from another source. The
        interval must have the level that you later pass to `Bootstrap.interval`. If None, the
        estimator's own class prior is used, and its uncertainty is part of the intervals of
        precision and F1.
    pos_label : object, optional
        The value of y that marks labeled rows, for estimators without a parameter
        `pos_label`.
    n_jobs : int, optional
        Number of parallel processes. It does not change the result if
        the estimator's `random_state` is fixed.
    random_state : int, RandomState instance or None, default=None
        Controls the resamples; pass an int for reproducible output.
    checkpoint : str or Path, optional
        File that keeps finished resamples, so that the same call can continue after an
        interruption. `random_state` must then be a whole number.
    progress : callable, optional
        Called with the number of finished refits and the number of all refits.
    checked : array-like of shape (n_rows,), optional
        Answers of checked rows, as in the `fit` of `PULogistic` and `JointLogistic`. They are
        drawn with their rows.
    groups : array-like of shape (n_rows,) or "copies", optional
        Which rows belong together, such as those of one person. Whole groups are drawn, and
        the refits get them if the estimator's `fit` takes them.
    sample_weight : array-like of shape (n_rows,), optional
        Row weights, as in `fit`: all fits and all counts have them. Rows are drawn with their
        weights; of ``weights="frequency"`` each copy is drawn by itself. Without them every row
        counts once, and an estimator that is known to be fitted with weights is rejected.

    Returns
    -------
    bootstrap : Bootstrap
        Intervals by name: "label_frequency" and "class_prior" if the
        estimator has them, and "recall", "share", "f1_pu", "precision" and
        "f1" of its predictions.

    See Also
    --------
    unlabeled.diagnostics.diagnose : Reasons to doubt the results.

    Notes
    -----
    The label frequency and the class prior get percentile intervals. `PULogistic`,
    `PUThresholdClassifier` and `PUEnsemble` average the class prior over curves, which resamples
    do not tell apart: their intervals are those of `class_prior_interval` of the population, and
    they widen the intervals of precision and F1. Refits are given that class prior, unless a
    search over parameters makes them.
    For recall, share, precision and F1 the question is another one: how well will *this* fitted
    classifier do on new rows? Take recall as the example. Its recall on the training rows is too
    large, because the classifier and its cut were chosen on them. So each refitted classifier is
    evaluated on three sets of rows: its own resample, the original rows, and the rows it did not
    see. The differences estimate the bias and the standard error of the fitted classifier's
    recall, both for classifiers that change smoothly with their rows and for classifiers that
    memorize them. The measured coverage is in the documentation, under "How sure, measured".

    There is no interval for the cut. The best cut of a step-shaped criterion converges at the
    cube root of n, and the bootstrap is not consistent for it.

    **What breaks it:**

    - Rows that come in groups, unless `groups` are given.
    - A label frequency that is often estimated as 1. Its percentile
      intervals then end at 1, and the intervals of precision and F1 cover less often than their
      level says (measured with 1000 rows).
    - Estimators that cross-validate and accept no weights, such as a `PUThresholdClassifier`
      over a pipeline. Copies of a row end up in both training and test folds.

    References
    ----------
    B. Efron, R. J. Tibshirani (1993). An Introduction to the Bootstrap.
    Chapman & Hall. https://doi.org/10.1201/9780429246593

    Examples
    --------
    >>> from unlabeled import EnhancedLogistic
    >>> from unlabeled.datasets import make_paper_gaussian
    >>> from unlabeled.inference import bootstrap
    >>> data = make_paper_gaussian(n=500, label_frequency=0.6, random_state=0)
    >>> found = bootstrap(EnhancedLogistic(), data.X, data.s, n_resamples=19, random_state=0)
    >>> recall = found.interval("recall")
    >>> recall.lower < recall.estimate < recall.upper
    True
    """
    check_positive("n_resamples", n_resamples, Integral, "a whole number of at least 2")
    if n_resamples < 2:
        raise ValueError(f"`n_resamples` must be at least 2; got {n_resamples!r}.")
    if isinstance(class_prior, Interval):
        class_prior = (class_prior.lower, class_prior.upper)
    prior = None if class_prior is None else known_prior(class_prior, _fraction, np.nan)
    model, rows = fit_if_needed(estimator, X, y, pos_label, checked, groups, sample_weight)
    n_rows, n_resamples = len(rows.s), int(n_resamples)
    seeds = (
        check_random_state(random_state).randint(np.iinfo(np.int32).max, size=n_resamples).tolist()
    )
    _multiplicity(seeds[0], rows)  # raises early if there are too few rows
    names = columns_of(model)
    density = getattr(fitted_model(model), "class_prior_density_", None)
    refitted = _with_prior(estimator, density)
    store = Checkpoint.at(checkpoint, random_state, refitted, rows, seeds, names)
    try:
        _fill(store, refitted, rows, seeds, n_jobs, progress)
    finally:
        store.save()
    observed = numbers_of(model, rows, np.ones(n_rows, dtype=np.intp))
    return Bootstrap._of(store.table(), observed, names, prior, density, rows.sampling)


def _fraction(prior: Any) -> float:
    check_fraction("class_prior", prior)
    return float(prior)


def _with_prior(estimator: Any, density: PriorDensity | None) -> Any:
    """Return the estimator with its averaged class prior given, which resamples do not tell."""
    if density is None:
        return estimator
    estimator = last = clone(estimator)
    while (inner := _inside(last)) is not None:
        last = inner
    if "class_prior" in last.get_params(deep=False):
        last.set_params(class_prior=density)
    return estimator


def _inside(estimator: Any) -> Any:
    """Return the last step of a pipeline, what a search fits, or None."""
    if getattr(estimator, "steps", None):
        return estimator.steps[-1][1]
    return estimator.estimator if hasattr(estimator, "refit") else None


def _multiplicity(seed: int, rows: Rows) -> np.ndarray:
    return draw_multiplicity(rows.s, seed, rows.groups, rows.sampling)


def _refitted(
    estimator: Any, rows: Rows, seed: int, names: tuple[str, ...]
) -> tuple[list[float], list[str]]:
    try:
        multiplicity = _multiplicity(seed, rows)
        model, codes = refit(estimator, rows, multiplicity)
        numbers = numbers_of(model, rows, multiplicity)
        return [numbers[name] for name in names], codes
    except Exception as error:  # any failure is counted and reported
        return [float("nan")] * len(names), [f"failed: {type(error).__name__}: {error}"]


def _fill(
    store: Checkpoint,
    estimator: Any,
    rows: Rows,
    seeds: list[int],
    n_jobs: int | None,
    progress: Callable[[int, int], None] | None,
) -> None:
    """Do the missing refits, and save them in batches."""
    missing = store.missing()
    if progress is not None:
        progress(len(seeds) - len(missing), len(seeds))
    calls = (delayed(_refitted)(estimator, rows, seeds[k], store.names) for k in missing)
    results = in_parallel(calls, n_jobs)
    for n_done, (k, (numbers, codes)) in enumerate(zip(missing, results, strict=True), 1):
        store.add(k, numbers, codes)
        if n_done % _BATCH == 0:
            store.save()
        if progress is not None:
            progress(len(seeds) - len(missing) + n_done, len(seeds))


@dataclass
class Checkpoint:
    """Numbers and warning codes of every resample, saved to `path` if given."""

    path: Path | None
    key: str
    names: tuple[str, ...]
    numbers: list[list[float] | None]
    codes: list[list[str]] = field(default_factory=list)

    @classmethod
    def at(
        cls,
        path: str | Path | None,
        random_state: Any,
        estimator: Any,
        rows: Rows,
        seeds: Sequence[int],
        names: tuple[str, ...],
    ) -> Checkpoint:
        """Start empty, or with what an earlier run of the same call left in the file."""
        empty: tuple[list[list[float] | None], list[list[str]]]
        empty = [None] * len(seeds), [[] for _ in seeds]
        if path is None:
            return cls(None, "", names, *empty)
        path = Path(path)
        _reject_unusable_checkpoint(path, random_state)
        # A hash of the whole estimator: its printed form shortens long parameters.
        call: tuple[Any, ...] = (
            clone(estimator),
            list(seeds),
            names,
            rows.X,
            rows.labels,
            rows.s,
            rows.sampling,
            __version__,
        )
        if rows.checked is not None:
            call = (*call, rows.checked)
        if rows.groups is not None:
            call = (*call, "groups", rows.groups)
        if rows.weight is not None:
            call = (*call, "weight", rows.weight)
        key = str(joblib.hash(call))
        if not path.exists():
            return cls(path, key, names, *empty)
        return cls(path, key, names, *_read_checkpoint(path, key))

    def missing(self) -> list[int]:
        """Return the indices of the resamples that are not done."""
        return [k for k, numbers in enumerate(self.numbers) if numbers is None]

    def add(self, k: int, numbers: list[float], codes: list[str]) -> None:
        """Keep a resample."""
        self.numbers[k], self.codes[k] = numbers, codes

    def save(self) -> None:
        """Write the file, whole or not at all."""
        if self.path is not None:
            text = json.dumps({"key": self.key, "numbers": self.numbers, "codes": self.codes})
            write_whole(self.path, lambda unfinished: unfinished.write_text(text, encoding="utf-8"))

    def table(self) -> tuple[np.ndarray, list[list[str]]]:
        """Return the numbers, one row per resample, and the codes of its warnings."""
        return np.array(self.numbers, dtype=np.float64).reshape(-1, len(self.names)), self.codes


def _reject_unusable_checkpoint(path: Path, random_state: Any) -> None:
    if not isinstance(random_state, Integral):
        raise ValueError(
            "`random_state` must be a whole number with `checkpoint`, so that the next call draws "
            f"the same resamples; got {random_state!r}."
        )
    if not path.parent.is_dir():
        raise ValueError(
            f"`checkpoint` must be in a folder that exists; got {str(path)!r}. Create "
            f"{str(path.parent)!r} first."
        )


def _read_checkpoint(path: Path, key: str) -> tuple[Any, Any]:
    try:
        found = json.loads(path.read_text("utf-8"))
        found_key, numbers, codes = found["key"], found["numbers"], found["codes"]
    except (ValueError, KeyError, TypeError, UnicodeDecodeError):
        raise ValueError(
            f"`checkpoint` must be a file of resamples; {str(path)!r} is something else, or "
            "damaged. Remove it, or choose another name."
        ) from None
    if found_key != key:
        raise ValueError(
            f"`checkpoint` must come from the same call; {str(path)!r} comes from other rows, "
            "another estimator, seed, number of resamples or version. Remove it, or choose "
            "another name."
        )
    return numbers, codes
