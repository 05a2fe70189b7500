"""A table of a result as text and as HTML."""

from __future__ import annotations

import numpy as np

from unlabeled.engine.result_table import ResultTable, TextTable


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
    def frame(self):
        return {"row": np.arange(1000), "size": np.full(1000, 0.25), "word": np.full(1000, "x")}


def test_without_tables_of_its_own_it_shows_the_first_rows():
    lines = str(Many()).splitlines()
    assert lines[0].split() == ["row", "size", "word"]
    assert lines[1].split() == ["0", "0.25", "x"]
    assert lines[-1] == "980 more rows"
    assert len(lines) == 22
    assert Many()._repr_html_().count("<tr>") == 21
