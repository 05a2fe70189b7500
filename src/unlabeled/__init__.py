"""Learning from positive and unlabelled data, the scikit-learn way."""

from importlib import import_module as _import_module

from ._version import __version__
from ._versions import show_versions
from .linear_model import (
    EnhancedLogistic,
    JointLogistic,
    NaiveLogistic,
    PULogistic,
    WeightedLogistic,
)
from .meta import PUThresholdClassifier

__all__ = [
    "EnhancedLogistic",
    "JointLogistic",
    "NaiveLogistic",
    "PULogistic",
    "PUThresholdClassifier",
    "WeightedLogistic",
    "__version__",
    "show_versions",
]

# Public subpackages, loaded when first used. The others are layers of the inside.
_SUBPACKAGES = (
    "codes",
    "comparison",
    "datasets",
    "diagnostics",
    "experiments",
    "inference",
    "label_frequency",
    "metrics",
    "plots",
    "tables",
    "theory",
    "thresholds",
)


def __getattr__(name: str) -> object:
    if name in _SUBPACKAGES:
        return _import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, *_SUBPACKAGES])
