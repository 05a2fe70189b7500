"""Draw rows to check, and keep what is needed to estimate from the answers."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, fields
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ..engine.files import write_whole
from ..engine.of_020 import renamed
from ..engine.parameters import check_level
from ..engine.rows import chunks_of
from ..engine.sampling import SamplingWord
from ._design import Design, design_rows, size_of_rows
from ._predictions import TablePredictions, judge
from ._result import AuditResult, check_answers
from ._score_interval import Tally, measure_intervals
from ._table import HEADLINES, Strata, TableScores, measure_of

Array = np.ndarray[Any, np.dtype[Any]]

FORMAT = 1
_FEWEST = 10
_SIZES = (50, 100, 200, 400)
_SHARES_OF_RIGHT_LABELS = (1.0, 0.5)
_OF_ROWS = ("rows", "stratum", "score")


def draw_audit(
    estimator: Any,
    X: Any,
    y: Any = None,
    size: int = 100,
    *,
    labeled_size: int = 0,
    threshold: float | None = None,
    random_state: Any = None,
    sampling: SamplingWord | None = None,
) -> Audit:
    """Draw rows for a person to check, so that the answers give numbers that hold.

    The estimates from the answers need no assumption about how labels were given, and none about
    the model. They assume that answers and labels are right, and that the checker does not see
    score or prediction.

    Parameters
    ----------
    estimator : classifier or array-like of shape (n_rows,)
        A fitted classifier of this library, or a pipeline or search that ends in one; any other
        fitted scikit-learn classifier; or a score per row. Rows of other classifiers and of plain
        scores are all equally likely to be drawn.
    X : array-like, sparse matrix, frame or None
        The rows. None is allowed if `estimator` is a score per row. A Dask array or frame is read
        once; see Notes.
    y : array-like of shape (n_rows,), optional
        The label column. Leave it out for new rows, of which none is labeled. Every row counts
        once: the rows of a fit with weights are rejected.
    size : int, default=100
        How many unlabeled rows to draw, at least 10.
    labeled_size : int, default=0
        How many labeled rows to draw as well, if some labels may be wrong. With 0, every labeled
        row counts as positive.
    threshold : float, optional
        The cut of a plain score. Without it only the number of positives can be estimated. A
        classifier is judged by its own predictions.
    random_state : int, RandomState instance or None, default=None
        Controls the draw.
    sampling : {"one-sample", "two-sample"}, optional
        "two-sample" if the unlabeled rows alone are a sample of the population: count, precision,
        recall and F1 are then theirs. If None, the classifier's; "one-sample" if it has none.

    Returns
    -------
    audit : Audit
        `rows` says which rows to check. `estimate` turns the answers into numbers.

    See Also
    --------
    unlabeled.PULogistic : Its `fit` takes the answers as `checked`.
    unlabeled.diagnostics.scar_test : Tests SCAR from the labels alone.

    Notes
    -----
    Strata are ranges of the score on either side of the cut. If the classifier keeps held-out
    scores in `held_out_score_` and `X` is the table that it was fitted to, they are its scores and
    decide its predictions: a model predicts rows that it has seen too confidently. Scores of rows
    that another classifier has seen make intervals longer, not wrong. The audited cut is then less
    good, and there is no direct test of SCAR.

    *Rows in chunks* are scored chunk by chunk, and only scores, predictions and labels come to
    memory: allow 100 bytes per row. Strata and probabilities are those of the whole table, and
    `Audit.rows` are positions in it. Whether the classifier was fitted to these rows is not known,
    so its held-out scores are not used, and there is no direct test of SCAR.

    References
    ----------
    W. G. Cochran (1977). Sampling Techniques, 3rd edition, chapter 5. Wiley.

    Examples
    --------
    >>> from unlabeled import PULogistic
    >>> from unlabeled.audit import draw_audit
    >>> from unlabeled.datasets import make_paper_gaussian
    >>> data = make_paper_gaussian(n=2000, label_frequency=0.5, random_state=0)
    >>> model = PULogistic().fit(data.X, data.s)
    >>> audit = draw_audit(model, data.X, data.s, size=100, random_state=0)
    >>> answers = data.y_true[audit.rows]  # a person would look
    >>> result = audit.estimate(answers)
    >>> bool(result.count.lower <= data.y_true.sum() <= result.count.upper)
    True
    """
    judged = judge(estimator, X, y, threshold, sampling)
    return draw_rows(judged, size, labeled_size, random_state, index_of=(X, y, estimator))


def draw_rows(
    judged: TablePredictions,
    size: int,
    labeled_size: int = 0,
    random_state: Any = None,
    *,
    index_of: tuple[Any, ...] = (),
) -> Audit:
    """Draw rows of a judged table, as `draw_audit` does; their index is that of a frame given."""
    if judged.sampling.is_two and labeled_size:
        raise ValueError(
            "`labeled_size` must be 0 in two samples, where labeled rows are not part of the "
            f"table; got {labeled_size!r}."
        )
    unlabeled, labeled = np.flatnonzero(~judged.labeled), np.flatnonzero(judged.labeled)
    _check_size("size", size, _FEWEST, len(unlabeled), "unlabeled rows")
    _check_size("labeled_size", labeled_size, 0, len(labeled), "labeled rows")
    random = check_random_state(random_state)
    samples = [_drawn(judged, unlabeled, size, random)]
    if labeled_size:
        samples.append(_drawn(judged, labeled, labeled_size, random))
    strata = Strata.of(samples, judged.labeled, judged.score, judged.predicted)
    rows = np.concatenate([sample.rows for sample in samples])
    rows = rows[random.permutation(len(rows))]
    return Audit(
        rows=rows,
        stratum=strata.of_row[rows],
        score=judged.score[rows],
        strata=strata.table,
        table=TableScores.of(judged, strata),
        claimed=judged.claimed,
        threshold=judged.threshold,
        logistic=judged.logistic,
        held_out=judged.held_out,
        fingerprint=judged.fingerprint,
        in_groups=judged.in_groups,
        by_features=judged.by_features,
        by_checked=judged.by_checked,
        index=_index_of_rows(index_of, rows),
    )


def _index_of_rows(given: tuple[Any, ...], rows: Array) -> Array | None:
    """Return the index of the drawn rows in the first pandas object, if there is one."""
    for one in given:
        if hasattr(one, "iloc") and chunks_of(one) is None:
            return np.asarray(one.index[rows])
    return None


@dataclass(frozen=True)
class Drawn:
    """Rows drawn from some rows of a table.

    Attributes
    ----------
    of : ndarray
        Positions of the rows to draw from.
    design : Design
    rows : ndarray
        Positions of the drawn rows.
    """

    of: Array
    design: Design
    rows: Array


def _drawn(judged: TablePredictions, of: Array, size: int, random: np.random.RandomState) -> Drawn:
    design = design_of(judged, of, size)
    return Drawn(of, design, of[design.draw(random)])


def design_of(judged: TablePredictions, of: Array, size: int) -> Design:
    """Divide some rows of a table into strata, and say how many to draw of each."""
    logits = None
    if judged.logit is not None and not judged.labeled[of].any():
        logits = judged.logit[of]
    sizes = size_of_rows(logits, len(of))
    return design_rows(judged.score[of], sizes, judged.predicted[of], size)


def _check_size(name: str, value: Any, lowest: int, highest: int, what: str) -> None:
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if whole and lowest <= value <= highest:
        return
    if highest < lowest:
        raise ValueError(f"`X` must have at least {lowest} {what} to draw from; got {highest}.")
    raise ValueError(
        f"`{name}` must be a whole number from {lowest} to {highest}, the number of {what}; got "
        f"{value!r}. Choose another."
    )


@dataclass(frozen=True, eq=False, repr=False)
class Audit:
    """Rows drawn to be checked, and how they were drawn; made by `draw_audit`.

    Attributes
    ----------
    rows : ndarray of shape (n_drawn,)
        Positions of the rows to check, in random order. They count rows from 0, whatever the index
        of a frame: take them with ``X.iloc[audit.rows]``.
    inclusion_probability : ndarray of shape (n_drawn,)
        How likely each of them was to be drawn.
    stratum : ndarray of shape (n_drawn,)
        Number of the stratum of each.
    score : ndarray of shape (n_drawn,)
        The score that the strata follow and that is compared with the threshold. It is held out if
        the rows were fitted to and the model keeps held-out scores.
    strata : dict of str to ndarray
        Columns with one entry per stratum: `lower` and `upper` score, whether its rows are
        `predicted` positive and `labeled`, its number of `rows`, and how many were `drawn`.
    claimed : dict of str to float or None
        What the labels alone say about this table, or the fit if it used checked rows too.
    threshold : float or None
        The cut that is judged.
    logistic : bool
        Whether the scores are probabilities.
    held_out : bool
        Whether the scores of labeled rows are known not to have seen their labels. Plain scores
        are taken to be so.
    fingerprint : str
        A checksum of the table.
    in_groups : bool
        Whether the model was fitted to rows in groups, which the test of SCAR does not take.
    by_features : bool
        Whether the model lets labeling follow features, so that it does not assume SCAR.
    by_checked : bool
        Whether the model was fitted to rows that had been checked before, not to labels alone.
    index : ndarray of shape (n_drawn,) or None
        The index of these rows in the frame; None if there was no frame.
    """

    rows: Array
    stratum: Array
    score: Array
    strata: dict[str, Array]
    claimed: dict[str, float | None]
    threshold: float | None
    logistic: bool
    held_out: bool
    fingerprint: str
    table: TableScores
    in_groups: bool = False
    by_features: bool = False
    index: Array | None = None
    by_checked: bool = False

    def __repr__(self) -> str:
        """Name the numbers of rows and strata."""
        return (
            f"Audit({len(self.rows)} of {self.table.n_rows} rows drawn, "
            f"{len(self.strata['rows'])} strata)"
        )

    @property
    def inclusion_probability(self) -> Array:
        """How likely each drawn row was to be drawn."""
        return np.asarray((self.strata["drawn"] / self.strata["rows"])[self.stratum])

    def estimate(self, answers: Any, confidence_level: float = 0.95) -> AuditResult:
        """Estimate the number of positives and how good the predictions are.

        Parameters
        ----------
        answers : array-like of shape (n_drawn,)
            For each of `rows`, in that order: 1 for positive, 0 for negative, None or NaN if
            there is no answer. A Series must have the index of these rows, or count from 0.
        confidence_level : float, default=0.95
            Coverage of the intervals. Only .95 was measured at length, and levels below .9 were
            not: do not rely on them.

        Returns
        -------
        result : AuditResult
        """
        check_level(confidence_level)
        checked = check_answers(answers, len(self.rows), self.index)
        result = AuditResult((self,), (checked,), confidence_level)
        result._warn_if_swapped()
        return result

    def expected_lengths(self, sizes: Iterable[int] = _SIZES) -> dict[str, Array]:
        """Say how long the intervals will be, before anything is checked.

        It rests on the model's posterior, which may be wrong. So it is computed for several
        distortions of the posterior too. If labeled rows were drawn, they are as many for every
        size, and their labels are all right or half of them wrong, which is the worst case.

        Parameters
        ----------
        sizes : iterable of int, default=(50, 100, 200, 400)
            Numbers of checked rows that are not labeled. Sizes above the number of unlabeled
            rows are left out.

        Returns
        -------
        lengths : dict of str to ndarray
            Columns `size`, `measure`, `shortest` and `longest`; the length is upper minus lower
            limit of the interval at level .95.
        """
        records = []
        for size in sizes:
            if not _FEWEST <= size <= self.table.n_unlabeled:
                continue
            tally = self._expected(size)
            for name in self._headlines():
                measure = measure_of(name, self.table.n_rows, self.table.n_predicted)
                found = measure_intervals(tally, measure)
                lengths = found.upper - found.lower
                records.append((size, name, float(lengths.min()), float(lengths.max())))
        columns = zip(*records, strict=True) if records else ((), (), (), ())
        names = ("size", "measure", "shortest", "longest")
        return {name: np.array(column) for name, column in zip(names, columns, strict=True)}

    def _headlines(self) -> tuple[str, ...]:
        return HEADLINES if self.threshold is not None or self.table.n_predicted else HEADLINES[:2]

    def _expected(self, size: int) -> Tally:
        """The answers to expect with another size, one row per distortion of the posterior."""
        design, shares, above = self.table.designed(size)
        if not self.table.labeled_in_strata:
            seen, known = design.drawn * shares, self.table.known()
            return Tally(design.rows, design.drawn, seen, above, known[0], known[1])
        of_labels = {name: column[self.strata["labeled"]] for name, column in self.strata.items()}
        n_labels = len(of_labels["rows"])
        shares = np.concatenate(
            [
                np.hstack([shares, np.full((len(shares), n_labels), right)])
                for right in _SHARES_OF_RIGHT_LABELS
            ]
        )
        drawn = np.append(design.drawn, of_labels["drawn"])
        rows, sides = np.append(design.rows, of_labels["rows"]), of_labels["predicted"]
        return Tally(rows, drawn, drawn * shares, np.append(above, sides))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain numbers, lists and text, for a JSON file.

        An index of anything but whole numbers and text is left out.
        """
        found: dict[str, Any] = {"format": FORMAT}
        found |= {one.name: getattr(self, one.name) for one in fields(self)}
        found["strata"] = {name: column.tolist() for name, column in self.strata.items()}
        found["table"] = self.table.to_dict()
        for name in _OF_ROWS:
            found[name] = found[name].tolist()
        # Dates may turn into whole numbers in a list.
        is_date = self.index is not None and self.index.dtype.kind in "mM"
        index = [] if self.index is None or is_date else self.index.tolist()
        plain = bool(index) and all(isinstance(one, int | str) for one in index)
        found["index"] = index if plain else None
        return found

    @classmethod
    def from_dict(cls, found: dict[str, Any]) -> Audit:
        """Make an audit from what `to_dict` returned.

        Parameters
        ----------
        found : dict
            The contents of a saved audit.

        Returns
        -------
        audit : Audit
        """
        # A file of the command line has more around it.
        found = renamed(found.get("audit", found))
        try:
            if found["format"] != FORMAT:
                raise ValueError(
                    f"An audit file must have format {FORMAT}; got {found['format']!r}. Use the "
                    "version of this package that wrote it."
                )
            columns = {name: np.array(found[name]) for name in _OF_ROWS}
            return cls(
                **columns,
                strata={name: np.array(column) for name, column in found["strata"].items()},
                claimed=dict(found["claimed"]),
                threshold=found["threshold"],
                logistic=bool(found["logistic"]),
                held_out=bool(found["held_out"]),
                fingerprint=str(found["fingerprint"]),
                table=TableScores.from_dict(found["table"]),
                in_groups=bool(found.get("in_groups", False)),  # older files have none
                by_features=bool(found.get("by_features", False)),
                by_checked=bool(found.get("by_checked", False)),
                index=None if found.get("index") is None else np.array(found["index"]),
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(
                "An audit file must hold what `Audit.save` wrote; this one is damaged "
                f"({error!r}). Draw again."
            ) from None

    def save(self, path: str | Path) -> None:
        """Write the audit as a JSON file, whole or not at all.

        Parameters
        ----------
        path : str or Path
            The file. An older one is replaced.
        """
        text = json.dumps(self.to_dict(), allow_nan=False)
        write_whole(Path(path), lambda file: file.write_text(text, "utf-8"))

    @classmethod
    def load(cls, path: str | Path) -> Audit:
        """Read an audit that `save` wrote.

        Parameters
        ----------
        path : str or Path
            The file.

        Returns
        -------
        audit : Audit
        """
        try:
            found = json.loads(Path(path).read_text("utf-8"))
        except ValueError:
            raise ValueError(
                f"`path` must be a file that `Audit.save` wrote; got {path}, which is not JSON."
            ) from None
        return cls.from_dict(found)
