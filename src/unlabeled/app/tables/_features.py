"""Turn a table into numbers with readable names, in front of a classifier."""

from __future__ import annotations

import hashlib
import re
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from ...engine.extras import needs_extra
from ...engine.parameters import check_positive
from ._columns import as_pandas, coarse_range, storage
from ._words import TableError, listed, rename_hint

# Levels of a category with fewer rows than this are merged.
_RARE = 10
_RARE_SHARE = 0.05
_RARE_LEVEL = "infrequent_sklearn"
_SECONDS = "_total_seconds"
_SECONDS_PER_DAY = 86_400.0
# Skrub's kinds of columns, in plain words.
_KIND_IN_WORDS = {
    "numeric": "number",
    "datetime": "date",
    "low_cardinality": "category",
    "high_cardinality": "text",
}
# What skrub adds to a name that it would give twice.
_SKRUB_SUFFIX = re.compile(r"__skrub_[0-9a-f]+__$")


class Feature(NamedTuple):
    """A feature: an output of the vectoriser, shifted, scaled, and with missing values filled.

    If `output` is None, the feature is computed directly from the column `source`.
    """

    name: str
    source: str
    output: str | None
    indicates_missing: bool = False
    origin: float = 0.0
    unit: float = 1.0
    fill: float = 0.0


class TableFeatures(TransformerMixin, BaseEstimator):
    """Turn the columns of a table into numbers, the same way in every call.

    Skrub's ``TableVectorizer`` tells true/false, dates, categories and text apart in columns that
    are not stored as numbers. Then:

    - Numbers stay as they are; true/false becomes 1/0.
    - A date becomes the number of days since the earliest date, and two cyclic features of the
      month.
    - A category of up to `most_categories` levels becomes one feature per level, except the
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
        Maximum number of distinct values of a category; text columns with more are treated as
        free text.
    text_components : int, default=10
        Features per column of text.

    Attributes
    ----------
    vectoriser_ : skrub.TableVectorizer
        The vectoriser, fitted to the columns that are not stored as numbers.
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
    unlabeled.app.tables.table_pipeline : Puts a classifier behind it.
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

    def fit(self, X: Any, y: Any = None) -> TableFeatures:
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
        self.vectoriser_ = _vectoriser(self.most_categories, self.text_components, rare)
        others = [name for name in X.columns if self.storage_in_[str(name)] != "number"]
        outputs = self.vectoriser_.fit_transform(X[others])
        kind_of = _kinds(X, self.vectoriser_)
        self._keep_kinds(X, kind_of)
        features = _with_different_names(self._features_of(X, outputs, kind_of))
        values = self._values(features, X, outputs)
        kept = _worth_keeping(features, values)
        if not kept:
            raise TableError(
                "`X` must have a column that is not constant; got none. Add a column that varies."
            )
        self.features_ = [features[j] for j in kept]
        self.output_to_input_ = {one.name: one.source for one in self.features_}
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
        check_is_fitted(self, "vectoriser_")
        X = as_pandas(X)
        absent = [name for name in self.feature_names_in_ if name not in X.columns]
        if absent:
            hint = rename_hint(absent[0], [str(name) for name in X.columns])
            raise TableError(
                f"`X` must have the columns of the fit; got none named {listed(absent)}.{hint}"
            )
        X = X[list(self.feature_names_in_)]
        first, place = _distinct(X[list(self.vectoriser_.feature_names_in_)])
        return self._values(self.features_, X, self.vectoriser_.transform(first), place)

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
        check_is_fitted(self, "vectoriser_")
        return np.array([one.name for one in self.features_], dtype=object)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state with plain tuples, so that a saved model does not name `Feature`."""
        state: dict[str, Any] = dict(super().__getstate__())
        if "features_" in state:
            state["features_"] = [tuple(one) for one in state["features_"]]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Make features from the tuples, which may come from an untrusted file."""
        if "features_" in state:
            state = state | {"features_": _features_from(state["features_"])}
        super().__setstate__(state)

    def _keep_columns(self, X: Any) -> None:
        """Store the names of the columns, and how each is stored."""
        self.feature_names_in_ = np.array([str(name) for name in X.columns], dtype=object)
        self.n_features_in_ = len(self.feature_names_in_)
        self.storage_in_ = {str(name): storage(X[name]) for name in X.columns}
        zones = {str(name): getattr(X[name].dtype, "tz", None) for name in X.columns}
        self.zones_in_ = {name: str(zone) for name, zone in zones.items() if zone is not None}

    def _keep_kinds(self, X: Any, kind_of: dict[str, str]) -> None:
        """Store the kind of each column, its format of dates and its range of numbers."""
        self.kinds_ = _kinds_in_words(kind_of, X)
        self.date_formats_ = {
            name: written_as
            for name, written_as in _date_formats(self.vectoriser_).items()
            if self.storage_in_[name] == "text"
        }
        numbers = [name for name in X.columns if self.kinds_[str(name)] == "number"]
        ranges = {str(name): coarse_range(X[name]) for name in numbers}
        self.ranges_in_ = {name: ends for name, ends in ranges.items() if ends is not None}

    def _features_of(self, X: Any, outputs: Any, kind_of: dict[str, str]) -> list[Feature]:
        """Return the features of every column, in the order of the columns."""
        names_of: dict[str, list[str]] = {}
        for name in outputs.columns:
            names_of.setdefault(self.vectoriser_.output_to_input_[name], []).append(name)
        features: list[Feature] = []
        for source in (name for name in X.columns if name in kind_of):
            if self.storage_in_[str(source)] == "number":
                features += _numbers_as_they_are(source, X[source])
            else:
                outputs_of = outputs[names_of.get(source, [])]
                features += _FEATURES_OF[kind_of[source]](source, outputs_of, X[source])
        return features

    def _values(
        self,
        features: list[Feature],
        X: Any,
        outputs: Any,
        place: dict[str, np.ndarray] | None = None,
    ) -> np.ndarray:
        """Return the values of features; `place` is the row of `outputs` of each row of X."""
        values = np.empty((len(X), len(features)))
        for j, one in enumerate(features):
            column = X[one.source] if one.output is None else outputs[one.output]
            if one.indicates_missing:
                found = column.isna().to_numpy()
            else:
                filled = (_with_nan(column) - one.origin) / one.unit
                found = np.where(np.isnan(filled), one.fill, filled)
            if place is not None and one.output is not None:
                found = found[place[one.source]]
            values[:, j] = found
        return values


def table_pipeline(
    classifier: Any, *, most_categories: int = 40, text_components: int = 10
) -> Pipeline:
    """Put a classifier behind `TableFeatures`, so that it takes the columns of a table.

    ``predict`` uses the levels, medians and words of the fit, so a row gets the same numbers in
    any table. Features are not scaled. `PULogistic` standardises them itself, and unpenalised fits
    do not depend on their scale.

    Parameters
    ----------
    classifier : classifier
        Such as ``PULogistic()``.
    most_categories, text_components : int
        See `TableFeatures`.

    Returns
    -------
    pipeline : sklearn.pipeline.Pipeline
        With the steps "table" and "classifier".

    See Also
    --------
    unlabeled.app.table_model.fit_table : From a table to a fitted pipeline and its record.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from unlabeled import PULogistic
    >>> from unlabeled.app.tables import table_pipeline
    >>> rng = np.random.default_rng(0)
    >>> dose = rng.normal(size=500)
    >>> frame = pd.DataFrame({"dose": dose, "ward": rng.choice(["A", "B"], 500)})
    >>> s = (rng.random(500) < 0.4 / (1 + np.exp(-3 * dose))).astype(int)
    >>> model = table_pipeline(PULogistic()).fit(frame, s)
    >>> bool(model.predict_proba(frame)[dose.argmax(), 1] > 0.9)
    True
    """
    features = TableFeatures(most_categories, text_components)
    return Pipeline([("table", features), ("classifier", classifier)])


def _vectoriser(most_categories: int, text_components: int, rare: int) -> Any:
    from sklearn.preprocessing import OneHotEncoder

    with needs_extra("`TableFeatures`", "tables"):
        from skrub import DatetimeEncoder, StringEncoder, TableVectorizer

    return TableVectorizer(
        cardinality_threshold=most_categories,
        low_cardinality=OneHotEncoder(
            handle_unknown="infrequent_if_exist", min_frequency=rare, sparse_output=False
        ),
        high_cardinality=StringEncoder(n_components=text_components, random_state=0),
        datetime=DatetimeEncoder(resolution="month", periodic_encoding="circular"),
    )


def _distinct(X: Any) -> tuple[Any, dict[str, np.ndarray]]:
    """Return a frame with the distinct cells of every column, and where each row finds its own.

    The vectoriser treats columns one by one, and a cell as it treats an equal one. So it need not
    see a cell twice: of a date or a category, a long table has few different ones. Shorter columns
    are filled up with their first cell.
    """
    import pandas as pd

    places: dict[str, np.ndarray] = {}
    firsts: dict[str, np.ndarray] = {}
    for name in X.columns:
        places[name], _ = pd.factorize(X[name], use_na_sentinel=False)
        firsts[name] = np.unique(places[name], return_index=True)[1]
    longest = max((len(first) for first in firsts.values()), default=0)
    columns = {
        name: X[name].iloc[np.append(first, np.zeros(longest - len(first), dtype=np.intp))]
        for name, first in firsts.items()
    }
    return pd.DataFrame(
        {name: column.reset_index(drop=True) for name, column in columns.items()},
        index=pd.RangeIndex(longest),
    ), places


def _features_from(plain: Any) -> list[Feature]:
    """Make features from a list of plain tuples; reject anything else."""
    n_fields = len(Feature._fields)
    if type(plain) is not list or not all(
        type(one) is tuple and len(one) == n_fields for one in plain
    ):
        raise TypeError(f"features must be a list of tuples of {n_fields} values")
    return [Feature(*one) for one in plain]


def _with_nan(column: Any) -> np.ndarray:
    """Return numbers with NaN where they are missing; pandas 2.2.0 does so only if asked."""
    return np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan))


# The features of a column, by skrub's kind of it.


def _numbers_as_they_are(source: str, column: Any) -> list[Feature]:
    values = _with_nan(column)
    return [
        Feature(source, source, None, fill=float(np.nanmedian(values))),
        *_indicator(source, None, column),
    ]


def _numbers(source: str, outputs: Any, column: Any) -> list[Feature]:
    return [
        feature
        for name in outputs.columns
        for feature in (
            Feature(source, source, name, fill=float(outputs[name].median())),
            *_indicator(source, name, outputs[name]),
        )
    ]


def _dates(source: str, outputs: Any, column: Any) -> list[Feature]:
    features = []
    for name in outputs.columns:
        values = outputs[name].astype(np.float64)
        if name.startswith(source + _SECONDS):
            first = float(values.min())
            middle = (float(values.median()) - first) / _SECONDS_PER_DAY
            days = Feature(f"{source} (days)", source, name, False, first, _SECONDS_PER_DAY, middle)
            features += [days, *_indicator(source, name, values)]
        elif "_circular_" in name:
            season = len([one for one in features if "season" in one.name]) + 1
            features.append(
                Feature(f"{source} (season {season})", source, name, fill=float(values.median()))
            )
    return features


def _levels(source: str, outputs: Any, column: Any) -> list[Feature]:
    frequent = outputs.mean().idxmax() if outputs.shape[1] > 1 else None
    return [
        Feature(_level_name(source, name), source, name)
        for name in outputs.columns
        if name != frequent
    ]


def _level_name(source: str, output: str) -> str:
    level = _SKRUB_SUFFIX.sub("", output)[len(source) + 1 :]
    if level in ("nan", "None", "<NA>"):
        return f"{source} is missing"
    return f"{source}={'(rare)' if level == _RARE_LEVEL else level}"


def _text(source: str, outputs: Any, column: Any) -> list[Feature]:
    parts = [
        Feature(f"{source} (text {j})", source, name) for j, name in enumerate(outputs.columns, 1)
    ]
    return parts + _indicator(source, None, column)


def _indicator(source: str, output: str | None, values: Any) -> list[Feature]:
    return [Feature(f"{source} is missing", source, output, True)] * bool(values.isna().any())


_FEATURES_OF = {
    "numeric": _numbers,
    "datetime": _dates,
    "low_cardinality": _levels,
    "high_cardinality": _text,
    "specific": _numbers,
}


def _kinds(X: Any, vectoriser: Any) -> dict[str, str]:
    """Return skrub's kind of each column that is not blank.

    Columns stored as numbers are numbers. Skrub does not see them: it takes milliseconds for each,
    and converts them to single precision.
    """
    seen = set(vectoriser.feature_names_in_)
    numbers = [name for name in X.columns if name not in seen and not X[name].isna().all()]
    return dict.fromkeys(numbers, "numeric") | vectoriser.column_to_kind_


def _kinds_in_words(kind_of: dict[str, str], X: Any) -> dict[str, str]:
    """Return the kind of each column: number, true/false, category, date, text or blank."""
    import pandas as pd

    words = {}
    for name in X.columns:
        word = _KIND_IN_WORDS.get(kind_of.get(name, ""), "blank")
        if word == "number" and pd.api.types.infer_dtype(X[name], skipna=True) == "boolean":
            word = "true/false"
        words[str(name)] = word
    return words


def _date_formats(vectoriser: Any) -> dict[str, str]:
    """Return how dates are written, for columns where the vectoriser had to find out."""
    found: dict[str, str] = {}
    for name in vectoriser.kind_to_columns_["datetime"]:
        steps = vectoriser.all_processing_steps_[name]
        formats = [getattr(step, "format_", None) for step in steps]
        found |= {str(name): one for one in formats if one is not None}
    return found


def _with_different_names(features: list[Feature]) -> list[Feature]:
    """Number names that several features share, such as those of columns 'a' and 'a=b'."""
    seen: dict[str, int] = {}
    renamed = []
    for one in features:
        seen[one.name] = seen.get(one.name, 0) + 1
        name = one.name if seen[one.name] == 1 else f"{one.name} [{seen[one.name]}]"
        renamed.append(one._replace(name=name))
    return renamed


def _worth_keeping(features: list[Feature], values: np.ndarray) -> list[int]:
    """Return the indices of features that vary and are not duplicate indicators."""
    kept, seen = [], set()
    for j, one in enumerate(features):
        column = values[:, j]
        if column.min() == column.max():
            continue
        if one.indicates_missing:
            cells = hashlib.sha256(column.tobytes()).digest()
            if cells in seen:
                continue
            seen.add(cells)
        kept.append(j)
    return kept
