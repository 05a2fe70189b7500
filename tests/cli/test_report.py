"""`unlabeled report` as somebody with a fit runs it."""

from __future__ import annotations

import errno
import json
import os
import stat

import pytest

from tests.app.report.fitted_summary import fitted, summary_of
from unlabeled.app.report._rows import COLUMNS
from unlabeled.cli import _output

HEADER = ",".join(["patient", *COLUMNS]) + "\n"
SCORED = HEADER + "".join(
    f"P{k:03d},{k % 2},{-k},0.5,0.4,,,0,1,{k},{k},,,age high\n" for k in range(1, 121)
)


@pytest.fixture(scope="module")
def summary():
    return summary_of(*fitted(rows=400))


@pytest.fixture
def folder(tmp_path, summary):
    (tmp_path / "summary.json").write_text(json.dumps(summary), "utf-8")
    (tmp_path / "scored.csv").write_text(SCORED, "utf-8")
    return tmp_path


@pytest.fixture(scope="module")
def report(run):
    return lambda *words: run("report", *words)


def test_it_writes_the_report_beside_the_summary_and_shows_no_row(report, folder):
    result = report(folder)
    assert result.exit_code == 0, result.output
    assert str(folder / "report.html") in result.stdout
    page = (folder / "report.html").read_text("utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert "P002" not in page
    assert sorted(os.listdir(folder)) == ["report.html", "scored.csv", "summary.json"]


def test_rows_are_shown_when_asked_for_at_most_so_many(report, folder):
    assert report(folder, "--include-rows").exit_code == 0
    page = (folder / "report.html").read_text("utf-8")
    assert ">P100<" in page
    assert ">P102<" not in page
    assert ">P001<" not in page
    out = folder / "three.html"
    assert report(folder, "--include-rows", "--rows", 3, "--out", out, "--quiet").stdout == ""
    page = out.read_text("utf-8")
    assert ">P006<" in page
    assert ">P008<" not in page


def test_no_row_file_is_needed_when_no_rows_are_asked_for(report, folder):
    (folder / "scored.csv").unlink()
    assert report(folder).exit_code == 0
    result = report(folder, "--include-rows")
    assert result.exit_code == 2
    assert "DIR/scored.csv must be" in result.stderr


def test_a_number_of_rows_without_rows_is_refused(report, folder):
    result = report(folder, "--rows", 5)
    assert result.exit_code == 2
    assert "`--rows` must go with `--include-rows`; got 5" in result.stderr


def test_a_folder_without_a_fit_gets_a_sentence(report, tmp_path):
    result = report(tmp_path)
    assert result.exit_code == 2
    assert "Error: DIR must be a folder" in result.stderr
    assert os.listdir(tmp_path) == []


def test_a_newer_summary_gets_a_sentence(report, folder, summary):
    (folder / "summary.json").write_text(json.dumps(summary | {"format": 99}), "utf-8")
    result = report(folder)
    assert result.exit_code == 2
    assert "Error: DIR/summary.json must have format 1 or older; got format 99" in result.stderr


def test_a_place_that_cannot_be_written_gets_a_sentence(report, folder):
    (folder / "file").write_text("")
    result = report(folder, "--out", folder / "file" / "report.html")
    assert result.exit_code == 3
    assert "`--out` must be in a folder that exists and can be written" in result.stderr


def test_only_an_html_file_is_written_and_one_of_others_needs_force(report, folder):
    for name, code, said in (("t.csv", 2, "must end in .html; got"), ("m.html", 3, "`--force`")):
        (folder / name).write_text("mine")
        result = report(folder, "--out", folder / name)
        assert (result.exit_code, said in result.stderr) == (code, True)
        assert (folder / name).read_text() == "mine"
    assert report(folder, "--out", folder / "m.html", "--force").exit_code == 0
    for _ in range(2):  # its own report is made again without
        assert report(folder, "--out", folder / ".." / folder.name / "report.html").exit_code == 0


@pytest.mark.parametrize("named", [".", "./", "../{}", "..", "summary.json"])
def test_the_fit_may_be_the_folder_one_is_in(report, folder, monkeypatch, named):
    (folder / "below").mkdir()
    monkeypatch.chdir(folder / "below" if named == ".." else folder)
    assert report(named.format(folder.name)).exit_code == 0
    assert sorted(os.listdir(folder)) == ["below", "report.html", "scored.csv", "summary.json"]
    assert f".{folder.name}.lock" not in os.listdir(folder.parent)


def test_the_commands_of_a_report_name_the_folder_as_it_is_called_now(report, folder, monkeypatch):
    (folder / "moved").mkdir()
    (folder / "summary.json").rename(folder / "moved" / "summary.json")
    monkeypatch.chdir(folder)
    for named, shown in (("moved", "moved"), ("moved/.", "moved"), ("moved/..", str(folder))):
        if named == "moved/..":
            (folder / "moved" / "summary.json").rename(folder / "summary.json")
        assert report(named, "--out", "now.html", "--force").exit_code == 0
        page = (folder / "now.html").read_text("utf-8")
        assert f"unlabeled predict {shown} new.csv" in page
        assert f"unlabeled audit {shown} --table" in page


@pytest.mark.parametrize("named", ["nowhere", "nowhere/summary.json", "summary.json"])
def test_a_folder_that_does_not_exist_gets_a_sentence(report, tmp_path, monkeypatch, named):
    monkeypatch.chdir(tmp_path)
    result = report(named)
    assert result.exit_code == 2
    assert (
        f"DIR must be a folder that `unlabeled fit` wrote, with a summary.json; got {named}, "
        in (result.stderr)
    )
    assert os.listdir(tmp_path) == []


def test_a_report_that_cannot_be_finished_leaves_the_old_one(report, folder, monkeypatch):
    (folder / "report.html").write_text("the old one")

    def stopped(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", stopped)
    result = report(folder)
    assert result.exit_code == 130
    assert "Stopped; nothing was written." in result.stderr
    assert (folder / "report.html").read_text() == "the old one"
    assert sorted(os.listdir(folder)) == ["report.html", "scored.csv", "summary.json"]


def test_a_fit_that_cannot_be_written_can_be_reported_elsewhere(
    report, folder, tmp_path_factory, monkeypatch
):
    def read_only(*_):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(_output, "only_writer", read_only)
    out = tmp_path_factory.mktemp("mine") / "report.html"
    assert report(folder, "--out", out).exit_code == 0
    assert out.exists()
    result = report(folder)
    assert result.exit_code == 3
    assert "could not be written (Read-only file system)" in result.stderr


def test_the_report_has_the_rights_of_any_new_file(report, folder):
    (folder / "other").write_text("")
    report(folder)
    rights = [stat.S_IMODE((folder / name).stat().st_mode) for name in ("other", "report.html")]
    assert rights[0] == rights[1]
