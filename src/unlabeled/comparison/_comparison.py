"""What a comparison of methods found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..parameters import check_choice
from ._errors import mean_and_error
from ._gather import FITTED, HELD_OUT
from ._reading import reading
from ._record import record_of
from ._splits import Drawn
from ._text import as_html, as_text


@dataclass(frozen=True, eq=False)
class Comparison:
    """Methods side by side; prints as a table, shows as HTML in a notebook.

    Made by `compare_methods`, which says what the numbers and their errors are.

    Attributes
    ----------
    names : tuple of str
        The methods.
    measures : tuple of str
        What is measured: "f1_pu", "recall", "share", "gain" (recall less share), with a class
        prior "precision" and "f1", then "label_frequency", "class_prior" and "seconds".
    values : dict of str to ndarray of shape (n_methods, n_repeats)
        Each measure on every split; NaN where a method failed or does not have it.
    codes : dict of str to dict of str to int
        For each method the warnings it gave, and on how many splits.
    failures : dict of str to list of str
        For each method the errors it ended with, one a failed split.
    decide_alike : ndarray of shape (n_repeats, n_methods, n_methods)
        Share of held-out rows on which two methods decide alike.
    rank_correlation : ndarray of shape (n_repeats, n_methods, n_methods)
        Spearman's correlation of their scores; NaN where a method has no score.
    rows : Drawn
        How many rows there are, were used, are labelled, were fitted to and held out.
    test_size : float
    known_class_prior : float or None
        The class prior that was given.
    told_class_prior : tuple of bool
        Which methods were given a class prior of their own.
    prepare_seconds : ndarray of shape (n_repeats,)
        Time that `prepare` took.
    prepare_codes : dict of str to int
        Warnings it gave, and on how many splits.
    """

    names: tuple[str, ...]
    measures: tuple[str, ...]
    values: dict[str, np.ndarray]
    codes: dict[str, dict[str, int]]
    failures: dict[str, list[str]]
    decide_alike: np.ndarray
    rank_correlation: np.ndarray
    rows: Drawn
    test_size: float
    known_class_prior: float | None
    told_class_prior: tuple[bool, ...]
    prepare_seconds: np.ndarray
    prepare_codes: dict[str, int]

    @property
    def n_repeats(self) -> int:
        """How many splits there were."""
        return len(self.prepare_seconds)

    @property
    def note(self) -> str | None:
        """On which rows, if not on all of them."""
        return self.rows.note

    @property
    def best(self) -> str:
        """The method of the largest mean F1_PU; of those that never failed, if there is one."""
        mean = self.mean("f1_pu")
        whole = np.array([not self.failures[name] for name in self.names])
        return self.names[int(np.nanargmax(np.where(whole, mean, np.nan) if whole.any() else mean))]

    def mean(self, measure: str) -> np.ndarray:
        """Return the mean of a measure over splits, one number a method.

        Parameters
        ----------
        measure : str
            One of `measures`.

        Returns
        -------
        mean : ndarray of shape (n_methods,)
            NaN where a method does not have it.
        """
        check_choice("measure", measure, self.measures)
        return mean_and_error(self.values[measure], 0.0)[0]

    def error(self, measure: str) -> np.ndarray:
        """Return the standard error of the mean of a measure, one number a method.

        Parameters
        ----------
        measure : str
            One of `measures`.

        Returns
        -------
        error : ndarray of shape (n_methods,)
            NaN with fewer than two splits.
        """
        check_choice("measure", measure, self.measures)
        _, error = mean_and_error(self.values[measure], self._shared(measure))
        return np.hypot(error, self._share_error(measure))

    def differences(self, measure: str = "f1_pu", to: str | None = None) -> dict[str, np.ndarray]:
        """Return how far methods are from one of them, paired over splits.

        Parameters
        ----------
        measure : str, default="f1_pu"
            One of `measures`.
        to : str, optional
            A method; the best one if None.

        Returns
        -------
        frame : dict of str to ndarray
            The columns "method", "difference" (to that method, positive where larger), "error"
            and "splits", on which both could be fitted.
        """
        check_choice("measure", measure, self.measures)
        to = self.best if to is None else to
        check_choice("to", to, self.names)
        values = self.values[measure]
        paired = values - values[self.names.index(to)]
        difference, error = mean_and_error(paired, self._shared(measure))
        moved = self._share_error(measure)
        return {
            "method": np.array(self.names, dtype=object),
            "difference": difference,
            "error": np.hypot(error, np.abs(moved - moved[self.names.index(to)])),
            "splits": np.sum(~np.isnan(paired), axis=1),
        }

    def _shared(self, measure: str) -> float:
        """What is added to 1/k for the rows that splits share."""
        if measure in HELD_OUT:
            return self.rows.n_test / self.rows.n_train
        return self.rows.n_train / self.rows.n_test if measure in FITTED else 0.0

    def _share_error(self, measure: str) -> np.ndarray:
        """Error that a measure has from the labelled share, which is the same in every split.

        The class prior is this share over c, and c the share over a class prior that was given.
        """
        told = np.array(self.told_class_prior)
        moves = {"class_prior": ~told, "label_frequency": told}.get(measure)
        if moves is None:
            return np.zeros(len(self.names))
        n_labelled, n_rows = self.rows.n_labelled, self.rows.n_used
        of_log_share = np.sqrt((1 - n_labelled / n_rows) / n_labelled)
        return np.where(moves, self.mean(measure) * of_log_share, 0.0)

    def agreement(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """Return mean and standard error of "decide_alike" and "rank_correlation".

        Each is of shape (n_methods, n_methods).

        Returns
        -------
        measures : dict of str to (ndarray, ndarray)
        """
        shared = self.rows.n_test / self.rows.n_train
        return {
            name: mean_and_error(np.moveaxis(values, 0, -1), shared)
            for name, values in (
                ("decide_alike", self.decide_alike),
                ("rank_correlation", self.rank_correlation),
            )
        }

    def frame(self) -> dict[str, np.ndarray]:
        """Return the numbers, a column a quantity, a row a method.

        Returns
        -------
        columns : dict of str to ndarray
            As `pandas.DataFrame` takes it.
        """
        columns = {"method": np.array(self.names, dtype=object)}
        for measure in self.measures:
            columns[measure] = self.mean(measure)
            columns[f"{measure}_error"] = self.error(measure)
        to_best = self.differences()
        columns["to_best"] = to_best["difference"]
        columns["to_best_error"] = to_best["error"]
        columns["failed"] = np.array([len(self.failures[name]) for name in self.names])
        columns["warnings"] = np.array(
            [
                " ".join(f"{code}:{n}" for code, n in self.codes[name].items())
                for name in self.names
            ],
            dtype=object,
        )
        return columns

    def record(self) -> dict[str, Any]:
        """Return everything but single splits as numbers, texts, lists and dicts of them.

        A number that there is none of is None, so that the record can be written as JSON.

        Returns
        -------
        record : dict
        """
        return record_of(self)

    def reading(self) -> list[str]:
        """Return two or three sentences: who is ahead, who is as good, what it rests on.

        Returns
        -------
        sentences : list of str
        """
        return reading(self.record())

    def __str__(self) -> str:
        return as_text(self.record())

    def _repr_html_(self) -> str:
        return as_html(self.record())
