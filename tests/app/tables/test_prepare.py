"""Columns that are not used are named, each with its reason."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from unlabeled.app.tables import Table, TableError, prepare

N = 30


def table(**columns):
    base = {"ill": [1, 0] * (N // 2), "age": np.linspace(20, 80, N)}
    return Table(pd.DataFrame(base | columns), Path("t.csv"))


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([None] * N, "blank in every row"),
        (["A"] * N, "the same value in every row"),
        ([f"P{i}" for i in range(N)], "an identifier, different in every row"),
        (range(7, N + 7), "an identifier, different in every row"),
    ],
)
def test_a_column_without_use_is_dropped_and_named(values, reason):
    prepared = prepare(table(what=values), "ill")
    assert prepared.features == ("age",)
    assert prepared.dropped == {"what": reason}
    assert prepared.remarks == (f"Not used: 'what' ({reason}).",)


@pytest.mark.parametrize(
    "values",
    [
        ["A"] * (N - 1) + [None],  # that it is missing says something
        [f"patient {i} sleeps badly" for i in range(N)],  # free text
        [f"{i + 1}/02/2023" for i in range(N)],  # dates
        pd.date_range("2023-01-01", periods=N),
        [3 * i * i for i in range(N)],  # whole numbers that count nothing
        np.linspace(0, 1, N),
        [True, False] * (N // 2),
    ],
)
def test_a_column_of_use_is_kept(values):
    assert prepare(table(what=values), "ill").features == ("age", "what")


def test_whole_numbers_named_like_an_identifier_are_one():
    columns = {"customer_id": [3 * i * i for i in range(N)], "paid": [3 * i * i for i in range(N)]}
    assert prepare(table(**columns), "ill").features == ("age", "paid")


def test_what_is_asked_for_is_done_and_said():
    prepared = prepare(
        table(who=["x", "y"] * 15, later=range(0, 90, 3)), "ill", id="who", drop=["later"]
    )
    assert prepared.features == ("age",)
    assert prepared.ids.tolist() == ["x", "y"] * 15
    assert prepared.remarks == (
        "Not used: 'later' (as asked).",
        "Not used: 'who' (it names the rows).",
        "30 rows share their 'who' with another.",
    )


def test_rows_without_a_name_are_counted():
    names = [None, None, *(f"n{i}" for i in range(N - 2))]
    assert prepare(table(who=names), "ill", id="who").remarks[-1] == "2 rows have no 'who'."


@pytest.mark.parametrize(
    "cells",
    [
        [f"{i}.{100 + i},50" for i in range(N)],
        [f"{i},{100 + i}" for i in range(N)],
        [f"{i},5 €" for i in range(N)],
        [f"{i}%" for i in range(N)],
        [f"${i}.50" for i in range(N)],
    ],
)
def test_numbers_with_separators_and_units_are_refused_unless_meant_as_text(cells):
    with pytest.raises(TableError, match="must have numbers without separators and units; got 'p'"):
        prepare(table(p=cells), "ill")
    assert "p" not in prepare(table(p=cells), "ill", drop=["p"]).features


@pytest.mark.parametrize(
    "cells",
    [
        [f"{i:02d}.01.2024" for i in range(1, N + 1)],
        [f"10.0.0.{i}" for i in range(N)],
        [f"A{i % 7}" for i in range(N)],
    ],
)
def test_dates_addresses_and_codes_are_no_such_numbers(cells):
    prepare(table(p=cells), "ill")


def test_numbers_keep_the_precision_they_have():
    from unlabeled.app.tables import TableFeatures

    seconds = 1_700_000_000 + np.arange(N) % 7 / 8
    numbers = TableFeatures().fit_transform(prepare(table(at=seconds), "ill").X)
    np.testing.assert_array_equal(numbers[:, 1], seconds)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            {"drop": ["agee"]},
            "`drop` must be a column of the table; got 'agee'. Did you mean 'age'",
        ),
        ({"id": "ag"}, "`id` must be a column of the table; got 'ag'. Did you mean 'age'?"),
        ({"drop": ["ill"]}, "`label` must be another column than `id` and `drop`; got 'ill'."),
        ({"drop": ["age"]}, "one column that says something about the rows; got none. Not used"),
    ],
)
def test_wrong_columns_are_refused(arguments, sentence):
    with pytest.raises(TableError) as caught:
        prepare(table(), "ill", **arguments)
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ([np.inf] + [0.5] * (N - 1), "got 1 beyond that, or infinite, in 'what'"),
        ([[1, 2]] * N, "got list in 'what'. Drop the column."),
        (pd.to_timedelta(np.arange(N), "s"), "got Timedelta in 'what'"),
    ],
)
def test_values_that_are_no_feature_are_refused_unless_dropped(values, sentence):
    with pytest.raises(TableError) as caught:
        prepare(table(what=values), "ill")
    assert sentence in str(caught.value)
    assert prepare(table(what=values), "ill", drop=["what"]).features == ("age",)


def test_numbers_with_words_among_them_are_refused_unless_meant_as_text():
    values = [f"{i / 7:.3f}" for i in range(N - 2)] + ["about 5", "many"]
    with pytest.raises(TableError) as caught:
        prepare(table(dose=values), "ill")
    assert str(caught.value) == (
        "`table` must have numbers or text in a column, not both; got 'dose' with 28 numbers and "
        "2 cells that are none ('about 5', 'many'). Leave those cells blank, or name the column "
        "in `as_text`, or in `drop`."
    )
    assert prepare(table(dose=values), "ill", as_text=["dose"]).features == ("age", "dose")
    assert prepare(table(dose=values), "ill", drop=["dose"]).features == ("age",)


@pytest.mark.parametrize("asked", [{"drop": ["diag"]}, {"id": "diag"}])
def test_the_label_column_is_never_suggested_in_place_of_another(asked):
    given = table(diagnosed=[1, 0] * (N // 2), diag_date=np.linspace(0, 1, N))
    with pytest.raises(TableError, match="Did you mean 'diag_date'"):
        prepare(given, "diagnosed", **asked)
