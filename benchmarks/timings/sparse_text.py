"""Wide sparse text: time and peak memory of fits to 50 000 documents of 575 524 words."""

from __future__ import annotations

import resource
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import expit

from benchmarks.timings.own_process import in_own_process

N_ROWS, N_WORDS, WORDS_A_ROW = 50_000, 575_524, 115
LABEL_FREQUENCY = 0.3
# What the process may use: twice the matrix, plus Python with its libraries.
MATRIX_TIMES, LIBRARIES_MB = 2, 500
METHODS = ("LogisticRegression(C=1)", "EnhancedLogistic(C=1)", "PULogistic()")
_PARTS = ("data", "indices", "indptr")


def main() -> None:
    """Print the size of the matrix and, for every method, time and peak memory."""
    print(f"\nSparse text, {N_ROWS} x {N_WORDS}, one thread")
    print(f"{'':<26}{'matrix, MB':>11}{'seconds':>9}{'peak, MB':>10}{'bar, MB':>9}{'ratio':>7}")
    with TemporaryDirectory() as folder:
        in_own_process(write, folder)
        reference = None
        for method in METHODS:
            found, _ = in_own_process(fit, folder, method)
            seconds, peak, size = found["seconds"], found["peak"], found["size"]
            reference = reference or seconds
            bar = MATRIX_TIMES * size + LIBRARIES_MB
            print(
                f"{method:<26}{size:>11.0f}{seconds:>9.1f}{peak:>10.0f}{bar:>9.0f}"
                f"{seconds / reference:>7.1f}"
            )


def make_text(
    n_rows: int = N_ROWS, n_words: int = N_WORDS, words_a_row: int = WORDS_A_ROW, seed: int = 0
) -> tuple[sparse.csr_matrix, np.ndarray]:
    """Draw documents with Zipf's frequencies of words, as tf-idf rows, and SCAR labels."""
    rng = np.random.default_rng(seed)
    frequency = np.cumsum(1 / (np.arange(n_words) + 20.0))
    length = rng.poisson(1.02 * words_a_row, size=n_rows) + 1  # some words come twice
    end = np.concatenate([[0], np.cumsum(length)]).astype(np.int32)
    words = np.searchsorted(frequency, rng.random(end[-1]) * frequency[-1]).astype(np.int32)
    X = sparse.csr_matrix((np.ones(end[-1]), words, end), shape=(n_rows, n_words))
    X.sum_duplicates()
    documents = np.bincount(X.indices, minlength=n_words)
    X.data = (1 + np.log(X.data)) * (1 + np.log((1 + n_rows) / (1 + documents)))[X.indices]
    norms = np.sqrt(np.add.reduceat(X.data**2, X.indptr[:-1]))
    X.data /= np.repeat(norms, np.diff(X.indptr))
    direction = np.zeros(n_words)
    informative = rng.choice(n_words // 100, size=300, replace=False)
    direction[informative] = rng.normal(scale=15.0, size=300)
    score = X @ direction
    y_true = rng.random(n_rows) < expit(score - np.quantile(score, 0.7))
    s = y_true & (rng.random(n_rows) < LABEL_FREQUENCY)
    return X, s.astype(np.int64)


def write(folder: str) -> dict[str, float]:
    """Write the documents."""
    X, s = make_text()
    for name in _PARTS:
        np.save(Path(folder) / f"{name}.npy", getattr(X, name))
    np.save(Path(folder) / "s.npy", s)
    return {}


def fit(folder: str, method: str) -> dict[str, float]:
    """Fit; return seconds, the peak of this process in MB, and the MB of the matrix."""
    parts = [np.load(Path(folder) / f"{name}.npy") for name in _PARTS]
    X, s = sparse.csr_matrix(tuple(parts), shape=(N_ROWS, N_WORDS)), np.load(f"{folder}/s.npy")
    model = _model(method)
    start = time.perf_counter()
    model.fit(X, s)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    size = sum(part.nbytes for part in parts) / 2**20
    return {"seconds": seconds, "peak": peak, "size": size}


def _model(method: str) -> Any:
    if method == "LogisticRegression(C=1)":
        from sklearn.linear_model import LogisticRegression

        return LogisticRegression(C=1, max_iter=1000)
    from unlabeled import EnhancedLogistic, PULogistic

    return EnhancedLogistic(C=1) if method == "EnhancedLogistic(C=1)" else PULogistic()


if __name__ == "__main__":
    main()
