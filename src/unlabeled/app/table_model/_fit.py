"""Fit a classifier to a table in memory, or to one whose features are in a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from sklearn.pipeline import Pipeline

from ...codes import caught_warnings
from ...engine.estimators import held_out_scores
from ...engine.memory import hand_back
from ...engine.rows import chosen_beforehand, consecutive_slices
from ...labeling import FollowsColumns
from ...linear_model import PropensityLogistic
from ..tables import (
    Batches,
    Differences,
    Feature,
    Labels,
    Prepared,
    TableError,
    TableFeatures,
    Topic,
    conformed_rows,
    table_pipeline,
    topics_of,
)
from ._scored import Scored, rank_of

_BLOCK = 2**17
# Rounding to single precision may move a feature by this share of its spread.
_ROUNDING = 1e-4


@dataclass(frozen=True, eq=False)
class TableFit:
    """A classifier fitted to a table.

    Attributes
    ----------
    pipeline : Pipeline
        A `table_pipeline`, fitted to labels 0 and 1.
    prepared : Prepared
        The columns that are used.
    labels : Labels
        Which rows are labeled.
    X_numeric : ndarray of shape (n_rows, n_features)
        The features that the classifier was fitted to.
    warnings : tuple of (str or None, str)
        Code and sentence of each warning of the fit.
    seconds : dict of str to float
        How long the "features" took, and the "fit" of the classifier to them.
    checked : ndarray of shape (n_rows,) or None
        What is known of rows beside their labels: 1, 0 or NaN.
    labeled_by : tuple of str
        The columns that labeling follows; none if labels are taken as given at random.
    said : tuple of str
        What moved the number of positives, if more than labels did.
    """

    pipeline: Pipeline
    prepared: Prepared
    labels: Labels
    X_numeric: np.ndarray
    warnings: tuple[tuple[str | None, str], ...]
    seconds: dict[str, float]
    checked: np.ndarray | None = None
    labeled_by: tuple[str, ...] = ()
    said: tuple[str, ...] = ()

    @property
    def classifier(self) -> Any:
        """The classifier at the end of the pipeline."""
        return self.pipeline[-1]

    @property
    def feature_names(self) -> list[str]:
        """Names of the features that the classifier was fitted to."""
        return [one.name for one in self.features]

    @property
    def features(self) -> list[Feature]:
        """The features, each with its name and the column that it was made of."""
        return list(self.pipeline[0].features_)

    @property
    def kinds(self) -> dict[str, str]:
        """The kind of each column."""
        return dict(self.pipeline[0].kinds_)

    @property
    def topics(self) -> dict[str, Topic]:
        """Words that describe the features of columns of text."""
        drawn = self.in_memory
        return topics_of(self.pipeline[0], drawn.prepared.X, drawn.X_numeric)

    @property
    def as_fitted(self) -> tuple[Any, Any]:
        """The rows and their labels, as the methods of the classifier take them."""
        return self.X_numeric, self.labels.s

    @property
    def has_propensity(self) -> bool:
        """Whether labeling follows features, so that each row has a propensity of its own."""
        return len(getattr(self.classifier, "propensity_features_", ())) > 0

    @cached_property
    def propensity_logits(self) -> np.ndarray:
        """The logit of each row's propensity, if labeling follows features."""
        model = self.classifier
        named = self.X_numeric[:, model.propensity_features_]
        return np.asarray(model.propensity_intercept_ + named @ model.propensity_coef_)

    @cached_property
    def scored(self) -> Scored:
        """The rows of the table, each scored by a fit without it where there is one."""
        held_out, (X, _) = self.held_out_score, self.as_fitted
        return Scored.of_blocks(
            self.classifier,
            ((X[rows], None if held_out is None else held_out[rows]) for rows in self.blocks()),
        )

    def blocks(self) -> Iterator[slice]:
        """Yield the rows in blocks that may be in memory at once: here all of them."""
        yield slice(None)

    @property
    def of_checked(self) -> dict[str, Any]:
        """The argument `checked` of the fit, for methods that want the training rows again."""
        return {} if self.checked is None else {"checked": self.checked}

    @cached_property
    def held_out_score(self) -> np.ndarray | None:
        """The score of each row by a fit without it, NaN where there is none.

        None if the classifier neither keeps such scores nor can compute them.
        """
        return held_out_scores(self.classifier, *self.as_fitted)

    @cached_property
    def rank_among_unlabeled(self) -> np.ndarray:
        """Among the unlabeled rows, 1 for the largest score; 0 for labeled rows."""
        unlabeled = self.labels.s == 0
        rank = np.zeros(len(unlabeled), dtype=np.int64)
        rank[unlabeled] = rank_of(self.scored.score[unlabeled])
        return rank

    @property
    def in_memory(self) -> TableFit:
        """The rows whose cells are in memory: here all of them."""
        return self

    def position_in_memory(self, rows: np.ndarray) -> np.ndarray:
        """Return where rows of the table are in `in_memory`."""
        return rows


def fit_table(
    classifier: Any,
    prepared: Prepared,
    labels: Labels,
    checked: np.ndarray | None = None,
    labeled_by: Sequence[str] = (),
    earlier: TableFit | None = None,
) -> TableFit:
    """Fit a classifier to the features of a table, which are computed once.

    Parameters
    ----------
    classifier : classifier
        An unfitted classifier of this library; it is fitted in place.
    prepared : Prepared
        The columns to use. With groups only for classifiers whose `fit` takes them.
    labels : Labels
        Which rows are labeled.
    checked : ndarray of shape (n_rows,), optional
        What is known of rows beside their labels: 1, 0 or NaN, see `tables.checked_rows`. Only
        for classifiers whose `fit` takes it.
    labeled_by : list of str
        The columns that labeling follows, see `tables.check_labeled_by`. Their features become
        the `propensity_features` of a `PropensityLogistic`, and the `labeling` of any other.
    earlier : TableFit, optional
        A fit of another classifier to the same `prepared`, whose features are used again.

    Returns
    -------
    fit : TableFit
        With the warnings of the fit, each once.
    """
    pipeline, started = table_pipeline(classifier), perf_counter()
    if earlier is None:
        X_numeric = pipeline[0].fit_transform(prepared.X)
    else:
        pipeline.steps[0], X_numeric = earlier.pipeline.steps[0], earlier.X_numeric
    labeled_by = tuple(dict.fromkeys(labeled_by))
    if labeled_by:
        positions = _features_of(pipeline[0], labeled_by)
        if isinstance(classifier, PropensityLogistic):
            classifier.set_params(propensity_features=positions)
        else:
            classifier.set_params(labeling=FollowsColumns(positions))
    features_made = perf_counter()
    word = None if checked is None else chosen_beforehand(checked)  # who read the table asked
    given = {"checked": word, "groups": prepared.groups}
    further = {name: values for name, values in given.items() if values is not None}
    messages = fit_features(pipeline[-1], X_numeric, labels, **further)
    seconds = {"features": features_made - started, "fit": perf_counter() - features_made}
    said = () if earlier is None else earlier.said
    return TableFit(
        pipeline,
        prepared,
        labels,
        X_numeric,
        messages,
        seconds,
        checked,
        labeled_by,
        said or getattr(pipeline[-1], "labeling_said_", ()),
    )


def fit_features(
    classifier: Any, X_numeric: np.ndarray, labels: Labels, **further: Any
) -> tuple[tuple[str | None, str], ...]:
    """Fit a classifier in place; return code and sentence of each warning, each once."""
    with caught_warnings() as told:
        classifier.fit(X_numeric, labels.s, **further)
    return tuple(dict.fromkeys(told))


def _features_of(table: TableFeatures, columns: Sequence[str]) -> list[int]:
    """Return the positions of all features that were made of some columns."""
    sources = [one.source for one in table.features_]
    for column in columns:
        if column not in sources:
            raise TableError(
                f"`labeled_by` must name columns that say something about the rows; got "
                f"{column!r}, whose cells say nothing that the other columns do not say. Name "
                "another column."
            )
    return [j for j, source in enumerate(sources) if source in columns]


class MappedFeatures(NamedTuple):
    """The features of all rows in a file.

    Attributes
    ----------
    X_numeric : memmap of shape (n_rows, n_features)
        The features, which are read from the file when they are used.
    differences : Differences
        How the rows differ from those that the features were learned from.
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
    def in_memory(self) -> TableFit:
        """The drawn rows, whose cells are in memory; the classifier was fitted to all rows."""
        labels = replace(
            self.labels, s=self.labels.s[self.rows], negative=self.labels.negative[self.rows]
        )
        X_numeric = self.features_of(self.rows)
        return TableFit(
            self.pipeline, self.prepared, labels, X_numeric, self.warnings, self.seconds
        )

    def position_in_memory(self, rows: np.ndarray) -> np.ndarray:
        """Return where drawn rows of the table are in `in_memory`."""
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
        Which of all rows are labeled.
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
    fit.in_memory  # noqa: B018
    fit.seconds["scores"] = perf_counter() - fitted
    return fit
