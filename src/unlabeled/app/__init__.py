"""Read tables, keep models as files, and write reports.

Needs ``pip install 'unlabeled[tables]'``, and ``'unlabeled[onnx]'`` for `export_onnx`.
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING

if _TYPE_CHECKING:
    from .check_page import make_check_page
    from .model_files import ModelFileError, export_onnx, load_model, save_model
    from .report import ReportError, write_report
    from .tables import (
        TableError,
        label_column,
        prepare,
        read_table,
        read_two_files,
        table_pipeline,
    )

__all__ = [
    "ModelFileError",
    "ReportError",
    "TableError",
    "export_onnx",
    "label_column",
    "load_model",
    "make_check_page",
    "prepare",
    "read_table",
    "read_two_files",
    "save_model",
    "table_pipeline",
    "write_report",
]
__dir__ = __all__.copy  # dir() shows what users may use

# Where each name lies. It is loaded when it is first used: the report needs Jinja, and scikit-learn
# takes a second.
_HOMES = {
    "ModelFileError": "model_files",
    "ReportError": "report",
    "TableError": "tables",
    "export_onnx": "model_files",
    "label_column": "tables",
    "load_model": "model_files",
    "make_check_page": "check_page",
    "prepare": "tables",
    "read_table": "tables",
    "read_two_files": "tables",
    "save_model": "model_files",
    "table_pipeline": "tables",
    "write_report": "report",
}


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(_import_module(f".{_HOMES[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
