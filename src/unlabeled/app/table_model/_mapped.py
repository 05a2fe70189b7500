"""Fit a classifier to a table larger than memory: its features are in a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from sklearn.pipeline import Pipeline

from ...engine.memory import hand_back
from ...engine.rows import consecutive_slices
from ..tables import (
    Batches,
    Differences,
    Labels,
    Prepared,
    TableFeatures,
    conformed_rows,
)
from ._fit import TableFit, fit_features
from ._scored import Scored, rank_of

_BLOCK = 2**17
# Rounding to single precision may move a feature by this share of its spread.
_ROUNDING = 1e-4


class MappedFeatures(NamedTuple):
    """The features of all rows in a file.

    Attributes
    ----------
    X_numeric : memmap of shape (n_rows, n_features)
        The features, which are read from the file when they are used.
    differences : Differences
        How the rows differ from those that the features were learnt from.
    """

    X_numeric: np.memmap
    differences: Differences


def precision_for(X_numeric: np.ndarray) -> np.dtype[Any]:
    """Return single precision, unless it would round a feature by too much of its spread.

    Examples
    --------
    >>> precision_for(np.array([[0.1], [0.2]])).name
    'float32'
    >>> precision_for(np.array([[20240101.0], [20240102.0]])).name
    'float64'
    """
    moved = np.abs(X_numeric - X_numeric.astype(np.float32)).max(axis=0)
    spread = X_numeric.std(axis=0)
    return np.dtype(np.float32 if np.all(moved <= _ROUNDING * spread) else np.float64)


def map_features(
    batches: Batches,
    features: TableFeatures,
    path: Path,
    *,
    precision: np.dtype[Any],
    reading: Mapping[str, Iterable[str]],
    id: str | None = None,
    progress: Any = None,
) -> MappedFeatures:
    """Write the features of all rows to a file, batch by batch.

    Parameters
    ----------
    batches : Batches
        The table.
    features : TableFeatures
        Fitted to some of its rows.
    path : Path
        The file to write. It is written as any file, so that its pages are not memory of this
        process.
    precision : dtype
        See `precision_for`.
    reading : dict
        How the rows of the fit were read: `Reading.record`.
    id : str, optional
        The identifier column.
    progress : callable, optional
        See `Batches.read`.

    Returns
    -------
    mapped : MappedFeatures

    Raises
    ------
    TableError
        If a cell contradicts the rows that the features were fitted to.
    """
    found: Differences | None = None
    n_rows, n_features = 0, len(features.features_)
    with path.open("wb") as file:
        for table, _ in batches.read_like(features, id, reading, progress):
            X = conformed_rows(table, features, in_fit=True)
            new = Differences.of(table, X, features)
            found = new if found is None else found + new
            features.transform(X).astype(precision).tofile(file)
            n_rows += len(X)
    assert found is not None
    X_numeric = np.memmap(path, precision, "r", shape=(n_rows, n_features))
    return MappedFeatures(X_numeric, found)


@dataclass(frozen=True, eq=False)
class MappedFit(TableFit):
    """A classifier fitted to features in a file; of some rows, the cells are in memory too.

    Attributes
    ----------
    rows : ndarray of shape (n_drawn,)
        The rows that `prepared` holds, in increasing order; `labels` and `X_numeric` hold all.
    """

    rows: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    @cached_property
    def scored(self) -> Scored:
        """The rows of the table, each scored by a fit without it where there is one."""
        held_out, model = self.held_out_score, self.classifier
        n_rows = len(self.labels.s)
        score, posterior = np.empty(n_rows), np.empty(n_rows)
        decision = np.empty(n_rows, dtype=np.uint8)
        for block in self.blocks():
            given = None if held_out is None else held_out[block]
            if given is None or np.isnan(given).any():
                found = Scored.of(model, self.X_numeric[block], given)
                score[block] = found.score
            else:
                score[block] = given
            posterior[block] = model.posterior_at(score[block])
            decision[block] = score[block] > model.threshold_
        return Scored(score, posterior, decision, rank_of(score))

    @cached_property
    def part(self) -> TableFit:
        """The drawn rows, whose cells are in memory; the classifier was fitted to all rows."""
        labels = replace(
            self.labels, s=self.labels.s[self.rows], negative=self.labels.negative[self.rows]
        )
        X_numeric = self.features_of(self.rows)
        return TableFit(
            self.pipeline, self.prepared, labels, X_numeric, self.warnings, self.seconds
        )

    def place_in_part(self, rows: np.ndarray) -> np.ndarray:
        """Return where drawn rows of the table are in `part`."""
        return np.searchsorted(self.rows, rows)

    def features_of(self, rows: np.ndarray) -> np.ndarray:
        """Return the features of rows in increasing order, without keeping pages of the file."""
        found = np.empty((len(rows), self.X_numeric.shape[1]))
        for block in self.blocks():
            inside = slice(*np.searchsorted(rows, (block.start, block.stop)))
            found[inside] = self.X_numeric[rows[inside]]
        return found

    def blocks(self) -> Iterator[slice]:
        """Yield the rows in blocks, and hand back the pages of the file that each has read."""
        for block in consecutive_slices(len(self.labels.s), _BLOCK):
            yield block
            hand_back(self.X_numeric)


def fit_mapped(
    classifier: Any,
    features: TableFeatures,
    X_numeric: np.memmap,
    prepared: Prepared,
    labels: Labels,
    rows: np.ndarray,
) -> MappedFit:
    """Fit a classifier to features in a file.

    Parameters
    ----------
    classifier : classifier
        An unfitted classifier of this library that reads a map in blocks, such as `PULogistic`.
    features : TableFeatures
        Fitted to drawn rows.
    X_numeric : memmap of shape (n_rows, n_features)
        The features of all rows, see `map_features`.
    prepared : Prepared
        The columns of the drawn rows.
    labels : Labels
        Which of all rows are labelled.
    rows : ndarray of shape (n_drawn,)
        Where the drawn rows are.

    Returns
    -------
    fit : MappedFit
        With the scores of all rows.
    """
    started = perf_counter()
    pipeline = Pipeline([("table", features), ("classifier", classifier)])
    messages = fit_features(classifier, X_numeric, labels)
    fitted = perf_counter()
    fit = MappedFit(
        pipeline, prepared, labels, X_numeric, messages, {"fit": fitted - started}, rows=rows
    )
    fit.scored  # noqa: B018  # computed here, for its seconds
    fit.part  # noqa: B018
    fit.seconds["scores"] = perf_counter() - fitted
    return fit
