"""How much memory there is, and numbers in a file that take little of it."""

from __future__ import annotations

import mmap
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

_MEMINFO, _STATM = Path("/proc/meminfo"), Path("/proc/self/statm")
_CGROUPS = (
    (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory.current")),
    (
        Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
        Path("/sys/fs/cgroup/memory/memory.usage_in_bytes"),
    ),
)
# If the system does not tell.
_ASSUMED = 4 * 2**30
_SECONDS = 0.002


def available_memory() -> int:
    """Return how many bytes of memory new data may take without others being swapped out."""
    return min(_of_machine(), *(_of_group(*files) for files in _CGROUPS))


def _of_machine() -> int:
    try:
        for line in _MEMINFO.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    except (AttributeError, OSError, ValueError):
        return _ASSUMED


def _of_group(most: Path, used: Path) -> int:
    """Return what the limit of a container leaves; without one, as much as there could be."""
    try:
        return max(int(most.read_text()) - int(used.read_text()), 0)
    except (OSError, ValueError):  # no container, or no limit ("max")
        return 2**63


@contextmanager
def little_of(numbers: np.memmap, most: int) -> Iterator[None]:
    """Keep what is resident of a map of a file below about `most` bytes, whoever reads it.

    The system counts pages of a map that were read as memory of the process until others need
    them. A thread hands them back, which loses nothing: they stay in the page cache, and a reader
    that comes again finds them there. Where the system cannot do this, nothing happens.
    """
    if not _STATM.exists():
        yield
        return
    before, over = _resident_of_files(), threading.Event()

    def watch() -> None:
        while not over.wait(_SECONDS):
            if _resident_of_files() - before > most:
                hand_back(numbers)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        hand_back(numbers)


def hand_back(numbers: np.ndarray) -> None:
    """Let no page of a map of a file be resident, where the system can do this."""
    inside = numbers.base
    if isinstance(inside, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        inside.madvise(mmap.MADV_DONTNEED)


def _resident_of_files() -> int:
    return int(_STATM.read_text().split()[2]) * mmap.PAGESIZE
