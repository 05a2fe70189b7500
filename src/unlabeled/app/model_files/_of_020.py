"""Read model files of 0.2.0: other names of attributes, and features that are steps of skrub."""

from __future__ import annotations

from typing import Any

from ...engine.of_020 import ATTRIBUTES
from ..tables import TableFeatures

CLASSES_OF_020 = {
    "sklearn.decomposition._truncated_svd": "TruncatedSVD",
    "sklearn.feature_extraction.text": "TfidfTransformer TfidfVectorizer",
    "sklearn.preprocessing._encoders": "OneHotEncoder",
    "skrub._apply_to_each_col": "ApplyToEachCol",
    "skrub._check_input": "CheckInputDataFrame",
    "skrub._clean_categories": "CleanCategories",
    "skrub._clean_null_strings": "CleanNullStrings",
    "skrub._datetime_encoder": "DatetimeEncoder _CircularEncoder",
    "skrub._drop_uninformative": "DropUninformative",
    "skrub._duration_to_float": "DurationToFloat",
    "skrub._string_encoder": "StringEncoder",
    "skrub._table_vectorizer": "PassThrough TableVectorizer",
    "skrub._to_datetime": "ToDatetime",
    "skrub._to_float": "ToFloat",
    "skrub._to_str": "ToStr",
}
"""Names, by module, that only files of 0.2.0 hold. All of them are read as `Attributes`."""


class Attributes:
    """What a file says of an object of another package: its attributes, which do nothing."""


def rename_attributes(node: dict[str, Any]) -> None:
    """Give the attributes of an object of ours today's names, in the description of a file."""
    settings = node.get("content") if node["__loader__"] == "ObjectNode" else None
    if settings and str(node["__module__"]).startswith("unlabeled") and "key_types" in settings:
        known = settings["content"]
        settings["content"] = {ATTRIBUTES.get(name, name): known[name] for name in known}


def convert(features: TableFeatures) -> None:
    """Replace skrub's steps, if features have them, by encodings."""
    if not hasattr(features, "vectoriser_"):
        return
    vectoriser: Any = features.vectoriser_
    del features.vectoriser_
    steps = [step for _, step in vectoriser._pipeline.steps]
    kinds, outputs = vectoriser.column_to_kind_, vectoriser.input_to_outputs_
    encodings = {
        name: _plain(kind, vectoriser.transformers_[name], name, steps)
        for name, kind in kinds.items()
    }
    converted = []
    for name, source, output, *numbers in features.features_:
        if output is not None:
            # The first output of a column of dates is its year, which has no feature.
            output = outputs[source].index(output) - (kinds[source] == "datetime")
        converted.append((name, source, output, *numbers))
    features.__setstate__({"features_": converted, "encodings_": encodings})


def _plain(kind: str, step: Any, column: str, steps: list[Any]) -> dict[str, Any]:
    if kind == "datetime":
        of_column = [getattr(step, "transformers_", {}).get(column) for step in steps]
        reader: Any = next(step for step in of_column if hasattr(step, "format_"))
        zone = _zone(reader.output_time_zone_)
        return {"encoding": "Dates", "date_format": reader.format_, "zone": zone}
    if kind == "low_cardinality":
        levels = [level if isinstance(level, str) else None for level in step.categories_[0]]
        rare = [] if step._infrequent_indices[0] is None else step._infrequent_indices[0].tolist()
        return {
            "encoding": "Levels",
            "levels": [level for j, level in enumerate(levels) if j not in rare],
            "rare": [levels[j] for j in rare],
        }
    if kind == "high_cardinality":
        words = step.vectorizer_.vocabulary_
        return {
            "encoding": "Words",
            "words": words if isinstance(words, str) else "\n".join(sorted(words, key=words.get)),
            "idf": step.vectorizer_._tfidf.idf_,
            "components": getattr(getattr(step, "tsvd_", None), "components_", None),
            "n_outputs": step.n_components_,
            "scale": float(step.scaling_factor_),
        }
    return {"encoding": "Numbers"}


def _zone(name: str | None) -> str | None:
    """Return a zone as encodings hold it; skrub writes an offset as UTC+02:00."""
    if name is None or not name.startswith(("UTC+", "UTC-")):
        return name
    hours, _, minutes = name[4:].partition(":")
    return f"{name[3]}{3600 * int(hours) + 60 * int(minutes or 0)} s"
