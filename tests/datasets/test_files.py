"""Files of data sets: only originals are accepted, whatever the folder, the cache or the CSV."""

from __future__ import annotations

import gzip
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from unlabeled.datasets import DatasetError, load_uci
from unlabeled.datasets._files import cache_folder, fingerprint, format_csv, numbers, parse_csv
from unlabeled.datasets._uci_table import SPECS

pd = pytest.importorskip("pandas")


@pytest.fixture
def copy(folder, tmp_path):
    """Copy one data file into an empty folder and return its path."""

    def copied(name: str) -> Path:
        return Path(shutil.copy(folder / SPECS[name].file, tmp_path))

    return copied


def test_the_environment_variable_names_the_folder(folder, monkeypatch):
    monkeypatch.setenv("UNLABELED_DATA", str(folder))
    assert load_uci("haberman").X.shape == (306, 3)


def test_the_argument_wins_over_the_environment_variable(folder, monkeypatch, tmp_path):
    monkeypatch.setenv("UNLABELED_DATA", str(tmp_path / "nowhere"))
    assert load_uci("haberman", folder).X.shape == (306, 3)


@pytest.mark.parametrize("name", ["haberman", "adult"])
def test_an_altered_file_is_rejected_by_name(copy, name):
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


@pytest.mark.parametrize(
    ("name", "change", "words"),
    [
        ("musk", lambda content: content[:100_000], "got 100000 bytes.*cut off"),
        ("haberman", lambda content: b"", "got 0 bytes.*cut off"),
        ("haberman", lambda content: content + b"\n", "got 3152 bytes.*altered"),
    ],
)
def test_a_file_of_another_size_is_rejected_by_name(copy, name, change, words):
    path = copy(name)
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(DatasetError, match=rf"{SPECS[name].file}.*{words}"):
        load_uci(name, path.parent)


def test_another_gzip_of_the_same_data_is_rejected(copy):
    path = copy("adult")
    path.write_bytes(gzip.compress(gzip.decompress(path.read_bytes()), 1, mtime=0))
    with pytest.raises(DatasetError, match="must be the original `adult.csv.gz`"):
        load_uci("adult", path.parent)


def test_a_missing_file_is_named_with_its_folder(tmp_path):
    with pytest.raises(DatasetError, match=r"must hold `spambase\.csv` \(699252 bytes\)") as caught:
        load_uci("spambase", tmp_path)
    assert repr(str(tmp_path)) in str(caught.value)


def test_a_folder_in_the_place_of_the_file_is_rejected(tmp_path):
    (tmp_path / "haberman.csv").mkdir()
    with pytest.raises(DatasetError, match=r"haberman\.csv` could not be read"):
        load_uci("haberman", tmp_path)


def test_an_environment_variable_pointing_nowhere_is_rejected(monkeypatch, tmp_path):
    monkeypatch.setenv("UNLABELED_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(DatasetError, match="variable UNLABELED_DATA must name a folder.*nowhere"):
        load_uci("haberman")


def test_an_argument_pointing_nowhere_is_rejected(tmp_path):
    with pytest.raises(DatasetError, match="`data_home` must name a folder.*nowhere"):
        load_uci("haberman", tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("platform", "expected"),
    [
        ("linux", Path("home", ".cache", "unlabeled")),
        ("darwin", Path("home", "Library", "Caches", "unlabeled")),
        ("win32", Path("local", "unlabeled")),
    ],
)
def test_the_cache_lies_where_the_platform_keeps_caches(monkeypatch, platform, expected):
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("LOCALAPPDATA", "local")
    monkeypatch.setattr("unlabeled.datasets._files.sys.platform", platform)
    monkeypatch.setattr(Path, "home", lambda: Path("home"))
    assert cache_folder() == expected


def test_xdg_cache_home_moves_the_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "unlabeled"


@pytest.mark.parametrize("file", ["small.csv", "small.csv.gz"])
def test_csv_keeps_numbers_text_and_missing_cells(file):
    spec = replace(SPECS["haberman"], columns=("x", "k"), file=file)
    frame = pd.DataFrame(
        {"x": ["0.30000000000000004", None, "-1e-300"], "k": ["NA", None, "a,b"], "y": list("010")}
    )
    again = parse_csv(format_csv(frame, spec), spec)
    np.testing.assert_array_equal(numbers(again["x"]), [0.1 + 0.2, np.nan, -1e-300])
    assert again["k"].tolist()[::2] == ["NA", "a,b"]
    assert again["k"].isna().tolist() == [False, True, False]
    assert numbers(again["y"]).tolist() == [0, 1, 0]


def test_the_sum_sees_values_order_shape_and_classes_but_not_the_last_bit():
    X, y = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([0, 1])
    base = fingerprint(X, y)
    assert fingerprint(X * (1 + 1e-15), y.astype(np.int8)) == base
    assert fingerprint(np.asfortranarray(X), y) == base
    for other in (X[::-1], X.T, X + 1e-6, X.reshape(1, 4)):
        assert fingerprint(other, y) != base
    assert fingerprint(X, 1 - y) != base


def test_the_sum_takes_minus_zero_for_zero():
    y = np.array([0])
    assert fingerprint(np.array([[-0.0]]), y) == fingerprint(np.array([[0.0]]), y)
