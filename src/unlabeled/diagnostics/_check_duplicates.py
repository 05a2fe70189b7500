"""Labeled rows with the same features as an unlabeled row.

*Meaning.* Some labeled rows have the same features as an unlabeled row. If rows take few distinct
values, this is expected, and a note. If nearly all rows differ, equal rows are probably copies: a
note from 1 % of the labeled rows on, a warning from 5 %. Each copy counts a labeled row as
unlabeled too, which lowers :math:`c`.

It is serious if at least half of the labeled rows have an unlabeled copy of their own, and few
distinct values do not explain it: two files were probably stacked, or the labels joined on twice.
The label frequency is then at most one half, and the number of positives at least twice too large.
On the paper's nine sets at most a quarter of the labeled rows have a copy. In a table of few
distinct rows the check cannot tell copies from equal rows: a note. So it is with two samples,
because the population may hold the cases.

*Example.*

.. code-block:: python

   from unlabeled import PULogistic
   from unlabeled.diagnostics import diagnose

   twice = np.vstack([X, X[s == 1]])
   finding = diagnose(PULogistic(), twice, np.append(s, np.zeros(s.sum())))["duplicates"]

*Remedy.* If rows are in the table twice, drop the unlabeled copies of labeled rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ._case import Case, CheckResult

_CONTINUOUS = 0.95
_SOME, _MANY, _MOST = 0.01, 0.05, 0.5
# Copies are meant if labeled rows have them this many times as often as unlabeled rows have.
_TIMES = 2.0
# The rows are there twice if nearly every distinct row occurs an even number of times. With
# fewer distinct rows that can be chance.
_NEARLY_ALL, _FEWEST_DISTINCT = 0.95, 20
_MOST_SHOWN = 20


def check_duplicates(case: Case) -> CheckResult:
    """Count labeled rows with an unlabeled twin: a row with the same features."""
    group = _groups(case.dense)
    labeled = case.s == 1
    twins = Twins.of(group, labeled)
    facts = {
        "labeled_rows_with_a_twin": twins.count,
        "share": twins.share,
        "share_with_a_copy_of_its_own": twins.own,
        "distinct_share_of_unlabeled_rows": twins.distinct,
        "rows": np.flatnonzero(labeled & np.isin(group, group[~labeled]))[:_MOST_SHOWN].tolist(),
    }
    if twins.count == 0:
        return CheckResult(
            "fine", "No labeled row has the same features as an unlabeled row.", facts
        )
    if case.sampling.is_two:
        return CheckResult(
            "note",
            f"{twins} That is right if the population holds the cases, and wrong if the cases were "
            "added to the sample of the population.",
            facts,
        )
    return _judged(twins, facts)


@dataclass(frozen=True)
class Twins:
    """How often labeled and unlabeled rows are equal; prints as a sentence.

    Attributes
    ----------
    count : int
        Labeled rows with the features of an unlabeled row.
    share : float
        Their share of the labeled rows.
    own : float
        The share of the labeled rows that have an unlabeled copy of their own: two equal
        labeled rows need two.
    distinct : float
        Distinct unlabeled rows, as a share of the unlabeled rows.
    among_unlabeled : float
        The share of the unlabeled rows that equal another unlabeled row.
    doubled : bool
        Whether nearly every distinct row occurs an even number of times.
    """

    count: int
    share: float
    own: float
    distinct: float
    among_unlabeled: float
    doubled: bool

    @classmethod
    def of(cls, group: np.ndarray, labeled: np.ndarray) -> Twins:
        """Count twins, from the number of each row's features and whether it is labeled."""
        size = int(group.max()) + 1
        on, off = (np.bincount(group[rows], minlength=size) for rows in (labeled, ~labeled))
        n_labeled, n_unlabeled = int(on.sum()), int(off.sum())
        count = int(on[off > 0].sum())
        even = float(np.mean((on + off) % 2 == 0))
        return cls(
            count,
            count / n_labeled,
            float(np.minimum(on, off).sum()) / n_labeled,
            float(np.sum(off > 0)) / n_unlabeled,
            float(off[off > 1].sum()) / n_unlabeled,
            even >= _NEARLY_ALL and size >= _FEWEST_DISTINCT,
        )

    @property
    def are_copies(self) -> bool:
        """Whether most labeled rows have a copy that few distinct values do not explain."""
        rare = self.distinct >= _CONTINUOUS or self.own >= _TIMES * self.among_unlabeled
        return self.own >= _MOST and (rare or self.doubled)

    def __str__(self) -> str:
        rows, have = ("row", "has") if self.count == 1 else ("rows", "have")
        return (
            f"{self.count} labeled {rows} ({self.share:.1%}) {have} the same features as an "
            "unlabeled row."
        )


def _judged(twins: Twins, facts: dict[str, Any]) -> CheckResult:
    if twins.are_copies:
        what = "every row is" if twins.doubled else "these rows are"
        return CheckResult(
            "serious",
            f"{twins} Probably {what} in the table twice, once labeled and once not: two files "
            "were stacked, or the labels were joined on twice. Each copy counts a known positive "
            "as unlabeled, so the number of positives comes out at least twice as large. Keep "
            "each row once, with its label, and fit again.",
            facts,
        )
    if twins.distinct < _CONTINUOUS:
        return CheckResult(
            "note",
            f"{twins} Only {twins.distinct:.0%} of the unlabeled rows are distinct, so this is "
            "expected: some of several equal positives are labeled. Check that none is a copy.",
            facts,
        )
    if twins.share < _SOME:
        return CheckResult("fine", f"{twins} That is too few to matter.", facts)
    if twins.share < _MANY:
        return CheckResult(
            "note",
            f"{twins} Nearly all other rows differ, so these may be copies. If they are, drop the "
            "unlabeled ones.",
            facts,
        )
    return CheckResult(
        "warning",
        f"{twins} Nearly all other rows differ, so these are copies. Each copy counts a labeled "
        "row as unlabeled, which lowers the label frequency. Drop the unlabeled copies, unless "
        "the unlabeled rows are meant to be a sample of the whole population.",
        facts,
    )


def _groups(X: np.ndarray) -> np.ndarray:
    """Number the distinct rows; 0.0 and -0.0 are one value."""
    rows = np.ascontiguousarray(X + 0.0)
    whole = rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()
    return np.unique(whole, return_inverse=True)[1].ravel()
