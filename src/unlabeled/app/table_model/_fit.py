"""Fit a classifier to a table."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from ...codes import PUWarning
from ...engine.estimators import held_out_scores
from ..tables import Labels, Prepared, TableError, TableFeatures, table_pipeline
from ._scored import Scored, rank_of


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
        Which rows are labelled.
    X_numeric : ndarray of shape (n_rows, n_features)
        The features that the classifier was fitted to.
    warnings : tuple of (str or None, str)
        Code and sentence of each warning of the fit.
    seconds : dict of str to float
        How long the "features" took, and the "fit" of the classifier to them.
    checked : ndarray of shape (n_rows,) or None
        What is known of rows beside their labels: 1, 0 or NaN.
    labelled_by : tuple of str
        The columns that labelling follows; none if labels are taken as given at random.
    """

    pipeline: Pipeline
    prepared: Prepared
    labels: Labels
    X_numeric: np.ndarray
    warnings: tuple[tuple[str | None, str], ...]
    seconds: dict[str, float]
    checked: np.ndarray | None = None
    labelled_by: tuple[str, ...] = ()

    @property
    def classifier(self) -> Any:
        """The classifier at the end of the pipeline."""
        return self.pipeline[-1]

    @property
    def feature_names(self) -> list[str]:
        """Names of the features that the classifier was fitted to."""
        return [str(name) for name in self.pipeline[0].get_feature_names_out()]

    @cached_property
    def scored(self) -> Scored:
        """The rows of the table, each scored by a fit without it where there is one."""
        return Scored.of(self.classifier, self.X_numeric, self.held_out_score)

    @property
    def of_checked(self) -> dict[str, Any]:
        """The argument `checked` of the fit, for methods that want the training rows again."""
        return {} if self.checked is None else {"checked": self.checked}

    @cached_property
    def held_out_score(self) -> np.ndarray | None:
        """The score of each row by a fit without it, NaN where there is none.

        None if the classifier neither keeps such scores nor can compute them.
        """
        return held_out_scores(self.classifier, self.X_numeric, self.labels.s)

    @cached_property
    def rank_among_unlabelled(self) -> np.ndarray:
        """Among the unlabelled rows, 1 for the largest score; 0 for labelled rows."""
        unlabelled = self.labels.s == 0
        rank = np.zeros(len(unlabelled), dtype=np.int64)
        rank[unlabelled] = rank_of(self.scored.score[unlabelled])
        return rank

    @property
    def part(self) -> TableFit:
        """The rows whose cells are in memory: here all of them."""
        return self

    def place_in_part(self, rows: np.ndarray) -> np.ndarray:
        """Return where rows of the table are in `part`."""
        return rows


def fit_table(
    classifier: Any,
    prepared: Prepared,
    labels: Labels,
    checked: np.ndarray | None = None,
    labelled_by: Sequence[str] = (),
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
        Which rows are labelled.
    checked : ndarray of shape (n_rows,), optional
        What is known of rows beside their labels: 1, 0 or NaN, see `tables.checked_rows`. Only
        for classifiers whose `fit` takes it.
    labelled_by : list of str
        The columns that labelling follows, see `tables.check_labelled_by`. Only for a
        `PropensityLogistic`, whose `propensity_features` become the features of these columns.
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
    labelled_by = tuple(dict.fromkeys(labelled_by))
    if labelled_by:
        pipeline[-1].set_params(propensity_features=_features_of(pipeline[0], labelled_by))
    features_made = perf_counter()
    given = {"checked": checked, "groups": prepared.groups}
    further = {name: values for name, values in given.items() if values is not None}
    messages = fit_features(pipeline[-1], X_numeric, labels, **further)
    seconds = {"features": features_made - started, "fit": perf_counter() - features_made}
    return TableFit(pipeline, prepared, labels, X_numeric, messages, seconds, checked, labelled_by)


def fit_features(
    classifier: Any, X_numeric: np.ndarray, labels: Labels, **further: Any
) -> tuple[tuple[str | None, str], ...]:
    """Fit a classifier in place; return code and sentence of each warning, each once."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        classifier.fit(X_numeric, labels.s, **further)
    return tuple(dict.fromkeys(_code_and_sentence(one.message) for one in caught))


def _features_of(table: TableFeatures, columns: Sequence[str]) -> list[int]:
    """Return the positions of all features that were made of some columns."""
    sources = [one.source for one in table.features_]
    for column in columns:
        if column not in sources:
            raise TableError(
                f"`labelled_by` must name columns that say something about the rows; got "
                f"{column!r}, whose cells say nothing that the other columns do not say. Name "
                "another column."
            )
    return [j for j, source in enumerate(sources) if source in columns]


def _code_and_sentence(message: Warning | str) -> tuple[str | None, str]:
    if isinstance(message, PUWarning):
        return message.code, message.message
    return None, str(message)
