"""Killed at any moment, a run goes on where it was, to the same numbers."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.commands import run_python

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and kill -9")

# Its numbers depend on the rows, the labels and the seed; it takes no time.
METHODS = """
from reproduction.studies.methods import Method


class Seeded:
    def __init__(self, seed):
        self.seed = seed

    def fit(self, X, s):
        self.class_prior_ = float(X[self.seed % len(X), 0] + s.mean())
        self.coef_ = X[s == 1].mean(axis=0, keepdims=True)
        return self

    def predict(self, X):
        return (X @ self.coef_[0] > self.class_prior_).astype(int)


METHODS = {("seeded", name): Method("seeded", name, Seeded) for name in ("a", "b")}
"""

# A child runs the plan and is killed; the parent, which has loaded everything once, forks
# another child to continue. Parts are joined at every other batch, so that kills hit that too.
SCRIPT = """
import os, random, signal, sys, time
from contextlib import suppress
from pathlib import Path
from reproduction.studies import Cell, Plan, Study, read_records, run_plan, store

store.COMPACT_FROM = 4
METHODS = (("seeded", "a"), ("seeded", "b"))
CELLS = (Cell("paper_gaussian", "scar", 100, 0.6), Cell("breast_cancer", "scar", 0, 0.5))
STUDIES = ("synthetic", "robustness")
PLAN = Plan(tuple(Study(name, CELLS, METHODS, 3, "methods_to_kill:METHODS") for name in STUDIES))


def child(run):
    pid = os.fork()
    if pid == 0:
        os.setpgid(0, 0)
        try:
            run()
        finally:
            os._exit(0)
    return pid


def end(pid):
    '''Wait for a child; its own children do not outlive it.'''
    _, status = os.waitpid(pid, 0)
    with suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)
    return status


def kill_at_step(number):
    '''Kill this process at a step of writing: within a file, before or after its renaming...'''
    count = [0]

    def step(harm=lambda: None):
        count[0] += 1
        if count[0] == number:
            harm()
            os.kill(os.getpid(), signal.SIGKILL)

    def stepping(function):
        def stepped(*arguments, **more):
            step()
            result = function(*arguments, **more)
            step()
            return result
        return stepped

    write = store._write

    def cut_off(table, path):
        write(table, path)
        step(lambda: os.truncate(path, os.path.getsize(path) // 2))

    store._write = cut_off
    os.replace, os.fsync, Path.unlink = map(stepping, (os.replace, os.fsync, Path.unlink))


def numbers(folder):
    return read_records(folder).drop(columns="fit_seconds")


def finish(folder, jobs=1):
    end(child(lambda: run_plan(PLAN, folder, n_jobs=jobs)))
    found = numbers(folder)
    assert found.equals(expected), f"other numbers in {folder}"
    assert not list(folder.rglob("*.writing")) and not (folder / "parts").exists()
    return found


def killed_while_writing(folder, step):
    def run():
        kill_at_step(step)
        run_plan(PLAN, folder)

    status = end(child(run))
    before = numbers(folder) if folder.exists() else ()
    finish(folder)
    return os.WIFSIGNALED(status), len(before)


def killed_at_any_time(folder, jobs, seconds, kills):
    for _ in range(kills):
        pid = child(lambda: run_plan(PLAN, folder, n_jobs=jobs))
        time.sleep(draw.uniform(0.05, seconds))
        with suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)
        end(pid)
    finish(folder, jobs)


def main(kind, folder, seed):
    global expected, draw
    draw, folder = random.Random(int(seed)), Path(folder)
    start = time.perf_counter()
    end(child(lambda: run_plan(PLAN, folder / "whole")))
    seconds = time.perf_counter() - start
    expected = numbers(folder / "whole")
    assert len(expected) == 2 * 3 * 2 * 2 and (expected["error"] == "").all()
    assert expected["class_prior"].is_unique
    if kind == "writing":
        outcomes = [
            killed_while_writing(folder / str(step), step)
            for step in sorted(draw.sample(range(1, 115), 10))
        ]
        assert all(killed for killed, _ in outcomes), outcomes
        assert len({n for _, n in outcomes}) > 3, outcomes
    else:
        for jobs in (1, 2):
            killed_at_any_time(folder / f"jobs{jobs}", jobs, seconds + 4 * (jobs - 1), 10)
    print("identical")


main(*sys.argv[1:])
"""


def run_script(kind: str, folder: Path, seed: int) -> str:
    (folder / "methods_to_kill.py").write_text(METHODS)
    paths = os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "PYTHONPATH": paths}
    return run_python(SCRIPT, kind, folder, seed, env=environment, seconds=1200).stdout.strip()


def test_ten_kills_within_writing_and_compacting_change_nothing(tmp_path):
    assert run_script("writing", tmp_path, 0) == "identical"


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_thirty_more_kills_within_writing_change_nothing(tmp_path, seed):
    assert run_script("writing", tmp_path, seed) == "identical"


@pytest.mark.slow
def test_ten_kills_at_any_time_change_nothing_with_one_job_and_with_two(tmp_path: Path):
    assert run_script("time", tmp_path, 4) == "identical"
