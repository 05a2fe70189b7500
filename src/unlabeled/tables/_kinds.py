"""Features of a column, by what skrub took it for."""

from __future__ import annotations

import hashlib
import re
from typing import Any, NamedTuple

import numpy as np

from ._storage import storage

_SECONDS = "_total_seconds"
_SECONDS_A_DAY = 86_400.0
_RARE_LEVEL = "infrequent_sklearn"
# What skrub calls the kinds of columns, in plain words.
_KIND_IN_WORDS = {
    "numeric": "number",
    "datetime": "date",
    "low_cardinality": "category",
    "high_cardinality": "text",
}
# Added by skrub to a name that it would give twice.
_SKRUB_SUFFIX = re.compile(r"__skrub_[0-9a-f]+__$")


class Feature(NamedTuple):
    """A feature: a column of what the vectoriser returns, moved, scaled and filled.

    An indicator of missing values has an output to look at, or looks at the table itself.
    """

    name: str
    source: str
    output: str | None
    indicates_missing: bool = False
    origin: float = 0.0
    unit: float = 1.0
    fill: float = 0.0


def features_from(plain: Any) -> list[Feature]:
    """Make features of a list of plain tuples, and of nothing else."""
    if type(plain) is not list or not all(_is_plain(one) for one in plain):
        raise TypeError(f"features must be a list of tuples of {len(Feature._fields)} values")
    return [Feature(*one) for one in plain]


def _is_plain(one: Any) -> bool:
    return type(one) is tuple and len(one) == len(Feature._fields)


def _numbers(source: str, outputs: Any, column: Any) -> list[Feature]:
    if len(outputs.columns) == 1 and storage(column) == "number":
        # As they are in the table: skrub makes them single precision.
        values = column.to_numpy(dtype=np.float64)
        return [
            Feature(source, source, None, fill=float(np.nanmedian(values))),
            *_indicator(source, None, column),
        ]
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
            middle = (float(values.median()) - first) / _SECONDS_A_DAY
            days = Feature(f"{source} (days)", source, name, False, first, _SECONDS_A_DAY, middle)
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


FEATURES_OF = {
    "numeric": _numbers,
    "datetime": _dates,
    "low_cardinality": _levels,
    "high_cardinality": _text,
    "specific": _numbers,
}


def kinds_in_words(kind_of: dict[str, str], X: Any) -> dict[str, str]:
    """What each column was taken for: a number, true/false, a category, a date, text, or blank."""
    import pandas as pd

    words = {}
    for name in X.columns:
        word = _KIND_IN_WORDS.get(kind_of.get(name, ""), "blank")
        if word == "number" and pd.api.types.infer_dtype(X[name], skipna=True) == "boolean":
            word = "true/false"
        words[str(name)] = word
    return words


def date_formats(vectoriser: Any) -> dict[str, str]:
    """How the dates of columns are written, where the vectoriser had to find out."""
    found: dict[str, str] = {}
    for name in vectoriser.kind_to_columns_["datetime"]:
        steps = vectoriser.all_processing_steps_[name]
        formats = [getattr(step, "format_", None) for step in steps]
        found |= {str(name): one for one in formats if one is not None}
    return found


def with_different_names(features: list[Feature]) -> list[Feature]:
    """Number names that columns such as 'a' and 'a=b' would share."""
    seen: dict[str, int] = {}
    renamed = []
    for one in features:
        seen[one.name] = seen.get(one.name, 0) + 1
        name = one.name if seen[one.name] == 1 else f"{one.name} [{seen[one.name]}]"
        renamed.append(one._replace(name=name))
    return renamed


def worth_keeping(features: list[Feature], values: np.ndarray) -> list[int]:
    """Which features vary, and are not the indicator of an earlier column."""
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
