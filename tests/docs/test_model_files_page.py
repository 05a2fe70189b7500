"""The page about model files: its example runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.docs.pages import blocks_of, text_of
from unlabeled.app.model_files import ModelFileError
from unlabeled.app.model_files._nodes import NodeCheck

PAGE = "start/model_files"


def test_the_example_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"patient": [f"P{i:03d}" for i in range(400)], "age": rng.normal(size=400)}
    ).assign(treatment_date=None, first_visit="2024-01-01", notes="tired")
    ill = rng.random(400) < 1 / (1 + np.exp(-2 * frame["age"]))
    frame["diagnosis"] = np.where(ill & (rng.random(400) < 0.5), "yes", None)
    frame.to_csv("patients.csv", index=False)
    names: dict[str, object] = {}
    exec(blocks_of(PAGE, "python")[0], names)
    assert names["loaded"].predict_proba(names["prepared"].X).shape == (400, 2)
    assert sorted(path.name for path in Path("patients").iterdir()) == ["model.json", "model.skops"]


def test_the_message_it_shows_is_the_real_one():
    node = {"__loader__": "FunctionNode", "__module__": "os", "__class__": "system", "__id__": 1}
    with pytest.raises(ModelFileError) as why:
        NodeCheck().visit(node)
    assert str(why.value) in " ".join(text_of(PAGE).split())
