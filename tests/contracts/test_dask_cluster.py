"""A cluster of two worker processes: the model of rows in memory, also when a worker dies."""

import os
import signal

import dask
import dask.array as da
import numpy as np
import pytest
from distributed import Client, LocalCluster
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from tests.contracts.backends import fitted, here
from unlabeled import (
    EnhancedLogistic,
    JointLogistic,
    NaiveLogistic,
    PUEnsemble,
    PULogistic,
    PUThresholdClassifier,
)

pytestmark = pytest.mark.filterwarnings("ignore:::distributed", "ignore::ResourceWarning")
N, CHUNK = 2000, 700


@pytest.fixture(scope="module")
def cluster():
    """Yield a client of two processes, which gives up a task that two workers died of."""
    settings = {
        "distributed.scheduler.allowed-failures": 1,
        "distributed.scheduler.no-workers-timeout": "5s",
    }
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with (
        dask.config.set(settings),
        LocalCluster(**options, silence_logs=50) as local,
        Client(local) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 3))
    return X, (rng.random(N) < 0.5 / (1 + np.exp(-2 * X[:, 0]))).astype(int)


@pytest.fixture(autouse=True)
def few_are_many(monkeypatch):
    monkeypatch.setattr(PULogistic, "_subset_rows", 400)


def in_dask(X, s):
    return da.from_array(X, chunks=(CHUNK, 3)), da.from_array(s, chunks=CHUNK)


def process_of_a_worker(client):
    return next(iter(client.run(os.getpid).values()))


def give_up_at_once(dask_scheduler):
    dask_scheduler.allowed_failures = 0


def die(block):
    os._exit(1)


# Dask 2025.1 warns of a scheduler beside a cluster, which is what is compared here.
@pytest.mark.filterwarnings("ignore:.PU1", "ignore:Running on a single-machine scheduler")
@pytest.mark.parametrize(
    "model",
    [
        PUThresholdClassifier(LogisticRegression(), max_rows=500, random_state=0),
        PUEnsemble(
            members=[("line", PULogistic()), ("tree", DecisionTreeClassifier(max_depth=3))],
            max_rows=500,
            random_state=0,
        ),
    ],
    ids=str,
)
def test_a_model_of_a_part_is_that_of_one_process(cluster, rows, model):
    found = clone(model).fit(*in_dask(*rows))
    predicted = here(found.predict(in_dask(*rows)[0]))
    with dask.config.set(scheduler="sync"):
        expected = clone(model).fit(*in_dask(*rows))
    assert found.threshold_ == pytest.approx(expected.threshold_, rel=1e-9)
    assert found.class_prior_ == pytest.approx(expected.class_prior_, rel=1e-9)
    np.testing.assert_array_equal(predicted, expected.predict(rows[0]))


@pytest.mark.parametrize(
    "model", [EnhancedLogistic(C=1), JointLogistic(0.7, C=1), PULogistic()], ids=str
)
def test_the_model_is_that_of_rows_in_memory(cluster, rows, model):
    expected, codes = fitted(model, *rows)
    chunks = in_dask(*rows)
    found, found_codes = fitted(model, *chunks)
    assert found_codes == codes
    np.testing.assert_allclose(found.coef_, expected.coef_, rtol=1e-9)
    np.testing.assert_allclose(found.intercept_, expected.intercept_, rtol=1e-9)
    np.testing.assert_array_equal(here(found.predict(chunks[0])), expected.predict(rows[0]))
    assert found.score(*chunks) == pytest.approx(expected.score(*rows), rel=1e-12)


def test_a_worker_that_dies_in_a_fit_changes_nothing(cluster, rows, monkeypatch):
    calls = []
    compute = dask.compute

    def compute_and_kill(*answers):
        calls.append(answers)
        if len(calls) == 4:
            os.kill(process_of_a_worker(cluster), signal.SIGKILL)
        return compute(*answers)

    monkeypatch.setattr(dask, "compute", compute_and_kill)
    found, _ = fitted(PULogistic(), *in_dask(*rows))
    assert len(calls) > 4
    expected, _ = fitted(PULogistic(), *rows)
    np.testing.assert_allclose(found.coef_, expected.coef_, rtol=1e-9)


def test_chunks_that_kill_their_worker_end_the_fit_with_one_sentence(cluster, rows):
    cluster.run_on_scheduler(give_up_at_once)
    X, s = in_dask(*rows)
    deadly = X.map_blocks(die, dtype=X.dtype, meta=np.empty((0, 0)))
    with pytest.raises(RuntimeError, match="KilledWorker|NoWorkerError") as caught:
        NaiveLogistic().fit(deadly, s)
    assert type(caught.value.__cause__).__name__ in ("KilledWorker", "NoWorkerError")
