"""How many rows are positive, with an interval, and what this assumes."""

from __future__ import annotations

import pytest

from tests.app.report.page_reader import read_page, section
from unlabeled.app.report import make_report
from unlabeled.app.report._text import count


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
    assert "no interval" in page.one("header").text
    assert "no intervals" in section(page, "coefficients").text


@pytest.mark.parametrize(("lower", "said"), [(0.0003, True), (0.3, False)])
def test_a_count_that_begins_at_the_labelled_rows_says_so(summary, lower, said):
    labelled, rows = summary["label"]["labelled"], summary["table"]["rows"]
    summary["class_prior"]["lower"] = lower
    summary["positives"]["lower"] = max(float(labelled), lower * rows)
    text = section(read_page(make_report(summary)), "count").text
    assert (f"The lower end is {labelled}, because the {labelled} labelled rows" in text) == said
