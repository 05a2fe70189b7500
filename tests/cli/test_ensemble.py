"""`unlabeled fit --method ensemble` and `--method auto`, and the verdict of `compare`."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

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


def with_checked_rows(bent, tmp_path):
    frame = pd.read_csv(bent)
    unlabeled = frame.index[frame["label"].isna()]
    frame["seen"] = None
    frame.loc[unlabeled[:6], "seen"] = ["no", "yes"] * 3
    path = tmp_path / "checked.csv"
    frame.to_csv(path, index=False)
    return path, (*LABEL, "--checked", "seen", "--out", tmp_path / "fit")


def test_checked_rows_need_another_method(run, bent, tmp_path):
    path, words = with_checked_rows(bent, tmp_path)
    result = run("fit", path, *words, "--method", "ensemble")
    assert result.exit_code == 2
    assert "`--method pu-logistic`" in result.stderr


def test_auto_takes_the_line_with_checked_rows(run, bent, tmp_path):
    path, words = with_checked_rows(bent, tmp_path)
    result = run("fit", path, *words, "--no-checks", "--no-compare")
    assert result.exit_code == 0, result.stderr
    assert "The line is used, because an ensemble cannot use checked rows." in result.stderr


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
