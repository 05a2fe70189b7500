"""Find the words that describe the features of a column of text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from ._features import TableFeatures

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
    centred = X_numeric - X_numeric.mean(axis=0)
    spread = np.sqrt(np.outer(share * (1 - share), (centred**2).mean(axis=0)))
    together = np.asarray(has.T @ centred) / len(X_numeric)
    return np.divide(together, spread, out=np.zeros_like(together), where=spread > 0)


def _topic(words: list[str], correlation: np.ndarray) -> Topic:
    def strongest(values: np.ndarray) -> tuple[str, ...]:
        order = np.argsort(-values, kind="stable")[:_SHOWN]
        return tuple(words[k] for k in order if values[k] >= _LEAST_CORRELATION)

    return Topic(strongest(correlation), strongest(-correlation))
