"""Memory-mapped rows stay on disk: no copy is made, not even while a model is fitted."""

import tracemalloc

import numpy as np
import pytest

from tests.contracts.backends import rows_of
from unlabeled import EnhancedLogistic, JointLogistic, NaiveLogistic

N, P = 200_000, 16
MEGABYTE = 2**20


@pytest.fixture(scope="module", params=["float64", "float32"])
def on_disk(request, tmp_path_factory):
    """Return X, memory-mapped, and labels."""
    path = tmp_path_factory.mktemp("rows") / "X.bin"
    rng = np.random.default_rng(0)
    X = np.memmap(path, dtype=request.param, mode="w+", shape=(N, P))
    for start in range(0, N, 10_000):
        X[start : start + 10_000] = rng.normal(size=(10_000, P))
    score = 2 * X[:, 0] - 1
    s = (rng.random(N) < 0.5 / (1 + np.exp(-score))).astype(np.int8)
    X.flush()
    return np.memmap(path, dtype=request.param, mode="r", shape=(N, P)), s


def test_checked_rows_are_the_file(on_disk):
    X, s = on_disk
    rows = rows_of(X, s)
    assert np.shares_memory(rows.X, X)
    assert rows.X.dtype == X.dtype


@pytest.mark.parametrize(
    "model",
    [NaiveLogistic(C=1), EnhancedLogistic(C=1), JointLogistic(C=1), JointLogistic(0.6, C=1)],
    ids=str,
)
def test_a_fit_takes_blocks_and_columns(on_disk, model):
    X, s = on_disk
    tracemalloc.start()
    model.fit(X, s).predict(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # A few columns of the rows (8 bytes each) and a few blocks; X has 16 columns.
    assert peak < 5 * 8 * N + 16 * MEGABYTE, peak / MEGABYTE
