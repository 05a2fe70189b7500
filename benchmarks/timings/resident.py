"""Peak memory of a process with all its children, without the page cache."""

from __future__ import annotations

import os
import threading
import time
from collections import defaultdict
from pathlib import Path

_PROC = Path("/proc")
_EVERY = 0.05
# Pages of files, libraries included, belong to the page cache and do not count.
_COUNTED = ("RssAnon:", "RssShmem:")


def can_be_measured() -> bool:
    """Whether this system reports memory; Linux does."""
    return (_PROC / "self" / "status").exists()


class Resident:
    """Measures a process and its children every 50 ms; `peak` is in MB (a million bytes)."""

    def __init__(self, pid: int) -> None:
        self.pid, self.peak = pid, 0.0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Resident:
        if can_be_measured():
            self._thread.start()
        else:
            self.peak = float("nan")
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        if self._thread.is_alive():
            self._thread.join()

    def _watch(self) -> None:
        while not self._over.is_set():
            self.peak = max(self.peak, sum(_held(pid) for pid in family(self.pid)))
            time.sleep(_EVERY)


def family(pid: int) -> list[int]:
    """Return a process and all its descendants."""
    children = defaultdict(list)
    for name in os.listdir(_PROC):
        if name.isdigit():
            children[_parent(name)].append(int(name))
    found = [pid]
    for one in found:
        found.extend(children[one])
    return found


def _parent(name: str) -> int:
    try:
        stat = (_PROC / name / "stat").read_text()
    except OSError:  # it ended meanwhile
        return -1
    return int(stat.rpartition(")")[2].split()[1])


def _held(pid: int) -> float:
    try:
        lines = (_PROC / str(pid) / "status").read_text().splitlines()
    except OSError:
        return 0.0
    kilobytes = (int(line.split()[1]) for line in lines if line.startswith(_COUNTED))
    return sum(kilobytes) * 1024 / 1e6
