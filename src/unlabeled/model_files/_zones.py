"""The type of a column of dates with a time zone, as text.

There are several kinds of zones: pandas before 3 makes those of pytz, which skops cannot
write, and older versions of skops lose those of the standard library. A name will do.
"""

from __future__ import annotations

import re
from datetime import timedelta, timezone, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

from ._errors import ModelFileError
from ._trusted import TYPE_OF_DATES

_WRITTEN = re.compile(TYPE_OF_DATES, flags=re.ASCII)
_SECOND = timedelta(seconds=1)


def has_zone(dtype: Any) -> bool:
    """Tell whether this is the type of dates with a time zone."""
    return getattr(dtype, "tz", None) is not None


def type_as_text(dtype: Any) -> str:
    """Write the type as its unit and the name of its zone, or the seconds from UTC."""
    text = f"datetime64[{dtype.unit}, {_name(dtype.tz)}]"
    if not _WRITTEN.fullmatch(text):
        raise ModelFileError(
            "`pipeline` must be fitted to dates in time zones that have a name; got "
            f"{str(dtype.tz)[:80]}. Convert them before the fit, for example to UTC."
        )
    return text


def type_from_text(text: str) -> Any:
    """Make the type again, with a zone of the standard library, which looks up names only."""
    import pandas as pd

    found = _WRITTEN.fullmatch(text)
    if found is None:
        raise ValueError(f"{text[:40]!r} is no type of dates")
    unit, name, seconds = found.groups()
    return pd.DatetimeTZDtype(unit, ZoneInfo(name) if name else timezone(int(seconds) * _SECOND))


def _name(zone: tzinfo) -> str:
    # Zones of pytz have a `zone`, those of the standard library a `key`, offsets neither.
    name = getattr(zone, "zone", None) or getattr(zone, "key", None)
    if name:
        return str(name)
    offset = zone.utcoffset(None)
    return "" if offset is None or offset % _SECOND else f"{offset // _SECOND:+d} s"
