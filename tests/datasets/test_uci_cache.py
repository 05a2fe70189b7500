"""The user's cache: where it is, that it is written whole, and that a spoiled copy is refused."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from unlabeled.datasets import DatasetError, load_uci
from unlabeled.datasets._files import cache_folder, parse_csv
from unlabeled.datasets._openml import Download
from unlabeled.datasets._uci_table import SPECS

pytest.importorskip("pandas")


@pytest.fixture
def folder() -> Path:
    named = os.environ.get("UNLABELED_DATA")
    if not named:
        pytest.skip("needs data: UNLABELED_DATA does not name a folder with the nine data files")
    return Path(named)


@pytest.fixture
def cache(folder, monkeypatch, tmp_path) -> Path:
    """An own cache without a named folder; the network is a mistake."""

    def refuse(*_args, **_kwargs):
        raise AssertionError("the network was asked")

    monkeypatch.delenv("UNLABELED_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("sklearn.datasets._openml.urlopen", refuse)
    made = tmp_path / "unlabeled"
    made.mkdir()
    return made


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


def test_an_original_file_in_the_cache_is_used(cache, folder):
    shutil.copy(folder / "haberman.csv", cache)
    assert load_uci("haberman").X.shape == (306, 3)


def test_a_cached_file_may_differ_in_bytes_but_not_in_numbers(cache, folder):
    content = (folder / "haberman.csv").read_bytes()
    (cache / "haberman.csv").write_bytes(content.replace(b"\n", b"\r\n"))
    assert load_uci("haberman").y_true.sum() == 81


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda content: content[: len(content) // 2], "got (15[0-9] rows|a file that could not)"),
        (lambda content: content.replace(b"30,64,1,0", b"31,64,1,0"), "other values"),
        (lambda content: content.replace(b"30,64,1,0", b"old,64,1,0"), "could not be read"),
        (lambda content: content.replace(b"age,", b"Age,"), "could not be read"),
        (lambda content: b"", "could not be read"),
    ],
)
def test_a_spoiled_copy_is_refused_by_name(cache, folder, spoil, said):
    path = cache / "haberman.csv"
    path.write_bytes(spoil((folder / "haberman.csv").read_bytes()))
    with pytest.raises(DatasetError, match=said) as caught:
        load_uci("haberman")
    assert str(path) in str(caught.value)
    assert "Delete it to download it again." in str(caught.value)


def test_a_cut_off_gzip_copy_is_refused_by_name(cache, folder):
    (cache / "adult.csv.gz").write_bytes((folder / "adult.csv.gz").read_bytes()[:5000])
    with pytest.raises(DatasetError, match=r"adult\.csv\.gz.*could not be read"):
        load_uci("adult")


def test_data_that_cannot_be_kept_are_returned_with_a_warning(cache, folder, monkeypatch):
    def full(*_args):
        raise OSError("disk full")

    spec = SPECS["haberman"]
    frame = parse_csv((folder / spec.file).read_bytes(), spec)
    monkeypatch.setattr("unlabeled.datasets._uci.download", lambda _spec: Download(frame, ""))
    monkeypatch.setattr("unlabeled.datasets._uci.write_whole", full)
    with pytest.warns(UserWarning, match="could not be kept .*disk full"):
        assert load_uci("haberman").X.shape == (306, 3)
