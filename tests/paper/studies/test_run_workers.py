"""The same numbers whoever does the work: one process, two, threads, a cluster that shrinks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
import pytest

from unlabeled.paper.studies import Cell, Plan, ResultsError, Study, read_records, run_plan

METHODS = (("oracle", "-"), ("naive", "-"), ("en", "published"), ("tice", "converged"))
CELLS = (
    Cell("paper_gaussian", "scar", 300, 0.3),
    Cell("paper_gaussian", "posterior", 300, 0.6),
    Cell("breast_cancer", "scar", 0, 0.5),
    Cell("breast_cancer", "logistic", 0, 0.5),
)
PLAN = Plan((Study("synthetic", CELLS, METHODS, 6), Study("timing", CELLS[:1], METHODS, 2)))


def numbers(folder: Path) -> pd.DataFrame:
    return read_records(folder).drop(columns="fit_seconds")


@pytest.fixture(scope="module")
def expected(tmp_path_factory) -> pd.DataFrame:
    folder = tmp_path_factory.mktemp("one")
    run_plan(PLAN, folder)
    found = numbers(folder)
    assert len(found) == (6 * 4 + 2) * len(METHODS)
    assert (found["error"] == "").all()
    return found


def test_two_jobs_give_the_numbers_of_one(tmp_path, expected):
    run_plan(PLAN, tmp_path, n_jobs=2)
    assert numbers(tmp_path).equals(expected)


def test_threads_give_the_numbers_of_one_job(tmp_path, expected):
    run_plan(PLAN, tmp_path, n_jobs=2, backend="threading")
    assert numbers(tmp_path).equals(expected)


def test_a_part_of_the_plan_has_the_numbers_of_the_whole(tmp_path, expected):
    study = Study("synthetic", CELLS[2:3], METHODS, 2)
    run_plan(Plan((study,)), tmp_path)
    part = numbers(tmp_path)
    whole = part[["dataset", "mechanism", "c", "repeat", "study"]].drop_duplicates()
    assert part.equals(expected.merge(whole)[part.columns])


def test_no_scheduler_is_one_sentence(tmp_path):
    pytest.importorskip("distributed", reason="needs dask: pip install 'unlabeled[dask]'")
    with pytest.raises(ResultsError, match="must be the address of a running Dask scheduler"):
        run_plan(PLAN, tmp_path, backend="dask", scheduler="nonsense")


# Run in a process of its own, whose warnings are not errors. The first worker is killed half way.
CLIENT = """
import os, signal, sys
from distributed import Client
from unlabeled.experiments import Cell, Plan, Study, run_plan
folder, scheduler, victim = sys.argv[1:]
with Client(scheduler) as client:
    client.wait_for_workers(2, timeout=60)
{plan}

def progress(done, total):
    if done >= total // 2 and not killed:
        killed.append(done)
        os.kill(int(victim), signal.SIGKILL)

killed = []
run_plan(PLAN, folder, n_jobs=-1, backend="dask", scheduler=scheduler, progress=progress)
print(*killed)
"""


def test_a_cluster_that_loses_a_worker_half_way_gives_the_numbers_of_one_job(tmp_path, expected):
    pytest.importorskip("distributed", reason="needs dask: pip install 'unlabeled[dask]'")
    plan = f"METHODS, CELLS = {METHODS!r}, {CELLS!r}\nPLAN = {PLAN!r}"
    with cluster(tmp_path) as (scheduler, workers):
        client = CLIENT.format(plan=plan)
        done = _python("-c", client, tmp_path / "out", scheduler, workers[0].pid)
        output, errors = done.communicate(timeout=120)
        assert done.returncode == 0, errors[-3000:]
        workers[0].wait(timeout=10)
        assert workers[1].poll() is None
    assert int(output) < 26
    assert numbers(tmp_path / "out").equals(expected)


@contextmanager
def cluster(folder: Path) -> Iterator[tuple[str, list[subprocess.Popen[str]]]]:
    """A scheduler and two workers, each a process of its own and none restarted."""
    file = folder / "scheduler.json"
    bare = ["--no-dashboard"]
    own = ["--host", "127.0.0.1", "--port", "0", "--scheduler-file", file]
    processes = [_python("-m", "distributed.cli.dask_scheduler", *own, *bare)]
    try:
        scheduler = _address(file)
        for _ in range(2):
            own = [scheduler, "--no-nanny", "--nthreads", "1", *bare]
            processes.append(_python("-m", "distributed.cli.dask_worker", *own))
        yield scheduler, processes[1:]
    finally:
        for process in reversed(processes):
            process.kill()
            process.communicate()


def _python(*arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, *map(str, arguments)]
    pipe = subprocess.PIPE
    environment = {**os.environ, "PYTHONWARNINGS": "ignore"}
    return subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=environment)


def _address(file: Path) -> str:
    for _ in range(300):
        try:
            return str(json.loads(file.read_text())["address"])
        except (OSError, ValueError):
            time.sleep(0.1)
    pytest.fail("the scheduler did not start within 30 seconds")
