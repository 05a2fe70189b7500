"""The card of a model: what it was fitted to, as JSON with known keys of known types."""

from __future__ import annotations

import json
import math
import platform
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ..._version import __version__
from ...codes import warn
from ...engine.of_020 import NAMES
from ...engine.versions import versions_of
from ...labeling import columns_named_by, labeling_of
from ...linear_model import EnhancedLogistic
from ..tables import KINDS, REMEMBERED
from ._nodes import AGAIN, ModelFileError
from ._pipeline import check_settings, fitted_parts, tree_models
from ._trees import fewest_rows

FORMAT = 3
"""Number of the format of the two files."""

_OF_020 = 2

CARD = "model.json"
LARGEST = 16 * 2**20

_PACKAGES = ("numpy", "scipy", "scikit-learn", "pandas", "skops")
# With other versions of these, predictions may differ.
_MATTER = ("scikit-learn", "numpy")
_LEADING = re.compile(r"\d{1,9}(\.\d{1,9}){0,2}")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
# Names of packages and versions, which messages show.
_VERSION = re.compile(r"[\w.+!-]{1,100}", re.ASCII)
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Card:
    """What a model was fitted to and how it decides: the content of ``model.json``.

    Attributes
    ----------
    columns : dict of str to str
        The columns that are used, each with its kind: "number", "true/false", "category",
        "date", "text" or "blank".
    label, positive : str
        The label column, "" if that is not known, and its value in labeled rows.
    positives : list of str
        All values of labeled rows, if there are several; `positive` is the first.
    id : str or None
        The identifier column.
    reading : dict of str to list of str
        How the table was read, and new tables must be: `Reading.to_dict`.
    method : str
        The name of the method, or of the class.
    rule : str or None
        The rule that the threshold optimizes; None if the threshold is a posterior of 1/2.
    threshold : float
        Rows with a larger score are predicted positive.
    label_frequency, class_prior : float or None
        c and P(Y=1), as given or estimated.
    labeled_by : list of str
        The columns that labeling follows; `label_frequency` is then an average. None of them if
        labels are taken as given at random.
    trees : str or None
        What the trees of the model show of single training rows; None if it has no trees.
    fingerprint : dict
        The "sha256" of the table's file, and its numbers of "rows" and "columns"; empty if there
        was no file.
    versions : dict of str to str
        Versions of this library, of Python and of the packages that were used.
    format : int
        Format of the files.
    sha256 : str
        Checksum of ``model.skops``; empty until it is saved.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from unlabeled import PULogistic
    >>> from unlabeled.app.model_files import Card
    >>> from unlabeled.app import table_pipeline
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
    positives: list[str]
    id: str | None
    reading: dict[str, list[str]]
    method: str
    rule: str | None
    threshold: float
    label_frequency: float | None
    class_prior: float | None
    labeled_by: list[str]
    trees: str | None
    fingerprint: dict[str, Any]
    versions: dict[str, str] = field(default_factory=lambda: versions_in_use())
    format: int = FORMAT
    sha256: str = ""

    @classmethod
    def of(
        cls,
        model: Any,
        *,
        label: str = "",
        positive: str | Iterable[str] | None = None,
        fingerprint: dict[str, Any] | None = None,
        id: str | None = None,
        method: str | None = None,
        reading: Mapping[str, list[str]] | None = None,
    ) -> Card:
        """Describe a fitted model.

        Parameters
        ----------
        model : classifier or sklearn.pipeline.Pipeline
            A fitted classifier of this library, or a pipeline that ends in one.
        label : str, optional
            The label column.
        positive : str or list of str, optional
            Its value in labeled rows, or its values; by default the classifier's.
        fingerprint : dict, optional
            The table's "sha256", "rows" and "columns".
        id : str, optional
            The identifier column.
        method : str, optional
            The name of the method; by default the name of the class.
        reading : dict, optional
            How the table was read: `Reading.to_dict`.

        Returns
        -------
        card : Card
            Without `sha256`, which `save_model` adds.
        """
        _, classifier = fitted_parts(model)
        check_settings(classifier)
        positive = str(classifier.positive_class_) if positive is None else positive
        positives = [positive] if isinstance(positive, str) else list(positive)
        return cls(
            label=label,
            positive=positives[0],
            positives=positives,
            id=id,
            reading=dict(reading or {}),
            method=method or type(classifier).__name__,
            fingerprint=dict(fingerprint or {}),
            **facts_of(model),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, for JSON.

        Returns
        -------
        found : dict
        """
        return asdict(self)


def facts_of(model: Any) -> dict[str, Any]:
    """Return the part of a card that the model itself holds."""
    features, classifier = fitted_parts(model)
    rule = getattr(classifier, "rule", None)
    if features is None:
        columns = dict.fromkeys(_names_of_numbers(model), "number")
    else:
        columns = dict(features.kinds_)
    return {
        "columns": columns,
        "rule": "f1_pu" if isinstance(classifier, EnhancedLogistic) else rule,
        "threshold": classifier.threshold_,
        "label_frequency": _number(classifier, "label_frequency_"),
        "class_prior": _number(classifier, "class_prior_"),
        "labeled_by": _labeled_by(features, list(columns), classifier),
        "trees": _trees(classifier),
    }


def _names_of_numbers(model: Any) -> list[str]:
    """Return the names of the columns of an array or frame that a model takes; x0, x1, ...."""
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        return [f"x{j}" for j in range(int(model.n_features_in_))]
    return [str(name) for name in names]


def _labeled_by(features: Any, columns: list[str], classifier: Any) -> list[str]:
    model = getattr(classifier, "estimator_", classifier)
    follows = columns_named_by(labeling_of(getattr(classifier, "labeling", None)))
    if features is not None:
        columns = [str(feature.source) for feature in features.features_]
    names = dict(enumerate(columns))
    named = (
        one if isinstance(one, str) else names.get(int(one), f"x{int(one)}")
        for one in getattr(model, "propensity_features_", follows)
    )
    return list(dict.fromkeys(named))


def _trees(classifier: Any) -> str | None:
    of_models = [fewest_rows(model) for model in tree_models(classifier)]
    if not of_models:
        return None
    rows = min(rows for _, rows in of_models)
    return (
        f"{sum(trees for trees, _ in of_models)} trees. A leaf shows the share of labeled rows "
        f"among the training rows in it; the smallest leaf holds {rows}. A split shows a value "
        "at or between the cells of training rows."
    )


def versions_in_use() -> dict[str, str]:
    """Return the versions of this library, of Python and of the packages a model uses."""
    own = {"unlabeled": __version__, "python": platform.python_version()}
    return own | versions_of(_PACKAGES, missing="unknown")


def _number(classifier: Any, name: str) -> float | None:
    value = getattr(classifier, name, None)
    return None if value is None else float(value)


def write_card(card: Card) -> bytes:
    """Return the bytes of the file."""
    record = check_values(card.to_dict(), "`card`")
    return (json.dumps(record, indent=2, ensure_ascii=False) + "\n").encode()


def read_card(path: Path) -> Card:
    """Read the file; reject it unless every key is right."""
    if not path.is_file():
        raise ModelFileError(
            f"`path` must have {CARD} next to it; got {path.parent} without one. Copy "
            "both files, or save the model again."
        )
    try:
        if path.stat().st_size > LARGEST:
            raise ModelFileError(f"{CARD} must have at most {LARGEST} bytes; got more.", AGAIN)
        data = path.read_bytes()
    except OSError as error:
        raise ModelFileError(
            f"{CARD} must be a file that can be read; got {error.strerror}."
        ) from None
    try:
        record = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError):
        raise ModelFileError(f"{CARD} must be JSON in UTF-8; got something else.", AGAIN) from None
    if not isinstance(record, dict):
        raise ModelFileError(f"{CARD} must be a JSON object; got a {_name(record)}.", AGAIN)
    _check_age(record)
    if record.get("format") == _OF_020:
        # The model is converted when it is read.
        record = {NAMES.get(key, key): value for key, value in record.items()} | {"format": FORMAT}
        if isinstance(record.get("trees"), str):
            record["trees"] = record["trees"].replace("labelled", "labeled")
    # The first cards of format 2 have none of these.
    record.setdefault("labeled_by", [])
    record.setdefault("positives", [record.get("positive")])
    record.setdefault("reading", {})
    return Card(**check_values(record, CARD))


def check_values(record: dict[str, Any], where: str) -> dict[str, Any]:
    """Return the record; reject missing or unknown keys, and values of another type."""
    missing = [key for key in _IS_RIGHT if key not in record]
    odd = [str(key)[:40] for key in record if key not in _IS_RIGHT]
    if missing or odd:
        what = f"no {missing[0]!r}" if missing else f"also {odd[0]!r}"
        raise ModelFileError(f"{where} must have {', '.join(_IS_RIGHT)}; got {what}.", AGAIN)
    for key, (wanted, is_right) in _IS_RIGHT.items():
        if not is_right(record[key]):
            raise ModelFileError(
                f"{key!r} of {where} must be {wanted}; got {str(record[key])[:60]!r}.", AGAIN
            )
    return record


def check_facts(facts: dict[str, Any]) -> None:
    """Reject facts that do not fit into a card; an untrusted file may contain anything."""
    for name, fact in facts.items():
        wanted, is_right = _IS_RIGHT[name]
        if not is_right(fact):
            raise TypeError(f"{name} is a {type(fact).__name__}, or not {wanted}")


def warn_of_other_versions(card: Card) -> None:
    """Warn if packages that matter have another version than when the model was saved."""
    now = versions_in_use()
    other = [
        f"{name} {card.versions[name]} (now {now[name]})"
        for name in _MATTER
        if _numbers(card.versions[name])[:2] != _numbers(now[name])[:2]
    ]
    if other:
        warn(
            "PU116",
            f"the model was saved with {', '.join(other)}; its predictions may differ. Score rows "
            "that it has scored before and compare, or fit again.",
        )


def _check_age(record: dict[str, Any]) -> None:
    number = record.get("format")
    if type(number) is int and number > FORMAT:
        raise ModelFileError(
            f"'format' of {CARD} must be {FORMAT}; got {number}, which a newer version of "
            "unlabeled wrote. Update unlabeled."
        )
    if type(number) is int and 0 < number < _OF_020:
        raise ModelFileError(
            f"'format' of {CARD} must be {FORMAT}; got {number}, which unlabeled 0.1.0 wrote. Fit "
            "the model again, for example with `unlabeled fit`, or install unlabeled 0.1.0 to "
            "read it."
        )
    versions = record.get("versions")
    theirs = versions.get("unlabeled") if isinstance(versions, dict) else None
    if isinstance(theirs, str) and _numbers(theirs) > _numbers(__version__):
        raise ModelFileError(
            f"the version of unlabeled in {CARD} must be at most {__version__}; got "
            f"{theirs[:40]}. Update unlabeled."
        )


def _numbers(version: str) -> tuple[int, ...]:
    """Return the leading numbers of a version.

    Examples
    --------
    >>> _numbers("1.10.0rc1") > _numbers("1.9.3")
    True
    """
    match = _LEADING.match(version)
    return tuple(int(part) for part in match.group().split(".")) if match else ()


def _name(value: Any) -> str:
    return {list: "list", str: "text", type(None): "null", bool: "true/false"}.get(
        type(value), "number"
    )


def _text(value: Any) -> bool:
    # JSON can hold half of a surrogate pair, which can be neither written nor shown.
    return isinstance(value, str) and not _SURROGATE.search(value)


def _word(value: Any) -> bool:
    return _text(value) and value.isprintable()


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) < math.inf


def _positive(value: Any) -> bool:
    return value is None or (_is_number(value) and value > 0)


def _texts(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_text, [*value, *value.values()]))


def _names(value: Any) -> bool:
    return isinstance(value, list) and all(map(_text, value))


def _reading(value: Any) -> bool:
    return (
        isinstance(value, dict) and {*value} <= {*REMEMBERED} and all(map(_names, value.values()))
    )


def _versions(value: Any) -> bool:
    return (
        _texts(value)
        and all(map(_VERSION.fullmatch, [*value, *value.values()]))
        and {"unlabeled", "python", *_MATTER} <= value.keys()
    )


def _columns(value: Any) -> bool:
    return _texts(value) and bool(value) and set(value.values()) <= set(KINDS)


def _fingerprint(value: Any) -> bool:
    return value == {} or (
        isinstance(value, dict)
        and value.keys() == {"sha256", "rows", "columns"}
        and _sha256(value["sha256"])
        and all(type(value[key]) is int and value[key] > 0 for key in ("rows", "columns"))
    )


def _sha256(value: Any) -> bool:
    return isinstance(value, str) and bool(_SHA256.fullmatch(value))


_IS_RIGHT: dict[str, tuple[str, Any]] = {
    "columns": (f"a kind ({', '.join(KINDS)}) for every column", _columns),
    "label": ("text", _text),
    "positive": ("text", _text),
    "positives": ("a list of texts", lambda value: _names(value) and bool(value)),
    "reading": (f"lists of texts under {', '.join(REMEMBERED)}", _reading),
    "id": ("text or null", lambda value: value is None or _text(value)),
    "method": ("printable text", _word),
    "rule": ("printable text or null", lambda value: value is None or _word(value)),
    "threshold": ("a finite number", _is_number),
    "label_frequency": ("a positive number or null", _positive),
    "class_prior": ("a positive number or null", _positive),
    "labeled_by": ("a list of texts", _names),
    "trees": ("printable text or null", lambda value: value is None or _word(value)),
    "fingerprint": ("empty, or a sha256 and positive numbers of rows and columns", _fingerprint),
    "versions": ("a version for every package", _versions),
    "format": (str(FORMAT), lambda value: type(value) is int and value == FORMAT),
    "sha256": ("64 hexadecimal digits", _sha256),
}
