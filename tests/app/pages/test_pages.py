"""Text from a table is shown as it is, but can neither hide nor end a script."""

from __future__ import annotations

import json
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from unlabeled.app.pages import clean, clean_all, script_json

any_text = st.text(st.characters(exclude_categories=()))


@given(any_text)
def test_clean_text_has_no_control_character_and_can_be_written(text):
    shown = clean(text)
    shown.encode("utf-8")
    assert not [sign for sign in shown if unicodedata.category(sign) in ("Cc", "Cs", "Zl", "Zp")]
    assert clean(shown) == shown


@given(st.text(st.characters(categories=["L", "N", "P", "S"])))
def test_clean_leaves_ordinary_text_alone(text):
    assert clean(text) == text


def test_keys_and_lists_are_cleaned_and_numbers_stay():
    assert clean_all({"a\x07": ["b\nc", (1.5, None)]}) == {"a␇": ["b c", [1.5, None]]}


@given(st.recursive(any_text | st.integers() | st.none(), st.lists))
def test_json_for_a_script_is_read_back_and_has_nothing_that_html_reads(record):
    written = str(script_json(record))
    assert json.loads(written) == record
    assert not set("<>&\u2028\u2029") & set(written)
