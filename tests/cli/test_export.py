"""`unlabeled export` as somebody with a fitted model runs it."""

from __future__ import annotations

import sys

import numpy as np
import onnxruntime
import pandas as pd
import pytest

from unlabeled import NaiveLogistic
from unlabeled.app.model_files import Card, write_model
from unlabeled.app.tables import table_pipeline


@pytest.fixture(scope="module")
def fit(tmp_path_factory):
    """Return a function that saves a model with more columns, and returns its folder."""

    def saved(**more):
        rng = np.random.default_rng(0)
        frame = pd.DataFrame({"age": rng.normal(55, 9, 300), "sex": rng.choice(["f", "m"], 300)})
        frame = frame.assign(**more)
        s = (rng.random(300) < 1 / (1 + np.exp(-(frame["age"] - 60) / 9))).astype(int)
        model = table_pipeline(NaiveLogistic(C=1.0)).fit(frame, s)
        fingerprint = {"sha256": "0" * 64, "rows": 300, "columns": 3}
        folder = tmp_path_factory.mktemp("fits")
        write_model(model, folder, Card.of(model, label="s", positive="1", fingerprint=fingerprint))
        return folder

    return saved


@pytest.fixture(scope="module")
def folder(fit):
    return fit()


@pytest.fixture(scope="module")
def export(run):
    return lambda *words: run("export", *words)


def test_it_writes_a_graph_and_names_its_inputs(export, folder, tmp_path):
    result = export(folder, "--out", tmp_path / "model.onnx")
    assert result.exit_code == 0
    assert f"{tmp_path / 'model.onnx'} with 2 inputs: age, sex." in result.stdout
    session = onnxruntime.InferenceSession(tmp_path / "model.onnx")
    assert [one.name for one in session.get_outputs()] == ["score", "posterior", "decision"]


@pytest.mark.parametrize(
    ("what", "sentence"),
    [
        ("a date", "the model in DIR must"),
        ("no model", "DIR must be a folder with model.skops and model.json"),
        ("cut off", "model.skops is damaged"),
        ("no place", "`--out` must be in a folder that exists and can be written"),
        ("no --out", "Missing option '--out'"),
    ],
)
def test_bad_input_gets_a_sentence_and_exit_code_2_or_3(export, what, sentence, fit, tmp_path):
    days = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(300), "D")
    folder = fit(**({"visit": days} if what == "a date" else {}))
    out = ["--out", tmp_path / "model.onnx"]
    if what == "no model":
        folder = tmp_path
    elif what == "cut off":
        data = (folder / "model.skops").read_bytes()
        (folder / "model.skops").write_bytes(data[:-100])
    elif what == "no place":
        (tmp_path / "file").write_text("")
        out = ["--out", tmp_path / "file" / "model.onnx"]
    elif what == "no --out":
        out = []
    result = export(folder, *out)
    assert result.exit_code == (3 if what == "no place" else 2)
    assert sentence in " ".join(result.stderr.split())
    assert "Traceback" not in result.stdout + result.stderr
    assert not (tmp_path / "model.onnx").exists()


def test_only_an_onnx_file_is_written_and_an_existing_one_needs_force(export, folder, tmp_path):
    for name, code, said in (("t.csv", 2, "must end in .onnx; got"), ("m.onnx", 3, "`--force`")):
        (tmp_path / name).write_text("mine")
        result = export(folder, "--out", tmp_path / name)
        assert (result.exit_code, said in result.stderr) == (code, True)
        assert (tmp_path / name).read_text() == "mine"
    assert export(folder, "--out", tmp_path / "m.onnx", "--force").exit_code == 0


@pytest.mark.parametrize(("module", "extra"), [("onnx", "onnx"), ("skops.io", "tables")])
def test_without_the_extra_it_says_how_to_install_it(
    export, folder, tmp_path, monkeypatch, module, extra
):
    monkeypatch.setitem(sys.modules, module, None)
    result = export(folder, "--out", tmp_path / "model.onnx")
    assert result.exit_code == 2
    assert f"which is not installed: pip install 'unlabeled[{extra}]'." in result.stderr


def test_of_many_inputs_the_first_are_named(export, fit, tmp_path):
    rng = np.random.default_rng(1)
    folder = fit(**{f"x{j}": rng.normal(size=300) for j in range(60)})
    result = export(folder, "--out", tmp_path / "wide.onnx")
    assert result.exit_code == 0
    assert "with 62 inputs: age, sex, x0, x1, " in result.stdout
    assert result.stdout.rstrip().endswith("x37 and 22 more.")
