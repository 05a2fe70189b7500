"""`unlabeled fit --method ensemble` and `--method auto`, and the verdict of `compare`."""

from __future__ import annotations

import json
from html import unescape
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from unlabeled.app.run._methods import COMPARED, QUICK, simple_to_complex

LABEL = ("--label", "label")


def table_of(eta, seed, folder):
    """Write a table of two features, half of whose positives are labeled."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(500, 2)).round(3)
    positive = rng.random(500) < 1 / (1 + np.exp(-eta(X)))
    labeled = positive & (rng.random(500) < 0.5)
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(label=np.where(labeled, "yes", None))
    path = folder / "table.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def linear(tmp_path_factory):
    return table_of(lambda X: 2 * X[:, 0], 0, tmp_path_factory.mktemp("linear"))


@pytest.fixture(scope="module")
def bent(tmp_path_factory):
    return table_of(lambda X: 6 * X[:, 0] * X[:, 1], 0, tmp_path_factory.mktemp("bent"))


@pytest.fixture
def fit(run, tmp_path):
    """Return a function that fits and returns the result, the summary and the folder."""

    def fitted(table, *options):
        out = tmp_path / "fit"
        result = run("fit", table, *LABEL, "--no-compare", "--no-checks", "--out", out, *options)
        assert result.exit_code == 0, result.stderr
        return result, json.loads((out / "summary.json").read_text()), out

    return fitted


def test_an_ensemble_is_fitted_and_its_members_take_the_place_of_coefficients(fit, bent):
    result, found, out = fit(bent, "--method", "ensemble", "--rule", "balanced_accuracy")
    method = found["method"]
    assert (method["name"], method["class"], method["why"]) == ("ensemble", "PUEnsemble", None)
    assert "balanced accuracy" in method["cut"]
    assert [one["name"] for one in method["members"]] == ["line", "trees"]
    assert [one["what"] for one in method["members"]] == ["PULogistic", "ExtraTreesClassifier"]
    line, trees = method["members"]
    assert trees["weight"] > line["weight"] >= 0
    assert line["log_likelihood"] < trees["log_likelihood"] < 0
    assert found["coefficients"]["rows"] == []
    assert found["curve"]["honest"]
    assert "Members of the ensemble" in (out / "report.html").read_text()
    assert "PUEnsemble: line" in result.stderr  # progress of an ensemble that was asked for
    assert "There is no interval" not in result.stdout
    prior = found["class_prior"]
    assert [one["name"] for one in prior["said"]] == ["line", "trees"]
    assert prior["lower"] < prior["estimate"] < prior["upper"]
    assert prior["identified"] in ("well", "roughly", "not at all")
    scored = pd.read_csv(out / "scored.csv")
    assert scored["held_out_posterior"].between(0, 1).all()


def test_auto_takes_the_line_where_it_is_enough_and_says_why(fit, linear):
    result, found, out = fit(linear, "--method", "auto", "--json")
    assert json.loads(result.stdout) == found  # nothing else is on stdout
    assert (found["method"]["name"], found["method"]["class"]) == ("pu-logistic", "PULogistic")
    assert found["method"]["why"].startswith("The line is used")
    assert "standard error" in found["method"]["why"]
    assert found["method"]["why"] in result.stderr
    assert found["method"]["why"] in (out / "report.html").read_text()
    assert found["method"]["members"] == []
    assert len(found["coefficients"]["rows"]) == 2
    # The line decides, and all members count.
    _, ensemble, _ = fit(linear, "--method", "ensemble", "--force")
    assert found["class_prior"] == ensemble["class_prior"]
    _, asked, _ = fit(linear, "--method", "pu-logistic", "--force")
    assert asked["class_prior"]["said"] == []


def test_a_line_that_auto_takes_uses_the_class_prior_that_was_given(fit, linear):
    prior = ("--class-prior", "0.6", "--force")
    _, chosen, out = fit(linear, "--method", "auto", *prior)
    assert chosen["method"]["name"] == "pu-logistic"
    by_auto = pd.read_csv(out / "scored.csv")
    _, asked, _ = fit(linear, "--method", "pu-logistic", *prior)
    pd.testing.assert_frame_equal(by_auto, pd.read_csv(out / "scored.csv"), check_exact=True)
    assert chosen["cut"] == asked["cut"]
    assert chosen["class_prior"] == asked["class_prior"]


def test_auto_takes_the_ensemble_where_left_out_labels_are_likelier_under_it(fit, bent):
    result, found, _ = fit(bent, "--method", "auto", "--quiet")
    assert found["method"]["name"] == "ensemble"
    assert found["method"]["why"].startswith("The ensemble is used")
    assert result.stderr == ""


def test_a_comparison_without_the_ensemble_that_was_used_says_so(run, bent, tmp_path, monkeypatch):
    monkeypatch.setattr("unlabeled.app.run._fit.QUICK", ("naive", "pu-logistic"))
    monkeypatch.setattr("unlabeled.app.run._fit._REPEATS", 2)
    result = run("fit", bent, *LABEL, "--no-checks", "--compare", "--out", tmp_path / "fit")
    assert result.exit_code == 0, result.stderr
    said = "The method that was used, the ensemble, is not among the compared ones"
    assert said in result.stderr
    assert said in (tmp_path / "fit" / "report.html").read_text()


def with_answers(eta, follows, folder, n_answers=100):
    """Write a table whose labels follow a column, and what was found of some rows."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(900, 3)).round(3)
    positive = rng.random(900) < 1 / (1 + np.exp(-eta(X)))
    labeled = positive & (rng.random(900) < 1 / (1 + np.exp(1 - follows * X[:, 2])))
    rows = rng.permutation(np.flatnonzero(~labeled))[:n_answers]
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(label=np.where(labeled, "yes", None))
    frame["seen"] = None
    frame.loc[rows, "seen"] = np.where(positive[rows], "yes", "no")
    path = folder / "checked.csv"
    frame.to_csv(path, index=False)
    unseen = frame["label"].isna() & frame["seen"].isna()
    return path, positive, unseen.to_numpy()


@pytest.fixture(scope="module")
def checked_bent(run, tmp_path_factory):
    """A table that no line fits, whose labels follow a column: by labels, and by answers too."""
    folder = tmp_path_factory.mktemp("answers")
    path, positive, unseen = with_answers(lambda X: 6 * X[:, 0] * X[:, 1], 2, folder)
    words = (*LABEL, "--no-compare", "--no-checks")
    out = folder / "labels"
    assert run("fit", path, *words, "--drop", "seen", "--out", out).exit_code == 0
    answered = run("fit", path, *words, "--checked", "seen", "--out", folder / "answers")
    assert answered.exit_code == 0, answered.stderr
    return SimpleNamespace(
        path=path, positive=positive, unseen=unseen, labels=out, out=folder / "answers",
        result=answered,
    )  # fmt: skip


def test_checked_rows_mend_ranking_and_count_of_an_ensemble(checked_bent):
    """The labels follow a column that says nothing of the class; the answers do not."""
    fits = [checked_bent.labels, checked_bent.out]
    labels, answered = (json.loads((one / "summary.json").read_text()) for one in fits)
    assert labels["method"]["name"] == answered["method"]["name"] == "ensemble"
    assert answered["method"]["why"] == labels["method"]["why"]  # chosen by labels alone
    truth, unseen = checked_bent.positive, checked_bent.unseen
    by_labels, by_answers = (
        roc_auc_score(truth[unseen], pd.read_csv(one / "scored.csv")["score"][unseen])
        for one in fits
    )
    assert by_answers > by_labels + 0.05
    count = answered["positives"]
    assert count["lower"] < truth.sum() < count["upper"]
    assert abs(count["estimate"] - truth.sum()) < abs(labels["positives"]["estimate"] - truth.sum())
    assert answered["checked"]["positive"] + answered["checked"]["negative"] == 100
    assert answered["class_prior"]["method"] == "by labels and answers"
    cut = answered["cut"]
    selected = pd.read_csv(checked_bent.out / "scored.csv")["decision"].to_numpy() == 1
    assert abs(cut["recall"] - selected[truth].mean()) < 0.1
    assert cut["precision_lower"] < truth[selected].mean() < cut["precision_upper"]


def test_what_a_fit_with_answers_says(checked_bent):
    said = checked_bent.result.stdout
    page = (checked_bent.out / "report.html").read_text()
    assert "The line is used, because" not in checked_bent.result.stderr
    for words in (
        "if rows were chosen for checking before anybody knew their class",
        "Labels alone said a class prior of 0.",
        "an answer is more probable than by labels alone",
    ):
        assert words in said
        assert words in page
    assert "labeled rows and 100 answers)" in said
    assert "It does not cover wrong answers." in page
    assert "(SCAR)" not in page[: page.index("Choosing the cut")]  # no assumption of the count
    scored = pd.read_csv(checked_bent.out / "scored.csv")
    unlabeled = scored[scored["labeled"] == 0]
    ends = [unlabeled[f"posterior_if_unlabeled{end}"] for end in ("_lower", "", "_upper")]
    assert (ends[0] <= ends[1]).all()
    assert (ends[1] <= ends[2]).all()
    why = unlabeled.sort_values("rank_among_unlabeled")["because"]
    assert why.iloc[0].startswith(("a ", "b "))


def test_a_model_of_answers_scores_new_rows_and_says_what_onnx_cannot(run, checked_bent, tmp_path):
    new = tmp_path / "new.csv"
    rows = pd.read_csv(checked_bent.path).drop(columns=["label", "seen"]).head(20) + 0.01
    rows.to_csv(new, index=False)
    scored = tmp_path / "scored.csv"
    assert run("predict", checked_bent.out, new, "--out", scored).exit_code == 0
    found = pd.read_csv(scored)
    by_logit = 1 / (1 + np.exp(-found["score"]))
    assert np.allclose(found["posterior"], by_logit)
    refused = run("export", checked_bent.out, "--out", tmp_path / "model.onnx")
    assert refused.exit_code == 2
    assert "PUEnsemble" in refused.stderr


def test_a_line_that_auto_takes_with_answers_has_their_count(run, tmp_path):
    path, positive, _ = with_answers(lambda X: 2 * X[:, 0], 2, tmp_path)
    out = tmp_path / "fit"
    words = ("--checked", "seen", "--no-checks", "--no-compare", "--out", out)
    result = run("fit", path, *LABEL, *words)
    assert result.exit_code == 0, result.stderr
    found = json.loads((out / "summary.json").read_text())
    assert found["method"]["name"] == "pu-logistic"
    assert len(found["coefficients"]["rows"]) == 3
    count = found["positives"]
    assert count["lower"] < positive.sum() < count["upper"]
    assert "Labels alone said a class prior of 0." in result.stdout
    unlabeled = pd.read_csv(out / "scored.csv").query("labeled == 0")
    middle = unlabeled["posterior_if_unlabeled"]
    assert (unlabeled["posterior_if_unlabeled_lower"] <= middle).all()
    assert (middle <= unlabeled["posterior_if_unlabeled_upper"]).all()
    assert middle.sum() == pytest.approx(found["hidden_positives"]["estimate"], rel=0.05)


@pytest.fixture(scope="module")
def named(run, checked_bent, tmp_path_factory):
    """The same table, with the name of the column that labels follow."""
    out = tmp_path_factory.mktemp("named") / "fit"
    words = (*LABEL, "--drop", "seen", "--labeled-by", "c", "--out", out)
    result = run("fit", checked_bent.path, *words)
    assert result.exit_code == 0, result.stderr
    return SimpleNamespace(out=out, result=result)


def test_a_name_mends_ranking_and_count_of_an_ensemble(checked_bent, named):
    found = json.loads((named.out / "summary.json").read_text())
    assert found["method"]["name"] == "ensemble"
    truth, unseen = checked_bent.positive, checked_bent.unseen
    by_labels, by_name = (
        roc_auc_score(truth[unseen], pd.read_csv(one / "scored.csv")["score"][unseen])
        for one in (checked_bent.labels, named.out)
    )
    assert by_name > by_labels + 0.05
    count = found["positives"]
    assert count["lower"] < truth.sum() < count["upper"]


def test_what_a_fit_with_a_name_says_of_labels(run, checked_bent, named, tmp_path):
    said, page = named.result.stdout, unescape((named.out / "report.html").read_text())
    found = json.loads((named.out / "summary.json").read_text())["labeled_by"]
    assert found["columns"] == ["c"]
    high, low = found["settings"]
    assert float(high["value"]) > 0 > float(low["value"])
    table = pd.read_csv(checked_bent.path)
    labeled = table["label"].notna() & checked_bent.positive
    ends = (table["c"] >= table["c"].quantile(0.8)), (table["c"] <= table["c"].quantile(0.2))
    for setting, rows in zip((high, low), ends, strict=True):  # the share of positives, labeled
        truth = labeled[rows].sum() / checked_bent.positive[rows.to_numpy()].sum()
        assert abs(setting["labeled"] - truth) < 0.15
    for words in (found["sentence"], "if labels follow only c", "they follow 'c'"):
        assert words in said
        assert words in page
    assert "if labels are random" not in said
    assert json.loads((named.out / "model.json").read_text())["labeled_by"] == ["c"]
    check = tmp_path / "check"
    drawn = run("audit", named.out, "--table", checked_bent.path, "--rows", 50, "--out", check)
    assert drawn.exit_code == 0, drawn.stderr
    both = (*LABEL, "--labeled-by", "c", "--checked", "seen", "--no-checks", "--no-compare")
    result = run("fit", checked_bent.path, *both, "--out", tmp_path / "both")
    assert result.exit_code == 0, result.stderr
    assert "if labels follow only c" in result.stdout


def test_a_name_of_a_category_and_a_class_prior(run, tmp_path):
    """Labels of an ensemble follow wards; with a class prior the line is used."""
    rng = np.random.default_rng(4)
    X, ward = rng.normal(size=(900, 2)).round(3), rng.choice(["A", "B", "C"], 900)
    positive = rng.random(900) < 1 / (1 + np.exp(-6 * X[:, 0] * X[:, 1]))
    often = pd.Series(ward).map({"A": 0.15, "B": 0.7, "C": 0.4}).to_numpy()
    labeled = positive & (rng.random(900) < often)
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(ward=ward, late=rng.random(900) < 0.5)
    path, out = tmp_path / "wards.csv", tmp_path / "fit"
    frame.assign(label=np.where(labeled, "yes", None)).to_csv(path, index=False)
    words = (*LABEL, "--labeled-by", "ward", "--labeled-by", "late", "--no-compare", "--out", out)
    result = run("fit", path, *words)
    assert result.exit_code == 0, result.stderr
    found = json.loads((out / "summary.json").read_text())
    assert found["method"]["name"] == "ensemble"
    settings = {one["value"]: one for one in found["labeled_by"]["settings"]}
    assert settings.keys() == {"A", "B", "C", "yes", "no"}
    assert settings["A"]["rows"] == (ward == "A").sum()
    assert settings["B"]["labeled"] > 2 * settings["A"]["labeled"]
    result = run("fit", path, *words, "--force", "--class-prior", "0.5", "--no-checks")
    assert "finds the class prior by itself" in result.stderr
    found = json.loads((out / "summary.json").read_text())
    assert found["method"]["name"] == "propensity-logistic"


def test_checked_rows_need_a_method_that_uses_them(run, checked_bent, tmp_path):
    words = (*LABEL, "--checked", "seen", "--out", tmp_path / "fit", "--method", "naive")
    refused = run("fit", checked_bent.path, *words)
    assert refused.exit_code == 2
    assert "`--method auto`, add `--rule`" in refused.stderr
    taken = run("fit", checked_bent.path, *words, "--rule", "f1", "--no-checks", "--no-compare")
    assert taken.exit_code == 0, taken.stderr


def test_the_verdict_goes_from_simple_to_complex():
    assert simple_to_complex(COMPARED) == ("naive", "naive-cut", "pu-logistic", "ensemble")
    assert simple_to_complex(QUICK) == ("naive", "naive-cut", "pu-logistic", "forest")
    assert simple_to_complex(["ensemble", "pu-logistic"]) == ("pu-logistic", "ensemble")
    assert simple_to_complex(["joint", "naive"]) is None


def test_compare_says_that_the_ensemble_is_worth_having(run, bent):
    methods = ("--method", "pu-logistic", "--method", "ensemble")
    result = run("compare", bent, *LABEL, "--repeats", "2", "--quiet", *methods)
    assert result.exit_code == 0, result.stderr
    (said,) = [line for line in result.stdout.splitlines() if "worth having" in line]
    worth = "Of pu-logistic and ensemble, ensemble is worth having: pu-logistic is clearly worse"
    assert said.startswith(worth)
    assert "standard error" in said
