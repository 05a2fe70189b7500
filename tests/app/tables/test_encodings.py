"""What a column teaches: its kind, plain values, and the same numbers after a file."""

from __future__ import annotations

from datetime import UTC, date, timedelta, timezone, tzinfo

import numpy as np
import pandas as pd
import pytest
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer

from unlabeled.app.tables._encodings import (
    Dates,
    Levels,
    Numbers,
    Settings,
    Words,
    _name_of_zone,
    as_plain,
    encoded,
    from_plain,
    learned,
)

SETTINGS = Settings(most_categories=40, text_components=3, rare=5)
DAYS = pd.Timestamp("2023-01-01") + pd.to_timedelta(np.arange(100) * 7, "D")
WORDS = [f"walks {k % 37} and swims {k}" for k in range(100)]

COLUMNS = {
    "true/false": (Numbers, pd.Series([True, None, False, True] * 25, dtype=object)),
    "numbers as text": (Numbers, pd.Series([f"{k / 7:.3f}" for k in range(100)])),
    "durations": (Numbers, pd.Series(pd.to_timedelta(np.arange(100), "h"))),
    "dates": (Dates, pd.Series(DAYS)),
    "dates of the standard library": (Dates, pd.Series([day.date() for day in DAYS], dtype=object)),
    "dates as text": (Dates, pd.Series(DAYS.strftime("%d.%m.%Y"))),
    "dates in a zone": (Dates, pd.Series(DAYS).dt.tz_localize("Europe/Warsaw")),
    "levels": (Levels, pd.Series(["a", "b", None, "c"] * 24 + ["d", "e", "f", "a"])),
    "categories": (Levels, pd.Series(pd.Categorical([1, 2, 10, 3] * 25))),
    "text": (Words, pd.Series(WORDS)),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_is_told_by_its_cells_and_gives_the_same_numbers_after_a_file(name):
    kind, column = COLUMNS[name]
    encoding, values = learned(column, SETTINGS)
    assert type(encoding) is kind
    np.testing.assert_allclose(encoded(encoding, column), values, rtol=0, atol=1e-6)
    plain = as_plain(encoding)
    held = {type(value) for value in plain.values()}
    assert held <= {str, int, float, list, np.ndarray, type(None)}
    again = from_plain(plain)
    np.testing.assert_array_equal(encoded(again, column), encoded(encoding, column))
    one_by_one = np.vstack([encoded(again, column.iloc[[k]]) for k in range(0, 100, 9)])
    np.testing.assert_allclose(one_by_one, values[::9], rtol=0, atol=1e-6)


@pytest.mark.parametrize("column", [[None] * 5, ["", "NA", "?", "  ", "none"]])
def test_a_column_of_missing_cells_teaches_nothing(column):
    assert learned(pd.Series(column, dtype=object), SETTINGS) is None


def test_marks_of_missing_cells_are_missing_unless_they_are_levels_of_a_category():
    column = pd.Series(["x"] * 8 + ["y"] * 8 + ["NA"] * 8)
    encoding, _ = learned(column, SETTINGS)
    assert encoding.levels == ["x", "y", None]
    encoding, _ = learned(column.astype("category"), SETTINGS)
    assert encoding.levels == ["NA", "x", "y"]
    np.testing.assert_array_equal(encoded(encoding, pd.Series(["NA"])), [[1.0, 0.0, 0.0]])


def test_unknown_levels_are_rare_or_have_no_output():
    with_rare, _ = learned(COLUMNS["levels"][1], SETTINGS)
    assert with_rare.rare == ["d", "e", "f"]
    new = pd.Series(["a", "f", "unheard of"])
    np.testing.assert_array_equal(encoded(with_rare, new)[:, [0, -1]], [[1, 0], [0, 1], [0, 1]])
    without, _ = learned(COLUMNS["categories"][1], SETTINGS)
    assert encoded(without, pd.Series(["unheard of", None])).sum() == 0


def test_levels_that_text_may_have_are_fewer_than_most_categories():
    column = pd.Series([f"level {k % 12}" for k in range(100)])
    assert type(learned(column, SETTINGS._replace(most_categories=13))[0]) is Levels
    assert type(learned(column, SETTINGS._replace(most_categories=12))[0]) is Words


@pytest.mark.parametrize(
    ("cells", "date_format"),
    [
        (["03/04/2024", "05/06/2024"], "%m/%d/%Y"),
        (["13/04/2024", "25/06/2024"], "%d/%m/%Y"),
        (["2024-04-03T10:00:00+02:00", "2024-04-03T10:00:00+03:00"], "%Y-%m-%dT%H:%M:%S%z"),
    ],
)
def test_the_format_of_dates_is_guessed_with_the_month_first_if_both_are_possible(
    cells, date_format
):
    encoding, values = learned(pd.Series(cells), SETTINGS)
    assert encoding.date_format == date_format
    assert np.isfinite(values).all()
    assert np.isnan(encoded(encoding, pd.Series(["yesterday"]))).all()


def test_dates_are_seconds_and_the_month_on_a_circle():
    _, values = learned(pd.Series(pd.to_datetime(["1970-01-02", "1970-04-01"])), SETTINGS)
    months = 2 * np.pi * np.array([1, 4]) / 12
    expected = np.column_stack([[86_400, 90 * 86_400], np.sin(months), np.cos(months)])
    np.testing.assert_allclose(values, expected, rtol=0, atol=1e-7)


@pytest.mark.parametrize(
    ("zone", "name"),
    [
        ("Europe/Warsaw", "Europe/Warsaw"),
        (timezone(timedelta(hours=-3, minutes=-30)), "-12600 s"),
        (UTC, "+0 s"),
    ],
)
def test_the_month_is_that_of_the_zone_of_the_fit(zone, name):
    ends = pd.Series(pd.to_datetime(["2024-01-31 23:30", "2024-03-01 00:30"])).dt.tz_localize(zone)
    encoding, values = learned(ends, SETTINGS)
    assert encoding.zone == name
    for other in ("UTC", "Asia/Tokyo"):
        np.testing.assert_array_equal(encoded(encoding, ends.dt.tz_convert(other)), values)
    np.testing.assert_allclose(values[:, 1], np.sin(2 * np.pi * np.array([1, 3]) / 12), atol=1e-6)


class Offset(tzinfo):
    """An offset as pytz has it: with a zone that is None."""

    zone = None

    def __init__(self, minutes):
        self.minutes = minutes

    def utcoffset(self, dt):
        return None if self.minutes is None else timedelta(minutes=self.minutes)


def test_an_offset_without_a_name_is_held_in_seconds_and_no_offset_counts_as_utc():
    assert _name_of_zone(Offset(120)) == "+7200 s"
    assert _name_of_zone(Offset(None)) == "UTC"


def test_text_is_the_decomposition_of_weighted_pieces():
    column = pd.Series(WORDS)
    encoding, values = learned(column, SETTINGS)
    pieces = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 4)).fit_transform(WORDS)
    expected = TruncatedSVD(3, random_state=0).fit_transform(pieces.astype(np.float32))
    expected /= np.sqrt(expected.var(axis=0).sum())
    np.testing.assert_allclose(values, expected, rtol=0, atol=1e-5)
    assert encoding.words.split("\n")[:2] == [" 0 ", " 1 "]
    np.testing.assert_array_equal(encoded(encoding, pd.Series([None, "qqq"])), np.zeros((2, 3)))


def test_text_with_few_pieces_is_those_pieces():
    column = pd.Series(["ab", "cd", "ab cd", "cd cd"])
    encoding, values = learned(column, Settings(1, 20, 1))
    assert encoding.components is None
    assert values.shape[1] == len(encoding.words.split("\n")) == encoding.n_outputs
    np.testing.assert_allclose(encoded(encoding, column), values, atol=1e-6)


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        ([f"A{k % 40}-{k % 40 % 7}X" for k in range(400)], Levels),
        ([f"product {k % 40}" for k in range(400)], Words),  # two words
        ([f"A{k % 100}" for k in range(400)], Words),  # four rows each
        ([f"A{k % 201}" for k in range(2010)], Words),  # too many
    ],
)
def test_codes_are_a_category_also_if_there_are_many(cells, kind):
    assert type(learned(pd.Series(cells), SETTINGS)[0]) is kind


@pytest.mark.parametrize("column", [[date(2024, 1, 1), "soon"], [(1, 2), None, "x"]])
def test_cells_of_several_kinds_are_text(column):
    encoding, _ = learned(pd.Series(column, dtype=object), SETTINGS)
    assert type(encoding) is Levels
