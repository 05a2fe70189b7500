"""From a table to a decision: tables, models as files, and the report.

Needs ``pip install 'unlabeled[tables]'``.
"""

from importlib import import_module as _import_module

# Loaded when first used.
_PARTS = ("check_page", "model_files", "report", "run", "table_model", "tables")


def __getattr__(name: str) -> object:
    if name in _PARTS:
        return _import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(_PARTS)
