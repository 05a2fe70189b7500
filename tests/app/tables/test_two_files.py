"""Cases from one file, a sample of the population from another."""

import numpy as np
import pandas as pd
import pytest

from unlabeled.app.tables import TableError, read_two_files


def _write(folder, name, **columns):
    path = folder / name
    pd.DataFrame(columns).to_csv(path, index=False)
    return path


@pytest.fixture
def files(tmp_path):
    rng = np.random.default_rng(0)
    cases = _write(
        tmp_path,
        "register.csv",
        age=rng.normal(60, 9, 30).round(3),
        ward=rng.choice(["A", "B"], 30),
        found="2021-03-02",
        year=rng.integers(2021, 2024, 30),
        source="register",
        stage=rng.choice(list("xyz"), 30),
    )
    population = _write(
        tmp_path,
        "survey.csv",
        person=[f"P{k}" for k in range(80)],
        ward=rng.choice(["A", "B", "C"], 80),
        age=rng.normal(50, 9, 80).round(3),
        year=rng.integers(2010, 2015, 80),
        source="survey",
        income=rng.normal(size=80),
    )
    return cases, population


def test_cases_come_first_and_are_labeled(files):
    found = read_two_files(*files, id="person")
    assert found.labels.s.tolist() == [1] * 30 + [0] * 80
    assert found.prepared.features == ("ward", "age")
    assert found.table.path.name == "survey.csv"
    assert found.prepared.ids[30:].tolist() == [f"P{k}" for k in range(80)]
    assert str(found.labels) == (
        "30 cases come from register.csv. The other 80 rows are a sample of the population."
    )
    assert found.labels.sampling == "two-sample"
    assert found.labels.of_population.tolist() == [False] * 30 + [True] * 80


def test_columns_are_named_as_what_they_are(files):
    dropped = read_two_files(*files, id="person").prepared.dropped
    apart = "it tells register.csv and survey.csv apart"
    assert dropped == {
        "person": "row ID",
        "found": "only in register.csv",
        "stage": "only in register.csv",
        "income": "only in survey.csv",
        "year": apart,
        "source": apart,
    }


def test_a_column_that_is_blank_in_one_file_is_only_in_the_other(tmp_path, files):
    frame = pd.read_csv(files[0]).assign(ward=None)
    frame.to_csv(files[0], index=False)
    assert read_two_files(*files).prepared.dropped["ward"] == "only in survey.csv"


def test_no_column_in_common(tmp_path, files):
    other = _write(tmp_path, "other.csv", a=[1, 2], b=[3, 4])
    with pytest.raises(
        TableError, match=r"columns in common; got 'age', .* in register.csv and 'a'"
    ):
        read_two_files(files[0], other)


def test_numbers_in_one_file_and_text_in_the_other(tmp_path, files):
    frame = pd.read_csv(files[1]).assign(age="old")
    frame.to_csv(files[1], index=False)
    with pytest.raises(TableError, match=r"'age' \(numbers in register.csv, text in survey.csv\)"):
        read_two_files(*files)


def test_a_text_among_numbers_is_shown(files):
    frame = pd.read_csv(files[1]).astype({"age": object})
    frame.loc[3, "age"] = "about forty"
    frame.to_csv(files[1], index=False)
    with pytest.raises(TableError, match="79 numbers in 'age', and 1 cell is not a number"):
        read_two_files(*files)


def test_a_group_must_be_in_both_files(files):
    with pytest.raises(TableError, match="'wards', which is not in register.csv. Did you mean 'wa"):
        read_two_files(*files, group="wards")
    assert read_two_files(*files, group="ward").prepared.n_groups == 3


def test_cases_that_are_in_the_population_too(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=50), "b": rng.normal(size=50), "key": range(50)})
    whole = _write(tmp_path, "whole.csv", **frame)
    some = _write(tmp_path, "some.csv", **frame.iloc[:20])
    with pytest.raises(
        TableError, match="20 of 20 cases are in whole.csv too, with the same cells"
    ):
        read_two_files(some, whole)
    with pytest.raises(TableError, match="with the same 'key'.*name that column in `label`"):
        read_two_files(some, whole, id="key")
    few = pd.concat([frame.iloc[:3], frame.iloc[:17].assign(a=9.0, b=rng.normal(size=17))])
    few = _write(tmp_path, "few.csv", **few.drop(columns="key"))
    remarks = read_two_files(few, whole).table.remarks
    assert remarks == ("3 of 20 cases are in whole.csv too, with the same cells.",)


def test_equal_rows_of_a_few_categories_say_nothing(tmp_path):
    cases = _write(tmp_path, "cases.csv", a=list("xyxy") * 5, b=[1, 2] * 10)
    whole = _write(tmp_path, "whole.csv", a=list("xyxx") * 10, b=[1, 2, 2, 1] * 10)
    assert read_two_files(cases, whole).table.remarks == ()


def test_a_file_that_is_not_there_is_called_by_its_argument(files):
    with pytest.raises(TableError, match="`population` must be a file; got .*Did you mean 'survey"):
        read_two_files(files[0], files[1].with_name("survy.csv"))


def test_unknown_names_are_rejected(files):
    with pytest.raises(TableError, match="`drop` must be a column.*Did you mean 'stage'"):
        read_two_files(*files, drop=["stages"])
    with pytest.raises(TableError, match="`id` must be a column"):
        read_two_files(*files, id="patient")
    assert "stage" in read_two_files(*files, drop=["stage"]).prepared.dropped
