"""Which columns are used; those that are not are named, each with its reason."""

from __future__ import annotations

import re
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
        ([f"P{i}" for i in range(N)], "a different value in every row, so probably an ID"),
        (range(7, N + 7), "a different value in every row, so probably an ID"),
        (
            pd.Categorical([f"{i * i:06d}" for i in range(N)]),  # as a file is read
            "a different value in every row, so probably an ID",
        ),
    ],
)
def test_a_column_without_use_is_dropped_and_named(values, reason):
    prepared = prepare(table(what=values), "ill")
    assert prepared.features == ("age",)
    assert prepared.dropped == {"what": reason}
    assert len(prepared.remarks) == 1
    assert f"'what' ({reason})" in prepared.remarks[0]


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
    names = ("customer_id", "MRN", "Patient", "paid", "cost_per_patient")
    columns = {name: [3 * i * i for i in range(N)] for name in names}
    assert prepare(table(**columns), "ill").features == ("age", "paid", "cost_per_patient")


def test_codes_of_digits_that_are_to_be_text_stay_although_all_differ():
    codes = table(code=pd.Categorical([f"{i * i:06d}" for i in range(N)]))
    assert prepare(codes, "ill", as_text=["code"]).features == ("age", "code")


def test_id_and_drop_are_not_used_and_get_a_remark():
    prepared = prepare(
        table(who=["x", "y"] * 15, later=range(0, 90, 3)), "ill", id="who", drop=["later"]
    )
    assert prepared.features == ("age",)
    assert prepared.ids.tolist() == ["x", "y"] * 15
    assert prepared.dropped.keys() == {"later", "who"}
    later, who, shared = prepared.remarks
    assert "'later'" in later
    assert "'who'" in who
    assert re.search("30 rows .*'who'.*`group`", shared)


@pytest.mark.parametrize(("blank", "rows"), [(1, "1 row has"), (2, "2 rows have")])
def test_rows_without_a_name_are_counted(blank, rows):
    names = [*[None] * blank, *(f"n{i}" for i in range(N - blank))]
    assert prepare(table(who=names), "ill", id="who").remarks[-1] == f"{rows} no 'who'."


@pytest.mark.parametrize(
    "cells",
    [
        [f"{i},{100 + i}.50" for i in range(N)],
        [f"{i},{100 + i}" for i in range(N)],
        [f"{i},5 €" for i in range(N)],
        [f"{i}%" for i in range(N)],
        [f"${i}.50" for i in range(N)],
    ],
)
def test_numbers_with_separators_and_units_are_rejected_unless_dropped(cells):
    with pytest.raises(
        TableError, match=f"separators and units; got 'p' with '{re.escape(cells[0])}'"
    ):
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
def test_dates_addresses_and_codes_are_not_such_numbers(cells):
    prepare(table(p=cells), "ill")


def test_numbers_keep_the_precision_they_have():
    from unlabeled.app.tables import TableFeatures

    seconds = 1_700_000_000 + np.arange(N) % 7 / 8
    numbers = TableFeatures().fit_transform(prepare(table(at=seconds), "ill").X)
    np.testing.assert_array_equal(numbers[:, 1], seconds)


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ({"drop": ["agee"]}, "`drop` must be .*'agee'. Did you mean 'age'"),
        ({"id": "ag"}, "`id` must be .*'ag'. Did you mean 'age'"),
        ({"drop": ["ill"]}, "`label` must not be .*; got 'ill'"),
        ({"drop": ["age"]}, "at least one column .*; got none. Not used: 'age'"),
    ],
)
def test_wrong_columns_are_rejected(arguments, match):
    with pytest.raises(TableError, match=match):
        prepare(table(), "ill", **arguments)


@pytest.mark.parametrize(
    ("values", "match"),
    [
        ([np.inf] + [0.5] * (N - 1), "got 1 cell of 'what'"),
        ([[1, 2]] * N, "got list in 'what'"),
        (pd.to_timedelta(np.arange(N), "s"), "got Timedelta in 'what'"),
    ],
)
def test_values_that_cannot_be_a_feature_are_rejected_unless_dropped(values, match):
    with pytest.raises(TableError, match=match):
        prepare(table(what=values), "ill")
    assert prepare(table(what=values), "ill", drop=["what"]).features == ("age",)


def test_numbers_with_words_among_them_are_rejected_unless_meant_as_text():
    values = [f"{i / 7:.3f}" for i in range(N - 2)] + ["about 5", "many"]
    mixed = r"28 numbers in 'dose', and 2 cells are not numbers \('about 5', 'many'\)"
    with pytest.raises(TableError, match=mixed):
        prepare(table(dose=values), "ill")
    assert prepare(table(dose=values), "ill", as_text=["dose"]).features == ("age", "dose")
    assert prepare(table(dose=values), "ill", drop=["dose"]).features == ("age",)


@pytest.mark.parametrize("asked", [{"drop": ["diag"]}, {"id": "diag"}])
def test_the_label_column_is_never_suggested_in_place_of_another(asked):
    given = table(diagnosed=[1, 0] * (N // 2), diag_date=np.linspace(0, 1, N))
    with pytest.raises(TableError, match="Did you mean 'diag_date'"):
        prepare(given, "diagnosed", **asked)


def test_a_group_column_is_no_feature_and_numbers_the_groups():
    prepared = prepare(table(who=[f" {k % 10}" for k in range(N)]), "ill", group="who")
    assert prepared.features == ("age",)
    assert prepared.dropped == {"who": "the group of a row"}
    assert prepared.n_groups == 10
    np.testing.assert_array_equal(prepared.groups, np.arange(N) % 10)


def test_the_row_identifier_may_be_the_group():
    prepared = prepare(table(who=np.arange(N) // 3), "ill", id="who", group="who")
    assert prepared.n_groups == 10
    assert prepared.ids.tolist() == (np.arange(N) // 3).tolist()
    assert "`group`" not in " ".join(prepared.remarks)


@pytest.mark.parametrize(
    ("values", "options", "said"),
    [
        (range(N), {"group": "wo"}, "`group` must be a column.*'wo'. Did you mean 'who'"),
        (range(N), {"group": "ill"}, "`group` must not be `label` or `checked`; got 'ill'"),
        ([None, "", *range(N - 2)], {"group": "who"}, "`group` must.*'who'.*blank in 2 rows"),
        ([1] * N, {"group": "who"}, "`group` must.*at least two groups.*'who'"),
    ],
)
def test_a_group_column_that_says_nothing_is_rejected(values, options, said):
    with pytest.raises(TableError, match=said):
        prepare(table(who=list(values)), "ill", **options)


def test_all_columns_with_problems_are_in_one_message():
    columns = {f"c{k}": [f"{i} €" for i in range(N)] for k in range(7)} | {"far": [np.inf] * N}
    with pytest.raises(TableError) as caught:
        prepare(table(**columns), "ill")
    first, *lines = str(caught.value).splitlines()
    assert first == "8 columns cannot be used as they are."
    assert ["'far'" in lines[0], *(f"'c{k}'" in lines[k + 1] for k in range(5))] == [True] * 6
    assert lines[6:] == ["- and 2 more with such problems."]


def test_one_message_names_all_columns_with_words_and_the_marks_to_give():
    marks = ["-", "k.A."]
    columns = {f"c{k}": [f"{i}" for i in range(N - 1)] + [marks[k % 2]] for k in range(12)}
    with pytest.raises(TableError) as caught:
        prepare(table(**columns), "ill")
    said = str(caught.value)
    assert "\n" not in said
    assert all(f"'c{k}' (1 cell: '{marks[k % 2]}')" in said for k in range(12))
    assert "If '-', 'k.A.' stand for missing cells, give each to `missing`." in said


def test_many_different_words_are_no_marks():
    columns = {"c": [f"{i}" for i in range(N - 8)] + [f"<{i}" for i in range(8)]}
    with pytest.raises(TableError) as caught:
        prepare(table(**columns), "ill")
    assert "`missing`" not in str(caught.value)


@pytest.mark.parametrize(
    ("cells", "advice"),
    [
        ([f"{i},{100 + i}" for i in range(1, N + 1)], "1,101 could be 1101 or 1.101"),
        ([f"{i},5" for i in range(N - 1)] + ["0.5"], "decimal commas: write 0.5 for 0,5"),
        (
            [f"{i},5" for i in range(N - 1)] + ["<4,0"],
            f"got {N - 1} numbers with decimal commas in 'p', and 1 cell is not a number ('<4,0')",
        ),
        ([f"{i} €" for i in range(N)], "Write 2984.63 for 2,984.63"),
    ],
)
def test_the_advice_fits_the_numbers(cells, advice):
    with pytest.raises(TableError, match=re.escape(advice)):
        prepare(table(p=cells), "ill")


@pytest.mark.parametrize(
    ("mark", "others", "is_said"),
    [
        (-999, np.linspace(1, 90, N - 3), True),
        (9999, np.linspace(1, 90, N - 3), True),
        (-9, np.linspace(0, 5, N - 3), True),
        (99, np.linspace(1, 30, N - 3), False),  # a usual number
        (999, np.linspace(1, 998, N - 3), False),  # not far from the others
        (-9, np.linspace(-8, 5, N - 3), False),
        (7777, np.linspace(1, 90, N - 3), False),
    ],
)
def test_a_number_that_perhaps_marks_missing_cells_is_said(mark, others, is_said):
    prepared = prepare(table(dose=[*others, mark, mark, mark]), "ill")
    assert len(prepared.remarks) == is_said
    if is_said:
        assert f"3 cells of 'dose' have {mark}" in prepared.remarks[0]
        assert f"give {mark} to `missing`" in prepared.remarks[0]
    assert (prepared.X["dose"] == mark).sum() == 3  # nothing is changed


@pytest.mark.parametrize(
    ("levels", "said"),
    [
        ({"North": 4, "north": 20}, "'region' ('north': 20, 'North': 4)"),
        ({"St Anne": 24, "St  Anne ": 6}, "'St Anne': 24, 'St  Anne ': 6"),
        ({"north": 25, "norht": 1, "south": 4}, "'north': 25, 'norht': 1"),
        ({"north": 15, "south": 14, "west": 1}, None),
        ({"ward 1": 29, "ward 2": 1}, None),
        ({"mine": 15, "pine": 15}, None),  # both are frequent
        ({"cat": 29, "car": 1}, None),  # too short to tell
    ],
)
def test_levels_that_are_perhaps_one_are_said_and_not_merged(levels, said):
    values = [level for level, times in levels.items() for _ in range(times)]
    values += [None] * (N - len(values))
    prepared = prepare(table(region=values), "ill")
    assert prepared.X["region"].nunique() == len(levels)
    assert len(prepared.remarks) == (said is not None)
    if said is not None:
        assert said in prepared.remarks[0]
        assert "They count as different levels" in prepared.remarks[0]


def test_of_many_columns_without_values_the_first_are_named():
    same = {f"word {j}": 0 for j in range(100)}
    frame = pd.DataFrame({"ill": [1, 0, 0], "age": [61, 47, 50], **same})
    prepared = prepare(Table(frame, Path("notes.csv")), "ill")
    (remark,) = prepared.remarks
    assert remark.startswith("Not used: 'word 0', ")
    assert remark.endswith("'word 39' and 60 more (the same value in every row).")
    assert len(prepared.dropped) == 100


def test_all_names_that_are_no_columns_are_reported_at_once():
    with pytest.raises(TableError) as raised:
        prepare(table(), "ill", id="persn", drop=["agee", "nothing"])
    for part in ("'agee'. Did you mean 'age'?", "'nothing'", "`id` must be a column"):
        assert part in str(raised.value)
