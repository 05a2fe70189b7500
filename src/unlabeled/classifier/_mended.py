"""A score that follows what is known beside the labels: the logit of the posterior."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from scipy.special import logit

from ..codes import warn
from ..engine.rows import Rows, take_rows
from ..engine.sampling import Sampling
from ..labeling import Labeling
from ..scores import (
    FEWEST_OF_A_KIND,
    Answered,
    AtNewRows,
    Columns,
    Decision,
    LabeledScore,
    Missed,
    NegativeScores,
    OfRows,
    PriorDensity,
    ResolvedPrior,
    Scale,
    ScoredRows,
    fit_answers,
    reject_impossible_prior,
)
from ..thresholds import Rule

_ONLY_POSITIVE = (
    " If rows were written down only because they were found positive, the count is far too large: "
    "label them instead."
)
# Posteriors of rows stay this far from 0 and 1, so that they have a logit.
_INSIDE = 1e-12
# The curve of r along the score has at most so many points, each of so many rows or more.
_MOST_POINTS, _ROWS_OF_A_POINT = 100, 20


class Known(NamedTuple):
    """What is known beside the labels.

    Attributes
    ----------
    labeling : Labeling or None
        How labels came about; None if they were given at random.
    history : frame, array-like or None
        The columns of the rows that `labeling` needs; all rows that were passed.
    checked : bool
        Whether rows were checked.
    """

    labeling: Labeling | None = None
    history: Any = None
    checked: bool = False

    def of(self, model: Any, rows: Rows | None) -> Known:
        """Return what is known of the rows of a fit; reject what cannot be used.

        `rows` is None if they are in chunks.
        """
        if self.history is not None and self.labeling is None:
            raise ValueError(
                "`history` must be None if `labeling` is; got columns. Say how labels came about: "
                f"{type(model).__name__}(labeling=...)."
            )
        if rows is None or rows.in_chunks:
            if self.labeling is not None:
                raise TypeError(
                    "`labeling` must be None for rows in chunks or on a device; got "
                    f"{self.labeling!r}. Take a part of the rows that fits in memory, as NumPy "
                    "arrays."
                )
            return self
        if self.labeling is not None:
            self._reject_beside_labeling(model)
        n_rows = rows.s.shape[0] if rows.kept is None else len(rows.kept)
        if self.history is not None and len(self.history) != n_rows:
            raise ValueError(
                f"`history` must have one row for each of the {n_rows} rows; got "
                f"{len(self.history)}. Pass the history of the same rows."
            )
        return self._replace(checked=rows.checked is not None)

    def _reject_beside_labeling(self, model: Any) -> None:
        """Raise for parameters of a classifier that contradict it, or that it replaces."""
        kind = type(self.labeling).__name__
        if model.class_prior is not None:
            raise ValueError(
                f"`class_prior` must be None with labeling={kind}(), which finds it; got "
                f"{model.class_prior!r}. Leave one of them out."
            )
        if Sampling.of_model(model).is_two:
            raise ValueError(
                f"`sampling` must be 'one-sample' with labeling={kind}(), whose labels are given "
                f"to rows of the population; got {model.sampling!r}. Leave `labeling` out."
            )

    @property
    def is_nothing(self) -> bool:
        """Whether labels are all that is known."""
        return self.labeling is None and not self.checked


@dataclass(frozen=True, eq=False)
class MendedScore:
    """From a score that was fitted to labels to the logit of the posterior.

    Attributes
    ----------
    is_probability : bool
    label_line : tuple of float
        From that score, or its logit if it is a probability, to the logit of P(S=1|x).
    columns : Columns
        What else the posterior depends on.
    new_rows : AtNewRows
    along : (ndarray, ndarray)
        Rising scores, and the mean P(Y=1|S=0) of unlabeled rows of the fit near each: of 20 or
        more.
    """

    is_probability: bool
    label_line: tuple[float, float]
    columns: Columns
    new_rows: AtNewRows
    along: tuple[np.ndarray, np.ndarray]

    def of_rows(self, score: np.ndarray, X: Any) -> OfRows:
        """Return P(Y=1|x) and P(Y=1|S=0,x) of new rows."""
        return self.new_rows.at(self.label_logit(score), self.columns.of_rows(X))

    def label_logit(self, score: np.ndarray) -> np.ndarray:
        """Return the logit of P(S=1|x), given the score that was fitted to labels."""
        return Scale(self.is_probability, self.label_line).logits(score)

    def score(self, score: np.ndarray, X: Any) -> np.ndarray:
        """Return the logit of P(Y=1|x) of new rows."""
        return logit_of(self.of_rows(score, X).posterior)

    def with_known(self, X: Any) -> Callable[[np.ndarray, list[int]], np.ndarray]:
        """Return a function of the score that was fitted to labels, and of columns of X.

        It is the logit of P(Y=1|x) of the rows, if no other column is known.
        """
        design = self.columns.of_some(X)

        def of_known(score: np.ndarray, positions: list[int]) -> np.ndarray:
            found = self.new_rows.at(self.label_logit(score), design(positions))
            return logit_of(found.posterior)

        return of_known


class MendedRows(NamedTuple):
    """Rows whose score follows more than labels.

    Attributes
    ----------
    score : ndarray of shape (n_rows,)
        The score that was fitted to labels.
    X : array-like
        The rows as the fit had them.
    is_probability : bool
        Whether that score is a probability.
    positions : list of int
        The columns of X that matter beside it.
    known : callable
        `MendedScore.with_known` of these rows.
    """

    score: np.ndarray
    X: Any
    is_probability: bool
    positions: list[int]
    known: Callable[[np.ndarray, list[int]], np.ndarray]


class Mended(NamedTuple):
    """A decision by what is known beside the labels.

    Attributes
    ----------
    decision : Decision
        Its score is the logit of the posterior.
    score : MendedScore
    missed : Missed
    negative_score : ndarray of shape (n_negatives,)
        The logit of the posterior of rows that were recorded as negative.
    """

    decision: Decision
    score: MendedScore
    missed: Missed
    negative_score: np.ndarray


def logit_of(posterior: np.ndarray) -> np.ndarray:
    """Return the logit of a posterior, finite at 0 and 1."""
    return np.asarray(logit(np.clip(posterior, _INSIDE, 1 - _INSIDE)))


def mend(
    known: Known,
    rows: Rows,
    score: np.ndarray,
    to_label: Scale,
    prior: ResolvedPrior,
    rule: Rule,
    names: Any = None,
    negative_score: np.ndarray | None = None,
) -> Mended:
    """Decide by labels and by what is known beside them.

    Parameters
    ----------
    known : Known
    rows : Rows
        With X of any form.
    score : ndarray of shape (n_rows,)
        By fits that have not seen the row; NaN for rows without one, which are left out.
    to_label : Scale
        From the score to the logit of P(S=1|x).
    prior : ResolvedPrior
        By the labels, or as it was given.
    rule : Rule
        What the cut maximizes.
    names : sequence of str, optional
        Names of the columns, if X does not have them.
    negative_score : ndarray of shape (n_negatives,), optional
        That of the rows which the fit left out as negative.
    """
    there = np.isfinite(score)
    scored = ScoredRows.of(rows, score)
    labels = replace(scored, score=to_label.logits(scored.score))
    X, history = rows.X, known.history
    if history is not None and rows.kept is not None:
        (history,) = take_rows(np.flatnonzero(rows.kept), history)
    if not there.all():
        X, history = take_rows(np.flatnonzero(there), X, history)
    columns = Columns()
    design = columns.of_fit(X, scored.s, scored.weight, names)
    if known.labeling is not None:
        missed = known.labeling.missed(
            LabeledScore(
                labels.score,
                labels.s,
                design,
                history,
                labels.checked,
                labels.weight,
                labels.groups,
            )
        )
    else:
        if prior.is_given and prior.density is None:
            reject_impossible_prior(prior.value, rows)
        answered = fit_answers(labels, design(None), _of_undecided(prior, rows))
        _report_few(answered)
        missed = answered
    effects = labels.effects(Scale(label_line=(0.0, 1.0)))
    mended = replace(scored, score=logit_of(missed.of_rows.posterior))
    along = _along(mended, missed.of_rows.missed)
    line = to_label.label_line or (0.0, 1.0)
    of_new = MendedScore(to_label.is_probability, line, columns, missed.new_rows, along)
    of_negatives = np.empty(0)
    if rows.negatives is not None and negative_score is not None:
        of_negatives = of_new.score(negative_score, rows.negatives.X)
    decision = Decision.of(
        mended,
        rule,
        _resolved(missed.density.scaled(rows.undecided_share), prior, rows),
        posterior_if_unlabeled=missed.of_rows.missed,
        effects=effects,
        is_posterior=True,
        negatives=NegativeScores.of(rows, of_negatives),
    )
    return Mended(decision, of_new, missed, of_negatives)


def _of_undecided(prior: ResolvedPrior, rows: Rows) -> ResolvedPrior:
    """Return a class prior whose distribution, too, is of rows not recorded as negative."""
    if prior.density is None:
        return prior
    return prior._replace(density=prior.density.scaled(1 / rows.undecided_share))


def _resolved(density: PriorDensity, prior: ResolvedPrior, rows: Rows) -> ResolvedPrior:
    """Return the class prior that decides: the one that was given, or what is known says."""
    if prior.is_given and prior.density is None:
        return prior
    value = max(float(rows.prior_of_rows(density.mean)), rows.labeled_share)
    return ResolvedPrior(value, density)


def _report_few(answered: Answered) -> None:
    """Warn if there are too few answers of a kind to change the order of the rows."""
    few, kind = min((answered.n_positive, "positive"), (answered.n_negative, "negative"))
    if few >= FEWEST_OF_A_KIND:
        return
    total = answered.n_positive + answered.n_negative
    warn(
        "PU133",
        f"{few} of {total} answers {'is' if few == 1 else 'are'} {kind}: with fewer than "
        f"{FEWEST_OF_A_KIND} of a kind, answers move the count and not the order of the rows."
        + (_ONLY_POSITIVE if answered.n_negative == 0 else ""),
    )


def _along(scored: ScoredRows, missed: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Average r of unlabeled rows along the score."""
    unlabeled = np.flatnonzero(scored.s == 0)
    order = unlabeled[np.argsort(scored.score[unlabeled], kind="stable")]
    n_points = int(np.clip(len(order) // _ROWS_OF_A_POINT, 1, _MOST_POINTS))
    weight = np.ones(len(missed)) if scored.weight is None else scored.weight
    points = [
        [np.average(one[part], weights=weight[part]) for one in (scored.score, missed)]
        for part in np.array_split(order, n_points)
    ]
    along, r = np.array(points).T
    return along, r
