"""A summary that no report can be made from gets a sentence that says why and what to do."""

from __future__ import annotations

import json

import pytest

from unlabeled.app.report import FORMAT, ReportError, make_report, read_summary


@pytest.fixture
def folder(tmp_path, summary):
    (tmp_path / "summary.json").write_text(json.dumps(summary), "utf-8")
    return tmp_path


def test_a_summary_is_read_from_its_folder_or_by_its_own_name(folder, summary):
    assert read_summary(folder) == read_summary(folder / "summary.json") == summary


def test_a_missing_folder_and_a_folder_without_a_summary(tmp_path):
    with pytest.raises(ReportError, match=r"which does not exist. Run `unlabeled fit` first."):
        read_summary(tmp_path / "nowhere")
    with pytest.raises(ReportError, match=r"which has none. Run `unlabeled fit` first."):
        read_summary(tmp_path)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b'{"format": 1, "made": {"com', "was cut off or changed"),
        (b"[" * 100_000, "was cut off or changed"),
        (b"\xff\xfe\x00", "is no text"),
        (b"[1, 2]", "is something else"),
        (b'{"name": "somebody else\'s"}', "is something else"),
        (b'{"format": "one"}', "is something else"),
        (b'{"format": 1}', "lacks 'table', 'label', 'class_prior', 'cut', 'curve'"),
    ],
)
def test_what_is_no_summary_is_refused(tmp_path, content, words):
    (tmp_path / "summary.json").write_bytes(content)
    with pytest.raises(ReportError, match=words) as raised:
        read_summary(tmp_path)
    assert str(raised.value).endswith("Fit again with `unlabeled fit`.")


def test_a_summary_of_a_newer_version_asks_for_an_update(summary):
    summary["format"] = FORMAT + 1
    with pytest.raises(ReportError, match="newer version of unlabeled wrote. Update unlabeled"):
        make_report(summary)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda one: one["curve"].pop("recall"), "without some of its columns"),
        (lambda one: one["curve"]["share"].pop(), "differ in length"),
        (lambda one: one["curve"]["recall"].__setitem__(3, float("nan")), "no finite number"),
        (lambda one: one["curve"]["threshold"].__setitem__(0, None), "no finite number"),
        (lambda one: one["cut"].update(index=10_000), "not on its curve"),
        (lambda one: one["cut"].update(index=-1), "not on its curve"),
        (lambda one: one["rules"][0].pop("index"), "not on its curve"),
        (lambda one: one.update(made="today"), "no record in made"),
        (lambda one: one.update(findings=["bad"]), "no list of records in findings"),
        (lambda one: one.update(rules={"f1": 3}), "no list of records in rules"),
        (lambda one: one["coefficients"].update(rows=[1]), "list of records in coefficients: rows"),
        (lambda one: one["table"].pop("rows"), "no count in table: rows"),
        (lambda one: one["table"].update(rows=0), "no count in table: rows"),
        (lambda one: one["label"].update(labelled="many"), "no count in label: labelled"),
    ],
)
def test_a_summary_with_something_wrong_inside_is_refused(summary, change, words):
    change(summary)
    with pytest.raises(ReportError, match=words):
        make_report(summary)


@pytest.mark.parametrize(
    "part",
    "made columns remarks method label_frequency positives hidden_positives rules coefficients "
    "findings warnings comparison costs notes".split(),
)
def test_parts_that_may_be_missing_leave_a_page(summary, part):
    del summary[part]
    assert make_report(summary).endswith("</html>")
