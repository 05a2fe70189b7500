"""Sums over rows are the same wherever the rows live: derivatives, moments, separating columns."""

import numpy as np
import pytest

from tests.contracts.backends import PLACES, chunks_of, data, rows_of
from unlabeled.engine.linear_fits import is_separated, separating_columns
from unlabeled.engine.linear_fits._separation import step_log_likelihood
from unlabeled.engine.losses import KnownFrequencyLoss, LogisticLoss, ProductLoss
from unlabeled.engine.objective import (
    CONSTANT,
    FEATURES,
    FEATURES_WITHOUT_INTERCEPT,
    Moments,
    Objective,
)
from unlabeled.engine.rows import _blocks

# Dask's own, when it reads Parquet by a new pandas.
pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword in DataFrame")

LOSSES = [
    (LogisticLoss(), (FEATURES,)),
    (LogisticLoss(), (FEATURES_WITHOUT_INTERCEPT,)),
    (KnownFrequencyLoss(0.6), (FEATURES,)),
    (ProductLoss(), (FEATURES, CONSTANT)),
]
every_place = pytest.mark.parametrize("place", PLACES.values(), ids=PLACES.keys())
weighted_or_not = pytest.mark.parametrize("weighted", [False, True], ids=["", "weighted"])


def placed(place, weighted, folder, X=None, dtype=np.float64):
    """Return the rows in memory, and in the place."""
    given, s, weight = data()
    X = (given if X is None else X).astype(dtype)
    weight = weight if weighted else None
    return rows_of(X, s, weight), rows_of(*place(X, s, weight, folder))


def derivatives(rows, loss, designs, ridge=0.1):
    objective = Objective(loss, designs, rows.X, rows.s, rows.weight, ridge)
    theta = np.linspace(-0.5, 0.7, objective.n_parameters)
    return *objective.value_gradient(theta), *objective.value_gradient_hessian(theta)


def assert_same(found, expected, rtol=1e-12):
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol * 0.1)
        assert isinstance(a, np.ndarray | float)


@every_place
@weighted_or_not
def test_value_gradient_and_hessian(place, weighted, tmp_path):
    in_memory, rows = placed(place, weighted, tmp_path)
    for loss, designs in LOSSES:
        expected = derivatives(in_memory, loss, designs)
        assert_same(derivatives(rows, loss, designs), expected)


@every_place
def test_single_precision_stays_single_and_is_near(place, tmp_path):
    _, rows = placed(place, True, tmp_path, dtype=np.float32)
    assert rows.X.dtype == np.float32
    in_double, _ = placed(place, True, tmp_path)
    for loss, designs in LOSSES:
        assert_same(derivatives(rows, loss, designs), derivatives(in_double, loss, designs), 1e-5)


@every_place
@weighted_or_not
def test_moments_and_counts(place, weighted, tmp_path):
    in_memory, rows = placed(place, weighted, tmp_path)
    for intercept in (True, False):
        expected = Moments.of(in_memory.X, in_memory.weight, intercept)
        found = Moments.of(rows.X, rows.weight, intercept)
        assert_same((found.center, found.second), (expected.center, expected.second))
    assert rows.n_labeled == in_memory.n_labeled
    assert rows.X.shape == in_memory.X.shape
    assert rows.total_weight == pytest.approx(in_memory.total_weight, rel=1e-14)
    assert rows.labeled_share == pytest.approx(in_memory.labeled_share, rel=1e-14)


@every_place
@weighted_or_not
def test_columns_that_separate(place, weighted, tmp_path):
    X, s, _ = data()
    X = np.column_stack([X[:, 0], s * (1 + X[:, 1] ** 2), X[:, 2] * (1 - s)])
    in_memory, rows = placed(place, weighted, tmp_path, X)
    for intercept in (True, False):
        expected = separating_columns(in_memory.X, in_memory.s, intercept)
        np.testing.assert_array_equal(separating_columns(rows.X, rows.s, intercept), expected)
    np.testing.assert_array_equal(separating_columns(rows.X, rows.s), [1])


@pytest.mark.parametrize("name", ["uneven chunks", "unknown sizes", "frame"])
@weighted_or_not
def test_sums_over_a_score(name, weighted, tmp_path):
    in_memory, rows = placed(PLACES[name], weighted, tmp_path)
    column = np.array([1.0, -1.0, 0.5])
    score, expected = rows.X.then(lambda X: X @ column), in_memory.X @ column
    assert is_separated(score, rows.s) is is_separated(expected, in_memory.s) is False
    for shift in (0.0, 10.0):
        found = step_log_likelihood(score.plus(shift), rows.s, rows.weight)
        wanted = step_log_likelihood(expected + shift, in_memory.s, in_memory.weight)
        assert found == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("name", ["memmap", "F order", "uneven chunks", "frame", "CSR chunks"])
def test_block_size_changes_nothing(name, tmp_path, monkeypatch):
    in_memory, rows = placed(PLACES[name], True, tmp_path)
    expected = [derivatives(in_memory, *case) for case in LOSSES]
    moments = Moments.of(in_memory.X, in_memory.weight, True)
    monkeypatch.setattr(_blocks, "rows_in_a_block", lambda X: 7)
    for case, wanted in zip(LOSSES, expected, strict=True):
        assert_same(derivatives(rows, *case), wanted)
    found = Moments.of(rows.X, rows.weight, True)
    assert_same((found.center, found.second), (moments.center, moments.second))


def test_one_row_per_chunk(tmp_path):
    X, s, weight = (part[:20] for part in data())
    rows = rows_of(*chunks_of(*[1] * 20)(X, s, weight, tmp_path))
    assert_same(
        derivatives(rows, *LOSSES[3]), derivatives(rows_of(X, s, weight), *LOSSES[3]), 1e-12
    )
