"""The rows to look at first, from `scored.csv` or from its columns."""

from __future__ import annotations

import numpy as np
import pytest

from tests.app.report.fitted_summary import ROWS
from tests.app.report.page_reader import read_page, section
from unlabeled.app.report import ReportError, ShownRows, make_report, read_rows
from unlabeled.app.report._rows import COLUMNS, Row
from unlabeled.app.run._scored_table import write_scored

NUMBERS = ",".join(COLUMNS) + "\n"
HEADER = f"patient,{NUMBERS}"


@pytest.fixture
def scored(tmp_path):
    def write(text, header=HEADER):
        path = tmp_path / "scored.csv"
        path.write_bytes((header + text).encode("utf-8"))
        return path

    return write


def test_the_unlabeled_rows_with_the_first_ranks_are_kept_in_order(scored):

    def chance(k):
        return "" if k % 2 else f"0.{k}"

    order = (5, 2, 8, 1, 3, 4, 6, 7)
    lines = [f"P{k},{k % 2},{-k}.5,0.9,{chance(k)},,,0,1,{k},{k // 2},,,{k} high" for k in order]
    rows = read_rows(scored("\n".join(lines) + "\n"), most=3)
    assert [(row.rank, row.id, row.score, row.chance, row.because) for row in rows.rows] == [
        (1, "P2", -2.5, 0.2, "2 high"),
        (2, "P4", -4.5, 0.4, "4 high"),
        (3, "P6", -6.5, 0.6, "6 high"),
    ]
    assert (rows.id_column, rows.n_unlabeled) == ("patient", 4)


def test_names_may_hold_commas_quotes_and_breaks(scored):
    rows = read_rows(scored('"a, ""b""\nc",0,1.0,0.5,0.4,,,0,1,1,1,,0.5,\n'))
    assert rows.rows[0].id == 'a, "b"\nc'


def test_the_column_of_names_may_be_called_like_another(scored):
    rows = read_rows(scored("7,0,1.0,0.5,0.4,,,0,1,1,1,,0.5,\n", f"score,{NUMBERS}"))
    assert (rows.id_column, rows.rows[0].id, rows.rows[0].score) == ("score", "7", 1.0)


@pytest.mark.parametrize("header", ["", "a,b\n", "id,score,labeled,posterior,decision,rank\n"])
def test_a_file_with_other_columns_is_refused(scored, header):
    with pytest.raises(ReportError, match="columns labeled, score.* got scored.csv"):
        read_rows(scored("", header))


@pytest.mark.parametrize(
    "line",
    [
        "P1,0,1.0",
        "P1,0,1.0,0.5,0.4,,,0,1,1,1",
        "P1,0,1.0,0.5,0.4,,,0,1,1,first,,,",
        "P1,2,1.0,0.5,0.4,,,0,1,1,1,,,",
        "P1,0,nan,0.5,0.4,,,0,1,1,1,,,",
        "P1,0,1.0,0.5,,,,,1,1,1,,,",
    ],
)
def test_a_file_that_was_incomplete_or_changed_is_refused(scored, line):
    with pytest.raises(ReportError, match="14 valid cells.* incomplete or was changed"):
        read_rows(scored(f"P0,0,2.0,0.5,0.4,,,0,1,2,2,1.5,0.4,\n{line}\n"))


def test_a_missing_file_and_one_that_is_no_text_are_refused(tmp_path):
    with pytest.raises(ReportError, match="No such file"):
        read_rows(tmp_path / "scored.csv")
    (tmp_path / "scored.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ReportError, match="can be read; got .*scored.csv"):
        read_rows(tmp_path / "scored.csv")


def test_rows_are_shown_only_when_they_are_given(summary):
    without, with_rows = read_page(make_report(summary)), read_page(make_report(summary, ROWS))
    assert "--include-rows" in section(without, "rows").text
    lines = section(with_rows, "rows").one("tbody").all("tr")
    assert [line.one("th").text for line in lines] == [row.id for row in ROWS.rows]
    assert [line.all("td")[3].text for line in lines] == ["yes", "yes", "no", "no", "no"]
    assert [line.all("td")[4].text for line in lines] == [f"age {k}" for k in range(1, 6)]
    assert {line.all("td")[5].text for line in lines} == {"–"}
    assert "IDs of individual rows" in with_rows.one("footer").text


@pytest.mark.parametrize(
    ("because", "speaks_for", "speaks_against"),
    [
        ("age 81 (high); sex male; against: bmi 9 (low)", "age 81 (high);sex male", "bmi 9 (low)"),
        ("against: bmi 9 (low); age 3 (low)", "–", "bmi 9 (low);age 3 (low)"),
        ("age, in years 81 (high)", "age, in years 81 (high)", "–"),
        ("", "–", "–"),
    ],
)
def test_what_speaks_for_a_positive_and_what_against_are_apart(
    summary, because, speaks_for, speaks_against
):
    rows = ShownRows("patient", (Row(1, "P1", 2.0, 0.5, 1, because),), 843)
    line = section(read_page(make_report(summary, rows)), "rows").one("tbody").one("tr")
    assert [cell.text for cell in line.all("td")[4:]] == [speaks_for, speaks_against]


def test_columns_that_were_kept_stand_behind_the_others(scored):
    header = f"patient,{NUMBERS.strip()},note\n"
    text = 'P1,0,1.0,0.5,0.4,,,0,1,1,1,,0.5,age 8 (high),"a, b\nc"\n'
    assert read_rows(scored(text, header)).rows[0].because == "age 8 (high)"
    with pytest.raises(ReportError, match="15 valid cells"):
        read_rows(scored(text.replace(',"a, b\nc"', ""), header))
    with pytest.raises(ReportError, match="14 valid cells"):
        read_rows(scored(text))


@pytest.mark.parametrize(
    "ids",
    [
        ["a", None, "ü, b", "d", "e"],
        [10, 20, 30, 40, 50],
        [1.5, 2.0, 3.0, 1e20, 0.1],
        [True, False, True, False, True],
        np.array(
            ["2024-01-01", "2024-01-02T03:04:05", "NaT", "1969-01-01", "2000-01-01"], "M8[us]"
        ),
    ],
)
def test_rows_of_columns_are_those_that_are_read_back(tmp_path, ids):
    labeled = np.array([0, 1, 0, 0, 0])
    columns = {
        "row": ids,
        "labeled": labeled,
        "score": np.array([0.1, 5.0, 0.3, 0.1, 2.0]),
        "posterior": np.full(5, 0.5),
        "posterior_if_unlabeled": np.ma.array([0.1, 0.2, 1 / 3, 0.1, 0.7], mask=labeled == 1),
        "posterior_if_unlabeled_lower": np.ma.masked_all(5),
        "posterior_if_unlabeled_upper": np.ma.masked_all(5),
        "decision_if_unlabeled": np.ma.array([0, 0, 0, 0, 1], mask=labeled == 1),
        "decision": np.array([0, 1, 0, 0, 1]),
        "rank": np.array([4, 1, 3, 4, 2]),
        "rank_among_unlabeled": np.ma.array([3, 0, 2, 3, 1], mask=labeled == 1),
        "held_out_score": np.ma.masked_all(5),
        "held_out_posterior": np.full(5, 0.5),
        "because": ["age 8 (high); sex male", None, None, 'against: "bmi" 1 (low)', "ü"],
    }
    write_scored(tmp_path / "scored.csv", columns)
    for most in (2, 50):
        rows = ShownRows.of(columns, most)
        assert rows == read_rows(tmp_path / "scored.csv", most)
        assert rows.n_unlabeled == 4
