"""`unlabeled fit --labeled-by COLUMN`: labels that follow columns."""

import json

import numpy as np
import onnxruntime
import pandas as pd
import pytest
from scipy.special import expit, logit

from unlabeled import PropensityLogistic
from unlabeled.app.model_files import read_model
from unlabeled.app.report import make_report, read_summary

N_ROWS = 1500
OFTEN = {"A": 0.15, "B": 0.7, "C": 0.4}
USE = ("--label", "diagnosis", "--id", "patient", "--drop", "truth", "--drop", "answer")
# What may be said only where labels are taken as given at random.
OF_RANDOM_LABELS = (
    "random sample of the positives",
    "if labels are random",
    "labels are random or not",
    "given at random (SCAR)",
    "SCAR allows",
)


@pytest.fixture(scope="module")
def wards() -> pd.DataFrame:
    """Labels follow the ward; numbers, categories, true/false, dates, gaps, a constant column."""
    rng = np.random.default_rng(3)
    visit = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 700, N_ROWS), "D")
    frame = pd.DataFrame(
        {
            "patient": [f"P{i:04d}" for i in range(N_ROWS)],
            "age": rng.normal(55, 12, N_ROWS).round(1),
            "bmi": rng.normal(27, 4, N_ROWS).round(1),
            "sex": rng.choice(["female", "male"], N_ROWS),
            "ward": rng.choice(list(OFTEN), N_ROWS, p=[0.5, 0.3, 0.2]),
            "year": rng.integers(2010, 2021, N_ROWS),
            "smoker": rng.random(N_ROWS) < 0.3,
            "visit": visit.date,
            "clinic": "one",
            "person": rng.integers(0, 400, N_ROWS),
        }
    )
    eta = -1.2 + 0.15 * (frame["age"] - 55) + 0.4 * (frame["bmi"] - 27) + (frame["sex"] == "male")
    ill = rng.random(N_ROWS) < expit(eta)
    labeled = ill & (rng.random(N_ROWS) < frame["ward"].map(OFTEN))
    frame.loc[rng.random(N_ROWS) < 0.05, "bmi"] = np.nan
    asked = rng.random(N_ROWS) < 0.05
    frame["answer"] = np.where(asked & ~labeled, np.where(ill, "yes", "no"), None)
    frame["truth"] = np.where(ill, "yes", "no")
    frame["diagnosis"] = np.where(labeled, "yes", None)
    return frame


@pytest.fixture(scope="module")
def table(wards, tmp_path_factory):
    path = tmp_path_factory.mktemp("wards") / "wards.csv"
    wards.to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def by_ward(run, table, tmp_path_factory):
    """A folder that the command wrote, and what it printed."""
    out = tmp_path_factory.mktemp("fits") / "by_ward"
    drop = ("--drop", "visit", "--drop", "person")
    result = run("fit", table, *USE, *drop, "--labeled-by", "ward", "--out", out)
    assert result.exit_code == 0, result.stderr
    return out, result


@pytest.fixture(scope="module")
def record(by_ward):
    return read_summary(by_ward[0]).dump()


def fit(run, table, out, *words):
    result = run("fit", table, *USE, *words, "--out", out, "--no-checks")
    assert result.exit_code == 0, result.stderr
    return read_summary(out).dump(), result


def test_the_interval_holds_the_truth_and_the_wards_differ(wards, record):
    truth = int((wards["truth"] == "yes").sum())
    assert record["positives"]["lower"] <= truth <= record["positives"]["upper"]
    often = {one["value"]: one["labeled"] for one in record["labeled_by"]["settings"]}
    assert often.keys() == OFTEN.keys()
    assert often["B"] > 2.5 * often["A"]


def test_the_terminal_says_what_the_labels_follow(by_ward, record):
    printed = by_ward[1].stdout
    follows = record["labeled_by"]
    assert follows["columns"] == ["ward"]
    assert printed.splitlines().count(follows["sentence"]) == 1
    most, *_, least = follows["settings"]
    assert (
        f"with ward {most['value']} is labeled {follows['times']['ward']:.1f} times as often"
        in (follows["sentence"])
    )
    assert f"({most['labeled']:.0%} and {least['labeled']:.0%})" in follows["sentence"]
    assert follows["times"]["ward"] == pytest.approx(most["labeled"] / least["labeled"])
    assert "of 1 500 rows are positive, if labels follow only ward." in printed
    assert "positive rows with the same ward are labeled equally often" in printed
    assert "an ensemble does not predict left-out labels clearly better" in by_ward[1].stderr
    assert record["method"]["name"] == "propensity-logistic"
    assert record["method"]["class"] == "PropensityLogistic"


def test_no_word_takes_labels_as_given_at_random(by_ward, record):
    page = make_report(record)
    for words in OF_RANDOM_LABELS:
        assert words not in by_ward[1].stdout + by_ward[1].stderr
        assert words not in page.replace(
            "labels from the top of a list are not a random sample of the positives", ""
        )
    assert "Labels follow ward and nothing else" in page
    assert "How often a positive row is labeled" in page
    assert "if labels follow only ward" in page
    assert "It does not cover labels that follow anything else" in page
    assert "The methods were not compared: they, and the measures" in page
    assert record["comparison"] is None


def test_checks_of_labels_at_random_do_not_apply(record):
    states = {one["check"]: one for one in record["findings"]}
    for name in ("scar", "direction", "label quality", "class prior"):
        assert states[name]["state"] == "not applicable"
        assert "they follow 'ward'" in states[name]["message"]
    for name in ("fit", "labels", "identifiability", "leakage", "duplicates"):
        assert states[name]["state"] != "not applicable"


def test_the_posterior_of_unlabeled_rows_follows_the_ward(by_ward, wards):
    out, _ = by_ward
    pipeline, _ = read_model(out)
    scored = pd.read_csv(out / "scored.csv")
    free = (scored["labeled"] == 0).to_numpy()
    e = pipeline[-1].propensity(pipeline[0].transform(wards.assign(visit=None)))
    y = scored["posterior"].to_numpy()
    found = scored["posterior_if_unlabeled"].to_numpy()
    # It is averaged over the class prior, so it is not that of the mean class prior to the digit.
    off, off_at_random = (
        np.abs(found - (1 - one) * y / (1 - one * y))[free].mean() for one in (e, e.mean())
    )
    assert off < min(0.03, 0.5 * off_at_random)
    lower, upper = (scored[f"posterior_if_unlabeled_{end}"][free] for end in ("lower", "upper"))
    assert (lower <= upper).all()
    assert logit(e).std() > 0.5


def test_the_precision_among_unlabeled_rows_counts_the_labeled_ones(record):
    page = make_report(record)
    cut, curve = record["cut"], record["curve"]
    k, rows = cut["index"], record["table"]["rows"]
    labeled = (curve["selected"][k] - curve["selected_unlabeled"][k]) / rows
    share, prior = curve["share"][k], record["class_prior"]["estimate"]
    expected = (prior * curve["recall"][k] - labeled) / (share - labeled)
    assert f'data-show="precision_unlabeled" data-as="percent" data-value="{expected!r}"' in page


def test_every_feature_of_the_named_columns_is_used(run, table, tmp_path):
    named = ["ward", "year", "visit", "bmi", "smoker"]
    words = [word for name in [*named, "ward"] for word in ("--labeled-by", name)]
    found, result = fit(run, table, tmp_path / "fit", *words, "--method", "pu-logistic")
    pipeline, card = read_model(tmp_path / "fit")
    source = pipeline[0].output_to_input_
    used = [name for name in pipeline[0].get_feature_names_out() if source[name] in named]
    positions = [list(pipeline[0].get_feature_names_out()).index(name) for name in used]
    assert pipeline[-1].propensity_features_.tolist() == positions
    assert {"bmi", "bmi is missing", "visit (days)", "ward=B", "ward=C"} <= set(used)
    assert card.labeled_by == ["bmi", "ward", "year", "smoker", "visit"]
    assert found["labeled_by"]["columns"] == named
    settings = {(one["column"], one["value"]) for one in found["labeled_by"]["settings"]}
    assert {("year", "2011"), ("year", "2019"), ("bmi", "missing"), ("smoker", "yes")} <= settings
    assert {value for column, value in settings if column == "visit"} == {"2020-03", "2021-09"}
    assert "if labels follow only ward, year, visit, bmi and smoker" in result.stdout


def test_it_goes_with_rule_class_prior_checked_rows_and_groups(run, table, tmp_path):
    by = ("--labeled-by", "ward", "--drop", "visit")
    found, result = fit(
        run, table, tmp_path / "a", *by, "--class-prior", "0.4", "--group", "person",
        "--rule", "recall_at_least(0.9)",
    )  # fmt: skip
    assert found["class_prior"]["given"]
    assert found["groups"]["column"] == "person"
    assert found["cut"]["recall"] >= 0.9
    assert "Labels follow: ward." in result.stdout
    checked = ("--label", "diagnosis", "--id", "patient", "--drop", "truth", "--checked", "answer")
    result = run("fit", table, *checked, *by, "--out", tmp_path / "b", "--no-checks")
    assert result.exit_code == 0, result.stderr
    pipeline, _ = read_model(tmp_path / "b")
    assert pipeline[-1].n_checked_ > 20


def test_without_the_option_nothing_changes(run, table, tmp_path):
    found, result = fit(run, table, tmp_path / "fit", "--method", "pu-logistic", "--no-compare")
    assert found["labeled_by"] is None
    assert "labels are random" in result.stdout
    assert "Labels follow" not in result.stdout
    assert json.loads((tmp_path / "fit" / "model.json").read_text("utf-8"))["labeled_by"] == []
    assert "How often a positive row is labeled" not in make_report(found)


def test_the_model_is_saved_predicts_and_is_exported(by_ward, run, wards, tmp_path):
    out, _ = by_ward
    pipeline, card = read_model(out)
    assert type(pipeline[-1]) is PropensityLogistic
    assert card.labeled_by == ["ward"]
    assert card.method == "propensity-logistic"
    new = wards.drop(columns=["diagnosis", "truth", "answer"]).head(200)
    new.to_csv(tmp_path / "new.csv", index=False)
    result = run("predict", out, tmp_path / "new.csv", "--out", tmp_path / "scored.csv")
    assert result.exit_code == 0, result.stderr
    scored = pd.read_csv(tmp_path / "scored.csv")
    result = run("export", out, "--out", tmp_path / "model.onnx")
    assert result.exit_code == 0, result.stderr
    session = onnxruntime.InferenceSession(tmp_path / "model.onnx")
    cells = {
        one.name: new[[one.name]].to_numpy(dtype=object if one.type == "tensor(string)" else float)
        for one in session.get_inputs()
    }
    score, posterior, decision = session.run(["score", "posterior", "decision"], cells)
    np.testing.assert_allclose(score[:, 0], scored["score"] - card.threshold, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(posterior[:, 0], scored["posterior"], rtol=1e-9)
    np.testing.assert_array_equal(decision[:, 0], scored["decision"])


def test_an_audit_draws_by_the_propensity_and_does_not_test_scar(by_ward, run, table, tmp_path):
    folder = tmp_path / "fit"
    folder.mkdir()
    for file in by_ward[0].iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    check = tmp_path / "check"
    result = run("audit", folder, "--table", table, "--rows", "80", "--out", check)
    assert result.exit_code == 0, result.stderr
    drawn = pd.read_csv(check / "check.csv", dtype=str)
    truth = pd.read_csv(table, dtype=str).set_index("patient")["truth"]
    drawn["truth"] = truth.loc[drawn["patient"]].to_numpy()
    drawn.to_csv(check / "check.csv", index=False)
    result = run("audit", folder, "--answers", check)
    assert result.exit_code == 0, result.stderr
    assert "was not tested: the model does not assume it" in result.stdout
    assert read_summary(folder).audit["scar"] is None
    assert "completely at random" not in result.stdout


@pytest.mark.parametrize("code", ["PU121", "PU122"])
def test_its_codes_are_explained(run, code):
    result = run("explain", code)
    assert result.exit_code == 0
    assert "--labeled-by" in " ".join(result.stdout.split())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("wrad",), "must be a column of the table; got 'wrad'. Did you mean 'ward'?"),
        (("",), "must be a column of the table; got ''."),
        (("ward,year",), "must be one column; got 'ward,year'. Give it once for each column."),
        (("diagnosis",), "got 'diagnosis', which it does not use (it is the label column)"),
        (("patient",), "got 'patient', which it does not use (row ID)"),
        (("answer",), "got 'answer', which it does not use (`--drop` names it)"),
        (("clinic",), "got 'clinic', which it does not use (the same value in every row)"),
        (
            ("person", "--group", "person"),
            "got 'person', which it does not use (the group",
        ),
        (("ward", "--method", "joint"), "auto`, pu-logistic or ensemble; got 'joint'"),
        (("ward", "--method", "enhanced"), "auto`, pu-logistic or ensemble; got 'enhanced'"),
        (("ward", "--class-prior", "0.01"), "`--class-prior` must be above the share of labeled"),
    ],
)
def test_what_cannot_be_used_is_rejected_in_one_sentence(run, table, tmp_path, words, said):
    out = tmp_path / "fit"
    result = run("fit", table, *USE, "--labeled-by", *words, "--out", out)
    assert result.exit_code == 2
    assert said in result.stderr
    assert "Traceback" not in result.stderr
    assert not out.exists()


def test_a_column_of_answers_is_no_feature(run, table, tmp_path):
    use = ("--label", "diagnosis", "--checked", "answer", "--labeled-by", "answer")
    result = run("fit", table, *use, "--out", tmp_path / "fit")
    assert result.exit_code == 2
    assert "(what was found when rows were checked)" in result.stderr


def test_the_method_behind_the_option_is_no_choice(run, table, tmp_path):
    words = ("--method", "propensity-logistic", "--out", tmp_path / "fit")
    result = run("fit", table, *USE, *words)
    assert result.exit_code == 2
    assert "`--labeled-by COLUMN`" in result.stderr


def test_some_column_must_say_who_is_positive(run, wards, tmp_path):
    few = wards[["age", "ward", "answer", "diagnosis"]]
    few.to_csv(tmp_path / "few.csv", index=False)
    named = ("--labeled-by", "age", "--labeled-by", "ward", "--no-checks")
    words = ("fit", tmp_path / "few.csv", "--label", "diagnosis", *named)
    result = run(*words, "--drop", "answer", "--out", tmp_path / "a")
    assert result.exit_code == 2
    assert "got every column that the fit uses ('age', 'ward')" in result.stderr
    assert not (tmp_path / "a").exists()
    result = run(*words, "--checked", "answer", "--out", tmp_path / "b")
    assert result.exit_code == 0, result.stderr


def test_a_column_that_repeats_the_gaps_of_another_is_rejected(run, wards, tmp_path):
    gaps = wards["bmi"].isna()
    wards.assign(seen=np.where(gaps, np.nan, 1.0)).to_csv(tmp_path / "gaps.csv", index=False)
    words = ("--labeled-by", "seen", "--out", tmp_path / "fit")
    result = run("fit", tmp_path / "gaps.csv", *USE, *words)
    assert result.exit_code == 2
    assert "got 'seen', whose cells say nothing that the other columns do not say" in result.stderr


def test_two_files_take_no_such_column(run, table, tmp_path):
    words = ("--cases", table, "--population", table, "--labeled-by", "ward")
    result = run("fit", *words, "--out", tmp_path / "fit")
    assert result.exit_code == 2
    assert "`--labeled-by` must be left out with `--cases` and `--population`" in result.stderr


def test_a_fit_that_labels_do_not_tell_says_so_at_the_count(record):
    doubtful = record | {"warnings": [{"code": "PU122", "message": "They can change places."}]}
    page = make_report(doubtful)
    assert "Do not rely on the number: the labels do not tell" in page
    assert page.count("In doubt") == 2


def test_the_report_of_an_older_summary_has_no_such_part(record):
    older = {name: one for name, one in record.items() if name != "labeled_by"}
    assert "How often a positive row is labeled" not in make_report(older)


@pytest.mark.parametrize("step", ["_double", "_decide"])
def test_an_interrupted_fit_leaves_nothing_behind(run, table, tmp_path, monkeypatch, step):
    def pressed(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(PropensityLogistic, step, pressed)
    out = tmp_path / "fit"
    result = run("fit", table, *USE, "--labeled-by", "ward", "--out", out)
    assert result.exit_code == 130
    assert "Stopped; nothing was written." in result.stderr
    assert list(tmp_path.iterdir()) == []
