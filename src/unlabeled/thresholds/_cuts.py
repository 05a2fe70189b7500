"""The cuts of a score: counts above every distinct value, and the best of them by a rule."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..codes import Message, warn
from ..engine.arrays import Array
from ..engine.rows import encode_labels, score_column, validate_weight
from ..engine.sampling import (
    ONE_SAMPLE,
    Sampling,
    SamplingWord,
    check_class_prior,
    unlabeled_prior,
)
from ._rules import Rule, enough_rows, get_rule

# Values of a rule within this fraction of the largest may differ only by rounding.
TIED = 1e-12
# Scores closer than this fraction of their range count as ties; smaller differences are
# rounding errors.
TIE_WIDTH = 1e-12
# A cut that predicts this share of the rows positive hardly decides.
_NEARLY_ALL = 0.95
WORTH_OF_A_MODEL = 300.0
"""Weight of the recall that a posterior expects, as a number of labeled rows."""


@dataclass(frozen=True, repr=False)
class Cuts:
    """The cuts of a score: cut g predicts positive every row with score >= `score[g]`.

    A cut is a threshold together with the numbers of rows above it.

    Attributes
    ----------
    score : ndarray of shape (n_cuts,)
        Distinct scores in decreasing order. For a group of tied scores, the smallest.
    next_score : ndarray of shape (n_cuts,)
        The largest score below each cut; -inf for the last, which predicts all rows.
    labeled, total : ndarray of shape (n_cuts,)
        Number of labeled rows and of all rows predicted positive: integers,
        or sums of weights. The last entries are the totals. After `shrink_recall`, `labeled` is
        the number of labeled rows times the recall of the mixture.
    sampling : {"one-sample", "two-sample"}
        Of two samples the unlabeled rows alone are a sample of the population, and `total`
        counts them alone.
    """

    score: Array
    next_score: Array
    labeled: Array
    total: Array
    sampling: Sampling = Sampling.ONE

    def __repr__(self) -> str:
        first, last = (f"{float(self.score[k]):.4g}" for k in (0, -1))
        return (
            f"{type(self).__name__}({len(self.score)} cuts from {first} to {last}, "
            f"{float(self.labeled[-1]):g} labeled of {float(self.total[-1]):g} rows, "
            f"{self.sampling.value})"
        )

    @property
    def recall(self) -> Array:
        """Fraction of the labeled rows above each cut, r."""
        return self.labeled / self.labeled[-1]

    @property
    def share(self) -> Array:
        """Fraction of the population's rows above each cut, q."""
        return self.total / self.total[-1]

    @property
    def unlabeled(self) -> Array:
        """Number of unlabeled rows above each cut."""
        return self.total if self.sampling.is_two else self.total - self.labeled

    @property
    def labeled_share(self) -> float:
        """Fraction of labeled rows among all rows, of both samples."""
        labeled = float(self.labeled[-1])
        return labeled / (labeled + float(self.unlabeled[-1]))


def scan_cuts(
    y: Any,
    score: Any,
    sample_weight: Any = None,
    *,
    pos_label: Any = None,
    sampling: SamplingWord = ONE_SAMPLE,
) -> Cuts:
    """Count labeled and all rows above every distinct score.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        Two values; `pos_label` says which one marks labeled rows.
    score : array-like of shape (n_rows,)
        Larger for rows that look more positive.
    sample_weight : array-like of shape (n_rows,), optional
        Without weights the counts are exact integers. Rows of weight zero
        are ignored.
    pos_label : object, default=None
        The value of y that marks labeled rows; if None, the larger number or the text that says it.
    sampling : {"one-sample", "two-sample"}, default="one-sample"
        "two-sample" if the labeled rows come from elsewhere and the unlabeled rows are a sample
        of the population. Shares are then those of the unlabeled rows.

    Returns
    -------
    cuts : Cuts
        Scores, counts, recall and share, the highest cut first.

    See Also
    --------
    unlabeled.thresholds.choose_cut : Chooses one of them.
    unlabeled.plots.CutCurveDisplay : Draws them.

    Examples
    --------
    >>> from unlabeled.thresholds import scan_cuts
    >>> cuts = scan_cuts([1, 0, 1, 0], [5.0, 4.0, 4.0, 2.0])
    >>> cuts.score.tolist(), cuts.labeled.tolist(), cuts.total.tolist()
    ([5.0, 4.0, 2.0], [1, 2, 2], [1, 3, 4])
    """
    s, _ = encode_labels(y, pos_label)
    weight = validate_weight(sample_weight, len(s))
    return count_above(score_column(score, s), s, weight, Sampling.of(sampling))


def count_above(
    score: Array, s: Array, weight: Array | None = None, sampling: Sampling = Sampling.ONE
) -> Cuts:
    """Count labeled and all rows above every distinct score, without validation.

    Without weights the counts are exact integers. Rows of weight zero are ignored.
    With weights `s` may be a probability per row. With two samples, all rows are the unlabeled
    ones.
    """
    if weight is not None and not np.all(weight > 0):
        score, s, weight = score[weight > 0], s[weight > 0], weight[weight > 0]
    if weight is None:
        cuts = _scan_unweighted(score, s)
        total = cuts.unlabeled if sampling.is_two else cuts.total
        return replace(cuts, total=total, sampling=sampling)
    population = sampling.population(s, weight)
    order = np.argsort(-score.astype(np.float64, copy=False), kind="stable")
    ordered = score[order].astype(np.float64, copy=False)
    last_of_group = group_ends(ordered, tie_width(ordered, score.dtype))
    labeled = np.cumsum(s[order] * weight[order])[last_of_group]
    total = np.cumsum(population[order])[last_of_group]
    return replace(cuts_of_groups(ordered, last_of_group, labeled, total), sampling=sampling)


def _scan_unweighted(score: Array, s: Array) -> Cuts:
    """Sort the scores and find the labeled ones in them, which is faster than an argsort."""
    rising = np.sort(score.astype(np.float64, copy=False))
    ordered = rising[::-1]
    last_of_group = group_ends(ordered, tie_width(ordered, score.dtype))
    # The first of equal scores in `ordered`; any of them would do, as they end in one group.
    position = len(rising) - np.searchsorted(rising, np.sort(score[s == 1]), side="right")
    labeled = np.cumsum(np.bincount(position, minlength=len(rising)))[last_of_group]
    return cuts_of_groups(ordered, last_of_group, labeled, last_of_group + 1)


def cuts_of_groups(ordered: Array, last_of_group: Array, labeled: Array, total: Array) -> Cuts:
    """One cut below each group of ties."""
    next_score = np.append(ordered[last_of_group[:-1] + 1], -np.inf)
    return Cuts(ordered[last_of_group], next_score, labeled, total)


def tie_width(ordered: Array, dtype: np.dtype[Any]) -> float:
    """Scores no further apart than this are one value; `ordered` holds the extremes at its ends."""
    if dtype == np.float32:
        return 4 * float(np.finfo(np.float32).eps) * max(abs(ordered[0]), abs(ordered[-1]))
    return TIE_WIDTH * float(ordered[0] - ordered[-1])


def group_ends(ordered: Array, width: float) -> Array:
    """Return the last position of each group of ties: falling scores no wider than `width`."""
    apart = ordered[:-1] - ordered[1:] > width
    if apart.all():
        return np.arange(len(ordered))
    ends = np.append(np.flatnonzero(apart), len(ordered) - 1)
    starts = np.append(0, ends[:-1] + 1)
    too_wide = np.flatnonzero(ordered[starts] - ordered[ends] > width)
    if len(too_wide) == 0:
        return ends
    # Neighbors are close, but the ends of the chain are not: cut it into runs.
    cuts = [ends]
    for chain in too_wide:
        start, end = starts[chain], ends[chain]
        while ordered[start] - ordered[end] > width:
            run = np.searchsorted(-ordered[start : end + 1], width - ordered[start], side="right")
            start += max(1, int(run))
            cuts.append(np.array([start - 1]))
    return np.unique(np.concatenate(cuts))


def shrink_recall(
    cuts: Cuts,
    score: Array,
    posterior: Array,
    weight: Array | None = None,
    worth: float = WORTH_OF_A_MODEL,
    *,
    labeled: Array | None = None,
) -> Cuts:
    r"""Mix the observed recall above every cut with the recall that a posterior expects.

    Under SCAR labeled rows are distributed like positives, so recall above a
    cut is also the posterior's mass above it over its whole mass. With
    :math:`n_1` labeled rows of which :math:`\hat r` lie above,

    .. math:: \tilde r = \frac{n_1 \hat r + m\, \bar r}{n_1 + m}, \qquad
              \bar r = \sum_{t_i > z} p(t_i) \Big/ \sum_i p(t_i).

    The model has the weight of m labeled rows. A single labeled row at the top can then
    no longer decide the choice, and with thousands of labeled rows the model hardly counts.

    Parameters
    ----------
    cuts : Cuts
        The cuts of `score`, or of the rows that these represent.
    score, posterior : ndarray of shape (n_rows,)
        The score of each row, and its P(Y=1), which grows with the score.
    weight : ndarray of shape (n_rows,), optional
        Weights of the rows.
    worth : float
        The weight m of the model, as a number of labeled rows.
    labeled : ndarray of bool, shape (n_rows,), optional
        Which rows are labeled. They do not stand for the population if the cuts are of two
        samples.

    Returns
    -------
    shrunk : Cuts
        The cuts with `labeled` replaced.
    """
    if cuts.sampling.is_two and labeled is not None:
        posterior = np.where(labeled, 0.0, posterior)
    falling = -score
    order = np.argsort(falling)
    mass = np.cumsum((posterior if weight is None else posterior * weight)[order])
    n_above = np.searchsorted(falling[order], -cuts.score, side="right")
    n_above[-1] = len(score)  # the last cut predicts all rows, whatever rounding does to its score
    expected = np.append(0.0, mass)[n_above] / mass[-1]
    n_labeled = float(cuts.labeled[-1])
    share = n_labeled / (n_labeled + worth)
    recall = share * cuts.recall + (1 - share) * expected
    return replace(cuts, labeled=n_labeled * recall, total=cuts.total.astype(np.float64))


@dataclass(frozen=True)
class ChosenCut:
    """A chosen cut: rows with a score above `threshold` are predicted positive.

    Every threshold in the half-open interval [`lower`, `upper`) gives the
    same predictions on the scanned rows; `threshold` is its middle. If all
    rows are predicted positive, `lower` is -inf, and `threshold` is the smallest
    score minus max(1, range of the scores).

    Attributes
    ----------
    index : int
        Position of the cut in `Cuts`.
    value : float
        Value of the rule at the cut.
    threshold, lower, upper : float
        See above.
    recall, share : float
        Fractions of the labeled rows and of all rows that are predicted positive.
    """

    index: int
    value: float
    threshold: float
    lower: float
    upper: float
    recall: float
    share: float

    @property
    def predicts_all(self) -> bool:
        """Whether every scanned row is predicted positive."""
        return self.lower == -np.inf


def choose_cut(cuts: Cuts, rule: Rule | str, class_prior: float | None = None) -> ChosenCut:
    """Choose the cut with the largest value of `rule`; ties go to the cut with the fewest rows.

    Parameters
    ----------
    cuts : Cuts
        The result of `scan_cuts`.
    rule : Rule or str
        A rule, or its name, such as "f1" or "recall_at_least(0.9)".
    class_prior : float, optional
        P(Y=1) of the population, for rules that need it. In two samples it also limits the share
        above a cut from below, which has at least as many rows as positives: with few
        unlabeled rows above a high cut, ratios would otherwise be arbitrarily large.

    Returns
    -------
    cut : ChosenCut
        The cut, its threshold, and its value, recall and share.

    Raises
    ------
    ValueError
        If no cut satisfies the rule, or if the class prior is not from 0 to 1.

    See Also
    --------
    unlabeled.thresholds.scan_cuts : Counts the rows above every cut.
    unlabeled.PUThresholdClassifier : Does both around any classifier.

    Examples
    --------
    >>> import numpy as np
    >>> from unlabeled.thresholds import scan_cuts
    >>> cuts = scan_cuts(np.array([1, 0, 1, 0, 0]), np.array([5.0, 4, 3, 2, 1]))
    >>> cut = choose_cut(cuts, "f1_pu")
    >>> cut.threshold, round(cut.value, 4)
    (2.5, 1.6667)
    """
    rule = get_rule(rule)
    if class_prior is not None:
        class_prior = check_class_prior(class_prior, cuts.sampling, or_end=True)
    values = rule.criterion(*_rates_for(cuts, rule, class_prior))
    least = {"labeled": rule.least_labeled}
    if cuts.sampling.is_two and not rule.of_rows:
        least["total"] = enough_rows(float(cuts.total[-1]), rule.least_labeled)
    for name, fewest in least.items():
        count = getattr(cuts, name)
        # With weights that sum to less than 1, any positive weight is enough.
        values = np.where(count >= fewest if fewest > 1 else count > 0, values, -np.inf)
    best = _first_best(cuts, values, rule)
    upper, lower = float(cuts.score[best]), float(cuts.next_score[best])
    middle = lower + 0.5 * (upper - lower)
    if lower == -np.inf:
        middle = upper - max(1.0, float(cuts.score[0]) - upper)
    return ChosenCut(
        index=best,
        value=float(values[best]),
        threshold=middle,
        lower=lower,
        upper=upper,
        recall=float(cuts.recall[best]),
        share=float(cuts.share[best]),
    )


def warn_if_all_positive(cut: ChosenCut, rule: Rule) -> None:
    """Warn if the chosen cut predicts every row positive, or nearly."""
    share = 1.0 if cut.predicts_all else cut.share
    warn_if_nearly_all_positive(share, f"the best cut by the rule {rule.name}")


def warn_if_nearly_all_positive(share: float, cut: str) -> None:
    """Warn if a cut, named in words, predicts positive this share of the rows, and it is most."""
    if share >= _NEARLY_ALL:
        rows = "every row" if share == 1 else f"{share:.1%} of the rows"
        warn(
            "PU110",
            Message(
                f"{cut} predicts {rows} positive: the score hardly separates labeled rows from "
                "the others, or hardly any row is negative.",
                python="Add features that predict the label, or check `y`.",
            ),
        )


def _rates_for(
    cuts: Cuts, rule: Rule, class_prior: float | None
) -> tuple[Array, Array, float | None]:
    """Return recall, share and class prior, as the rule wants them."""
    recall, share = cuts.recall, cuts.share
    if cuts.sampling.is_two and class_prior is not None and not rule.of_rows:
        return recall, np.maximum(share, class_prior * recall), class_prior
    if cuts.sampling.is_two or not rule.if_unlabeled or class_prior is None:
        return recall, share, class_prior
    labeled = cuts.labeled_share
    return (
        recall,
        (share - labeled * recall) / (1 - labeled),
        unlabeled_prior(class_prior, labeled),
    )


def _first_best(cuts: Cuts, values: Array, rule: Rule) -> int:
    largest = float(np.max(values))
    if largest == -np.inf:
        raise ValueError(
            f"No threshold satisfies the rule {rule.name}. Set a lower target, or use another rule."
        )
    near = np.flatnonzero(values >= largest - TIED * abs(largest))
    inexact = rule.exact is None or cuts.sampling.is_two or cuts.total.dtype.kind != "i"
    if len(near) == 1 or inexact:
        return int(near[0])
    assert rule.exact is not None
    exact = [rule.exact(int(cuts.labeled[g]), int(cuts.total[g])) for g in near]
    return int(near[exact.index(max(exact))])
