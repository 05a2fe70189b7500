r"""Whether labels follow a column that nobody named.

*Meaning.* Each column in turn is taken as one that labeling may follow, along the held-out score
of the model (``unlabeled.scores.followed_column``). One of them explains the labels so much
better that chance would do it in 5 % of tables or less. Either positive rows are labeled more often
for some of its values, or the score does not fit the labels. The message has the class prior with
that column named beside the one without. Nothing is changed: you decide.

It misses labels of the clearest positives alone, labels that follow several columns together, and
labels that follow something outside the table. :doc:`check_rates/index` has its level and power.

*Example.*

.. code-block:: python

   from unlabeled import PULogistic
   from unlabeled.diagnostics import diagnose

   rng = np.random.default_rng(0)
   columns = rng.normal(size=(4000, 3))
   is_positive = rng.random(4000) < 1 / (1 + np.exp(1 - 4 * columns[:, 0]))
   is_labeled = is_positive & (rng.random(4000) < 1 / (1 + np.exp(-2 * columns[:, 1])))
   finding = diagnose(PULogistic(), columns, is_labeled, checks="labeling")["labeling"]

*Remedy.* Ask whoever labeled the rows. If they looked at this column, name it: ``--labeled-by
COLUMN`` in the terminal, :class:`~unlabeled.PropensityLogistic` in Python
(:doc:`choose/not_at_random`). If nobody knows, check a hundred rows (:doc:`start/audit`): that
tells which of the two numbers is right.
"""

from __future__ import annotations

from ..codes import Message
from ..engine.intervals import Interval
from ._case import Case, CheckResult, NotApplicable, listed

LEVEL = 0.05
_INTERVAL, _FEWEST_LABELED = 0.95, 10
_MISSES = (
    "No check sees whether the clearest positives were labeled first, or rows that follow "
    "something outside the table."
)


def check_labeling(case: Case) -> CheckResult:
    """Search a column that labels follow, along the held-out score of the model, at 5 %."""
    case.need_labels_at_random()
    case.need_independent_rows()
    if case.sampling.is_two:
        raise NotApplicable(
            "the labeled rows come from elsewhere, so nobody chose them from this table"
        )
    if case.n_labeled < _FEWEST_LABELED:
        raise NotApplicable(f"{case.n_labeled} labeled rows are too few for this search")
    found = case.followed
    name, prior = case.names[found.position], found.prior
    interval = prior.density.interval(_INTERVAL)
    facts = {
        "p_value": found.p_value,
        "statistic": found.statistic,
        "column": case.sources[found.position],
        "feature": name,
        "stretch": prior.stretch,
        "columns_tried": found.n_tried,
        "class_prior": interval.to_dict(),
    }
    tried = f"the largest of {found.n_tried}" if found.n_tried > 1 else "the only column"
    if found.p_value > LEVEL:
        return CheckResult(
            "fine",
            f"No column stands out as one that labels follow (p = {found.p_value:.2g} for "
            f"{tried}). {_MISSES}",
            facts,
        )
    end = "large" if prior.stretch > 0 else "small"
    named = f"With {listed([name])} named, {_percent(interval)} of the rows are positive"
    without = case.own_prior(_INTERVAL)
    beside = "" if without is None else f"; without a name, {_percent(without)}"
    return CheckResult(
        "warning",
        Message(
            f"Labels follow {listed([name])}, or the curve is wrong (p = {found.p_value:.2g} for "
            f"{tried}): positive rows seem to be labeled more often where it is {end}. "
            f"{named}{beside}. The fit was not changed.",
            python="Ask whoever labeled the rows. If they looked at it, name it "
            "(PropensityLogistic). If nobody knows, check rows that draw_audit draws.",
        ),
        facts,
    )


def _percent(interval: Interval) -> str:
    """Write both ends of an interval.

    Examples
    --------
    >>> _percent(Interval.around(0.2, (0.151, 0.302), 0.95, ""))
    'between 15 % and 30 %'
    >>> _percent(Interval.around(0.01, (0.0051, 0.0302), 0.95, ""))
    'between 0.51 % and 3 %'
    """
    low, high = (f"{100 * end:.0f}" if end >= 0.0995 else f"{100 * end:.2g}" for end in interval)
    return f"between {low} % and {high} %"
