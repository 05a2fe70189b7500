"""`save_model` and `load_model`: one line each, for every model that Python fits."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from unlabeled import JointLogistic, PropensityLogistic, PULogistic, PUThresholdClassifier
from unlabeled.app import ModelFileError, load_model, save_model, table_pipeline
from unlabeled.app.model_files import read_model
from unlabeled.datasets import make_paper_gaussian

DATA = make_paper_gaussian(n=400, label_frequency=0.5, random_state=0)
FRAME = pd.DataFrame(DATA.X, columns=["age", "dose", "weight"])
TREES = ExtraTreesClassifier(20, min_samples_leaf=5, random_state=0)
MODELS = {
    "a line": PULogistic(),
    "a joint fit": JointLogistic(),
    "labels that follow a column": PropensityLogistic(propensity_features=[0]),
    "trees": PUThresholdClassifier(TREES, "f1", random_state=0),
    "a pipeline": make_pipeline(StandardScaler(), PULogistic()),
    "a table": table_pipeline(PULogistic()),
}


@pytest.mark.filterwarnings("ignore:.*PU1")
@pytest.mark.parametrize(
    ("name", "X"),
    [(name, FRAME) for name in MODELS] + [(name, DATA.X) for name in MODELS if name != "a table"],
)
def test_a_model_predicts_the_same_after_loading(name, X, tmp_path):
    model = MODELS[name].fit(X, DATA.s)
    save_model(model, tmp_path / "model")
    loaded = load_model(tmp_path / "model")
    assert type(loaded) is type(model)
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    card = json.loads((tmp_path / "model" / "model.json").read_text("utf-8"))
    names = list(FRAME) if X is FRAME else ["x0", "x1", "x2"]
    assert card["columns"] == dict.fromkeys(names, "number")
    assert (card["label"], card["positive"], card["fingerprint"]) == ("", "1", {})
    assert card["labeled_by"] == (names[:1] if name == "labels that follow a column" else [])


def test_a_card_says_what_is_known_of_the_label(tmp_path):
    y = np.where(DATA.s == 1, "labeled", "unlabeled")
    model = PULogistic(pos_label="labeled").fit(DATA.X, y)
    save_model(model, tmp_path, label="diagnosis", positive=["yes", "sure"])
    card = read_model(tmp_path)[1]
    assert (card.label, card.positive, card.positives) == ("diagnosis", "yes", ["yes", "sure"])
    assert load_model(tmp_path).predict(DATA.X)[0] in ("labeled", "unlabeled")
    save_model(model, tmp_path)
    assert read_model(tmp_path)[1].positive == "labeled"


def test_what_cannot_be_saved_is_told_in_one_sentence(tmp_path):
    told = {
        "be fitted": PULogistic(),
        "classifier of this library.*got LogisticRegression": LogisticRegression(),
        "names MinMaxScaler|MinMaxScaler": make_pipeline(MinMaxScaler(), PULogistic()).fit(
            DATA.X, DATA.s
        ),
    }
    for sentence, model in told.items():
        with pytest.raises(ModelFileError, match=f"^`model` must (.|\n)*({sentence})"):
            save_model(model, tmp_path / "model")
    assert not (tmp_path / "model").exists()
    (tmp_path / "file").write_text("")
    with pytest.raises(ModelFileError, match="`path` must be a folder"):
        save_model(PULogistic().fit(DATA.X, DATA.s), tmp_path / "file")


def test_the_terminal_says_that_it_needs_a_model_of_a_table(tmp_path):
    save_model(PULogistic().fit(DATA.X, DATA.s), tmp_path)
    with pytest.raises(ModelFileError, match="`path` must be a model of a table"):
        read_model(tmp_path, of_table=True)
