"""Settings shared by all tests: the same numbers on every run, and the UCI data when present."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import matplotlib
import numpy as np
import pytest

from unlabeled.datasets import make_quasirandom_gaussian

matplotlib.use("Agg")

# A script that starts the tests in the background makes them, and what they start, ignore Ctrl-C.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

hypothesis.settings.register_profile("ci", derandomize=True, deadline=None, database=None)
hypothesis.settings.load_profile("ci")


# Per test, in seconds; that of the others is in pyproject.toml.
SLOW = 1800


def pytest_itemcollected(item: pytest.Item) -> None:
    """Give slow tests more time than the others."""
    if item.get_closest_marker("slow") and not item.get_closest_marker("timeout"):
        item.add_marker(pytest.mark.timeout(SLOW))


def pytest_collection() -> None:
    """Look for no garbage while tests are collected: there is none, and it takes a third of it."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Look for garbage again, but not among the modules and tests, which stay to the end."""
    gc.freeze()
    gc.enable()


@pytest.fixture(autouse=True)
def _no_cluster_of_another_test(request: pytest.FixtureRequest) -> Iterator[None]:
    """Let chunks be computed here: a client that another test left asks workers that are gone."""
    if "distributed" not in sys.modules or "cluster" in request.fixturenames:
        yield
        return
    import dask

    with dask.config.set(scheduler="threads"):
        yield


@pytest.fixture(scope="session")
def data_home() -> Path:
    """Return the folder with the UCI sets; without it the test is skipped."""
    folder = os.environ.get("UNLABELED_DATA")
    if not folder:
        pytest.skip("needs data: set UNLABELED_DATA to a folder with the UCI sets")
    if not Path(folder).is_dir():
        pytest.fail(f"UNLABELED_DATA must be a folder with the UCI sets; got {folder!r}.")
    return Path(folder)


@pytest.fixture(autouse=True)
def _skip_without_data(request: pytest.FixtureRequest) -> None:
    if request.node.get_closest_marker("needs_data"):
        request.getfixturevalue("data_home")


@pytest.fixture(autouse=True)
def _seed_the_global_generator() -> None:
    """Third-party code may draw from it (scikit-learn's estimator checks do); ours does not."""
    np.random.seed(0)  # noqa: NPY002


@pytest.fixture
def rng() -> np.random.Generator:
    """Return a generator in the same state for every test."""
    return np.random.default_rng(20231)


@pytest.fixture
def noise() -> tuple[np.ndarray, np.ndarray]:
    """Return features that tell nothing, and labels with P(Y=1) = 1/2 and c = 1/5."""
    rng = np.random.default_rng(1)
    X, y_true = rng.normal(size=(400, 3)), rng.random(400) < 0.5
    return X, (y_true & (rng.random(400) < 0.2)).astype(int)


@pytest.fixture(scope="session")
def golden():
    """Return the data without a random generator, for a label frequency."""
    return make_quasirandom_gaussian
