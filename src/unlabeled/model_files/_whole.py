"""Files that are there whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from ._errors import ModelFileError


def write_whole(contents: dict[Path, bytes], argument: str) -> None:
    """Write all files under temporary names, then give them theirs; on failure leave none.

    Each file is the old one or the new one at every moment.
    """
    temporary = {path: path.with_name(f".{path.name}.{os.getpid()}.writing") for path in contents}
    try:
        for path, content in contents.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            with temporary[path].open("wb") as stream:
                stream.write(content)
                stream.flush()
                os.fsync(stream.fileno())
        for path in contents:
            os.replace(temporary[path], path)
    except OSError as error:
        raise ModelFileError(
            f"`{argument}` must be a place that can be written to; got "
            f"{next(iter(contents)).parent if len(contents) > 1 else next(iter(contents))} "
            f"({error.strerror or error}). Nothing was left half-written."
        ) from error
    finally:
        for path in temporary.values():
            _remove(path)


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError:  # its folder is none, or was taken away
        return
