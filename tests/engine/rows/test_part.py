"""A part of rows in chunks: which rows are drawn, in which form, and which are left."""

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from unlabeled.engine.rows import draw_part, part_of_chunks, rows_as_given

N = 3000
UNEVEN = (900, 0, 1200, 1, 899)


@pytest.fixture(autouse=True)
def here():
    with dask.config.set(scheduler="sync"):
        yield


def table(share=0.2):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 2))
    return X, (rng.random(N) < share).astype(int), rng.integers(0, 3, N).astype(float)


def in_chunks(X, *columns, lengths=UNEVEN):
    whole = da.from_array(X, chunks=(lengths, 2))
    return whole, *(da.from_array(one, chunks=(lengths,)) for one in columns)


def drawn(*rows, most=500, seed=0, enough=0):
    return draw_part(rows_as_given(*rows), most, np.random.RandomState(seed), enough)


def test_the_numbers_are_those_of_the_rows_in_the_table():
    X, s, _ = table()
    part = drawn(*in_chunks(X, s))
    assert len(np.unique(part.numbers)) == len(part.numbers) == 500
    np.testing.assert_array_equal(part.rows.X, X[part.numbers])
    np.testing.assert_array_equal(part.rows.s, s[part.numbers])
    np.testing.assert_array_equal(part.y, s[part.numbers])


def test_the_part_and_the_rest_are_all_rows():
    X, s, weight = table()
    part = drawn(*in_chunks(X, s, weight), enough=400)
    kept = np.flatnonzero(weight > 0)
    others = np.delete(np.arange(len(kept)), part.numbers)
    rest = part.rest
    np.testing.assert_array_equal(part.numbers_of_rest(rest).every(1)[0], others)
    for column, of_table in ((rest.X, X), (rest.s, s), (rest.weight, weight)):
        np.testing.assert_array_equal(column.every(1)[0], of_table[kept[others]])
        assert column.shape[0] == len(others)
    assert rest.n_labelled == s[kept[others]].sum()


def test_the_rest_is_lazy():
    def never(*args, **options):
        raise AssertionError("something was computed")

    part = drawn(*in_chunks(*table()[:2]))
    with dask.config.set(scheduler=never):
        assert part.rest.n_labelled == part.whole.n_labelled - part.rows.n_labelled


def test_the_draw_depends_on_the_seed_and_not_on_the_chunks():
    X, s, _ = table()
    first = drawn(*in_chunks(X, s)).numbers
    np.testing.assert_array_equal(drawn(*in_chunks(X, s, lengths=(N,))).numbers, first)
    assert set(drawn(*in_chunks(X, s), seed=1).numbers) != set(first)


def test_the_draw_is_uniform_and_has_the_labelled_share_of_all():
    X, s, _ = table()
    times = np.zeros(N)
    for seed in range(60):
        part = drawn(*in_chunks(X, s), seed=seed)
        assert part.rows.n_labelled == round(500 * s.mean())
        assert not part.has_more_labelled
        times[part.numbers] += 1
    assert times.mean() == 10
    assert times.var() == pytest.approx(60 * (1 / 6) * (5 / 6), rel=0.15)


def test_rare_labelled_rows_are_drawn_more_often_and_weights_undo_it():
    X, s, weight = table(share=0.02)
    for given in ((s,), (s, weight)):
        part = drawn(*in_chunks(X, *given), enough=400)
        assert part.has_more_labelled
        assert part.rows.n_labelled == part.whole.n_labelled < 250
        assert part.weighted.labelled_share == pytest.approx(part.whole.labelled_share, rel=1e-12)
    assert drawn(*in_chunks(X, s), most=40, enough=400).rows.n_labelled == 20  # at most half


def test_all_rows_are_taken_if_there_are_not_more():
    X, s, _ = table()
    part = drawn(*in_chunks(X, s), most=N)
    assert part.is_whole
    assert part.note is None
    np.testing.assert_array_equal(part.rows.X, X)


def test_frames_stay_frames_and_sparse_rows_stay_sparse():
    X, s, _ = table()
    frame = pd.DataFrame({"a": X[:, 0], "word": np.where(X[:, 1] > 0, "x", "y"), "s": s})
    rows = dd.from_pandas(frame, npartitions=3)
    part = drawn(rows[["a", "word"]], rows["s"])
    wanted = frame.iloc[part.numbers][["a", "word"]].reset_index(drop=True)
    pd.testing.assert_frame_equal(part.rows.X, wanted, check_dtype=False)
    chunks, labels = in_chunks(X, s)
    found = drawn(chunks.map_blocks(sparse.csr_matrix, dtype=X.dtype), labels).rows.X
    assert sparse.issparse(found)
    np.testing.assert_array_equal(found.toarray(), X[part.numbers])


def test_labels_may_be_any_two_values():
    X, s, _ = table()
    text = np.where(s == 1, "a", "b")
    part = part_of_chunks(*in_chunks(X, text), 500, 0, "a")
    np.testing.assert_array_equal(part.y, text[part.numbers])
    assert part.rows.n_labelled == round(500 * s.mean())
    of_labelled = f"{part.rows.n_labelled} of the {s.sum()} labelled ones are among them"
    assert part.note == f"on 500 of the 3000 rows, drawn at random; {of_labelled}"
