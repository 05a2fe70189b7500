"""The progress bar: counts, shares of a step, or nothing."""

from __future__ import annotations

import io
import sys
from threading import Event

import pytest

from unlabeled.engine import progress


@pytest.fixture(autouse=True)
def _at_once(monkeypatch):
    monkeypatch.setattr(progress, "_SECONDS_IN_A_LOG", 0)


def test_tasks_are_counted(capsys):
    with progress.progress_bar("split") as show:
        for done in range(5):
            show(done, 4)
    assert "4/4" in capsys.readouterr().err


def test_of_a_step_the_share_is_shown(capsys):
    with progress.progress_bar(step="Reading") as show:
        show(0.0)
        show(0.5)
    said = capsys.readouterr().err
    assert "Reading: 50%" in said
    assert "0.5/1.0" not in said


def test_quiet_shows_nothing(capsys):
    with progress.progress_bar("split", quiet=True) as show:
        show(1, 2)
    assert capsys.readouterr().err == ""


def test_without_tqdm_there_is_no_bar(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    with progress.progress_bar("split") as show:
        show(1, 2)
    assert capsys.readouterr().err == ""


class Terminal(io.StringIO):
    def isatty(self):
        return True


def screen(written):
    """Return the lines that a terminal shows."""
    lines = [""]
    for end in written.split("\n"):
        line = ""
        for part in end.split("\r"):
            line = part + line[len(part) :]
        lines[-1] = line.rstrip()
        lines.append("")
    return [line for line in lines if line]


@pytest.fixture
def life(monkeypatch):
    monkeypatch.setattr(progress, "_SECONDS_OF_SILENCE", 0)
    return progress.SignOfLife(Terminal())


def test_a_silent_command_counts_its_seconds_below_the_last_word(life):
    errors, results = (progress._Watched(life._terminal, life, begins) for begins in (True, False))
    results.write("3 rows\n")
    life.show()
    assert screen(life._terminal.getvalue()) == ["3 rows"]  # quiet: nothing was told of the work
    errors.write("Fitting ...\n")
    life.show()
    assert screen(life._terminal.getvalue()) == ["3 rows", "Fitting ...", "  working, 0 s"]
    results.write("9 rows\n")
    assert screen(life._terminal.getvalue()) == ["3 rows", "Fitting ...", "9 rows"]


def test_it_waits_for_a_silence(life, monkeypatch):
    monkeypatch.setattr(progress, "_SECONDS_OF_SILENCE", 1e6)
    progress._Watched(life._terminal, life, begins=True).write("Fitting ...\n")
    life.show()
    assert screen(life._terminal.getvalue()) == ["Fitting ..."]


def test_a_bar_is_drawn_again_instead(life, monkeypatch):
    watched = progress._Watched(life._terminal, life, begins=True)
    monkeypatch.setattr(sys, "stderr", watched)
    with progress.progress_bar("split") as show:
        show(0, 4)
        show(1, 4)
        before = watched.getvalue()
        life.show()
        assert "1/4" in watched.getvalue()[len(before) :]
    assert "working" not in watched.getvalue()
    assert progress._bars == []


def test_on_a_terminal_a_long_step_shows_it_and_leaves_nothing(monkeypatch):
    monkeypatch.setattr(progress, "_SECONDS_OF_SILENCE", 0)
    monkeypatch.setattr(progress, "_SECONDS_PER_SIGN", 0.01)
    terminal, shown = Terminal(), Event()
    monkeypatch.setattr(sys, "stderr", terminal)
    write = terminal.write
    monkeypatch.setattr(
        terminal, "write", lambda text: (shown.set() if "working" in text else None, write(text))[1]
    )
    with progress.sign_of_life(sys.stdout):
        sys.stderr.write("Fitting ...\n")
        assert shown.wait(60)
    assert screen(terminal.getvalue()) == ["Fitting ..."]
    assert sys.stderr is terminal


def test_a_log_gets_none(monkeypatch, capsys):
    monkeypatch.setattr(progress, "_SECONDS_OF_SILENCE", 0)
    monkeypatch.setattr(progress, "_SECONDS_PER_SIGN", 0.001)
    before = sys.stderr
    with progress.sign_of_life(sys.stdout):
        assert sys.stderr is before
