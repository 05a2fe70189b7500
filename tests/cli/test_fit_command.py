"""`unlabeled fit` as somebody with a table runs it."""

from __future__ import annotations

import errno
import json
import os
import resource
import subprocess
import sys
import time
from itertools import count
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from pyarrow import csv
from scipy.special import logit

from unlabeled import NaiveLogistic
from unlabeled.cli import _fit_files, _output
from unlabeled.cli._methods import METHODS
from unlabeled.metrics import f1_pu_score
from unlabeled.model_files import load_model
from unlabeled.objective import Objective
from unlabeled.tables import prepare, read_table

from .conftest import FIT, QUICK

FILES = ["model.json", "model.skops", "report.html", "scored.csv", "summary.json"]


@pytest.fixture(scope="module")
def summary(fitted):
    return json.loads((fitted / "summary.json").read_text())


@pytest.fixture(scope="module")
def scored(fitted):
    # Not with pandas: its older versions do not read numbers to the last digit.
    return csv.read_csv(fitted / "scored.csv").to_pandas()


def test_it_writes_the_five_files_and_nothing_else(fitted):
    assert sorted(path.name for path in fitted.iterdir()) == FILES
    assert [path.name for path in fitted.parent.iterdir()] == ["ward"]


def test_every_row_is_scored_in_the_order_of_the_table(scored, patients):
    assert scored.columns.tolist() == [
        "patient",
        "labelled",
        "score",
        "posterior",
        "decision",
        "rank",
    ]
    assert scored["patient"].tolist() == patients["patient"].tolist()
    assert scored["labelled"].tolist() == (patients["diagnosis"] == "yes").astype(int).tolist()
    assert scored["posterior"].between(0, 1).all()
    order = scored.sort_values("score", ascending=False)
    assert order["rank"].tolist() == list(range(1, len(scored) + 1))
    assert order["posterior"].is_monotonic_decreasing


def test_decisions_are_scores_above_the_threshold_of_card_and_summary(fitted, scored, summary):
    card = json.loads((fitted / "model.json").read_text())
    assert card["threshold"] == summary["cut"]["threshold"]
    assert (scored["decision"] == (scored["score"] > card["threshold"])).all()
    assert summary["cut"]["selected"] == scored["decision"].sum()
    unlabelled = scored[scored["labelled"] == 0]
    assert summary["cut"]["selected_unlabelled"] == unlabelled["decision"].sum()


def X_of(table):
    read = read_table(table, as_text=["ward"])
    return prepare(read, "diagnosis", id="patient", drop=["treatment_date"], as_text=["ward"]).X


def test_the_saved_model_is_the_one_that_scored(fitted, scored, table):
    pipeline, card = load_model(fitted)
    X = X_of(table)
    np.testing.assert_array_equal(pipeline.predict(X), scored["decision"])
    np.testing.assert_array_equal(pipeline.predict_proba(X)[:, 1], scored["posterior"])
    assert card.fingerprint["rows"] == len(X)


def test_the_curve_holds_what_the_scored_table_would_decide(scored, summary):
    curve, n = summary["curve"], len(scored)
    for k in np.linspace(0, len(curve["threshold"]) - 1, 25).astype(int):
        above = scored["score"] > curve["threshold"][k]
        assert curve["selected"][k] == above.sum()
        assert curve["selected_unlabelled"][k] == (above & (scored["labelled"] == 0)).sum()
    assert curve["selected"][-1] == n
    assert curve["share"][-1] == curve["recall"][-1] == 1
    for name in ("share", "recall", "selected"):
        assert np.all(np.diff(curve[name]) >= 0)
    assert np.all(np.diff(curve["threshold"]) < 0)
    assert curve["honest"] is True


def test_counts_follow_from_the_class_prior_and_its_interval(summary, patients):
    n, labelled = len(patients), int((patients["diagnosis"] == "yes").sum())
    for end in ("estimate", "lower", "upper"):
        prior = summary["class_prior"][end]
        assert summary["positives"][end] == pytest.approx(max(labelled, prior * n))
        assert summary["hidden_positives"][end] == pytest.approx(max(0, prior * n - labelled))
    assert summary["class_prior"]["lower"] < summary["class_prior"]["estimate"]
    assert summary["class_prior"]["estimate"] < summary["class_prior"]["upper"]


def test_coefficients_are_changes_of_the_log_odds_the_strongest_first(fitted, summary, table):
    pipeline, _ = load_model(fitted)
    names, model = pipeline[0].get_feature_names_out(), pipeline[-1]
    rows = summary["coefficients"]["rows"]
    coef = {row["feature"]: row["coef"] for row in rows}
    ratio = [coef[name] / one for name, one in zip(names, model.coef_[0], strict=True)]
    np.testing.assert_allclose(ratio, ratio[0], rtol=1e-12)  # the slope of the posterior
    numbers = pipeline[0].transform(X_of(table))
    log_odds = logit(model.predict_proba(numbers)[:2, 1])
    change = (numbers[1] - numbers[0]) @ [coef[name] for name in names]
    assert log_odds[1] - log_odds[0] == pytest.approx(change)
    assert all(row["lower"] < row["coef"] < row["upper"] for row in rows)
    effects = [abs(row["effect"]) for row in rows]
    assert effects == sorted(effects, reverse=True)
    assert {"age", "bmi"} < {row["feature"] for row in rows[:4]}


def test_the_summary_says_how_it_was_made_and_what_was_left_out(summary, table):
    command = summary["made"]["command"]
    assert command.startswith(f"unlabeled fit {table} --label diagnosis --id patient --drop")
    assert command.endswith("--as-text ward --out " + command.split("--out ")[1])
    assert "--no-checks --no-compare" in command
    assert "--seed" not in command
    assert summary["columns"]["not_used"] == {
        "treatment_date": "as asked",
        "patient": "it names the rows",
    }
    assert summary["table"]["bytes"] == table.stat().st_size
    assert summary["notes"]["checks"] == "not made: --no-checks"


def test_the_report_is_about_no_single_row_unless_asked(fitted, table, run, tmp_path):
    assert "P0001" not in (fitted / "report.html").read_text()
    out = tmp_path / "fit"
    result = run("fit", table, *FIT, "--as-text", "ward", "--out", out, *QUICK, "--include-rows")
    assert result.exit_code == 0
    first = pd.read_csv(out / "scored.csv").query("labelled == 0").nsmallest(1, "rank")
    assert first["patient"].item() in (out / "report.html").read_text()


def test_checks_and_comparison_are_in_the_summary_and_the_leak_is_told(run, patients, tmp_path):
    path, out = tmp_path / "t.csv", tmp_path / "fit"
    patients.drop(columns=["notes", "seen", "visit"]).to_csv(path, index=False)
    result = run("fit", path, "--label", "diagnosis", "--id", "patient", "--out", out)
    assert result.exit_code == 0, result.stderr
    assert "Serious (PU204): Of" in result.stdout
    assert "'treatment_date' present" in result.stdout
    found = json.loads((out / "summary.json").read_text())
    assert {one["check"] for one in found["findings"]} > {"leakage", "scar", "duplicates"}
    assert found["comparison"]["methods"][0]["name"] == "pu-logistic"
    assert "treatment_date" in (out / "report.html").read_text()


def test_what_counted_is_printed_before_the_answer(run, table, tmp_path):
    result = run("fit", table, *FIT, "--as-text", "ward", "--out", tmp_path / "fit", *QUICK)
    lines = result.stdout.splitlines()
    assert lines[0].startswith("129 of 600 rows are labelled: `diagnosis` is 'yes'; the other")
    assert lines[2].startswith("About ")
    assert "rows are positive (95% interval: " in lines[2]
    assert "rows are selected" in lines[3]


def test_quiet_says_nothing_and_json_only_the_summary(run, table, tmp_path):
    words = ("fit", table, *FIT, "--as-text", "ward", *QUICK)
    quiet = run(*words, "--quiet", "--out", tmp_path / "a")
    assert (quiet.stdout, quiet.stderr) == ("", "")
    said = run(*words, "--json", "--out", tmp_path / "b")
    assert json.loads(said.stdout) == json.loads((tmp_path / "b" / "summary.json").read_text())


@pytest.mark.parametrize(
    ("options", "kind", "cut"),
    [
        (("--rule", "recall_at_least(0.9)"), "PULogistic", "where recall_at_least(0.9) is best"),
        (("--method", "enhanced"), "EnhancedLogistic", "where F1_PU is largest, on the scores of"),
        (("--method", "joint"), "JointLogistic", "where the fitted probability is 1/2"),
        (("--method", "naive", "--rule", "f1"), "PUThresholdClassifier", "where f1 is best"),
        (("--method", "weighted-en"), "WeightedLogistic", "where the fitted probability is 1/2"),
        (("--class-prior", "0.45"), "PULogistic", "where f1 is best"),
    ],
)
def test_every_method_and_rule_gives_a_decision(run, table, tmp_path, options, kind, cut):
    out = tmp_path / "fit"
    keep = ("--drop", "notes", "--drop", "seen", "--as-text", "ward")
    result = run("fit", table, *FIT, *keep, "--out", out, *QUICK, *options)
    assert result.exit_code == 0, result.stderr
    found = json.loads((out / "summary.json").read_text())
    assert found["method"]["class"] == kind
    assert found["method"]["cut"].startswith(cut)
    scored = pd.read_csv(out / "scored.csv")
    assert (scored["decision"] == (scored["score"] > found["cut"]["threshold"])).all()
    k, curve = found["cut"]["index"], found["curve"]
    assert curve["selected"][k] == scored["decision"].sum()
    if not curve["honest"]:
        ours = f1_pu_score(scored["labelled"], scored["decision"], positive_label=1)
        assert found["cut"]["f1_pu"] == pytest.approx(ours)
    if "0.45" in options:
        assert found["class_prior"] == {
            "estimate": 0.45,
            "lower": None,
            "upper": None,
            "level": None,
            "method": None,
            "given": True,
        }
        assert "as the class prior that was given, 0.45, says" in result.stdout
    if "recall_at_least(0.9)" in options:
        assert found["cut"]["recall"] >= 0.9


def test_the_forest_is_refused_with_the_reason_and_what_to_use(run, table, tmp_path):
    result = run("fit", table, *FIT, "--method", "forest", "--out", tmp_path / "out")
    assert result.exit_code == 2
    said = " ".join(result.stderr.split())
    for words in ("only compared", "no coefficients", "holds no trees", "Use 'pu-logistic' here"):
        assert words in said
    assert not (tmp_path / "out").exists()


def test_any_other_unknown_method_is_refused_with_the_names(run, table, tmp_path):
    result = run("fit", table, *FIT, "--method", "tree", "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert "'tree' is not one of 'pu-logistic', 'enhanced'" in " ".join(result.stderr.split())


def test_costs_of_a_rule_are_where_the_report_begins(run, table, tmp_path):
    words = (*FIT, "--as-text", "ward", "--out", tmp_path / "fit", *QUICK)
    assert run("fit", table, *words, "--rule", "cost(5, 1)").exit_code == 0
    found = json.loads((tmp_path / "fit" / "summary.json").read_text())
    assert found["costs"] == {"miss": 5.0, "false_alarm": 1.0}


@pytest.mark.parametrize("name", ["score", "rank", "labelled"])
def test_an_id_column_named_like_one_of_ours_is_called_id(run, patients, tmp_path, name):
    path = tmp_path / "t.csv"
    patients[["patient", "age", "bmi", "diagnosis"]].rename(columns={"patient": name}).to_csv(
        path, index=False
    )
    out = tmp_path / "fit"
    assert (
        run("fit", path, "--label", "diagnosis", "--id", name, "--out", out, *QUICK).exit_code == 0
    )
    scored = pd.read_csv(out / "scored.csv")
    assert scored.columns[0] == "id"
    assert scored["id"].tolist() == patients["patient"].tolist()


LABEL = ("--label", "diagnosis")


@pytest.mark.parametrize(
    ("text", "options", "sentence"),
    [
        ("", LABEL, "TABLE must be a table; got"),
        ("diagnosis\nyes\n", LABEL, "TABLE must have a label column and at least one more"),
        ("age,diagnosi\n1,yes\n", LABEL, "got 'diagnosis'. Did you mean 'diagnosi'?"),
        ("age,diagnosis\n1,yes\n2,yes\n", LABEL, "which is 'yes' in all 2 rows"),
        ("age,diagnosis\n1,a\n2,b\n3,c\n", LABEL, "Say by `--positive` which value marks"),
        ("age,age,diagnosis\n1,2,yes\n", LABEL, "got 'age' more than once"),
        (
            "age,diagnosis\n1,yes\n2,\n3,yes\nold,\n",
            LABEL,
            "got 'age' with 3 numbers and 1 cell that is none ('old'). Leave those cells blank, "
            "or name the column in `--as-text`, or in `--drop`.",
        ),
        (b"age,diagnosis\n1,\xff\n", LABEL, "which is not from byte 16 on"),
        ("age,diagnosis\n1,yes\n2,\n", (*LABEL, "--rule", "best"), "`--rule` must be one of"),
        ("age,diagnosis\n1,yes\n2,\n", (*LABEL, "--as-text", "ag"), "`--as-text` must be a column"),
    ],
)
def test_bad_input_gets_a_sentence_exit_code_2_and_no_folder(
    run, tmp_path, text, options, sentence
):
    path = tmp_path / "t.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    result = run("fit", path, *options, "--out", tmp_path / "fit")
    assert result.exit_code == 2, result.stderr
    assert sentence in " ".join(result.stderr.split())
    assert [one.name for one in tmp_path.iterdir()] == ["t.csv"]


def test_a_line_of_two_gigabytes_is_refused_without_being_read(run, tmp_path):
    path = tmp_path / "t.csv"
    with path.open("wb") as file:
        file.write(b"age,diagnosis\n1,yes\n")
        file.truncate(2**31)  # no bytes are written
    start = time.perf_counter()
    result = run("fit", path, *LABEL, "--out", tmp_path / "fit")
    assert result.exit_code == 2
    assert "TABLE must have lines of at most 10 MB; got t.csv with a longer line" in result.stderr
    assert time.perf_counter() - start < 60


def test_files_that_are_not_there_or_cut_short_get_exit_code_2(run, patients, tmp_path):
    result = run("fit", tmp_path / "t.csv", *LABEL, "--out", tmp_path / "fit")
    assert (result.exit_code, "which is not there" in result.stderr) == (2, True)
    path = tmp_path / "t.parquet"
    patients.to_parquet(path)
    path.write_bytes(path.read_bytes()[:-100])
    result = run("fit", path, *LABEL, "--out", tmp_path / "fit")
    assert (result.exit_code, "cut short" in result.stderr) == (2, True)


def test_a_folder_with_other_files_is_left_alone_even_with_force(run, table, tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    for force in ((), ("--force",)):
        result = run("fit", table, *LABEL, "--out", tmp_path, *force)
        assert result.exit_code == 3
        assert "which has other files in it ('mine.txt'). Name another one." in result.stderr
    assert (tmp_path / "mine.txt").read_text() == "mine"


def test_an_earlier_fit_is_replaced_only_with_force(run, table, tmp_path):
    out = tmp_path / "fit"
    words = ("fit", table, *FIT, "--as-text", "ward", "--out", out, *QUICK)
    assert run(*words).exit_code == 0
    (out / "scored.csv").write_text("old")
    refused = run(*words)
    assert refused.exit_code == 3
    assert "which holds an earlier fit. Name another one, or say `--force`" in refused.stderr
    assert (out / "scored.csv").read_text() == "old"
    assert run(*words, "--force").exit_code == 0
    assert (out / "scored.csv").read_text() != "old"
    assert [one.name for one in tmp_path.iterdir()] == ["fit"]


def test_force_replaces_nothing_but_an_earlier_fit(run, table, patients, tmp_path):
    out = tmp_path / "fit"
    words = (*FIT, "--as-text", "ward", "--out", out, *QUICK)
    assert run("fit", table, *words).exit_code == 0
    patients.to_csv(out / "patients.csv", index=False)
    result = run("fit", out / "patients.csv", *words, "--force")
    assert result.exit_code == 3
    assert "which has other files in it ('patients.csv')" in result.stderr
    assert (out / "patients.csv").exists()


@pytest.mark.parametrize("out", [".", ".."])
def test_the_folder_one_is_in_is_no_new_folder(run, table, tmp_path, monkeypatch, out):
    monkeypatch.chdir(tmp_path)
    result = run("fit", table, *FIT, "--out", out)
    assert (result.exit_code, "must be the name of a new folder" in result.stderr) == (3, True)


def test_an_output_that_cannot_be_written_is_told_before_any_work(
    run, table, tmp_path, monkeypatch
):
    (tmp_path / "file").write_text("")
    result = run("fit", table, *LABEL, "--out", tmp_path / "file")
    assert (result.exit_code, "which is a file" in result.stderr) == (3, True)
    system = SimpleNamespace(access=lambda *_: False, W_OK=os.W_OK, X_OK=os.X_OK)
    monkeypatch.setattr(_output, "os", system)  # an administrator may write anywhere
    result = run("fit", table, *LABEL, "--out", tmp_path / "no" / "where")
    assert (result.exit_code, "Reading" in result.stderr) == (3, False)
    assert "`--out` must be in a folder that can be written" in result.stderr


def test_a_full_disk_leaves_nothing_behind(run, table, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(_fit_files, "write_scored", full)
    result = run("fit", table, *FIT, "--as-text", "ward", "--out", tmp_path / "fit", *QUICK)
    assert result.exit_code == 3
    assert "could not be written (No space left on device); nothing of it was left" in result.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("most_bytes", [0, 3000, 30_000])
def test_files_that_may_not_grow_leave_nothing_behind(table, tmp_path, most_bytes):
    """The system itself refuses to write on, in the middle of one file or another."""

    def limited():
        resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))

    words = ["fit", table, *FIT, "--as-text", "ward", "--out", tmp_path / "fit", *QUICK]
    result = subprocess.run(
        [sys.executable, "-B", "-c", "from unlabeled.cli import main; main()", *words],
        capture_output=True,
        text=True,
        preexec_fn=limited,
        check=False,
    )
    assert result.returncode == 3, result.stderr
    assert "could not be written (File too large)" in result.stderr
    assert "Traceback" not in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_leaves_nothing_behind(table, tmp_path, stopped):
    words = ("--id", "patient", "--as-text", "ward", "--out", tmp_path / "f")
    stopped("Comparing", "fit", table, *LABEL, *words)
    assert list(tmp_path.iterdir()) == []


def test_help_has_examples_the_files_and_the_exit_codes(run):
    shown = run("fit", "-h").output
    assert "unlabeled fit patients.csv --label diagnosis --id patient --out ward" in shown
    assert all(name in shown for name in FILES)
    assert "3    DIR cannot be written; what was there before stays" in shown


def test_ctrl_c_ends_the_command_even_if_it_would_keep_a_fit(run, table, tmp_path, monkeypatch):
    evaluations = count(1)
    evaluate = Objective.value_gradient

    def press_at_seven(objective, theta):
        if next(evaluations) == 7:
            raise KeyboardInterrupt
        return evaluate(objective, theta)

    monkeypatch.setattr(Objective, "value_gradient", press_at_seven)
    monkeypatch.setitem(METHODS, "naive", lambda: NaiveLogistic(C=1.0, verbose=1))
    out = tmp_path / "ward"
    result = run("fit", table, *FIT, *QUICK, "--method", "naive", "--out", out)
    assert result.exit_code == 130
    assert "Stopped; nothing was written." in result.stderr
    assert not list(tmp_path.iterdir())
