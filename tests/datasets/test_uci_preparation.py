"""The paper's preparation on small frames, where every entry can be seen."""

from __future__ import annotations

import numpy as np
import pytest

from unlabeled.datasets._files import fingerprint, format_csv, numbers, parse_csv
from unlabeled.datasets._uci import prepare
from unlabeled.datasets._uci_table import UCISpec

pd = pytest.importorskip("pandas")


def small_spec(columns, categorical=(), *, file="small.csv", **options) -> UCISpec:
    return UCISpec(
        name="small",
        file=file,
        size=0,
        sha256="",
        matrix_sha256="",
        n_rows=0,
        n_features=0,
        n_positives=0,
        positive="",
        columns=columns,
        categorical=categorical,
        **options,
    )


def levels_of(counts: dict[str | None, int]):
    return pd.DataFrame({"a": [level for level, n in counts.items() for _ in range(n)]})


@pytest.mark.parametrize(("fill", "expected"), [("median", 2.0), ("mean", 4.0)])
def test_missing_numbers_take_the_median_or_the_mean(fill, expected):
    frame = pd.DataFrame({"a": ["1", "2", None, "9"]})
    X, names = prepare(frame, small_spec(("a",), fill=fill))
    assert X[2, 0] == expected
    assert names == ("a",)


def test_numbers_come_first_and_the_first_level_is_the_reference():
    frame = pd.DataFrame({"k": ["b", "a", "c"], "x": ["1", "2.0", "3"]})
    X, names = prepare(frame, small_spec(("k", "x"), ("k",)))
    assert names == ("x", "k=b", "k=c")
    assert X.tolist() == [[1, 1, 0], [2, 0, 0], [3, 0, 1]]


def test_missing_is_a_level_and_the_reference():
    frame = pd.DataFrame({"k": ["b", np.nan, "a"]})
    X, names = prepare(frame, small_spec(("k",), ("k",)))
    assert names == ("k=a", "k=b")
    assert X.tolist() == [[0, 1], [0, 0], [1, 0]]


def test_ten_levels_are_all_kept():
    frame = levels_of({f"l{i}": 1 for i in range(10)})
    _, names = prepare(frame, small_spec(("a",), ("a",)))
    assert names == tuple(f"a=l{i}" for i in range(1, 10))


def test_rarer_levels_are_merged_into_the_tenth_with_ties_by_name():
    frame = levels_of({f"l{i:02d}": 5 if i < 9 else 1 for i in range(12)})
    X, names = prepare(frame, small_spec(("a",), ("a",)))
    assert names[-1] == "a=l09 or rarer"
    assert len(names) == 9
    assert X[:, -1].sum() == 3


@pytest.mark.parametrize(("counts", "columns"), [(True, 9), (False, 10)])
def test_missing_counts_towards_the_ten_levels_or_not(counts, columns):
    frame = levels_of({**{f"l{i:02d}": 20 - i for i in range(12)}, None: 15})
    X, names = prepare(frame, small_spec(("a",), ("a",), missing_counts_as_level=counts))
    assert X.shape[1] == len(names) == columns
    assert np.sum(X.sum(axis=1) == 0) == 15


def test_a_rare_missing_level_stays_the_reference_when_it_does_not_count():
    frame = levels_of({**{f"l{i:02d}": 20 - i for i in range(12)}, None: 1})
    X, _ = prepare(frame, small_spec(("a",), ("a",), missing_counts_as_level=False))
    assert np.sum(X.sum(axis=1) == 0) == 1


@pytest.mark.parametrize("file", ["small.csv", "small.csv.gz"])
def test_csv_keeps_numbers_text_and_missing_cells(file):
    spec = small_spec(("x", "k"), ("k",), file=file)
    frame = pd.DataFrame(
        {"x": ["0.30000000000000004", None, "-1e-300"], "k": ["NA", None, "a,b"], "y": list("010")}
    )
    again = parse_csv(format_csv(frame, spec), spec)
    np.testing.assert_array_equal(numbers(again["x"]), [0.1 + 0.2, np.nan, -1e-300])
    assert again["k"].tolist()[::2] == ["NA", "a,b"]
    assert again["k"].isna().tolist() == [False, True, False]
    assert numbers(again["y"]).tolist() == [0, 1, 0]


def test_the_sum_sees_values_order_shape_and_classes_but_not_the_last_bit():
    X, y = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([0, 1])
    base = fingerprint(X, y)
    assert fingerprint(X * (1 + 1e-15), y.astype(np.int8)) == base
    assert fingerprint(np.asfortranarray(X), y) == base
    for other in (X[::-1], X.T, X + 1e-6, X.reshape(1, 4)):
        assert fingerprint(other, y) != base
    assert fingerprint(X, 1 - y) != base


def test_the_sum_takes_minus_zero_for_zero():
    y = np.array([0])
    assert fingerprint(np.array([[-0.0]]), y) == fingerprint(np.array([[0.0]]), y)
