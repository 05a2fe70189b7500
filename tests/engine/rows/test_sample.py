"""A sample of rows: which are drawn, wherever they are, in which form, and which are left."""

from dataclasses import replace

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from unlabeled import JointLogistic
from unlabeled.engine.rows import content_hash, rows_as_given, sample_chunks, validate_rows

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
    return rows_as_given(*rows, weights="frequency").sample(most, seed, enough)


def test_the_numbers_are_those_of_the_rows_in_the_table():
    X, s, _ = table()
    part = drawn(*in_chunks(X, s))
    assert len(np.unique(part.row_index)) == len(part.row_index) == 500
    np.testing.assert_array_equal(part.rows.X, X[part.row_index])
    np.testing.assert_array_equal(part.rows.s, s[part.row_index])
    np.testing.assert_array_equal(part.rows.labels, s[part.row_index])


def test_the_part_and_the_rest_are_all_rows():
    X, s, weight = table()
    part = drawn(*in_chunks(X, s, weight), enough=400)
    kept = np.flatnonzero(weight > 0)
    others = np.delete(np.arange(len(kept)), part.row_index)
    rest = part.rest
    for column, of_table in ((rest.X, X), (rest.s, s), (rest.weight, weight)):
        np.testing.assert_array_equal(column.loaded(), of_table[kept[others]])
        assert column.shape[0] == len(others)
    assert rest.n_labeled == s[kept[others]].sum()


def test_the_rest_is_lazy():
    def never(*args, **options):
        raise AssertionError("something was computed")

    part = drawn(*in_chunks(*table()[:2]))
    assert part.rows.n_labeled
    with dask.config.set(scheduler=never):
        assert part.rest.n_labeled == part.whole.n_labeled - part.rows.n_labeled


def test_the_draw_depends_on_the_seed_and_not_on_the_chunks():
    X, s, _ = table()
    first = drawn(*in_chunks(X, s)).row_index
    np.testing.assert_array_equal(drawn(*in_chunks(X, s, lengths=(N,))).row_index, first)
    assert set(drawn(*in_chunks(X, s), seed=1).row_index) != set(first)


def test_the_draw_is_uniform_and_has_the_labeled_share_of_all():
    X, s, _ = table()
    times = np.zeros(N)
    for seed in range(60):
        part = drawn(*in_chunks(X, s), seed=seed)
        assert part.rows.n_labeled == round(500 * s.mean())
        assert not part.has_more_labeled
        times[part.row_index] += 1
    assert times.mean() == 10
    assert times.var() == pytest.approx(60 * (1 / 6) * (5 / 6), rel=0.15)


def test_rare_labeled_rows_are_drawn_more_often_and_weights_undo_it():
    X, s, weight = table(share=0.02)
    for given in ((s,), (s, weight)):
        part = drawn(*in_chunks(X, *given), enough=400)
        assert part.has_more_labeled
        assert part.rows.n_labeled == part.whole.n_labeled < 250
        assert part.weighted.labeled_share == pytest.approx(part.whole.labeled_share, rel=1e-12)
    assert drawn(*in_chunks(X, s), most=40, enough=400).rows.n_labeled == 20  # at most half


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
    wanted = frame.iloc[part.row_index][["a", "word"]].reset_index(drop=True)
    pd.testing.assert_frame_equal(part.rows.X, wanted, check_dtype=False)
    chunks, labels = in_chunks(X, s)
    found = drawn(chunks.map_blocks(sparse.csr_matrix, dtype=X.dtype), labels).rows.X
    assert sparse.issparse(found)
    np.testing.assert_array_equal(found.toarray(), drawn(chunks, labels).rows.X)


def test_labels_may_be_any_two_values():
    X, s, _ = table()
    text = np.where(s == 1, "a", "b")
    part = sample_chunks(*in_chunks(X, text), 500, 0, "a")
    np.testing.assert_array_equal(part.rows.labels, text[part.row_index])
    assert part.rows.n_labeled == round(500 * s.mean())
    of_labeled = f"{part.rows.n_labeled} of the {s.sum()} labeled ones are among them"
    assert part.note == f"on 500 of the 3000 rows, drawn at random; {of_labeled}"


# The same rows in any order and in any place.


def memory(X, *columns):
    return validate_rows(JointLogistic(weights="frequency"), X, *columns, anywhere=True)


def content(rows):
    """The rows as a sorted list: the same for rows in another order."""
    return sorted(map(tuple, np.column_stack([rows.X, rows.s, rows.weight]).tolist()))


@pytest.mark.parametrize("share", [0.2, 0.02])
def test_the_order_of_the_rows_does_not_matter(share):
    X, s, weight = table(share)
    order = np.random.default_rng(1).permutation(N)
    first = memory(X, s, 1 + weight).sample(500, 0, 100).rows
    other = memory(X[order], s[order], 1 + weight[order]).sample(500, 0, 100).rows
    assert content(other) == content(first)


def test_copies_of_rows_are_drawn_as_often_as_others_in_any_order():
    X, s, _ = table()
    X = np.where(np.arange(N)[:, None] < N // 2, 0.0, np.round(X))  # half of the rows are one
    order = np.random.default_rng(1).permutation(N)
    first = memory(X, s).sample(500, 0)
    other = memory(X[order], s[order]).sample(500, 0)
    assert len(np.unique(first.row_index)) == 500
    for rows in (first.rows, other.rows):
        assert np.mean(np.all(rows.X == 0, axis=1)) == pytest.approx(
            np.mean(np.all(X == 0, axis=1)), abs=0.02
        )
    assert content(replace(other.rows, weight=other.rows.s)) == content(
        replace(first.rows, weight=first.rows.s)
    )


def test_the_sample_is_the_same_in_every_place(tmp_path):
    X, s, weight = table()
    X = np.where(np.abs(X) > 1, X, 0.0)
    weight = 1 + weight
    np.save(tmp_path / "X.npy", X)
    places = {
        "map": (np.load(tmp_path / "X.npy", mmap_mode="r"), s, weight),
        "chunks": in_chunks(X, s, weight),
        "other chunks": in_chunks(X, s, weight, lengths=(1, 1999, 1000)),
        "sparse": (sparse.csr_matrix(X), s, weight),
        "columns": (np.asfortranarray(X), s, weight),
        "single precision": (X.astype(np.float32), s, weight),
        "frame": (pd.DataFrame(X), s, weight),
    }
    wanted = memory(X, s, weight).sample(500, 7).row_index
    for name, place in places.items():
        np.testing.assert_array_equal(memory(*place).sample(500, 7).row_index, wanted, name)
        assert set(memory(*place).sample(500, 8).row_index) != set(wanted)


def test_without_a_random_state_the_rows_alone_decide():
    X, s, _ = table()
    first, second = (memory(X, s).sample(500).row_index for _ in range(2))
    np.testing.assert_array_equal(first, second)


def test_each_column_of_a_row_counts():
    rows = np.eye(4).tolist()
    for X in (rows, sparse.csr_matrix(rows), pd.DataFrame(rows), pd.DataFrame(rows).astype(str)):
        found = content_hash(np.asarray(X) if isinstance(X, list) else X)
        assert len(set(found.tolist())) == 4
    same = content_hash(np.array([[0.0, np.nan], [-0.0, -np.nan]]))
    assert same[0] == same[1]


def test_rows_of_text_and_of_lists_have_a_hash():
    frame = pd.DataFrame({"a": ["x", "y", "x"], "b": [1.0, 2.0, 1.0]})
    lists = pd.DataFrame({"a": [[1], [2], [1]]})
    for X in (frame, frame.astype({"a": "category"}), lists, frame.to_numpy()):
        first, second, third = content_hash(X).tolist()
        assert first == third != second


def test_sums_over_the_weighted_rows_estimate_those_over_all_rows():
    rng = np.random.default_rng(0)
    X, s = rng.normal(size=(60_000, 3)), (rng.random(60_000) < 0.01).astype(float)
    sample = memory(X, s).sample(6000, 0, 200).weighted
    assert sample.labeled_share == pytest.approx(s.mean(), rel=1e-12)
    for labeled in (0, 1):
        kind = sample.s == labeled
        error = X[s == labeled].std(axis=0) / np.sqrt(kind.sum())
        apart = sample.X[kind].mean(axis=0) - X[s == labeled].mean(axis=0)
        assert np.all(np.abs(apart) < 4 * error + 1e-12)
