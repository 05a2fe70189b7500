"""`write_report`: the report of a model that was fitted in Python, in one line."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from tests.app.report.page_reader import read_page, section
from unlabeled import (
    JointLogistic,
    NaiveLogistic,
    PropensityLogistic,
    PUEnsemble,
    PULogistic,
    PUThresholdClassifier,
)
from unlabeled.app import ReportError, table_pipeline, write_report
from unlabeled.app.table_model import given_fit, record_of_given
from unlabeled.datasets import make_paper_gaussian

pytestmark = pytest.mark.filterwarnings("ignore:.*PU[12]")

DATA = make_paper_gaussian(n=600, label_frequency=0.5, random_state=0)
FRAME = pd.DataFrame(DATA.X, columns=["age", "dose", "weight"])
TABLE = FRAME.assign(sex=np.where(DATA.X[:, 0] > 0.3, "f", "m"))
ILL = pd.Series(np.where(DATA.s == 1, "yes", "no"), name="ill")
FOREST = RandomForestClassifier(50, min_samples_leaf=5, random_state=0)
OF_SEX = make_column_transformer((OneHotEncoder(), ["sex"]), remainder="passthrough")
MODELS = {
    "a line": (PULogistic(), FRAME),
    "a line of an array": (PULogistic(), DATA.X),
    "an ensemble": (PUEnsemble(random_state=0), FRAME),
    "a forest": (PUThresholdClassifier(FOREST, "f1", random_state=0), FRAME),
    "a joint fit": (JointLogistic(), FRAME),
    "a naive fit": (NaiveLogistic(), DATA.X),
    "labels that follow a column": (PropensityLogistic(propensity_features=["dose"]), FRAME),
    "a given class prior": (PULogistic(class_prior=0.3), FRAME),
    "two samples": (PULogistic(sampling="two-sample"), FRAME),
    "a pipeline": (make_pipeline(StandardScaler(), PULogistic()), FRAME),
    "a table": (table_pipeline(PULogistic()), TABLE),
    "columns of text": (
        PUThresholdClassifier(make_pipeline(OF_SEX, LogisticRegression()), "f1", random_state=0),
        TABLE,
    ),
}


@pytest.mark.parametrize("name", MODELS)
def test_a_report_of_any_classifier_is_one_line(name, tmp_path):
    model, X = MODELS[name]
    model.fit(X, ILL)
    write_report(model, X, ILL, tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text("utf-8")
    assert read_page(page)
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]
    assert "unlabeled predict" not in page
    assert 'id="rows"' not in page
    assert "SHA-256" not in page


@pytest.mark.parametrize("name", ["a line", "a table", "a pipeline"])
def test_a_report_from_python_says_what_the_record_of_a_table_says(name):
    model, X = MODELS[name]
    model.fit(X, ILL)
    record = record_of_given(given_fit(model, X, ILL), X, checks=False)
    classifier = model[-1] if hasattr(model, "steps") else model
    assert record.class_prior["estimate"] == classifier.class_prior_
    assert (record.class_prior["lower"], record.class_prior["upper"]) == pytest.approx(
        tuple(classifier.class_prior_interval())
    )
    assert record.label["column"] == "ill"
    assert record.label["labeled"] == int(DATA.s.sum())
    assert record.columns["used"] == list(X)
    assert {row["column"] for row in record.coefficients["rows"]} == set(X)
    assert record.cut["threshold"] == classifier.threshold_
    assert record.dump()["notes"]["checks"] == "not run: checks=False"


def test_a_report_finds_what_diagnose_finds(tmp_path):
    leak = np.c_[DATA.X, DATA.s + 0.001 * DATA.X[:, 0]]
    model = PULogistic().fit(leak, DATA.s)
    write_report(model, leak, DATA.s, tmp_path / "report.html")
    page = read_page((tmp_path / "report.html").read_text("utf-8"))
    assert "PU204" in section(page, "findings").text


def test_groups_and_checked_rows_are_on_the_page(tmp_path):
    groups = pd.Series(np.arange(600) // 2, name="patient")
    checked = np.where((DATA.s == 0) & (np.arange(600) < 60), DATA.y_true, np.nan)
    model = PULogistic().fit(FRAME, DATA.s, checked=checked, groups=groups)
    record = record_of_given(
        given_fit(model, FRAME, DATA.s, checked=checked, groups=groups), FRAME, checks=False
    )
    assert record.groups["column"] == "patient"
    assert record.groups["number"] == 300
    assert record.checked["positive"] == int(np.nansum(checked))


def refused(model, X, y, path, sentence):
    with pytest.raises(ReportError, match=sentence):
        write_report(model, X, y, path)
    assert not path.is_file()


def test_a_report_that_cannot_be_made_says_why_in_one_sentence(tmp_path):
    fitted, path = PULogistic().fit(DATA.X, DATA.s), tmp_path / "report.html"
    foreign = LogisticRegression().fit(DATA.X, DATA.s)
    refused(foreign, DATA.X, DATA.s, path, "^`model` must be a classifier of this library")
    refused(PULogistic(), DATA.X, DATA.s, path, "^`model` must be fitted")
    refused(fitted, DATA.X[:500], DATA.s[:500], path, "^`X` must be all training rows")
    refused(fitted, DATA.X[::-1], DATA.s[::-1], path, "^`X` must be all training rows")
    refused(fitted, DATA.X, DATA.s[:500], path, "^`y` must have a label for each")
    refused(fitted, DATA.X, ILL, path, "^`y` must hold the labels the estimator was fitted to")
    refused(fitted, "rows.csv", DATA.s, path, "^`X` must be an array or a pandas frame")
    refused(fitted, DATA.X, DATA.s, tmp_path / "rows.csv", "^`path` must be a file that ends in")
    (tmp_path / "folder.html").mkdir()
    refused(fitted, DATA.X, DATA.s, tmp_path / "folder.html", "^`path` must be a file .*a folder")
    weighted = PULogistic().fit(DATA.X, DATA.s, sample_weight=np.linspace(0.5, 1.5, 600))
    refused(weighted, DATA.X, DATA.s, path, "must be fitted without `sample_weight`")
    in_groups = PULogistic().fit(DATA.X, DATA.s, groups=np.arange(600) // 2)
    refused(
        in_groups,
        DATA.X,
        DATA.s,
        path,
        "^`groups` must be those of the fit, which had 300 groups; got",
    )
