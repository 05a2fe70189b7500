"""Draw splits, fit every method to the training rows, evaluate it on the test rows, gather."""

from __future__ import annotations

import time
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.stats import rankdata
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedShuffleSplit

from ..codes import warning_name
from ..engine.estimators import (
    clone_for_labels,
    fit_columns,
    parameters_of,
    score_method,
    scores_of,
    weight_argument,
)
from ..engine.rows import LabelEncoding, Rows, encode_predictions, group_sums
from ..engine.sampling import Sampling
from ..metrics import METRICS, counts

HELD_OUT = ("f1_pu", "recall", "share", "gain", "label_auc", "precision", "f1")
"""Measures on held-out rows: metrics, and recall less share."""

FITTED = ("label_frequency", "class_prior")
"""Fitted numbers, if the method has them."""

Split = tuple[np.ndarray, np.ndarray]
"""Indices of the training rows and of the test rows."""

# A label-frequency estimator with two folds needs two labeled rows; recall needs one.
_FEWEST_TO_FIT, _FEWEST_HELD_OUT = 2, 1

LABELS = LabelEncoding(np.array([0, 1]))
"""The labels that methods are fitted to."""


@dataclass(frozen=True)
class RowCounts:
    """Numbers of rows: all, used, labeled, training and test rows.

    With two samples the unlabeled rows alone are a sample of the population. `share_effect` is the
    design effect of weights on the labeled share.
    """

    n_rows: int
    n_used: int
    n_labeled: int
    n_train: int
    n_test: int
    note: str | None
    sampling: Sampling = Sampling.ONE
    share_effect: float = 1.0


def draw_splits(
    s: np.ndarray,
    n_repeats: int,
    test_size: float,
    seed: int,
    groups: np.ndarray | None = None,
) -> list[Split]:
    """Split the rows `n_repeats` times, with the same fraction of labeled rows on both sides.

    With groups, of equal rows or of others, whole groups are split, with the same fraction of
    labeled groups on both sides.
    """
    splitter = StratifiedShuffleSplit(n_repeats, test_size=test_size, random_state=seed)
    labeled = s if groups is None else (group_sums(s, groups) > 0).astype(np.float64)
    try:
        splits = list(splitter.split(labeled, labeled))
    except ValueError:  # one side is too small for both kinds
        splits = []
    if groups is not None:
        group_index = np.unique(groups, return_inverse=True)[1]
        splits = [
            (
                np.flatnonzero(np.isin(group_index, train)),
                np.flatnonzero(np.isin(group_index, test)),
            )
            for train, test in splits
        ]
    if not splits or not all(_has_enough(s, *split) for split in splits):
        raise ValueError(
            f"`y` must have at least {_FEWEST_TO_FIT} labeled and {_FEWEST_TO_FIT} unlabeled "
            f"rows to fit in every split, and {_FEWEST_HELD_OUT} of each to hold out; got "
            f"{int(s.sum())} labeled of {len(s)} rows with `test_size` {test_size:g}. Label more "
            "rows, or give another `test_size`."
        )
    return splits


def _has_enough(s: np.ndarray, train: np.ndarray, test: np.ndarray) -> bool:
    return all(
        fewest <= s[side].sum() <= len(side) - fewest
        for side, fewest in ((train, _FEWEST_TO_FIT), (test, _FEWEST_HELD_OUT))
    )


@dataclass
class MethodResult:
    """The numbers and warnings of one method on one split, or why it failed."""

    numbers: dict[str, float] = field(default_factory=dict)
    codes: list[str] = field(default_factory=list)
    failure: str | None = None


@dataclass
class SplitResult:
    """The results of all methods on one split, and how much each pair agrees."""

    methods: list[MethodResult]
    decide_alike: np.ndarray
    rank_correlation: np.ndarray
    prepare_seconds: float = 0.0
    prepare_codes: list[str] = field(default_factory=list)


@dataclass
class _Predictions:
    """Which held-out rows a method predicts positive, and the ranks of its scores."""

    positive: np.ndarray
    rank: np.ndarray | None


def judge_split(
    models: list[Any], prepare: Any, rows: Rows, split: Split, class_prior: float | None, seed: int
) -> SplitResult:
    """Fit all models to the training rows of a split and evaluate them on the test rows."""
    train, test = (rows.take(row_index) for row_index in split)
    start, codes = time.perf_counter(), _Codes()
    try:
        with codes.caught():
            X_train, X_test = _prepared(prepare, train, test, seed)
    except ImportError:  # a missing package is missing on every split
        raise
    except Exception as error:  # any failure is counted and reported
        failed = MethodResult(failure=f"`prepare` failed: {_error_text(error)}")
        nothing = _pairs([None] * len(models))
        return SplitResult([failed] * len(models), *nothing, np.nan, codes.names)
    seconds = time.perf_counter() - start
    train, test = replace(train, X=X_train), replace(test, X=X_test)
    judged, predictions = [], []
    for model in models:
        result, predicted = _judge(model, train, test, class_prior, seed)
        judged.append(result)
        predictions.append(predicted)
    return SplitResult(judged, *_pairs(predictions), seconds, codes.names)


def _prepared(prepare: Any, train: Rows, test: Rows, seed: int) -> tuple[Any, Any]:
    if prepare is None:
        return train.X, test.X
    fresh = clone_for_labels(prepare, seed)
    return fresh.fit_transform(train.X, train.labels), fresh.transform(test.X)


def _judge(
    model: Any, train: Rows, test: Rows, class_prior: float | None, seed: int
) -> tuple[MethodResult, _Predictions | None]:
    codes = _Codes()
    try:
        with codes.caught():
            fresh, further = clone_for_labels(model, seed), fit_columns(model, train)
            further |= weight_argument(model, train.weight)
            start = time.perf_counter()
            fresh.fit(train.X, train.labels, **further)
            seconds = time.perf_counter() - start
            predicted = _predict(fresh, test.X)
        numbers = _rates(predicted.positive, test, class_prior)
        numbers |= parameters_of(fresh)
        more = {"label_auc": _label_auc(predicted.rank, test), "seconds": seconds}
        return MethodResult(numbers | more, codes.names), predicted
    except Exception as error:  # any failure is counted and reported
        return MethodResult(codes=codes.names, failure=_error_text(error)), None


def _error_text(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


class _Codes:
    """Collects the names of warnings, each once: our codes, or the class of any other."""

    def __init__(self) -> None:
        self.names: list[str] = []

    @contextmanager
    def caught(self) -> Iterator[None]:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                yield
            finally:
                self.names = sorted({warning_name(one) for one in caught})


def _predict(model: Any, X: Any) -> _Predictions:
    positive = encode_predictions(model.predict(X), LABELS)
    try:
        score_method(model)
    except ValueError:
        return _Predictions(positive, None)
    score = np.asarray(scores_of(model, X, 1), dtype=np.float64)
    if np.isnan(score).any():
        raise ValueError(
            f"scores must be numbers; got NaN in {np.isnan(score).sum()} rows. Check the model and "
            "its input."
        )
    return _Predictions(positive, rankdata(score))


def _rates(positive: np.ndarray, test: Rows, class_prior: float | None) -> dict[str, float]:
    weight = np.ones(len(test.s)) if test.weight is None else test.weight
    labeled_above, labeled, above, total = counts(test.s, positive, weight, test.sampling)
    recall, share = labeled_above / labeled, above / total
    values = {"gain": float(recall - share)}
    for name in _shown(class_prior):
        if name in METRICS and not METRICS[name].of_score:
            values[name] = float(METRICS[name].of_rates(recall, share, class_prior))
    return values


def _shown(class_prior: float | None) -> list[str]:
    """Return the measures on held-out rows that can be computed."""
    need_prior = {name for name, one in METRICS.items() if one.needs_prior}
    return [name for name in HELD_OUT if class_prior is not None or name not in need_prior]


def _label_auc(rank: np.ndarray | None, test: Rows) -> float:
    """Return how often a labeled row scores above an unlabeled one, ties counting half."""
    if rank is None:
        return float("nan")
    s = test.labels
    if test.weight is not None:
        return float(roc_auc_score(s, rank, sample_weight=test.weight))
    n_labeled = int(s.sum())
    above = rank[s == 1].mean() - (n_labeled + 1) / 2  # mean number of unlabeled rows below
    return float(above / (len(s) - n_labeled))


def _pairs(predictions: list[_Predictions | None]) -> tuple[np.ndarray, np.ndarray]:
    """Return the share of rows predicted alike and Spearman's correlation, for every pair."""
    alike = np.full((len(predictions), len(predictions)), np.nan)
    correlation = alike.copy()
    for i, predicted in enumerate(predictions):
        for j, other in enumerate(predictions[: i + 1]):
            if predicted is not None and other is not None:
                alike[i, j] = alike[j, i] = np.mean(predicted.positive == other.positive)
                correlation[i, j] = correlation[j, i] = _correlation(predicted.rank, other.rank)
    return alike, correlation


def _correlation(rank: np.ndarray | None, other: np.ndarray | None) -> float:
    """Return Pearson's correlation of ranks; NaN if one of them is constant or missing."""
    if rank is None or other is None or np.ptp(rank) == 0 or np.ptp(other) == 0:
        return float("nan")
    return float(np.corrcoef(rank, other)[0, 1])


def gather(
    names: tuple[str, ...], results: list[SplitResult], class_prior: float | None
) -> dict[str, Any]:
    """Return the fields of a `Comparison`; raise if every method failed on every split."""
    results_of = {name: [result.methods[k] for result in results] for k, name in enumerate(names)}
    failures = {name: _failures(method_results) for name, method_results in results_of.items()}
    if all(len(errors) == len(results) for errors in failures.values()):
        raise ValueError(
            f"All `models` failed on all {len(results)} splits. The first error of {names[0]!r}: "
            f"{failures[names[0]][0]}"
        )
    measures = (*_shown(class_prior), *FITTED, "seconds")
    return {
        "names": names,
        "measures": measures,
        "values": {measure: _table(results_of, measure) for measure in measures},
        "codes": {
            name: _counted(code for split_result in method_results for code in split_result.codes)
            for name, method_results in results_of.items()
        },
        "failures": failures,
        "decide_alike": np.array([result.decide_alike for result in results]),
        "rank_correlation": np.array([result.rank_correlation for result in results]),
        "known_class_prior": class_prior,
        "prepare_seconds": np.array([result.prepare_seconds for result in results]),
        "prepare_codes": _counted(code for result in results for code in result.prepare_codes),
    }


def _failures(method_results: list[MethodResult]) -> list[str]:
    return [result.failure for result in method_results if result.failure is not None]


def _table(results_of: dict[str, list[MethodResult]], measure: str) -> np.ndarray:
    """Return a measure with one row per method and one column per split."""
    return np.array(
        [
            [result.numbers.get(measure, np.nan) for result in method_results]
            for method_results in results_of.values()
        ]
    )


def _counted(words: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(words).items()))
