"""A model that was saved and loaded predicts what it did."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from unlabeled.app.model_files import load_model, save_model
from unlabeled.app.model_files._trusted import TRUSTED
from unlabeled.cli._methods import METHODS

NAMES = [
    "pu-logistic",
    "enhanced",
    "joint",
    "naive",
    "pu-logistic, text rule",
    "pu-logistic, prior given",
    "weighted",
    "threshold",
]
ANSWERS = ("predict", "predict_proba", "decision_function")


def test_every_method_of_the_command_line_is_tried():
    assert set(METHODS) <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_loaded_model_gives_the_same_numbers(name, table, other_rows, fitted, card_of, tmp_path):
    model = fitted(name, *table)
    written = save_model(model, tmp_path / "fit", card_of(model, method=name))
    loaded, card = load_model(tmp_path / "fit")
    assert card == written
    assert loaded[-1].threshold_ == model[-1].threshold_ == card.threshold
    assert loaded[-1].posterior_line_ == model[-1].posterior_line_
    assert type(loaded[-1].posterior_line_) is tuple
    for rows in (table[0], other_rows):
        for answer in ANSWERS:
            expected = getattr(model, answer)(rows)
            np.testing.assert_array_equal(getattr(loaded, answer)(rows), expected, strict=True)
            permuted = getattr(loaded, answer)(rows[rows.columns[::-1]])
            np.testing.assert_array_equal(permuted, expected)


@pytest.mark.parametrize("name", ["pu-logistic", "threshold"])
def test_one_row_at_a_time_gives_the_same_numbers(
    name, table, other_rows, fitted, card_of, tmp_path
):
    model = fitted(name, *table)
    save_model(model, tmp_path, card_of(model))
    loaded, _ = load_model(tmp_path)
    together = model.predict_proba(other_rows)[:, 1]
    alone = [loaded.predict_proba(other_rows.iloc[[i]])[0, 1] for i in range(len(other_rows))]
    np.testing.assert_allclose(alone, together, rtol=0, atol=1e-12)


def test_the_file_may_be_named_as_well_as_the_folder(folder, model, table):
    loaded, _ = load_model(folder / "model.skops")
    np.testing.assert_array_equal(loaded.predict(table[0]), model.predict(table[0]))


def test_a_loaded_model_can_be_saved_again_and_fitted_again(folder, table, card_of, tmp_path):
    loaded, card = load_model(folder)
    again = save_model(loaded, tmp_path / "again", card_of(loaded))
    assert replace(again, sha256=card.sha256) == card
    expected = loaded.predict_proba(table[0])
    np.testing.assert_array_equal(
        load_model(tmp_path / "again")[0].predict_proba(table[0]), expected
    )
    columns = list(loaded["table"].feature_names_in_)
    refitted = loaded.fit(table[0][columns], table[1])
    np.testing.assert_array_equal(refitted.predict_proba(table[0]), expected)


def test_equal_models_give_equal_files(model, card_of, table, fitted, tmp_path):
    twin = fitted("naive", table[0][["age", "bmi", "sex", "région", "notes"]], table[1])
    for one, name in ((model, "a"), (twin, "b")):
        save_model(one, tmp_path / name, card_of(one))
    for name in ("model.skops", "model.json"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_text_with_many_words_stays_small_and_the_same(fitted, card_of, tmp_path, rng):
    words = ["".join(rng.choice(list("abcdefgh"), 6)) for _ in range(2000)]
    frame = pd.DataFrame({"dose": rng.normal(size=600)})
    frame["notes"] = [" ".join(rng.choice(words, 5)) for _ in range(600)]
    model = fitted("naive", frame, (rng.random(600) < 0.3).astype(int))
    save_model(model, tmp_path, card_of(model))
    loaded, _ = load_model(tmp_path)
    np.testing.assert_array_equal(loaded.predict_proba(frame), model.predict_proba(frame))
    encoder = model["table"].vectoriser_.transformers_["notes"]
    assert isinstance(encoder.vectorizer_.vocabulary_, dict)
    assert (tmp_path / "model.skops").stat().st_size < 60 * len(encoder.vectorizer_.vocabulary_)


def test_labels_that_are_text_are_kept(table, fitted, card_of, tmp_path):
    frame, s = table
    model = fitted("enhanced", frame[["age", "sex"]], np.where(s == 1, "yes", "no"))
    save_model(model, tmp_path, card_of(model))
    loaded, _ = load_model(tmp_path)
    assert loaded.predict(frame).tolist() == model.predict(frame).tolist()
    assert loaded["classifier"].positive_class_ == "yes"


def test_no_function_is_on_the_list():
    assert not {kind for kind, _, _ in TRUSTED} & {
        "FunctionNode",
        "MethodNode",
        "PartialNode",
        "OperatorFuncNode",
        "ReduceNode",
    }


def test_the_card_is_readable_json(folder):
    card = json.loads((folder / "model.json").read_text("utf-8"))
    assert card["columns"]["région"] == "category"
    assert card["fingerprint"]["rows"] == 800


def test_a_model_from_before_there_was_verbose_is_silent(model, table, tampered):
    settings = tampered.settings("NaiveLogistic")
    number = list(settings["content"]).index("verbose")
    del settings["content"]["verbose"], settings["key_types"]["content"][number]
    tampered.write()
    loaded, _ = load_model(tampered.model.parent)
    expected = model.predict_proba(table[0])
    np.testing.assert_array_equal(loaded.predict_proba(table[0]), expected)
    assert loaded["classifier"].get_params() == model["classifier"].get_params()
    assert loaded["classifier"].verbose == 0
