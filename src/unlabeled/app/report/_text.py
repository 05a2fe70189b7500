"""Numbers and text as the report writes them; `report.js` writes the same digits."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any

# Halves are rounded away from zero, as JavaScript's ``toFixed`` does. A number never breaks: its
# spaces are narrow no-break spaces.
NOT_KNOWN = "—"
SPACE = "\u202f"
_IN_A_NUMBER = re.compile(r"(?<![\d.])\d{1,3}(?: \d{3})+(?!\d)|(?<=\d) %")
_MINUS = "\u2212"
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_DIGITS = 4
# Range of exponents without scientific notation.
_SMALLEST, _LARGEST = -4, 6
# Above this value doubles have hardly any decimals.
_HUGE = 1e15
_EXACT = Context(prec=800, rounding=ROUND_HALF_UP)


def count(value: float | None) -> str:
    """Write a count, rounded, with a space between thousands.

    Examples
    --------
    >>> count(38800.5)
    '38\\u202f801'
    """
    return NOT_KNOWN if value is None else _usual(value, 0)


def percent(value: float | None) -> str:
    """Write a fraction in percent; only exactly 0 and 1 become 0 % and 100 %.

    Examples
    --------
    >>> percent(0.8437), percent(0.99999), percent(1.0)
    ('84.4\\u202f%', '>\\u202f99.9\\u202f%', '100\\u202f%')
    """
    if value is None or finite(100 * value) is None:
        return NOT_KNOWN
    hundredths = 100 * value
    size = abs(hundredths)
    if size in (0, 100):
        text = fixed(hundredths, 0)
    elif size < 0.001:
        text = f"<{SPACE}0.001" if hundredths > 0 else f">{SPACE}{_MINUS}0.001"
    elif 99.95 <= hundredths < 100:
        text = f">{SPACE}99.9"
    elif 100 < hundredths < 100.05:
        text = f">{SPACE}100"
    else:
        text = _usual(hundredths, max(1, 1 - _exponent(hundredths, 2)))
    return f"{text}{SPACE}%"


def ratio(value: float | None) -> str:
    """Write a number near 1 with three decimals.

    Examples
    --------
    >>> ratio(0.8705)
    '0.871'
    """
    return NOT_KNOWN if value is None else _usual(value, 3)


def number(value: float | None, digits: int = _DIGITS) -> str:
    """Write a number of any size with four significant digits.

    Examples
    --------
    >>> number(0.083), number(-12345.6), number(1.5e-9)
    ('0.08300', '−12\\u202f346', '1.500\\u202f×\\u202f10⁻⁹')
    """
    if value is None:
        return NOT_KNOWN
    if value == 0:
        return "0"
    exponent = _exponent(value, digits)
    if _SMALLEST <= exponent <= _LARGEST:
        return fixed(value, max(0, digits - 1 - exponent))
    mantissa = _EXACT.divide(Decimal(value), Decimal(1).scaleb(exponent))
    power = str(exponent).translate(_RAISED)
    return f"{fixed(mantissa, digits - 1)}{SPACE}×{SPACE}10{power}"


def brief(value: float | None) -> str:
    """Write a number of any size with three significant digits.

    Examples
    --------
    >>> brief(0.0737), brief(-1.2091)
    ('0.0737', '−1.21')
    """
    return number(value, 3)


def signed(value: float | None, decimals: int | None = None) -> str:
    """Write a number with its sign, with fixed decimals or with three significant digits.

    Examples
    --------
    >>> signed(0.5), signed(-0.5), signed(0.901, 2), signed(0.0004, 2)
    ('+0.500', '−0.500', '+0.90', '0.00')
    """
    if value is None or decimals is None:
        text = brief(value)
    else:
        text = fixed(value, decimals)
    return f"+{text}" if value is not None and value > 0 and text.strip("0.") else text


def decimals_for(largest: float) -> int | None:
    """Return the decimals for a column of numbers; None where significant digits are better.

    Examples
    --------
    >>> decimals_for(0.9), decimals_for(12.0), decimals_for(1e-7)
    (2, 1, None)
    """
    if largest == 0:
        return 1
    exponent = _exponent(largest, 2)
    return max(1, 1 - exponent) if _SMALLEST < exponent <= _LARGEST else None


def plain(value: float | None) -> str:
    """Write a number so that it can be read back exactly, as JavaScript does.

    Examples
    --------
    >>> plain(0.1), plain(2.0), plain(1e-5), plain(-1.5e-9)
    ('0.1', '2', '0.00001', '-1.5e-9')
    """
    if value is None:
        return ""
    written = Decimal(repr(float(value))).normalize()
    if written == 0:
        return "0"
    exponent = written.adjusted()
    if -7 < exponent < 21:
        return format(written, "f")
    digits = format(written.scaleb(-exponent), "f")
    return f"{digits}e{exponent:+d}"


def fixed(value: float | Decimal, decimals: int) -> str:
    """Write a number with fixed decimals.

    Examples
    --------
    >>> fixed(0.125, 2), fixed(-0.001, 2)
    ('0.13', '0.00')
    """
    rounded = Decimal(value).quantize(Decimal(1).scaleb(-decimals), context=_EXACT)
    sign = _MINUS if rounded < 0 else ""
    return sign + f"{abs(rounded):,f}".replace(",", SPACE)


FORMATS: dict[str, Callable[[float | None], str]] = {
    "count": count,
    "percent": percent,
    "ratio": ratio,
    "number": number,
    "brief": brief,
    "plain": plain,
}
"""The formats, by the names that templates and `report.js` use."""


def finite(value: object) -> float | None:
    """Return a number that can be written, or None."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return value if math.isfinite(value) else None
    except OverflowError:  # an integer too large for a float
        return None


def three(part: Any) -> dict[str, float | None]:
    """Return estimate, lower and upper end of a part of a record; None where one is not known."""
    return {name: finite((part or {}).get(name)) for name in ("estimate", "lower", "upper")}


def level(part: dict[str, Any]) -> str:
    """Write the level of the interval of a part of a record; 95 % if it has none."""
    value = finite(part.get("level"))
    return percent(0.95 if value is None else value).replace(f".0{SPACE}", SPACE)


def all_finite(values: list[object]) -> bool:
    """Return whether `finite` returns every one of many values."""
    try:
        # No type but these is a number that JSON has: True is not.
        return {type(value) for value in values} <= {int, float} and all(map(math.isfinite, values))  # type: ignore[arg-type]
    except OverflowError:
        return False


def unbroken(text: str) -> str:
    """Return a sentence in which no number breaks at a space, nor before its percent sign.

    Examples
    --------
    >>> unbroken("95 % of 38 800 rows in 2024")
    '95\\u202f% of 38\\u202f800 rows in 2024'
    """
    return _IN_A_NUMBER.sub(lambda found: found[0].replace(" ", SPACE), text)


def _usual(value: float, decimals: int) -> str:
    return number(value) if abs(value) >= _HUGE else fixed(value, decimals)


def _exponent(value: float, digits: int) -> int:
    """Return the power of ten of a number after rounding it to `digits` significant digits."""
    return Context(prec=digits, rounding=ROUND_HALF_UP).create_decimal(Decimal(value)).adjusted()
