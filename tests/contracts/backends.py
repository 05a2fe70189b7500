"""Small data, and every place in memory, on disk or in chunks of Dask where its rows may live."""

import warnings
from functools import cache

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.base import BaseEstimator, clone

from unlabeled.codes import PUWarning
from unlabeled.engine.rows import validate_rows

N = 240
NAMES = ["f0", "f1", "f2"]
UNEVEN = (50, 0, 120, 1, 69)


@cache
def data():
    """Return X with zeros in it, labels of half of the positives, and weights with zeros."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(N, len(NAMES)))
    X[rng.random(X.shape) < 0.2] = 0.0
    y_true = rng.random(N) < 1 / (1 + np.exp(-2 * (X @ [1.0, -1.0, 0.5])))
    s = (y_true & (rng.random(N) < 0.5)).astype(int)
    weight = rng.integers(0, 4, N).astype(float)
    for part in (X, s, weight):
        part.flags.writeable = False
    return X, s, weight


def in_chunks(array, chunks):
    return da.from_array(array, chunks=(chunks, *((length,) for length in array.shape[1:])))


def each(place):
    """Return a place for (X, s, weight) made of one for an array; None stays None."""
    return lambda X, s, weight, folder: tuple(
        None if part is None else place(part) for part in (X, s, weight)
    )


def only_features(place):
    """Return a place where labels and weights stay NumPy arrays."""
    return lambda X, s, weight, folder: (place(X), s, weight)


def chunks_of(*lengths):
    return each(lambda array: in_chunks(array, lengths))


def unknown_sizes(array):
    everything = da.ones(N, chunks=(UNEVEN,), dtype=bool)
    return in_chunks(array, UNEVEN)[everything]


def csr_chunks(array):
    chunks = in_chunks(array, UNEVEN)
    return chunks.map_blocks(sparse.csr_matrix, dtype=array.dtype) if array.ndim == 2 else chunks


def csr_chunks_of_columns(array):
    if array.ndim == 1:
        return in_chunks(array, UNEVEN)
    return da.from_array(array, chunks=(100, 2)).map_blocks(sparse.csr_matrix, dtype=array.dtype)


def with_repeated_entries(block):
    """Every value as two entries of one place, a third and two thirds."""
    X = sparse.csr_matrix(block)
    data = np.column_stack([X.data / 3, X.data - X.data / 3]).ravel()
    return sparse.csr_matrix((data, np.repeat(X.indices, 2), 2 * X.indptr), shape=X.shape)


def repeated_entries_in_chunks(X):
    return in_chunks(X, UNEVEN).map_blocks(with_repeated_entries, dtype=X.dtype)


def memory_mapped(X, s, weight, folder):
    written = np.memmap(folder / "X.bin", dtype=X.dtype, mode="w+", shape=X.shape)
    written[:] = X
    written.flush()
    return np.memmap(folder / "X.bin", dtype=X.dtype, mode="r", shape=X.shape), s, weight


def table(X, s, weight):
    return pd.DataFrame(X, columns=NAMES).assign(s=s, weight=1.0 if weight is None else weight)


def columns_of(frame, weight):
    return frame[NAMES], frame["s"], None if weight is None else frame["weight"]


def frame(X, s, weight, folder):
    return columns_of(dd.from_pandas(table(X, s, weight), npartitions=3), weight)


def frame_and_arrays(X, s, weight, folder):
    return frame(X, s, weight, folder)[0], s, weight


def parquet(X, s, weight, folder):
    rows = table(X, s, weight)
    for k, part in enumerate((rows[:100], rows[100:100], rows[100:])):
        part.to_parquet(folder / f"part-{k}.parquet", index=False)
    return columns_of(dd.read_parquet(folder), weight)


IN_MEMORY = {
    "F order": only_features(np.asfortranarray),
    "CSR": only_features(sparse.csr_matrix),
    "memmap": memory_mapped,
}
IN_CHUNKS = {
    "uneven chunks": chunks_of(*UNEVEN),
    "first chunk empty": chunks_of(0, 200, 40),
    "last chunk empty": chunks_of(200, 40, 0),
    "labels here": only_features(lambda X: in_chunks(X, UNEVEN)),
    "labels cut elsewhere": lambda X, s, weight, folder: (
        in_chunks(X, UNEVEN),
        *chunks_of(200, 40)(s, weight, None, folder)[:2],
    ),
    "unknown sizes": each(unknown_sizes),
    "unknown sizes, labels here": only_features(unknown_sizes),
    "columns in chunks": only_features(lambda X: da.from_array(X, chunks=(100, 2))),
    "CSR chunks": each(csr_chunks),
    "CSR chunks of columns": each(csr_chunks_of_columns),
    "repeated entries": only_features(repeated_entries_in_chunks),
    "frame": frame,
    "frame, labels here": frame_and_arrays,
    "Parquet": parquet,
}
PLACES = IN_MEMORY | IN_CHUNKS


class Counting(BaseEstimator):
    """Takes weights as numbers of copies, so they stay as they are."""

    weights = "frequency"


def rows_of(X, s, weight=None):
    """Return checked rows, living where they are."""
    return validate_rows(Counting(), X, s, weight, anywhere=True)


def fitted(model, X, s, weight=None):
    """Return a fitted clone, and the codes it warned with."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = clone(model).fit(X, s, weight)
    codes = [one.message.code for one in caught if isinstance(one.message, PUWarning)]
    return model, codes


def here(values):
    return np.asarray(values.compute() if hasattr(values, "compute") else values)
