"""A summary that no report can be made from gets a sentence that says why and what to do."""

from __future__ import annotations

import json

import pytest

from unlabeled.app.report import FORMAT, ReportError, make_report, read_summary
from unlabeled.app.table_model import FitRecord


@pytest.fixture
def written(tmp_path):
    """Return a function that writes a summary into a folder and returns the folder."""

    def write(summary):
        (tmp_path / "summary.json").write_text(json.dumps(summary), "utf-8")
        return tmp_path

    return write


def test_a_summary_is_read_from_its_folder_or_by_its_own_name(written, summary):
    folder = written(summary)
    known = FitRecord.of(summary)
    assert read_summary(folder) == read_summary(folder / "summary.json") == known
    assert known.dump().items() >= summary.items()


def test_a_missing_folder_and_a_folder_without_a_summary(tmp_path):
    with pytest.raises(ReportError, match=r"nowhere, which does not exist.*`unlabeled fit` first"):
        read_summary(tmp_path / "nowhere")
    with pytest.raises(ReportError, match=r"which has none.*`unlabeled fit` first"):
        read_summary(tmp_path)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "empty"),
        (b'{"format": 1, "made": {"com', "JSON"),
        (b"[" * 100_000, "JSON"),
        (b"\xff\xfe\x00", "UTF-8"),
        (b"[1, 2]", "format"),
        (b'{"name": "somebody else\'s"}', "format"),
        (b'{"format": "one"}', "format"),
        (b'{"format": 1}', "'table', 'label', 'class_prior', 'cut', 'curve'"),
    ],
)
def test_what_is_not_a_summary_is_rejected(tmp_path, content, words):
    (tmp_path / "summary.json").write_bytes(content)
    with pytest.raises(ReportError, match=f"`summary` must be .*{words}") as raised:
        read_summary(tmp_path)
    assert str(raised.value).endswith("Fit again with `unlabeled fit`.")


def test_a_summary_of_a_newer_version_asks_for_an_update(written, summary):
    summary["format"] = FORMAT + 1
    with pytest.raises(ReportError, match=f"format {FORMAT + 1}.* Update unlabeled"):
        read_summary(written(summary))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda one: one["curve"].pop("recall"), "curve that lacks"),
        (lambda one: one["curve"]["share"].pop(), "curve whose columns .* length"),
        (lambda one: one["curve"]["recall"].__setitem__(3, float("nan")), "curve .* finite"),
        (lambda one: one["curve"]["threshold"].__setitem__(0, None), "curve .* finite"),
        (lambda one: one["cut"].update(index=10_000), "cut that is not on its curve"),
        (lambda one: one["cut"].update(index=-1), "cut that is not on its curve"),
        (lambda one: one["rules"][0].pop("index"), "cut that is not on its curve"),
        (lambda one: one.update(made="today"), "object in 'made'"),
        (lambda one: one.update(findings=["bad"]), "list of objects in 'findings'"),
        (lambda one: one.update(rules={"f1": 3}), "list of objects in 'rules'"),
        (lambda one: one["coefficients"].update(rows=[1]), "objects in 'coefficients: rows'"),
        (lambda one: one["table"].pop("rows"), "count in 'table: rows'"),
        (lambda one: one["table"].update(rows=0), "count in 'table: rows'"),
        (lambda one: one["label"].update(labeled="many"), "count in 'label: labeled'"),
    ],
)
def test_a_summary_with_something_wrong_inside_is_rejected(written, summary, change, words):
    change(summary)
    with pytest.raises(ReportError, match=words):
        read_summary(written(summary))


@pytest.mark.parametrize(
    "part",
    "made columns remarks method label_frequency positives hidden_positives rules coefficients "
    "findings warnings comparison costs notes".split(),
)
def test_parts_that_may_be_missing_leave_a_page(written, summary, part):
    del summary[part]
    assert make_report(read_summary(written(summary))).endswith("</html>")
