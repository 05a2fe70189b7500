"""Ctrl-C while chunks are read: a verbose fit keeps the best point."""

import dask
import dask.local
import numpy as np
import pytest

from tests.contracts.backends import PLACES, data, fitted
from unlabeled import EnhancedLogistic, JointLogistic, NaiveLogistic


class Interrupted:
    """A scheduler during whose n-th call somebody presses Ctrl-C."""

    def __init__(self, at):
        self.calls, self.at = 0, at

    def __call__(self, graph, keys, **options):
        self.calls += 1
        if self.calls == self.at:
            raise KeyboardInterrupt
        return dask.local.get_sync(graph, keys, **options)


@pytest.mark.parametrize(
    ("model", "at"),
    [(NaiveLogistic(C=1), 8), (EnhancedLogistic(C=1), 8), (JointLogistic(0.7, C=1), 25)],
    ids=str,
)
def test_the_best_point_is_kept(model, at, tmp_path):
    chunks = PLACES["uneven chunks"](*data(), tmp_path)
    model.set_params(verbose=1, tol=1e-10)
    with dask.config.set(scheduler=Interrupted(at)):
        model, codes = fitted(model, *chunks)
    assert "PU117" in codes
    assert np.all(np.isfinite(model.coef_))
    assert model.converged_ is False


def test_a_silent_fit_stops(tmp_path):
    chunks = PLACES["uneven chunks"](*data(), tmp_path)
    with dask.config.set(scheduler=Interrupted(8)), pytest.raises(KeyboardInterrupt):
        NaiveLogistic().fit(*chunks)
