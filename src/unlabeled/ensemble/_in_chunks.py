"""Members fitted to a part of rows in chunks, and what all rows say about them in one pass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..engine.arrays import Array
from ..engine.rows import MomentSums, Sample, pooled
from ..engine.sampling import Sampling, SamplingWord
from ..engine.score_bins import ScoreCounter
from ..meta import RoundRobinScorer, count_all, counter_around, effects_of_part
from ..scores import (
    LogitLine,
    PriorDensity,
    Scale,
    ScoredRows,
    density_of_scores,
    fit_line,
    label_log_likelihood,
)
from ..thresholds import cuts_of_counts
from ._members import Candidate, logit_of_posterior
from ._stack import likelihood_moments


@dataclass(frozen=True, eq=False)
class CountedMembers:
    """What the scores of all rows say; each row was scored by models that have not seen it.

    Attributes
    ----------
    of_members : dict of str to ScoredRows
        Representatives of the rows, with each member's logit of P(S=1|x), or a line's own score.
    scored : ScoredRows
        The same with the score of the ensemble.
    are_lines : dict of str to bool
        Whether the scores of a member are a line's own.
    log_likelihoods : MomentSums
        Of the labels, by each member and, last, by the ensemble.
    """

    of_members: dict[str, ScoredRows]
    scored: ScoredRows
    are_lines: dict[str, bool]
    log_likelihoods: MomentSums

    @classmethod
    def of(
        cls, part: Sample, chosen: Mapping[str, Candidate], weights: Array, base: float
    ) -> CountedMembers:
        """Score and count all rows, chunk by chunk.

        `chosen` are the members fitted to the part, `weights` those of their logits in the score,
        and `base` is the logit of the labeled share.
        """
        lines = [one.own_score for one in chosen.values() if one.own_score is not None]
        logits = np.column_stack([one.label_logit for one in chosen.values()])
        score = base + (logits - base) @ weights
        known = np.column_stack([logits, score, *lines])
        judge = _Judge(counter_around(known), len(chosen) + 1)
        scores = _ScoresOfMembers(tuple(map(_Member.of, chosen.values())), weights, base)
        counts, moments = count_all(part, known, scores, judge)
        sampling = part.whole.sampling
        found = [
            ScoredRows(*representatives, sampling, counted=cuts, told=effects_of_part(part, own))
            for (cuts, representatives), own in zip(
                cuts_of_counts(judge.counter, counts, sampling), known.T, strict=True
            )
        ]
        own = iter(found[len(chosen) + 1 :])
        are_lines = {name: one.own_score is not None for name, one in chosen.items()}
        members = {
            name: next(own) if is_line else found[k]
            for k, (name, is_line) in enumerate(are_lines.items())
        }
        return cls(members, found[len(chosen)], are_lines, moments)

    def density(self, name: str, sampling: SamplingWord) -> PriorDensity:
        """Return what a member says about the class prior."""
        rows, score = self.of_members[name], self.of_members[name].score
        of_label = not self.are_lines[name]
        if of_label:  # the part has calibrated the logits; all rows do so more precisely
            assert rows.weight is not None
            score = fit_line(score, rows.s, rows.weight)(score)
        effects = rows.effects(Scale())
        return density_of_scores(
            rows.s, score, rows.weight, effects, of_label=of_label, sampling=Sampling.of(sampling)
        )


@dataclass(frozen=True)
class _Judge:
    """Counts scores, and adds up log-likelihoods of the labels by the first of them."""

    counter: ScoreCounter
    n_logits: int

    def __call__(self, scores: Array, s: Array, weight: Array | None) -> tuple[Any, MomentSums]:
        mass = np.ones(len(s)) if weight is None else weight
        by_row = label_log_likelihood(scores[:, : self.n_logits], s[:, None])
        return self.counter(scores, s, weight), likelihood_moments(by_row, mass)

    def both(
        self, first: tuple[Any, MomentSums], second: tuple[Any, MomentSums]
    ) -> tuple[Any, MomentSums]:
        """Return the answers of two sets of rows together."""
        return self.counter.both(first[0], second[0]), pooled(first[1], second[1])


@dataclass(frozen=True, eq=False)
class _Member:
    """How a member scores rows that it has not seen."""

    raw: RoundRobinScorer
    line: LogitLine
    is_line: bool

    @classmethod
    def of(cls, one: Candidate) -> _Member:
        return cls(RoundRobinScorer(one.unseen), one.line, one.own_score is not None)

    def scores(self, X: Any) -> tuple[Array, Array | None]:
        """Return logits of P(S=1|x), and a line's own scores."""
        if not self.is_line:
            return self.line(self.raw(X)), None
        fitted = self.raw.models[0].fitted  # type: ignore[attr-defined]
        own = fitted.positive_score(X)
        return self.line(logit_of_posterior(fitted, fitted.posterior_at(own))), own


@dataclass(frozen=True, eq=False)
class _ScoresOfMembers:
    """Logits of members, the score of the ensemble, and own scores of lines, for a block of X."""

    members: tuple[_Member, ...]
    weights: Array
    base: float

    def __call__(self, X: Any) -> Array:
        found = [one.scores(X) for one in self.members]
        logits = np.column_stack([logit for logit, _ in found])
        score = self.base + (logits - self.base) @ self.weights
        return np.column_stack([logits, score, *(own for _, own in found if own is not None)])
