"""Writing a report whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from ..files import write_whole


def write_report(page: str, path: str | os.PathLike[str]) -> None:
    """Write a report beside its place, then move it there: nobody ever sees half a file.

    Parameters
    ----------
    page : str
        What `make_report` returned.
    path : str or path
        Where it goes; a report that is there is replaced.
    """
    write_whole(Path(path), lambda unfinished: _write(page, unfinished))


def _write(page: str, path: Path) -> None:
    path.write_text(page, "utf-8", newline="\n")
