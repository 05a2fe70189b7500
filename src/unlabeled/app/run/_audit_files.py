"""The files of an audit: the folder CHECK, the answers, and what an audit adds to a fit's folder.

CHECK has the rows to check, without their scores, and the design. The folder of the fit has
`audits.json`, a copy of every design, so that answers are enough to go on, `audited.json`, what
the answers said, and `audited.csv`, the rows of the fit by the audited cut.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ...engine.of_020 import renamed
from ._errors import InputError, about_model, in_terminal
from ._table import tell

if TYPE_CHECKING:
    import numpy as np

    from ...audit import Audit
    from ..model_files import Card
    from ..table_model import FitRecord

DRAWN, AUDITED, AUDITED_ROWS = "audits.json", "audited.json", "audited.csv"
CHECK_CSV, CHECK_JSON, CHECK_HTML = "check.csv", "audit.json", "check.html"
CHECK_FILES = (CHECK_CSV, CHECK_JSON, CHECK_HTML)
ANSWERS_CSV = "answers.csv"
FORMAT = 1

KEY, TRUTH = "key", "truth"
# Keys that no spreadsheet takes for a date or a number: consonants, a hyphen, digits.
_CONSONANTS = "bcdfghjklmnpqrstvwxz"
_LENGTH = 5
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_LARGEST = 64 * 2**20
_MOST_ODD = 5

MEASURES = {"count": "positives", "precision": "precision", "recall": "recall", "f1": "F1"}
"""The measures that are printed, and what they are called."""


@dataclass(frozen=True, kw_only=True)
class AuditInput:
    """A fit, and the rows to draw or the answers; attributes have the names of the options."""

    folder: Path
    table: Path | None
    rows: int
    labeled_rows: int
    seed: int | None
    rule: str | None
    force: bool
    quiet: bool

    def log(self, *lines: str) -> None:
        """Write remarks to stderr, unless `--quiet`."""
        if not self.quiet:
            tell(*lines)


# The folder of the fit.


class Fit(NamedTuple):
    """The model of DIR, its card and its summary."""

    pipeline: Any
    card: Card
    summary: FitRecord


def fit_in(folder: Path) -> Fit:
    """Read the model and the summary in DIR."""
    import warnings

    from ..model_files import ModelFileError, read_model
    from ..report import ReportError, read_summary

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # other versions of packages: scores are computed anew
            pipeline, card = read_model(folder, of_table=True)
        return Fit(pipeline, card, read_summary(folder))
    except ModelFileError as error:
        raise InputError(about_model(error, "DIR")) from None
    except ReportError as error:
        message = in_terminal(error, path="DIR", summary="DIR/summary.json")
        raise InputError(message) from None


def now() -> str:
    """Return the time, for records."""
    return datetime.now(UTC).isoformat(timespec="seconds")


# The design, with a checksum: a changed one would give wrong numbers.


def name_of(audit: Audit) -> str:
    """Return five letters that set the rows of an audit apart from those of others."""
    content = f"{audit.fingerprint} {audit.threshold} {audit.rows.tolist()}"
    number = int.from_bytes(hashlib.sha256(content.encode()).digest()[:8], "big")
    letters = []
    for _ in range(_LENGTH):
        number, place = divmod(number, len(_CONSONANTS))
        letters.append(_CONSONANTS[place])
    return "".join(letters)


def keys_of(name: str, n_rows: int) -> list[str]:
    """Return a key per drawn row, in the order in which the rows are shown."""
    width = len(str(n_rows))
    return [f"{name}-{number:0{width}d}" for number in range(1, n_rows + 1)]


def sealed(record: dict[str, Any]) -> str:
    """Return a record as JSON with its checksum."""
    return json.dumps(record | {"sha256": _seal(record)}, allow_nan=False)


def _seal(record: dict[str, Any]) -> str:
    text = json.dumps(record, allow_nan=False, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def read_sealed(file: Path, again: str) -> dict[str, Any]:
    """Read what `sealed` wrote; reject it if anything in it has changed."""
    try:
        if file.stat().st_size > _LARGEST:
            raise ValueError("too large")
        found = json.loads(file.read_text("utf-8"))
        mark = found.pop("sha256")
        if mark != _seal(found) or found["format"] != FORMAT:
            raise ValueError("checksum")
    except FileNotFoundError:
        raise
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise InputError(f"{file} is damaged or was changed. {again}") from None
    return dict(renamed(found))


def read_drawn(folder: Path) -> dict[str, dict[str, Any]]:
    """Return the designs that were drawn from a fit, by name."""
    again = "Remove it, and name the folder CHECK in `--answers`."
    try:
        return dict(read_sealed(folder / DRAWN, again)["drawn"])
    except FileNotFoundError:
        return {}


# The rows to check.


def cells_of(frame: Any, commas: bool = False) -> list[list[str]]:
    """Return the cells of a frame as a person would write them; blank where they are missing.

    With `commas`, numbers have decimal commas.
    """
    columns = [_written(frame[name], "," if commas else ".") for name in frame.columns]
    return [list(row) for row in zip(*columns, strict=True)]


def _written(column: Any, decimal: str) -> list[str]:
    import pandas as pd

    missing = column.isna().to_numpy()
    if pd.api.types.is_bool_dtype(column.dtype):
        words = ["true" if value else "false" for value in column.fillna(False)]
    elif pd.api.types.is_float_dtype(column.dtype):
        words = [f"{value:.15g}".replace(".", decimal) for value in column]
    elif pd.api.types.is_datetime64_any_dtype(column.dtype):
        words = [str(value).removesuffix(" 00:00:00") for value in column]
    else:
        words = [str(value) for value in column]
    return ["" if gone else word for word, gone in zip(words, missing, strict=True)]


def check_csv(
    names: list[str], cells: list[list[str]], keys: list[str], delimiter: str = ","
) -> str:
    """Return the table to check: our key, the cells, and an empty `truth`."""
    shown = [f"{name} (table)" if name.lower() in (KEY, TRUTH) else name for name in names]
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter)
    writer.writerow([KEY, *map(_no_formula, shown), TRUTH])
    for key, row in zip(keys, cells, strict=True):
        writer.writerow([key, *map(_no_formula, row), ""])
    return "\ufeff" + text.getvalue()  # without the mark, spreadsheets take UTF-8 for Latin-1


def _no_formula(cell: str) -> str:
    """Put an apostrophe before a cell that a spreadsheet would run as a formula."""
    if not cell.startswith(_FORMULA):
        return cell
    try:
        float(cell.replace(",", "."))
    except ValueError:
        return f"'{cell}"
    return cell


# The answers.


def read_answers(files: Iterable[Path], names: Iterable[str]) -> tuple[str, dict[str, float]]:
    """Read answers by key: 1, 0, or NaN for not sure. Also return the name of the audit.

    Rejects answers about rows that were not drawn, that differ, or that are neither yes nor no.
    """
    from ..tables import read_answer

    known = set(names)
    answers: dict[str, float] = {}
    found: dict[str, dict[str, float]] = {}
    odd: dict[Path, list[tuple[str, str]]] = {}
    n_blank = 0
    for file in files:
        for key, word in _keys_and_words(file):
            answer = read_answer(word)
            if answer is None:
                odd.setdefault(file, []).append((word, key))
                continue
            n_blank += not word.strip()
            if key in answers and not _agree(answers[key], answer):
                raise InputError(
                    f"`--answers` must have one answer per row; got yes and no for {key!r}. "
                    "Decide which is right."
                )
            if key not in answers or math.isnan(answers[key]):
                answers[key] = answer
            found.setdefault(key.rpartition("-")[0], {})[key] = answers[key]
    if odd:
        raise _odd_answers(odd)
    strange = [key for key in answers if key.rpartition("-")[0] not in known]
    if strange:
        raise _not_drawn(strange)
    if len(found) > 1:
        raise InputError(
            f"`--answers` must have the answers of one audit; got those of {len(found)}: "
            f"{', '.join(sorted(found))}. Read one after the other; they are then pooled."
        )
    if not found:
        raise InputError("`--answers` must have rows with our keys; got none. Save the file again.")
    _reject_only_yes(list(answers.values()), n_blank)
    return next(iter(found.items()))


def _reject_only_yes(answers: list[float], n_blank: int) -> None:
    """Raise if somebody seems to have marked the positives only."""
    given = [one for one in answers if not math.isnan(one)]
    if given and all(one == 1 for one in given) and n_blank >= len(given):
        raise InputError(
            f"`--answers` must say no for rows that are not positive; got {len(given)} yes, no no, "
            f"and {n_blank} blank cells, which mean that nobody has looked. Write no, or not sure."
        )


def in_order(entry: dict[str, Any], answers: dict[str, float]) -> np.ndarray:
    """Return the answers in the order of the drawn rows."""
    import numpy as np

    strange = [key for key in answers if key not in set(entry["keys"])]
    if strange:
        raise _not_drawn(strange)
    found = np.array([answers.get(key, math.nan) for key in entry["keys"]])
    if np.isnan(found).all():
        unsure = "only 'not sure' and blank cells" if answers else "none"
        raise InputError(
            f"`--answers` must have at least one yes or no; got {unsure}. Check some rows first."
        )
    return found


def _agree(first: float, second: float) -> bool:
    return first == second or math.isnan(first) or math.isnan(second)


def _odd_answers(odd: dict[Path, list[tuple[str, str]]]) -> InputError:
    """Return the error for answers that are neither yes, no nor not sure; it names the first."""
    from ..tables import WORDS

    wrong = [(word, key, file.name) for file, cells in odd.items() for word, key in cells]
    shown = [f"{word[:40]!r} for {key} in {name}" for word, key, name in wrong[:_MOST_ODD]]
    rest = len(wrong) - len(shown)
    more = f" and {rest} more" if rest else ""
    return InputError(
        f"`--answers` must have yes, no or not sure in {TRUTH!r}; got {', '.join(shown)}{more}. "
        f"Write {WORDS}."
    )


def _not_drawn(keys: list[str]) -> InputError:
    from ..tables import listed

    return InputError(
        f"`--answers` must be about rows that were drawn from DIR; got {listed(keys, 3)}. Name "
        "the folder CHECK that was drawn from this fit, or the answers to it."
    )


def _keys_and_words(file: Path) -> list[tuple[str, str]]:
    """Return the keys and answers in a file that the page or a spreadsheet has saved."""
    text = _text(file)
    header, _, _ = text.partition("\n")
    delimiter = max(",;\t", key=header.count)
    try:
        lines = [line for line in csv.reader(io.StringIO(text), delimiter=delimiter) if any(line)]
    except csv.Error as error:
        raise InputError(f"`--answers` must be a CSV file; got {file} ({error}).") from None
    names = [name.strip().lower() for name in (lines[0] if lines else [])]
    if KEY not in names or TRUTH not in names:
        raise InputError(
            f"`--answers` must have the columns {KEY!r} and {TRUTH!r}; got {file} without them. "
            "Save it as CSV, with its first line."
        )
    places = names.index(KEY), names.index(TRUTH)
    cells = [[line[k].strip() if k < len(line) else "" for k in places] for line in lines[1:]]
    lost = [word for key, word in cells if word and not key]
    if lost:
        raise InputError(
            f"`--answers` must have a key for every answer; got {lost[0][:40]!r} without one in "
            f"{file}. Copy the column {KEY!r} from {CHECK_CSV} again."
        )
    return [(key.lower(), word) for key, word in cells if key]


def _text(file: Path) -> str:
    """Return the text of a file in any encoding that spreadsheets write."""
    try:
        content = file.read_bytes()
    except OSError as error:
        raise InputError(
            f"`--answers` must be a file that can be read; got {file} ({error.strerror})."
        ) from None
    if content.startswith((b"PK", b"\xd0\xcf")):
        raise InputError(
            f"`--answers` must be a CSV file; got {file}, which is a workbook. Save it as CSV."
        )
    codings = ("utf-16",) if content.startswith((b"\xff\xfe", b"\xfe\xff")) else ("utf-8-sig",)
    for coding in (*codings, "cp1252", "latin-1"):
        try:
            text = content.decode(coding)
        except UnicodeDecodeError:
            continue
        # Spreadsheets may write a first line that names the separator.
        first, _, rest = text.partition("\n")
        return rest if first.strip().lower().startswith("sep=") else text
    raise AssertionError("latin-1 decodes everything")


def answer_files(given: Path) -> list[Path]:
    """Return the files with answers: the one that was named, or those in CHECK."""
    if given.is_file():
        return [given]
    if not given.is_dir():
        raise InputError(
            f"`--answers` must be the folder CHECK, or a CSV file with the answers; got {given}, "
            "which does not exist."
        )
    there = [given / name for name in (CHECK_CSV, ANSWERS_CSV) if (given / name).is_file()]
    if not there:
        raise InputError(
            f"`--answers` must be a folder with {CHECK_CSV} or {ANSWERS_CSV}; got {given}, which "
            "has neither."
        )
    return there


# What the answers said.


def read_audited(folder: Path, model: str) -> dict[str, Any]:
    """Read what an audit found out about a fit; `model` is the checksum of the fit's model."""
    file = folder / AUDITED
    try:
        found = read_sealed(file, "Run `unlabeled audit` with `--answers` again.")
    except FileNotFoundError:
        raise InputError(
            f"`--cut audited` needs {file}, which does not exist. Check some rows first: "
            "`unlabeled audit --help` says how."
        ) from None
    if found.get("model") != model:
        raise InputError(
            f"{file} must belong to the model beside it; got one of another model. Run "
            "`unlabeled audit` again, or use `--cut original`."
        )
    return found
