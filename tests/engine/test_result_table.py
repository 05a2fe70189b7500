"""A table of a result as text and as HTML."""

from __future__ import annotations

import json
import sys

import numpy as np
import pandas as pd
import pytest

from unlabeled.engine.result_table import ResultTable, TextTable, plain


def test_names_are_aligned_to_the_left_and_numbers_to_the_right():
    table = TextTable("Costs", [["", "euros"], ["a", "1.00"], ["long", "10.00"]], ["in all"])
    assert table.text().splitlines() == [
        "Costs",
        "      euros",
        "a      1.00",
        "long  10.00",
        "in all",
    ]


def test_facts_stand_between_rules():
    lines = TextTable("Fit", [["", "n"], ["a", "1"]], facts=[("rows", "7")]).text().splitlines()
    assert lines == ["Fit", "----", "rows  7", "----", "   n", "----", "a  1", "----"]


def test_a_long_last_column_is_wrapped_beside_the_others():
    table = TextTable("", [["name", "text"], ["a", "word " * 30]], left=(0, 1), is_wrapped=True)
    first, *others = table.text().splitlines()
    assert first.startswith("a  word")
    assert others
    assert all(line.startswith("   word") and len(line) <= 88 for line in others)


def test_html_escapes_every_word():
    table = TextTable("<t>", [["<h>"], ["<c>"]], ["<n>"], facts=[("<f>", "<v>")])
    html = table.html()
    for word in "thcnfv":
        assert f"&lt;{word}&gt;" in html
        assert f"<{word}>" not in html


class Many(ResultTable):
    def _columns(self):
        return {"row": np.arange(1000), "size": np.full(1000, 0.25), "word": np.full(1000, "x")}


def test_the_frame_and_the_plain_values_have_the_same_columns():
    pd.testing.assert_frame_equal(pd.DataFrame(Many().to_dict()), Many().to_frame())


def test_plain_values_are_what_json_takes():
    value = {"n": np.int64(3), 4: np.array([0.5, np.nan, np.inf]), "of": (np.bool_(True), None)}
    found = plain(value)
    assert found == {"n": 3, "4": [0.5, None, None], "of": [True, None]}
    assert json.loads(json.dumps(found, allow_nan=False)) == found


def test_without_pandas_the_frame_says_what_works(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"`to_frame`, unlike `to_dict`, .*unlabeled\[datasets\]"):
        Many().to_frame()
    assert Many().to_dict()["size"][:2] == [0.25, 0.25]


def test_without_tables_of_its_own_it_shows_the_first_rows():
    lines = str(Many()).splitlines()
    assert lines[0].split() == ["row", "size", "word"]
    assert lines[1].split() == ["0", "0.25", "x"]
    assert lines[-1] == "980 more rows"
    assert len(lines) == 22
    assert Many()._repr_html_().count("<tr>") == 21
