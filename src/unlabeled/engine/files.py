"""Write files completely or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import uuid4

TEMPORARY = ".writing"
"""The suffix of an unfinished file."""


@contextmanager
def whole_files(*paths: Path) -> Iterator[list[Path]]:
    """Yield temporary files. On success they are renamed to `paths`; on failure they are removed.

    A process killed at any moment leaves the old file, if there was one, or the new one, never
    half of one. At worst it leaves a temporary file, which `remove_unfinished` removes. Folders
    are made as needed.
    """
    # A unique name: other processes may be writing the same file.
    writer = uuid4().hex[:12]
    unfinished = [path.with_name(f"{path.name}.{writer}{TEMPORARY}") for path in paths]
    try:
        for path in paths:
            path.parent.mkdir(parents=True, exist_ok=True)
        yield unfinished
        for temporary in unfinished:
            with open(temporary, "r+b") as stream:
                os.fsync(stream.fileno())
        for temporary, path in zip(unfinished, paths, strict=True):
            os.replace(temporary, path)
    finally:
        for temporary in unfinished:
            with suppress(OSError):  # the parent is not a folder, or was removed
                temporary.unlink(missing_ok=True)
    for folder in {path.parent for path in paths}:
        _sync_folder(folder)


def write_whole(path: Path, write: Callable[[Path], object]) -> None:
    """Let `write` fill a temporary file, sync it to disk, then rename it to `path`."""
    with whole_files(path) as (temporary,):
        write(temporary)


def remove_unfinished(folder: Path) -> int:
    """Remove temporary files that killed writers left in `folder`; return how many."""
    leftovers = list(folder.glob(f"*{TEMPORARY}"))
    for path in leftovers:
        path.unlink()
    return len(leftovers)


def _sync_folder(folder: Path) -> None:
    """Sync the new name to disk, if the system can."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
