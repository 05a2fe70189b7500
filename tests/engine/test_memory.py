"""Memory: how much there is, and pages of a map that are released."""

from __future__ import annotations

import mmap
import sys
from pathlib import Path

import numpy as np
import pytest

from unlabeled.engine import memory


def test_some_memory_is_available():
    assert 2**20 < memory.available_memory() < 2**50


def test_the_limit_of_a_container_counts(tmp_path, monkeypatch):
    (tmp_path / "max").write_text("3000000\n")
    (tmp_path / "current").write_text("1000000\n")
    monkeypatch.setattr(memory, "_CGROUPS", ((tmp_path / "max", tmp_path / "current"),))
    assert memory.available_memory() == 2_000_000
    (tmp_path / "max").write_text("max\n")
    assert memory.available_memory() > 2_000_000


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not release pages")
def test_pages_that_were_read_are_released_and_can_be_read_again(tmp_path):
    np.zeros(64 * 2**20, dtype=np.uint8).tofile(tmp_path / "map")
    numbers = np.memmap(tmp_path / "map", np.uint8, "r")
    assert numbers.sum() == 0
    read = resident_of_files()
    memory.hand_back(numbers)
    assert resident_of_files() < read - 60 * 2**20
    assert numbers.sum() == 0


def resident_of_files() -> int:
    return int(Path("/proc/self/statm").read_text().split()[2]) * mmap.PAGESIZE
