"""What differs from 0.2.0 by intention: each entry matches a part of `case: path`."""

from __future__ import annotations

RENAMED: dict[str, str] = {}
"""Old path: new path."""

GONE: dict[str, str] = {}
"""Part of a path that no longer exists: why."""

CHANGED: dict[str, str] = {}
"""Part of a path whose number changed: why."""

SOLVER: dict[str, str] = {}
"""Part of a path whose number comes from another solver and agrees to 1e-6: which."""
