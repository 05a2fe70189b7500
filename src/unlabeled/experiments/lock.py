"""One writer a folder."""

from __future__ import annotations

from pathlib import Path
from typing import IO

from .errors import ResultsError

try:
    import fcntl
except ImportError:  # Windows: two runs in one folder are then not noticed
    fcntl = None  # type: ignore[assignment]

_FILE = ".lock"


def lock_folder(folder: Path) -> IO[bytes]:
    """Take the folder for this process until the returned file is closed, or the process dies."""
    stream = open(folder / _FILE, "wb")  # noqa: SIM115
    if fcntl is not None:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            stream.close()
            raise ResultsError(
                f"`{folder}` must have one writer; another run is writing there. "
                "Wait for it, or choose another folder."
            ) from None
    return stream
