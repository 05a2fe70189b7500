"""A model file holds no numbers of the rows it was fitted to."""

from __future__ import annotations

import io
import zipfile

import numpy as np
import pytest

from unlabeled import NaiveLogistic, PULogistic, PUThresholdClassifier
from unlabeled.app.model_files import ModelFileError, load_model, save_model
from unlabeled.app.tables import table_pipeline
from unlabeled.label_frequency import ElkanNoto
from unlabeled.thresholds import recall_at_least

NUMBERS = ["age", "visits", "bmi", "smoker"]


def arrays_in(path):
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            if name.endswith(".npy"):
                yield np.load(io.BytesIO(archive.read(name)))


@pytest.mark.parametrize("name", ["pu-logistic", "enhanced", "joint", "weighted", "threshold"])
def test_the_file_does_not_grow_with_the_rows(name, make_table, fitted, card_of, tmp_path):
    sizes = {}
    for n in (1000, 5000):
        frame, s = make_table(n)
        model = fitted(name, frame[NUMBERS], s)
        save_model(model, tmp_path / str(n), card_of(model))
        path = tmp_path / str(n) / "model.skops"
        sizes[n] = path.stat().st_size
        assert all(array.size < 100 for array in arrays_in(path))
    assert sizes[5000] < 1.05 * sizes[1000]


def test_no_array_has_an_entry_for_every_row(table, fitted, card_of, tmp_path):
    frame, s = table
    model = fitted("pu-logistic", frame, s)
    save_model(model, tmp_path, card_of(model))
    for array in arrays_in(tmp_path / "model.skops"):
        assert len(frame) not in array.shape
        assert int(s.sum()) not in array.shape


def test_scores_of_the_fit_are_left_out_and_the_model_itself_is_not_changed(
    table, fitted, card_of, tmp_path
):
    frame, s = table
    model = fitted("pu-logistic", frame[NUMBERS], s)
    before = {name: id(value) for name, value in vars(model["classifier"]).items()}
    steps = dict(vars(model["table"].vectoriser_))
    save_model(model, tmp_path, card_of(model))
    assert {name: id(value) for name, value in vars(model["classifier"]).items()} == before
    assert vars(model["table"].vectoriser_).keys() == steps.keys()
    assert len(model["classifier"].cuts_.score) > 500
    loaded, _ = load_model(tmp_path)
    assert not {"cuts_", "observed_cuts_"} & vars(loaded["classifier"]).keys()
    assert loaded["classifier"].cut_ == model["classifier"].cut_


def test_scores_inside_a_threshold_classifier_are_left_out_too(table, card_of, tmp_path):
    frame, s = table
    inner = PULogistic(C=1.0, cv=3, random_state=0)
    model = table_pipeline(PUThresholdClassifier(inner, cv=3, random_state=0))
    model.fit(frame[NUMBERS], s)
    save_model(model, tmp_path, card_of(model))
    loaded, _ = load_model(tmp_path)
    assert not hasattr(loaded["classifier"].estimator_, "cuts_")
    np.testing.assert_array_equal(loaded.predict_proba(frame), model.predict_proba(frame))
    assert all(array.size < 100 for array in arrays_in(tmp_path / "model.skops"))


def test_an_estimator_given_as_class_prior_is_kept_unfitted(table, card_of, tmp_path):
    frame, s = table
    estimator = ElkanNoto().fit(frame[["age"]], s)
    model = table_pipeline(PULogistic(class_prior=estimator)).fit(frame[NUMBERS], s)
    save_model(model, tmp_path, card_of(model))
    kept = load_model(tmp_path)[0]["classifier"].class_prior
    assert isinstance(kept, ElkanNoto)
    assert not hasattr(kept, "label_frequency_")


def test_a_rule_that_is_an_object_is_rejected(table, card_of):
    frame, s = table
    model = table_pipeline(PULogistic(recall_at_least(0.9), C=1.0)).fit(frame[NUMBERS], s)
    with pytest.raises(
        ModelFileError, match=r"`rule` .*must be text.*; got a Rule.*recall_at_least"
    ):
        card_of(model)
    inside = table_pipeline(PUThresholdClassifier(PULogistic(recall_at_least(0.9), C=1.0), cv=None))
    with pytest.raises(ModelFileError, match="`estimator__rule` .*must be text"):
        card_of(inside.fit(frame[NUMBERS], s))


def test_row_numbers_given_as_folds_are_rejected(table, card_of):
    frame, s = table
    folds = [(np.arange(400), np.arange(400, 800)), (np.arange(400, 800), np.arange(400))]
    model = table_pipeline(PULogistic(C=1.0, cv=folds)).fit(frame[NUMBERS], s)
    with pytest.raises(ModelFileError, match="`cv` .*must be a number or text"):
        card_of(model)


def test_a_classifier_that_is_not_on_the_list_is_rejected_by_name(table, card_of, tmp_path):
    from sklearn.tree import DecisionTreeClassifier

    frame, s = table
    tree = PUThresholdClassifier(DecisionTreeClassifier(max_depth=2, random_state=0), cv=None)
    model = table_pipeline(tree).fit(frame[NUMBERS], s)
    with pytest.raises(ModelFileError, match=r"names sklearn\.tree\._classes\.DecisionTree") as why:
        save_model(model, tmp_path, card_of(model))
    assert "trusted types" in str(why.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("what", ["classifier", "not fitted", "other steps"])
def test_only_a_fitted_table_pipeline_can_be_saved(what, table, card_of):
    from sklearn.pipeline import make_pipeline

    given, sentence = {
        "classifier": (NaiveLogistic(), "`pipeline` must be .*got NaiveLogistic"),
        "not fitted": (table_pipeline(NaiveLogistic()), "`pipeline` must be fitted"),
        "other steps": (make_pipeline(NaiveLogistic()), "got steps naivelogistic"),
    }[what]
    with pytest.raises(ModelFileError, match=sentence):
        card_of(given)
