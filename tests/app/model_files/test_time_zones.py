"""Dates with a time zone, of which pandas has several kinds, survive in a model file."""

from __future__ import annotations

import json
import zipfile
from datetime import timedelta, timezone, tzinfo
from types import SimpleNamespace
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pytest

from unlabeled.app.model_files import ModelFileError, load_model, save_model
from unlabeled.app.model_files._pipeline import (
    timezone_dtype_as_text,
    timezone_dtype_from_text,
)

# A name alone is a zone of pytz before pandas 3, and one of the standard library since.
ZONES = {
    "name": "Europe/Warsaw",
    "UTC": "UTC",
    "standard library": ZoneInfo("America/St_Johns"),
    "name with a number": "Etc/GMT+5",
    "east": timezone(timedelta(hours=5, minutes=30)),
    "west": timezone(timedelta(hours=-3, minutes=-30)),
}


def seen_in(zone, table):
    frame, s = table
    seen = frame["seen"].dt.tz_convert(zone)
    return pd.DataFrame({"age": frame["age"], "seen": seen}), s


@pytest.mark.parametrize("zone", ZONES.values(), ids=ZONES)
def test_a_loaded_model_reads_dates_in_every_zone_as_the_saved_one(
    zone, table, fitted, card_of, tmp_path
):
    frame, s = seen_in(zone, table)
    model = fitted("naive", frame, s)
    save_model(model, tmp_path, card_of(model))
    loaded, _ = load_model(tmp_path)
    expected = model.predict_proba(frame)
    assert len({*expected[:, 1]}) > 700
    for other in ZONES.values():
        rows = seen_in(other, table)[0]
        np.testing.assert_array_equal(loaded.predict_proba(rows), expected)
    save_model(loaded, tmp_path / "again", card_of(loaded))
    again, _ = load_model(tmp_path / "again")
    np.testing.assert_array_equal(again.predict_proba(frame), expected)


@pytest.mark.parametrize("zone", ZONES.values(), ids=ZONES)
def test_the_type_of_a_column_comes_back_from_its_text(zone):
    for unit in ("s", "ms", "us", "ns"):
        written = pd.DatetimeTZDtype(unit, zone)
        read = timezone_dtype_from_text(timezone_dtype_as_text(written))
        assert read.unit == unit
        summer, winter = (pd.Timestamp(2024, month, 1, tz="UTC") for month in (7, 1))
        for at in (summer, winter):
            assert at.tz_convert(read.tz).utcoffset() == at.tz_convert(written.tz).utcoffset()


def test_a_zone_without_a_name_is_rejected():
    class Nowhere(tzinfo):
        def utcoffset(self, dt):
            return None

        def __str__(self):
            return "nowhere"

    with pytest.raises(ModelFileError, match="time zones .*; got nowhere"):
        timezone_dtype_as_text(SimpleNamespace(unit="ns", tz=Nowhere()))


@pytest.mark.parametrize(
    "text",
    [
        "datetime64[ns, dateutil//etc/passwd]",
        "datetime64[ns, ../../etc/passwd]",
        "datetime64[ns, /etc/passwd]",
        "datetime64[ns, Europe/Nowhere]",
        "datetime64[ns, +99999 s]",
        "datetime64[ns]",
        "object",
    ],
)
def test_a_file_with_another_text_for_the_type_is_rejected(
    text, table, fitted, card_of, tmp_path, tampered_at
):
    model = fitted("naive", *seen_in("Europe/Warsaw", table))
    save_model(model, tmp_path, card_of(model))
    tampered = tampered_at(tmp_path)
    written = [one for one in tampered.nodes() if ", Europe/Warsaw]" in str(one.get("content"))]
    assert written[-1]["__loader__"] == "JsonNode"
    written[-1]["content"] = json.dumps(text)
    tampered.write()
    with pytest.raises(ModelFileError, match="odd output_dtype_|cannot be rebuilt"):
        load_model(tmp_path)


def test_the_file_names_the_zone_and_no_type_of_it(table, fitted, card_of, tmp_path):
    model = fitted("naive", *seen_in("Europe/Warsaw", table))
    save_model(model, tmp_path, card_of(model))
    with zipfile.ZipFile(tmp_path / "model.skops") as archive:
        description = archive.read("schema.json").decode()
    assert "Europe/Warsaw" in description
    for word in ("ZoneInfo", "pytz", "DatetimeTZDtype"):
        assert word not in description
