"""`unlabeled fit --cases A --population B`."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

N_CASES, N_POPULATION = 300, 900
METHOD = ("--method", "pu-logistic", "--no-compare")


def _people(n, rng):
    frame = pd.DataFrame(
        {
            "age": rng.normal(50, 10, n).round(2),
            "dose": rng.normal(0, 1, n).round(4),
            "ward": rng.choice(["A", "B", "C"], n),
        }
    )
    logit = -2 + 0.12 * (frame["age"] - 50) + 1.5 * frame["dose"] + (frame["ward"] == "A")
    return frame, rng.uniform(size=n) < expit(logit)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder, rng = tmp_path_factory.mktemp("two"), np.random.default_rng(0)
    frame, y = _people(6000, rng)
    cases = frame[y][:N_CASES].assign(stage="II", source="register")
    cases.to_csv(folder / "register.csv", index=False)
    population, truth = _people(N_POPULATION, rng)
    population.insert(0, "person", [f"P{k:03d}" for k in range(N_POPULATION)])
    population.assign(source="survey").to_csv(folder / "survey.csv", index=False)
    population.assign(truth=truth).to_csv(folder / "truth.csv", index=False)
    return folder


@pytest.fixture(scope="module")
def files(folder):
    return ["--cases", str(folder / "register.csv"), "--population", str(folder / "survey.csv")]


@pytest.fixture(scope="module")
def fitted(folder, files, run):
    options = ["--id", "person", *METHOD]
    options += ["--keep", "ward", "--keep", "source"]
    result = run("fit", *files, *options, "--out", str(folder / "out"))
    assert result.exit_code == 0, result.stdout + result.stderr
    return folder / "out", result


def test_the_numbers_are_about_the_population(fitted, folder):
    out, result = fitted
    record = json.loads((out / "summary.json").read_text("utf-8"))
    truth = pd.read_csv(folder / "truth.csv")["truth"]
    assert record["table"]["name"] == "survey.csv"
    assert record["table"]["rows"] == N_POPULATION
    assert record["label"]["cases"] == "register.csv"
    assert record["label"]["labeled"] == N_CASES
    assert record["positives"]["lower"] <= truth.sum() <= record["positives"]["upper"]
    assert record["positives"]["estimate"] == pytest.approx(
        record["class_prior"]["estimate"] * N_POPULATION
    )
    assert record["cut"]["selected"] == record["cut"]["selected_unlabeled"] <= N_POPULATION
    assert record["columns"]["not_used"]["stage"] == "only in register.csv"
    assert "tells register.csv and survey.csv apart" in record["columns"]["not_used"]["source"]
    assert "300 cases come from register.csv." in result.stdout + result.stderr
    assert "of 900 rows are positive" in result.stdout + result.stderr
    assert "(of 300 cases)" in result.stdout + result.stderr


def test_the_scored_table_has_the_rows_of_the_population(fitted, folder):
    out, _ = fitted
    scored = pd.read_csv(out / "scored.csv")
    truth = pd.read_csv(folder / "truth.csv")["truth"]
    assert scored["person"].tolist() == [f"P{k:03d}" for k in range(N_POPULATION)]
    survey = pd.read_csv(folder / "survey.csv")
    assert scored[["ward", "source"]].equals(survey[["ward", "source"]])
    assert scored["rank"].min() == 1
    assert scored["rank"].max() <= N_POPULATION
    # All rows are unlabeled, so only the average over the class prior makes a difference.
    chance = scored["posterior_if_unlabeled"]
    np.testing.assert_allclose(chance, scored["posterior"], atol=0.05)
    assert chance.mean() == pytest.approx(scored["posterior"].mean(), rel=0.05)
    assert (scored["decision_if_unlabeled"] == (chance > 0.5)).all()
    assert scored["score"][truth].mean() > scored["score"][~truth].mean()
    page = (out / "report.html").read_text("utf-8")
    assert "300 cases come from register.csv." in page
    assert "of them unlabeled</small>" not in page


def test_a_note_that_the_number_of_positives_refers_to_is_shown(folder, run, tmp_path):
    cases, population = (pd.read_csv(folder / f"{name}.csv") for name in ("register", "survey"))
    shared = cases[["age", "dose", "ward"]]
    pd.concat([population[shared.columns], shared[:40]]).to_csv(tmp_path / "all.csv", index=False)
    shared.to_csv(tmp_path / "cases.csv", index=False)
    words = ("--cases", tmp_path / "cases.csv", "--population", tmp_path / "all.csv")
    said = run("fit", *words, *METHOD, "--out", tmp_path / "out").stdout
    assert "but see PU206" in said
    assert "Note (PU206): 40 " in said


def test_an_audit_recognizes_the_rows(fitted, folder, run):
    out, _ = fitted
    check = folder / "check"
    table = str(folder / "survey.csv")
    result = run("audit", str(out), "--table", table, "--rows", "60", "--out", str(check))
    assert result.exit_code == 0, result.stdout + result.stderr
    assert "60 of the 900 unlabeled rows of survey.csv were drawn" in result.stdout + result.stderr
    assert "audited as new rows" not in result.stdout + result.stderr
    assert "no held-out scores" not in result.stdout + result.stderr


def test_predict_recognizes_them_too(fitted, folder, run):
    out, _ = fitted
    result = run("predict", str(out), str(folder / "survey.csv"), "--out", str(folder / "new.csv"))
    assert result.exit_code == 0, result.stdout + result.stderr
    assert "rows that the model was fitted to" in result.stdout + result.stderr


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("cases",), "`--cases` must go with `--population`"),
        (("population",), "`--population` must go with `--cases`"),
        (("cases", "population", "label"), "`--label` must be left out"),
        (("cases", "population", "table"), "TABLE must be left out"),
        (("cases", "population", "negative"), "`--negative` must be left out"),
        ((), "TABLE is missing"),
    ],
)
def test_wrong_combinations_are_rejected(folder, run, given, words):
    known = {
        "cases": ["--cases", str(folder / "register.csv")],
        "population": ["--population", str(folder / "survey.csv")],
        "label": ["--label", "ward"],
        "negative": ["--negative", "no"],
        "table": [str(folder / "survey.csv")],
    }
    options = [word for name in given for word in known[name]]
    result = run("fit", *options, "--out", str(folder / "no"))
    assert result.exit_code == 2
    assert words in " ".join((result.stdout + result.stderr).split())
    assert not (folder / "no").exists()


def test_an_empty_file_is_named(folder, run):
    (folder / "empty.csv").write_text("")
    files = ["--cases", str(folder / "register.csv"), "--population", str(folder / "empty.csv")]
    result = run("fit", *files, "--out", str(folder / "no"))
    assert result.exit_code == 2
    assert "empty.csv, which is empty" in result.stdout + result.stderr
