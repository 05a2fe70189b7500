"""Functions called in fresh processes, and the peak memory of a process with all its children."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

_PROC = Path("/proc")
_EVERY = 0.05
# Pages of files, libraries included, belong to the page cache and do not count.
_COUNTED = ("RssAnon:", "RssShmem:")


_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_CALL = """
import json, sys, warnings
from importlib import import_module
warnings.simplefilter("ignore")
module, name, arguments = sys.argv[1:]
print("\\n" + json.dumps(getattr(import_module(module), name)(*json.loads(arguments))))
"""


def in_own_process(
    function: Callable[..., Mapping[str, Any]], *arguments: Any, threads: int | None = None
) -> tuple[dict[str, Any], float]:
    """Call a function in a fresh process; return its result and the peak memory in MB.

    Arguments and result go through JSON. With `threads`, so many are what BLAS and OpenMP take.

    Raises
    ------
    RuntimeError
        If the process fails: its last line of errors.
    """
    module = sys.modules[function.__module__].__spec__.name  # also of a module run by its name
    words = (module, function.__name__, json.dumps(arguments))
    environment = os.environ | ({} if threads is None else dict.fromkeys(_THREADS, str(threads)))
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        [sys.executable, "-c", _CALL, *words], stdout=pipe, stderr=pipe, text=True, env=environment
    )
    with Resident(process.pid) as resident:
        output, errors = process.communicate()
    if process.returncode:
        last = errors.strip().rpartition("\n")[2]
        raise RuntimeError(last or f"exit code {process.returncode}")
    return json.loads(output.splitlines()[-1]), resident.peak


def run_unlabeled(folder: str, *words: str) -> dict[str, float]:
    """Run a command in a folder; return seconds, seconds of the processor, and the peak in MB.

    Pages of mapped files count in this peak.
    """
    import resource

    from unlabeled.cli import main

    os.chdir(folder)
    start = time.perf_counter()
    main(list(words), standalone_mode=False)
    seconds = time.perf_counter() - start
    used = resource.getrusage(resource.RUSAGE_SELF)
    peak = used.ru_maxrss * 1024 / 1e6
    return {"seconds": seconds, "cpu": used.ru_utime + used.ru_stime, "peak": peak}


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
