"""Files are written completely or not at all."""

import errno
import os
import threading
import time
from pathlib import Path

import pytest

from tests.commands import run_python
from unlabeled.engine.files import (
    LOCK,
    InUseError,
    only_writer,
    remove_unfinished,
    whole_files,
    write_whole,
)


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


def lock_of(path):
    return path.with_name(f".{path.name}{LOCK}")


def test_a_second_writer_is_told_who_has_the_lock_and_the_next_gets_it(tmp_path):
    path = tmp_path / "ward"
    with only_writer(path):
        with pytest.raises(InUseError) as told, only_writer(path, wait=0.1):
            pass
        assert told.value.by.startswith(f"process {os.getpid()} on ")
    with only_writer(path, wait=0):
        pass
    assert names_in(tmp_path) == []


@pytest.mark.parametrize("spelled", [".", "..", "../ward"])
def test_a_folder_has_one_lock_however_it_is_spelled(tmp_path, monkeypatch, spelled):
    path = tmp_path / "ward"
    (path / "below").mkdir(parents=True)
    monkeypatch.chdir(path / "below" if spelled == ".." else path)
    with only_writer(Path(spelled)):
        assert lock_of(path).exists()
        with pytest.raises(InUseError), only_writer(path, wait=0):
            pass
    assert names_in(tmp_path) == ["ward"]


def test_the_lock_of_a_killed_process_is_free_and_its_file_is_used_again(tmp_path):
    path = tmp_path / "ward"
    code = f"""
import os, signal
from pathlib import Path
from unlabeled.engine.files import only_writer
with only_writer(Path({str(path)!r})):
    os.kill(os.getpid(), signal.SIGKILL)
"""
    run_python(code, check=False)
    assert lock_of(path).exists()
    with only_writer(path, wait=0):
        assert lock_of(path).read_text().startswith(f"process {os.getpid()} on ")
    assert names_in(tmp_path) == []


def test_writers_that_wait_never_overlap(tmp_path):
    """Each adds 1 to a number, slowly; without the lock, numbers would be lost."""
    path, number = tmp_path / "ward", tmp_path / "number"
    number.write_text("0")

    def add():
        for _ in range(5):
            with only_writer(path, wait=60):
                found = int(number.read_text())
                time.sleep(0.002)
                number.write_text(str(found + 1))

    threads = [threading.Thread(target=add) for _ in range(8)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert number.read_text() == "40"
    assert names_in(tmp_path) == ["number"]


def test_folders_made_for_a_lock_are_removed_unless_something_was_written(tmp_path):
    path = tmp_path / "a" / "b" / "ward"
    with only_writer(path):
        pass
    assert names_in(tmp_path) == []
    with only_writer(path):
        path.mkdir()
    assert names_in(path.parent) == ["ward"]


def test_a_file_system_without_locks_lets_the_writer_go_on(tmp_path, monkeypatch):
    def none_here(*_):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("unlabeled.engine.files.fcntl.flock", none_here)
    with only_writer(tmp_path / "ward", wait=0):
        pass
    assert names_in(tmp_path) == []


def test_the_lock_lies_in_a_folder_whose_parent_cannot_be_written(tmp_path, monkeypatch):
    path = tmp_path / "ward"
    path.mkdir()
    usual = open

    def refused_above(name, *how, **more):
        if Path(name).parent == tmp_path:
            raise PermissionError(errno.EACCES, "Permission denied")
        return usual(name, *how, **more)

    monkeypatch.setattr("builtins.open", refused_above)  # an administrator may write anywhere
    with only_writer(path):
        assert names_in(path) == [LOCK]
    assert names_in(path) == []


# Replaces a folder of two files in a process that is killed before its first, second, ... change
# of the file system. Prints for each what is there then, and what is after `restore_folder`.
KILLED = """
import os, signal, sys
from pathlib import Path
from unlabeled.engine.files import only_writer, restore_folder, whole_folder

def content(folder):
    return "+".join(sorted(one.read_text() for one in folder.iterdir())) if folder.exists() else "-"

def replace(path, what):
    with only_writer(path), whole_folder(path) as working:
        (working / "a").write_text(what)
        (working / "b").write_text(what)

def dies_before(step):
    left = [step]
    def mortal(function):
        def call(*arguments, **options):
            left[0] -= 1
            if not left[0]:
                os.kill(os.getpid(), signal.SIGKILL)
            return function(*arguments, **options)
        return call
    for name in ("mkdir", "chmod", "replace", "unlink", "rmdir"):
        setattr(os, name, mortal(getattr(os, name)))

step, ended = 0, False
while not ended:
    step += 1
    folder = Path(sys.argv[1], str(step))
    path = folder / "fit"
    replace(path, "old")
    child = os.fork()
    if not child:
        dies_before(step)
        replace(path, "new")
        os._exit(0)
    ended = os.waitpid(child, 0)[1] == 0
    found = content(path)
    with only_writer(path):
        restored = restore_folder(path)
    print(found, restored, content(path))
    replace(path, "next")
    assert content(path) == "next+next"
    assert os.listdir(folder) == ["fit"], os.listdir(folder)
"""


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_a_folder_that_is_replaced_survives_a_kill_at_every_step(tmp_path):
    outcomes = [line.split() for line in run_python(KILLED, tmp_path).stdout.splitlines()]
    assert len(outcomes) > 8
    assert outcomes[-1] == ["new+new", "False", "new+new"]  # nobody killed it
    assert {tuple(one) for one in outcomes} == {
        ("old+old", "False", "old+old"),
        ("-", "True", "old+old"),
        ("new+new", "False", "new+new"),
    }
