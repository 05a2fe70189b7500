"""Checksums by which rows are recognized."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from unlabeled.engine.rows import RowsFingerprint, fingerprint_rows

X = np.random.default_rng(0).normal(size=(60, 2))
LABELS = np.where(np.arange(60) % 3 == 0, "lab", "unl")


def test_a_fingerprint_depends_on_every_cell_its_place_and_its_type():
    table = np.arange(40_000.0).reshape(20_000, 2)
    found = fingerprint_rows(table)
    assert found == fingerprint_rows(np.asfortranarray(table)) == fingerprint_rows(table.copy())
    last = table.copy()
    last[-1, -1] += 1
    others = [last, table[::-1], table[:, ::-1], table.reshape(2, -1), table.astype(str)]
    in_csr = sparse.csr_matrix(table)
    assert fingerprint_rows(in_csr) == fingerprint_rows(in_csr.tocsc())
    found_in_others = {fingerprint_rows(other) for other in (*others, in_csr, in_csr[1:])}
    assert len(found_in_others | {found}) == 8


def test_equal_cells_in_another_container_have_the_same_fingerprint():
    numbers = np.array([[1.0, 0.0], [3.0, np.nan], [0.5, 2.0]])
    found = fingerprint_rows(numbers)
    same = [numbers.astype(np.float32), pd.DataFrame(numbers), numbers.tolist()]
    same += [numbers.astype(object), pd.DataFrame(numbers, columns=["a", "b"]).astype(object)]
    same += [np.where(numbers == 0, -0.0, -numbers * -1.0)]
    assert {fingerprint_rows(one) for one in same} == {found}
    whole = numbers[:, [0]].round()
    assert fingerprint_rows(whole) == fingerprint_rows(whole.astype(int).tolist())
    texts = ["fever, cough", "well"]
    assert fingerprint_rows(texts) == fingerprint_rows(np.array(texts, dtype=object))
    assert fingerprint_rows(texts) == fingerprint_rows(pd.Series(texts))


def test_cells_that_are_no_numbers_are_told_apart():
    tables = [
        ["ab", "c"],
        ["a", "bc"],
        [["a"], ["b", "c"]],
        [["a", "b"], ["c"]],
        [{"a": 1}, {"b": 2}],
        [{"a": 1}, {"b": 3}],
        pd.DataFrame({"a": ["x", None], "b": [1, 2]}),
        pd.DataFrame({"a": ["x", "y"], "b": [1, 2]}),
    ]
    found = [fingerprint_rows(table) for table in tables]
    assert len(set(found)) == len(tables)
    assert found == [fingerprint_rows(table) for table in tables]


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_blocks_of_rows_have_the_fingerprint_of_all_rows(form):
    table = np.round(np.random.default_rng(0).normal(size=(50, 3)))
    found = RowsFingerprint()
    for start in range(0, 50, 17):
        found.add(form(table[start : start + 17]))
    assert found.hexdigest() == fingerprint_rows(form(table))
