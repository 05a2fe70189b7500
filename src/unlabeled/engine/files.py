"""Write files completely or not at all, one writer at a time."""

from __future__ import annotations

import errno
import glob
import os
import platform
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO
from uuid import uuid4

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

TEMPORARY = ".writing"
"""The suffix of an unfinished file."""

LOCK = ".lock"
"""The suffix of the lock of a file or folder, which lies beside it."""

# Suffixes of a folder that is being written, and of one that is being replaced.
_NEW, _EARLIER = ".new", ".earlier"
_BEYOND = 2**30  # Windows locks bytes, which nobody can then read: lock one beyond the text
_HELD = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)
_NO_PERMISSION = (errno.EACCES, errno.EPERM, errno.EROFS)


class InUseError(Exception):
    """A file or folder that another process writes; `by` says which process, if it is known."""

    def __init__(self, path: Path, by: str) -> None:
        super().__init__(f"{path} is being written by {by}")
        self.by = by


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


def remove_unfinished(folder: Path, name: str | None = None) -> int:
    """Remove temporary files that killed writers left in `folder`; return how many.

    With `name`, only those of the file of that name.
    """
    of = "*" if name is None else f"{glob.escape(name)}.????????????"
    leftovers = list(folder.glob(f"{of}{TEMPORARY}"))
    for path in leftovers:
        path.unlink()
    return len(leftovers)


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """Yield a temporary folder. On success it takes the place of `path`; on failure it is removed.

    Be the `only_writer` of `path`. A process killed at any moment leaves the old folder, if there
    was one, or the new one, or an old one that `restore_folder` brings back. What else killed
    processes left is removed.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    restore_folder(path)
    for left in path.parent.glob(f".{glob.escape(path.name)}-????????{_NEW}"):
        shutil.rmtree(left, ignore_errors=True)
    working = Path(tempfile.mkdtemp(_NEW, f".{path.name}-", path.parent))
    try:
        yield working
        working.chmod(0o777 & ~_umask())
        _take_place(working, path)
    finally:
        shutil.rmtree(working, ignore_errors=True)


def _take_place(working: Path, path: Path) -> None:
    """Rename a folder to one that may be there: the old one then has the name of the new one."""
    if not path.exists() or _is_empty(path):
        os.replace(working, path)
        return
    earlier = _earlier(path)
    os.replace(path, earlier)  # killed here, `restore_folder` brings it back
    try:
        os.replace(working, path)
    except OSError:
        os.replace(earlier, path)
        raise
    os.replace(earlier, working)


def restore_folder(path: Path) -> bool:
    """Bring back a folder that a process was replacing when it was killed; whether there was one.

    Be the `only_writer` of `path`. If the new folder is there, what is left of the old is removed.
    """
    if not has_earlier_folder(path):
        return False
    if not path.exists() or _is_empty(path):
        os.replace(_earlier(path), path)
        return True
    # First by name: half of it must not be brought back later.
    removed = tempfile.mkdtemp(_NEW, f".{path.name}-", path.parent)
    os.replace(_earlier(path), removed)
    shutil.rmtree(removed, ignore_errors=True)
    return False


def has_earlier_folder(path: Path) -> bool:
    """Whether a folder was being replaced when a process was killed, or is being replaced now."""
    return _earlier(path).is_dir()


def _earlier(path: Path) -> Path:
    path = Path(os.path.abspath(path))  # "." and ".." have no name
    return path.parent / f".{path.name}{_EARLIER}"


def _is_empty(folder: Path) -> bool:
    return not any(folder.iterdir())


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


@contextmanager
def only_writer(path: Path, wait: float = 5.0) -> Iterator[None]:
    """Be the only process that writes a file or folder; others wait for it, `wait` seconds at most.

    The lock is a file beside `path`, because `path` may not exist yet, or may be replaced. The
    system releases it when the process ends, however it ends. A lock file that a killed process
    left is used again. Where a file system has no locks, every writer goes on.

    Raises
    ------
    InUseError
        If another process still has the lock after `wait` seconds.
    OSError
        If no lock file can be written.
    """
    path = path.resolve() if path.is_dir() else path  # "." and ".." have no name
    made = _make_parents(path)
    try:
        stream = _locked(path, time.monotonic() + wait)
        try:
            with suppress(OSError):  # a full disk; the lock holds without a name in it
                stream.truncate(0)
                stream.write(f"process {os.getpid()} on {platform.node()}".encode())
            yield
        finally:
            _release(stream)
    finally:
        for folder in made:
            with suppress(OSError):  # it has files by now
                folder.rmdir()


def _make_parents(path: Path) -> list[Path]:
    """Make the folders above `path` that are missing; return them, the innermost first."""
    missing = [folder for folder in path.parents if not folder.exists()]
    path.parent.mkdir(parents=True, exist_ok=True)
    return missing


def _locked(path: Path, until: float) -> IO[bytes]:
    """Return the lock file of a path, open and locked."""
    while True:
        stream = _open_lock(path)
        if try_lock(stream):
            if _still_there(stream):
                return stream
            stream.close()  # its last owner has removed it
            continue
        stream.seek(0)
        by = stream.read(200).decode("utf-8", "replace") or "another process"
        stream.close()
        if time.monotonic() >= until:
            raise InUseError(path, by)
        time.sleep(0.05)


def _open_lock(path: Path) -> IO[bytes]:
    beside = path.parent / f".{path.name}{LOCK}"  # with_name rejects the root folder
    try:
        return open(beside, "a+b", buffering=0)
    except OSError as error:
        # A folder can be ours where the one above it is not.
        if error.errno not in _NO_PERMISSION or not path.is_dir():
            raise
    return open(path / LOCK, "a+b", buffering=0)


def try_lock(stream: IO[bytes]) -> bool:
    """Lock an open file until it is closed; return whether no other process has it locked."""
    try:
        if sys.platform == "win32":
            stream.seek(_BEYOND)
            msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno not in _HELD  # any other error: this file system has no locks
    return True


def _still_there(stream: IO[bytes]) -> bool:
    """Return whether the name of an open file still belongs to it."""
    try:
        return os.path.samestat(os.fstat(stream.fileno()), os.stat(stream.name))
    except FileNotFoundError:
        return False


def _release(stream: IO[bytes]) -> None:
    """Remove a lock file and let go of the lock, in this order where the system can."""
    with suppress(OSError):  # Windows does not remove open files
        os.unlink(stream.name)
    stream.close()
    if sys.platform == "win32":
        with suppress(OSError):  # another process has it by now
            os.unlink(stream.name)


def _sync_folder(folder: Path) -> None:
    """Sync the new name to disk, if the system can."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
