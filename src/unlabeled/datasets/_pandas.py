"""pandas, only where it is needed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ..extras import needs_extra


@needs_extra("`load_uci`", "datasets")
def require_pandas() -> Any:
    """Return the pandas module, or say how to install it."""
    return import_module("pandas")
