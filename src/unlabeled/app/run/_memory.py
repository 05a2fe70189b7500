"""How much memory a command may take, and whether a table fits into it."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from ._errors import InputError, OutputError

if TYPE_CHECKING:
    from ..tables import Batches

START, ROW = 450_000_000, 110
"""Bytes that a command takes to start, and what it keeps of every row of a table in parts."""

# Without `--memory`, a table that takes less is read as a whole.
_LEAST = 2_000_000_000
_TIMES_THE_FILE = 10


def in_words(size: float) -> str:
    """Write a number of bytes with one unit.

    Examples
    --------
    >>> in_words(4_000_000_000), in_words(512_000_000)
    ('4 GB', '510 MB')
    """
    if size >= 1e9:
        return f"{size / 1e9:.2g} GB" if size < 1e11 else f"{size / 1e9:.0f} GB"
    return f"{float(f'{size / 1e6:.2g}'):.0f} MB"


def needed_for(batches: Batches) -> int:
    """Estimate how much memory a command takes with a table that is in memory as a whole."""
    return int(START + batches.bytes_in_memory)


class Room:
    """How much memory a command may take.

    Attributes
    ----------
    most : int
        The limit, in bytes.
    is_given : bool
        Whether the user gave it.
    """

    def __init__(self, given: int | None) -> None:
        from ...engine.memory import available_memory

        self._available = available_memory()
        self.is_given = given is not None
        self.most = max(self._available // 2, _LEAST) if given is None else given

    def batches(self, path: Path) -> Batches | None:
        """Return the table in batches if it does not fit; None if it does, or nobody knows."""
        from ..tables import Batches

        batches = Batches.of(path)
        if batches is None:
            self._check_other_format(path)
            return None
        return batches if needed_for(batches) > self.most else None

    def _check_other_format(self, path: Path) -> None:
        needed = START + _TIMES_THE_FILE * path.stat().st_size
        if self.is_given and needed > self.most:
            raise InputError(
                "TABLE must be CSV, Parquet or Arrow if it does not fit into `--memory`; got "
                f"{path.name}, which takes about {in_words(needed)}. Convert it, or give more "
                "memory."
            )

    def must_stream(self, batches: Batches) -> bool:
        """Whether a table may not be read as a whole, even if the options need that."""
        return self.is_given or needed_for(batches) > self._available

    def sentence(self, batches: Batches) -> str:
        """Say that a table is read in parts, and why."""
        return f"{self.too_large(batches)}, so it is read in parts."

    def too_large(self, batches: Batches) -> str:
        """Say that a table takes more memory than there is."""
        of = "`--memory`" if self.is_given else "a command takes without `--memory`"
        return (
            f"{batches.path} takes about {in_words(needed_for(batches))} in memory, more "
            f"than {of} ({in_words(self.most)})"
        )

    def check_rows(self, n_rows: int) -> None:
        """Reject a limit that is too small for what a command must keep of every row."""
        least = START + ROW * n_rows
        if least > self.most:
            from ..tables import count

            raise InputError(
                f"`--memory` must be at least {in_words(least)} for {count(n_rows)} rows; got "
                f"{in_words(self.most)}. Give more memory, or take fewer rows."
            )


def check_room(out: Path, needed: int) -> None:
    """Reject a disk on which a command would find no room for its files."""
    free = shutil.disk_usage(out.parent).free
    if free < needed:
        raise OutputError(
            f"`--out` must be on a disk with about {in_words(needed)} free, for the features of "
            f"all rows and the scored table; got {in_words(free)} in {out.parent.resolve()}. "
            "Make room, choose another place, or fit to fewer rows or columns."
        )
