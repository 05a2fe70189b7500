"""The numbers at a cut: true of rows whose class is known, and all in the page."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from tests.app.report.fitted_summary import fitted, patients, summary_of
from tests.app.report.page_reader import read_page, section
from unlabeled import rates
from unlabeled.app.report import make_report
from unlabeled.app.report._cut import numbers_at, scales
from unlabeled.app.report._text import FORMATS, SPACE, plain
from unlabeled.app.table_model import FitRecord


def test_recall_and_precision_are_near_the_truth_also_among_unlabeled_rows():
    model, X, s = fitted(rows=20_000)
    _, _, y_true = patients(rows=20_000)
    summary = summary_of(model, X, s)
    summary["class_prior"]["estimate"] = y_true.mean()
    now = numbers_at(FitRecord.of(summary), summary["cut"]["index"])
    selected = X @ model.coef_[0] > now["threshold"]
    assert now["selected"] == selected.sum()
    assert now["recall"] == pytest.approx(selected[y_true == 1].mean(), abs=0.02)
    assert now["precision"] == pytest.approx(y_true[selected].mean(), abs=0.02)
    unlabeled = selected & (s == 0)
    assert now["selected_unlabeled"] == unlabeled.sum()
    assert now["precision_unlabeled"] == pytest.approx(y_true[unlabeled].mean(), abs=0.02)
    assert now["precision_unlabeled"] < now["precision"] - 0.1
    missed = ((y_true == 1) & ~selected).sum()
    false_alarms = ((y_true == 0) & selected).sum()
    assert now["missed"] == pytest.approx(missed, rel=0.05)
    assert now["false_alarms"] == pytest.approx(false_alarms, rel=0.05)


def test_a_cut_that_selects_nothing_has_no_precision_among_unlabeled_rows(summary):
    for name in ("recall", "share", "selected", "selected_unlabeled"):
        summary["curve"][name][0] = 0
    now = numbers_at(FitRecord.of(summary), 0)
    assert now["precision_unlabeled"] is None
    assert (now["precision"], now["f1"]) == (0, 0)


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
        "selected_unlabeled": cut["selected_unlabeled"],
        "threshold": cut["threshold"],
        "cost": float(rates.cost(cut["recall"], cut["share"], prior)),
    }
    for name, value in values.items():
        assert float(shown[name].attributes["data-value"]) == pytest.approx(value, abs=1e-12)
    assert page.one(id="sentence").text == f"predict positive if score > {plain(cut['threshold'])}"


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


def test_no_impossible_precision_is_shown(summary):
    summary["class_prior"].update(estimate=0.99, lower=0.98, upper=1.0)
    page = read_page(make_report(summary))
    for name in ("precision", "precision_upper", "precision_unlabeled", "f1"):
        shown = page.one(data_show=name).attributes["data-value"]
        assert float(shown) <= 1


def test_precision_has_ends_by_the_class_prior_and_the_error_of_the_recall(summary):
    summary["class_prior"].update(estimate=0.25, lower=0.2, upper=0.3)
    now = numbers_at(FitRecord.of(summary), summary["cut"]["index"])
    recall, share, labeled = now["recall"], now["share"], summary["label"]["labeled"]
    value = 0.25 * recall / share
    of_recall = 1.959964**2 * (1 - recall) / (recall * labeled)
    lower = value * np.exp(-np.sqrt(of_recall + np.log(0.25 / 0.2) ** 2))
    upper = value * np.exp(np.sqrt(of_recall + np.log(0.3 / 0.25) ** 2))
    assert now["precision_lower"] == pytest.approx(max(lower, now["labeled_share"]), rel=1e-6)
    assert now["precision_upper"] == pytest.approx(min(upper, 1.0), rel=1e-6)


def percent(value):
    """A share as the reader of pages returns it."""
    return FORMATS["percent"](value).replace(SPACE, " ")


def test_where_labels_do_not_tell_the_count_no_single_number_that_needs_it_is_shown(summary):
    known = numbers_at(FitRecord.of(summary), summary["cut"]["index"])
    summary["class_prior"]["identified"] = "not at all"
    now = numbers_at(FitRecord.of(summary), summary["cut"]["index"])
    for name in ("precision", "precision_unlabeled", "f1", "posterior", "cost", "missed"):
        assert known[name] is not None
        assert now[name] is None
    for name in ("precision_lower", "precision_upper", "recall"):
        assert now[name] == known[name]
    page = read_page(make_report(summary))
    ends = [percent(now[f"precision_{end}"]) for end in ("lower", "upper")]
    tiles = page.all("dl")[0].text
    assert f"Precision{' to '.join(ends)}" in tiles
    assert "F1" not in tiles
    assert "Posterior" not in tiles
    assert "By the model" not in section(page, "cut").text
    assert "hidden" in page.one("fieldset", **{"class": "costs"}).attributes
    for table in section(page, "cut").all("table"):
        cells = table.all("tr", **{"class": "own"})[0].text
        assert " to ".join(ends) in cells
        assert percent(known["precision"]) not in cells


def test_with_fewer_than_a_hundred_labeled_rows_recall_is_wilsons_interval(summary):
    index = summary["cut"]["index"]
    assert numbers_at(FitRecord.of(summary), index)["recall_lower"] is None
    summary["label"]["labeled"], summary["curve"]["recall"][index] = 12, 11 / 12
    found = stats.binomtest(11, 12).proportion_ci(0.95, method="wilson")
    now = numbers_at(FitRecord.of(summary), index)
    assert (now["recall_lower"], now["recall_upper"]) == pytest.approx((found.low, found.high))
    page = read_page(make_report(summary))
    said = f"Recall{percent(found.low)} to {percent(found.high)}"
    assert said in page.all("dl")[0].text
    summary["label"]["labeled"] = 150
    assert numbers_at(FitRecord.of(summary), index)["recall_lower"] is None
    summary["groups"] = {"sentence": "Folds kept groups together.", "design_effect": 10.0}
    assert numbers_at(FitRecord.of(summary), index)["recall_lower"] < found.low + 0.1


def test_labeled_rows_that_are_selected_are_a_lower_end_of_precision(summary):
    summary["class_prior"].update(estimate=0.25, lower=0.001, upper=0.26)
    now = numbers_at(FitRecord.of(summary), summary["cut"]["index"])
    selected = summary["cut"]["selected"]
    labeled = selected - summary["cut"]["selected_unlabeled"]
    assert now["precision_lower"] == labeled / selected


def test_a_curve_of_one_cut_and_no_rules_makes_a_page(summary):
    for name in ("threshold", "recall", "share", "selected", "selected_unlabeled", "posterior"):
        summary["curve"][name] = summary["curve"][name][-1:]
    summary["cut"]["index"], summary["rules"] = 0, []
    page = read_page(make_report(summary))
    assert page.one("input", id="slider").attributes["max"] == "0"
    assert len(section(page, "cut").all("table")) == 1


def test_the_command_for_new_rows_has_the_folder_and_the_whole_threshold(summary):
    page = read_page(make_report(summary))
    threshold = plain(summary["cut"]["threshold"])
    expected = f"unlabeled predict fit new.csv --cut {threshold} --out new-scored.csv"
    assert page.one(id="command").text == expected
    summary["made"]["command"] = "unlabeled fit t.csv --label y --out 'my fits/x; rm'"
    command = read_page(make_report(summary)).one(id="command").text
    assert command.startswith("unlabeled predict 'my fits/x; rm' new.csv --cut ")


def rare(summary, prior):
    """The same fit with fewer positives, and a chosen cut that selects few rows."""
    summary["class_prior"].update(estimate=prior, lower=prior / 2, upper=2 * prior)
    summary["cut"]["index"] = 3
    return summary


@pytest.mark.parametrize(
    ("prior", "opens", "names"),
    [
        (0.30, "all", ["all", "logarithmic"]),
        (0.06, "all", ["first", "all", "logarithmic"]),
        (0.01, "first", ["first", "all", "logarithmic"]),
    ],
)
def test_the_page_opens_with_the_first_rows_if_positives_are_rare(summary, prior, opens, names):
    page = read_page(make_report(rare(summary, prior)))
    assert page.one(id="frame").attributes["data-scale"] == opens
    choices = page.all("input", name="scale")
    assert [one.attributes["value"] for one in choices] == names
    (checked,) = [one.attributes["value"] for one in choices if "checked" in one.attributes]
    assert checked == opens


def points(picture, name):
    text = picture.one(**{"class": name}).attributes["points"]
    return np.array([one.split(",") for one in text.split()], float) / 1000


@pytest.mark.parametrize("k", range(3))
def test_every_axis_shows_the_same_curve_and_uses_its_width(summary, k):
    page, scale = read_page(make_report(rare(summary, 0.01))), scales(FitRecord.of(summary))[k]
    picture = page.one("g", **{"class": f"on {scale.name}"})
    share = np.array([0.0, *summary["curve"]["share"]])
    recall = np.array([0.0, *summary["curve"]["recall"]])
    x, y = points(picture, "score-curve").T
    assert (x[0], x[-1]) == (0, 1)
    back = scale.low * (scale.high / scale.low) ** x if scale.logarithmic else x * scale.high
    np.testing.assert_allclose(1 - y, np.interp(back, share, recall), atol=0.01)
    # A perfect classifier finds every positive first; half of them with half as many rows.
    x, y = points(picture, "perfect").T
    back = scale.low * (scale.high / scale.low) ** x if scale.logarithmic else x * scale.high
    np.testing.assert_allclose(1 - y, np.minimum(1, back / 0.01), atol=0.01)
    marks = picture.all("circle", **{"class": "rule-mark"})
    assert all(0 <= float(one.attributes["cx"].rstrip("%")) <= 100 for one in marks)
    beyond = [one.text for one in picture.all("text") if "further right" in one.text]
    assert len(marks) + len("".join(beyond).partition(" further")[0].split()) == len(
        summary["rules"]
    )
    ticks = picture.all("text", **{"class": "tick"})
    for tick in ticks:
        place = float(tick.attributes["x"].rstrip("%")) / 100
        assert scale.place(float(tick.text) / 100) == pytest.approx(place, abs=1e-4)
    assert len(ticks) >= 4
