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
