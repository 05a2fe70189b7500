"""The user's cache: copies of what was downloaded."""

from __future__ import annotations

import os
import sys
from pathlib import Path

_FOLDER = "unlabeled"


def cache_folder() -> Path:
    r"""Return the user's cache folder of this package, which need not exist.

    `$XDG_CACHE_HOME/unlabeled` where that variable is set; otherwise
    `%LOCALAPPDATA%\unlabeled` on Windows, `~/Library/Caches/unlabeled` on macOS and
    `~/.cache/unlabeled` elsewhere.
    """
    configured = os.environ.get("XDG_CACHE_HOME")
    if not configured and sys.platform == "win32":
        configured = os.environ.get("LOCALAPPDATA")
    if configured:
        return Path(configured) / _FOLDER
    home = Path.home()
    return (home / "Library" / "Caches" if sys.platform == "darwin" else home / ".cache") / _FOLDER
