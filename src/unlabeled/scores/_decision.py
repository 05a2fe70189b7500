r"""From held-out scores to a class prior, a posterior and a cut: the one path of all classifiers.

A row's class is known if the row is labeled or was checked. For the others stands
:math:`r = P(Y=1|S=0)`: where it comes from is what kinds of knowledge differ in.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import logit

from ..engine.arrays import Array
from ..engine.losses import shift_to_mean, softplus_and_sigmoid
from ..engine.rows import NO_EFFECTS, Effects, Rows, weighted_mean
from ..engine.sampling import Sampling
from ..thresholds import (
    WORTH_OF_A_MODEL,
    ChosenCut,
    Cuts,
    Rule,
    bin_cuts,
    choose_cut,
    count_above,
    shrink_recall,
    warn_if_all_positive,
    with_enough_labeled,
)
from ._class_prior import (
    ResolvedPrior,
    report_all_labeled,
    report_flat,
    report_prior_above_bound,
)
from ._label_logit import LogitLine, bounded_logit, label_effects, penalized_line
from ._prior_density import PriorDensity, density_of_scores
from ._score_model import WIDEST_LOGITS, Line, ScoreProfile, standardized

# Forests give probabilities of exactly 0 and 1, which have no logit.
_SMALLEST_PROBABILITY = 1e-3
# Posteriors of unknown rows stay this far from 0 and 1, so that they have a logit.
_INSIDE = 1e-12


@dataclass(frozen=True)
class Scale:
    """The scale of a score on which the logit of the posterior is a line.

    Attributes
    ----------
    is_probability : bool
        Whether the score is a probability; its logit is taken first.
    label_line : tuple of float or None
        Intercept and slope from the score to the logit of P(S=1|x). The logit of P(S=1|x)/c is
        then taken, bent so that it stays finite. None if the score is its own scale.
    """

    is_probability: bool = False
    label_line: tuple[float, float] | None = None

    def logits(self, score: Array) -> Array:
        """Return logits of P(S=1|x), or the score, which is linear, if there is no line to them."""
        score = on_logit_scale(score) if self.is_probability else score
        return score if self.label_line is None else LogitLine(*self.label_line)(score)

    def position(self, score: Array, label_frequency: float) -> Array:
        """Return where the scores lie on the scale, for a label frequency."""
        logits = self.logits(score)
        return logits if self.label_line is None else bounded_logit(logits, label_frequency)


def on_logit_scale(probability: Array) -> Array:
    """Return the logit of a score that is a probability; finite at 0 and 1."""
    inside = np.clip(probability, _SMALLEST_PROBABILITY, 1 - _SMALLEST_PROBABILITY)
    return np.asarray(logit(inside))


@dataclass(frozen=True, eq=False)
class ScoredRows:
    """Rows with a score by a fit that has not seen them.

    Many rows are represented by weighted ones, at most two per bin of the score.

    Attributes
    ----------
    score : ndarray of shape (n_rows,)
    s : ndarray of shape (n_rows,)
        1 for labeled rows, 0 for the others.
    weight : ndarray of shape (n_rows,) or None
    sampling : Sampling
        Which rows stand for the population.
    groups : ndarray of shape (n_rows,) or None
        Which rows belong together.
    checked : ndarray of shape (n_rows,) or None
        The answers of checked rows, as in `Rows`.
    counted : Cuts or None
        The cuts of all rows, if these represent them.
    unit : ndarray of shape (n_rows,) or None
        The weight of one independent row, as in `Rows`.
    told : Effects or None
        The design effects, if these rows represent others and do not show them.
    """

    score: Array
    s: Array
    weight: Array | None = None
    sampling: Sampling = Sampling.ONE
    groups: Array | None = None
    checked: Array | None = None
    counted: Cuts | None = None
    unit: Array | None = None
    told: Effects | None = None

    @classmethod
    def of(cls, rows: Rows, score: Array) -> ScoredRows:
        """Put a score beside rows in memory; rows without one are left out."""
        columns: Any = (rows.s, rows.weight, rows.groups, rows.checked, rows.unit)
        there = np.isfinite(score)
        if not there.all():
            score = score[there]
            columns = tuple(None if one is None else one[there] for one in columns)
        s, weight, groups, checked, unit = columns
        return cls(score, s, weight, rows.sampling, groups, checked, unit=unit)

    @classmethod
    def binned(cls, rows: Rows, score: Any, told: Effects | None = None) -> ScoredRows:
        """Count many rows, wherever they are, in bins of a score that lies beside them."""
        cuts, representatives = bin_cuts(score, rows.s, rows.weight, rows.sampling)
        return cls(*representatives, rows.sampling, counted=cuts, told=told)

    @classmethod
    def of_cuts(cls, cuts: Cuts) -> ScoredRows:
        """Represent the rows between two cuts by one, whose label is their labeled share."""
        labeled, unlabeled = (
            np.diff(count, prepend=0).astype(np.float64) for count in (cuts.labeled, cuts.unlabeled)
        )
        total = labeled + unlabeled
        return cls(cuts.score, labeled / total, total, cuts.sampling, counted=cuts)

    @cached_property
    def cuts(self) -> Cuts:
        """Numbers of rows above every cut of the score."""
        if self.counted is not None:
            return self.counted
        return count_above(self.score, self.s, self.weight, self.sampling)

    def class_prior_density(self, scale: Scale) -> PriorDensity:
        """Return what the labels along the score say about the share of positives."""
        logits, effects = scale.logits(self.score), self.effects(scale)
        of_label = scale.label_line is not None
        return density_of_scores(
            self.s, logits, self.weight, effects, of_label=of_label, sampling=self.sampling
        )

    def effects(self, scale: Scale) -> Effects:
        """Design effects of groups and weights on the labels along the score."""
        if self.told is not None:
            return self.told
        if self.groups is None and self.unit is None:
            return NO_EFFECTS
        logits = scale.logits(self.score)
        return label_effects(logits, self.s, self.weight, self.groups, self.unit)


@dataclass(frozen=True, eq=False)
class NegativeScores:
    """Scores of rows that were recorded because they are negative, by a fit without them.

    Attributes
    ----------
    score, weight : ndarray of shape (n_rows,)
    """

    score: Array
    weight: Array

    @classmethod
    def of(cls, rows: Rows, score: Array) -> NegativeScores | None:
        """Put scores beside the rows that a fit left out; None if there are none."""
        return None if rows.negatives is None else cls(score, rows.weight_of_negatives)

    def beside(self, scored: ScoredRows) -> ScoredRows:
        """Return all rows, these last."""
        s = np.concatenate([scored.s, np.zeros(len(self.score))])
        weight = np.ones(len(scored.s)) if scored.weight is None else scored.weight
        weights = np.concatenate([weight, self.weight])
        is_even = scored.weight is None and np.all(self.weight == 1)
        score = np.concatenate([scored.score, self.score])
        return ScoredRows(score, s, None if is_even else weights, scored.sampling)


@dataclass(frozen=True, eq=False)
class Decision:
    """What follows from held-out scores.

    Attributes
    ----------
    scored : ScoredRows
    scale : Scale
    prior : ResolvedPrior
        The class prior of all rows, with its distribution or the estimator that gave it.
    line : Line
        The logit of the population's posterior along the scale.
    cuts : Cuts
        Every cut with the recall that the rule used.
    cut : ChosenCut
    class_prior, label_frequency : float
        P(Y=1) of the population, and c.
    effects : Effects
        Design effects of groups and weights.
    observed : Cuts
        Every cut with the recall of labeled rows. As `cuts`, of all rows: with those that were
        recorded as negative.
    """

    scored: ScoredRows
    scale: Scale
    prior: ResolvedPrior
    line: Line
    cuts: Cuts
    cut: ChosenCut
    class_prior: float
    label_frequency: float
    effects: Effects
    observed: Cuts

    @classmethod
    def of(
        cls,
        scored: ScoredRows,
        rule: Rule,
        prior: ResolvedPrior,
        *,
        scale: Scale = Scale(),  # noqa: B008 (it cannot be changed)
        posterior_if_unlabeled: Array | None = None,
        recall: Callable[[Array], Cuts] | None = None,
        is_smoothed: bool = True,
        effects: Effects | None = None,
        is_posterior: bool = False,
        negatives: NegativeScores | None = None,
    ) -> Decision:
        """Decide.

        Parameters
        ----------
        scored : ScoredRows
        rule : Rule
            What the cut maximizes.
        prior : ResolvedPrior
        scale : Scale
        posterior_if_unlabeled : ndarray of shape (n_rows,), optional
            r = P(Y=1|S=0,x) of every row, which is where kinds of knowledge about the labeling
            differ. By default it follows from labels given at random: the posterior is the
            likeliest line whose mean is the class prior.
        recall : callable, optional
            Maps the posterior of every row to the cuts with the recall that labeled rows say
            positives have, if it is not that of the labeled rows themselves.
        is_smoothed : bool
            Whether the posterior has a part in the recall above a cut.
        effects : Effects, optional
            If they were computed before.
        is_posterior : bool
            Whether the score is the logit of the posterior, and nothing is left to fit.
        negatives : NegativeScores, optional
            Rows that `scored` leaves out. They lie above cuts as negatives, and lower the class
            prior of the population; the posterior is that of the others.
        """
        observed = scored.cuts
        effects = scored.effects(scale) if effects is None else effects
        share = observed.labeled_share
        class_prior = float(scored.sampling.population_prior(prior.value, share))
        frequency = min(1.0, share / prior.value)
        expected = None
        if posterior_if_unlabeled is None:
            line = calibrated_line(scored, scale, frequency)
        else:
            expected = expected_classes(scored, posterior_if_unlabeled, prior.value)
            line = Line(0.0, 1.0)
            if not is_posterior:
                line = line_through(scored, expected, prior.value)
        report_flat(line)
        posterior = posterior_along(line, scale, scored.score, frequency)
        counted = scored if negatives is None else negatives.beside(scored)
        if negatives is not None:
            observed = counted.cuts
            class_prior *= observed.labeled_share / share
        if prior.is_given:
            report_prior_above_bound(class_prior, observed, effects)
        cuts = observed if recall is None else recall(posterior)
        if is_smoothed:
            # With answers the expected classes of the rows are all that recall is taken from, and
            # so they are if labeled rows are not drawn like the positives.
            classes, worth = posterior, WORTH_OF_A_MODEL
            if (scored.checked is not None or is_posterior) and expected is not None:
                classes, worth = expected, np.inf
            if negatives is not None:
                classes = np.concatenate([classes, np.zeros(len(negatives.score))])
            labeled = counted.s == 1
            cuts = shrink_recall(
                cuts, counted.score, classes, counted.weight, worth, labeled=labeled
            )
        rule = with_enough_labeled(rule, cuts.labeled[-1])
        cut = choose_cut(cuts, rule, class_prior)
        warn_if_all_positive(cut, rule)
        return cls(scored, scale, prior, line, cuts, cut, class_prior, frequency, effects, observed)

    def report_all_labeled(self) -> None:
        """Warn if labels alone say that nearly every positive is labeled."""
        by_labels_alone = not self.prior.is_given and self.scored.checked is None
        if by_labels_alone and not self.scored.sampling.is_two:
            report_all_labeled(self.label_frequency)


def frequency_given(cuts: Cuts, class_prior: float) -> float:
    """Return c, given the class prior of the population."""
    return min(1.0, float(cuts.sampling.label_frequency(class_prior, cuts.labeled_share)))


def calibrated_line(scored: ScoredRows, scale: Scale, label_frequency: float) -> Line:
    """Return the likeliest line of the posterior whose mean is the population's class prior."""
    position = scale.position(scored.score, label_frequency)
    profile = ScoreProfile.of(position, scored.s, scored.weight)
    class_prior = profile.labeled_share / label_frequency
    return profile.calibrated_line(class_prior, sampling=scored.sampling)


def posterior_along(line: Line, scale: Scale, score: Array, label_frequency: float) -> Array:
    """Return P(Y=1|score)."""
    return softplus_and_sigmoid(line.logit(scale.position(score, label_frequency)))[1]


def expected_classes(scored: ScoredRows, missed: Array, class_prior: float) -> Array:
    """Return P(Y=1) of every row given all that is known of it.

    Parameters
    ----------
    scored : ScoredRows
    missed : ndarray of shape (n_rows,)
        P(Y=1|S=0) of every row. The logits of unknown rows are moved by one number, so that the
        mean over all rows is the class prior.
    class_prior : float
        P(Y=1) of all rows.

    Returns
    -------
    expected : ndarray of shape (n_rows,)
        1 for labeled rows, the answer for checked rows, and P(Y=1|S=0) for the others.
    """
    expected, unknown = _known_classes(scored)
    if np.any(unknown):
        shift = shift_of_unknown(scored, missed, class_prior)
        expected[unknown] = shifted(missed[unknown], shift)
    return expected


def shift_of_unknown(scored: ScoredRows, missed: Array, class_prior: float) -> float:
    """Return by how much `expected_classes` moves the logits of P(Y=1|S=0)."""
    known, unknown = _known_classes(scored)
    if not np.any(unknown):
        return 0.0
    weight = np.ones(len(known)) if scored.weight is None else scored.weight
    wanted = class_prior * weight.sum() - weight @ known
    logits = logit(np.clip(missed, _INSIDE, 1 - _INSIDE)[unknown])
    return shift_to_mean(logits, wanted / weight[unknown].sum(), weight[unknown])


def shifted(probability: Array, shift: float) -> Array:
    """Return probabilities whose logits are moved."""
    return softplus_and_sigmoid(logit(np.clip(probability, _INSIDE, 1 - _INSIDE)) + shift)[1]


def _known_classes(scored: ScoredRows) -> tuple[Array, Array]:
    """Return 1 for labeled rows, the answer for checked rows, else 0; and which are unknown."""
    known, unknown = scored.s.astype(np.float64), scored.s == 0
    if scored.checked is not None:
        known = np.where(scored.checked == 1, 1.0, known)
        unknown &= np.isnan(scored.checked)
    return known, unknown


def line_through(
    scored: ScoredRows, expected: Array, class_prior: float, widest: float = WIDEST_LOGITS
) -> Line:
    """Return the logistic posterior in the score whose fit to the expected classes is best.

    The standard deviation of its logits is at most `widest`. A slope that is not positive
    becomes 0. It is the population's, as `class_prior` is that of all rows.
    """
    weight = np.ones(len(scored.score)) if scored.weight is None else scored.weight
    z, mean, deviation = standardized(scored.score, weight)
    intercept, slope = penalized_line(z, expected, weight, (0.0, 0.0), (0.0, 0.0))
    if slope > 0:
        less = min(1.0, widest / slope)
        slope, intercept = less * slope / deviation, less * intercept
        intercept -= slope * mean
    else:
        intercept = float(logit(np.clip(class_prior, _INSIDE, 1 - _INSIDE)))
    frequency = min(1.0, weighted_mean(scored.s, weight) / class_prior)
    return Line(float(scored.sampling.population_logit(intercept, frequency)), slope)
