"""Processes that tests start: each has a time limit, tells its stacks, and ends with its test."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Timer
from typing import Any

SECONDS = 200
"""How long a process may take: less than a test may, on a machine under load."""


@contextmanager
def started(*words: object, seconds: float = SECONDS, **options: Any) -> Iterator[Any]:
    """Start a command in a group of its own, and yield it; on leaving, nothing of it is left.

    After `seconds` it is aborted. If it runs Python, it then prints the stacks of its threads.
    """
    options = {"stdin": subprocess.DEVNULL, "env": os.environ, **options}
    options["env"] = {**options["env"], "PYTHONFAULTHANDLER": "1"}
    pipe = subprocess.PIPE
    command = [str(word) for word in words]
    process = subprocess.Popen(
        command, stdout=pipe, stderr=pipe, text=True, process_group=0, **options
    )
    limit = Timer(seconds, process.send_signal, [signal.SIGABRT])
    limit.start()
    try:
        yield process
    finally:
        limit.cancel()
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def run(*words: object, given: str = "", check: bool = True, **options: Any) -> Any:
    """Run a command to its end; return `returncode`, `stdout` and `stderr`."""
    with started(*words, stdin=subprocess.PIPE, **options) as process:
        stdout, stderr = process.communicate(given)
    assert not check or process.returncode == 0, f"{stdout[-3000:]}\n{stderr[-6000:]}"
    return subprocess.CompletedProcess(words, process.returncode, stdout, stderr)


def run_python(code: str, *words: object, **options: Any) -> Any:
    """Run Python code to its end, in a process of its own."""
    return run(sys.executable, "-c", code, *words, **options)
