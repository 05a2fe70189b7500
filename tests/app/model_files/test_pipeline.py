"""A model file holds no numbers of rows; its vocabularies and time zones come back from text."""

from __future__ import annotations

import io
import json
import zipfile
from datetime import timedelta, timezone
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pytest
from sklearn.decomposition import PCA
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from unlabeled import NaiveLogistic, PULogistic, PUThresholdClassifier
from unlabeled.app import save_model
from unlabeled.app.model_files import ModelFileError, read_model, write_model
from unlabeled.app.tables import table_pipeline
from unlabeled.audit import draw_audit
from unlabeled.label_frequency import ElkanNoto
from unlabeled.thresholds._rules import recall_at_least

NUMBERS = ["age", "visits", "bmi", "smoker"]


def encoding_of(tampered, name):
    """Return the values of the first encoding of a kind, in the description of a file."""
    found = [one for one in tampered.nodes() if one["__loader__"] == "DictNode"]
    written = json.dumps(name)
    return next(
        one["content"]
        for one in found
        if one["content"].get("encoding", {}).get("content") == written
    )


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
        write_model(model, tmp_path / str(n), card_of(model))
        path = tmp_path / str(n) / "model.skops"
        sizes[n] = path.stat().st_size
        assert all(array.size < 100 for array in arrays_in(path))
    assert sizes[5000] < 1.05 * sizes[1000]


def test_no_array_has_an_entry_for_every_row(table, fitted, card_of, tmp_path):
    frame, s = table
    model = fitted("pu-logistic", frame, s)
    write_model(model, tmp_path, card_of(model))
    for array in arrays_in(tmp_path / "model.skops"):
        assert len(frame) not in array.shape
        assert int(s.sum()) not in array.shape


@pytest.mark.parametrize("name", ["pu-logistic", "threshold"])
def test_a_mended_classifier_is_saved_without_rows(name, table, fitted, card_of, tmp_path):
    frame, s = table
    model = fitted(name, frame[NUMBERS], s)
    audit = draw_audit(model, frame[NUMBERS], s, random_state=0)
    answers = (audit.score > np.median(audit.score)).astype(int)
    better = audit.estimate(answers).recut(model[-1])
    mended = Pipeline([("table", model[0]), ("classifier", better)])
    write_model(mended, tmp_path, card_of(mended))
    loaded, _ = read_model(tmp_path)
    for method in ("predict", "predict_proba", "decision_function"):
        np.testing.assert_array_equal(
            getattr(loaded, method)(frame[NUMBERS]), getattr(mended, method)(frame[NUMBERS])
        )
    assert loaded[-1].n_checked_ == 100
    shapes = [array.shape for array in arrays_in(tmp_path / "model.skops")]
    assert not any(len(frame) in shape for shape in shapes)


def test_scores_of_the_fit_are_left_out_and_the_model_itself_is_not_changed(
    table, fitted, card_of, tmp_path
):
    frame, s = table
    model = fitted("pu-logistic", frame[NUMBERS], s)
    before = {name: id(value) for name, value in vars(model["classifier"]).items()}
    write_model(model, tmp_path, card_of(model))
    assert {name: id(value) for name, value in vars(model["classifier"]).items()} == before
    assert len(model["classifier"].cuts_.score) > 500
    loaded, _ = read_model(tmp_path)
    assert not {"cuts_", "observed_cuts_", "held_out_score_"} & vars(loaded["classifier"]).keys()
    assert loaded["classifier"].cut_ == model["classifier"].cut_


def test_scores_inside_a_threshold_classifier_are_left_out_too(table, card_of, tmp_path):
    frame, s = table
    inner = PULogistic(C=1.0, cv=3, random_state=0)
    model = table_pipeline(PUThresholdClassifier(inner, cv=3, random_state=0))
    model.fit(frame[NUMBERS], s)
    write_model(model, tmp_path, card_of(model))
    loaded, _ = read_model(tmp_path)
    assert not hasattr(loaded["classifier"].estimator_, "cuts_")
    assert not {"cuts_", "observed_cuts_", "held_out_score_"} & vars(loaded["classifier"]).keys()
    assert not hasattr(loaded["classifier"], "held_out_posterior_")
    assert loaded["classifier"]._fingerprint_ == model["classifier"]._fingerprint_
    np.testing.assert_array_equal(loaded.predict_proba(frame), model.predict_proba(frame))
    assert all(array.size < 100 for array in arrays_in(tmp_path / "model.skops"))


def test_an_estimator_given_as_class_prior_is_kept_unfitted(table, card_of, tmp_path):
    frame, s = table
    estimator = ElkanNoto().fit(frame[["age"]], s)
    model = table_pipeline(PULogistic(class_prior=estimator)).fit(frame[NUMBERS], s)
    write_model(model, tmp_path, card_of(model))
    kept = read_model(tmp_path)[0]["classifier"].class_prior
    assert isinstance(kept, ElkanNoto)
    assert not hasattr(kept, "label_frequency_")


def test_a_rule_that_is_an_object_is_rejected(table, card_of):
    frame, s = table
    model = table_pipeline(PULogistic(recall_at_least(0.9), C=1.0)).fit(frame[NUMBERS], s)
    with pytest.raises(
        ModelFileError, match=r"`rule` .*must be text.*; got a Rule.*recall_at_least"
    ):
        card_of(model)
    inside = table_pipeline(
        PUThresholdClassifier(PULogistic(recall_at_least(0.9), C=1.0), cv="train")
    )
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
    tree = PUThresholdClassifier(DecisionTreeClassifier(max_depth=2, random_state=0), cv="train")
    model = table_pipeline(tree).fit(frame[NUMBERS], s)
    with pytest.raises(ModelFileError, match=r"names sklearn\.tree\._classes\.DecisionTree") as why:
        write_model(model, tmp_path, card_of(model))
    assert "trusted types" in str(why.value)
    assert not list(tmp_path.iterdir())


def test_only_a_fitted_model_has_a_card(card_of):
    for model in (NaiveLogistic(), table_pipeline(NaiveLogistic())):
        with pytest.raises(ModelFileError, match="`model` must be fitted"):
            card_of(model)


def test_a_text_of_too_many_pieces_is_rejected(tampered, folder):
    encoding_of(tampered, "Words")["words"]["content"] = json.dumps("\n" * 2_000_000)
    tampered.write()
    with pytest.raises(ModelFileError, match="a text has more than 2000000 pieces"):
        read_model(folder)


# A name alone is a zone of pytz before pandas 3, and one of the standard library since.
ZONES = {
    "name": "Europe/Warsaw",
    "UTC": "UTC",
    "standard library": ZoneInfo("America/St_Johns"),
    "name with a number": "Etc/GMT+5",
    "east": timezone(timedelta(hours=5, minutes=30)),
    "west": timezone(timedelta(hours=-3, minutes=-30)),
}


def seen_in(zone, table):
    frame, s = table
    seen = frame["seen"].dt.tz_convert(zone)
    return pd.DataFrame({"age": frame["age"], "seen": seen}), s


@pytest.mark.parametrize("zone", ZONES.values(), ids=ZONES)
def test_a_loaded_model_reads_dates_in_every_zone_as_the_saved_one(
    zone, table, fitted, card_of, tmp_path
):
    frame, s = seen_in(zone, table)
    model = fitted("naive", frame, s)
    write_model(model, tmp_path, card_of(model))
    loaded, _ = read_model(tmp_path)
    expected = model.predict_proba(frame)
    assert len({*expected[:, 1]}) > 700
    for other in ZONES.values():
        rows = seen_in(other, table)[0]
        np.testing.assert_array_equal(loaded.predict_proba(rows), expected)
    write_model(loaded, tmp_path / "again", card_of(loaded))
    again, _ = read_model(tmp_path / "again")
    np.testing.assert_array_equal(again.predict_proba(frame), expected)


@pytest.mark.parametrize(
    "zone", ["dateutil/etc/passwd", "../../etc/passwd", "/etc/passwd", "Europe/Nowhere", 5, "x s"]
)
def test_a_zone_that_is_not_in_the_list_of_zones_is_rejected(
    zone, table, fitted, card_of, tmp_path, tampered_at
):
    model = fitted("naive", *seen_in(ZONES["east"], table))
    write_model(model, tmp_path, card_of(model))
    tampered = tampered_at(tmp_path)
    encoding_of(tampered, "Dates")["zone"]["content"] = json.dumps(zone)
    tampered.write()
    with pytest.raises(ModelFileError, match="cannot be rebuilt"):
        read_model(tmp_path)


def test_the_file_names_the_zone_and_no_type_of_it(table, fitted, card_of, tmp_path):
    model = fitted("naive", *seen_in("Europe/Warsaw", table))
    write_model(model, tmp_path, card_of(model))
    with zipfile.ZipFile(tmp_path / "model.skops") as archive:
        description = archive.read("schema.json").decode()
    assert "Europe/Warsaw" in description
    for word in ("ZoneInfo", "pytz", "DatetimeTZDtype"):
        assert word not in description


def test_a_step_that_a_file_cannot_hold_is_named(rng, tmp_path):
    X = rng.normal(size=(200, 3))
    s = rng.random(200) < 1 / (1 + np.exp(-X[:, 0]))
    model = make_pipeline(StandardScaler(), PCA(2), PULogistic()).fit(X, s)
    with pytest.raises(ModelFileError, match=r"`model` must .*'pca', of type PCA.*table_pipeline"):
        save_model(model, tmp_path)
    save_model(make_pipeline(StandardScaler(), PULogistic()).fit(X, s), tmp_path)
