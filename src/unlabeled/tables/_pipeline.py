"""A classifier that takes tables."""

from __future__ import annotations

from typing import Any

from sklearn.pipeline import Pipeline

from ._features import TableFeatures


def table_pipeline(
    classifier: Any, *, most_categories: int = 40, text_components: int = 10
) -> Pipeline:
    """Put a classifier behind `TableFeatures`, so that it takes the columns of a table.

    What was learnt from the table of the fit (levels, medians, words) is used
    again by ``predict``, so a row gets the same numbers in any table. Scales are
    left to the classifier: those of this library do not depend on them.

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
    unlabeled.table_model.fit_table : From a table to a fitted pipeline and its record.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from unlabeled import PULogistic
    >>> from unlabeled.tables import table_pipeline
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
