"""`unlabeled explain` says what a code means and what to do."""

from __future__ import annotations

import pytest

from unlabeled.codes import CODES


@pytest.mark.parametrize("code", CODES)
def test_every_code_has_a_meaning_and_a_remedy(run, code):
    result = run("explain", code)
    assert result.exit_code == 0
    said = " ".join(result.stdout.split())
    assert said.startswith(f"{code}: {CODES[code].meaning}. What to do: {CODES[code].remedy}")
    assert max(map(len, result.stdout.splitlines())) <= 88


def test_small_letters_will_do(run):
    assert run("explain", "pu202").stdout == run("explain", "PU202").stdout


def test_the_number_will_do(run):
    assert run("explain", "202").stdout == run("explain", "PU202").stdout
    assert run("explain", "999").exit_code == 2


def test_without_a_code_all_are_listed(run):
    lines = run("explain").stdout.splitlines()
    assert [line.split()[0] for line in lines] == list(CODES)
    assert max(map(len, lines)) <= 88


def test_an_unknown_code_is_rejected_in_one_sentence(run):
    result = run("explain", "PU999")
    assert result.exit_code == 2
    assert "CODE must be a code such as PU202; got 'PU999'" in result.stderr
