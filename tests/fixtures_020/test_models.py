"""Models that 0.2.0 saved load, give the same numbers, and can be saved and fitted again."""

from __future__ import annotations

import json
import warnings
import zipfile
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from tests.fixtures_020.rows import typed
from unlabeled.app.model_files import Card, ModelFileError, export_onnx, read_model, write_model
from unlabeled.audit import Audit
from unlabeled.engine.of_020 import ATTRIBUTES

with zipfile.ZipFile(Path(__file__).with_name("files.zip")) as archive:
    MODELS = sorted(name.split("/")[1] for name in archive.namelist() if "model.skops" in name
                    and name.startswith("models/"))  # fmt: skip

# Of another version of a package PU116 warns, as it should.
pytestmark = pytest.mark.filterwarnings("ignore::unlabeled.codes.PUWarning")


@pytest.fixture(scope="module")
def rows(files):
    return typed(json.loads((files / "models" / "rows.json").read_text()))


def close(actual, expected):
    np.testing.assert_allclose(actual, expected, rtol=1e-10, atol=1e-10)


def assert_says(model, rows, said):
    features = model[0].transform(rows)
    assert model[0].get_feature_names_out().tolist() == said["names"]
    close(features, said["features"])
    close(model[-1].positive_score(features), said["score"])
    close(model.predict_proba(rows)[:, 1], said["posterior"])
    assert model.predict(rows).tolist() == said["decision"]


def test_there_is_a_model_of_every_kind():
    assert len(MODELS) == 23


@pytest.mark.parametrize("name", MODELS)
def test_a_model_says_the_same(name, files, rows, said):
    model, card = read_model(files / "models" / name)
    of_020 = said["models"][name]["card"]
    respelled = json.loads(json.dumps(of_020).replace("labelled", "labeled"))
    assert card.to_dict() | {"format": 2} == respelled
    assert_says(model, rows, said["models"][name])
    assert not set(vars(model[-1])) & set(ATTRIBUTES)  # all have today's names


@pytest.mark.parametrize("name", MODELS)
def test_a_model_can_be_saved_again(name, files, rows, said, tmp_path):
    if name == "threshold_pipeline" and "multi_class" in LogisticRegression().get_params():
        pytest.skip("scikit-learn is older than the one of the files, and wants one setting more")
    model, _ = read_model(files / "models" / name)
    table = {"sha256": "0" * 64, "rows": 300, "columns": 16}
    write_model(model, tmp_path, Card.of(model, label="ill", positive="1", fingerprint=table))
    again, _ = read_model(tmp_path)
    assert_says(again, rows, said["models"][name])


def test_a_file_that_changed_by_one_byte_is_rejected(files, tmp_path):
    for file in (files / "models" / "naive").iterdir():
        data = bytearray(file.read_bytes())
        if file.name == "model.skops":
            data[len(data) // 2] ^= 1
        (tmp_path / file.name).write_bytes(data)
    with pytest.raises(ModelFileError):
        read_model(tmp_path)


def test_a_line_can_be_exported(files, rows, said, tmp_path):
    onnxruntime = pytest.importorskip("onnxruntime")
    model, _ = read_model(files / "models" / "pu_logistic")
    inputs = export_onnx(model, tmp_path / "model.onnx")
    session = onnxruntime.InferenceSession(tmp_path / "model.onnx")
    given = {}
    for name in inputs:
        if name in ("sex", "region"):
            given[name] = rows[name].fillna("").to_numpy(dtype=object)[:, None]
        else:
            given[name] = rows[name].to_numpy(dtype=np.float64)[:, None]
    score, posterior, decision = session.run(None, given)
    close(score[:, 0] + model[-1].threshold_, said["models"]["pu_logistic"]["score"])
    close(posterior[:, 0], said["models"]["pu_logistic"]["posterior"])
    assert decision[:, 0].tolist() == said["models"]["pu_logistic"]["decision"]


def test_an_audit_of_a_line_can_be_estimated_and_mends_its_cut(files, rows, said):
    folder = files / "models"
    audit = Audit.from_dict(json.loads((folder / "audit.json").read_text()))
    answers = json.loads((folder / "answers.json").read_text())["answers"]
    model, _ = read_model(folder / "pu_logistic")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mended = audit.estimate(answers).recut(model[-1])
    features = model[0].transform(rows)
    close(mended.predict_proba(features)[:, 1], said["models"]["audited"]["posterior"])
    assert mended.predict(features).tolist() == said["models"]["audited"]["decision"]
