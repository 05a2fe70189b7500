"""What drives the score: every coefficient is in the page."""

from __future__ import annotations

import numpy as np

from tests.app.report.page_reader import read_page, section
from unlabeled.app.report import make_report
from unlabeled.app.report._text import brief


def test_an_endless_interval_does_not_flatten_the_chart(summary):
    rows = summary["coefficients"]["rows"]
    rows[0].update(lower=-1e9, upper=1e9)
    dots = section(read_page(make_report(summary)), "coefficients").all("circle")
    places = [float(one.attributes["cx"].rstrip("%")) for one in dots]
    assert max(places) - min(places) > 5


def test_all_coefficients_are_shown_the_largest_drawn_and_the_rest_folded(summary):
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


def test_of_thousands_of_coefficients_the_largest_are_listed_and_the_page_says_so(summary):
    one = summary["coefficients"]["rows"][0]
    summary["coefficients"]["rows"] = [{**one, "feature": f"gene {j}"} for j in range(5000)]
    drivers = section(read_page(make_report(summary)), "coefficients")
    drawn, rest = drivers.all("tbody")
    assert len(drawn.all("tr")) + len(rest.all("tr")) == 500
    assert "500 largest of 5 000 effects; all are in summary.json" in drivers.text
    summary["coefficients"]["rows"] = summary["coefficients"]["rows"][:500]
    assert "summary.json" not in section(read_page(make_report(summary)), "coefficients").text


def test_a_feature_of_text_is_shown_with_words_that_make_the_score_higher_or_lower(summary):
    rows = summary["coefficients"]["rows"]
    rows[0].update(effect=2.0, words={"large": ["chest", "pain"], "small": ["skin"]})
    rows[1].update(effect=-2.0, words={"large": ["rash"], "small": ["heart"]})
    rows[2].update(words=None)
    rows[3].update(effect=1.0, words={"large": [], "small": ["rash"]})
    drivers = section(read_page(make_report(summary)), "coefficients")
    names = [row.one("th") for row in drivers.all("tbody")[0].all("tr")]
    assert names[0].text.endswith(
        "words that raise the score: chest, pain; words that lower the score: skin"
    )
    assert names[1].text.endswith(
        "words that raise the score: heart; words that lower the score: rash"
    )
    assert not names[2].all("small")
    assert names[3].text.endswith("words that lower the score: rash")
    assert "Features made from text" in drivers.text


def test_without_text_words_are_not_mentioned(summary):
    assert "Features made from text" not in make_report(summary)


def test_odds_are_mentioned_only_where_coefficients_are_log_odds(summary):
    largest = summary["coefficients"]["rows"][0]
    text = section(read_page(make_report(summary)), "coefficients").text
    times = " ".join(brief(np.exp(largest["effect"])).split())
    assert (
        f"Raising {largest['feature']} by one standard deviation (12.2) multiplies the odds of "
        f"being positive by {times}." in text
    )
    summary["coefficients"]["scale"] = "score per unit of the feature"
    text = section(read_page(make_report(summary)), "coefficients").text
    assert "the change in the score" in text
    assert "odds" not in text


def test_a_fit_without_coefficients_says_so(summary):
    summary["coefficients"] = None
    assert (
        "no coefficients to show" in section(read_page(make_report(summary)), "coefficients").text
    )


def test_an_ensemble_shows_the_weights_of_its_members_instead(summary):
    summary["coefficients"] = {"rows": []}
    assert "weighted sum" in section(read_page(make_report(summary)), "coefficients").text
    line = {"name": "line", "what": "PULogistic", "weight": 0.3, "log_likelihood": -0.4321}
    summary["method"] |= {
        "members": [line, {"name": "trees"}],
        "left_out": {"boosting": "It <b>failed</b>."},
    }
    shown = section(read_page(make_report(summary)), "coefficients")
    first, second = shown.all("tbody")[0].all("tr")
    assert first.text == "linePULogistic0.300−0.432"
    assert second.text == "trees——"
    assert "Left out: boosting. It <b>failed</b>." in shown.text
