"""Memory: how much there is, and a map of a file that takes little of it."""

from __future__ import annotations

import sys
import time

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


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not hand pages back")
def test_a_map_that_is_read_stays_small(tmp_path):
    size = 64 * 2**20
    np.zeros(size, dtype=np.uint8).tofile(tmp_path / "map")
    numbers = np.memmap(tmp_path / "map", np.uint8, "r")
    most, start = 0, memory._resident_of_files()
    with memory.little_of(numbers, 8 * 2**20):
        for k in range(64):
            numbers[k * 2**20 : (k + 1) * 2**20].sum()
            time.sleep(0.005)
            most = max(most, memory._resident_of_files() - start)
        assert most < 32 * 2**20
    assert memory._resident_of_files() - start < 4 * 2**20
    assert numbers.sum() == 0  # what was handed back is read again
