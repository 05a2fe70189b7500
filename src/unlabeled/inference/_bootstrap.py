"""The bootstrap of rows: any estimator, every step refitted."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from numbers import Integral
from pathlib import Path
from typing import Any

import joblib
import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.utils import check_random_state

from .._version import __version__
from ..engine.parameters import check_flag, check_fraction, check_positive
from ._bootstrap_result import Bootstrap
from ._interval import Interval
from ._resample import Rows, columns_of, draw_multiplicity, fitted_to, numbers_of, refit

# Resamples that are done, in memory and, if asked for, in a file.


@dataclass
class Checkpoint:
    """Numbers and warning codes of every resample; a file keeps them over a stop."""

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
        plans: Sequence[Any],
        names: tuple[str, ...],
    ) -> Checkpoint:
        """Start empty, or with what a file holds of the same call."""
        size = len(plans)
        if path is None:
            return cls(None, "", names, [None] * size, [[] for _ in range(size)])
        path = Path(path)
        _reject_no_way_back(path, random_state)
        # The whole of the estimator: what it prints leaves long parameters out.
        told = (clone(estimator), list(plans), names, rows.X, rows.y, rows.s, __version__)
        key = str(joblib.hash(told))
        if not path.exists():
            return cls(path, key, names, [None] * size, [[] for _ in range(size)])
        return cls(path, key, names, *_numbers_and_codes(path, key))

    def missing(self) -> list[int]:
        """Return which resamples are still to be done."""
        return [k for k, numbers in enumerate(self.numbers) if numbers is None]

    def add(self, k: int, numbers: list[float], codes: list[str]) -> None:
        """Keep a resample."""
        self.numbers[k], self.codes[k] = numbers, codes

    def save(self) -> None:
        """Write the file, whole or not at all."""
        if self.path is None:
            return
        text = json.dumps({"key": self.key, "numbers": self.numbers, "codes": self.codes})
        temporary = self.path.with_name(self.path.name + ".writing")
        temporary.write_text(text, encoding="utf-8")
        os.replace(temporary, self.path)

    def table(self) -> tuple[np.ndarray, list[list[str]]]:
        """Numbers, a row a resample, and the codes of the warnings each gave."""
        return np.array(self.numbers, dtype=np.float64).reshape(-1, len(self.names)), self.codes


def _reject_no_way_back(path: Path, random_state: Any) -> None:
    """Refuse what would keep a second call from going on where the first one stopped."""
    if not isinstance(random_state, Integral):
        raise ValueError(
            "`random_state` must be a whole number with `checkpoint`, so that the same "
            f"resamples come again; got {random_state!r}."
        )
    if not path.parent.is_dir():
        raise ValueError(
            f"`checkpoint` must be in a folder that exists; {str(path.parent)!r} does not. "
            "Make it first."
        )


def _numbers_and_codes(path: Path, key: str) -> tuple[Any, Any]:
    """Read a file of the same call."""
    try:
        found = json.loads(path.read_text("utf-8"))
        found_key, numbers, codes = found["key"], found["numbers"], found["codes"]
    except (ValueError, KeyError, TypeError, UnicodeDecodeError):
        raise ValueError(
            f"`checkpoint` must be a file of resamples; {str(path)!r} is not, or is damaged. "
            "Remove it, or name another."
        ) from None
    if found_key != key:
        raise ValueError(
            f"`checkpoint` must be of the same call; {str(path)!r} is of other rows, another "
            "estimator, seed or number of resamples. Remove it, or name another."
        )
    return numbers, codes


# Groups of rows left out in turn, for BCa.
_GROUPS = 40
_BATCH = 20


def bootstrap(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    n_resamples: int = 299,
    class_prior: float | tuple[float, float] | Interval | None = None,
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
        How many.
    class_prior : float, (float, float) or Interval, optional
        P(Y=1), if it is known, or an interval for it from elsewhere, at the level
        that is then asked for. Otherwise the estimator's own is used, and
        its uncertainty is part of the intervals of precision and F1.
    positive_label : object, optional
        The value of y that marks labelled rows, for estimators that do not say.
    acceleration : bool, default=False
        Refit 40 times more, with a fortieth of the rows left out, which BCa
        intervals need.
    n_jobs : int, optional
        Processes; the result does not depend on it, if the estimator's own `random_state` is fixed.
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

    See Also
    --------
    unlabeled.inference.cut_interval : Where the cut may be.
    unlabeled.diagnostics.diagnose : What speaks against the answers.

    Notes
    -----
    Parameters get percentile or BCa intervals. What is asked about
    predictions is another question: the rule is fixed now, and its recall in
    the population is wanted. Its recall on the rows it was fitted to is
    too large, and the cut was chosen on them as well. So each refitted rule
    is held against its own resample, against the original rows and against those
    it did not see. The differences tell how far off the fitted rule's own recall is, in mean
    and in spread, for rules that change smoothly with their rows and for those that memorise
    them. How often these intervals hold the truth is measured in the
    documentation, under "How sure, measured".

    The cut itself is no such thing: the best cut of a step-shaped criterion varies as
    the cube root of n, and the bootstrap is not consistent for it; see `cut_interval`.

    **What breaks it:** rows that come in groups; samples in which the label
    frequency is often estimated as 1, where percentile intervals of it end there, and BCa ones,
    precision and F1 are covered less often than they say (measured with 1000 rows); the class
    prior of `PULogistic`, a mean, whose percentile interval is too short: it has
    `class_prior_interval`;
    cross-validation inside an estimator that takes no weights, such as a
    `PUThresholdClassifier` over a pipeline, since copies of a row are then on both sides.

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
    prior = _checked(class_prior)
    model, rows = fitted_to(estimator, X, y, positive_label)
    n_rows, n_resamples = len(rows.s), int(n_resamples)
    seeds = (
        check_random_state(random_state)
        .randint(np.iinfo(np.int32).max, size=n_resamples + 1)
        .tolist()
    )
    groups = range(min(_GROUPS, n_rows)) if acceleration else ()
    plans: list[_Plan] = [*seeds[:-1], *((seeds[-1], group) for group in groups)]
    draw_multiplicity(rows.s, n_rows, seeds[0])  # says at once if there are too few rows
    names = columns_of(model)
    store = Checkpoint.at(checkpoint, random_state, estimator, rows, plans, names)
    try:
        _fill(store, estimator, rows, plans, n_jobs, progress)
    finally:
        store.save()
    observed = numbers_of(model, rows, np.ones(n_rows, dtype=np.intp))
    return Bootstrap.of(store.table(), n_resamples, observed, names, prior)


_Plan = int | tuple[int, int]
"""The seed of a resample, or that of the groups and which of them is left out."""


def _checked(prior: Any) -> float | tuple[float, float] | None:
    if prior is None:
        return None
    if isinstance(prior, Interval):
        prior = (prior.lower, prior.upper)
    if not isinstance(prior, tuple | list):
        check_fraction("class_prior", prior)
        return float(prior)
    for end in prior:
        check_fraction("class_prior", end)
    if len(prior) != 2 or prior[0] > prior[1]:
        raise ValueError(
            f"`class_prior` must be a number or two, the smaller first; got {prior!r}."
        )
    return float(prior[0]), float(prior[1])


def _multiplicity(plan: _Plan, s: np.ndarray) -> np.ndarray:
    if isinstance(plan, tuple):
        seed, left_out = plan
        n_groups = min(_GROUPS, len(s))
        group = np.random.RandomState(seed).permutation(len(s)) % n_groups
        return (group != left_out).astype(np.intp)
    return draw_multiplicity(s, len(s), plan)


def _refitted(
    estimator: Any, rows: Rows, plan: _Plan, names: tuple[str, ...]
) -> tuple[list[float], list[str]]:
    try:
        multiplicity = _multiplicity(plan, rows.s)
        model, codes = refit(estimator, rows, multiplicity)
        numbers = numbers_of(model, rows, multiplicity)
        return [numbers[name] for name in names], codes
    except Exception as error:  # whatever it is, it is counted and told
        return [float("nan")] * len(names), [f"failed: {type(error).__name__}: {error}"]


def _fill(
    store: Checkpoint,
    estimator: Any,
    rows: Rows,
    plans: list[_Plan],
    n_jobs: int | None,
    progress: Callable[[int, int], None] | None,
) -> None:
    """Do what is missing, keeping it as it comes."""
    missing = store.missing()
    if progress is not None:
        progress(len(plans) - len(missing), len(plans))
    calls = (delayed(_refitted)(estimator, rows, plans[k], store.names) for k in missing)
    results = Parallel(n_jobs, return_as="generator")(calls)
    for n_done, (k, (numbers, codes)) in enumerate(zip(missing, results, strict=True), 1):
        store.add(k, numbers, codes)
        if n_done % _BATCH == 0:
            store.save()
        if progress is not None:
            progress(len(plans) - len(missing) + n_done, len(plans))
