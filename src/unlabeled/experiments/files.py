"""Files that are there whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

TEMPORARY = ".writing"
"""How the name of an unfinished file ends."""


def write_whole(path: Path, write: Callable[[Path], None]) -> None:
    """Let `write` fill a temporary file, force it to the disk, then give it its name.

    A process killed at any moment leaves the old file, or none, or the new one; at worst a
    temporary file, which `remove_unfinished` clears away.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(path.name + TEMPORARY)
    write(temporary)
    with open(temporary, "r+b") as stream:
        os.fsync(stream.fileno())
    os.replace(temporary, path)
    _sync_folder(path.parent)


def remove_unfinished(folder: Path) -> int:
    """Remove what killed writers left in `folder`; return how many files."""
    leftovers = list(folder.glob(f"*{TEMPORARY}"))
    for path in leftovers:
        path.unlink()
    return len(leftovers)


def _sync_folder(folder: Path) -> None:
    """Force the new name to the disk, where the system can."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
