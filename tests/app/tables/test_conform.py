"""A new table in the form of the fit: what is accepted, what gets a remark, what is rejected."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from unlabeled.app.tables import TableError, TableFeatures, conform, prepare, read_like, read_table
from unlabeled.app.tables._conform import range_remarks

KEPT_AS_TEXT = ["zip"]


@pytest.fixture(scope="module")
def frame():
    rng, n = np.random.default_rng(0), 200
    day = pd.date_range("2020-01-01", periods=n)
    made = pd.DataFrame(
        {
            "age": rng.normal(50, 9, n).round(1),
            "sex": rng.choice(["f", "m"], n),
            "visit": day.strftime("%Y-%m-%d"),
            "seen": day.strftime("%d/%m/%Y"),
            "notes": [f"case {i} is {i % 7} days tired" for i in range(n)],
            "smoker": rng.random(n) < 0.5,
            "zip": rng.choice(["0012", "0013", "0100"], n),
        }
    )
    made.loc[rng.random(n) < 0.1, "age"] = np.nan
    made["ill"] = (rng.random(n) < 0.3).astype(int)
    return made


@pytest.fixture(scope="module")
def fitted(frame, tmp_path_factory):
    path = tmp_path_factory.mktemp("fit") / "fit.csv"
    frame.to_csv(path, index=False)
    prepared = prepare(read_table(path, as_text=KEPT_AS_TEXT), "ill", as_text=KEPT_AS_TEXT)
    features = TableFeatures()
    return features, features.fit_transform(prepared.X)


@pytest.fixture
def numbers_of(fitted, tmp_path):
    def numbers(frame, name="new.csv"):
        path = tmp_path / name
        {
            ".csv": lambda: frame.to_csv(path, index=False),
            ".parquet": lambda: frame.to_parquet(path),
        }[path.suffix]()
        conformed = conform(read_like(path, fitted[0]), fitted[0], ("ill",))
        return fitted[0].transform(conformed.X), conformed.remarks

    return numbers


def test_columns_know_how_they_were_held(fitted):
    assert fitted[0].storage_in_ == {
        "age": "number",
        "sex": "text",
        "visit": "date",
        "seen": "text",
        "notes": "text",
        "smoker": "true/false",
        "zip": "text",
    }
    assert fitted[0].kinds_["zip"] == "category"


def test_the_table_of_the_fit_gives_its_numbers_again(frame, fitted, numbers_of):
    numbers, remarks = numbers_of(frame)
    np.testing.assert_array_equal(numbers, fitted[1])
    assert remarks == ()


def test_another_order_gives_the_same_numbers_and_a_remark(frame, fitted, numbers_of):
    numbers, remarks = numbers_of(frame[frame.columns[::-1]])
    np.testing.assert_array_equal(numbers, fitted[1])
    assert len(remarks) == 1
    assert "another order" in remarks[0]


def test_one_row_at_a_time_gives_the_same_numbers(frame, fitted, numbers_of):
    for row in [0, 1, 2, int(frame["age"].isna().argmax())]:
        np.testing.assert_allclose(numbers_of(frame.iloc[[row]])[0][0], fitted[1][row], rtol=1e-12)


def test_typed_files_give_the_same_numbers(frame, fitted, numbers_of):
    typed = frame.assign(visit=pd.to_datetime(frame["visit"]), age=frame["age"].astype("float32"))
    numbers, remarks = numbers_of(typed, "new.parquet")
    np.testing.assert_allclose(numbers, fitted[1], rtol=1e-6)
    assert remarks == ()


def test_codes_keep_their_leading_zeros(frame, fitted, numbers_of):
    names = list(fitted[0].get_feature_names_out())
    zips = [name for name in names if name.startswith("zip=")]
    assert len(zips) == 2
    assert set(zips) < {"zip=0012", "zip=0013", "zip=0100"}


def test_unknown_columns_levels_and_dates_get_a_remark(frame, numbers_of):
    changed = frame.assign(height=1.8)
    changed.loc[3, "sex"] = "x"
    changed.loc[[4, 5], "seen"] = "soon"
    unknown, levels, dates = numbers_of(changed)[1]
    assert "'height'" in unknown
    assert re.search("1 row .*'sex'.*: 'x'", levels)
    assert re.search("'seen'.* 31/12/2024, in 2 rows: 'soon'", dates)


@pytest.mark.parametrize(
    ("column", "cell", "allowed"),
    [
        ("age", "old", "a number"),
        ("visit", "never", "a date such as 2024-12-31"),
        ("smoker", "x", "true or false"),
    ],
)
def test_a_cell_of_another_type_is_rejected(frame, numbers_of, column, cell, allowed):
    changed = frame.astype({column: object})
    changed.loc[3, column] = cell
    with pytest.raises(
        TableError, match=rf"'{column}'.*1 cell is not {allowed} \('{cell}', in row 4\)"
    ):
        numbers_of(changed)


def test_of_decimal_commas_only_the_cells_that_are_no_numbers_are_rejected(frame, numbers_of):
    new = frame.assign(age=frame["age"].map(lambda one: f"{one}".replace(".", ",")))
    new.loc[[3, 8], "age"] = "<4,0"
    with pytest.raises(TableError, match=r"2 cells are not numbers \('<4,0', first in row 4\)"):
        numbers_of(new)


def test_dates_are_not_numbers_and_numbers_are_not_dates(frame, numbers_of):
    with pytest.raises(TableError, match="a number in .*'age'"):
        numbers_of(frame.assign(age=pd.Timestamp("2020-01-01")), "new.parquet")
    with pytest.raises(TableError, match="a date such as 2024-12-31 in .*'visit'"):
        numbers_of(frame.assign(visit=3.5), "new.parquet")


def test_dates_that_could_be_two_dates_are_rejected(frame, numbers_of):
    other = pd.to_datetime(frame["visit"]).dt.strftime("%d/%m/%Y")
    with pytest.raises(TableError, match="a date such as 2024-12-31 in .*'visit'"):
        numbers_of(frame.assign(visit=other).iloc[:9])


def test_dates_that_were_text_may_be_dates_or_have_the_year_first(frame, fitted, numbers_of):
    day = pd.to_datetime(frame["seen"], format="%d/%m/%Y")
    for seen, name in ((day, "new.parquet"), (day.dt.strftime("%Y-%m-%d"), "new.csv")):
        numbers, remarks = numbers_of(frame.assign(seen=seen), name)
        np.testing.assert_array_equal(numbers, fitted[1])
        assert remarks == ()


def test_a_column_in_which_most_cells_are_not_dates_is_rejected(frame, numbers_of):
    with pytest.raises(TableError, match="'seen' such as 31/12/2024.*200 cells.*'31st of May'"):
        numbers_of(frame.assign(seen="31st of May"))


def test_dates_with_a_time_zone_are_not_those_without(frame, numbers_of):
    there = pd.to_datetime(frame["visit"]).dt.tz_localize("Europe/Warsaw")
    with pytest.raises(TableError, match="no time zone in 'visit'.*got Europe/Warsaw"):
        numbers_of(frame.assign(visit=there), "new.parquet")


def test_infinite_numbers_are_rejected(frame, numbers_of):
    with pytest.raises(TableError, match="a number in .*'age'.*'inf'"):
        numbers_of(frame.assign(age=np.inf))


def test_yes_and_no_are_true_and_false(frame, fitted, numbers_of):
    words = frame.assign(smoker=np.where(frame["smoker"], "yes", "no"))
    np.testing.assert_array_equal(numbers_of(words)[0], fitted[1])


def test_a_column_blank_in_every_row_is_missing_in_every_row(frame, fitted, numbers_of):
    blank = frame.assign(age=None, sex=None, visit=None, smoker=None, zip=None)
    numbers, remarks = numbers_of(blank)
    assert len(remarks) == 1
    assert "'age', 'sex', 'visit', 'smoker', 'zip'" in remarks[0]
    assert np.all(np.isfinite(numbers))
    place = list(fitted[0].get_feature_names_out()).index("age is missing")
    assert np.all(numbers[:, place] == 1)


def test_a_remark_on_numbers_far_outside_has_the_column_the_rows_and_the_range(
    frame, fitted, numbers_of
):
    low, high = fitted[0].ranges_in_["age"]
    assert low <= frame["age"].min() < frame["age"].max() <= high
    new = frame.copy()
    new.loc[[3, 5], "age"] = [999.0, 5000.0]
    (remark,) = numbers_of(new)[1]
    assert re.search(rf"2 rows .*'age' \(999 to 5000\).* {low:g} to {high:g}", remark)


def test_numbers_a_little_outside_those_of_the_fit_are_not_worth_a_remark(frame, numbers_of):
    new = frame.copy()
    new.loc[3, "age"] = frame["age"].max() + frame["age"].std()
    assert numbers_of(new)[1] == ()


def test_a_remark_on_one_number_far_below_shows_it():
    (remark,) = range_remarks(pd.DataFrame({"age": [-400.0, 50.0]}), {"age": (0.0, 100.0)})
    assert "1 row has values of 'age' (-400) far outside the training range, 0 to 100." in remark


def test_remarks_on_many_columns_take_four_lines_the_max_rows_first():
    names = list("abcdef")
    columns = {name: [1e6] * (k + 1) + [0.5] * (9 - k) for k, name in enumerate(names)}
    remarks = range_remarks(pd.DataFrame(columns), dict.fromkeys(names, (0.0, 1.0)))
    assert [re.search("'.'", remark)[0] for remark in remarks[:3]] == ["'f'", "'e'", "'d'"]
    assert remarks[3].endswith("'c', 'b', 'a'.")
    assert len(remarks) == 4


def test_a_missing_column_is_rejected_with_the_one_to_rename(frame, numbers_of):
    with pytest.raises(TableError, match=r"got new.csv without 'age'\. .*'ages'"):
        numbers_of(frame.rename(columns={"age": "ages"}))


def test_a_new_table_is_read_as_the_one_of_the_fit(tmp_path):
    rng, n = np.random.default_rng(0), 60
    made = pd.DataFrame(
        {
            "zip": rng.choice(["007", "012", "100"], n),
            "bmi": [f"{value:.3f}".replace(".", ",") for value in rng.normal(27, 4, n)],
            "dose": np.where(rng.random(n) < 0.2, -999, rng.integers(1, 90, n)),
            "seen": [f"{d:02d}/{m:02d}/2024" for d, m in rng.integers(1, 13, (n, 2))],
            "ill": rng.integers(0, 2, n),
        }
    )
    made.loc[:20, "bmi"] = "27,5"
    path = tmp_path / "fit.csv"
    made.to_csv(path, index=False, sep=";")
    table = read_table(path, missing=["-999"], day_first=["seen"])
    features = TableFeatures()
    expected = features.fit_transform(prepare(table, "ill").X)
    record = table.reading.to_dict()
    found = {"missing": ["-999"], "decimal_comma": ["bmi"], "points": [], "day_first": ["seen"]}
    assert record == found
    for row in (30, int(made["dose"].argmin())):  # one row alone tells nothing by itself
        made.iloc[[row]].to_csv(tmp_path / "new.csv", index=False, sep=";")
        new = read_like(tmp_path / "new.csv", features, reading=record)
        np.testing.assert_allclose(
            features.transform(conform(new, features, ("ill",)).X)[0], expected[row], rtol=1e-12
        )


@pytest.mark.parametrize(
    ("cells", "expected"),
    [(["1.234"], [1234]), (["3271,5", "1.234"], [3271.5, 1234]), (["3271.5"], [3271.5])],
)
def test_points_between_thousands_are_read_as_in_the_fit(tmp_path, cells, expected):
    path = tmp_path / "t.csv"
    path.write_text("pay;ill\n3.271,50;yes\n980,00;\n1.234,00;\n")
    table = read_table(path)
    features = TableFeatures().fit(prepare(table, "ill").X)
    record = table.reading.to_dict()
    assert record["points"] == ["pay"]
    path.write_text("\n".join(["pay;x", *(f"{cell};1" for cell in cells)]))
    conformed = conform(read_like(path, features, reading=record), features, ("x",))
    assert conformed.X["pay"].tolist() == expected
    is_said = "1.234 is 1234" in " ".join(conformed.remarks)
    assert is_said == ("1.234" in cells)


def test_points_that_may_be_either_beside_those_of_the_fit_are_rejected(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("pay;ill\n3.271,50;yes\n980,00;\n1.234,00;\n")
    table = read_table(path)
    features = TableFeatures().fit(prepare(table, "ill").X)
    path.write_text("pay;x\n1.234;1\n3271.5;2\n")
    with pytest.raises(TableError, match="'pay' .*alike; got '1.234', '3271.5'"):
        read_like(path, features, reading=table.reading.to_dict())


def test_numbers_of_the_fit_may_have_leading_zeros(tmp_path):
    frame = pd.DataFrame({"n": [7, 12, 100], "x": [1.5, 2.5, 3.5]})
    features = TableFeatures().fit(frame)
    path = tmp_path / "new.csv"
    path.write_text("n,x\n007,1.5\n")
    conformed = conform(read_like(path, features), features)
    assert conformed.X["n"].tolist() == [7]
    assert conformed.remarks == ()


def test_all_columns_with_wrong_cells_are_in_one_message(frame, numbers_of):
    changed = frame.astype({"age": object, "smoker": object})
    changed.loc[3, "age"] = "old"
    changed.loc[4, "smoker"] = "x"
    with pytest.raises(TableError, match=r"(?s)2 columns cannot be used.*'age'.*\n.*'smoker'"):
        numbers_of(changed)


def test_a_table_without_any_of_many_columns_gets_few_hints(tmp_path):
    rng = np.random.default_rng(0)
    fitted = TableFeatures().fit(pd.DataFrame({f"gene {j}": rng.normal(size=30) for j in range(9)}))
    path = tmp_path / "other.csv"
    pd.DataFrame({f"Gene {j}": rng.normal(size=30) for j in range(9)}).to_csv(path, index=False)
    with pytest.raises(TableError, match="without 'gene 0'") as error:
        conform(read_table(path), fitted)
    assert str(error.value).count("rename it") == 6
