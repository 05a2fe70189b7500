"""Equal rows: labeled rows that equal an unlabeled row, and rows that are repeated.

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

The message also counts labeled rows that repeat a labeled row, and unlabeled rows that repeat an
unlabeled one. If there are more equal rows than chance explains, the finding is a warning with the
code :ref:`PU129`.

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

from ..engine.rows import LabelEncoding, Repeats, Rows
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
    """Count rows that equal another row, and labeled rows that equal an unlabeled one."""
    encoding = LabelEncoding(np.array([0, 1]))
    rows = Rows(case.inner.X, case.s, None, encoding, groups=case.groups, sampling=case.sampling)
    number = rows.distinct_row
    if number is None:
        return CheckResult("fine", "No two rows have the same features.", _no_facts())
    labeled = case.s == 1
    twins, repeats = Twins.of(number, labeled), Repeats.of(number, case.s)
    facts = {
        "labeled_rows_with_a_twin": twins.count,
        "share": twins.share,
        "share_with_a_copy_of_its_own": twins.own,
        "distinct_share_of_unlabeled_rows": twins.distinct,
        "labeled_rows_that_repeat_a_labeled_one": repeats.labeled,
        "unlabeled_rows_that_repeat_an_unlabeled_one": repeats.unlabeled,
        "more_than_chance": rows.copies is not None,
        "rows": np.flatnonzero(labeled & np.isin(number, number[~labeled]))[:_MOST_SHOWN].tolist(),
    }
    if twins.are_copies and not case.sampling.is_two:
        return _judged(twins, facts)
    if rows.copies is not None:
        return CheckResult(
            "warning",
            f"{repeats}, more than chance explains. Each copy counts as a new row, so intervals "
            "are too short. If they are copies, drop them, or fit with groups='copies': equal rows "
            "then count once. If equal rows belong to one person or place, give these as groups.",
            facts,
            "PU129",
        )
    if twins.count == 0:
        words = f"No labeled row has the same features as an unlabeled row. {repeats}."
        return CheckResult("fine", words, facts)
    if case.sampling.is_two:
        return CheckResult(
            "note",
            f"{twins} That is right if the population holds the cases, and wrong if the cases were "
            "added to the sample of the population.",
            facts,
        )
    return _judged(twins, facts)


def _no_facts() -> dict[str, Any]:
    names = ("labeled_rows_with_a_twin", "share", "share_with_a_copy_of_its_own")
    more = ("labeled_rows_that_repeat_a_labeled_one", "unlabeled_rows_that_repeat_an_unlabeled_one")
    none = dict.fromkeys((*names, *more), 0)
    return none | {
        "distinct_share_of_unlabeled_rows": 1.0,
        "more_than_chance": False,
        "rows": [],
    }


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
