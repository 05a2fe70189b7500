"""Inputs that cannot be used: the exit code, no traceback, and the message of each as recorded."""

from __future__ import annotations

import pytest

from tests.cli.bad_inputs import BAD_INPUTS, SAID, messages, text_of


@pytest.fixture(scope="module")
def said():
    """Every message; each input was checked for its exit code and for a traceback."""
    return messages()


def test_there_are_many_and_each_is_one_of_its_kind():
    assert len(BAD_INPUTS) >= 30
    assert len({one.words for one in BAD_INPUTS}) == len(BAD_INPUTS)


def test_the_commands_print_what_is_recorded(said):
    assert text_of(said) == SAID.read_text("utf-8"), "run python -m tests.cli.bad_inputs"


def test_a_message_is_short_and_names_no_python(said):
    for words, message in said.items():
        assert "`path`" not in message, words
        assert "`table`" not in message, words
        assert all(len(line) < 500 for line in message.splitlines()), words
