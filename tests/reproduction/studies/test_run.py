"""The same numbers from one process, two, threads, and a cluster that loses a worker."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from reproduction.studies import Cell, Plan, ResultsError, Study, read_records, run_plan
from tests.commands import run_python, started

# Two of them draw from their seed.
METHODS = (("oracle", "-"), ("naive", "-"), ("tice", "published"), ("tice", "converged"))
CELLS = (
    Cell("paper_gaussian", "scar", 300, 0.3),
    Cell("paper_gaussian", "posterior", 300, 0.6),
    Cell("breast_cancer", "scar", 0, 0.5),
    Cell("breast_cancer", "logistic", 0, 0.5),
)
PLAN = Plan((Study("synthetic", CELLS, METHODS, 3), Study("timing", CELLS[:1], METHODS, 2)))
N_TASKS = 3 * 4 + 2


def numbers(folder: Path) -> pd.DataFrame:
    return read_records(folder).drop(columns="fit_seconds")


@pytest.fixture(scope="module")
def expected(tmp_path_factory) -> pd.DataFrame:
    folder = tmp_path_factory.mktemp("one")
    run_plan(PLAN, folder)
    found = numbers(folder)
    assert len(found) == N_TASKS * len(METHODS)
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


def test_an_address_without_a_scheduler_is_rejected(tmp_path):
    pytest.importorskip("distributed", reason="needs dask: pip install 'unlabeled[dask]'")
    with pytest.raises(ResultsError, match="`scheduler` must be.*nonsense"):
        run_plan(PLAN, tmp_path, backend="dask", scheduler="nonsense")


QUIET = {**os.environ, "PYTHONWARNINGS": "ignore"}

# Runs in a separate process, where warnings are not errors. Kills the first worker half way.
CLIENT = """
import os, signal, sys
from distributed import Client
from reproduction.studies import Cell, Plan, Study, run_plan
folder, file, victim = sys.argv[1:]
with Client(scheduler_file=file) as client:  # waits for the file
    client.wait_for_workers(2, timeout=60)
    scheduler = client.scheduler.address
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
    with cluster(tmp_path) as (file, workers):
        client = CLIENT.format(plan=plan)
        done = run_python(client, tmp_path / "out", file, workers[0].pid, env=QUIET)
        workers[0].wait(timeout=60)
        assert workers[1].poll() is None
    assert int(done.stdout) < N_TASKS
    assert numbers(tmp_path / "out").equals(expected)


@contextmanager
def cluster(folder: Path) -> Iterator[tuple[Path, list[Any]]]:
    """A scheduler, which writes its address to a file, and two workers; none is restarted."""
    file = folder / "scheduler.json"
    common = ["--scheduler-file", file, "--no-dashboard"]
    own = ["--host", "127.0.0.1", "--port", "0", *common]
    python = [sys.executable, "-m"]
    worker = [*python, "distributed.cli.dask_worker", "--no-nanny", "--nthreads", "1", *common]
    with (
        started(*python, "distributed.cli.dask_scheduler", *own, env=QUIET),
        started(*worker, env=QUIET) as first,
        started(*worker, env=QUIET) as second,
    ):
        yield file, [first, second]
