"""How the fit was made."""

from __future__ import annotations

from tests.app.report.page_reader import read_page, section
from unlabeled.app.report import make_report


def test_how_it_was_made_can_be_repeated(summary):
    text = section(read_page(make_report(summary)), "provenance").text
    for words in (
        summary["made"]["command"],
        summary["made"]["at"],
        summary["table"]["sha256"],
        "73 123",
        "scikit-learn 1.7.2",
        "Random seed0",
        "hospital: the same value in every row",
        summary["remarks"][0],
    ):
        assert words in text


def test_checked_rows_of_the_fit_are_counted(summary):
    summary["checked"] = {"positive": 45, "negative": 1050}
    text = section(read_page(make_report(summary)), "provenance").text
    assert "Checked rows45 positive, 1 050 negative; the fit uses them" in text


def test_a_method_that_the_labels_chose_says_why(summary):
    summary["method"]["why"] = "The line is enough."
    text = section(read_page(make_report(summary)), "provenance").text
    assert "Why this method" in text
    assert "The line is enough." in text
