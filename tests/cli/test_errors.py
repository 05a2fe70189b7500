"""A command that cannot go on ends in one sentence, with an exit code that says why."""

from __future__ import annotations

import copy
import pickle
import sys

import pytest

from unlabeled.app.run import in_terminal
from unlabeled.app.tables import TableError
from unlabeled.codes import CODES, Message, PUWarning, for_terminal


@pytest.mark.parametrize("name", ["pyarrow", "pandas"])
@pytest.mark.parametrize("command", ["compare", "diagnose", "fit"])
def test_without_the_extra_it_says_how_to_install_it(
    run, table, tmp_path, monkeypatch, command, name
):
    monkeypatch.setitem(sys.modules, name, None)
    own = ("--out", tmp_path / "fit") if command == "fit" else ()
    result = run(command, table, "--label", "diagnosis", *own)
    assert result.exit_code == 2
    assert f"`unlabeled {command}` needs {name}" in result.stderr
    assert "pip install 'unlabeled[tables]'." in result.stderr
    assert not list(tmp_path.iterdir())


def test_doubt_about_the_number_of_positives_names_options_and_no_class(run, table):
    words = ("--label", "diagnosis", "--id", "patient", "--drop", "treatment_date")
    said = run("diagnose", table, *words, "--check", "identifiability").stdout
    said = " ".join(said.split())
    assert "PU202" in said
    for one in ("--class-prior", "--rule f1_pu", "`unlabeled audit`"):
        assert one in said
    assert "PULogistic" not in said


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        (
            Message("the 3 rows are few.", python="Use a finite `C`."),
            "The 3 rows are few. {remedy}",
        ),
        (Message(python="use a finite `C`. It helps."), "The {meaning}. {remedy}"),
        ("'a' is 5 in 3 rows. Drop it.", "'a' is 5 in 3 rows. Drop it."),
    ],
)
def test_the_remedy_of_the_code_stands_for_what_only_python_is_told(message, shown):
    meaning, remedy, _ = CODES["PU105"]
    wanted = shown.format(meaning=meaning.removeprefix("the "), remedy=remedy)
    assert for_terminal("PU105", message) == wanted


@pytest.mark.parametrize("again", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_a_warning_from_another_process_still_knows_what_the_terminal_is_told(again):
    warning = PUWarning("PU105", "It " + Message("stopped.", python="Raise `max_iter`."))
    assert again(warning).message.terminal == "It stopped."
    assert str(again(warning)) == "[PU105] It stopped. Raise `max_iter`."


def test_an_error_names_options_and_keeps_what_only_the_terminal_is_told():
    said = Message("Set `as_text`;", python="or `C`.", terminal="it may be repeated.")
    assert in_terminal(TableError(said)) == "Set `--as-text`; it may be repeated."
    assert in_terminal("`path` and `odd`", path="DIR") == "DIR and `odd`"
