"""Turn a table into numbers with readable names, in front of a classifier."""

from __future__ import annotations

import hashlib
from numbers import Integral
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from ...engine.parameters import check_positive
from ...engine.sklearn_types import BaseEstimator, TransformerMixin
from ._columns import as_numbers, as_pandas, coarse_range, storage
from ._encodings import (
    Dates,
    Encoding,
    Feature,
    Numbers,
    Settings,
    as_plain,
    encoded,
    from_plain,
    learned,
)
from ._words import TableError, listed, rename_hint

# Levels of a category with fewer rows than this are merged.
_RARE = 10
_RARE_SHARE = 0.05


class TableFeatures(TransformerMixin, BaseEstimator):
    """Turn the columns of a table into numbers, the same way in every call.

    A column that is not stored as numbers is tried as dates, as numbers (true/false among them), as
    a category, and is free text otherwise. Then:

    - Numbers stay as they are; true/false becomes 1/0.
    - A date becomes the number of days since the earliest date, and two cyclic features of the
      month.
    - A category of fewer than `most_categories` levels becomes one feature per level, except the
      most frequent one. Levels with fewer than ten rows (5 % of the rows in small tables) are
      merged. An unknown level in new rows is treated as a merged level, or as the most frequent
      level if none was merged.
    - Other text becomes `text_components` features, the leading components of its
      TF-IDF-weighted character 3- and 4-grams.
    - The median replaces missing numbers and dates. Each column with missing values gets a
      feature that marks them: a missing value can be informative, and can reveal the label.

    Constant features and duplicate indicators of missing values are dropped.

    Parameters
    ----------
    most_categories : int, default=40
        Text columns with so many distinct values, or more, are free text and no category, unless
        they hold codes: at most 200 words without a space, with five rows each on the mean.
    text_components : int, default=10
        Features per column of text.

    Attributes
    ----------
    encodings_ : dict of str to object
        What was learned from each column that is not stored as numbers, as plain values: the format
        of dates, the levels of a category, the pieces and weights of text.
    features_ : list of Feature
        The name of each feature, its column, and how to compute it, in the order of
        `get_feature_names_out`.
    output_to_input_ : dict of str to str
        The column that each feature comes from.
    kinds_ : dict of str to str
        The kind of each column: "number", "true/false", "category", "date", "text", or
        "blank" if all its cells are missing.
    feature_names_in_ : ndarray of str
        Names of the columns.
    storage_in_ : dict of str to str
        How each column was stored in the fit: "number", "true/false", "date" or "text".
    zones_in_ : dict of str to str
        Time zones of the columns of dates that have one.
    ranges_in_ : dict of str to (float, float)
        The range of each column of numbers, rounded outwards.
    date_formats_ : dict of str to str
        How dates are written in columns that store them as text.

    See Also
    --------
    unlabeled.app.table_pipeline : Puts a classifier behind it.
    sklearn.compose.ColumnTransformer : To choose every step yourself.

    Examples
    --------
    >>> import pandas as pd
    >>> from unlabeled.app.tables import TableFeatures
    >>> frame = pd.DataFrame({"age": [61, None, 50, 38], "sex": ["f", "m", "f", "f"]})
    >>> features = TableFeatures().fit(frame)
    >>> features.get_feature_names_out().tolist()
    ['age', 'age is missing', 'sex=m']
    >>> features.transform(frame.iloc[:2])
    array([[61.,  0.,  0.],
           [50.,  1.,  1.]])
    """

    def __init__(self, most_categories: int = 40, text_components: int = 10) -> None:
        self.most_categories = most_categories
        self.text_components = text_components

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the levels, words and medians of a frame.

        Parameters
        ----------
        X : pandas or polars data frame
            With at least one row.
        y : None
            Not used.

        Returns
        -------
        self : TableFeatures
        """
        self.fit_transform(X)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> np.ndarray:
        """Learn the levels, words and medians of a frame, and return its features.

        Parameters
        ----------
        X : pandas or polars data frame
            With at least one row.
        y : None
            Not used.

        Returns
        -------
        values : ndarray of shape (n_rows, n_features)
        """
        for name in ("most_categories", "text_components"):
            check_positive(name, getattr(self, name), Integral, "a whole number of at least 1")
        X = as_pandas(X)
        if 0 in X.shape:
            raise TableError(f"`X` must have at least one row and one column; got shape {X.shape}.")
        self._keep_columns(X)
        rare = min(_RARE, int(_RARE_SHARE * len(X)) + 1)
        settings = Settings(self.most_categories, self.text_components, rare)
        self.encodings_: dict[str, Encoding] = {}
        outputs: dict[str, np.ndarray] = {}
        for name, held in self.storage_in_.items():
            result = None if held == "number" else learned(X[name], settings)
            if result is not None:
                self.encodings_[name], outputs[name] = result
        self._keep_kinds(X)
        features = _with_different_names(self._features_of(X, outputs))
        values = self._values(features, X, outputs)
        kept = _worth_keeping(features, values)
        if not kept:
            raise TableError(
                "`X` must have a column that is not constant; got none. Add a column that varies."
            )
        self.features_ = [features[j] for j in kept]
        self.output_to_input_ = {feature.name: feature.source for feature in self.features_}
        return values if len(kept) == len(features) else values[:, kept]

    def transform(self, X: Any) -> np.ndarray:
        """Return the features of the rows of a frame.

        Parameters
        ----------
        X : pandas or polars data frame
            With the columns of the fit, in any order; others are ignored.

        Returns
        -------
        values : ndarray of shape (n_rows, n_features)
        """
        check_is_fitted(self, "features_")
        X = as_pandas(X)
        absent = [name for name in self.feature_names_in_ if name not in X.columns]
        if absent:
            hint = rename_hint(absent[0], [str(name) for name in X.columns])
            raise TableError(
                f"`X` must have the columns of the fit; got none named {listed(absent)}.{hint}"
            )
        used = {feature.source for feature in self.features_ if feature.output is not None}
        outputs = {name: encoded(self.encodings_[name], X[name]) for name in used}
        return self._values(self.features_, X, outputs)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the names of the features.

        Parameters
        ----------
        input_features : None
            Not used.

        Returns
        -------
        names : ndarray of str
        """
        check_is_fitted(self, "features_")
        return np.array([feature.name for feature in self.features_], dtype=object)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state as plain values, so that a saved model names no small types of ours."""
        state: dict[str, Any] = dict(super().__getstate__())
        if "features_" in state:
            state["features_"] = [tuple(feature) for feature in state["features_"]]
            state["encodings_"] = {
                name: as_plain(encoding) for name, encoding in self.encodings_.items()
            }
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Make features and encodings of plain values, which may come from an untrusted file."""
        if "features_" in state:
            plain = state.get("encodings_", {})
            encodings = {name: from_plain(encoding) for name, encoding in plain.items()}
            features = _features_from(state["features_"])
            state = state | {"features_": features, "encodings_": encodings}
        super().__setstate__(state)

    def _keep_columns(self, X: Any) -> None:
        """Store the names of the columns, and how each is stored."""
        self.feature_names_in_ = np.array([str(name) for name in X.columns], dtype=object)
        self.n_features_in_ = len(self.feature_names_in_)
        self.storage_in_ = {str(name): storage(X[name]) for name in X.columns}
        zones = {str(name): getattr(X[name].dtype, "tz", None) for name in X.columns}
        self.zones_in_ = {name: str(zone) for name, zone in zones.items() if zone is not None}

    def _keep_kinds(self, X: Any) -> None:
        """Store the kind of each column, its format of dates and its range of numbers."""
        self.kinds_ = {name: _kind(self.encodings_.get(name), X[name]) for name in self.storage_in_}
        self.date_formats_ = {
            name: encoding.date_format
            for name, encoding in self.encodings_.items()
            if isinstance(encoding, Dates) and encoding.date_format is not None
        }
        numbers = [name for name, kind in self.kinds_.items() if kind == "number"]
        ranges = {name: coarse_range(X[name]) for name in numbers}
        self.ranges_in_ = {name: ends for name, ends in ranges.items() if ends is not None}

    def _features_of(self, X: Any, outputs: dict[str, np.ndarray]) -> list[Feature]:
        """Return the features of every column, in the order of the columns."""
        features: list[Feature] = []
        for name, kind in self.kinds_.items():
            if name in outputs:
                gaps = bool(X[name].isna().any())
                features += self.encodings_[name].features(name, outputs[name], gaps)
            elif kind != "blank":
                features += _numbers_as_they_are(name, X[name])
        return features

    def _values(
        self, features: list[Feature], X: Any, outputs: dict[str, np.ndarray]
    ) -> np.ndarray:
        """Return the values of features, from the columns of X or what they are encoded as."""
        values = np.empty((len(X), len(features)))
        for j, feature in enumerate(features):
            if feature.output is not None:
                column = outputs[feature.source][:, feature.output]
            elif feature.indicates_missing:
                column = np.where(X[feature.source].isna(), np.nan, 0.0)
            else:
                column = as_numbers(X[feature.source])
            if feature.indicates_missing:
                values[:, j] = np.isnan(column)
            else:
                filled = (column - feature.origin) / feature.unit
                values[:, j] = np.where(np.isnan(filled), feature.fill, filled)
        return values


def table_pipeline(
    classifier: Any, *, most_categories: int = 40, text_components: int = 10
) -> Pipeline:
    """Put a classifier behind a step that turns the columns of a table into numbers.

    A category becomes one feature per level, a date days and the time of the year, text its leading
    components. A missing cell gets the median, and a feature that marks it.

    ``predict`` uses the levels, medians and words of the fit, so a row gets the same numbers in
    any table. Features are not scaled. `PULogistic` standardizes them itself, and unpenalized fits
    do not depend on their scale.

    Parameters
    ----------
    classifier : classifier
        Such as ``PULogistic()``.
    most_categories : int, default=40
        Text columns with so many distinct values, or more, are free text and no category, unless
        they hold codes: at most 200 words without a space, with five rows each on the mean.
    text_components : int, default=10
        Features per column of text.

    Returns
    -------
    pipeline : sklearn.pipeline.Pipeline
        With the steps "table" and "classifier".

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from unlabeled import PULogistic
    >>> from unlabeled.app import table_pipeline
    >>> rng = np.random.default_rng(0)
    >>> dose = rng.normal(size=500)
    >>> frame = pd.DataFrame({"dose": dose, "ward": rng.choice(["A", "B"], 500)})
    >>> s = (rng.random(500) < 0.4 / (1 + np.exp(-3 * dose))).astype(int)
    >>> model = table_pipeline(PULogistic()).fit(frame, s)
    >>> bool(model.predict_proba(frame)[dose.argmax(), 1] > 0.9)
    True
    """
    features = TableFeatures(most_categories, text_components)
    named = getattr(classifier, "propensity_features", None) or ()
    if any(isinstance(one, str) for one in named):
        raise ValueError(
            "`propensity_features` must hold positions of features in a table_pipeline, because a "
            f"column may become several features; got {list(named)}. Make the pipeline without "
            "them, fit its step 'table', and pass the positions of the names in "
            "pipeline['table'].get_feature_names_out(). Or name the column with --labeled-by of "
            "`unlabeled fit`."
        )
    return Pipeline([("table", features), ("classifier", classifier)])


def _features_from(plain: Any) -> list[Feature]:
    """Make features from a list of plain tuples; reject anything else."""
    n_fields = len(Feature._fields)
    if type(plain) is not list or not all(
        type(values) is tuple and len(values) == n_fields for values in plain
    ):
        raise TypeError(f"features must be a list of tuples of {n_fields} values")
    return [Feature(*values) for values in plain]


def _numbers_as_they_are(source: str, column: Any) -> list[Feature]:
    fill = float(np.nanmedian(as_numbers(column)))
    gaps = bool(column.isna().any())
    return [
        Feature(source, source, None, fill=fill),
        *[Feature(f"{source} is missing", source, None, True)] * gaps,
    ]


def _kind(encoding: Encoding | None, column: Any) -> str:
    """Return the kind of a column: number, true/false, category, date, text or blank."""
    import pandas as pd

    if encoding is None:
        is_number = storage(column) == "number" and not column.isna().all()
        return "number" if is_number else "blank"
    truth = isinstance(encoding, Numbers) and pd.api.types.infer_dtype(column) == "boolean"
    return "true/false" if truth else encoding.kind


def _with_different_names(features: list[Feature]) -> list[Feature]:
    """Number names that several features share, such as those of columns 'a' and 'a=b'."""
    seen: dict[str, int] = {}
    renamed = []
    for feature in features:
        seen[feature.name] = seen.get(feature.name, 0) + 1
        name = feature.name if seen[feature.name] == 1 else f"{feature.name} [{seen[feature.name]}]"
        renamed.append(feature._replace(name=name))
    return renamed


def _worth_keeping(features: list[Feature], values: np.ndarray) -> list[int]:
    """Return the indices of features that vary and are not duplicate indicators."""
    kept, seen = [], set()
    for j, feature in enumerate(features):
        column = values[:, j]
        if column.min() == column.max():
            continue
        if feature.indicates_missing:
            cells = hashlib.sha256(column.tobytes()).digest()
            if cells in seen:
                continue
            seen.add(cells)
        kept.append(j)
    return kept


# The words that describe the features of a column of text.

_MOST_ROWS = 20_000
_MOST_WORDS = 2000
_SHOWN = 4
_WORD = r"(?u)\b\w{3,}\b"
# A word in fewer rows than this may identify a person.
_FEWEST_ROWS = 10
# Words with a smaller correlation than this do not describe a feature.
_LEAST_CORRELATION = 0.1


class Topic(NamedTuple):
    """Words that are typical of rows with large, and with small, values of a feature."""

    large: tuple[str, ...]
    small: tuple[str, ...]


def topics_of(features: TableFeatures, X: Any, X_numeric: np.ndarray) -> dict[str, Topic]:
    """Find the words that describe the features of columns of text, which have no names.

    A word describes a feature if the feature correlates with whether a row has the word. Words
    in fewer than ten rows are left out, so that they identify no single row.

    Parameters
    ----------
    features : TableFeatures
        The fitted features.
    X : pandas.DataFrame
        Columns of the fit. With more than 20 000 rows, only evenly spaced rows are used.
    X_numeric : ndarray of shape (n_rows, n_features)
        ``features.transform(X)``.

    Returns
    -------
    topics : dict of str to Topic
        By the name of the feature, with at most four words in each direction, the strongest
        first. Features without such a word are left out.

    Examples
    --------
    >>> import pandas as pd
    >>> from unlabeled.app.tables import TableFeatures, topics_of
    >>> place = ["heart", "skin"] * 30
    >>> notes = [f"{one} hurts since day {day}" for day, one in enumerate(place)]
    >>> frame = pd.DataFrame({"notes": notes})
    >>> features = TableFeatures(text_components=2)
    >>> X_numeric = features.fit_transform(frame)
    >>> sorted({word for topic in topics_of(features, frame, X_numeric).values()
    ...         for word in (*topic.large, *topic.small)})
    ['heart', 'skin']
    """
    every = -(-len(X) // _MOST_ROWS)
    of_text: dict[str, list[int]] = {}
    for j, one in enumerate(features.features_):
        if features.kinds_[one.source] == "text" and not one.indicates_missing:
            of_text.setdefault(one.source, []).append(j)
    by_feature: dict[str, Topic] = {}
    for source, columns in of_text.items():
        topics = _topics(X[source].iloc[::every], X_numeric[::every, columns])
        names = [features.features_[j].name for j in columns]
        by_feature |= {name: one for name, one in zip(names, topics, strict=True) if any(one)}
    return by_feature


def _topics(texts: Any, X_numeric: np.ndarray) -> list[Topic]:
    words, has = _words(texts)
    if not words:
        return [Topic((), ())] * X_numeric.shape[1]
    return [_topic(words, column) for column in _correlation(has, X_numeric).T]


def _words(texts: Any) -> tuple[list[str], Any]:
    """Return the words of at least ten rows, and which rows have them."""
    from sklearn.feature_extraction.text import CountVectorizer

    counter = CountVectorizer(
        binary=True, min_df=_FEWEST_ROWS, max_features=_MOST_WORDS, token_pattern=_WORD
    )
    try:
        has = counter.fit_transform(texts.fillna("").astype(str))
    except ValueError:  # no word is in ten rows
        return [], None
    return counter.get_feature_names_out().tolist(), has


def _correlation(has: Any, X_numeric: np.ndarray) -> np.ndarray:
    share = np.asarray(has.sum(axis=0)).ravel() / len(X_numeric)
    centered = X_numeric - X_numeric.mean(axis=0)
    spread = np.sqrt(np.outer(share * (1 - share), (centered**2).mean(axis=0)))
    together = np.asarray(has.T @ centered) / len(X_numeric)
    return np.divide(together, spread, out=np.zeros_like(together), where=spread > 0)


def _topic(words: list[str], correlation: np.ndarray) -> Topic:
    def strongest(values: np.ndarray) -> tuple[str, ...]:
        order = np.argsort(-values, kind="stable")[:_SHOWN]
        return tuple(words[k] for k in order if values[k] >= _LEAST_CORRELATION)

    return Topic(strongest(correlation), strongest(-correlation))
