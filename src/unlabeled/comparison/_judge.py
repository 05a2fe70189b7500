"""One split: every method fitted to one part of the rows and judged on the other."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.stats import rankdata
from sklearn.base import clone

from .. import rates
from ..inference import COUNTS, Rows, counts, parameters_of, warning_name
from ..labels import LabelEncoding, encode_predictions
from ..meta import score_method, scores_of
from ._splits import Split

_ENCODING = LabelEncoding(np.array([0, 1]))


@dataclass
class Judged:
    """What one method did on one split; `failure` says why there are no numbers."""

    numbers: dict[str, float] = field(default_factory=dict)
    codes: list[str] = field(default_factory=list)
    failure: str | None = None


@dataclass
class SplitResult:
    """What all methods did on one split, and how far each two of them agree."""

    methods: list[Judged]
    decide_alike: np.ndarray
    rank_correlation: np.ndarray
    prepare_seconds: float = 0.0
    prepare_codes: list[str] = field(default_factory=list)


@dataclass
class _Said:
    """Which held-out rows a method predicts positive, and their ranks by its score."""

    positive: np.ndarray
    rank: np.ndarray | None


def judge_split(
    models: list[Any], prepare: Any, rows: Rows, split: Split, class_prior: float | None, seed: int
) -> SplitResult:
    """Fit all models to the first part of a split and judge them on the second."""
    parts = [rows.take(part) for part in split]
    start, codes = time.perf_counter(), _Codes()
    try:
        with codes.caught():
            X_train, X_test = _prepared(prepare, parts, seed)
    except ImportError:  # is missing on every split, for every method
        raise
    except Exception as error:  # whatever it is, it is counted and told
        failed = Judged(failure=f"`prepare` failed: {_told(error)}")
        nothing = _pairs([None] * len(models))
        return SplitResult([failed] * len(models), *nothing, np.nan, codes.names)
    seconds = time.perf_counter() - start
    judged, said = [], []
    for model in models:
        one, its = _judge(model, (X_train, parts[0][1]), (X_test, parts[1][1]), class_prior, seed)
        judged.append(one)
        said.append(its)
    return SplitResult(judged, *_pairs(said), seconds, codes.names)


def _prepared(prepare: Any, parts: list[tuple[Any, np.ndarray]], seed: int) -> tuple[Any, Any]:
    (X_train, s_train), (X_test, _) = parts
    if prepare is None:
        return X_train, X_test
    fresh = _fresh(prepare, seed)
    return fresh.fit_transform(X_train, s_train), fresh.transform(X_test)


def _judge(
    model: Any,
    train: tuple[Any, np.ndarray],
    test: tuple[Any, np.ndarray],
    class_prior: float | None,
    seed: int,
) -> tuple[Judged, _Said | None]:
    codes = _Codes()
    try:
        with codes.caught():
            fresh = _fresh(model, seed)
            start = time.perf_counter()
            fresh.fit(*train)
            seconds = time.perf_counter() - start
            said = _said(fresh, test[0])
        numbers = _rates(said.positive, test[1], class_prior) | parameters_of(fresh)
        return Judged(numbers | {"seconds": seconds}, codes.names), said
    except Exception as error:  # whatever it is, it is counted and told
        return Judged(codes=codes.names, failure=_told(error)), None


def _told(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


class _Codes:
    """Warnings that were given, each by its code or class, once."""

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


def _fresh(estimator: Any, seed: int) -> Any:
    """Clone an estimator for labels 0 and 1, with a seed where it has none of its own."""
    fresh = clone(estimator)
    changes: dict[str, int | None] = {}
    for name, value in fresh.get_params(deep=True).items():
        last = name.rpartition("__")[2]
        if last == "random_state" and value is None:
            changes[name] = seed
        elif last == "positive_label" and value is not None:
            changes[name] = None
    return fresh.set_params(**changes) if changes else fresh


def _said(model: Any, X: Any) -> _Said:
    positive = encode_predictions(model.predict(X), _ENCODING)
    try:
        score_method(model)
    except ValueError:
        return _Said(positive, None)
    score = np.asarray(scores_of(model, X, 1), dtype=np.float64)
    if np.isnan(score).any():
        raise ValueError(
            f"the score must be a number in every row; got {np.isnan(score).sum()} NaN."
        )
    return _Said(positive, rankdata(score))


def _rates(positive: np.ndarray, s: np.ndarray, class_prior: float | None) -> dict[str, float]:
    counted = dict(zip(COUNTS, counts(positive, s, np.ones(len(s))), strict=True))
    recall = counted["labelled_above"] / counted["labelled"]
    share = counted["above"] / counted["total"]
    found = {
        "f1_pu": rates.f1_pu(recall, share),
        "recall": recall,
        "share": share,
        "gain": recall - share,
    }
    if class_prior is not None:
        found["precision"] = rates.precision(recall, share, class_prior)
        found["f1"] = rates.f1(recall, share, class_prior)
    return {name: float(value) for name, value in found.items()}


def _pairs(said: list[_Said | None]) -> tuple[np.ndarray, np.ndarray]:
    """Share of rows decided alike and Spearman's correlation of scores, of every two methods."""
    alike = np.full((len(said), len(said)), np.nan)
    correlation = alike.copy()
    for i, one in enumerate(said):
        for j, other in enumerate(said[: i + 1]):
            if one is not None and other is not None:
                alike[i, j] = alike[j, i] = np.mean(one.positive == other.positive)
                correlation[i, j] = correlation[j, i] = _correlation(one.rank, other.rank)
    return alike, correlation


def _correlation(rank: np.ndarray | None, other: np.ndarray | None) -> float:
    """Pearson's correlation of ranks; NaN where one of them is flat, or not there."""
    if rank is None or other is None or np.ptp(rank) == 0 or np.ptp(other) == 0:
        return float("nan")
    return float(np.corrcoef(rank, other)[0, 1])
