"""Cells that lie absurdly far out: who warns of them, and which fits do not follow them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score

from unlabeled import (
    EnhancedLogistic,
    PropensityLogistic,
    PUEnsemble,
    PULogistic,
    PUThresholdClassifier,
)
from unlabeled.codes import PUWarning
from unlabeled.datasets import make_paper_gaussian
from unlabeled.linear_model._far_cells import far_cells

ROW, VALUE = 17, 1e6


@pytest.fixture(scope="module")
def made():
    return make_paper_gaussian(400, 0.4, random_state=1)


@pytest.fixture(scope="module")
def mistyped(made):
    X = made.X.copy()
    X[ROW, 1] = VALUE
    return X


def fitted(model, X, s, **given):
    with pytest.warns(PUWarning, match="PU131") as caught:
        model.fit(X, s, **given)
    (told,) = (str(one.message) for one in caught if "PU131" in str(one.message))
    return model, told


@pytest.mark.parametrize("kind", ["NumPy", "frame", "CSR", "single precision"])
def test_one_absurd_cell_is_named_and_the_line_does_not_follow_it(made, mistyped, kind):
    as_kind = {
        "NumPy": np.asarray,
        "frame": lambda X: pd.DataFrame(
            X, columns=["age", "dose", *map(str, range(2, X.shape[1]))]
        ),
        "CSR": sparse.csr_matrix,
        "single precision": lambda X: X.astype(np.float32),
    }[kind]
    model, told = fitted(PULogistic(), as_kind(mistyped), made.s)
    assert f"1e+06 in row {ROW}" in told
    assert ("'dose'" if kind == "frame" else "column 1") in told
    others = np.delete(made.X[:, 1], ROW)
    limited = made.X.copy()
    limited[ROW, 1] = others.max()
    plain = PULogistic().fit(as_kind(limited), made.s)
    np.testing.assert_allclose(model.coef_, plain.coef_, rtol=1e-6)
    assert model.threshold_ == pytest.approx(plain.threshold_, rel=1e-6)
    # New rows are scored as they are.
    expected = mistyped[ROW] @ model.coef_[0]
    score = model.positive_score(as_kind(mistyped))[ROW]
    assert score == pytest.approx(expected, rel=1e-5)
    assert model.held_out_score_[ROW] == pytest.approx(plain.held_out_score_[ROW], rel=1e-5)


def test_standard_errors_and_many_rows_have_the_limits_too(made, mistyped, monkeypatch):
    model, _ = fitted(PULogistic(), mistyped, made.s)
    limited = made.X.copy()
    limited[ROW, 1] = np.delete(made.X[:, 1], ROW).max()
    plain = PULogistic().fit(limited, made.s)
    ours, theirs = (
        one.estimates(X, made.s).covariance for one, X in ((model, mistyped), (plain, limited))
    )
    np.testing.assert_allclose(ours, theirs, rtol=1e-6)
    monkeypatch.setattr(PULogistic, "_subset_rows", 150)
    by_passes, told = fitted(PULogistic(), mistyped, made.s)
    assert f"row {ROW}" in told
    np.testing.assert_allclose(by_passes.coef_, PULogistic().fit(limited, made.s).coef_, rtol=1e-6)


def test_rows_of_weight_zero_count_in_the_number_of_the_row(made, mistyped):
    weight = np.ones(len(made.s))
    weight[:5] = 0
    _, told = fitted(PULogistic(), mistyped, made.s, sample_weight=weight)
    assert f"row {ROW}" in told


@pytest.mark.parametrize(
    ("model", "follows"),
    [
        (EnhancedLogistic(), True),
        (PropensityLogistic(propensity_features=[0]), False),
        (PUEnsemble(random_state=0), False),
        (PUThresholdClassifier(LogisticRegression(max_iter=2000)), True),
        (PUThresholdClassifier(EnhancedLogistic()), True),
    ],
    ids=["paper", "propensity", "ensemble", "threshold", "nested"],
)
@pytest.mark.filterwarnings("ignore")
def test_every_linear_fit_warns_once_and_says_whether_it_follows(made, mistyped, model, follows):
    _, told = fitted(model, mistyped, made.s)
    assert f"row {ROW}" in told
    assert ("follows it" in told) == follows


def test_ordinary_columns_and_rare_counts_have_no_far_cells(rng):
    n = 2000
    columns = {
        "normal": rng.normal(size=n),
        "t3": rng.standard_t(3, size=n),
        "log-normal": np.exp(1.5 * rng.normal(size=n)),
        "rare": (rng.random(n) < 0.005).astype(float),
        "counts": rng.poisson(0.05, n) * rng.integers(1, 60, n).astype(float),
        "constant": np.ones(n),
        "one nonzero": np.eye(n, 1)[:, 0] * 1e6,
    }
    X = np.column_stack(list(columns.values()))
    assert far_cells(X) == []
    assert far_cells(sparse.csr_matrix(X)) == []


def test_a_far_cell_is_found_among_counts_and_long_tails_are_far_as_a_whole(rng):
    n = 2000
    counts = rng.poisson(0.2, n).astype(float)
    counts[9] = 1e7
    tails = rng.normal(size=n) ** 9
    (one, other) = far_cells(np.column_stack([counts, tails]))
    assert (one.column, one.row, one.count) == (0, 9, 1)
    assert one.high == counts[counts < 1e7].max()
    assert other.column == 1
    assert other.count > 10
    assert np.abs([other.low, other.high]).max() < 0.1 * np.abs(tails).max()


@pytest.mark.parametrize("share", [0.005, 0.3, 0.8])
def test_sparse_rows_have_the_far_cells_of_dense_ones(rng, share):
    X = rng.poisson(2, (900, 40)) * (rng.random((900, 40)) < share).astype(float)
    X[7, :25] = np.geomspace(10, 1e8, 25)
    X[8, 25:] = -np.geomspace(10, 1e8, 15)
    explicit_zeros = sparse.csr_matrix(X + 1)
    explicit_zeros.data -= 1
    found = [one for one in far_cells(X) if one.low * one.high <= 0]
    assert (len(found) > 0) == (share > 0.01)
    assert far_cells(sparse.csr_matrix(X)) == found
    assert far_cells(explicit_zeros) == found


def test_long_tails_of_few_rows_are_far_and_those_of_cauchy_cells_hardly_ever(rng):
    n = 240
    assert all(far_cells(rng.normal(size=(n, 1)) ** 9) for _ in range(20))
    # Long tails alone: a single far cell may also be one by its distance from the others.
    tails = [far_cells(rng.standard_cauchy(size=(n, 1))) for _ in range(200)]
    assert sum(len(found) > 0 and found[0].count > 1 for found in tails) <= 6


@pytest.mark.filterwarnings("ignore:.PU131")
def test_one_absurd_cell_hardly_changes_the_f1_of_the_other_rows():
    falls = []
    for seed in range(8):
        data = make_paper_gaussian(300, 0.3, random_state=seed)
        X = data.X.copy()
        X[seed, seed % 2] = VALUE * (-1) ** seed
        plain = PULogistic().fit(data.X, data.s)
        model = PULogistic().fit(X, data.s)
        rest = np.arange(300) != seed
        f1, f1_of_plain = (
            f1_score(data.y_true[rest], one.predict(data.X[rest])) for one in (model, plain)
        )
        falls.append(f1_of_plain - f1)
    assert abs(np.mean(falls)) < 0.02
