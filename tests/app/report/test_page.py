"""The report says what a colleague would tell, in order, and nothing in a table can act."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tests.app.report.fitted_summary import ROWS
from tests.app.report.page_reader import read_page, section
from unlabeled import rates
from unlabeled.app.report import make_report
from unlabeled.app.report._page import SECTIONS
from unlabeled.app.report._text import brief, count, percent, plain


def test_sections_come_in_the_order_a_colleague_would_tell(summary):
    page = read_page(make_report(summary))
    names = [one.attributes["id"] for one in page.all("section")]
    assert names == list(SECTIONS)
    links = [one.attributes["href"] for one in page.one("nav").all("a")]
    assert links == [f"#{name}" for name in SECTIONS]
    assert [len(page.all(tag)) for tag in ("h1", "main", "nav", "header", "footer")] == [1] * 5
    assert len(page.all("h2")) == len(SECTIONS)


def test_the_headline_says_how_many_with_an_interval_and_what_it_assumes(summary):
    page = read_page(make_report(summary))
    positives = summary["positives"]
    said = f"About {count(positives['estimate'])} of 1 000 rows are probably positive"
    assert page.one("h1").text == " ".join(said.split())
    ends = f"Between {count(positives['lower'])} and {count(positives['upper'])} (95 % interval)."
    assert ends in page.one("header").text
    text = section(page, "count").text
    assert f"{summary['label']['labelled']} rows are labelled." in text
    assert f"{count(summary['hidden_positives']['estimate'])} more positives are hidden" in text
    for words in ("(SCAR)", "logistic curve"):
        assert words in text


def test_a_given_class_prior_is_called_given(summary):
    summary["class_prior"].update(estimate=0.3, lower=None, upper=None, method=None, given=True)
    for name in ("positives", "hidden_positives", "label_frequency"):
        summary[name].update(lower=None, upper=None)
    page = read_page(make_report(summary))
    assert "You gave the class prior, 30.0 %." in page.one("header").text
    assert "The class prior that you gave" in section(page, "count").text
    assert "0.3000, as given" in section(page, "provenance").text
    assert not page.all(data_show="precision_lower")


def test_a_missing_interval_is_said_to_be_missing(summary):
    for name in ("class_prior", "label_frequency", "positives", "hidden_positives"):
        summary[name].update(lower=None, upper=None)
    for row in summary["coefficients"]["rows"]:
        row.update(lower=None, upper=None)
    page = read_page(make_report(summary))
    assert "No interval" in page.one("header").text
    assert "no intervals" in section(page, "coefficients").text


def test_without_a_class_prior_recall_is_shown_and_precision_is_not(summary):
    for name in ("class_prior", "label_frequency", "positives", "hidden_positives"):
        summary[name] = {"estimate": None, "lower": None, "upper": None, "given": False}
    page = read_page(make_report(summary))
    assert "unknown" in page.one("h1").text
    assert page.one(data_show="precision").text == "—"
    assert page.one(data_show="recall").text != "—"
    assert "need a class prior" in section(page, "cut").text


def test_the_chosen_cut_is_in_the_page_without_a_script(summary):
    page = read_page(make_report(summary))
    cut, prior = summary["cut"], summary["class_prior"]["estimate"]
    shown = {one.attributes.get("data-show"): one for one in page.all("span")}
    values = {
        "recall": cut["recall"],
        "precision": cut["precision"],
        "f1": cut["f1"],
        "selected": cut["selected"],
        "selected_unlabelled": cut["selected_unlabelled"],
        "threshold": cut["threshold"],
        "cost": float(rates.cost(cut["recall"], cut["share"], prior)),
    }
    for name, value in values.items():
        assert float(shown[name].attributes["data-value"]) == pytest.approx(value, abs=1e-12)
    assert page.one(id="sentence").text == f"decide 1 where score > {plain(cut['threshold'])}"


def test_about_ten_cuts_and_every_rule_are_in_static_tables(summary):
    page = read_page(make_report(summary))
    rules, cuts = section(page, "cut").all("table")
    assert len(rules.one("tbody").all("tr")) == len(summary["rules"])
    rows = cuts.one("tbody").all("tr")
    assert 10 <= len(rows) <= 13
    selected = [int(row.one("th").all("span")[0].attributes["data-value"]) for row in rows]
    assert selected == sorted(selected)
    assert selected[-1] == summary["table"]["rows"]
    assert sum("chosen" in row.text for row in rows) == 1


def test_precision_above_one_is_shown_and_explained(summary):
    summary["class_prior"].update(estimate=0.99, lower=0.98, upper=1.0)
    page = read_page(make_report(summary))
    value = float(page.one(data_show="precision").attributes["data-value"])
    assert value > 1
    assert page.one(data_show="precision").text == " ".join(percent(value).split())
    note = page.one(id="too-precise")
    assert "hidden" not in note.attributes
    assert note.text.endswith("the class prior and this recall cannot both be right.")


def test_precision_below_one_has_no_such_note(summary):
    page = read_page(make_report(summary))
    assert "hidden" in page.one(id="too-precise").attributes


def test_a_curve_of_one_cut_and_no_rules_makes_a_page(summary):
    for name in ("threshold", "recall", "share", "selected", "selected_unlabelled", "posterior"):
        summary["curve"][name] = summary["curve"][name][-1:]
    summary["cut"]["index"], summary["rules"] = 0, []
    page = read_page(make_report(summary))
    assert page.one("input", id="slider").attributes["max"] == "0"
    assert len(section(page, "cut").all("table")) == 1


@pytest.mark.parametrize("size", [1e-300, 1e-12, 1e12, 1e300])
def test_very_small_and_very_large_numbers_make_a_page(summary, size):
    for row in summary["coefficients"]["rows"]:
        for name in ("coef", "lower", "upper", "effect"):
            row[name] *= size
    summary["curve"]["threshold"] = [size * one for one in summary["curve"]["threshold"]]
    summary["costs"] = {"miss": size, "false_alarm": 0.0}
    page = read_page(make_report(summary))
    shown = page.one(data_show="cost").text
    assert "× 10" in shown
    assert not re.search(r"\b(nan|inf)\b", page.one("main").text)


def test_an_endless_interval_does_not_flatten_the_chart(summary):
    rows = summary["coefficients"]["rows"]
    rows[0].update(lower=-1e9, upper=1e9)
    dots = section(read_page(make_report(summary)), "coefficients").all("circle")
    places = [float(one.attributes["cx"].rstrip("%")) for one in dots]
    assert max(places) - min(places) > 5


def test_all_coefficients_are_told_the_largest_drawn_and_the_rest_folded(summary):
    drivers = section(read_page(make_report(summary)), "coefficients")
    rows = summary["coefficients"]["rows"]
    assert len(drivers.all("circle")) == 20
    drawn, rest = drivers.all("tbody")
    assert len(rest.all("tr")) == len(rows) - 20
    values = [
        [
            float(one.attributes["data-value"])
            for one in line.all("span")
            if one.attributes.get("data-value")
        ]
        for line in [*drawn.all("tr"), *rest.all("tr")]
    ]
    wanted = [[row[name] for name in ("effect", "coef", "lower", "upper")] for row in rows]
    np.testing.assert_allclose(values, wanted, rtol=1e-12)


def test_a_feature_of_text_is_told_by_words_that_make_the_score_higher_or_lower(summary):
    rows = summary["coefficients"]["rows"]
    rows[0].update(effect=2.0, words={"large": ["chest", "pain"], "small": ["skin"]})
    rows[1].update(effect=-2.0, words={"large": ["rash"], "small": ["heart"]})
    rows[2].update(words=None)
    rows[3].update(effect=1.0, words={"large": [], "small": ["rash"]})
    drivers = section(read_page(make_report(summary)), "coefficients")
    names = [row.one("th") for row in drivers.all("tbody")[0].all("tr")]
    assert names[0].text.endswith("higher with chest, pain; lower with skin")
    assert names[1].text.endswith("higher with heart; lower with rash")
    assert not names[2].all("small")
    assert names[3].text.endswith("lower with rash")
    assert "Features made from text" in drivers.text


def test_without_text_nothing_is_said_about_words(summary):
    assert "Features made from text" not in make_report(summary)


def test_odds_are_spoken_of_only_where_coefficients_are_log_odds(summary):
    largest = summary["coefficients"]["rows"][0]
    text = section(read_page(make_report(summary)), "coefficients").text
    times = " ".join(brief(np.exp(largest["effect"])).split())
    assert f"{largest['feature']} (12.2) multiplies the odds of being positive by {times}." in text
    summary["coefficients"]["scale"] = "score per unit of the feature"
    text = section(read_page(make_report(summary)), "coefficients").text
    assert "the change in the score" in text
    assert "odds" not in text


def test_a_fit_without_coefficients_says_so(summary):
    summary["coefficients"] = None
    assert (
        "no coefficients to show" in section(read_page(make_report(summary)), "coefficients").text
    )


def test_rows_are_shown_only_when_they_are_given(summary):
    without, with_rows = read_page(make_report(summary)), read_page(make_report(summary, ROWS))
    assert "--include-rows" in section(without, "rows").text
    lines = section(with_rows, "rows").one("tbody").all("tr")
    assert [line.one("th").text for line in lines] == [row.id for row in ROWS.rows]
    assert [line.text.endswith("no") for line in lines] == [False, False] + [True] * 3
    assert "names individual rows" in with_rows.one("footer").text


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
        "fitted to 700 rows and judged on 300 others",
        "naive warned: PU105 on 3 of 5 splits.",
        "naive failed on 2 of 5 splits",
        "pu-logistic and naive90.0 %—",
    ):
        assert words in comparison.text


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


def test_names_of_elements_are_unique_and_every_link_inside_has_a_target(summary):
    summary["findings"].append({"check": "s", "code": "PU201", "state": "warning", "message": "m"})
    elements = read_page(make_report(summary, ROWS)).all()
    names = [one.attributes["id"] for one in elements if "id" in one.attributes]
    assert len(names) == len(set(names))
    targets = [one.attributes["href"][1:] for one in elements if one.tag == "a"]
    labelled = [
        name
        for one in elements
        for by in ("aria-labelledby", "aria-describedby")
        for name in (one.attributes.get(by) or "").split()
    ]
    assert set(targets + labelled) <= set(names)


def test_pictures_have_words_and_tables_have_headings(summary):
    page = read_page(make_report(summary, ROWS))
    pictures = page.all("svg", role="img")
    assert len(pictures) == 22
    for one in pictures:
        assert one.all("title")[0].text
    for table in page.all("table"):
        heads = table.all("th")
        assert heads
        assert all(one.attributes.get("scope") in ("col", "row") for one in heads)
    assert page.one("html").attributes["lang"] == "en"
    assert page.one("label", **{"for": "slider"}).text


def test_the_given_summary_is_left_as_it_was(summary, made_summary):
    make_report(summary)
    assert summary == made_summary


@pytest.mark.parametrize(("lower", "said"), [(0.0003, True), (0.3, False)])
def test_a_count_that_begins_at_the_labelled_rows_says_so(summary, lower, said):
    labelled, rows = summary["label"]["labelled"], summary["table"]["rows"]
    summary["class_prior"]["lower"] = lower
    summary["positives"]["lower"] = max(float(labelled), lower * rows)
    text = section(read_page(make_report(summary)), "count").text
    assert (f"The lower end is the {labelled} labelled rows" in text) == said
