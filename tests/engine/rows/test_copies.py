"""Equal rows are found in any form of a table, and copies are told from rows that coincide."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from benchmarks import copies as study
from unlabeled.codes import PUWarning
from unlabeled.engine.rows import (
    LabelEncoding,
    Repeats,
    Rows,
    are_copies,
    label_folds,
    number_distinct_rows,
    report_copies,
)
from unlabeled.engine.rows._copies import occur_too_often
from unlabeled.engine.sampling import Sampling

ENCODING = LabelEncoding(np.array([0, 1]))


def rows_of(X, s, **given):
    return Rows(X, np.asarray(s, dtype=float), None, ENCODING, **given)


def same_parts(first, second):
    """Whether two numberings put the same rows together."""
    pairs = len(set(zip(first.tolist(), second.tolist(), strict=True)))
    return pairs == len(set(first.tolist())) == len(set(second.tolist()))


NUMBERS = np.array([[1.0, 2.0, 0.0], [1.0, np.nan, 3.0], [1.0, 2.0, -0.0], [1.0, np.nan, 3.0]])
WIDE = np.hstack([NUMBERS, np.zeros((4, 20)), np.array([[1.0], [2.0], [1.0], [3.0]])])
FRAME = pd.DataFrame({"a": ["x", "y", "x", "y"], "b": [1.5, 2.5, 1.5, np.nan]})
FORMS = {
    "array": (NUMBERS, [0, 1, 0, 1]),
    "single precision": (NUMBERS.astype(np.float32), [0, 1, 0, 1]),
    "columns after the first few": (WIDE, [0, 1, 0, 2]),
    "Fortran order": (np.asfortranarray(WIDE), [0, 1, 0, 2]),
    "list": ([[1, 2], [1, 3], [1, 2]], [0, 1, 0]),
    "sparse": (sparse.csr_matrix(np.nan_to_num(NUMBERS)), [0, 1, 0, 1]),
    "frame of numbers": (pd.DataFrame(NUMBERS), [0, 1, 0, 1]),
    "frame with text": (FRAME, [0, 1, 0, 2]),
    "frame with missing text": (
        pd.DataFrame({"a": ["x", None, "x", None], "b": [1, 2, 1, 2]}),
        [0, 1, 0, 1],
    ),
    "nullable": (pd.DataFrame({"a": pd.array([1, None, 1, None], "Int64")}), [0, 1, 0, 1]),
    "categories": (pd.DataFrame({"a": pd.Categorical(["u", "v", "u", "v"])}), [0, 1, 0, 1]),
    "lists as cells": (pd.DataFrame({"a": [[1, 2], [3], [1, 2]]}), [0, 1, 0]),
    "objects": (np.array([["x", 1], ["y", 1], ["x", 1]], dtype=object), [0, 1, 0]),
    "texts": (["one text", "another", "one text"], [0, 1, 0]),
    "array of texts": (np.array(["one text", "another", "one text"]), [0, 1, 0]),
}


@pytest.mark.parametrize("form", FORMS)
def test_equal_rows_have_one_number_in_any_form(form):
    X, expected = FORMS[form]
    assert same_parts(number_distinct_rows(X), np.array(expected))


def test_rows_that_differ_only_in_double_precision_are_different():
    X = np.array([[16777216.0, 1.0], [16777217.0, 1.0], [1.0, 1 / 3], [1.0, np.float32(1 / 3)]])
    assert number_distinct_rows(X) is None
    assert number_distinct_rows(sparse.csr_matrix(X)) is None
    assert number_distinct_rows(pd.DataFrame(X)) is None


def test_whole_numbers_have_no_collisions():
    X = np.stack(np.meshgrid(*[np.arange(16.0)] * 4), axis=-1).reshape(-1, 4)
    assert number_distinct_rows(X) is None
    assert number_distinct_rows(np.hstack([X] * 3)) is None


@pytest.mark.parametrize("n_columns", [3, 12, 40])
def test_rows_with_one_value_each_have_no_collisions(n_columns):
    """Of many columns a few are hashed first; these must not be taken for the first ones."""
    assert number_distinct_rows(np.eye(n_columns)) is None


def test_a_memory_map_is_compared_like_an_array(tmp_path, rng):
    X = rng.normal(size=(3000, 20))
    X[2999] = X[17]
    np.save(tmp_path / "X.npy", X)
    number = number_distinct_rows(np.load(tmp_path / "X.npy", mmap_mode="r"))
    assert same_parts(number, np.append(np.arange(2999), 17))


def test_counts_are_by_kind_of_label():
    number = np.array([0, 0, 0, 1, 1, 2, 2, 2, 3])
    s = np.array([1, 1, 1, 0, 0, 1, 0, 0, 1])
    found = Repeats.of(number, s)
    assert (found.labeled, found.unlabeled, found.both) == (2, 2, 1)
    assert found.count == len(number) - 4
    assert str(found).startswith("5 of 9 rows repeat another row (2 labeled ones")


# Folds.


def table_of(rng, percent, kind="normal", n_rows=300):
    X = study.table(kind, n_rows, rng)
    found = study.copy_some(n_rows, percent, rng)
    s = (rng.uniform(size=n_rows) < 0.3).astype(float)
    return X[found], s[found]


@pytest.mark.parametrize("kind", ["normal", "counts", "few levels"])
@pytest.mark.parametrize("percent", [25, 100])
@pytest.mark.parametrize("any_label", [False, True])
def test_equal_rows_share_a_fold_and_folds_are_stratified(rng, kind, percent, any_label):
    X, s = table_of(rng, percent, kind)
    if any_label:  # copies with another label
        s = rng.permutation(s)
    rows = rows_of(X, s)
    splits = label_folds(rows, 5, 0)
    number = number_distinct_rows(X)
    assert sorted(np.concatenate([test for _, test in splits])) == list(range(len(s)))
    for train, test in splits:
        assert not np.intersect1d(number[train], number[test]).size
        assert len(train) + len(test) == len(s)
    largest = np.bincount(number).max()
    sizes = [(s[test].sum(), len(test)) for _, test in splits]
    assert np.ptp(sizes, axis=0).max() <= 2 * largest
    again = label_folds(rows_of(X, s), 5, 0)
    assert all(np.array_equal(a[1], b[1]) for a, b in zip(splits, again, strict=True))
    other = label_folds(rows_of(X, s), 5, 1)
    assert not all(np.array_equal(a[1], b[1]) for a, b in zip(splits, other, strict=True))


def test_one_large_set_of_equal_rows_does_not_unbalance_the_other_folds(rng):
    X = np.vstack([np.zeros((60, 3)), rng.normal(size=(240, 3))])
    s = (rng.uniform(size=300) < 0.3).astype(float)
    sizes = [len(test) for _, test in label_folds(rows_of(X, s), 5, 0)]
    assert min(sizes) >= 50
    assert max(sizes) <= 72


def test_without_equal_rows_folds_are_those_of_scikit_learn(rng):
    from sklearn.model_selection import StratifiedKFold

    X, s = table_of(rng, 0)
    expected = StratifiedKFold(5, shuffle=True, random_state=3).split(s, s)
    for (_, ours), (_, theirs) in zip(label_folds(rows_of(X, s), 5, 3), expected, strict=True):
        assert np.array_equal(ours, theirs)


def test_groups_decide_where_there_are_groups(rng):
    X, s = table_of(rng, 100)
    groups = np.arange(len(s)) // 2
    rows = rows_of(X, s, groups=groups)
    assert rows.fold_unit == "groups"
    for train, test in label_folds(rows, 5, 0):
        assert not np.intersect1d(groups[train], groups[test]).size


def test_a_splitter_and_given_splits_stay_as_they_are(rng):
    from sklearn.model_selection import KFold

    X, s = table_of(rng, 100)
    expected = list(KFold(5).split(X))
    for cv in (KFold(5), expected):
        found = label_folds(rows_of(X, s), cv)
        assert all(np.array_equal(a[1], b[1]) for a, b in zip(found, expected, strict=True))


def test_a_handful_of_distinct_rows_is_split_by_rows():
    X = np.repeat(np.arange(8.0), 25)[:, None]
    s = np.tile([1.0, 0.0], 100)
    assert rows_of(X, s).fold_unit == "rows"
    assert rows_of(np.arange(200.0)[:, None] // 5, s).fold_unit == "distinct rows"


def test_labeled_rows_that_are_all_equal_are_split_by_rows(rng):
    X, s = rng.normal(size=(100, 2)), np.append(np.ones(10), np.zeros(90))
    X[:10] = X[0]
    assert rows_of(X, s).fold_unit == "rows"
    assert all(s[test].sum() == 2 for _, test in label_folds(rows_of(X, s), 5, 0))


# The criterion.


@pytest.mark.parametrize("kind", study.KINDS)
def test_tables_without_copies_are_never_copies(kind):
    assert not any(study.judge_one(kind, 500, 0, repeat)["warned"] for repeat in range(40))


@pytest.mark.parametrize(
    ("kind", "percent"),
    [
        *((kind, percent) for kind in ("normal", "rounded", "mixed") for percent in (25, 50, 100)),
        *((kind, percent) for kind in ("counts", "few levels") for percent in (50, 100)),
        ("one-hot", 100),
    ],
)
def test_tables_with_copies_are(kind, percent):
    assert all(study.judge_one(kind, 500, percent, repeat)["warned"] for repeat in range(10))


def test_uniform_draws_are_the_limit_of_chance_and_pass(rng):
    """All distinct rows equally likely: the ratio of counts is as large as chance allows."""
    fired = [
        occur_too_often(times[times > 0])
        for n_kinds in (20, 100, 500, 2000)
        for times in (np.bincount(rng.integers(n_kinds, size=500)) for _ in range(200))
    ]
    assert np.mean(fired) <= 0.005


def test_where_no_row_occurs_three_times_many_pairs_are_no_chance():
    for n_pairs, expected in ((20, False), (125, True)):
        times = np.append(np.ones(500 - n_pairs, int), np.full(n_pairs, 2))
        assert occur_too_often(times) == expected
    # The same pairs, with as many triples as a mixture of Poisson counts has.
    triples = round(2 / 3 * 125**2 / 375)
    times = np.repeat([1, 2, 3], [375, 125, triples])
    assert not occur_too_often(times)


@pytest.mark.parametrize("how", ["with replacement", "of labeled rows"])
def test_rows_of_continuous_columns_drawn_again_are_copies(rng, how):
    X, s = rng.normal(size=(500, 4)), (rng.uniform(size=500) < 0.2).astype(float)
    if how == "with replacement":
        found = rng.integers(500, size=500)
    else:
        found = np.append(np.arange(500), rng.choice(np.flatnonzero(s), 100))
    assert rows_of(X[found], s[found]).copies is not None


def test_a_column_that_is_mostly_zero_still_tells_copies(rng):
    X = rng.normal(size=(600, 4)) * (rng.uniform(size=(600, 4)) < 0.4)
    s = (rng.uniform(size=600) < 0.2).astype(float)
    found = rng.integers(600, size=600)
    assert rows_of(X, s).copies is None
    assert rows_of(X[found], s[found]).copies is not None
    assert rows_of(sparse.csr_matrix(X[found]), s[found]).copies is not None


def test_copies_of_labeled_rows_alone_are_found_where_they_are_a_small_part(rng):
    X, s = rng.normal(size=(2000, 4)), np.append(np.ones(40), np.zeros(1960))
    for labels in (np.ones(40), np.zeros(40)):  # oversampled; stacked without their labels
        rows = rows_of(np.vstack([X, X[:40]]), np.append(s, labels))
        assert rows.copies is not None
    assert rows_of(X, s).copies is None


def test_a_few_equal_rows_are_not_worth_a_warning(rng):
    X, s = rng.normal(size=(1000, 4)), (rng.uniform(size=1000) < 0.3).astype(float)
    found = np.append(np.arange(1000), np.arange(50))
    assert rows_of(X[found], s[found]).copies is None


def test_equal_rows_within_a_group_are_no_copies(rng):
    X, s = table_of(rng, 100)
    person = np.append(np.arange(300), np.argsort(np.argsort(rng.uniform(size=300))))
    number = number_distinct_rows(X)
    assert rows_of(X, s).copies is not None
    assert rows_of(X, s, groups=number).copies is None
    assert rows_of(X, s, groups=person).copies is not None


def test_cases_that_are_in_the_population_too_are_no_copies(rng):
    X = rng.normal(size=(500, 3))
    X, s = np.vstack([X, X[:200]]), np.append(np.zeros(500), np.ones(200))
    assert rows_of(X, s).copies is not None
    assert rows_of(X, s, sampling=Sampling.TWO).copies is None


def test_text_columns_are_judged_by_how_often_rows_occur(rng):
    words = rng.choice(list("abcdefghij"), size=(500, 5))
    X = pd.DataFrame(words)
    s = (rng.uniform(size=500) < 0.3).astype(float)
    found = study.copy_some(500, 50, rng)
    assert rows_of(X, s).copies is None
    assert rows_of(X.iloc[found], s[found]).copies is not None


def test_the_criterion_does_not_depend_on_the_order_of_the_rows(rng):
    X, s = table_of(rng, 50)
    order = rng.permutation(len(s))
    assert are_copies(X, number_distinct_rows(X), s)
    assert are_copies(X[order], number_distinct_rows(X[order]), s[order])


# What is said.


def test_the_warning_says_how_many_what_they_do_and_what_to_do(rng):
    X, s = table_of(rng, 50)
    with pytest.warns(PUWarning, match=r"PU129") as caught:
        report_copies(rows_of(X, s), "More.")
    said = str(caught[0].message)
    for words in ("150 of 450 rows", "intervals are too short. More.", "groups='copies'", "drop"):
        assert words in said


def test_copies_that_count_once_but_carry_both_labels_are_said(rng):
    X, s = table_of(rng, 0)
    X, s = np.vstack([X, X[:40]]), np.append(s, 1 - s[:40])
    number = number_distinct_rows(X)
    with pytest.warns(PUWarning, match=r"PU129.* 40 distinct rows are both labeled"):
        report_copies(rows_of(X, s, groups=number))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        report_copies(rows_of(X, np.append(s[:300], s[:40]), groups=number))
        report_copies(rows_of(X, s, groups=number, sampling=Sampling.TWO))
