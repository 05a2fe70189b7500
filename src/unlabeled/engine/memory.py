"""How much memory there is, and pages of a memory map that are released."""

from __future__ import annotations

import mmap
import os
from pathlib import Path

import numpy as np

_MEMINFO = Path("/proc/meminfo")
_CGROUPS = (
    (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory.current")),
    (
        Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
        Path("/sys/fs/cgroup/memory/memory.usage_in_bytes"),
    ),
)
# If the system does not tell.
_ASSUMED = 4 * 2**30


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


def hand_back(numbers: np.ndarray) -> None:
    """Release resident pages of a memory map, where the system can do this.

    They stay in the page cache, and a reader that comes again finds them there.
    """
    inside = numbers.base
    if isinstance(inside, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        inside.madvise(mmap.MADV_DONTNEED)
