"""The files of a table: one, or all that match a pattern; and whether they have changed."""

from __future__ import annotations

import glob
import os
from dataclasses import dataclass
from pathlib import Path

from ._words import TableError


def files_of(path: Path) -> tuple[Path, ...]:
    """Return the files of a table: the path itself, or what matches it, in the order of names.

    Examples
    --------
    >>> [file.name for file in files_of(Path("claims.csv"))]
    ['claims.csv']
    """
    if not is_pattern(path):
        return (path,)
    matches = sorted(Path(one) for one in glob.glob(str(path), recursive=True))
    files = tuple(one for one in matches if one.is_file())
    if not files:
        raise TableError(
            f"`path` must be a file, or a pattern that matches files; got {path}, which matches "
            "none. Check its name."
        )
    return files


def is_pattern(path: Path) -> bool:
    """Whether a path stands for several files: it has ``*``, ``?`` or ``[``, and is no file."""
    return glob.has_magic(str(path)) and not path.exists()


@dataclass(frozen=True)
class FilesSeen:
    """The files of a table as they were when they were first looked at.

    Attributes
    ----------
    path : Path
        A file, or a pattern.
    state : dict of Path to tuple
        Size, time of the last change and inode of every file.
    """

    path: Path
    state: dict[Path, tuple[int, int, int]]

    @classmethod
    def of(cls, path: Path) -> FilesSeen:
        """Look at the files of a table."""
        return cls(path, {file: _state(file) for file in files_of(path)})

    @property
    def files(self) -> tuple[Path, ...]:
        """The files, in the order of names."""
        return tuple(self.state)

    @property
    def n_bytes(self) -> int:
        """The size of all files."""
        return sum(size for size, *_ in self.state.values())

    def check(self) -> None:
        """Reject a table of which a file was changed, removed or added since.

        Raises
        ------
        TableError
            With the name of the file.
        """
        for file, before in self.state.items():
            try:
                changed = _state(file) != before
            except OSError:
                changed = True
            if changed:
                raise _changed(file, "was changed")
        added = [file for file in files_of(self.path) if file not in self.state]
        if added:
            raise _changed(added[0], "is new")


def _state(file: Path) -> tuple[int, int, int]:
    try:
        status = os.stat(file)
    except FileNotFoundError:
        return -1, 0, 0  # the reader says what is wrong with the name
    return status.st_size, status.st_mtime_ns, status.st_ino


def _changed(file: Path, how: str) -> TableError:
    return TableError(
        f"`path` must not change while it is read; got {file.name}, which {how} during the run. "
        "Nothing was written. Run the command again when the file is complete."
    )
