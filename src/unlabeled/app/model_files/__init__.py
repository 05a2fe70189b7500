"""Fitted models as files: saved with a card, loaded without running code, exported to ONNX.

Needs ``pip install 'unlabeled[tables]'``, and ``'unlabeled[onnx]'`` for `export_onnx`.
"""

from ._card import Card
from ._files import load_model, save_model
from ._nodes import ModelFileError
from ._onnx import export_onnx

__all__ = ["Card", "ModelFileError", "export_onnx", "load_model", "save_model"]
__dir__ = __all__.copy  # dir() shows what users may use

# For other parts of the package, not for users.
from ._files import read_model as read_model
from ._files import write_model as write_model
