"""The nine sets from a folder: prepared as the paper did, and nothing else is accepted."""

from __future__ import annotations

import gzip
import os
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from unlabeled.datasets import DATASET_NAMES, DatasetError, load_uci, paper_table
from unlabeled.datasets._files import fingerprint
from unlabeled.datasets._uci_table import SPECS

pytest.importorskip("pandas")


@pytest.fixture(scope="module")
def folder() -> Path:
    named = os.environ.get("UNLABELED_DATA")
    if not named:
        pytest.skip("needs data: UNLABELED_DATA does not name a folder with the nine data files")
    return Path(named)


@pytest.fixture
def copy(folder, tmp_path):
    """Copy one data file into an empty folder and return its path."""

    def copied(name: str) -> Path:
        return Path(shutil.copy(folder / SPECS[name].file, tmp_path))

    return copied


@pytest.mark.parametrize("row", paper_table(), ids=lambda row: row.name)
def test_sizes_and_fractions_are_those_of_the_papers_table(folder, row):
    data = load_uci(row.name, folder)
    assert data.X.shape == (row.size, row.features)
    assert round(data.y_true.mean(), 2) == row.fraction


@pytest.mark.parametrize("name", DATASET_NAMES)
def test_every_set_is_finite_named_and_has_its_sum(folder, name):
    data, spec = load_uci(name, folder), SPECS[name]
    assert data.X.dtype == np.float64
    assert data.X.flags.c_contiguous
    assert np.all(np.isfinite(data.X))
    assert data.y_true.dtype.kind == "i"
    assert set(np.unique(data.y_true)) == {0, 1}
    assert data.y_true.sum() == spec.n_positives
    assert data.y_true.mean() < 0.5
    assert len(set(data.feature_names)) == data.X.shape[1]
    assert (data.name, data.positive) == (name, spec.positive)
    assert fingerprint(data.X, data.y_true) == spec.matrix_sha256


def test_adult_has_the_papers_merged_levels_and_rank(folder):
    data = load_uci("adult", folder)
    counts = dict(zip(data.feature_names, data.X.sum(axis=0), strict=True))
    assert counts["education=Prof-school or rarer"] == 2488
    assert counts["occupation=Handlers-cleaners or rarer"] == 4099
    assert counts["native-country=Cuba or rarer"] == 1389
    assert sum(name.startswith("workclass=") for name in data.feature_names) == 8
    design = np.column_stack([np.ones(len(data.X)), data.X / np.abs(data.X).max(axis=0)])
    assert np.linalg.matrix_rank(design.T @ design) == 57


def test_credit_a_has_the_papers_levels_and_medians(folder):
    data = load_uci("credit-a", folder)
    counts = dict(zip(data.feature_names, data.X.sum(axis=0), strict=True))
    assert counts["A6=x or rarer"] == 106
    assert sum(name.startswith("A6=") for name in data.feature_names) == 10
    assert data.X[71, data.feature_names.index("A14")] == 160
    assert data.X[83, data.feature_names.index("A2")] == 28.46


def test_breast_w_fills_missing_cells_with_the_mean(folder):
    data = load_uci("breast-w", folder)
    nuclei = data.X[:, data.feature_names.index("Bare_nuclei")]
    filled = nuclei != np.round(nuclei)
    assert filled.sum() == 16
    np.testing.assert_allclose(nuclei[filled], nuclei[~filled].mean())


def test_the_environment_variable_names_the_folder(folder, monkeypatch):
    monkeypatch.setenv("UNLABELED_DATA", str(folder))
    assert load_uci("haberman").X.shape == (306, 3)


def test_the_argument_wins_over_the_environment_variable(folder, monkeypatch, tmp_path):
    monkeypatch.setenv("UNLABELED_DATA", str(tmp_path / "nowhere"))
    assert load_uci("haberman", folder).X.shape == (306, 3)


@pytest.mark.parametrize("name", ["haberman", "adult"])
def test_an_altered_file_is_refused_by_name(copy, name):
    path = copy(name)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(DatasetError) as caught:
        load_uci(name, path.parent)
    message = str(caught.value)
    assert str(path) in message
    assert SPECS[name].sha256 in message
    assert "The file was altered." in message


def test_a_cut_off_gzip_file_is_refused_by_name(copy):
    path = copy("musk")
    path.write_bytes(path.read_bytes()[:100_000])
    with pytest.raises(DatasetError, match=r"musk\.csv\.gz.*got 100000 bytes.*cut off"):
        load_uci("musk", path.parent)


def test_an_empty_file_is_refused_by_name(copy):
    path = copy("haberman")
    path.write_bytes(b"")
    with pytest.raises(DatasetError, match=r"haberman\.csv.*got 0 bytes.*cut off"):
        load_uci("haberman", path.parent)


def test_a_longer_file_is_refused_by_name(copy):
    path = copy("haberman")
    path.write_bytes(path.read_bytes() + b"\n")
    with pytest.raises(DatasetError, match=r"haberman\.csv.*got 3152 bytes.*altered"):
        load_uci("haberman", path.parent)


def test_another_gzip_of_the_same_data_is_refused(copy):
    path = copy("adult")
    path.write_bytes(gzip.compress(gzip.decompress(path.read_bytes()), 1, mtime=0))
    with pytest.raises(DatasetError, match="must be the original `adult.csv.gz`"):
        load_uci("adult", path.parent)


def test_a_missing_file_is_named_with_its_folder(tmp_path):
    with pytest.raises(DatasetError, match=r"must hold `spambase\.csv` \(699252 bytes\)") as caught:
        load_uci("spambase", tmp_path)
    assert repr(str(tmp_path)) in str(caught.value)


def test_a_folder_in_the_place_of_the_file_is_refused(tmp_path):
    (tmp_path / "haberman.csv").mkdir()
    with pytest.raises(DatasetError, match=r"haberman\.csv` could not be read"):
        load_uci("haberman", tmp_path)


def test_an_environment_variable_pointing_nowhere_is_refused(monkeypatch, tmp_path):
    monkeypatch.setenv("UNLABELED_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(DatasetError, match="variable UNLABELED_DATA must name a folder.*nowhere"):
        load_uci("haberman")


def test_an_argument_pointing_nowhere_is_refused(tmp_path):
    with pytest.raises(DatasetError, match="`data_home` must name a folder.*nowhere"):
        load_uci("haberman", tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("name", "meant"), [("Adult", "adult"), ("spam", "spambase"), ("breast_w", "breast-w")]
)
def test_an_unknown_name_suggests_the_nearest_one(name, meant):
    with pytest.raises(ValueError, match="`name` must be one of adult, banknote") as caught:
        load_uci(name)
    assert f"got {name!r}. Did you mean {meant!r}?" in str(caught.value)


@pytest.mark.parametrize("name", ["zzzzzz", None, 3])
def test_a_name_far_from_all_suggests_none(name):
    with pytest.raises(ValueError, match=r"`name` must be one of .*; got .*\.$"):
        load_uci(name)


def test_without_pandas_the_extra_is_named(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"pip install 'unlabeled\[datasets\]'"):
        load_uci("haberman", tmp_path)


def test_the_names_are_those_of_the_papers_table():
    assert tuple(row.name for row in paper_table()) == DATASET_NAMES
