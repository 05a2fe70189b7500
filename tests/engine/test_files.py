"""Files are written completely or not at all."""

import pytest

from unlabeled.engine.files import remove_unfinished, whole_files, write_whole


def names_in(folder):
    return sorted(entry.name for entry in folder.iterdir())


def test_writing_makes_folders_and_replaces_the_whole_file(tmp_path):
    path = tmp_path / "a" / "b" / "file.csv"
    for content in (b"first", b"second"):
        write_whole(path, lambda unfinished, content=content: unfinished.write_bytes(content))
    assert path.read_bytes() == b"second"
    assert names_in(path.parent) == ["file.csv"]


def test_a_failed_write_leaves_the_old_file_and_no_rest(tmp_path, monkeypatch):
    path = tmp_path / "file.csv"
    path.write_bytes(b"old")

    def full(*_args):
        raise OSError("disk full")

    monkeypatch.setattr("unlabeled.engine.files.os.replace", full)
    with pytest.raises(OSError, match="disk full"):
        write_whole(path, lambda unfinished: unfinished.write_bytes(b"new"))
    assert path.read_bytes() == b"old"
    assert names_in(tmp_path) == ["file.csv"]


def test_two_writers_of_one_file_do_not_mix(tmp_path):
    path = tmp_path / "file.csv"
    with whole_files(path) as (slow,):
        slow.write_bytes(b"slow, ")
        write_whole(path, lambda quick: quick.write_bytes(b"quick"))
        assert path.read_bytes() == b"quick"
        with open(slow, "ab") as stream:
            stream.write(b"and whole")
    assert path.read_bytes() == b"slow, and whole"
    assert names_in(tmp_path) == ["file.csv"]


def test_what_a_killed_writer_left_is_removed(tmp_path):
    path = tmp_path / "file.csv"
    killed = whole_files(path)
    (unfinished,) = killed.__enter__()
    unfinished.write_bytes(b"half")
    path.write_bytes(b"old")
    assert remove_unfinished(tmp_path) == 1
    assert names_in(tmp_path) == ["file.csv"]
