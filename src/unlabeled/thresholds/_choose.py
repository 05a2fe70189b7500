"""Choose a cut by a rule."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..codes import Message, warn
from ..engine.arrays import Array
from ..engine.sampling import check_class_prior, unlabelled_prior
from ._cuts import TIED, Cuts
from ._rules import Rule, enough_rows, get_rule


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
        Fractions of the labelled rows and of all rows that are predicted positive.
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
        unlabelled rows above a high cut, ratios would otherwise be arbitrarily large.

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
    >>> from unlabeled.thresholds import f1_pu, scan_cuts
    >>> cuts = scan_cuts(np.array([1, 0, 1, 0, 0]), np.array([5.0, 4, 3, 2, 1]))
    >>> cut = choose_cut(cuts, f1_pu())
    >>> cut.threshold, round(cut.value, 4)
    (2.5, 1.6667)
    """
    rule = get_rule(rule)
    if class_prior is not None:
        class_prior = check_class_prior(class_prior, cuts.sampling, or_end=True)
    values = rule.criterion(*_rates_for(cuts, rule, class_prior))
    least = {"labelled": rule.least_labelled}
    if cuts.sampling.is_two and not rule.of_rows:
        least["total"] = enough_rows(float(cuts.total[-1]), rule.least_labelled)
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
    """Warn if the chosen cut predicts every row positive."""
    if cut.predicts_all:
        warn(
            "PU110",
            Message(
                f"the best cut by the rule {rule.name} predicts every row positive: the score "
                "hardly separates labelled rows from the others.",
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
    if cuts.sampling.is_two or not rule.if_unlabelled or class_prior is None:
        return recall, share, class_prior
    labelled = cuts.labelled_share
    return (
        recall,
        (share - labelled * recall) / (1 - labelled),
        unlabelled_prior(class_prior, labelled),
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
    exact = [rule.exact(int(cuts.labelled[g]), int(cuts.total[g])) for g in near]
    return int(near[exact.index(max(exact))])
