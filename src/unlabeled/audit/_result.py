"""What the answers say: estimates, intervals, and a comparison with what labels alone said."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import mannwhitneyu

from ..codes import warn
from ..engine.estimators import fitted_model
from ..engine.intervals import Interval
from ..engine.result_table import ResultTable, TextTable
from ..thresholds import ChosenCut, Rule, get_rule
from ._direct_scar_test import DirectScarTest, direct_scar_test
from ._recut import AuditedClassifier, Recalibration, recalibrate
from ._refit import Refit, refit
from ._score_interval import Tally, measure_intervals
from ._table import HEADLINES, LABELS, Cut, is_above, measure_of, missed_positives
from ._words import on_ends, on_scar, on_wrong_labels, tables, verdict

if TYPE_CHECKING:
    from ._audit import Audit

Array = np.ndarray[Any, np.dtype[Any]]
_FEWEST_POSITIVES = 5
# With fewer of the checked unlabeled rows positive, another cut gains hardly any F1 on the mean,
# and may have half of the recall (docs/audit).
_FEWEST_FOR_A_CUT = 2
# With a smaller p-value, yes and no may be swapped.
_SWAPPED = 0.01


def check_answers(answers: Any, n_drawn: int, index: Array | None = None) -> Array:
    """Return answers as 1.0, 0.0 and NaN; reject anything else.

    A Series may be about other rows than those drawn, if somebody took positions for an index. So
    its own must be the `index` of the drawn rows, or count from 0.
    """
    column = np.asarray(answers, dtype=object).ravel()
    if len(column) != n_drawn:
        raise ValueError(
            f"`answers` must have one entry for each of the {n_drawn} drawn rows, in the order of "
            f"`audit.rows`; got {len(column)}. Use None where there is no answer."
        )
    if index is not None and hasattr(answers, "iloc"):
        own = np.asarray(answers.index)
        if not np.array_equal(own, index) and not np.array_equal(own, np.arange(n_drawn)):
            raise ValueError(
                "`answers` must be about the drawn rows, in the order of `audit.rows`; got a "
                "Series with the index of other rows, or of these in another order. `audit.rows` "
                "are positions: take rows with `.iloc[audit.rows]`."
            )
    found = np.array([_answer(one) for one in column])
    if np.all(np.isnan(found)):
        raise ValueError(
            "`answers` must have at least one answer, 1 or 0; got none. Check some rows first."
        )
    return found


def _answer(value: Any) -> float:
    if isinstance(value, str):
        known = False
    else:
        try:
            if value is None or value != value:
                return float("nan")
            known = bool(value in (0, 1))
        except (TypeError, ValueError):  # pandas' NA cannot be compared
            return float("nan")
    if not known:
        raise ValueError(
            f"`answers` must hold 1 for positive, 0 for negative, or None or NaN; got {value!r}. "
            "Recode the answers."
        )
    return float(value)


@dataclass(frozen=True, eq=False)
class AuditResult(ResultTable):
    """Estimates from checked rows, with intervals that hold whatever the labeling.

    `to_frame` has one row per headline: measure, claimed, estimate, lower and upper. The
    interval holds whatever the missing answers are, as in `range`.

    Attributes
    ----------
    audits : tuple of Audit
        The audits whose answers are used: one, or several of the same table.
    answers : tuple of ndarray
        The answers to each: 1, 0 or NaN.
    confidence_level : float
        Coverage of the intervals.
    count, class_prior, precision, recall, f1 : Interval
        The number of positives in the table, labeled ones included, and their share; and
        precision, recall and F1 of the judged predictions. Each has `estimate`, `lower`,
        `upper` and `confidence_level`. Without a cut the last three are None.
    claimed : dict of str to float or None
        What the labels alone said about the same; or the fit, if it used checked rows too.
    """

    audits: tuple[Audit, ...]
    answers: tuple[Array, ...]
    confidence_level: float

    def _warn_if_swapped(self) -> None:
        """Warn if yes and no may be swapped."""
        p_value = self.swapped_p_value
        if p_value is not None and p_value <= _SWAPPED:
            warn(
                "PU124",
                "the checked rows that are positive score clearly below those that are negative "
                f"(p-value {p_value:.2g}): yes and no may be swapped. Look at the answers again. "
                "If they are right, use neither the score nor its cut.",
            )

    @property
    def count(self) -> Interval:
        """Number of positives in the table."""
        return self._headlines["count"]

    @property
    def class_prior(self) -> Interval:
        """Share of positives in the table."""
        return self._headlines["class_prior"]

    @property
    def precision(self) -> Interval | None:
        """Share of positives among the rows predicted positive."""
        return self._headlines.get("precision")

    @property
    def recall(self) -> Interval | None:
        """Share of the positives that are predicted positive."""
        return self._headlines.get("recall")

    @property
    def f1(self) -> Interval | None:
        """Harmonic mean of precision and recall."""
        return self._headlines.get("f1")

    @property
    def claimed(self) -> dict[str, float | None]:
        """What the labels alone said; or the fit, if it used checked rows too."""
        return self.audits[0].claimed

    @property
    def claimed_by(self) -> str:
        """Who claimed that: "labels alone", or "the fit" if it used checked rows too."""
        return "the fit" if self.audits[0].by_checked else "labels alone"

    @property
    def n_checked(self) -> int:
        """Number of answers."""
        return sum(int(np.sum(~np.isnan(answers))) for answers in self.answers)

    @property
    def n_missing(self) -> int:
        """Number of drawn rows without an answer."""
        return sum(int(np.sum(np.isnan(answers))) for answers in self.answers)

    @cached_property
    def _headlines(self) -> dict[str, Interval]:
        return {name: self.measure(name) for name in self._names}

    @property
    def _names(self) -> tuple[str, ...]:
        judged = self.audits[0].threshold is not None or self.audits[0].table.n_predicted > 0
        return HEADLINES if judged else HEADLINES[:2]

    @cached_property
    def wrong_labels(self) -> Interval | None:
        """Share of the labeled rows that are negative; None if no labeled rows were drawn.

        The interval holds whatever the missing answers are. `labeled_size` of `draw_audit` draws
        labeled rows.
        """
        if not self.audits[0].table.labeled_in_strata:
            return None
        return self._range_at("precision", LABELS).map(lambda right: 1 - right)

    def measure(
        self, measure: str | Callable[[Any, Any, Any], Any], threshold: float | None = None
    ) -> Interval:
        """Estimate a measure of the predictions, at the judged cut or at another one.

        Parameters
        ----------
        measure : str or callable
            "count", "class_prior", "recall", or the name of a metric of predictions that needs the
            class prior, such as "precision"; or a function of recall, share and class prior, as in
            `unlabeled.rates`, that rises or falls in each number of positives.
        threshold : float, optional
            Rows whose score lies above it are predicted positive. An audit keeps the numbers of
            rows at some 300 cuts; the nearest is used. None is the judged cut.

        Returns
        -------
        interval : Interval
            If answers are missing, they are taken to be missing at random within strata. A
            stratum, or its part on one side of another cut, with fewer than two answers counts
            as unknown: the interval holds if all of its other rows are positive, and if none is.
            The estimate gives such a part the share of the whole stratum, or one half.
        """
        if threshold is None and measure not in ("count", "class_prior"):
            self._check_cut(measure)
        return _union(self._variants(self.answers, measure, threshold))

    @cached_property
    def range(self) -> dict[str, Interval]:
        """For each headline, an interval that holds whatever the missing answers are.

        It joins the intervals with all missing answers of each side of the cut positive, and
        negative. A limit may move a little the other way with a single answer, so that the range
        is right up to a few thousandths.
        """
        return {name: self.measure_range(name) for name in self._names}

    def measure_range(
        self, measure: str | Callable[[Any, Any, Any], Any], threshold: float | None = None
    ) -> Interval:
        """Estimate a measure, with an interval that holds whatever the missing answers are.

        Parameters
        ----------
        measure : str or callable
            As in `measure`.
        threshold : float, optional
            As in `measure`.

        Returns
        -------
        interval : Interval
            As in `range`. Its estimate is that of `measure`. If no answer is missing, it is what
            `measure` returns.
        """
        if threshold is None and measure not in ("count", "class_prior"):
            self._check_cut(measure)
        return self._range_at(measure, threshold)

    def _range_at(self, measure: str | Callable[[Any, Any, Any], Any], threshold: Cut) -> Interval:
        found = _union(self._variants(self.answers, measure, threshold))
        if self.n_missing == 0:
            return found
        variants: list[Interval] = []
        sides = [is_above(audit, threshold) for audit in self.audits]
        for above, below in product((0.0, 1.0), repeat=2):
            filled = [
                np.where(np.isnan(answers), np.where(side, above, below), answers)
                for answers, side in zip(self.answers, sides, strict=True)
            ]
            variants += self._variants(filled, measure, threshold)
        return _union(variants).with_estimate(found.estimate)

    def _variants(
        self,
        answers: Sequence[Array],
        measure: str | Callable[[Any, Any, Any], Any],
        threshold: Cut,
    ) -> list[Interval]:
        """Return the interval of each tally of the answers, the estimate's first."""
        tallies, n_predicted = self._tallies(answers, threshold)
        function = measure_of(measure, self.audits[0].table.n_rows, n_predicted)
        found = (measure_intervals(tally, function, self.confidence_level)[()] for tally in tallies)
        return [one.map(lambda value: np.round(value, 12)) for one in found]

    def _check_cut(self, measure: Any) -> None:
        audit = self.audits[0]
        if audit.threshold is None and audit.table.n_predicted == 0:
            raise ValueError(
                f"`threshold` must be given for {measure!r}; got None, and the audit was drawn "
                "without a cut. Pass one."
            )

    def _tallies(self, answers: Sequence[Array], threshold: Cut) -> tuple[list[Tally], int]:
        """Count the answers of every stratum; also return the rows predicted positive."""
        n_drawn = [int(np.sum(~np.isnan(one))) for one in answers]
        parts = [
            _counted(audit, one, threshold) for audit, one in zip(self.audits, answers, strict=True)
        ]
        n_predicted = parts[0][1]
        variants = [part[0] for part in parts]
        if len(variants) == 1:
            return variants[0], n_predicted
        shares = [drawn / sum(n_drawn) for drawn in n_drawn]
        return [_listed(one, shares) for one in product(*variants)], n_predicted

    def curve(self, measure: str = "precision", most: int = 60) -> dict[str, Array]:
        """Estimate a measure at many cuts, with pointwise intervals.

        Parameters
        ----------
        measure : str, default="precision"
            As in `measure`.
        most : int, default=60
            The largest number of cuts.

        Returns
        -------
        curve : dict of str to ndarray
            Columns `threshold`, `share` (of rows above it), `estimate`, `lower` and `upper`.
        """
        table = self.audits[0].table
        chosen = np.unique(np.linspace(0, len(table.cuts) - 1, most).astype(int))
        rows = []
        for threshold in table.cuts[chosen]:
            found = self.measure(measure, float(threshold))
            _, n_predicted = self._tallies(self.answers, float(threshold))
            share = n_predicted / table.n_rows
            rows.append((threshold, share, found.estimate, found.lower, found.upper))
        names = ("threshold", "share", "estimate", "lower", "upper")
        columns = zip(*rows, strict=True)
        return {name: np.array(column) for name, column in zip(names, columns, strict=True)}

    @cached_property
    def scar_test(self) -> DirectScarTest | None:
        """SCAR along the score: labeled rows against checked positives; None without five of both.

        It has `statistic`, `p_value`, `difference` (how much more often than half of the time a
        labeled row scores above a checked positive), `smallest_difference` that it would see four
        times in five, `n_labeled`, `n_positive` and `significance_level`; `str` of it says it in
        words.

        It needs no logistic posterior, unlike `diagnostics.scar_test`. It is None too if the scores
        may have seen the labels (`Audit.held_out`), or if rows come in groups (`Audit.in_groups`):
        it would reject far too often. Nor is SCAR tested for a model that does not assume it
        (`Audit.by_features`). Of pooled audits it uses the one with the most positives, because its
        variance is that of one stratified sample; `str` of the result says how many that are.
        """
        most = int(np.argmax([np.sum(one == 1) for one in self.answers]))
        audit, answers = self.audits[most], self.answers[most]
        if not audit.held_out or audit.in_groups or audit.by_features:
            return None
        positive = (answers == 1) & ~audit.strata["labeled"][audit.stratum]
        if positive.sum() < _FEWEST_POSITIVES or audit.table.n_labeled < _FEWEST_POSITIVES:
            return None
        return _scar_test(audit, answers)

    @cached_property
    def swapped_p_value(self) -> float | None:
        """Whether checked positives score below checked negatives, by a rank test (PU124).

        The p-value of the one-sided Mann-Whitney test, of all checked rows that are not labeled.
        Answers that have nothing to do with the score give a p-value below .01, and a warning, in
        one of a hundred audits; answers that agree with it hardly ever. Rows that come in groups
        are taken as independent. None without a positive or without a negative.
        """
        pairs = list(zip(self.audits, self.answers, strict=True))
        score = np.concatenate([audit.score for audit, _ in pairs])
        answer = np.concatenate(
            [np.where(audit.strata["labeled"][audit.stratum], np.nan, one) for audit, one in pairs]
        )
        positive, negative = score[answer == 1], score[answer == 0]
        if not len(positive) or not len(negative):
            return None
        return float(mannwhitneyu(positive, negative, alternative="less").pvalue)

    @property
    def verdict(self) -> str:
        """Say in words how the labels' claims compare with the checked rows."""
        return verdict(self)

    def _columns(self) -> dict[str, Array]:
        claimed = [self.claimed[name] for name in self.range]
        return {
            "measure": np.array(list(self.range), dtype=object),
            "claimed": np.array(claimed, dtype=np.float64),
            **{
                column: np.array([interval.to_dict()[column] for interval in self.range.values()])
                for column in ("estimate", "lower", "upper")
            },
        }

    def _tables(self) -> list[TextTable]:
        return tables(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain values, for a JSON file.

        Returns
        -------
        found : dict
            Level, numbers of answers, headlines, claims, verdict, range, wrong labels and the SCAR
            test, with their sentences.
        """
        known = {name: interval.to_dict() for name, interval in self._headlines.items()}
        test, wrong = self.scar_test, self.wrong_labels
        return {
            "level": self.confidence_level,
            "checked": self.n_checked,
            "missing": self.n_missing,
            **{name: known.get(name) for name in HEADLINES},
            "claimed": dict(self.claimed),
            "claimed_by": self.claimed_by,
            "verdict": self.verdict,
            "range": {name: interval.to_dict() for name, interval in self.range.items()},
            "ends": list(on_ends(self, self.range)),
            "wrong_labels": None
            if wrong is None
            else wrong.to_dict() | {"sentence": on_wrong_labels(self, wrong)},
            "scar": None if test is None else asdict(test) | {"sentence": on_scar(self, test)},
        }

    def recut(self, estimator: Any, rule: str | Rule = "f1") -> AuditedClassifier:
        """Return a classifier with the same score, whose posterior and cut follow the answers.

        Parameters
        ----------
        estimator : classifier
            The fitted classifier that was audited. It is not changed.
        rule : str or Rule, default="f1"
            What the cut maximizes, as in `PULogistic`.

        Returns
        -------
        audited : AuditedClassifier
            If fewer than two of the checked unlabeled rows are positive, the cut stays (PU132).
        """
        self._check_model(estimator)
        cut = self.choose_cut(rule)
        return AuditedClassifier._of(estimator, self.recalibration, cut, rule, self)

    def refit(
        self, estimator: Any, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None
    ) -> Refit:
        """Let the score itself follow the answers: order, posterior, class prior and cut.

        `recut` moves the posterior along the score, whose order stays. Here answers also say which
        columns matter, as in ``fit(..., checked=...)`` of `PUEnsemble` and
        `PUThresholdClassifier`. What was fitted to labels is not fitted again.

        Parameters
        ----------
        estimator : classifier
            The fitted classifier that was audited, with held-out scores of these rows. It is not
            changed.
        X : array-like, sparse matrix or frame
            The rows of its fit, which were audited.
        y : array-like of shape (n_rows,)
            Their labels.
        sample_weight : array-like of shape (n_rows,), optional
            Their weights, as in the fit.
        groups : array-like of shape (n_rows,), optional
            Their groups, as in the fit.

        Returns
        -------
        refit : Refit
            Its `model` is the given one if left-out answers gain nothing. Answers about labeled
            rows are not used, because labels are taken as right.
        """
        self._check_model(estimator)
        return refit(estimator, X, y, self.audits, self.answers, sample_weight, groups)

    def choose_cut(self, rule: str | Rule = "f1") -> ChosenCut:
        """Choose a cut of the score by the answers, without a classifier.

        Parameters
        ----------
        rule : str or Rule, default="f1"
            What the cut maximizes.

        Returns
        -------
        cut : ChosenCut
            The judged cut, if there is one and fewer than two of the checked unlabeled rows are
            positive (PU132).
        """
        rule, judged = get_rule(rule), self.audits[0].threshold
        n_missed = len(missed_positives(self.audits, self.answers))
        if judged is not None and n_missed < _FEWEST_FOR_A_CUT:
            found = "only one" if n_missed else "none"
            warn(
                "PU132",
                f"{found} of the checked unlabeled rows is positive, too few to choose another cut "
                "by. The cut stays. Check more rows.",
            )
            return self.recalibration.keep(judged)
        cut = self.recalibration.choose(rule)
        if cut.predicts_all:
            warn(
                "PU110",
                f"the audited cut, by the rule {rule.name}, predicts every row positive: "
                "by labels and answers, the score hardly tells positives from negatives.",
            )
        return cut

    @cached_property
    def recalibration(self) -> Recalibration:
        """The posterior along the score, by labels and answers."""
        return recalibrate(self.audits, self.answers)

    def _check_model(self, model: Any) -> None:
        if not hasattr(model, "predict"):
            raise ValueError(
                f"`estimator` must be the classifier that was audited; got {type(model).__name__}. "
                "For plain scores use `choose_cut`."
            )
        threshold = getattr(fitted_model(model), "threshold_", None)
        if threshold != self.audits[0].threshold:
            raise ValueError(
                "`estimator` must be the classifier that was audited, whose threshold is "
                f"{self.audits[0].threshold}; got one whose threshold is {threshold}. Draw a new "
                "audit for it."
            )


def pool_audits(results: Sequence[AuditResult]) -> AuditResult:
    """Pool the results of several audits of one table and one classifier.

    Parameters
    ----------
    results : sequence of AuditResult
        At least two, of audits drawn independently (with different seeds).

    Returns
    -------
    pooled : AuditResult
        Every audit counts in proportion to its answers.
    """
    results = list(results)
    if len(results) < 2:
        raise ValueError(f"`results` must hold at least two results; got {len(results)}.")
    audits = tuple(audit for result in results for audit in result.audits)
    answers = tuple(one for result in results for one in result.answers)
    first = audits[0]
    for audit in audits[1:]:
        if not _judges_the_same(first, audit):
            raise ValueError(
                "`results` must be audits of one table and one classifier; got different tables, "
                "predictions or thresholds. Estimate each alone."
            )
    levels = sorted({result.confidence_level for result in results})
    if len(levels) > 1:
        raise ValueError(
            f"`results` must have one level; got {', '.join(map(str, levels))}. Estimate each at "
            "the same level."
        )
    _reject_one_draw(audits)
    _reject_contradictions(audits, answers)
    pooled = AuditResult(audits, answers, results[0].confidence_level)
    pooled._warn_if_swapped()
    return pooled


def _judges_the_same(one: Audit, other: Audit) -> bool:
    """Whether two audits are of the same rows, labels and predictions."""
    return bool(
        one.fingerprint == other.fingerprint
        and one.threshold == other.threshold
        and one.table.labeled_in_strata == other.table.labeled_in_strata
        and np.array_equal(one.table.counts, other.table.counts)
        and np.array_equal(one.table.cuts, other.table.cuts)
    )


def _reject_one_draw(audits: Sequence[Audit]) -> None:
    """Raise if two audits have far more rows in common than two independent draws would."""
    for one, other in combinations(audits, 2):
        common = len(np.intersect1d(one.rows, other.rows))
        expected = _expected_in_common(one, other)
        smallest = min(len(one.rows), len(other.rows))
        if expected > smallest - 0.5:  # every row is drawn
            continue
        if common > min(2 * expected + 4 * np.sqrt(expected) + 4, smallest - 1):
            raise ValueError(
                f"`results` must come from audits drawn independently; got two with {common} rows "
                "in common. Draw the second audit with another `random_state`."
            )


def _expected_in_common(one: Audit, other: Audit) -> float:
    """Sum over rows of the probability that two independent draws have the row.

    Rows between two kept cuts, on one side of the judged cut, labeled or not, count alike.
    """
    expected = 0.0
    for labeled, predicted in product((False, True), repeat=2):
        drawn = []
        for audit in (one, other):
            strata = audit.strata
            kind = (strata["labeled"] == labeled) & (strata["predicted"] == predicted)
            between = np.diff(audit.table.above[:, kind], axis=0)
            drawn.append(between @ (strata["drawn"] / strata["rows"])[kind])
        rows = between.sum(axis=1)  # of either audit: the tables are the same
        expected += float(np.sum(drawn[0] * drawn[1] / np.maximum(rows, 1)))
    return expected


def _reject_contradictions(audits: Sequence[Audit], answers: Sequence[Array]) -> None:
    seen: dict[int, float] = {}
    for audit, of_audit in zip(audits, answers, strict=True):
        for row, answer in zip(audit.rows.tolist(), of_audit.tolist(), strict=True):
            if answer == answer and seen.setdefault(row, answer) != answer:
                raise ValueError(
                    f"`results` must agree on rows that were checked twice; row {row}, counted "
                    "from 0, is positive in one and negative in another. Settle it first."
                )


def _union(intervals: Sequence[Interval]) -> Interval:
    """The smallest interval that holds all of them, with the estimate of the first."""
    lower, upper = (np.array(ends) for ends in zip(*intervals, strict=True))
    return replace(intervals[0], lower=float(lower.min()), upper=float(upper.max()))


def _listed(tallies: Sequence[Tally], shares: Sequence[float]) -> Tally:
    """Strata of several samples side by side, each with its share in the estimate."""
    weight = np.concatenate(
        [np.full(len(one.rows), share) for one, share in zip(tallies, shares, strict=True)]
    )
    names = ("rows", "drawn", "positive", "above")
    columns = {name: np.concatenate([getattr(one, name) for one in tallies]) for name in names}
    known = [
        sum(share * getattr(one, name) for one, share in zip(tallies, shares, strict=True))
        for name in ("known_above", "known_below")
    ]
    return Tally(**columns, known_above=known[0], known_below=known[1], weight=weight)


def _counted(audit: Audit, answers: Array, threshold: Cut) -> tuple[list[Tally], int]:
    """Count answers; several variants, the estimate first, if little is known about some rows.

    A cut inside a stratum divides it. Given how many drawn rows lie on each side, they are a
    simple random sample of that side.
    """
    strata, table = audit.strata, audit.table
    if threshold is None or isinstance(threshold, str):
        which = "predicted" if threshold is None else "labeled"
        rows_above = np.where(strata[which], strata["rows"], 0)
        known = table.known()
    else:
        _, rows_above, known = table.at_cut(threshold)
    above = is_above(audit, threshold)
    n_predicted = int(rows_above.sum())
    if table.labeled_in_strata:
        known = 0.0, 0.0
    else:
        n_predicted += int(known[0])
    sides = [_of_side(audit, answers, ~above, strata["rows"] - rows_above, False)]
    sides.append(_of_side(audit, answers, above, rows_above, True))
    counts = {name: np.concatenate([one[name] for one in sides]) for name in sides[0]}
    unknown = (counts["drawn"] < 2) & (counts["drawn"] < counts["rows"])
    rest = {name: column[~unknown] for name, column in counts.items()}
    tally = Tally(rest["rows"], rest["drawn"], rest["positive"], rest["above"])
    return [
        replace(tally, known_above=known[0] + more, known_below=known[1] + below)
        for more, below in _of_unknown({name: counts[name][unknown] for name in counts})
    ], n_predicted


def _of_unknown(parts: dict[str, Array]) -> list[tuple[float, float]]:
    """Positives above and below the cut in parts of strata with fewer than two answers.

    First the share of the whole stratum, for the estimate; then fewest and most of each side.
    """
    negative = parts["drawn"] - parts["positive"]
    middle, fewest, most = (
        [float(column[parts["above"] == side].sum()) for side in (True, False)]
        for column in (parts["rows"] * parts["share"], parts["positive"], parts["rows"] - negative)
    )
    if not len(negative):
        return [(0.0, 0.0)]
    above, below = (sorted({few, many}) for few, many in zip(fewest, most, strict=True))
    return [(middle[0], middle[1]), *product(above, below)]


def _of_side(
    audit: Audit, answers: Array, side: Array, rows: Array, above: bool
) -> dict[str, Array]:
    """Rows, answers and positives of each stratum on one side; and its share on both sides."""
    there = rows > 0

    def counted(which: Array) -> Array:
        found = np.bincount(audit.stratum[which], minlength=len(rows))
        return found[there].astype(np.float64)

    answered = counted(~np.isnan(answers))
    share = np.divide(
        counted(answers == 1), answered, out=np.full(len(answered), 0.5), where=answered > 0
    )
    return {
        "rows": rows[there].astype(np.float64),
        "drawn": counted(side & ~np.isnan(answers)),
        "positive": counted(side & (answers == 1)),
        "above": np.full(int(there.sum()), above),
        "share": share,
    }


def _scar_test(audit: Audit, answers: Array) -> DirectScarTest:
    """Give labeled rows the strata that they would have as unlabeled rows, and test."""
    strata, table = audit.strata, audit.table
    unlabeled = np.flatnonzero(~strata["labeled"])  # the first strata
    score = np.repeat(0.5 * (table.low + table.high), table.counts[2:].sum(axis=0))
    # By the held-out score: `predict` has seen the label of a training row.
    above = score > (np.inf if audit.threshold is None else audit.threshold)
    stratum = np.empty(len(score), dtype=np.int64)
    for side in (False, True):
        of_side = unlabeled[strata["predicted"][unlabeled] == side]
        if len(of_side) == 0:  # no unlabeled row is predicted so: the nearest stratum
            of_side = unlabeled
        place = np.searchsorted(strata["upper"][of_side], score[above == side])
        stratum[above == side] = of_side[np.minimum(place, len(of_side) - 1)]
    found = ~strata["labeled"][audit.stratum] & ~np.isnan(answers)
    checked = np.bincount(audit.stratum[found], minlength=len(strata["rows"]))[unlabeled]
    positive = found & (answers == 1)
    return direct_scar_test(
        score,
        audit.score[positive],
        stratum_labeled=stratum,
        stratum_positive=audit.stratum[positive],
        rows=strata["rows"][unlabeled],
        checked=checked,
    )
