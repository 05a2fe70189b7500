"""No test can hang: one that does ends with the stacks of all threads, and so do its processes."""

from __future__ import annotations

import re
import signal
import sys
import time
from pathlib import Path

import pytest

from .commands import run, run_python, started

TESTS = Path(__file__).parent

WAITS = """
import threading

def waits_for_ever():
    threading.Event().wait()

def test_that_hangs():
    threading.Thread(target=waits_for_ever, daemon=True).start()
    waits_for_ever()
"""


@pytest.mark.parametrize("workers", [0, 1])
def test_a_test_that_hangs_ends_with_the_stacks_of_all_threads(workers, tmp_path):
    file = tmp_path / "test_of_one_that_hangs.py"
    file.write_text(WAITS)
    settings = ["-c", TESTS.parent / "pyproject.toml", "--rootdir", tmp_path, "-o", "timeout=4"]
    settings += ["-o", "faulthandler_timeout=2"]
    pytest_on = [sys.executable, "-m", "pytest", file, *settings, "-n", workers]
    done = run(*pytest_on, check=False, cwd=tmp_path, seconds=120)
    assert done.returncode != 0
    assert len(re.findall(r"in waits_for_ever", done.stderr)) == 2, done
    assert "in test_that_hangs" in done.stderr


def test_a_process_that_hangs_ends_with_its_stack():
    start = time.monotonic()
    code = "import time\ndef waits():\n    time.sleep(600)\nwaits()"
    done = run_python(code, check=False, seconds=2)
    assert done.returncode == -signal.SIGABRT
    assert "in waits" in done.stderr
    assert time.monotonic() - start < 300


def test_what_a_process_started_ends_with_it():
    code = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'input()'])"
    code = code.replace("input()", "import time; time.sleep(600)")
    with started(sys.executable, "-c", f"print(1, flush=True); {code}") as process:
        process.stdout.readline()
    assert process.returncode == -signal.SIGKILL  # and its pipes are closed


def test_processes_are_started_with_a_limit():
    """`make test-install` has its own limits, and is no test of pytest's."""
    importers = {
        file.relative_to(TESTS).as_posix()
        for file in TESTS.rglob("*.py")
        if re.search(r"^(import|from) subprocess", file.read_text("utf-8"), re.MULTILINE)
    }
    assert {file for file in importers if not file.startswith("install/")} == {"commands.py"}
