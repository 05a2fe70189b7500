"""Learning from positive and unlabeled data, the scikit-learn way."""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING

from ._version import __version__
from .engine.versions import show_versions

if _TYPE_CHECKING:
    from .ensemble import PUEnsemble
    from .linear_model import (
        EnhancedLogistic,
        JointLogistic,
        NaiveLogistic,
        PropensityLogistic,
        PULogistic,
        WeightedLogistic,
    )
    from .meta import PUThresholdClassifier

__all__ = [
    "EnhancedLogistic",
    "JointLogistic",
    "NaiveLogistic",
    "PUEnsemble",
    "PULogistic",
    "PUThresholdClassifier",
    "PropensityLogistic",
    "WeightedLogistic",
    "__version__",
    "show_versions",
]

# Subpackage of each classifier. They are imported on first use, because importing scikit-learn
# takes a second.
_HOMES = {
    "EnhancedLogistic": "linear_model",
    "JointLogistic": "linear_model",
    "NaiveLogistic": "linear_model",
    "PUEnsemble": "ensemble",
    "PULogistic": "linear_model",
    "PUThresholdClassifier": "meta",
    "PropensityLogistic": "linear_model",
    "WeightedLogistic": "linear_model",
}

# Public subpackages, loaded when first used.
_SUBPACKAGES = (
    "audit",
    "codes",
    "comparison",
    "datasets",
    "diagnostics",
    "inference",
    "inspection",
    "label_frequency",
    "labeling",
    "metrics",
    "plots",
    "thresholds",
)
# What lies beside them: where the classifiers are, and what is built on the library.
_BESIDE = ("app", "ensemble", "linear_model", "meta")


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(_import_module(f".{_HOMES[name]}", __name__), name)
    if name in _SUBPACKAGES or name in _BESIDE:
        return _import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, *_SUBPACKAGES, *_BESIDE])
