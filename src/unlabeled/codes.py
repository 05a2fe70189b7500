"""The warning codes: each has a meaning and a remedy here, and a section in the docs.

PU299 stays free: it is the code of the example in `docs/extend/check.rst`.
"""

from __future__ import annotations

import concurrent
import multiprocessing
import os
import runpy
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, NamedTuple

__all__ = ["CODES", "Code", "PUConvergenceWarning", "PUWarning"]
__dir__ = __all__.copy  # dir() shows what users may use


class Code(NamedTuple):
    """A warning code's meaning and remedy.

    Attributes
    ----------
    meaning : str
        What was found, as a clause without capital letter or full stop.
    remedy : str
        What to do about it, in whole sentences, for a user of the command line.
    doubts : tuple of str
        The assumptions of a report that it speaks against, of those in `ASSUMPTIONS`.
    """

    meaning: str
    remedy: str
    doubts: tuple[str, ...] = ()


RANDOM_LABELS, LABELS_BY_COLUMNS, NO_LEAK = "random labels", "labels by columns", "no leak"
RISING_CURVE, GIVEN_PRIOR, ENOUGH_LABELS = "rising curve", "given prior", "enough labels"
LABELS = (RANDOM_LABELS, LABELS_BY_COLUMNS)
"""The assumptions about the labeling: one of them is made, as the fit names columns or not."""
ASSUMPTIONS = (*LABELS, NO_LEAK, RISING_CURVE, GIVEN_PRIOR, ENOUGH_LABELS)
"""What a report says that its numbers assume."""


class Asked(NamedTuple):
    """A check of `unlabeled.diagnostics`, in words.

    Attributes
    ----------
    code : str
        The code of its findings, unless a finding has one of its own.
    subject : str
        What it is about, in a list of what was not checked.
    question : str
        What it asks, for the page of checks.
    """

    code: str
    subject: str
    question: str


CHECKS: dict[str, Asked] = {
    "fit": Asked("PU105", "warnings of the fit", "what did the fit itself warn of?"),
    "labels": Asked(
        "PU114",
        "number of labels",
        "are at least ten rows labeled, and enough per parameter?",
    ),
    "inverted": Asked(
        "PU207", "inverted labels", "does the labeled value really mark the positives?"
    ),
    "separation": Asked("PU103", "separation", "does an unpenalized fit have a finite optimum?"),
    "identifiability": Asked(
        "PU202", "label frequency", "which label frequencies are compatible with the labels?"
    ),
    "direction": Asked(
        "PU203",
        "direction of the score",
        "are features linear in the naive score, and does JOINT find the same direction?",
    ),
    "scar": Asked("PU201", "labels at random", "can SCAR and a logistic posterior both be true?"),
    "labeling": Asked(
        "PU208", "labels that follow a column", "do labels follow a column that nobody named?"
    ),
    "leakage": Asked("PU204", "leakage", "does one feature give the label away?"),
    "label quality": Asked("PU205", "wrong labels", "do some labeled rows look like negatives?"),
    "duplicates": Asked(
        "PU206", "copies of rows", "do labeled rows equal unlabeled ones, or are rows repeated?"
    ),
    "class prior": Asked("PU113", "class prior", "do the labels allow this class prior?"),
}
"""The checks, in the order of a diagnosis: `check_<name>` in `diagnostics/_check_<name>.py`."""


CODES: dict[str, Code] = {
    "PU102": Code(
        "there are fewer labeled rows than parameters",
        "Use pu-logistic, which has a ridge penalty. Fewer columns or more labels also help.",
        (ENOUGH_LABELS,),
    ),
    "PU103": Code(
        "labeled and unlabeled rows are separated: coefficients need a penalty",
        "Use pu-logistic, which has a ridge penalty, or drop the column that separates the rows.",
        (NO_LEAK,),
    ),
    "PU104": Code(
        "some columns are combinations of others, so the coefficients are not unique",
        "Predictions need no remedy. To interpret coefficients, drop one of the columns.",
        (ENOUGH_LABELS,),
    ),
    "PU105": Code(
        "the solver stopped before it reached the tolerance",
        "Look for a column that nearly gives the labels away. If you use another method than "
        "pu-logistic, use pu-logistic.",
        (ENOUGH_LABELS,),
    ),
    "PU106": Code(
        "the label frequency is estimated as about 1, as if every positive were labeled",
        "If you know the class prior, use pu-logistic or joint and give it with --class-prior. If "
        "not, check about a hundred rows: `unlabeled audit` draws them. You can use the ranking "
        "and the recall without it.",
        (RISING_CURVE,),
    ),
    "PU107": Code(
        "the weighted loss has no minimum",
        "Use another method, such as pu-logistic or joint.",
        (ENOUGH_LABELS,),
    ),
    "PU108": Code(
        "the estimated label frequency was out of range and was set to the nearest bound",
        "Do not rely on the number of positives. Look for columns that predict the label better. "
        "If you know the class prior, use pu-logistic or joint and give it.",
        (RISING_CURVE,),
    ),
    "PU109": Code(
        "posterior weights above 1 were set to 1",
        "A handful of such rows needs no remedy. If there are many, use pu-logistic or joint. "
        "Give them the class prior if you know it.",
    ),
    "PU110": Code(
        "the chosen cut predicts every row positive, or nearly",
        "The columns hardly predict the label. Add columns that do, or check that --label names "
        "the right column and --positive, or `pos_label`, the right value. The prediction can "
        "also be right, if hardly any row is negative.",
    ),
    "PU111": Code(
        "labeled rows score no higher than the others, or no higher than chance explains",
        "The columns hardly predict the label. Add columns that do, or check that --label names "
        "the right column.",
        (RISING_CURVE,),
    ),
    "PU112": Code(
        "a corrected metric is out of range: the class prior is too large for the labels",
        "Give a smaller class prior. With few labeled rows this can also happen by chance.",
        (RISING_CURVE, GIVEN_PRIOR),
    ),
    "PU113": Code(
        "the class prior is larger than the labels allow",
        "Give a smaller class prior. If you give none, it is estimated.",
        (GIVEN_PRIOR,),
    ),
    "PU114": Code(
        "fewer than ten rows (by weight) are labeled, and every choice depends on them",
        "Label at least ten rows. Or check rows that you draw at random, and give the answers "
        "with --checked.",
        (ENOUGH_LABELS,),
    ),
    "PU115": Code(
        "some bootstrap resamples could not be fitted",
        "Label more rows. The intervals use the resamples that could be fitted.",
    ),
    "PU116": Code(
        "the model was saved with other versions of the packages it uses",
        "Run `unlabeled predict` on a table that the model has scored before and compare the "
        "scores, or fit again.",
    ),
    "PU118": Code(
        "there are more folds than labeled or unlabeled rows; fewer folds were used",
        "Label more rows if you can. In Python a smaller `cv` avoids the warning. With few "
        "labeled rows the cut is uncertain.",
    ),
    "PU119": Code(
        "positives found through an earlier fit seem to have been marked as labeled",
        "Remove the labels that you gave to rows you found through an earlier fit. Check rows that "
        "`unlabeled audit` draws instead, or give what you found in a column of its own with "
        "--checked.",
    ),
    "PU120": Code(
        "members of the ensemble were left out, because they cannot take these rows",
        "Nothing needs to be done. Fill missing cells, use dense rows or encode categories to let "
        "every member take part.",
    ),
    "PU121": Code(
        "nothing says what the labeling followed, so it was taken as completely at random",
        "Name the columns that labeling followed with --labeled-by. Or check rows by hand: "
        "`unlabeled audit` draws them.",
        (LABELS_BY_COLUMNS,),
    ),
    "PU122": Code(
        "labels do not tell which rows are positive from which positives get a label",
        "Use the ranking with care, and neither the number of positives nor the cut. Check "
        "rows by hand: `unlabeled audit` draws them. Or name fewer columns with --labeled-by.",
        (LABELS_BY_COLUMNS, RISING_CURVE),
    ),
    "PU123": Code(
        "every checked row is negative, as if rows were recorded for being negative",
        "If they were, leave out --negative or --checked, and --chosen-beforehand: the rows then "
        "count as unlabeled. Check rows that `unlabeled audit` draws instead.",
    ),
    "PU124": Code(
        "checked rows that are positive score below those that are negative",
        "Look at the answers again: if yes and no are swapped, correct the file and read it again. "
        "If the answers are right, use neither the score nor its cut.",
    ),
    "PU125": Code(
        "labels are still coming: many come near the end of the horizon",
        "Read the number as what would be labeled within the horizon, not as the number of all "
        "positives. A longer history tells more.",
    ),
    "PU126": Code(
        "rows of different exposure differ by more than the delays of their labels explain",
        "Find out whether early and late rows differ, or whether labeling became faster or slower. "
        "Dates cannot tell; the fit shows the number for both.",
        (RANDOM_LABELS,),
    ),
    "PU127": Code(
        "the history of the labels is too short to count by",
        "Do not rely on the number of positives. Collect more labels with dates, or more rows that "
        "two sources share. Or check rows by hand: `unlabeled audit` draws them.",
        (ENOUGH_LABELS,),
    ),
    "PU128": Code(
        "nothing says which columns the sources of labels follow",
        "Name the columns that decide which source finds a row. Without them the number of "
        "positives says little: sources that find the same rows make it too small.",
        (LABELS_BY_COLUMNS,),
    ),
    "PU129": Code(
        "rows are repeated: more of them are equal than chance explains",
        "If they are copies, drop them; unlabeled copies of labeled rows first. Or let equal rows "
        "count once, with --copies. If equal rows belong together, such as those of one person, "
        "name their column with --group.",
    ),
    "PU130": Code(
        "the row weights look as if they meant something else",
        "If the weights are numbers of copies, say weights='frequency'. If they are how many rows "
        "of the population a row stands for, say weights='sampling'. Leave out weights that "
        "balance the classes.",
        (GIVEN_PRIOR,),
    ),
    "PU131": Code(
        "a cell lies absurdly far from all others of its column",
        "Look at the cell. If it is a mistake, correct it or drop the row. If the column has long "
        "tails, take its logarithm.",
    ),
    "PU132": Code(
        "too few of the checked rows are positive to choose a cut by",
        "The cut of the fit stays. Check more rows: the answers are pooled.",
    ),
    "PU133": Code(
        "too few answers of a kind to change the order of the rows",
        "Check more rows. `unlabeled audit`, or `draw_audit` in Python, draws them so that both "
        "kinds are likely.",
    ),
    "PU201": Code(
        "a logistic curve does not fit, or labeling depends on the features",
        "If no column stands out as one that labels follow, a line may be all that is wrong: an "
        "ensemble needs none. Find out how rows came to be labeled. If columns decided "
        "it, name them with --labeled-by, or use `PropensityLogistic` in Python. If you do not "
        "know, check about a hundred rows: `unlabeled audit` draws them, or `draw_audit` in "
        "Python. The numbers of an audit hold however rows came to be labeled. Without either, "
        "the results only describe positives like the labeled ones.",
        (RANDOM_LABELS, RISING_CURVE),
    ),
    "PU202": Code(
        "the labels hardly determine the label frequency and the number of positives",
        "If you know the class prior, give it with --class-prior. If not, check about a hundred "
        "rows: `unlabeled audit` draws them. More rows help too, and so do columns that predict "
        "the label better. The ranking does not need the class prior. Nor do the recall and the "
        "cut of --rule f1_pu, but they need labels that are random.",
        (RISING_CURVE,),
    ),
    "PU203": Code(
        "the direction of the naive fit may be wrong",
        "Use pu-logistic or joint. Transforming skewed columns also helps.",
        (RISING_CURVE,),
    ),
    "PU204": Code(
        "a feature may give the label away",
        "Find out when the column becomes known. If that is after a row is labeled, drop it.",
        (NO_LEAK,),
    ),
    "PU205": Code(
        "some labeled rows look like negatives",
        "Look at the rows before you change a label: it may be right. `unlabeled fit` writes all "
        "of them to labels_to_check.csv, and `unlabeled diagnose --json` lists their positions.",
        LABELS,
    ),
    "PU206": Code(
        "some labeled rows have the same features as unlabeled rows",
        "If rows are in the table twice, keep each once, with its label. Drop the unlabeled rows "
        "that are copies of labeled ones.",
        LABELS,
    ),
    "PU207": Code(
        "the labels look inverted: another value may mark the positives",
        "If another value of the label column marks the known positives, name it with --positive. "
        "If the labels are right, nothing needs to be done.",
    ),
    "PU208": Code(
        "labels follow a column that nobody named, or the curve is wrong",
        "Ask whoever labeled the rows. If they looked at this column, name it with --labeled-by, "
        "or use `PropensityLogistic` in Python. If nobody knows, check about a hundred rows: "
        "`unlabeled audit` draws them, or `draw_audit` in Python. That tells which of the two "
        "counts is right.",
        (RANDOM_LABELS, RISING_CURVE),
    ),
}
"""Every code with its meaning and remedy."""


class Message(str):
    """What a user is told: the text for Python, and `terminal`, the text for the command line.

    Parameters
    ----------
    what : str
        What both are told first.
    python, terminal : str
        What only one of them is told.
    more : str
        What both are told last.

    Notes
    -----
    Messages can be added to texts; other methods of a text return the one for Python. Of a message
    with a code, the command line adds the code's remedy to what only Python is told: see
    `for_terminal`.

    Examples
    --------
    >>> said = Message("The fit did not converge.", python="Use a finite `C`.")
    >>> print(said)
    The fit did not converge. Use a finite `C`.
    >>> ("Note: " + said).terminal
    'Note: The fit did not converge.'
    """

    terminal: str

    def __new__(
        cls, what: str = "", *, python: str = "", terminal: str = "", more: str = ""
    ) -> Message:
        """Join the parts by spaces."""
        told = (" ".join(part for part in (what, own, more) if part) for own in (python, terminal))
        return cls.both(*told)

    @classmethod
    def both(cls, text: str, terminal: str) -> Message:
        """Return the message with these two forms."""
        self = super().__new__(cls, text)
        self.terminal = terminal
        return self

    def __add__(self, other: str) -> Message:
        return self.both(str(self) + str(other), self.terminal + told_in_terminal(other))

    def __radd__(self, other: str) -> Message:
        return self.both(other + str(self), other + self.terminal)

    def __reduce__(self) -> tuple[Any, tuple[str, str]]:
        return Message.both, (str(self), self.terminal)

    def __str__(self) -> str:
        return str.__str__(self)


def told_in_terminal(said: str) -> str:
    """Return a text, or the form of a message for the command line."""
    return said.terminal if isinstance(said, Message) else said


def for_terminal(code: str | None, said: str) -> str:
    """Return what the command line prints of a warning or finding.

    The remedy of the code stands for what only Python is told, and its meaning if nothing is left.

    Examples
    --------
    >>> for_terminal("PU207", Message("Are these positives?", python="Check `y`."))[:40]
    'Are these positives? If another value of'
    """
    kept = told_in_terminal(said)
    if kept != said and code in CODES:
        meaning, remedy, _ = CODES[code]
        kept = f"{kept or meaning + '.'} {remedy}"
    return kept[:1].upper() + kept[1:]


class PUWarning(UserWarning):
    """A doubtful assumption or result; the documentation has a section on each `code`."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"[{code}] {message}")
        self.code, self.message = code, message

    def __reduce__(self) -> tuple[object, tuple[str, str]]:
        # Joblib workers pickle warnings to return them.
        return type(self), (self.code, self.message)


if TYPE_CHECKING:
    PUConvergenceWarning: type[PUWarning]


@cache
def _convergence_warning() -> type[PUWarning]:
    """Return the class on first use: scikit-learn takes a second to import."""
    from sklearn.exceptions import ConvergenceWarning

    about = "A fit that did not reach an optimum; also scikit-learn's `ConvergenceWarning`."
    of_class = {"__doc__": about, "__module__": __name__}
    return type("PUConvergenceWarning", (PUWarning, ConvergenceWarning), of_class)


def __getattr__(name: str) -> object:
    if name == "PUConvergenceWarning":
        return _convergence_warning()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


_CONVERGENCE_CODES = frozenset({"PU103", "PU105", "PU107"})


def _folder_of(file: str) -> str:
    return f"{Path(file).parent}{os.sep}"


def _folder_of_package(name: str) -> str:
    """Return where a package is, without importing it."""
    found = find_spec(name)
    assert found is not None
    assert found.origin is not None
    return _folder_of(found.origin)


_OURS = _folder_of(__file__)
# Frames in these folders are not the user's code: a warning should point at the line that called
# them.
_LIBRARIES = (_OURS, _folder_of_package("sklearn"), _folder_of_package("joblib"))
# Nor is the code that starts worker threads and processes.
_WORKERS = (
    threading.__file__,
    _folder_of(multiprocessing.__file__),
    *(f"{folder}{os.sep}" for folder in concurrent.__path__),
    runpy.__file__,
    "<frozen ",
)

_issued: ContextVar[set[str] | None] = ContextVar("_issued", default=None)
_ignored: ContextVar[frozenset[str]] = ContextVar("_ignored", default=frozenset())


@contextmanager
def each_warning_once() -> Iterator[None]:
    """Suppress repeated warnings, those of nested fits included."""
    if _issued.get() is not None:
        yield
        return
    token = _issued.set(set())
    try:
        yield
    finally:
        _issued.reset(token)


@contextmanager
def ignore_codes(*codes: str) -> Iterator[None]:
    """Suppress warnings with these codes, such as those of a fit inside another one."""
    token = _ignored.set(_ignored.get().union(codes))
    try:
        yield
    finally:
        _ignored.reset(token)


def is_ignored(code: str) -> bool:
    """Whether warnings with this code are suppressed here."""
    return code in _ignored.get()


def warn(code: str, message: str) -> None:
    """Issue the warning `code`, pointing at the innermost line of the user's code."""
    if code not in CODES:
        raise KeyError(code)
    if is_ignored(code):
        return
    category = _convergence_warning() if code in _CONVERGENCE_CODES else PUWarning
    issued = _issued.get()
    if issued is not None:
        if f"{code} {message}" in issued:
            return
        issued.add(f"{code} {message}")
    warnings.warn(category(code, message), stacklevel=_levels_to_caller())


def warning_name(warning: warnings.WarningMessage) -> str:
    """Return the code of one of our warnings, or the class name of any other."""
    if isinstance(warning.message, PUWarning):
        return warning.message.code
    return warning.category.__name__


def warn_caller(warning: Warning) -> None:
    """Issue a warning that has no code, pointing where `warn` points."""
    warnings.warn(warning, stacklevel=_levels_to_caller())


def _levels_to_caller() -> int:
    """Return the stack level of the user's line; in a worker, of our outermost function."""
    frame: FrameType | None = sys._getframe(2)
    level = ours = 2
    while frame is not None and frame.f_code.co_filename.startswith((*_LIBRARIES, *_WORKERS)):
        if frame.f_code.co_filename.startswith(_OURS):
            ours = level
        frame, level = frame.f_back, level + 1
    return ours if frame is None else level


@contextmanager
def caught_warnings() -> Iterator[list[tuple[str | None, str]]]:
    """Collect what is warned of inside: its code, None if it has none, and its message.

    The list is empty until the block has ended.
    """
    told: list[tuple[str | None, str]] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield told
    for one in (warning.message for warning in caught):
        told.append((one.code, one.message) if isinstance(one, PUWarning) else (None, str(one)))


def callers() -> Iterator[tuple[FrameType, bool]]:
    """Walk outward from where this is called to the user's line, which is left out.

    Says of each frame whether it is ours; the others are of scikit-learn and joblib.
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_LIBRARIES):
        yield frame, frame.f_code.co_filename.startswith(_OURS)
        frame = frame.f_back


def section_of(code: str) -> str:
    """Return where the documentation explains a code."""
    return f'the page "Checks" of the documentation, section {code}'
