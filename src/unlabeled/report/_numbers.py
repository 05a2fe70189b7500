"""Numbers as the report writes them; `report.js` has the same functions, digit for digit.

Halves are rounded away from zero, as JavaScript's ``toFixed`` does. Spaces do not break.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Context, Decimal

NOT_KNOWN = "—"
_SPACE = "\u00a0"
_MINUS = "\u2212"
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_DIGITS = 4
# Exponents of numbers that are written out.
_SMALLEST, _LARGEST = -4, 6
_EXACT = Context(prec=800, rounding=ROUND_HALF_UP)


def count(value: float | None) -> str:
    """Write a count, rounded, with a space between thousands.

    Examples
    --------
    >>> count(38800.5)
    '38\\xa0801'
    """
    return NOT_KNOWN if value is None else _fixed(value, 0)


def percent(value: float | None) -> str:
    """Write a share in percent; what would be rounded to 0 or 100 % says so.

    Examples
    --------
    >>> percent(0.8437), percent(0.99999), percent(1.0)
    ('84.4\\xa0%', '>\\xa099.9\\xa0%', '100\\xa0%')
    """
    if value is None:
        return NOT_KNOWN
    hundredths = 100 * value
    size = abs(hundredths)
    if size in (0, 100):
        text = _fixed(hundredths, 0)
    elif size < 0.001:
        text = f"<{_SPACE}0.001" if hundredths > 0 else f">{_SPACE}{_MINUS}0.001"
    elif 99.95 <= hundredths < 100:
        text = f">{_SPACE}99.9"
    elif 100 < hundredths < 100.05:
        text = f">{_SPACE}100"
    else:
        text = _fixed(hundredths, max(1, 1 - _exponent(hundredths, 2)))
    return f"{text}{_SPACE}%"


def ratio(value: float | None) -> str:
    """Write a number near 1 with three decimals.

    Examples
    --------
    >>> ratio(0.8705)
    '0.871'
    """
    return NOT_KNOWN if value is None else _fixed(value, 3)


def number(value: float | None) -> str:
    """Write a number of any size with four digits.

    Examples
    --------
    >>> number(0.083), number(-12345.6), number(1.5e-9)
    ('0.08300', '−12\\xa0346', '1.500\\xa0×\\xa010⁻⁹')
    """
    if value is None:
        return NOT_KNOWN
    if value == 0:
        return "0"
    exponent = _exponent(value, _DIGITS)
    if _SMALLEST <= exponent <= _LARGEST:
        return _fixed(value, max(0, _DIGITS - 1 - exponent))
    digits = _EXACT.divide(Decimal(value), Decimal(1).scaleb(exponent))
    power = str(exponent).translate(_RAISED)
    return f"{_fixed(digits, _DIGITS - 1)}{_SPACE}×{_SPACE}10{power}"


def signed(value: float | None) -> str:
    """Write a number with its sign.

    Examples
    --------
    >>> signed(0.5), signed(-0.5)
    ('+0.5000', '−0.5000')
    """
    return f"+{number(value)}" if value is not None and value > 0 else number(value)


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
    if -7 <= exponent < 21:
        return format(written, "f")
    digits = format(written.scaleb(-exponent), "f")
    return f"{digits}e{exponent:+d}"


FORMATS: dict[str, Callable[[float | None], str]] = {
    "count": count,
    "percent": percent,
    "ratio": ratio,
    "number": number,
    "signed": signed,
    "plain": plain,
}
"""By the names that templates and `report.js` use."""


def finite(value: object) -> float | None:
    """Return a number that can be written, or None."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return value


def _exponent(value: float, digits: int) -> int:
    """Power of ten of a number after it is rounded to some digits."""
    return Context(prec=digits, rounding=ROUND_HALF_UP).create_decimal(Decimal(value)).adjusted()


def _fixed(value: float | Decimal, decimals: int) -> str:
    rounded = Decimal(value).quantize(Decimal(1).scaleb(-decimals), context=_EXACT)
    sign = _MINUS if rounded < 0 else ""
    return sign + f"{abs(rounded):,f}".replace(",", _SPACE)
