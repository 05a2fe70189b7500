"""`unlabeled fit` as somebody with a table runs it."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from pyarrow import csv

from tests.app.report.page_reader import read_page
from unlabeled.app.model_files import read_model
from unlabeled.app.report._text import plain
from unlabeled.app.run._fit import about_how_many_features
from unlabeled.app.tables import TableFeatures, prepare, read_table
from unlabeled.metrics import f1_pu_score

from .conftest import ANY_FIT, FEW_COLUMNS, FIT, QUICK

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
        "labeled",
        "score",
        "posterior",
        "posterior_if_unlabeled",
        "posterior_if_unlabeled_lower",
        "posterior_if_unlabeled_upper",
        "decision_if_unlabeled",
        "decision",
        "rank",
        "rank_among_unlabeled",
        "held_out_score",
        "held_out_posterior",
        "because",
    ]
    assert scored["patient"].tolist() == patients["patient"].tolist()
    assert scored["labeled"].tolist() == (patients["diagnosis"] == "yes").astype(int).tolist()
    assert scored["posterior"].between(0, 1).all()
    order = scored.sort_values("score", ascending=False)
    assert order["rank"].tolist() == list(range(1, len(scored) + 1))
    assert order["posterior"].is_monotonic_decreasing


def test_no_beside_blank_cells_gets_a_hint_about_known_negatives(run, patients, tmp_path):
    some = np.arange(len(patients)) % 4 == 0
    said = np.where(patients["diagnosis"] == "yes", "yes", np.where(some, "no", None))
    path = tmp_path / "seen.csv"
    patients.assign(diagnosis=said)[["patient", "age", "bmi", "diagnosis"]].to_csv(
        path, index=False
    )
    words = ("--label", "diagnosis", "--id", "patient", "--method", "naive", *QUICK)
    result = run("fit", path, *words, "--out", tmp_path / "fit")
    assert result.exit_code == 0, result.stderr
    assert "Rows with 'no' count as unlabeled" in result.stdout
    assert "`--negative no --chosen-beforehand`" in result.stdout


def test_decisions_are_scores_above_the_threshold_of_card_and_summary(fitted, scored, summary):
    card = json.loads((fitted / "model.json").read_text())
    assert card["threshold"] == summary["cut"]["threshold"]
    assert (scored["decision"] == (scored["score"] > card["threshold"])).all()
    assert summary["cut"]["selected"] == scored["decision"].sum()
    unlabeled = scored[scored["labeled"] == 0]
    assert summary["cut"]["selected_unlabeled"] == unlabeled["decision"].sum()


def X_of(table):
    read = read_table(table, as_text=["ward"])
    return prepare(read, "diagnosis", id="patient", drop=["treatment_date"], as_text=["ward"]).X


def test_the_saved_model_is_the_one_that_scored(fitted, scored, table):
    pipeline, card = read_model(fitted)
    X = X_of(table)
    assert card.fingerprint["rows"] == len(X)
    model = pipeline[-1]
    np.testing.assert_allclose(scored["posterior"], model.posterior_at(scored["score"]), rtol=1e-12)
    np.testing.assert_array_equal(scored["decision"], scored["score"] > model.threshold_)
    # Decided without its own label, a row rarely changes sides.
    assert 0.95 < np.mean(pipeline.predict(X) == scored["decision"]) < 1


def test_the_summary_says_how_it_was_made_and_what_was_left_out(summary, table):
    command = summary["made"]["command"]
    assert command.startswith(f"unlabeled fit {table} --label diagnosis --id patient --drop")
    assert command.endswith("--as-text ward --out " + command.split("--out ")[1])
    assert "--no-checks --no-compare" in command
    assert "--seed" not in command
    assert list(summary["columns"]["not_used"]) == ["treatment_date", "patient"]
    assert summary["table"]["bytes"] == table.stat().st_size
    assert "--no-checks" in summary["notes"]["checks"]


def test_the_report_is_about_no_single_row_unless_asked(fitted, table, run, tmp_path):
    assert "P0001" not in (fitted / "report.html").read_text()
    out = tmp_path / "fit"
    result = run("fit", table, *FIT, "--as-text", "ward", "--out", out, *QUICK, "--include-rows")
    assert result.exit_code == 0
    page = (out / "report.html").read_text()
    first = pd.read_csv(out / "scored.csv").query("labeled == 0").nsmallest(1, "rank")
    assert first["patient"].item() in page
    reasons = first["because"].item().split("; ")
    assert all(reason.removeprefix("against: ") in page for reason in reasons)
    assert run("report", out, "--include-rows").exit_code == 0  # reads scored.csv
    assert (out / "report.html").read_text() == page


@pytest.mark.usefixtures("few_repeats")
def test_checks_and_comparison_are_in_the_summary_and_the_leak_is_printed(run, patients, tmp_path):
    path, out = tmp_path / "t.csv", tmp_path / "fit"
    patients.drop(columns=["notes", "seen", "visit"]).to_csv(path, index=False)
    words = ("--label", "diagnosis", "--id", "patient", "--compare", "--out", out)
    result = run("fit", path, *words)
    assert result.exit_code == 0, result.stderr
    assert "The number of positive rows is unknown: a feature may give the label away (PU204)." in (
        result.stdout
    )
    assert "use neither the number of positives nor recall" in result.stdout
    assert "recall is" not in result.stdout
    assert "Note (" not in result.stdout  # of numbers that are not there
    assert "'treatment_date'" in result.stdout
    found = json.loads((out / "summary.json").read_text())
    assert {one["check"] for one in found["findings"]} > {"leakage", "scar", "duplicates"}
    assert found["comparison"]["methods"][0]["name"] == "pu-logistic"
    assert "treatment_date" in (out / "report.html").read_text()


def test_what_counted_is_printed_before_the_answer(run, table, tmp_path):
    result = run("fit", table, *FIT, "--as-text", "ward", "--out", tmp_path / "fit", *QUICK)
    lines = result.stdout.splitlines()
    assert all(one in lines[0] for one in ("129 of 600 rows", "`diagnosis`", "'yes'", "471"))
    count = r"Roughly \d+ to \d+ of 600 rows are positive, if labels are random\."
    assert re.fullmatch(count, lines[2])
    assert lines[3].startswith("This is the 95 % interval; its mean is ")
    assert "a random sample of the positives, which was not checked." in lines[4]
    (unchecked,) = [line for line in lines if line.startswith("Not checked: ")]
    for one in ("labels at random", "leakage", "wrong labels", "copies of rows"):
        assert one in unchecked.partition(" (--no-checks)")[0]
    assert "other methods" not in unchecked
    tells = (
        r"This interval is \d+ rows long, .*\. That of 100 checked rows would be about \d+ long,"
    )
    assert re.match(tells, lines[5])
    assert re.search(r"recall is about \d+% .*, and precision is \d+% to \d+%\.", result.stdout)


def test_with_few_labels_recall_is_a_range_at_the_terminal(run, patients, tmp_path):
    frame, path = patients.copy(), tmp_path / "few.csv"
    frame.loc[frame.index[frame["diagnosis"] == "yes"][40:], "diagnosis"] = None
    frame.to_csv(path, index=False)
    result = run("fit", path, *FIT, *FEW_COLUMNS, *ANY_FIT, "--out", tmp_path / "fit")
    assert re.search(r"recall is \d+% to \d+% \(of 40 labeled rows\)", result.stdout)


def test_quiet_says_nothing_and_json_only_the_summary(run, table, tmp_path):
    words = ("fit", table, *FIT, *FEW_COLUMNS, *ANY_FIT)
    quiet = run(*words, "--quiet", "--out", tmp_path / "a")
    assert (quiet.stdout, quiet.stderr) == ("", "")
    said = run(*words, "--json", "--out", tmp_path / "b")
    assert json.loads(said.stdout) == json.loads((tmp_path / "b" / "summary.json").read_text())


@pytest.mark.parametrize(
    ("options", "kind", "cut_by"),
    [
        (("--rule", "recall_at_least(0.9)"), "PULogistic", "recall of at least 0.9"),
        (("--method", "enhanced"), "EnhancedLogistic", "F1_PU"),
        (("--method", "joint"), "JointLogistic", "1/2"),
        (("--method", "naive", "--rule", "f1"), "PUThresholdClassifier", "F1"),
        (("--method", "weighted-en"), "WeightedLogistic", "1/2"),
        (("--class-prior", "0.45"), "PULogistic", "F1"),
    ],
)
def test_every_method_and_rule_gives_a_decision(run, table, tmp_path, options, kind, cut_by):
    out = tmp_path / "fit"
    result = run("fit", table, *FIT, *FEW_COLUMNS, "--out", out, *QUICK, *options)
    assert result.exit_code == 0, result.stderr
    found = json.loads((out / "summary.json").read_text())
    assert found["method"]["class"] == kind
    assert cut_by in found["method"]["cut"]
    scored = pd.read_csv(out / "scored.csv")
    assert (scored["decision"] == (scored["score"] > found["cut"]["threshold"])).all()
    k, curve = found["cut"]["index"], found["curve"]
    assert curve["selected"][k] == scored["decision"].sum()
    if not curve["honest"]:
        ours = f1_pu_score(scored["labeled"], scored["decision"], pos_label=1)
        assert found["cut"]["f1_pu"] == pytest.approx(ours)
    if "0.45" in options:
        assert found["class_prior"] == {
            "estimate": 0.45,
            "lower": None,
            "upper": None,
            "level": None,
            "method": None,
            "given": True,
            "identified": None,
            "said": [],
        }
        assert "With your class prior of 45.0%" in result.stdout
    if "recall_at_least(0.9)" in options:
        assert found["cut"]["recall"] >= 0.9


@pytest.mark.parametrize(
    ("method", "instead"),
    [
        ("forest", ("Use 'ensemble'", "PUThresholdClassifier")),
        ("naive-cut", ("`--method naive --rule f1`",)),
    ],
)
def test_a_method_that_is_only_compared_is_rejected_with_what_to_use(
    run, table, tmp_path, method, instead
):
    result = run("fit", table, *FIT, "--method", method, "--out", tmp_path / "out")
    assert result.exit_code == 2
    said = " ".join(result.stderr.split())
    for words in ("'--method'", repr(method), *instead):
        assert words in said
    assert not (tmp_path / "out").exists()


def test_any_other_unknown_method_is_rejected_with_the_names(run, table, tmp_path):
    result = run("fit", table, *FIT, "--method", "tree", "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert "'tree' is not one of 'pu-logistic', 'enhanced'" in " ".join(result.stderr.split())


def test_costs_of_a_rule_are_where_the_report_begins(run, table, tmp_path):
    words = (*FIT, *FEW_COLUMNS, "--out", tmp_path / "fit", *ANY_FIT)
    assert run("fit", table, *words, "--rule", "cost(5, 1)").exit_code == 0
    found = json.loads((tmp_path / "fit" / "summary.json").read_text())
    assert found["costs"] == {"miss": 5.0, "false_alarm": 1.0}


@pytest.mark.parametrize("name", ["score", "rank", "labeled"])
def test_an_id_column_named_like_one_of_ours_is_called_id(run, patients, tmp_path, name):
    path = tmp_path / "t.csv"
    patients[["patient", "age", "bmi", "diagnosis"]].rename(columns={"patient": name}).to_csv(
        path, index=False
    )
    out = tmp_path / "fit"
    words = ("fit", path, "--label", "diagnosis", "--id", name, "--out", out)
    assert run(*words, *ANY_FIT).exit_code == 0
    scored = pd.read_csv(out / "scored.csv")
    assert scored.columns[0] == "id"
    assert scored["id"].tolist() == patients["patient"].tolist()


def test_training_rows_are_scored_by_fits_without_them(scored, fitted, table):
    pipeline, _ = read_model(fitted)
    assert scored["held_out_score"].notna().all()
    np.testing.assert_array_equal(scored["held_out_score"], scored["score"])
    np.testing.assert_array_equal(scored["held_out_posterior"], scored["posterior"])
    own = pipeline[-1].positive_score(pipeline[0].transform(X_of(table)))
    assert (scored["score"] != own).all()
    assert np.corrcoef(scored["score"], own)[0, 1] > 0.9
    posterior = pipeline[-1].posterior_at(scored["held_out_score"].to_numpy())
    np.testing.assert_allclose(scored["held_out_posterior"], posterior, rtol=1e-12)


def test_a_method_without_held_out_scores_leaves_them_blank(run, table, tmp_path):
    out = tmp_path / "fit"
    words = (*FIT, *FEW_COLUMNS, *QUICK, "--method", "naive")
    assert run("fit", table, *words, "--out", out).exit_code == 0
    found = pd.read_csv(out / "scored.csv")
    assert found[["held_out_score", "held_out_posterior"]].isna().all(axis=None)
    assert found[["score", "posterior"]].notna().all(axis=None)


def test_a_threshold_over_another_method_has_held_out_scores(run, table, tmp_path):
    out = tmp_path / "fit"
    words = (*FIT, *FEW_COLUMNS, *QUICK, "--method", "enhanced", "--rule", "f1")
    assert run("fit", table, *words, "--out", out).exit_code == 0
    found = pd.read_csv(out / "scored.csv")
    np.testing.assert_array_equal(found["score"], found["held_out_score"])
    np.testing.assert_array_equal(found["posterior"], found["held_out_posterior"])
    summary = json.loads((out / "summary.json").read_text())
    assert summary["cut"]["selected"] == (found["score"] > summary["cut"]["threshold"]).sum()


@pytest.fixture(scope="module")
def seen(patients, tmp_path_factory):
    """Patients of whom some were checked, and a label with a third value."""
    path = tmp_path_factory.mktemp("tables") / "seen.csv"
    made = patients.drop(columns=["treatment_date", "notes", "seen"])
    unlabeled = made.index[made["diagnosis"].isna()]
    made["looked_at"] = None
    made.loc[unlabeled[:20], "looked_at"] = ["yes", "No"] * 10
    made.loc[unlabeled[30:70], "diagnosis"] = "ruled out"
    made["all_no"] = made["looked_at"].replace("yes", None)
    made.to_csv(path, index=False)
    return path


SEEN = ("--label", "diagnosis", "--id", "patient", "--as-text", "ward", *QUICK)


@pytest.mark.parametrize("method", ["pu-logistic", "joint"])
def test_known_negatives_and_checked_rows_reach_the_fit(run, seen, tmp_path, method):
    out = tmp_path / "fit"
    words = ("--negative", "ruled out", "--checked", "looked_at", "--chosen-beforehand")
    words = (*words, "--method", method)
    result = run("fit", seen, *SEEN, *words, "--out", out)
    assert result.exit_code == 0, result.stderr
    (line, *_) = result.stdout.splitlines()
    assert "40 are known to be negative ('ruled out': 40). The other 431 are unlabeled" in line
    assert "With `looked_at`, 60 rows are checked: 10 positive, 50 negative." in line
    found = json.loads((out / "summary.json").read_text())
    assert found["checked"] == {"positive": 10, "negative": 50}
    if method == "pu-logistic":
        unknown = "no interval, because the fit used checked rows; `unlabeled audit` gives one."
        assert unknown in result.stdout
        page = (out / "report.html").read_text("utf-8")
        assert "Precision and F1 have no interval" in page
    assert found["label"]["negatives"] == {"ruled out": 40}
    assert "looked_at" not in found["columns"]["used"]
    assert "looked_at" in found["columns"]["not_used"]
    words = ("--positive", "yes", "--drop", "looked_at", "--method", method)
    without = run("fit", seen, *SEEN, *words, "--out", tmp_path / "without")
    assert without.exit_code == 0, without.stderr
    plain = json.loads((tmp_path / "without" / "summary.json").read_text())
    assert plain["checked"] is None
    assert plain["positives"]["estimate"] != found["positives"]["estimate"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--negative", "ruled"), "`--negative` must be a value of 'diagnosis'"),
        (("--positive", "yes", "--negative", "yes"), "`--negative` must leave a value"),
        (("--negative", "ruled out", "--checked", "looked"), "Did you mean 'looked_at'?"),
        (("--positive", "yes", "--checked", "diagnosis"), "`--checked` must not be `--label`"),
        (("--positive", "yes", "--checked", "sex"), "`--checked` must be a column with yes, no"),
        (("--negative", "ruled out", "--chosen-beforehand", "--method", "naive"), "got 'naive'."),
        (("--negative", "ruled out"), "recorded because they are negative? If chosen before, add"),
        (("--negative", "ruled out", "--checked", "looked_at"), "leave --negative out"),
        (
            ("--positive", "yes", "--checked", "all_no"),
            "leave the option out, and --drop the column",
        ),
        (("--positive", "yes", "--chosen-beforehand"), "`--chosen-beforehand` must go with"),
    ],
)
def test_checked_rows_that_cannot_be_used_are_refused(run, seen, tmp_path, words, said):
    result = run("fit", seen, *SEEN, *words, "--out", tmp_path / "fit")
    assert result.exit_code == 2
    assert said in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_command_that_a_fit_ends_with_runs_as_it_is_printed(run, patients, tmp_path):
    path, out = tmp_path / "my table.csv", tmp_path / "a fit"
    patients[["patient", "age", "bmi", "diagnosis"]].to_csv(path, index=False)
    words = ("--label", "diagnosis", "--id", "patient", "--method", "pu-logistic", *QUICK)
    drawn = []
    for more in ((), ("--force",)):
        result = run("fit", path, *words, "--out", out, *more)
        command = shlex.split(result.stdout.splitlines()[-1])
        assert command[:3] == ["unlabeled", "audit", str(out)]
        in_report = read_page((out / "report.html").read_text("utf-8")).one(id="to-draw").text
        assert shlex.split(in_report)[:-1] == command[:-1]
        drawing = run(*command[1:])
        assert drawing.exit_code == 0, drawing.stderr
        drawn.append(Path(command[-1]))
    assert [one.name for one in drawn] == ["a fit-check", "a fit-check-2"]
    for check in drawn:
        assert len(pd.read_csv(check / "check.csv")) == 100


def test_with_few_unlabeled_rows_the_command_draws_what_there_is_or_is_left_out(run, tmp_path):
    rng, path = np.random.default_rng(0), tmp_path / "t.csv"
    for unlabeled, drawn in ((40, 40), (8, None)):
        n = 60 + unlabeled
        s = np.arange(n) < 60
        made = pd.DataFrame(rng.normal(size=(n, 2)) + s[:, None], columns=list("ab"))
        made.assign(known=np.where(s, "yes", None)).to_csv(path, index=False)
        out = tmp_path / f"fit{unlabeled}"
        words = ("--label", "known", "--method", "pu-logistic", "--out", out, *QUICK)
        last = run("fit", path, *words).stdout.splitlines()[-1]
        if drawn is None:
            assert last.endswith("fitting again is unreliable.")
        else:
            assert f"--rows {drawn} " in last
            assert run(*shlex.split(last)[1:]).exit_code == 0


def test_a_refit_to_positives_found_at_the_top_is_told(run, tmp_path):
    rng, n = np.random.default_rng(3), 1500
    positive = rng.random(n) < 0.3
    made = pd.DataFrame(rng.normal(size=(n, 3)) + 1.2 * positive[:, None], columns=list("abc"))
    known = positive & (rng.random(n) < 0.3)
    path, out = tmp_path / "t.csv", tmp_path / "fit"

    def fit(labeled, *more):
        made.assign(known=np.where(labeled, "yes", None)).to_csv(path, index=False)
        words = ("--label", "known", "--method", "pu-logistic", "--out", out)
        result = run("fit", path, *words, *QUICK, *more)
        assert result.exit_code == 0, result.stderr
        return result.stdout

    said = fit(known)
    assert "PU119" not in said
    *_, advice, command = said.splitlines()
    assert "fitting again is unreliable; check rows that this command draws" in advice
    assert command.split()[:3] == ["unlabeled", "audit", str(out)]
    honest = known | (positive & (rng.random(n) < 0.2))
    assert "PU119" not in fit(honest, "--force")
    assert "PU119" not in fit(known, "--force")
    ranks = pd.read_csv(out / "scored.csv")["rank_among_unlabeled"]
    said = fit(known | (positive & (ranks <= 100)), "--force")
    assert "Warning (PU119): " in said
    assert "top of its list" in said
    assert "PU119" in (out / "report.html").read_text()


@pytest.fixture(scope="module")
def visits(tmp_path_factory):
    """Forty patients with five visits each, all with the class and the label of the patient."""
    rng = np.random.default_rng(4)
    patient = np.repeat(np.arange(60), 5)
    ill = rng.random(60) < 0.5
    made = pd.DataFrame(
        {
            "patient": [f"P{k:02d}" for k in patient],
            "dose": (rng.normal(size=60) + 2 * ill)[patient] + 0.2 * rng.normal(size=300),
            "bmi": rng.normal(size=60)[patient] + 0.2 * rng.normal(size=300),
            "diagnosis": np.where(ill & (rng.random(60) < 0.6), "yes", "no")[patient],
        }
    )
    path = tmp_path_factory.mktemp("visits") / "visits.csv"
    made.to_csv(path, index=False)
    return path


@pytest.mark.usefixtures("few_repeats")
@pytest.mark.parametrize("method", ["pu-logistic", "auto", "naive"])
def test_groups_are_kept_together_and_told(run, visits, tmp_path, method):
    rule = ("--rule", "f1") * (method == "naive")
    compared = method == "pu-logistic"  # a comparison takes long, and is the same for all
    how = ("--compare",) if compared else ()
    words = ("--no-checks", *how, "--method", method, *rule, "--out", tmp_path / "out")
    result = run("fit", visits, "--label", "diagnosis", "--group", "patient", *words)
    assert result.exit_code == 0, result.stderr
    line = "Folds kept 60 groups (patient) together; the 300 rows tell as much as"
    assert result.stdout.count(line) == 1
    assert "Not used: 'patient' (the group of a row)" in result.stderr
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert summary["groups"]["column"] == "patient"
    assert summary["groups"]["number"] == 60
    assert 1 < summary["groups"]["design_effect"] <= 5.01
    assert summary["columns"]["used"] == ["dose", "bmi"]
    assert (summary["comparison"] is not None) == compared
    page = (tmp_path / "out" / "report.html").read_text("utf-8")
    assert line in page
    for text in (result.stdout, page):
        assert text.count("All other counts are of rows, not of groups (patient).") == 1
        assert "the 60 groups (patient)" in text
    frame = pd.read_csv(visits)
    scored = pd.read_csv(tmp_path / "out" / "scored.csv")
    assert scored["patient"].tolist() == frame["patient"].tolist()
    frame.drop(columns="patient").to_csv(tmp_path / "new.csv", index=False)
    for table in (visits, tmp_path / "new.csv"):  # with and without the group column
        made = run("predict", tmp_path / "out", table, "--out", tmp_path / "p.csv", "--force")
        assert made.exit_code == 0, made.stderr
    assert len(pd.read_csv(tmp_path / "p.csv")) == 300


ALIKE = "'patient' has 60 values with 5 rows each on the mean, and rows of one value are alike."


def test_rows_of_one_value_that_are_alike_are_groups_unless_somebody_says_not(
    run, visits, tmp_path
):
    summaries = {}
    for name, words in {
        "asked": ("--group", "patient"),
        "found": (),
        "not": ("--no-group", "--drop", "patient"),
    }.items():
        how = ("--method", "pu-logistic", *QUICK, "--out", tmp_path / name)
        result = run("fit", visits, "--label", "diagnosis", *words, *how)
        assert result.exit_code == 0, result.stderr
        told = ALIKE in result.stdout and "Nobody named the groups" in result.stdout
        assert told == (name == "found")
        assert (ALIKE in result.stderr) == (name == "found")
        page = (tmp_path / name / "report.html").read_text("utf-8")
        assert ("Nobody named the groups" in page) == (name == "found")
        summaries[name] = json.loads((tmp_path / name / "summary.json").read_text("utf-8"))
        scored = pd.read_csv(tmp_path / name / "scored.csv")
        assert ("patient" in scored) == (name != "not")
    assert summaries["found"]["class_prior"] == summaries["asked"]["class_prior"]
    assert summaries["found"]["groups"]["unasked"].startswith(ALIKE)
    assert summaries["asked"]["groups"]["unasked"] is None
    assert summaries["not"]["groups"] is None
    persons, labeled = summaries["found"]["groups"]["positives"], summaries["found"]["label"]
    assert persons["labeled"] == labeled["labeled"] / 5
    assert persons["labeled"] <= persons["lower"] <= persons["estimate"] <= persons["upper"] <= 60


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--method", "joint"), f"{ALIKE} 'joint' takes rows as independent."),
        (("--copies",), "`--copies` keeps only equal rows together. Use `--group patient` instead"),
        (("--group", "patient", "--no-group"), "`--group` must be left out with `--no-group`"),
        (("--label", "patient"), "`--label` must be given once; got it 2 times."),
        (("--class-prior", "30"), "must be a share above 0 and below 1; got 30. Did you mean 0.3?"),
    ],
)
def test_what_would_be_ignored_or_misread_is_refused(run, visits, tmp_path, words, said):
    result = run("fit", visits, "--label", "diagnosis", *words, "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert said in result.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("keep", [("--keep", "patient", "--keep", "dose"), ("--keep-all",)])
def test_a_group_column_that_is_kept_too_is_there_once(run, visits, tmp_path, keep):
    words = ("--group", "patient", *QUICK, "--method", "pu-logistic", "--out", tmp_path / "out")
    assert run("fit", visits, "--label", "diagnosis", *words, *keep).exit_code == 0
    header = (tmp_path / "out" / "scored.csv").read_text().splitlines()[0]
    assert header.count("patient") == 1
    assert "dose" in header


def test_the_interval_is_longer_with_groups(run, visits, tmp_path):
    lengths = []
    for name, group in (
        ("with", ("--group", "patient")),
        ("without", ("--no-group", "--drop", "patient")),
    ):
        words = ("--method", "pu-logistic", *QUICK, "--out", tmp_path / name)
        assert run("fit", visits, "--label", "diagnosis", *group, *words).exit_code == 0
        prior = json.loads((tmp_path / name / "summary.json").read_text())["class_prior"]
        lengths.append(prior["upper"] - prior["lower"])
    assert lengths[0] > 1.3 * lengths[1]


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    """Two hundred rows, each of them twice."""
    rng = np.random.default_rng(7)
    ill = rng.random(200) < 0.5
    dose, word = rng.normal(size=200) + 2 * ill, rng.choice(["a", "b"], 200)
    label = np.where(ill & (rng.random(200) < 0.6), "yes", "no")
    made = pd.DataFrame({"dose": dose, "word": word, "diagnosis": label})
    path = tmp_path_factory.mktemp("copied") / "copied.csv"
    pd.concat([made, made]).to_csv(path, index=False)
    return path


def test_copies_are_said_and_count_once_on_request(run, copied, tmp_path):
    lengths = []
    for name, words in (("plain", ()), ("once", ("--copies",))):
        out = (*words, "--method", "pu-logistic", *QUICK, "--out", tmp_path / name)
        result = run("fit", copied, "--label", "diagnosis", *out)
        assert result.exit_code == 0, result.stderr
        assert ("PU129" in result.stdout + result.stderr) == (name == "plain")
        found = json.loads((tmp_path / name / "summary.json").read_text())
        lengths.append(found["class_prior"]["upper"] - found["class_prior"]["lower"])
    assert found["groups"]["column"] == "equal rows"
    assert found["groups"]["number"] == 200
    assert found["groups"]["design_effect"] == pytest.approx(2, rel=0.01)
    assert "Folds kept 200 groups (equal rows) together" in result.stdout
    assert lengths[1] > 1.2 * lengths[0]


def test_copies_and_a_group_column_exclude_each_other(run, visits, tmp_path):
    words = ("--group", "patient", "--copies", "--out", tmp_path / "out")
    result = run("fit", visits, "--label", "diagnosis", *words)
    assert result.exit_code == 2
    assert "`--copies` must be left out where a column says" in result.stderr


def test_a_method_that_holds_no_rows_out_takes_no_groups(run, visits, tmp_path):
    words = ("--group", "patient", "--method", "joint", "--out", tmp_path / "out")
    result = run("fit", visits, "--label", "diagnosis", *words)
    assert result.exit_code == 2
    assert "`--group` and `--copies` must go with a method that holds rows out" in result.stderr
    assert "'joint'" in result.stderr


def test_other_commands_take_groups_too(run, visits):
    words = ("--label", "diagnosis", "--group", "patient")
    found = run("diagnose", visits, *words, "--check", "scar", "--check", "labels")
    assert "of 60 groups are labeled" in found.stdout
    assert "Folds keep 60 groups of 'patient' together." in found.stderr
    methods = ("--method", "forest", "--method", "pu-logistic", "--repeats", "2", "--json")
    compared = run("compare", visits, *words, *methods)
    assert compared.exit_code == 0, compared.stderr
    record = json.loads(compared.stdout)
    assert record["groups"] == 60
    assert compared.stdout.count('"failed": 0') == 2


CODES = ["00731", "NA", " x ", "", 'a, "b"\nc']


@pytest.fixture(scope="module")
def coded(patients, tmp_path_factory):
    """Patients with text that a reader of tables would change, and a column called `score`."""
    made = patients[["patient", "age", "bmi", "diagnosis"]].copy()
    made["code"] = [CODES[k % len(CODES)] for k in range(len(made))]
    made["score"] = [f"{k:05d}" for k in range(len(made))]
    path = tmp_path_factory.mktemp("tables") / "coded.csv"
    made.to_csv(path, index=False)
    return path


def as_written(path):
    return pd.read_csv(path, dtype=str, keep_default_na=False)


KEPT = ("--label", "diagnosis", "--id", "patient", "--drop", "code", "--drop", "score", *QUICK)
KEPT += ("--method", "pu-logistic")  # it has held-out scores for an audit


def test_columns_that_are_kept_stand_behind_the_scores_as_they_are_written(run, coded, tmp_path):
    out = tmp_path / "fit"
    result = run("fit", coded, *KEPT, "--keep", "score", "--keep", "code", "--out", out)
    assert result.exit_code == 0, result.stderr
    found, table = as_written(out / "scored.csv"), as_written(coded)
    assert found.columns.tolist()[-3:] == ["because", "original_score", "code"]
    assert found["original_score"].tolist() == table["score"].tolist()
    assert found["code"].tolist() == table["code"].tolist()
    assert found["score"].astype(float).notna().all()
    assert "00731" not in (out / "report.html").read_text()
    plain = tmp_path / "plain"
    assert run("fit", coded, *KEPT, "--out", plain).exit_code == 0
    assert as_written(plain / "scored.csv").equals(found.iloc[:, :-2])


def test_a_fit_with_all_columns_kept_can_be_reported_audited_and_fitted_again(run, coded, tmp_path):
    out = tmp_path / "fit"
    words = ("fit", coded, *KEPT, "--keep-all", "--include-rows", "--out", out)
    assert run(*words).exit_code == 0
    found, table = as_written(out / "scored.csv"), as_written(coded)
    kept = ["age", "bmi", "diagnosis", "code", "original_score"]
    assert found.columns.tolist()[-5:] == kept  # the ID is the first column already
    assert found[kept[:-1]].equals(table[kept[:-1]])
    page = (out / "report.html").read_text()
    assert run("report", out, "--include-rows").exit_code == 0
    assert (out / "report.html").read_text() == page
    drawn = run("audit", out, "--table", coded, "--rows", "40", "--out", tmp_path / "drawn")
    assert drawn.exit_code == 0, drawn.stderr
    entry = json.loads((tmp_path / "drawn" / "audit.json").read_text())
    assert entry["audit"]["held_out"]  # it has read scored.csv
    assert run(*words, "--force").exit_code == 0


def test_a_cell_of_any_length_can_be_kept(run, coded, tmp_path):
    made = as_written(coded).assign(text="word")
    made.loc[7, "text"] = "word " * 60_000  # more than Python's csv reads by default
    made.head(300).to_csv(tmp_path / "long.csv", index=False)
    out, words = tmp_path / "fit", (*KEPT, "--drop", "text", "--keep", "text", "--include-rows")
    assert run("fit", tmp_path / "long.csv", *words, "--out", out).exit_code == 0
    assert run("report", out, "--include-rows").exit_code == 0


def test_a_column_to_keep_that_is_not_there_is_refused_before_the_fit(run, coded, tmp_path):
    result = run("fit", coded, *KEPT, "--keep", "codes", "--out", tmp_path / "fit")
    assert result.exit_code == 2
    assert "`--keep` must be a column of the table; got 'codes'. Did you mean 'code'?" in (
        result.stderr
    )
    assert "Fitting" not in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_every_threshold_of_the_report_selects_its_rows_of_scored_csv(scored, summary):
    curve = summary["curve"]
    for threshold, selected in zip(curve["threshold"], curve["selected"], strict=True):
        assert (scored["score"] > float(plain(threshold))).sum() == selected


def made_table(path, positive, labeled, seed=0, copies=0):
    """Write a table of two normal classes, and return its frame."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(len(positive), 3)) + 2 * np.asarray(positive)[:, None]
    frame = pd.DataFrame(X, columns=["age", "bmi", "dose"])
    frame["told"] = np.where(labeled, "yes", "no")
    again = frame.assign(told="no").iloc[:copies]
    frame = pd.concat([frame, again], ignore_index=True)
    frame.to_csv(path, index=False)
    return frame


FAST = ("--label", "told", "--method", "pu-logistic", "--no-compare")


def test_doubtful_labels_are_listed_in_a_file_to_look_at(run, tmp_path):
    rng = np.random.default_rng(1)
    positive = rng.random(2500) < 0.3
    labeled = positive & (rng.random(2500) < 0.6)
    wrong = rng.choice(np.flatnonzero(~positive), 30, replace=False)
    labeled[wrong] = True
    made_table(tmp_path / "t.csv", positive, labeled)
    result = run("fit", tmp_path / "t.csv", *FAST, "--out", tmp_path / "fit")
    assert result.exit_code == 0, result.stderr
    listed = pd.read_csv(tmp_path / "fit" / "labels_to_check.csv")
    assert listed.columns.tolist() == ["row", "score", "posterior", "against"]
    assert np.isin(listed["row"] - 1, wrong).mean() > 0.9
    scored = pd.read_csv(tmp_path / "fit" / "scored.csv").set_index("row").loc[listed["row"]]
    assert (scored["labeled"] == 1).all()
    np.testing.assert_allclose(listed["posterior"], scored["posterior"])
    assert listed["against"].str.contains("(?:age|bmi|dose) .*\\(low\\)").mean() > 0.9
    look = f"Look at all {len(listed)} rows in labels_to_check.csv before you change a label."
    finding = " ".join(line for line in result.stdout.splitlines() if "(PU205)" in line)
    page = (tmp_path / "fit" / "report.html").read_text("utf-8")
    for text in (finding, page):
        assert look in text
        assert "The table does not tell how many of these labels are wrong." in text
        assert "% of our test tables" in text
        assert "remove" not in text.lower().partition("pu205")[2][:500]
    positive = np.arange(300) < 100
    made_table(tmp_path / "t.csv", positive, positive & (np.arange(300) % 2 == 0))
    again = run("fit", tmp_path / "t.csv", *FAST, "--out", tmp_path / "fit", "--force")
    assert again.exit_code == 0, again.stderr
    assert not (tmp_path / "fit" / "labels_to_check.csv").exists()


def test_rows_of_a_drawn_part_are_those_of_the_table(run, tmp_path, monkeypatch):
    monkeypatch.setattr("unlabeled.app.run._diagnose.MOST_DIAGNOSED", 2400)
    rng = np.random.default_rng(1)
    positive = rng.random(3000) < 0.3
    labeled = positive & (rng.random(3000) < 0.6)
    wrong = rng.choice(np.flatnonzero(~positive), 40, replace=False)
    labeled[wrong] = True
    made_table(tmp_path / "t.csv", positive, labeled)
    result = run("fit", tmp_path / "t.csv", *FAST, "--out", tmp_path / "fit")
    listed = pd.read_csv(tmp_path / "fit" / "labels_to_check.csv")
    assert np.isin(listed["row"] - 1, wrong).mean() > 0.9
    assert "The checks were made on 2 400 of the 3 000 rows, drawn at random." in result.stdout


def test_a_table_that_holds_its_rows_twice_is_serious(run, tmp_path):
    positive = np.arange(300) < 100
    labeled = positive & (np.arange(300) % 2 == 0)
    made_table(tmp_path / "t.csv", positive, labeled, copies=300)
    result = run("fit", tmp_path / "t.csv", *FAST, "--out", tmp_path / "fit")
    title, serious = result.stdout.splitlines()[2:4]
    assert title.startswith("The number of positive rows is unknown: ")
    assert title.endswith("(PU206).")
    assert "50 labeled rows (100.0%)" in serious
    assert "every row is in the table twice, once labeled and once not" in serious
    assert "A serious problem was found" in (tmp_path / "fit" / "report.html").read_text("utf-8")


def test_labels_that_look_inverted_are_asked_about_with_values_and_counts(run, tmp_path):
    positive = np.arange(500) < 150
    frame = made_table(tmp_path / "t.csv", positive, ~(positive & (np.arange(500) % 2 == 0)))
    result = run("fit", tmp_path / "t.csv", *FAST, "--out", tmp_path / "fit")
    (asked,) = [line for line in result.stdout.splitlines() if line.startswith("Warning (PU207)")]
    assert (frame["told"] == "yes").sum() == 425
    values = "Values of 'told': 'yes': 425, 'no': 75; 'yes' counts as labeled."
    question = "Does the labeled value really mark the positives? 85.0% of the rows have it."
    assert question in asked
    assert values in asked
    assert "--positive" in asked
    page = (tmp_path / "fit" / "report.html").read_text("utf-8")
    assert question in page
    assert values.replace("'", "&#39;") in page
    found = run("diagnose", tmp_path / "t.csv", "--label", "told", "--check", "inverted")
    assert found.exit_code == 1
    assert values in " ".join(found.stdout.split())
    right = run(
        "diagnose", tmp_path / "t.csv", "--label", "told", "--positive", "no", "--check", "inverted"
    )
    assert right.exit_code == 0


@pytest.mark.parametrize("command", ["fit", "compare"])
def test_fewer_than_ten_labels_are_declined(run, tmp_path, command):
    positive = np.arange(200) < 60
    made_table(tmp_path / "t.csv", positive, np.arange(200) < 9)
    out = ("--out", tmp_path / "fit") if command == "fit" else ()
    result = run(command, tmp_path / "t.csv", "--label", "told", *out)
    assert result.exit_code == 2
    assert "`--label` must mark at least 10 rows; got 9 of 200." in result.stderr
    assert "Label more rows" in result.stderr
    assert ("`--checked`" in result.stderr) == (command == "fit")
    assert not (tmp_path / "fit").exists()
    found = run("diagnose", tmp_path / "t.csv", "--label", "told", "--check", "labels")
    assert found.exit_code == 1
    assert "serious" in found.stdout


def test_rows_found_positive_count_as_labels(run, tmp_path):
    positive = np.arange(200) < 60
    frame = made_table(tmp_path / "t.csv", positive, np.arange(200) < 6)
    frame["seen"] = np.where(np.arange(200) % 9 == 0, np.where(positive, "yes", "no"), None)
    frame.to_csv(tmp_path / "t.csv", index=False)
    words = ("--label", "told", "--checked", "seen", *QUICK, "--out", tmp_path / "fit")
    result = run("fit", tmp_path / "t.csv", *words)
    assert result.exit_code == 0, result.stderr


ODD = {
    "ten labels": (60, 25, 10),
    "half": (40, 20, 20),
    "nearly all": (60, 57, 54),
    "noise": (50, 0, 12),
}
METHODS = ("pu-logistic", "enhanced", "joint", "naive", "weighted-en", "weighted-tice")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("odd", ODD)
@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")  # joint, where a line separates rows
def test_no_impossible_number_is_printed(run, tmp_path, method, odd):
    """Shares are between 0 and 100 %, counts between 0 and the number of rows."""
    n, positives, labels = ODD[odd]
    positive = np.arange(n) < positives
    made_table(tmp_path / "t.csv", positive, np.arange(n) < labels)
    options = ("--label", "told", "--method", method, *QUICK)
    result = run("fit", tmp_path / "t.csv", *options, "--out", tmp_path / "fit")
    assert result.exit_code == 0, result.stderr
    summary = json.loads((tmp_path / "fit" / "summary.json").read_text())
    page = (tmp_path / "fit" / "report.html").read_text("utf-8")
    body = re.sub(r"<(script|style)\b.*?</\1>", "", page, flags=re.DOTALL)
    words = re.sub(r"<[^>]*>", " ", body).replace("\u00a0", " ").replace("\u202f", " ")
    for text in (result.stdout, words):
        shares = [float(one) for one in re.findall(r"([-\u2212]?\d[\d.]*) ?%", text)]
        assert shares
        assert all(0 <= share <= 100 for share in shares), (shares, text)
    counted = re.findall(r"(\d+) (?:of \d+ )?rows|(?:etween|Roughly) (\d+) (?:and|to) (\d+)", words)
    assert all(0 <= int(one) <= n for found in counted for one in found if one)
    for part in ("positives", "hidden_positives"):
        ends = [summary[part][name] for name in ("lower", "estimate", "upper")]
        ends = [end for end in ends if end is not None]
        assert ends == sorted(ends)
        assert 0 <= ends[0] <= ends[-1] <= n + 1e-9
    assert summary["positives"]["estimate"] >= labels
    rates = ("precision", "precision_lower", "precision_upper", "f1", "recall", "share")
    assert all(0 <= (summary["cut"][name] or 0) <= 1 for name in rates)
    assert 0 <= summary["cut"]["selected"] <= n


def test_a_share_of_positives_that_does_not_fit_the_cut_is_a_warning(run, tmp_path):
    """More positives than rows would be above the cut; 100 % is not said without a word."""
    rng = np.random.default_rng(0)
    positive = rng.random(200) < 0.2
    made_table(tmp_path / "t.csv", positive, positive & (rng.random(200) < 0.5))
    words = ("--label", "told", "--method", "naive", "--class-prior", "0.9", *QUICK)
    words += ("--rule", "recall_at_least(0.5)")
    result = run("fit", tmp_path / "t.csv", *words, "--out", tmp_path / "fit")
    assert result.exit_code == 0, result.stderr
    assert "precision is about 100%" in result.stdout
    assert "Warning (PU112): A share of 90.0% positives, with a recall of " in result.stdout


def test_ctrl_c_during_the_comparison_leaves_the_whole_fit(run, table, tmp_path, monkeypatch):
    def pressed(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("unlabeled.app.run._fit.comparison_of", pressed)
    out = tmp_path / "ward"
    words = ("--method", "pu-logistic", "--no-checks", "--compare", "--out", out)
    result = run("fit", table, *FIT, *words)
    assert result.exit_code == 130
    assert "holds the whole fit, without the comparison" in result.stderr
    assert "nothing was written" not in result.stderr
    assert "rows are positive" in result.stdout
    assert sorted(one.name for one in out.iterdir()) == sorted(FILES)
    summary = json.loads((out / "summary.json").read_text("utf-8"))
    assert summary["comparison"] is None
    assert "stopped" in summary["notes"]["comparison"]
    assert run("report", out).exit_code == 0
    scored = tmp_path / "scored.csv"
    assert run("predict", out, table, "--out", scored).exit_code == 0


def test_the_comparison_comes_last_and_is_added_to_summary_and_report(run, table, tmp_path):
    out = tmp_path / "ward"
    words = ("--method", "pu-logistic", "--no-checks", "--compare", "--json", "--out", out)
    result = run("fit", table, *FIT, *words)
    assert result.exit_code == 0, result.stderr
    summary = json.loads((out / "summary.json").read_text("utf-8"))
    assert json.loads(result.stdout) == summary
    assert list(summary["made"]["seconds"])[-1] == "comparison"
    assert summary["comparison"]["repeats"] == 5
    assert "weighted-tice" in (out / "report.html").read_text("utf-8")
    assert sorted(one.name for one in out.iterdir()) == sorted(FILES)


def test_a_wide_table_gets_the_line_and_no_comparison_and_both_are_said(
    run, table, tmp_path, monkeypatch
):
    monkeypatch.setattr("unlabeled.app.run._fit.MOST_FEATURES", 2)
    out = tmp_path / "wide"
    result = run("fit", table, *FIT, "--no-checks", "--compare", "--out", out)
    assert result.exit_code == 0, result.stderr
    summary = json.loads((out / "summary.json").read_text("utf-8"))
    assert summary["method"]["name"] == "pu-logistic"
    assert re.search(r"takes very long with \d+ features", summary["method"]["why"])
    assert summary["comparison"] is None
    assert re.search(r"not compared: with \d+ features", summary["notes"]["comparison"])
    assert "that takes very long" in result.stdout.partition("Not checked: ")[2]


def test_levels_of_categories_count_as_features():
    n = 200
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({f"kind {j}": rng.choice(list("abcdefghij"), n) for j in range(40)})
    frame = frame.assign(text=[f"row {i}" for i in range(n)], age=np.arange(n))
    loaded = SimpleNamespace(prepared=SimpleNamespace(X=frame))
    assert about_how_many_features(loaded) == 40 * 10 + 10 + 1
    assert TableFeatures().fit_transform(frame).shape[1] <= 40 * 10 + 10 + 1
