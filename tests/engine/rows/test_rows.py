"""Rows: what is taken from them keeps all that is known of each row."""

from dataclasses import fields, replace

import dask.array as da
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression

from unlabeled import PUEnsemble
from unlabeled.engine.linear_fits import Watch
from unlabeled.engine.rows import LabelEncoding, Rows, validate_rows
from unlabeled.engine.sampling import Sampling
from unlabeled.label_frequency._out_of_fold import NaiveScores, naive_scores
from unlabeled.meta import _fit_arguments

N = 12
OF_ROWS = ("s", "weight", "unit", "checked", "groups")


def columns():
    s = np.tile([1.0, 0.0, 0.0], 4)
    return {
        "X": np.arange(2.0 * N).reshape(N, 2),
        "s": s,
        "weight": 1.0 + np.arange(N),
        "unit": 2.0 - np.arange(N) / N,
        "checked": np.where(s == 1, np.nan, np.arange(N) % 2),
        "groups": np.arange(N) // 2,
    }


def rows(**changed):
    known = {"encoding": LabelEncoding(np.array(["no", "yes"])), "sampling": Sampling.TWO}
    return Rows(**(columns() | known | changed))


def here(X):
    return X.toarray() if sparse.issparse(X) else np.asarray(X)


def test_no_field_of_rows_is_forgotten_here():
    of_table = {"X", "encoding", "kept", "are_copies", "mean_weight", "sampling"}
    of_table |= {"X_with_dropped", "negatives"}
    assert {one.name for one in fields(Rows)} == {*OF_ROWS, *of_table}


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix, pd.DataFrame, np.ndarray.tolist])
@pytest.mark.parametrize("method", ["take", "keep"])
def test_taken_rows_have_every_column_of_the_rows_taken(form, method):
    row_index, wanted = np.array([1, 4, 5, 11]), columns()
    found = getattr(rows(X=form(wanted["X"]), are_copies=True), method)(row_index)
    np.testing.assert_array_equal(here(found.X), wanted["X"][row_index])
    for name in OF_ROWS:
        np.testing.assert_array_equal(getattr(found, name), wanted[name][row_index])
    assert found.sampling is Sampling.TWO
    assert found.are_copies
    assert found.labels.tolist() == ["no", "no", "no", "no"]


def test_rows_are_taken_in_any_order_and_more_than_once():
    found = rows().take(np.array([3, 0, 3]))
    assert found.weight.tolist() == [4.0, 1.0, 4.0]
    assert found.kept is None


def test_a_part_of_the_rows_knows_nothing_of_recorded_negatives():
    marked = rows().without_negatives((np.arange(N) % 5 == 1) & (rows().s == 0))
    assert marked.undecided_share < 1
    part = marked.keep(np.array([0, 2, 3]))
    assert part.undecided_share == 1
    assert np.isfinite(part.for_passed(part.s)).sum() == 3


def test_kept_rows_know_the_others_as_dropped():
    given = columns()["X"]
    found = rows().keep(np.arange(N) % 4 == 0)
    assert found.passed is not found.X
    np.testing.assert_array_equal(found.passed, given)
    assert found.position([0, 1, 8]).tolist() == [0, 2]
    np.testing.assert_array_equal(np.isnan(found.for_passed(found.s)), np.arange(N) % 4 != 0)
    # Taken rows are rows of their own.
    assert found.take(np.array([1, 2])).position([0, 1]).tolist() == [0, 1]


def test_rows_of_chunks_come_to_memory():
    of = columns()
    chunks = da.from_array(of["X"], chunks=(5, 2))
    counts = BaseEstimator()
    counts.weights = "frequency"
    whole = validate_rows(counts, chunks, of["s"], of["weight"], anywhere=True)
    found = whole.take(np.array([0, 4, 5, 9]))
    for name in ("X", "s", "weight"):
        np.testing.assert_array_equal(getattr(found, name), of[name][[0, 4, 5, 9]])


# Where rows are taken, answers of checked rows come along.


def checked_rows():
    return validate_rows(
        BaseEstimator(), columns()["X"], columns()["s"], checked=columns()["checked"]
    )


def test_folds_of_a_naive_fit_keep_the_answers():
    taken = []

    class Fit:
        def score(self, seen, new):
            taken.extend([seen, new])
            return NaiveScores(np.zeros(len(new.s)), True)

    naive_scores(checked_rows(), Fit(), 2, 0)
    assert len(taken) == 4
    assert all(len(one.checked) == len(one.s) < N for one in taken)


def test_the_subset_on_which_an_ensemble_tries_settings_keeps_the_answers():
    taken = []

    class Stopped(PUEnsemble):
        def _fits_on_part(self, rows, whole):
            taken.append(rows)
            raise InterruptedError

    model = Stopped([("line", LogisticRegression())], max_rows=6, cv=2, random_state=0)
    with pytest.raises(InterruptedError):
        model._fit_members(checked_rows(), Watch("test", 0))
    assert len(taken[0].checked) == len(taken[0].s) == 6


def test_rows_without_those_of_weight_zero_keep_the_answers():
    weight = np.arange(N) % 3 * 1.0
    answered = replace(checked_rows(), weight=weight)
    found, _, _ = _fit_arguments._without(LogisticRegression(), answered, weight > 0, None, {}, {})
    np.testing.assert_array_equal(found.checked, answered.checked[weight > 0])
