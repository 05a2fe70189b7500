"""What a fit learns from a column that is not stored as numbers, as plain values; and its numbers.

A column is of the first kind in `ENCODINGS` that can learn it. An encoding holds numbers, text and
arrays only, so that a model file can hold it, and turns cells into one or more columns of numbers.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, fields
from datetime import date, timedelta, timezone, tzinfo
from typing import Any, ClassVar, NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np

from ._formats import MISSING

_SECONDS_PER_DAY = 86_400.0
# Cells of a column of dates from which its format is guessed.
_GUESSED_FROM = 30
_BETWEEN_WORDS = "\n"
_MARKS = frozenset(MISSING)
# Codes, such as those of products: words without a space, that many at most, with so many rows
# each on the mean.
MOST_CODES = 200
_ROWS_PER_CODE = 5
_MOST_WORDS = 2_000_000


class Feature(NamedTuple):
    """A feature: an output of an encoding, shifted, scaled, and with missing values filled.

    If `output` is None, the feature is computed directly from the column `source`.
    """

    name: str
    source: str
    output: int | None
    indicates_missing: bool = False
    origin: float = 0.0
    unit: float = 1.0
    fill: float = 0.0


class Settings(NamedTuple):
    """Below how many levels text is a category, components of text, and rows of a rare level."""

    most_categories: int
    text_components: int
    rare: int


@dataclass(frozen=True, eq=False)
class Numbers:
    """Text, true/false or durations that are numbers, in single precision."""

    kind: ClassVar[str] = "number"

    @classmethod
    def learn(cls, column: Any, settings: Settings) -> tuple[Numbers, np.ndarray] | None:
        """Accept a column whose every cell is a number."""
        import pandas as pd

        if isinstance(column.dtype, pd.CategoricalDtype):
            return None
        try:
            return cls(), _single(_as_numbers(column, "raise"))
        except (TypeError, ValueError):
            return None

    def values(self, column: Any) -> np.ndarray:
        """Return one number per cell, NaN for cells that are not numbers."""
        return _single(_as_numbers(column, "coerce"))

    def features(self, source: str, values: np.ndarray, gaps: bool) -> list[Feature]:
        """Return the number, and whether it is missing."""
        fill = float(np.float32(np.nanmedian(values)))  # as single as the numbers are
        return [Feature(source, source, 0, fill=fill), *_indicator(source, values[:, 0])]


@dataclass(frozen=True, eq=False)
class Dates:
    """Dates, with the format of those that are text and the time zone of those that have one."""

    date_format: str | None
    zone: str | None
    kind: ClassVar[str] = "date"

    def __post_init__(self) -> None:
        self._zone()  # a file may name any

    @classmethod
    def learn(cls, column: Any, settings: Settings) -> tuple[Dates, np.ndarray] | None:
        """Accept dates, and text of which every cell is a date in the same format."""
        import pandas as pd

        date_format = None
        try:
            if _holds_dates(column):
                column = pd.to_datetime(column)
            elif not pd.api.types.is_datetime64_any_dtype(column.dtype):
                date_format = _guessed_format(column)
                if date_format is None:
                    return None
                column = pd.to_datetime(column, format=date_format, utc="%z" in date_format)
        except (TypeError, ValueError):
            return None
        dates = cls(date_format, _name_of_zone(column.dt.tz))
        return dates, dates.values(column)

    def values(self, column: Any) -> np.ndarray:
        """Return seconds since 1970, and the month as a point on a circle."""
        import pandas as pd

        dates = self._dates(column)
        zone = None if self.zone is None else "UTC"
        seconds = (dates - pd.Timestamp("1970-01-01", tz=zone)) / pd.Timedelta("1s")
        angle = dates.dt.month.to_numpy(np.float64, na_value=np.nan) / 12 * 2 * np.pi
        return _single(seconds, np.sin(angle), np.cos(angle))

    def features(self, source: str, values: np.ndarray, gaps: bool) -> list[Feature]:
        """Return days since the first date, whether it is missing, and the season."""
        first = float(np.nanmin(values[:, 0]))
        middle = (float(np.nanmedian(values[:, 0])) - first) / _SECONDS_PER_DAY
        days = Feature(f"{source} (days)", source, 0, False, first, _SECONDS_PER_DAY, middle)
        seasons = [
            Feature(f"{source} (season {j})", source, j, fill=float(np.nanmedian(values[:, j])))
            for j in (1, 2)
        ]
        return [days, *_indicator(source, values[:, 0]), *seasons]

    def _dates(self, column: Any) -> Any:
        """Return dates in the zone of the fit; those without one count as UTC."""
        import pandas as pd

        if not pd.api.types.is_datetime64_any_dtype(column.dtype):
            utc = self.date_format is None or "%z" in self.date_format
            column = pd.to_datetime(column, format=self.date_format, errors="coerce", utc=utc)
        if column.dt.tz is None and self.zone is not None:
            column = column.dt.tz_localize("UTC")
        return column if column.dt.tz is None else column.dt.tz_convert(self._zone())

    def _zone(self) -> tzinfo | None:
        # Pandas would open "dateutil/PATH" as a file; the standard library looks up names only.
        if self.zone is None:
            return None
        if self.zone.endswith(" s"):
            return timezone(timedelta(seconds=int(self.zone[:-2])))
        return ZoneInfo(self.zone)


def _are_codes(texts: set[str], n_rows: int) -> bool:
    few = len(texts) <= min(MOST_CODES, n_rows / _ROWS_PER_CODE)
    return few and not any(any(map(str.isspace, text.strip())) for text in texts)


@dataclass(frozen=True, eq=False)
class Levels:
    """Levels of a category; None is a missing cell, and rare levels share one output."""

    levels: list[str | None]
    rare: list[str | None]
    kind: ClassVar[str] = "category"

    @classmethod
    def learn(cls, column: Any, settings: Settings) -> tuple[Levels, np.ndarray] | None:
        """Accept text with few levels, and codes with more of them."""
        codes, cells = _distinct(column)
        texts = _texts(cells)
        distinct = {text for text in texts if text is not None}
        few = len(distinct) < settings.most_categories
        if not few and not _are_codes(distinct, len(codes)):
            return None
        rows: dict[str | None, int] = {}
        for text, n_rows in zip(texts, np.bincount(codes, minlength=len(texts)), strict=True):
            rows[text] = rows.get(text, 0) + int(n_rows)
        known: list[str | None] = [*sorted(text for text in rows if text is not None)]
        known += [None] * (None in rows)
        levels = cls(
            [level for level in known if rows[level] >= settings.rare],
            [level for level in known if rows[level] < settings.rare],
        )
        return levels, levels._one_hot(texts)[codes]

    def values(self, column: Any) -> np.ndarray:
        """Return 1 in the output of the level of each cell; unknown levels count as rare."""
        return self._one_hot(_texts(column))

    def features(self, source: str, values: np.ndarray, gaps: bool) -> list[Feature]:
        """Return one feature per output, except that of the most rows."""
        frequent = values.sum(axis=0).argmax() if values.shape[1] > 1 else None
        names = [
            f"{source} is missing" if level is None else f"{source}={level}"
            for level in self.levels
        ]
        names += [f"{source}=(rare)"] * bool(self.rare)
        return [Feature(name, source, j) for j, name in enumerate(names) if j != frequent]

    def _one_hot(self, texts: list[str | None]) -> np.ndarray:
        output = {level: j for j, level in enumerate(self.levels)}
        output |= dict.fromkeys(self.rare, len(self.levels))
        values = np.zeros((len(texts), len(self.levels) + bool(self.rare)))
        # Without rare levels an unknown one has no output, as the most frequent level.
        known = (
            range(len(texts))
            if self.rare
            else [j for j, text in enumerate(texts) if text in output]
        )
        values[known, [output.get(texts[j], len(self.levels)) for j in known]] = 1.0
        return values


@dataclass(frozen=True, eq=False)
class Words:
    """Text as the leading components of its weighted pieces of three and four letters.

    `words` are the pieces, one per line; without `components`, the first pieces are the outputs.
    """

    words: str
    idf: np.ndarray
    components: np.ndarray | None
    n_outputs: int
    scale: float
    kind: ClassVar[str] = "text"

    def __post_init__(self) -> None:
        if self.words.count(_BETWEEN_WORDS) >= _MOST_WORDS:
            raise ValueError(f"a text has more than {_MOST_WORDS} pieces")

    @classmethod
    def learn(cls, column: Any, settings: Settings) -> tuple[Words, np.ndarray]:
        """Accept any column."""
        from sklearn.decomposition import TruncatedSVD

        counter, n_outputs = _counter(), settings.text_components
        weights = counter.fit_transform(_filled(column)).astype(np.float32)
        components = None
        if min(weights.shape) > n_outputs:
            decomposition = TruncatedSVD(n_components=n_outputs, random_state=0)
            values, components = decomposition.fit_transform(weights), decomposition.components_
        else:
            values = weights[:, :n_outputs].toarray()
        spread = float(np.sqrt(np.nansum(np.nanvar(values, ddof=0, axis=0))))
        scale = spread if spread >= 10 * np.finfo(values.dtype).eps else 1.0
        pieces = _BETWEEN_WORDS.join(counter.get_feature_names_out())
        words = cls(pieces, counter.idf_, components, values.shape[1], scale)
        return words, _single(*(values / scale).T)

    def values(self, column: Any) -> np.ndarray:
        """Return the components of the text of each cell, 0 where it is missing."""
        columns = {word: j for j, word in enumerate(self.words.split(_BETWEEN_WORDS))}
        counter = _counter(vocabulary=columns)
        counter.idf_ = self.idf
        weights = counter.transform(_filled(column)).astype(np.float32)
        if self.components is None:
            values = weights[:, : self.n_outputs].toarray()
        else:
            values = weights @ self.components.T
        return _single(*(values / self.scale).T)

    def features(self, source: str, values: np.ndarray, gaps: bool) -> list[Feature]:
        """Return the components, and whether the text is missing."""
        named = [Feature(f"{source} (text {j + 1})", source, j) for j in range(self.n_outputs)]
        return [*named, *[Feature(f"{source} is missing", source, None, True)] * gaps]


Encoding = Numbers | Dates | Levels | Words
ENCODINGS: tuple[type[Encoding], ...] = (Dates, Numbers, Levels, Words)
"""Kinds of columns that are not stored as numbers, in the order in which they are tried."""

KINDS = tuple(dict.fromkeys([*(encoding.kind for encoding in ENCODINGS), "true/false", "blank"]))
"""Kinds of columns in words; true/false is a kind of number."""

_NAMED = {encoding.__name__: encoding for encoding in ENCODINGS}


def learned(column: Any, settings: Settings) -> tuple[Encoding, np.ndarray] | None:
    """Return what a column teaches and its numbers, or None if all its cells are missing."""
    column = _without_marks(column)
    if column.isna().all():
        return None
    return next(
        result for kind in ENCODINGS if (result := kind.learn(column, settings)) is not None
    )


def encoded(encoding: Encoding, column: Any) -> np.ndarray:
    """Return the numbers of the cells of a column; equal cells are encoded once."""
    codes, cells = _distinct(column)
    known = encoding.levels + encoding.rare if isinstance(encoding, Levels) else ()
    return encoding.values(_without_marks(cells, known))[codes]


def as_plain(encoding: Encoding) -> dict[str, Any]:
    """Return an encoding as plain values, for a file."""
    values = {field.name: getattr(encoding, field.name) for field in fields(encoding)}
    return {"encoding": type(encoding).__name__} | values


def from_plain(plain: dict[str, Any]) -> Encoding:
    """Make an encoding of plain values, which may come from an untrusted file."""
    values = dict(plain)
    return _NAMED[values.pop("encoding")](**values)


def _distinct(column: Any) -> tuple[np.ndarray, Any]:
    """Return for each row the number of its cell, and the distinct cells in their order."""
    import pandas as pd

    codes, _ = pd.factorize(column, use_na_sentinel=False)
    first = np.unique(codes, return_index=True)[1]
    return codes, column.iloc[first].reset_index(drop=True)


def _without_marks(column: Any, known: Any = ()) -> Any:
    """Let text that marks a missing cell be missing, unless it is a known level of a category."""
    import pandas as pd

    types = pd.api.types
    if not (types.is_object_dtype(column.dtype) or isinstance(column.dtype, pd.StringDtype)):
        return column
    codes, cells = _distinct(column)
    blank = [isinstance(cell, str) and (cell.isspace() or cell in _MARKS) for cell in cells]
    marks = np.array(blank, dtype=bool) & ~cells.isin(list(known)).to_numpy(dtype=bool)
    return column.mask(marks[codes]) if marks.any() else column


def _texts(column: Any) -> list[str | None]:
    """Return cells as text, None where they are missing."""
    return [
        None if gone else str(cell)
        for cell, gone in zip(column.astype(object), column.isna(), strict=True)
    ]


def _filled(column: Any) -> list[str]:
    return [text or "" for text in _texts(column)]


def _counter(vocabulary: dict[str, int] | None = None) -> Any:
    from sklearn.feature_extraction.text import TfidfVectorizer

    return TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 4), vocabulary=vocabulary)


def _as_numbers(column: Any, errors: str) -> Any:
    import pandas as pd

    if pd.api.types.is_timedelta64_dtype(column.dtype):
        return column.dt.total_seconds()
    if pd.api.types.is_numeric_dtype(column.dtype):
        return column
    return pd.to_numeric(column, errors=errors)


def _single(*columns: Any) -> np.ndarray:
    """Return columns side by side, rounded to single precision."""
    import pandas as pd

    as_single = [
        pd.Series(column).to_numpy(dtype=np.float32, na_value=np.nan).astype(np.float64)
        for column in columns
    ]
    return np.column_stack(as_single)


def _indicator(source: str, values: np.ndarray) -> list[Feature]:
    gaps = bool(np.isnan(values).any())
    return [Feature(f"{source} is missing", source, 0, True)] * gaps


def _holds_dates(column: Any) -> bool:
    """Return whether the first cells are dates of the standard library."""
    import pandas as pd

    first = column.dropna().head(_GUESSED_FROM)
    return bool(pd.api.types.is_object_dtype(column.dtype)) and all(
        type(cell) is date for cell in first
    )


def _guessed_format(column: Any) -> str | None:
    """Return the format of dates that are text, the month first if both are possible."""
    import pandas as pd

    present = column.dropna()
    is_category = isinstance(column.dtype, pd.CategoricalDtype)
    if is_category or not pd.api.types.is_string_dtype(present):
        return None
    sample = present.sample(n=min(_GUESSED_FROM, len(present)), random_state=0)
    for day_first in (False, True):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            guesses = {pd.tseries.api.guess_datetime_format(cell, day_first) for cell in sample}
        if len(guesses) == 1 and None not in guesses:
            return str(guesses.pop())
    return None


def _name_of_zone(zone: tzinfo | None) -> str | None:
    """Return the name of a time zone, or its seconds from UTC; UTC if it has neither."""
    if zone is None:
        return None
    # Zones of pytz have `zone`, those of the standard library have `key`, offsets have neither.
    name = getattr(zone, "zone", None) or getattr(zone, "key", None)
    if name is None:
        offset = zone.utcoffset(None)
        return "UTC" if offset is None else f"{round(offset.total_seconds()):+d} s"
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        return "UTC"
    return str(name)
