"""Repeated measurements: continued after a stop, and the same in any order."""

from __future__ import annotations

import json
import sys
from types import ModuleType

import numpy as np
import pytest

from benchmarks.replications import Replication, read_replication, run_replications
from reproduction.studies import ResultsError
from reproduction.studies.draw import seed_of


def noise(seed, *, scale=1.0):
    """Return a number that belongs to the seed."""
    return {"value": scale * np.random.default_rng(seed).normal()}


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    module = ModuleType("measured_here")
    module.noise = noise
    monkeypatch.setitem(sys.modules, "measured_here", module)


def cell(name="a", repeats=7, batch=3, **arguments):
    return Replication(name, "measured_here:noise", repeats, arguments, batch)


def test_every_repeat_is_the_function_of_its_seed(tmp_path):
    run_replications([cell(scale=2.0)], tmp_path)
    records = read_replication(tmp_path, "a")
    assert records["repeat"].tolist() == list(range(7))
    expected = [2 * np.random.default_rng(seed_of("a", k)).normal() for k in range(7)]
    np.testing.assert_allclose(records["value"], expected, rtol=1e-6)


def test_more_repeats_go_on_from_what_is_there(tmp_path):
    done = []
    run_replications([cell(repeats=4)], tmp_path)
    run_replications([cell()], tmp_path, progress=lambda n, total: done.append(n))
    assert done[0] == 4
    assert done[-1] == 7
    run_replications([cell()], tmp_path / "whole")
    assert read_replication(tmp_path, "a").equals(read_replication(tmp_path / "whole", "a"))


def test_a_stop_loses_no_finished_batch(tmp_path):
    def stop(done, total):
        if done >= 6:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_replications([cell(), cell("b")], tmp_path, progress=stop)
    assert len(read_replication(tmp_path, "a")) + len(read_replication(tmp_path, "b")) == 6
    run_replications([cell(), cell("b")], tmp_path)
    assert len(read_replication(tmp_path, "b")) == 7
    assert not (tmp_path / "parts").exists()


def test_a_name_with_other_arguments_is_rejected(tmp_path):
    run_replications([cell(scale=1.0)], tmp_path)
    with pytest.raises(ResultsError, match="'a'"):
        run_replications([cell(scale=3.0)], tmp_path)


def test_the_manifest_records_what_was_measured_and_how(tmp_path):
    run_replications([cell(scale=1.0)], tmp_path, command="as it was started")
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert manifest["replications"]["a"]["arguments"] == {"scale": 1.0}
    assert manifest["runs"][0]["command"] == "as it was started"
    assert manifest["runs"][0]["finished"]


def test_without_records_the_frame_is_empty(tmp_path):
    assert len(read_replication(tmp_path, "a")) == 0
