"""Labels with known chances: a survey of labels, a design, a rule that drew the rows to look at."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..scores import LabeledScore, Missed, OfRows
from ._chances import (
    AlongChances,
    Draws,
    ExpectedChance,
    count_by_chances,
    density_of_counts,
)
from ._labeling import Labeling, history_columns, reject_beside_history, rows_in_words

_TOO_HIGH = 1.25


@dataclass(frozen=True)
class FoundByChances:
    """What known chances and labels say beside the count.

    Attributes
    ----------
    n_without_chance : int
        Rows that could not be labeled.
    n_above : int
        Rows that the score makes likelier to be labeled than positive rows like them are.
    if_too_high : float
        The number of positives if every chance were 25 % too high.
    """

    n_without_chance: int
    n_above: int
    if_too_high: float


class KnownChances(Labeling):
    r"""Labels were given with chances that are known for every row.

    Pass the chances to the fit: ``fit(X, s, history=chance)``, where `chance` is the probability
    :math:`e = P(S=1|Y=1)` of each row to be labeled if it is positive. Use it if labels come from
    rows that were drawn to be looked at with known probabilities, or if a rule decided how often.

    Assumes that the chances are right, and that among positive rows with the same chance and the
    same features labels are random.

    Notes
    -----
    *Posterior.* Members estimate :math:`P(S=1|x) = \bar e(x)\,P(Y=1|x)`, where
    :math:`\bar e(x)` is the mean chance of rows with these features. A ridge regression finds it,
    unless the chance is the same for all. The posterior is logistic along the logit of
    :math:`P(S=1|x)/\bar e(x)`, with the line that is likeliest for the known chances. If the
    posterior seems to follow the chances themselves, an average is taken with one that may.

    *Count.* Three counts have equal weights: the sum of the posterior; the same for any posterior
    that rises with the score; and labels divided by their chances, at most 20 for each. Rows whose
    chance is 0 are not counted: labels say nothing about them.

    **What breaks it:** chances that are wrong. If all of them are 25 % too high, about a fifth of
    the positives is missed; the fit says how many.

    Examples
    --------
    >>> import numpy as np
    >>> from unlabeled.labeling import KnownChances
    >>> KnownChances()
    KnownChances()
    """

    def missed(self, known: LabeledScore) -> Missed:
        """Return P(Y=1|x) and P(Y=1|S=0,x) of rows, and the count.

        Parameters
        ----------
        known : LabeledScore
            `history` has one column, the chance of each row to be labeled if it is positive.

        Returns
        -------
        missed : Missed
        """
        kind, s = type(self).__name__, known.s.astype(np.float64)
        reject_beside_history(known, kind)
        chance = _checked_chances(known, s)
        expected_by, expected = ExpectedChance.fit(known.design(None), chance)
        draws, could = Draws.of(chance), chance > 0
        apart = np.log(np.where(could, chance, expected) / expected)
        counted = count_by_chances(known.label_logit, s, draws, expected, drift=apart)
        others = Draws.of(chance / _TOO_HIGH)
        too_high = count_by_chances(known.label_logit, s, others, expected / _TOO_HIGH, drift=apart)
        found = FoundByChances(
            int((~could).sum()),
            counted.n_above,
            float(too_high.weight @ too_high.mean - too_high.posterior[~could].sum()),
        )
        return Missed(
            OfRows(counted.posterior, np.where(could, counted.missed, 0.0)),
            density_of_counts(counted, s, len(s), away=float(counted.posterior[~could].sum())),
            AlongChances(counted.line, expected_by, None),
            _in_words(found, len(s)),
            found,
        )


def _checked_chances(known: LabeledScore, s: np.ndarray) -> np.ndarray:
    """Return the chances; reject what is none."""
    frame = known.history
    name = (
        str(frame.columns[0]) if hasattr(frame, "columns") and len(frame.columns) == 1 else "chance"
    )
    chance = history_columns(frame, [name], len(s), "KnownChances")[name]
    wrong = ~((chance >= 0) & (chance <= 1))
    if wrong.any():
        is_percent = np.nanmax(chance) <= 100 and np.nanmin(chance) >= 0 and np.nanmax(chance) > 1
        advice = "Divide percentages by 100." if is_percent else "Give every row its chance."
        raise ValueError(
            "`history` must hold chances between 0 and 1; got other values or none in "
            f"{rows_in_words(wrong)}. {advice}"
        )
    impossible = (chance == 0) & (s == 1)
    if impossible.any():
        raise ValueError(
            "`history` must hold a chance above 0 for every labeled row; got 0 in "
            f"{rows_in_words(impossible)}. Correct the chance, or the label."
        )
    return chance


def _in_words(found: FoundByChances, n_rows: int) -> tuple[str, ...]:
    words = ["Counted are positives that had a chance to be labeled."]
    if found.n_without_chance:
        words.append(
            f"{found.n_without_chance} of {n_rows} rows had none; positives among them are not "
            "included."
        )
    if found.n_above:
        words.append(
            f"Rows like {found.n_above} of them have more labels than their chances allow: either "
            "the score is off there, or the chances are too small."
        )
    words.append(
        "If every chance were 25 % too high, there would be about "
        f"{found.if_too_high:.0f} positives."
    )
    return tuple(words)
