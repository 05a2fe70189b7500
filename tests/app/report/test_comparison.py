"""The comparison with other methods."""

from __future__ import annotations

from tests.app.report.page_reader import read_page, section
from unlabeled.app.report import make_report


def test_a_comparison_may_be_missing(summary):
    summary["comparison"] = None
    text = section(read_page(make_report(summary)), "comparison").text
    assert "unlabeled compare" in text


def test_a_comparison_is_shown_with_errors_and_what_it_says(summary):
    methods = [
        {
            "name": "pu-logistic",
            "f1_pu": {"mean": 2.4137, "error": 0.0512},
            "failed": 0,
            "to_best": {"difference": 0.0, "error": 0.0},
            "warnings": {},
        },
        {
            "name": "naive",
            "f1_pu": {"mean": None, "error": None},
            "failed": 2,
            "failures": {"ValueError: no": 2},
            "to_best": {"difference": None, "error": None},
            "warnings": {"PU105": 3},
        },
    ]
    summary["comparison"] = {
        "methods": methods,
        "measures": ["f1_pu"],
        "best": "pu-logistic",
        "repeats": 5,
        "rows": {"fitted_to": 700, "held_out": 300},
        "reading": ["pu-logistic is ahead."],
        "agreement": {
            "methods": ["pu-logistic", "naive"],
            "decide_alike": {"mean": [[1, 0.9], [0.9, 1]]},
            "rank_correlation": {"mean": [[1, None], [None, 1]]},
        },
        "note": None,
    }
    comparison = section(read_page(make_report(summary)), "comparison")
    first, second = comparison.all("tbody")[0].all("tr")
    assert first.text == "pu-logisticthis report2.41± 0.05the best"
    assert second.text == "naive——"
    for words in (
        "pu-logistic is ahead.",
        "5 random splits: 700 rows to fit, 300 to evaluate.",
        "naive: warning PU105 in 3 of 5 splits.",
        "naive failed on 2 of 5 splits",
        "pu-logistic and naive90.0 %—",
    ):
        assert words in comparison.text


def with_methods(summary, used, *compared):
    summary["method"]["name"] = used
    summary["comparison"] = {
        "methods": [{"name": name, "f1_pu": {"mean": 1.0, "error": 0.1}} for name in compared],
        "measures": ["f1_pu"],
        "best": compared[0],
        "repeats": 5,
        "reading": [f"{compared[0]} has the largest held-out F1_PU."],
    }
    return section(read_page(make_report(summary)), "comparison")


def test_it_begins_with_a_used_method_that_is_not_among_the_compared_ones(summary):
    first = with_methods(summary, "ensemble", "naive", "pu-logistic").all("p")[0].text
    assert first.startswith("The method that was used, the ensemble, is not among the compared on")
    assert "takes longer" in first
    assert "`unlabeled compare`" in first or "unlabeled compare" in first


def test_a_used_method_that_was_compared_needs_no_word(summary):
    text = with_methods(summary, "pu-logistic", "naive", "pu-logistic").text
    assert "is not among the compared" not in text
