"""The command itself: quick to answer, and stopped in one line at any moment."""

from __future__ import annotations

import click
import pytest

from tests.commands import run_python
from unlabeled import __version__
from unlabeled.cli import _main, main
from unlabeled.cli._fit import FILES
from unlabeled.cli._main import COMMANDS

HEAVY = ("numpy", "scipy", "sklearn", "joblib", "pandas", "pyarrow", "matplotlib")


def loaded_by(*words, first="pass"):
    """Run the command in a process of its own; which heavy modules it had loaded at its end."""
    code = (
        f"{first}\n"
        "import sys\n"
        "from unlabeled.cli import main\n"
        f"main({list(words)!r}, standalone_mode=False)\n"
        f"print(*[name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)"
    )
    done = run_python(code)
    return done.stdout, done.stderr.split()


@pytest.mark.parametrize("words", [("--help",), ("--version",)])
def test_help_and_version_load_not_even_numpy(words):
    shown, heavy = loaded_by(*words)
    assert "unlabeled" in shown
    assert heavy == []


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_loads_no_heavy_module(name):
    shown, heavy = loaded_by(name, "--help")
    assert COMMANDS[name] in shown
    assert set(heavy) <= {"numpy"}


@pytest.mark.parametrize("words", [(), ("PU202",)])
def test_explain_loads_no_heavy_module(words):
    shown, heavy = loaded_by("explain", *words)
    assert "PU202" in shown
    assert set(heavy) <= {"numpy"}


def test_a_heavy_module_would_be_noticed():
    assert "sklearn" in loaded_by("explain", first="import sklearn")[1]


@pytest.mark.parametrize("name", COMMANDS)
def test_the_line_of_a_command_is_the_first_of_its_own_help(name):
    command = main.get_command(click.Context(main), name)
    assert command.name == name
    assert command.get_short_help_str(limit=100) == COMMANDS[name]


def test_every_command_is_listed_with_its_line(run):
    shown = run("--help").stdout
    width = max(map(len, COMMANDS))
    for name, line in COMMANDS.items():
        assert f"  {name:<{width}}  {line}\n" in shown


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_every_command_has_an_example(run, name):
    shown = run(name, "--help").output
    assert "Example" in shown
    assert f"    unlabeled {name}" in shown


@pytest.mark.parametrize("name", sorted(COMMANDS.keys() - {"demo", "explain"}))
def test_the_help_of_a_command_on_files_has_its_exit_codes(run, name):
    codes = run(name, "--help").output.partition("Exit codes:")[2].partition("Options:")[0].split()
    assert {"0", "2", "130"} <= set(codes)
    assert ("1" in codes) == (name == "diagnose")
    assert ("3" in codes) == (name != "diagnose")


def test_the_help_of_fit_has_the_files_it_writes(run):
    shown = run("fit", "--help").output
    assert [name for name in FILES if name not in shown] == []


def test_the_version_is_printed(run):
    assert __version__ in run("--version").output


def test_an_unknown_command_is_rejected(run):
    result = run("train")
    assert result.exit_code == 2
    assert "'train' is no command. There are audit, compare" in result.stderr


def test_a_command_that_was_meant_is_named(run):
    assert "'predit' is no command. Did you mean 'predict'?" in run("predit", "x.csv").stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_ctrl_c_while_a_command_is_loaded_ends_in_one_line(run, monkeypatch, command):
    def pressed(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(_main, "import_module", pressed)
    result = run(command)
    assert result.exit_code == 130
    assert result.stderr.strip() == "Stopped; nothing was written."
