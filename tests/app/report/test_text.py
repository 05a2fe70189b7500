"""Numbers are rounded as JavaScript rounds, and never to something they are not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unlabeled.app.report._text import count, number, percent, plain, ratio

finite = st.floats(allow_nan=False, allow_infinity=False)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.0, "0 %"),
        (1.0, "100 %"),
        (0.8437, "84.4 %"),
        (0.00125, "0.13 %"),
        (0.000012, "0.0012 %"),
        (1e-9, "< 0.001 %"),
        (0.99951, "> 99.9 %"),
        (0.9994, "99.9 %"),
        (1.00001, "> 100 %"),
        (1.073, "107.3 %"),
        (0.00996, "1.0 %"),
        (None, "—"),
    ],
)
def test_percents(value, shown):
    assert percent(value) == shown.replace(" ", "\u202f")


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.5, "1"), (2.5, "3"), (-2.5, "−3"), (1234567.4, "1 234 567"), (-0.4, "0")],
)
def test_counts_round_halves_away_from_zero(value, shown):
    assert count(value) == shown.replace(" ", "\u202f")


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.0625, "0.06250"),
        (9.99995, "10.00"),
        (1234567.0, "1 234 567"),
        (9999999.0, "1.000 × 10⁷"),
        (12345678.0, "1.235 × 10⁷"),
        (-1.5e-300, "−1.500 × 10⁻³⁰⁰"),
    ],
)
def test_numbers_of_any_size(value, shown):
    assert number(value) == shown.replace(" ", "\u202f")


def test_a_ratio_has_three_decimals():
    assert ratio(0.0625) == "0.063"


@pytest.mark.parametrize(
    ("value", "shown"),
    [(1e-6, "0.000001"), (9.5e-7, "9.5e-7"), (1e20, "100000000000000000000"), (1e21, "1e+21")],
)
def test_a_plain_number_has_an_exponent_where_javascript_writes_one(value, shown):
    assert plain(value) == shown


@given(finite)
def test_a_plain_number_is_read_back_exactly(value):
    assert float(plain(value)) == value


@given(finite)
def test_every_number_can_be_written(value):
    assert all(write(value) for write in (count, percent, ratio, number, plain))
