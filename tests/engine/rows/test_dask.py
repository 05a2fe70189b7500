"""Questions to chunks: answers in the order of the rows, which can be combined again."""

from functools import partial

import dask
import dask.array as da
import numpy as np
import pytest

from unlabeled.engine.rows._blocks import _Reduction, add
from unlabeled.engine.rows._dask import Chunks, combine_answers


def _chunks(n_rows, size):
    return Chunks.of(np.ravel(da.arange(n_rows, chunks=size).to_delayed()))


@pytest.mark.parametrize("n_chunks", [1, 2, 8, 9, 70])
def test_answers_are_joined_in_the_order_of_the_chunks(n_chunks):
    chunks = _chunks(3 * n_chunks, 3)
    joined = chunks.reduced(lambda part: part, lambda parts: np.concatenate(parts))
    np.testing.assert_array_equal(joined, np.arange(3 * n_chunks))


def test_each_chunk_has_its_function_and_may_be_skipped():
    chunks = _chunks(6, 2).then(lambda part: part + 1)
    assert chunks.each([np.sum, None, np.max]) == [3, 6]


def test_parts_come_side_by_side():
    first, second = (np.ravel((da.arange(6, chunks=2) * k).to_delayed()) for k in (1, 10))
    chunks = Chunks.side_by_side(first, second)
    sums = chunks.each([lambda parts: int(parts[0].sum() + parts[1].sum())] * 3)
    assert sums == [11, 55, 99]


def test_answers_can_be_combined_again():
    # A cluster that loses a worker combines the same answers once more.
    answers = [(1.0, np.ones(3)), (2.0, np.ones(3))]
    together = partial(combine_answers, _Reduction(add, add))
    for _ in range(2):
        value, gradient = together(answers)
        assert value == 3.0
        np.testing.assert_array_equal(gradient, [2, 2, 2])


def test_a_cluster_that_gives_up_raises_one_sentence(monkeypatch):
    class KilledWorker(BaseException):
        pass

    def fail(*_):
        raise KilledWorker("four workers died")

    monkeypatch.setattr(dask, "compute", fail)
    with pytest.raises(RuntimeError, match="KilledWorker: four workers died"):
        _chunks(4, 2).each([np.sum, np.sum])


def test_other_errors_stay_what_they_are():
    def fail(part):
        raise KeyError("no such column")

    with pytest.raises(KeyError, match="no such column"):
        _chunks(4, 2).each([fail, fail])
