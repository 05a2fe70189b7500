"""A saved model predicts the same when loaded; files are written whole or not at all."""

from __future__ import annotations

import errno
import hashlib
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.app.model_files.skops_nodes import as_npy, doubled, mapping, node, set_attribute, text
from unlabeled.app.model_files import ModelFileError, export_onnx, read_model, write_model
from unlabeled.app.run import METHODS

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


@pytest.fixture(scope="module")
def few_columns(table):
    frame, s = table
    return frame[["age", "bmi", "sex", "smoker"]], s


def test_every_method_of_the_command_line_is_tried():
    assert set(METHODS) <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_loaded_model_gives_the_same_numbers(name, table, other_rows, fitted, card_of, tmp_path):
    model = fitted(name, *table)
    written = write_model(model, tmp_path / "fit", card_of(model, method=name))
    loaded, card = read_model(tmp_path / "fit")
    assert card == written
    assert loaded[-1].threshold_ == model[-1].threshold_ == card.threshold
    assert loaded[-1].posterior_line_ == model[-1].posterior_line_
    assert type(loaded[-1].posterior_line_) is tuple
    for rows in (table[0], other_rows):
        numbers = model[0].transform(rows)
        np.testing.assert_array_equal(loaded[0].transform(rows), numbers, strict=True)
        for answer in ANSWERS:
            expected = getattr(model[-1], answer)(numbers)
            found = getattr(loaded[-1], answer)(numbers)
            np.testing.assert_array_equal(found, expected, strict=True)
    expected = model.predict_proba(other_rows)
    permuted = loaded.predict_proba(other_rows[other_rows.columns[::-1]])
    np.testing.assert_array_equal(permuted, expected, strict=True)


@pytest.mark.parametrize("name", ["pu-logistic", "threshold"])
def test_one_row_at_a_time_gives_the_same_numbers(
    name, table, other_rows, fitted, card_of, tmp_path
):
    model = fitted(name, *table)
    write_model(model, tmp_path, card_of(model))
    loaded, _ = read_model(tmp_path)
    together = model.predict_proba(other_rows)[:, 1]
    some = range(0, len(other_rows), 6)
    alone = [loaded.predict_proba(other_rows.iloc[[i]])[0, 1] for i in some]
    np.testing.assert_allclose(alone, together[some], rtol=0, atol=1e-12)


def test_the_file_may_be_named_as_well_as_the_folder(folder, model, table):
    loaded, _ = read_model(folder / "model.skops")
    np.testing.assert_array_equal(loaded.predict(table[0]), model.predict(table[0]))


def test_a_loaded_model_can_be_saved_again_and_fitted_again(folder, table, card_of, tmp_path):
    loaded, card = read_model(folder)
    again = write_model(loaded, tmp_path / "again", card_of(loaded))
    assert replace(again, sha256=card.sha256) == card
    expected = loaded.predict_proba(table[0])
    np.testing.assert_array_equal(
        read_model(tmp_path / "again")[0].predict_proba(table[0]), expected
    )
    columns = list(loaded["table"].feature_names_in_)
    refitted = loaded.fit(table[0][columns], table[1])
    np.testing.assert_array_equal(refitted.predict_proba(table[0]), expected)


def test_equal_models_give_equal_files(model, card_of, table, fitted, tmp_path):
    twin = fitted("naive", table[0][["age", "bmi", "sex", "région", "notes"]], table[1])
    for one, name in ((model, "a"), (twin, "b")):
        write_model(one, tmp_path / name, card_of(one))
    for name in ("model.skops", "model.json"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_text_with_many_words_stays_small_and_the_same(fitted, card_of, tmp_path, rng):
    words = ["".join(rng.choice(list("abcdefgh"), 6)) for _ in range(2000)]
    frame = pd.DataFrame({"dose": rng.normal(size=600)})
    frame["notes"] = [" ".join(rng.choice(words, 5)) for _ in range(600)]
    model = fitted("naive", frame, (rng.random(600) < 0.3).astype(int))
    write_model(model, tmp_path, card_of(model))
    loaded, _ = read_model(tmp_path)
    np.testing.assert_array_equal(loaded.predict_proba(frame), model.predict_proba(frame))
    n_pieces = len(model["table"].encodings_["notes"].idf)
    assert n_pieces > 2000
    assert (tmp_path / "model.skops").stat().st_size < 60 * n_pieces


def test_labels_that_are_text_are_kept(table, fitted, card_of, tmp_path):
    frame, s = table
    model = fitted("enhanced", frame[["age", "sex"]], np.where(s == 1, "yes", "no"))
    write_model(model, tmp_path, card_of(model))
    loaded, _ = read_model(tmp_path)
    assert loaded.predict(frame).tolist() == model.predict(frame).tolist()
    assert loaded["classifier"].positive_class_ == "yes"


def test_a_model_from_before_there_was_verbose_is_silent(model, table, tampered):
    settings = tampered.settings("NaiveLogistic")
    number = list(settings["content"]).index("verbose")
    del settings["content"]["verbose"], settings["key_types"]["content"][number]
    tampered.write()
    loaded, _ = read_model(tampered.model.parent)
    expected = model.predict_proba(table[0])
    np.testing.assert_array_equal(loaded.predict_proba(table[0]), expected)
    assert loaded["classifier"].get_params() == model["classifier"].get_params()
    assert loaded["classifier"].verbose == 0


def test_a_loaded_pu_logistic_has_the_same_covariance(few_columns, fitted, card_of, tmp_path):
    frame, s = few_columns
    model = fitted("pu-logistic", frame, s)
    write_model(model, tmp_path, card_of(model))
    loaded, _ = read_model(tmp_path)
    rows = model["table"].transform(frame)
    found, expected = (one["classifier"].estimates(rows, s) for one in (loaded, model))
    np.testing.assert_array_equal(found.covariance, expected.covariance)


def full_disk(*given):
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("where", ["fsync", "replace"])
def test_a_full_disk_leaves_nothing(where, model, card_of, tmp_path, monkeypatch):
    monkeypatch.setattr(os, where, full_disk)
    with pytest.raises(OSError, match="No space left on device"):
        write_model(model, tmp_path / "fit", card_of(model))
    assert not list((tmp_path / "fit").iterdir())


def test_a_full_disk_leaves_the_old_model(folder, model, card_of, monkeypatch):
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full_disk)
        with pytest.raises(OSError, match="No space left"):
            write_model(model, folder, card_of(model))
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    read_model(folder)


def test_the_second_file_failing_leaves_no_pair_that_loads(model, card_of, tmp_path, monkeypatch):
    replace = os.replace

    def only_the_model(source, target):
        return full_disk() if Path(target).name == "model.json" else replace(source, target)

    monkeypatch.setattr(os, "replace", only_the_model)
    with pytest.raises(OSError, match="No space left"):
        write_model(model, tmp_path, card_of(model))
    assert [path.name for path in tmp_path.iterdir()] == ["model.skops"]
    with pytest.raises(ModelFileError, match="must have model.json"):
        read_model(tmp_path)


def test_ctrl_c_leaves_no_temporary_file(model, card_of, tmp_path, monkeypatch):
    def interrupted(descriptor):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_model(model, tmp_path, card_of(model))
    assert not list(tmp_path.iterdir())


def test_a_file_in_the_place_of_the_folder_stays(model, card_of, tmp_path):
    (tmp_path / "fit").write_text("")
    with pytest.raises(FileExistsError):
        write_model(model, tmp_path / "fit", card_of(model))


def test_saving_again_replaces_the_files(folder, model, card_of):
    card = write_model(model, folder, card_of(model, id="patient"))
    assert sorted(path.name for path in folder.iterdir()) == ["model.json", "model.skops"]
    assert read_model(folder)[1] == card
    assert card.id == "patient"


def test_a_graph_that_cannot_be_written_leaves_nothing(table, fitted, tmp_path, monkeypatch):
    model = fitted("naive", table[0][["age"]], table[1])
    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(OSError, match="No space left"):
        export_onnx(model, tmp_path / "m.onnx")
    assert not list(tmp_path.iterdir())


def test_a_huge_file_is_rejected_before_it_is_read(tampered, folder):
    with tampered.model.open("r+b") as stream:
        stream.truncate(2**30)  # holes, not bytes
    with pytest.raises(ModelFileError, match="536870912 bytes; got model.skops with 1073741824"):
        read_model(folder)


@pytest.mark.parametrize("which", ["model", "card"])
def test_a_model_and_a_card_that_do_not_belong_together_are_rejected(which, tampered, folder):
    if which == "model":
        tampered.settings("NaiveLogistic")["content"]["max_iter"] = text(7)
        fits = tampered.card.read_bytes()
        tampered.write()
        tampered.card.write_bytes(fits)
    else:
        tampered.write_card(sha256=hashlib.sha256(b"another").hexdigest())
    with pytest.raises(ModelFileError, match="sha256 .* instead of"):
        read_model(folder)


def test_a_trusted_type_in_an_impossible_state_is_rejected(tampered, folder):
    del tampered.settings("NaiveLogistic")["content"]["intercept_"]
    keys = tampered.settings("NaiveLogistic")["key_types"]["content"]
    keys.pop()
    tampered.write()
    with pytest.raises(ModelFileError, match="cannot be rebuilt|arrays that it names"):
        read_model(folder)


@pytest.mark.parametrize("fact", ["array", "list", "number", "object"])
def test_a_rule_of_another_type_is_rejected(fact, tampered, folder, numbers):
    tampered.members["999999.npy"] = as_npy(np.zeros(3))
    array = node("NdArrayNode", "numpy", "ndarray", next(numbers), type="numpy", file="999999.npy")
    others = {"list": doubled(5, numbers), "number": text(3), "object": mapping(a=text(1))}
    set_attribute(tampered, "NaiveLogistic", "rule", others.get(fact, array))
    if fact != "array":
        del tampered.members["999999.npy"]
    tampered.write()
    with pytest.raises(ModelFileError, match="cannot be rebuilt .TypeError: rule is a "):
        read_model(folder)


def test_a_kind_that_is_an_array_is_rejected(tampered, folder):
    tampered.members["999999.npy"] = as_npy(np.zeros(3))
    tampered.settings("TableFeatures")["content"]["kinds_"]["content"]["age"] = node(
        "NdArrayNode", "numpy", "ndarray", type="numpy", file="999999.npy"
    )
    tampered.write()
    with pytest.raises(ModelFileError, match="cannot be rebuilt .TypeError: columns is a dict"):
        read_model(folder)
