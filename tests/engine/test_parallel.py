"""Parallel work: order, the caller's settings, and workers that end while idle."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from sklearn import config_context, get_config
from threadpoolctl import threadpool_info, threadpool_limits

import unlabeled
from tests.commands import run_python
from unlabeled.engine import parallel
from unlabeled.engine.parallel import delayed, in_parallel, on_threads, one_blas_thread

SOURCES = Path(unlabeled.__file__).parent


def settings_of_the_task():
    import warnings

    with pytest.raises(DeprecationWarning):
        warnings.warn("an error here", DeprecationWarning, stacklevel=1)
    return get_config()["assume_finite"]


@pytest.mark.parametrize("n_jobs", [None, 1, 2])
def test_results_come_in_order_and_are_those_of_one_job(n_jobs):
    assert list(in_parallel((delayed(pow)(k, 2) for k in range(9)), n_jobs)) == [
        k**2 for k in range(9)
    ]


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_tasks_have_the_warning_filters_and_the_configuration_of_the_caller(n_jobs):
    with config_context(assume_finite=True):
        assert list(in_parallel([delayed(settings_of_the_task)()] * 3, n_jobs)) == [True] * 3


# Arguments take so long to be sent that both workers end meanwhile: they wait a third of a second.
# On a busy machine a shorter wait can end before a task arrives, again and again.
IDLE = """
import time, warnings
from joblib._parallel_backends import LokyBackend
from unlabeled.engine.parallel import delayed, in_parallel

class Impatient(LokyBackend):
    def configure(self, *arguments, **options):
        return super().configure(*arguments, idle_worker_timeout=0.35, **options)

class Slow:
    def __reduce__(self):
        time.sleep(1)
        return Slow, ()

def name_of(thing):
    return type(thing).__name__

warnings.simplefilter("error")
for _ in range(2):
    tasks = (delayed(name_of)(Slow()) for _ in range(2))
    print(*in_parallel(tasks, 2, backend=Impatient()))
"""


def test_workers_that_end_while_idle_are_replaced_where_warnings_are_errors():
    done = run_python(IDLE)
    assert done.stdout.split() == ["Slow"] * 4
    assert done.stderr == ""


def openmp_threads(_):
    found = threadpool_info()
    return max((one["num_threads"] for one in found if one["user_api"] == "openmp"), default=None)


@pytest.mark.parametrize(
    ("n_jobs", "allowed"), [(None, [4, 4, 4]), (1, [4, 4, 4]), (2, [2, 2, 4]), (8, [1, 1, 1])]
)
def test_what_runs_at_the_same_time_shares_out_the_threads_of_openmp(n_jobs, allowed):
    with threadpool_limits(4, "openmp"):
        if openmp_threads(0) is None:
            pytest.skip("nothing here has OpenMP")
        assert on_threads(openmp_threads, [(0,), (1,), (2,)], n_jobs) == allowed
        assert openmp_threads(0) == 4


def test_results_of_threads_are_in_order():
    assert on_threads(pow, [(2, 3), (3, 2), (5, 0)], 2) == [8, 9, 1]


def test_nothing_else_calls_joblib():
    callers = {
        file.relative_to(SOURCES).as_posix()
        for file in SOURCES.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom)
        and any(name.name == "Parallel" for name in node.names)
        and (node.module or "").startswith(("joblib", "sklearn"))
    }
    assert callers == {"engine/parallel.py"}


def allowed():
    libraries = parallel._controller().lib_controllers
    return [each.num_threads for each in libraries if each.user_api == "blas"]


def test_threads_are_those_of_blas(monkeypatch):
    class Library:
        user_api, num_threads = "blas", 4

    class Controller:
        lib_controllers = (Library,)

    monkeypatch.setattr(parallel, "_controller", Controller)
    assert parallel.blas_threads() == 4


def test_one_blas_thread_ends():
    before = allowed()
    with one_blas_thread():
        assert set(allowed()) <= {1}
    assert allowed() == before


def test_fits_that_overlap_leave_blas_its_threads():
    before = allowed()
    first, second = one_blas_thread(), one_blas_thread()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert set(allowed()) == {1}
    second.__exit__(None, None, None)
    assert allowed() == before
