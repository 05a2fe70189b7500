"""The exported graph computes what the pipeline does."""

from __future__ import annotations

import sys

import numpy as np
import onnxruntime
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline

from unlabeled import EnhancedLogistic, NaiveLogistic, PULogistic, PUThresholdClassifier
from unlabeled.app.model_files import ModelFileError, export_onnx, read_model, write_model
from unlabeled.app.tables import table_pipeline
from unlabeled.audit import draw_audit

COLUMNS = ["age", "visits", "bmi", "sex", "région", "ward", "smoker", "insured"]


@pytest.fixture(scope="module")
def plain(table):
    return table[0][COLUMNS], table[1]


@pytest.fixture
def rows(make_table):
    """Return rows with missing cells in every column, and rare, unseen and odd levels."""
    frame = make_table(300, seed=3)[0][COLUMNS].astype({"ward": object, "smoker": "boolean"})
    frame.loc[:9, "age"] = np.nan
    frame.loc[10:19, "smoker"] = pd.NA
    frame.loc[20:29, ["sex", "région", "ward"]] = None
    frame.loc[30:39, ["sex", "région", "ward"]] = "unseen"
    frame.loc[40:49, "région"] = "moon"
    frame.loc[50:59, ["sex", "région", "ward"]] = "NA"
    frame.loc[60:69, ["sex", "région"]] = "?"
    frame.loc[70:74, "sex"] = "  "[:1]
    frame.loc[75:79, "age"] = [1e-8, 1e7, -1e5, 1 / 3, 123456789.123]
    return frame


def outputs_of(path, rows):
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    given = {}
    for one in session.get_inputs():
        column = rows[one.name]
        if one.type == "tensor(string)":
            given[one.name] = column.fillna("").to_numpy(dtype=object)[:, None]
        else:
            assert one.type == "tensor(double)"
            numbers = column.astype("Float64").to_numpy(dtype=np.float64, na_value=np.nan)
            given[one.name] = numbers[:, None]
    named = zip([one.name for one in session.get_outputs()], session.run(None, given), strict=True)
    return {name: values[:, 0] for name, values in named}


def assert_equal(model, path, rows):
    found = outputs_of(path, rows)
    assert list(found) == ["score", "posterior", "decision"]
    score = model.decision_function(rows)
    np.testing.assert_allclose(found["score"], score, rtol=1e-12, atol=1e-12)
    posterior = model.predict_proba(rows)[:, 1]
    np.testing.assert_allclose(found["posterior"], posterior, rtol=0, atol=1e-12)
    assert found["decision"].dtype == np.int64
    np.testing.assert_array_equal(found["decision"], model.predict(rows))


@pytest.mark.parametrize(
    "name", ["pu-logistic", "enhanced", "joint", "naive", "weighted", "threshold"]
)
def test_it_gives_the_numbers_of_the_pipeline(name, plain, rows, fitted, tmp_path):
    model = fitted(name, *plain)
    assert export_onnx(model, tmp_path / "m.onnx") == tuple(COLUMNS)
    assert_equal(model, tmp_path / "m.onnx", rows)


def test_it_is_the_same_for_a_model_that_was_loaded(plain, rows, fitted, card_of, tmp_path):
    model = fitted("enhanced", *plain)
    write_model(model, tmp_path, card_of(model))
    loaded, _ = read_model(tmp_path)
    export_onnx(loaded, tmp_path / "m.onnx")
    assert_equal(model, tmp_path / "m.onnx", rows)


def test_a_single_row_and_a_million_different_ones_have_one_graph(plain, rows, fitted, tmp_path):
    export_onnx(fitted("enhanced", *plain), tmp_path / "m.onnx")
    together = outputs_of(tmp_path / "m.onnx", rows)["score"]
    alone = [outputs_of(tmp_path / "m.onnx", rows.iloc[[i]])["score"][0] for i in (0, 25, 45)]
    np.testing.assert_allclose(alone, together[[0, 25, 45]], rtol=0, atol=1e-12)


def test_without_rare_and_missing_levels_unknown_ones_count_as_the_most_frequent(
    plain, rows, fitted, tmp_path
):
    frame, s = plain
    model = fitted("enhanced", frame[["age", "sex"]], s)
    export_onnx(model, tmp_path / "m.onnx")
    assert_equal(model, tmp_path / "m.onnx", rows)


def test_scores_point_to_the_positive_class_when_that_is_the_smaller_value(plain, rows, tmp_path):
    frame, s = plain
    model = table_pipeline(EnhancedLogistic(pos_label="ill"))
    model.fit(frame, np.where(s == 1, "ill", "unknown"))
    export_onnx(model, tmp_path / "m.onnx")
    found = outputs_of(tmp_path / "m.onnx", rows)
    np.testing.assert_allclose(found["score"], -model.decision_function(rows), atol=1e-12)
    np.testing.assert_allclose(found["posterior"], model.predict_proba(rows)[:, 0], atol=1e-12)
    assert (found["decision"] == 1).tolist() == (model.predict(rows) == "ill").tolist()


def test_a_threshold_over_a_fitted_classifier_with_other_labels(plain, rows, tmp_path):
    frame, s = plain
    inner = NaiveLogistic(pos_label="a")
    numbers = frame[["age", "visits"]]
    inner.fit(numbers.to_numpy(), np.where(s == 1, "a", "b"))
    outer = PUThresholdClassifier(inner, cv="prefit", pos_label="a")
    model = table_pipeline(outer).fit(numbers, np.where(s == 1, "a", "b"))
    export_onnx(model, tmp_path / "m.onnx")
    found = outputs_of(tmp_path / "m.onnx", rows)
    np.testing.assert_allclose(found["posterior"], model.predict_proba(rows)[:, 0], atol=1e-12)
    assert (found["decision"] == 1).tolist() == (model.predict(rows) == "a").tolist()


def test_a_column_without_a_feature_is_not_an_input(plain, fitted, tmp_path):
    frame = plain[0][["age", "sex"]].assign(hospital="St Anne")
    assert export_onnx(fitted("naive", frame, plain[1]), tmp_path / "m.onnx") == ("age", "sex")


def test_columns_may_have_names_that_the_graph_uses(plain, rows, fitted, tmp_path):
    renamed = {"age": "_concat_0", "bmi": "_", "sex": "__constant_0", "visits": "a (b) / c"}
    frame = plain[0][list(renamed)].rename(columns=renamed)
    model = fitted("enhanced", frame, plain[1])
    export_onnx(model, tmp_path / "m.onnx")
    assert_equal(model, tmp_path / "m.onnx", rows[list(renamed)].rename(columns=renamed))


def test_dates_and_text_are_rejected_by_name(table, fitted, tmp_path):
    model = fitted("naive", table[0], table[1])
    with pytest.raises(ModelFileError, match="'visit', 'seen', 'written', 'notes'"):
        export_onnx(model, tmp_path / "m.onnx")
    assert not list(tmp_path.iterdir())


def test_a_classifier_that_is_not_linear_is_rejected_by_name(plain, tmp_path):
    frame, s = plain
    model = table_pipeline(PUThresholdClassifier(LogisticRegression(), cv="train"))
    with pytest.raises(ModelFileError, match="`pipeline` must .*; got LogisticRegression"):
        export_onnx(model.fit(frame[["age"]], s), tmp_path / "m.onnx")


def test_a_column_with_the_name_of_an_output_is_rejected(plain, tmp_path):
    frame = plain[0][["age"]].rename(columns={"age": "score"})
    model = table_pipeline(PULogistic(C=1.0)).fit(frame, plain[1])
    with pytest.raises(ModelFileError, match="no column named score, .*; got 'score'"):
        export_onnx(model, tmp_path / "m.onnx")


def test_without_onnx_it_says_how_to_install_it(plain, fitted, tmp_path, monkeypatch):
    model = fitted("naive", plain[0][["age"]], plain[1])
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match=r"pip install 'unlabeled\[onnx\]'") as why:
        export_onnx(model, tmp_path / "m.onnx")
    assert why.value.name == "onnx"


def test_a_mended_classifier_is_exported(plain, rows, fitted, tmp_path):
    frame, s = plain
    model = fitted("pu-logistic", frame, s)
    audit = draw_audit(model, frame, s, random_state=0)
    better = audit.estimate(np.ones(100)).recut(model[-1], rule="balanced_accuracy")
    mended = Pipeline([("table", model[0]), ("classifier", better)])
    export_onnx(mended, tmp_path / "mended.onnx")
    assert_equal(mended, tmp_path / "mended.onnx", rows)
    assert better.threshold_ != model[-1].threshold_
