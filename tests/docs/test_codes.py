"""Every code has a section in the documentation, whose example raises the warning or finds it."""

from __future__ import annotations

import re
import textwrap
import warnings

import pytest

from tests.docs.pages import text_of
from unlabeled.codes import CODES, PUWarning
from unlabeled.diagnostics import Finding

PAGE = text_of("checks")
HEADING = re.compile(r"^(PU\d+): .*\n-+$", flags=re.MULTILINE)
CODE_BLOCK = re.compile(r"^\.\. code-block:: python\n((?:\n|   .*\n)+)", flags=re.MULTILINE)

# Raised by no fit: findings of `diagnose`.
FOUND = {code for code in CODES if code.startswith("PU2")}

_pieces = HEADING.split(PAGE)
INTRODUCTION = _pieces[0]
SECTIONS = dict(zip(_pieces[1::2], _pieces[2::2], strict=True))


def code_of(text: str) -> str:
    """Return the last code block of a piece of the page."""
    return textwrap.dedent(CODE_BLOCK.findall(text)[-1]).replace(":name: preamble\n", "")


def test_every_code_has_one_section_and_every_section_a_code():
    assert sorted(HEADING.findall(PAGE)) == sorted(CODES)


@pytest.mark.parametrize("code", CODES)
def test_a_section_can_be_linked_to_and_says_meaning_example_and_remedy(code):
    assert PAGE.count(f".. _{code}:\n") == 1
    for part in ("*Meaning.*", "*Example.*", "*Remedy.*"):
        assert SECTIONS[code].count(part) == 1


@pytest.mark.parametrize("code", CODES)
def test_the_example_of_a_section_raises_its_warning_or_ends_in_its_finding(code):
    names: dict[str, object] = {}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        exec(code_of(INTRODUCTION) + code_of(SECTIONS[code]), names)
    if code in FOUND:
        finding = names["finding"]
        assert isinstance(finding, Finding)
        assert finding.code == code
        assert finding.state in ("note", "warning", "serious")
    else:
        assert code in {w.message.code for w in caught if isinstance(w.message, PUWarning)}


@pytest.mark.parametrize("code", ["PU121", "PU122", "PU201"])
def test_labels_that_are_not_at_random_have_both_remedies(code):
    for remedy in ("--labeled-by", "`unlabeled audit`"):
        assert remedy in CODES[code].remedy
        assert remedy.strip("`") in SECTIONS[code]
    assert "draw_audit" in SECTIONS[code]


def test_every_row_predicted_positive_may_be_labels_the_wrong_way_round():
    for text in (CODES["PU110"].remedy, SECTIONS["PU110"]):
        assert "`pos_label`" in text
