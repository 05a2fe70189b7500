"""The warning codes: every doubtful assumption has a code, a line here and a page in the docs."""

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
from pathlib import Path
from types import FrameType

import joblib
import sklearn
from sklearn.exceptions import ConvergenceWarning

__all__ = ["CODES", "PUConvergenceWarning", "PUWarning"]

CODES: dict[str, str] = {
    "PU101": "text labels without `positive_label`; the larger value was taken as labelled",
    "PU102": "fewer labelled rows than parameters",
    "PU103": "rows are separated; no finite unpenalised optimum exists",
    "PU104": "columns are linearly dependent; coefficients are not unique, probabilities are",
    "PU105": "the solver stopped before reaching the tolerance",
    "PU106": "the label frequency is estimated at its upper boundary, 1",
    "PU107": "the weighted risk has no finite minimiser",
    "PU108": "an estimated label frequency left its range and was set to the nearest bound",
    "PU109": "posterior weights above one were set to one",
    "PU110": "the chosen cut predicts every row positive",
    "PU111": "labelled rows do not score higher than the others; the posterior is flat",
    "PU112": "a corrected metric left its range: the class prior is too large for the labels",
    "PU113": "the class prior is above the bound that the labels allow",
    "PU114": "fewer than ten labelled rows to choose everything from",
    "PU115": "some resamples of the bootstrap could not be fitted",
    "PU116": "a model was saved with other versions of the packages it rests on",
    "PU117": "the fit was interrupted; the best point so far was kept",
    "PU201": "labelling seems to depend on the features",
    "PU202": "the labels do not determine the label frequency",
    "PU203": "the naive direction may be off",
    "PU204": "a feature may give the label away",
    "PU205": "some labelled rows look like negatives",
    "PU206": "labelled rows have unlabelled twins",
}
"""What each code means, in one line."""

REMEDIES: dict[str, str] = {
    "PU101": "Say which value marks labelled rows.",
    "PU102": "Use pu-logistic, which has a ridge; or fewer columns, or more labels.",
    "PU103": "Use pu-logistic, which has a ridge; or drop the column that separates.",
    "PU104": "Nothing, for decisions. To read coefficients, drop one of the columns.",
    "PU105": "Use pu-logistic; look for a column that nearly gives the labels away.",
    "PU106": "Give the class prior if you know it. Ranks and recall do without it.",
    "PU107": "Use another method: pu-logistic, or joint.",
    "PU108": "Distrust the number of positives; look for better columns, or give the class prior.",
    "PU109": "Nothing, for a handful of rows. For many, use joint, or give the class prior.",
    "PU110": "Look at the columns: they say little about who is labelled. If hardly any row is "
    "negative, it may also be right.",
    "PU111": "Look at the columns: they say little about who is labelled.",
    "PU112": "Give a smaller class prior. With few labelled rows chance alone can do this.",
    "PU113": "Give a smaller class prior, or none: it is then estimated.",
    "PU114": "Label more rows, if that can be done. Otherwise use the ranks, not the cut.",
    "PU115": "More labelled rows help, or a method that needs fewer.",
    "PU116": "Compare some scores with those of the fit, or fit again.",
    "PU117": "Fit again, and let it end.",
    "PU201": "Ask how rows came to be labelled. If it was by a column, the answers are about rows "
    "like the labelled ones; a few rows labelled at random would tell more.",
    "PU202": "Give the class prior if you know it; more rows and better columns help. Ranks and "
    "recall do without it.",
    "PU203": "Use pu-logistic or joint. Transforming skewed columns also helps.",
    "PU204": "Find out when the column becomes known. If that is after a row is labelled, drop it.",
    "PU205": "Look at the rows that are listed, and take wrong labels off.",
    "PU206": "Drop the unlabelled copies.",
}
"""What to do about each code, for somebody who fits from a terminal."""


class PUWarning(UserWarning):
    """A doubtful assumption or result; `code` names its page in the documentation."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"[{code}] {message}")
        self.code = code

    def __reduce__(self) -> tuple[object, tuple[str, str]]:
        # Joblib workers hand warnings back by pickling them.
        return type(self), (self.code, str(self).removeprefix(f"[{self.code}] "))


class PUConvergenceWarning(PUWarning, ConvergenceWarning):
    """A fit whose numbers are not those of an optimum; also scikit-learn's `ConvergenceWarning`."""


_CONVERGENCE_CODES = frozenset({"PU103", "PU105", "PU107", "PU117"})


def _folder_of(file: str) -> str:
    return f"{Path(file).parent}{os.sep}"


_OURS = _folder_of(__file__)
# Pipelines and searches call us; the line to point at is the one that called them.
LIBRARIES = (_OURS, _folder_of(sklearn.__file__), _folder_of(joblib.__file__))
# What starts a worker is nobody's line either.
_WORKERS = (
    threading.__file__,
    _folder_of(multiprocessing.__file__),
    *(f"{folder}{os.sep}" for folder in concurrent.__path__),
    runpy.__file__,
    "<frozen ",
)

_said: ContextVar[set[str] | None] = ContextVar("_said", default=None)


@contextmanager
def each_warning_once() -> Iterator[None]:
    """Say within what is done here nothing twice, be it said by a fit inside a fit."""
    if _said.get() is not None:
        yield
        return
    token = _said.set(set())
    try:
        yield
    finally:
        _said.reset(token)


def warn(code: str, message: str) -> None:
    """Issue the warning `code`, pointing at the first line of the user's own code."""
    if code not in CODES:
        raise KeyError(code)
    category = PUConvergenceWarning if code in _CONVERGENCE_CODES else PUWarning
    said = _said.get()
    if said is not None:
        if f"{code} {message}" in said:
            return
        said.add(f"{code} {message}")
    warnings.warn(category(code, message), stacklevel=_levels_to_caller())


def warn_caller(warning: Warning) -> None:
    """Issue a warning that has no code, pointing where `warn` points."""
    warnings.warn(warning, stacklevel=_levels_to_caller())


def _levels_to_caller() -> int:
    """Return how far up the user's line is; in a worker that has none, our outermost function."""
    frame: FrameType | None = sys._getframe(2)
    level = ours = 2
    while frame is not None and frame.f_code.co_filename.startswith((*LIBRARIES, *_WORKERS)):
        if frame.f_code.co_filename.startswith(_OURS):
            ours = level
        frame, level = frame.f_back, level + 1
    return ours if frame is None else level
