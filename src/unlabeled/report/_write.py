"""Writing a report whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path


def write_report(page: str, path: str | os.PathLike[str]) -> None:
    """Write a report beside its place, then move it there: nobody ever sees half a file.

    Parameters
    ----------
    page : str
        What `make_report` returned.
    path : str or path
        Where it goes; a report that is there is replaced.
    """
    target = Path(path)
    unfinished = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        with unfinished.open("w", encoding="utf-8", newline="\n") as file:
            file.write(page)
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, target)
    finally:
        unfinished.unlink(missing_ok=True)
