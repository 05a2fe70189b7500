"""Commands go on with the folders of 0.2.0: scores, reports, exports, draws, answers."""

from __future__ import annotations

import csv
import json
import shutil

import numpy as np
import pytest
from click.testing import CliRunner

from unlabeled.cli import main

FITS = ["line", "groups", "two_files", "by_region"]
MEASURES = ["count", "class_prior", "precision", "recall", "f1"]


@pytest.fixture
def folder(files, tmp_path):
    """Return a copy of a folder of a fit, which commands may change."""
    return lambda name: shutil.copytree(files / "fits" / name, tmp_path / name)


def run(*words):
    done = CliRunner().invoke(main, [str(word) for word in words])
    assert done.exit_code == 0, done.output
    return done.stdout


# The line of an audited posterior is fitted anew, by another solver than that of 0.2.0.
REFITTED = 1e-6


def close(actual, expected, tolerance=1e-10):
    np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance)


def predicted(folder, files, *words):
    out = folder / "out.csv"
    run("predict", folder, files / "tables" / "new.csv", *words, "--out", out, "--force")
    with out.open(encoding="utf-8", newline="") as file:
        found = list(csv.DictReader(file))
    return [[float(one[name]) for name in ("score", "posterior", "decision")] for one in found]


@pytest.mark.parametrize("fit", FITS)
def test_new_rows_get_the_same_scores_by_the_cut_and_by_another_rule(fit, folder, files, said):
    of_020, there = said["fits"][fit], folder(fit)
    close(predicted(there, files), of_020["by the fit"])
    by_rule = predicted(there, files, "--rule", "recall_at_least(0.9)")
    close(by_rule, of_020["by a rule"])


@pytest.mark.parametrize("fit", [*FITS, "line_half"])
def test_the_report_is_written_from_the_summary(fit, folder):
    there = folder(fit)
    run("report", there, "--include-rows")
    page = (there / "report.html").read_text("utf-8")
    count = json.loads((there / "summary.json").read_text())["positives"]["estimate"]
    assert f"{count:.0f}" in page


def test_models_without_dates_and_text_are_exported(folder):
    for fit in ("line", "two_files"):
        there = folder(fit)
        run("export", there, "--out", there / "model.onnx")
        assert (there / "model.onnx").stat().st_size > 1000


@pytest.mark.parametrize(("fit", "table"), [("line", "people.csv"), ("groups", "visits.csv")])
def test_the_same_seed_draws_the_same_rows(fit, table, folder, files, said):
    there = folder(fit)
    of_table = ("--table", files / "tables" / table)
    run("audit", there, *of_table, "--rows", 60, "--seed", 1, "--out", there / "check")
    design = json.loads((there / "check" / "audit.json").read_text())["audit"]
    assert design["rows"] == said["fits"][fit]["drawn"]["rows"]
    close(design["score"], said["fits"][fit]["drawn"]["score"])


def assert_agrees(result, of_020):
    assert result["checked"] == of_020["checked"]
    for name in MEASURES:
        for end in ("estimate", "lower", "upper"):
            close(result[name][end], of_020[name][end])
    close(result["cut"]["threshold"], of_020["cut"]["threshold"])
    close(result["cut"]["posterior_line"], of_020["cut"]["posterior_line"], REFITTED)


def test_answers_to_rows_that_were_drawn_are_read_and_the_rest_is_added(folder, files, said):
    there, of_020 = folder("line_drawn"), said["fits"]["line"]
    half, all_of_them = (files / "checks" / name for name in ("half.csv", "all.csv"))
    assert_agrees(json.loads(run("audit", there, "--answers", half, "--json")), of_020["half"])
    by_half = predicted(there, files, "--cut", "audited")
    close(by_half, of_020["by half of the answers"], REFITTED)
    result = json.loads(run("audit", there, "--answers", all_of_them, "--json"))
    assert_agrees(result, of_020["all"])


def test_an_audit_with_half_of_its_answers_goes_on(folder, files, said):
    there, of_020 = folder("line_half"), said["fits"]["line"]
    close(predicted(there, files, "--cut", "audited"), of_020["by half of the answers"])
    result = json.loads(run("audit", there, "--answers", files / "checks" / "all.csv", "--json"))
    assert_agrees(result, of_020["all"])
    by_all = predicted(there, files, "--cut", "audited")
    close(by_all, of_020["by all answers"], REFITTED)


def test_a_check_folder_is_enough_if_the_fit_has_lost_its_copy(folder, files, said, tmp_path):
    there = folder("line")
    check = shutil.copytree(files / "checks" / "line", tmp_path / "check")
    shutil.copy(files / "checks" / "all.csv", check / "answers.csv")
    result = json.loads(run("audit", there, "--answers", check, "--json"))
    assert_agrees(result, said["fits"]["line"]["all"])


def test_an_audit_chooses_its_cut_by_another_rule(folder, files):
    there = folder("line_half")
    answers = ("--answers", files / "checks" / "all.csv")
    result = json.loads(run("audit", there, *answers, "--rule", "recall_at_least(0.9)", "--json"))
    assert result["cut"]["rule"] == "recall_at_least(0.9)"
    assert result["cut"]["recall"]["estimate"] > 0.85
