"""The paper: its theory, its studies, and their results."""

from importlib import import_module as _import_module

# Loaded when first used.
_PARTS = ("outcome", "studies", "theory")


def __getattr__(name: str) -> object:
    if name in _PARTS:
        return _import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(_PARTS)
