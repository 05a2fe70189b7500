"""Files are written whole or not at all."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from unlabeled.app.model_files import ModelFileError, export_onnx, load_model, save_model


def full_disk(*given):
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("where", ["fsync", "replace"])
def test_a_full_disk_leaves_nothing(where, model, card_of, tmp_path, monkeypatch):
    monkeypatch.setattr(os, where, full_disk)
    with pytest.raises(OSError, match="No space left on device"):
        save_model(model, tmp_path / "fit", card_of(model))
    assert not list((tmp_path / "fit").iterdir())


def test_a_full_disk_leaves_the_old_model(folder, model, card_of, monkeypatch):
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full_disk)
        with pytest.raises(OSError, match="No space left"):
            save_model(model, folder, card_of(model))
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    load_model(folder)


def test_the_second_file_failing_leaves_no_pair_that_loads(model, card_of, tmp_path, monkeypatch):
    replace = os.replace

    def only_the_model(source, target):
        return full_disk() if Path(target).name == "model.json" else replace(source, target)

    monkeypatch.setattr(os, "replace", only_the_model)
    with pytest.raises(OSError, match="No space left"):
        save_model(model, tmp_path, card_of(model))
    assert [path.name for path in tmp_path.iterdir()] == ["model.skops"]
    with pytest.raises(ModelFileError, match="must have its card"):
        load_model(tmp_path)


def test_ctrl_c_leaves_no_temporary_file(model, card_of, tmp_path, monkeypatch):
    def interrupted(descriptor):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        save_model(model, tmp_path, card_of(model))
    assert not list(tmp_path.iterdir())


def test_a_file_in_the_place_of_the_folder_stays(model, card_of, tmp_path):
    (tmp_path / "fit").write_text("")
    with pytest.raises(FileExistsError):
        save_model(model, tmp_path / "fit", card_of(model))


def test_saving_again_replaces_the_files(folder, model, card_of):
    card = save_model(model, folder, card_of(model, id="patient"))
    assert sorted(path.name for path in folder.iterdir()) == ["model.json", "model.skops"]
    assert load_model(folder)[1] == card
    assert card.id == "patient"


def test_a_graph_that_cannot_be_written_leaves_nothing(table, fitted, tmp_path, monkeypatch):
    model = fitted("naive", table[0][["age"]], table[1])
    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(OSError, match="No space left"):
        export_onnx(model, tmp_path / "m.onnx")
    assert not list(tmp_path.iterdir())
