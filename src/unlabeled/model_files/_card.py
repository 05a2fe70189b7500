"""The card of a model: what it was fitted to, and what it decides by."""

from __future__ import annotations

import platform
from dataclasses import asdict, dataclass, field
from importlib import metadata
from typing import Any

from .._version import __version__
from ..linear_model import EnhancedLogistic
from ._without_rows import check_settings, parts

FORMAT = 2
"""Number of the format of the two files; any other is rejected."""

_PACKAGES = ("numpy", "scipy", "scikit-learn", "pandas", "skrub", "skops")


@dataclass(frozen=True)
class Card:
    """What is to be known of a model without opening it: the content of ``model.json``.

    Attributes
    ----------
    columns : dict of str to str
        The columns that are used, and what each was taken for: "number", "true/false",
        "category", "date", "text", or "blank".
    label, positive : str
        The label column, and its value in labelled rows.
    id : str or None
        The column that names rows.
    method : str
        The name of the method, or the class.
    rule : str or None
        What the cut is best for; None where the posterior is cut at 1/2.
    threshold : float
        Rows with a larger score are predicted positive.
    label_frequency, class_prior : float or None
        c and P(Y=1), as given or estimated.
    fingerprint : dict
        Of the table: "sha256" of its file, and its numbers of "rows" and "columns".
    versions : dict of str to str
        Of this library, Python and the packages that were used.
    format : int
        Of the files.
    sha256 : str
        Of ``model.skops``; empty until it is saved.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from unlabeled import PULogistic
    >>> from unlabeled.model_files import Card
    >>> from unlabeled.tables import table_pipeline
    >>> rng = np.random.default_rng(0)
    >>> dose = rng.normal(size=500)
    >>> frame = pd.DataFrame({"dose": dose, "smoker": rng.random(500) < 0.3})
    >>> s = (rng.random(500) < 0.4 / (1 + np.exp(-3 * dose))).astype(int)
    >>> model = table_pipeline(PULogistic()).fit(frame, s)
    >>> table = {"sha256": "0" * 64, "rows": 500, "columns": 3}
    >>> Card.of(model, label="ill", positive="1", fingerprint=table).columns
    {'dose': 'number', 'smoker': 'true/false'}
    """

    columns: dict[str, str]
    label: str
    positive: str
    id: str | None
    method: str
    rule: str | None
    threshold: float
    label_frequency: float | None
    class_prior: float | None
    fingerprint: dict[str, Any]
    versions: dict[str, str] = field(default_factory=lambda: versions_in_use())
    format: int = FORMAT
    sha256: str = ""

    @classmethod
    def of(
        cls,
        pipeline: Any,
        *,
        label: str,
        positive: str,
        fingerprint: dict[str, Any],
        id: str | None = None,
        method: str | None = None,
    ) -> Card:
        """Describe a fitted pipeline.

        Parameters
        ----------
        pipeline : sklearn.pipeline.Pipeline
            A fitted `unlabeled.tables.table_pipeline`.
        label, positive : str
            The label column, and its value in labelled rows.
        fingerprint : dict
            Of the table: "sha256", "rows" and "columns".
        id : str, optional
            The column that names rows.
        method : str, optional
            The name of the method; the name of the class if it is left out.

        Returns
        -------
        card : Card
            Without `sha256`, which `save_model` adds.
        """
        _, classifier = parts(pipeline)
        check_settings(classifier)
        return cls(
            label=label,
            positive=positive,
            id=id,
            method=method or type(classifier).__name__,
            fingerprint=dict(fingerprint),
            **facts_of(pipeline),
        )

    def record(self) -> dict[str, Any]:
        """Return everything as plain values, for JSON.

        Returns
        -------
        record : dict
        """
        return asdict(self)


def facts_of(pipeline: Any) -> dict[str, Any]:
    """Return what a card says that the model itself knows."""
    features, classifier = parts(pipeline)
    rule = getattr(classifier, "rule", None)
    return {
        "columns": dict(features.kinds_),
        "rule": "f1_pu" if isinstance(classifier, EnhancedLogistic) else rule,
        "threshold": classifier.threshold_,
        "label_frequency": _number(classifier, "label_frequency_"),
        "class_prior": _number(classifier, "class_prior_"),
    }


def versions_in_use() -> dict[str, str]:
    """Return the versions of this library, of Python and of the packages a model rests on."""
    found = {"unlabeled": __version__, "python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            found[package] = "unknown"
    return found


def _number(classifier: Any, name: str) -> float | None:
    value = getattr(classifier, name, None)
    return None if value is None else float(value)
