"""pandas, only where it is needed."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def require_pandas() -> Any:
    """Return the pandas module, or say how to install it."""
    try:
        return import_module("pandas")
    except ImportError:
        raise ImportError(
            "`load_uci` needs pandas, which is not installed; run `pip install "
            "unlabeled[datasets]`."
        ) from None
