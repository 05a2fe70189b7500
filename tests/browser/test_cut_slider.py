"""The slider shows what the library computes, whatever moves it."""

from __future__ import annotations

import re
import shlex

import numpy as np
import pytest

from unlabeled import rates
from unlabeled.app.report._cut import numbers_at, scales
from unlabeled.app.report._text import FORMATS
from unlabeled.app.table_model import FitRecord
from unlabeled.cli._predict import predict
from unlabeled.thresholds import Cuts, choose_cut
from unlabeled.thresholds._rules import cost

pytestmark = pytest.mark.browser

KINDS = {
    "selected": "count",
    "selected_share": "percent",
    "selected_unlabeled": "count",
    "recall": "percent",
    "precision": "percent",
    "precision_unlabeled": "percent",
    "precision_lower": "percent",
    "precision_upper": "percent",
    "f1": "ratio",
    "posterior": "percent",
    "threshold": "plain",
    "miss": "number",
    "false_alarm": "number",
    "cost": "number",
    "total_cost": "number",
    "missed": "count",
    "false_alarms": "count",
}


def expected(summary, index, miss=1.0, false_alarm=1.0):
    """What the library says about a cut, by its own functions."""
    curve, prior = summary["curve"], summary["class_prior"]
    recall, share, a = curve["recall"][index], curve["share"][index], prior["estimate"]
    rows = summary["table"]["rows"]
    # Labeled rows are l of all and positive for sure: a r = l r + p (q - l r).
    sure = summary["label"]["labeled"] / rows * recall
    few = (share - sure) * rows < 1
    among = None if few else min(1.0, (a * recall - sure) / (share - sure))
    a_row = rates.cost(recall, share, a, miss=miss, false_alarm=false_alarm)
    selected, unlabeled = curve["selected"][index], curve["selected_unlabeled"][index]
    known = (selected - unlabeled) / selected if selected else 0.0
    lower, upper = precision_ends(summary, recall, share, known)
    found = min(a * recall, share)
    return {
        "selected": curve["selected"][index],
        "selected_share": curve["selected"][index] / rows,
        "selected_unlabeled": curve["selected_unlabeled"][index],
        "recall": recall,
        "precision": min(1.0, rates.precision(recall, share, a)),
        "precision_unlabeled": among,
        "precision_lower": lower,
        "precision_upper": upper,
        "f1": min(1.0, rates.f1(recall, share, a)),
        "posterior": curve["posterior"][index],
        "threshold": curve["threshold"][index],
        "miss": miss,
        "false_alarm": false_alarm,
        "cost": a_row,
        "total_cost": a_row * rows,
        "missed": (a - found) * rows,
        "false_alarms": (share - found) * rows,
    }


def precision_ends(summary, recall, share, known):
    """Ends of precision: the errors of recall and class prior in quadrature, on the log scale."""
    prior, labeled = summary["class_prior"], summary["label"]["labeled"]
    if recall <= 0 or share <= 0:
        return None, None
    recall = float(np.clip(recall, 0.5 / (labeled + 1), 1 - 0.5 / (labeled + 1)))
    of_recall = 1.959963984540054**2 * (1 - recall) / (recall * labeled)
    value = prior["estimate"] * recall / share
    ends = []
    for name, sign in (("lower", -1), ("upper", 1)):
        far = np.sqrt(of_recall + np.log(prior[name] / prior["estimate"]) ** 2)
        ends.append(max(min(1.0, value * np.exp(sign * far)), known))
    return tuple(ends)


def agrees(report, summary, index, **costs):
    shown, wanted = report.shown(), expected(summary, index, **costs)
    assert set(shown) == set(wanted)
    for name, value in wanted.items():
        got, text = shown[name]
        if value is None:
            assert got is None, name
        else:
            assert got == pytest.approx(value, rel=1e-9, abs=1e-9), name
        assert text == FORMATS[KINDS[name]](got), name


def with_ties(summary):
    """Neighbors that select the same rows, neighbors of equal recall, and an empty first cut."""
    curve = summary["curve"]
    for k in (40, 41, 42):
        for name in ("selected", "selected_unlabeled"):
            curve[name][k] = curve[name][40]
    for k in (90, 91):
        curve["recall"][k] = curve["recall"][90]
    for name in ("recall", "share", "selected", "selected_unlabeled"):
        curve[name][0] = 0
    return summary


def test_the_numbers_are_the_librarys_at_twenty_cuts_ends_and_ties_included(open_page, summary):
    summary = with_ties(summary)
    last = len(summary["curve"]["threshold"]) - 1
    report = open_page(summary)
    even = np.linspace(0, last, 13).round().astype(int)
    places = sorted({*even.tolist(), 1, last - 1, 40, 41, 42, 90, 91, summary["cut"]["index"]})
    assert len(places) >= 20
    for index in places:
        report.move(index)
        agrees(report, summary, index)
    assert report.complaints == []


@pytest.mark.parametrize(
    "further",
    [
        {"labeled_by": {"columns": ["ward"], "weight_effect": 1.7}},
        {"groups": {"sentence": "Folds kept groups together.", "design_effect": 2.5}},
    ],
    ids=list,
)
def test_labels_that_follow_columns_and_groups_move_as_the_page_was_made(
    open_page, summary, further
):
    told = summary | further
    report = open_page(told)
    for index in (summary["cut"]["index"], 60, 200):
        report.move(index)
        shown, wanted = report.shown(), numbers_at(FitRecord.of(told), index)
        for name in ("precision_unlabeled", "precision_lower", "precision_upper"):
            assert shown[name][0] == pytest.approx(wanted[name], rel=1e-9), name
    assert wanted["precision_lower"] < expected(summary, index)["precision_lower"]


def test_ranges_of_few_labels_that_do_not_tell_the_count_move_as_the_page_was_made(
    open_page, summary
):
    summary["class_prior"]["identified"], summary["label"]["labeled"] = "not at all", 12
    report = open_page(summary)
    for index in (summary["cut"]["index"], 60, 200):
        report.move(index)
        shown, wanted = report.shown(), numbers_at(FitRecord.of(summary), index)
        for name in ("recall_lower", "recall_upper", "precision_lower", "precision_upper"):
            assert shown[name][0] == pytest.approx(wanted[name], rel=1e-9), name
        for name in ("cost", "total_cost", "missed", "false_alarms"):
            assert shown[name][0] is None, name
        assert not shown.keys() & {"recall", "precision", "f1", "posterior"}
    assert not report.page.locator("#cheapest").is_visible()
    assert report.complaints == []


def test_the_page_opens_at_the_chosen_cut_with_the_same_text_as_without_a_script(
    open_page, summary
):
    scripted, plain = open_page(summary), open_page(summary, java_script_enabled=False)
    agrees(scripted, summary, summary["cut"]["index"])
    texts = [one.page.locator("#cutting dl").inner_text() for one in (scripted, plain)]
    assert texts[0] == texts[1]


@pytest.mark.parametrize(
    ("miss", "false_alarm"), [("7", "0.25"), ("0", "1"), ("1e9", "3"), ("1e-7", "0"), ("0", "0")]
)
def test_changed_costs_change_the_cost_and_stay_when_the_cut_moves(
    open_page, summary, miss, false_alarm
):
    report = open_page(summary)
    report.page.fill("#miss", miss)
    report.page.fill("#false-alarm", false_alarm)
    costs = {"miss": float(miss), "false_alarm": float(false_alarm)}
    for index in (summary["cut"]["index"], 3, 200):
        report.move(index)
        agrees(report, summary, index, **costs)


def test_the_cheapest_cut_is_the_one_that_the_library_chooses(open_page, summary):
    report = open_page(summary)
    curve = {name: np.array(summary["curve"][name]) for name in ("threshold", "recall", "share")}
    labeled, total = summary["label"]["labeled"], summary["table"]["rows"]
    found, rows = labeled * curve["recall"], total * curve["share"]
    cuts = Cuts(curve["threshold"], curve["threshold"], found, rows)
    for miss, false_alarm in [(1, 1), (5, 1), (1, 4), (100, 1), (1, 100)]:
        report.page.fill("#miss", str(miss))
        report.page.fill("#false-alarm", str(false_alarm))
        report.page.click("#cheapest")
        rule = cost(miss, false_alarm)
        assert report.place() == choose_cut(cuts, rule, summary["class_prior"]["estimate"]).index


@pytest.mark.parametrize("wrong", ["", "-1"])
def test_costs_that_are_none_get_a_sentence_and_no_number(open_page, summary, wrong):
    report = open_page(summary)
    report.page.fill("#miss", wrong)
    assert report.page.locator("#bad-costs").is_visible()
    assert report.page.locator("#miss").get_attribute("aria-invalid") == "true"
    assert report.shown()["cost"] == (None, "—")
    assert report.page.locator("#cheapest").is_disabled()
    report.page.fill("#miss", "2")
    assert not report.page.locator("#bad-costs").is_visible()
    agrees(report, summary, summary["cut"]["index"], miss=2.0)


def test_a_button_goes_to_each_rules_best_cut_and_another_back(open_page, summary):
    report, chosen = open_page(summary), summary["cut"]["index"]
    buttons = report.page.locator("td.key button")
    assert buttons.count() == len(summary["rules"])
    for k, rule in enumerate(summary["rules"]):
        buttons.nth(k).click()
        assert report.place() == rule["index"]
        agrees(report, summary, rule["index"])
        which = "The chosen cut" if rule["index"] == chosen else "Another cut"
        assert report.page.locator("#which").inner_text() == which
    report.move(0)
    report.page.click("#back")
    assert report.place() == chosen
    assert not report.page.locator("#back").is_visible()
    assert report.page.evaluate("document.activeElement.id") == "slider"


def test_the_slider_obeys_the_keyboard_and_says_where_it_is(open_page, summary):
    report, chosen = open_page(summary), summary["cut"]["index"]
    slider = report.page.locator("#slider")
    slider.focus()
    last = len(summary["curve"]["threshold"]) - 1
    moves = [("ArrowRight", chosen + 1), ("ArrowLeft", chosen), ("ArrowUp", chosen + 1)]
    moves += [("ArrowDown", chosen), ("Home", 0), ("ArrowLeft", 0), ("End", last)]
    for key, place in moves:
        slider.press(key)
        assert report.place() == place
        agrees(report, summary, place)
    assert "1\u202f000 of 1\u202f000 rows, recall 100\u202f%" in slider.get_attribute(
        "aria-valuetext"
    )
    assert slider.evaluate("one => getComputedStyle(one).outlineStyle") == "solid"


def test_a_click_into_the_picture_goes_to_the_nearest_cut(open_page, summary):
    report = open_page(summary)
    report.page.locator("#curve").scroll_into_view_if_needed()
    box = report.page.locator("#curve").bounding_box()
    report.page.mouse.click(box["x"] + 0.8 * box["width"], box["y"] + 0.5 * box["height"])
    share = np.array(summary["curve"]["share"])
    assert share[report.place()] == pytest.approx(0.8, abs=0.006)
    mark = report.page.locator("#now-mark circle")
    assert float(mark.get_attribute("cx").rstrip("%")) == pytest.approx(100 * share[report.place()])


def test_no_impossible_precision_is_shown_at_any_threshold(open_page, summary):
    summary["class_prior"].update(estimate=0.9, lower=0.8, upper=1.0)
    report = open_page(summary)
    for index in range(0, len(summary["curve"]["share"]), 7):
        report.move(index)
        for name in ("precision", "precision_lower", "precision_upper", "f1"):
            for place in report.page.locator(f"[data-show={name}]").all():
                assert float(place.get_attribute("data-value") or 0) <= 1


def test_the_sentence_can_be_copied(open_page, summary):
    report = open_page(summary)
    report.move(5)
    threshold = summary["curve"]["threshold"][5]
    for name, start in (("sentence", "predict positive if score > "), ("command", "unlabeled ")):
        report.page.locator(f"button[data-copy={name}]").click()
        told = report.page.locator(".copied:not(:empty)")
        told.wait_for()
        text = report.page.locator(f"#{name}").inner_text()
        assert text.startswith(start)
        assert float(re.search(r"(?:>|--cut) (\S+)", text)[1]) == threshold
        if told.inner_text() == "Selected":
            assert report.page.evaluate("getSelection().toString()").strip() == text
        report.move(5)


def test_the_command_selects_the_rows_that_the_slider_says(open_page, summary, fit):
    model, X, _ = fit
    score, report = X @ model.coef_[0], open_page(summary)
    for index in range(0, len(summary["curve"]["threshold"]), 9):
        report.move(index)
        words = shlex.split(report.page.locator("#command").inner_text())
        assert words[:2] == ["unlabeled", "predict"]
        options = predict.make_context("predict", words[2:]).params
        assert (str(options["model"]), str(options["table"])) == ("fit", "new.csv")
        assert (score > float(options["cut"])).sum() == report.shown()["selected"][0]


@pytest.mark.parametrize("name", ["first", "all", "logarithmic"])
def test_the_reader_chooses_the_axis_and_marks_and_clicks_follow_it(open_page, summary, name):
    summary["class_prior"].update(estimate=0.01, lower=0.005, upper=0.02)
    summary["cut"]["index"] = 3
    report = open_page(summary)
    report.page.locator(f"input[name=scale][value={name}]").check()
    scale = next(one for one in scales(FitRecord.of(summary)) if one.name == name)
    for other in ("first", "all", "logarithmic"):
        assert report.page.locator(f"g.on.{other}").is_visible() == (other == name)
    share = np.array(summary["curve"]["share"])
    mark, beyond = report.page.locator("#now-mark"), report.page.locator("#now-beyond")
    for index in (0, 3, 60, len(share) - 1):
        report.move(index)
        outside = share[index] > scale.high
        assert (mark.get_attribute("visibility") == "hidden") == outside
        assert (beyond.get_attribute("visibility") == "visible") == outside
        if not outside:
            place = float(mark.locator("circle").get_attribute("cx").rstrip("%"))
            assert place == pytest.approx(100 * scale.place(share[index]))
    report.page.locator("#curve").scroll_into_view_if_needed()
    box = report.page.locator("#curve").bounding_box()
    report.page.mouse.click(box["x"] + 0.7 * box["width"], box["y"] + 0.5 * box["height"])
    wanted = scale.low * (scale.high / scale.low) ** 0.7 if scale.logarithmic else 0.7 * scale.high
    assert share[report.place()] == pytest.approx(wanted, abs=0.006)
    assert report.complaints == []


def test_a_curve_of_one_cut_and_a_fit_without_a_class_prior_work(open_page, summary):
    for name in ("threshold", "recall", "share", "selected", "selected_unlabeled", "posterior"):
        summary["curve"][name] = summary["curve"][name][-1:]
    summary["cut"]["index"], summary["rules"] = 0, []
    summary["class_prior"] = {"estimate": None, "lower": None, "upper": None, "given": False}
    report = open_page(summary)
    report.page.locator("#slider").press("End")
    shown = report.shown()
    assert shown["recall"][0] == 1
    assert {shown[name] for name in ("precision", "f1", "cost", "missed")} == {(None, "—")}
    assert report.page.locator("#cheapest").is_disabled()
    assert report.complaints == []
