"""Rules: what a cut maximizes, as a function of recall r, share q and class prior.

A decorator registers each rule by the name of its function, with all words that others say of it.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from numbers import Real
from typing import Any, NamedTuple, TypeVar

import numpy as np

from .. import rates
from ..engine.arrays import Array
from ..engine.parameters import check_fraction, check_positive, listed

Prior = float | None
Criterion = Callable[[Array, Array, Prior], Array]

# A ratio needs this many labeled rows above the cut; with fewer, one row could decide.
_LEAST_LABELED = 5


@dataclass(frozen=True)
class Rule:
    """A criterion to be maximized over the cuts of a score.

    To write your own rule, give a name, whether it needs the class prior, a function of
    (recall, share, prior), and words that describe the posterior at the best cut.
    Rules with the same name are equal. A rule can be pickled if its functions can:
    define them with ``def``.

    Attributes
    ----------
    name : str
        What it maximizes.
    needs_class_prior : bool
        Whether the best cut depends on P(Y=1).
    criterion : callable
        Takes arrays of recall r and share q, and the class prior (None if it
        is not needed). Returns the values to maximize; -inf where a cut is
        not allowed.
    cuts_at : str
        Text for messages: the posterior at the best cut in the population.
    exact : callable, optional
        Takes integer counts (labeled, total) and returns an exact number that orders cuts
        as the criterion does. It breaks near ties without rounding errors.
    least_labeled : int
        Minimum number of labeled rows above a cut; in two samples, also of unlabeled rows.
    if_unlabeled : bool
        Whether share and class prior are those of the unlabeled rows. The rule is then about
        rows that are known to be unlabeled.
    shown : bool
        Whether displays and reports show it unasked.
    of_rows : bool
        Whether it is about the number of rows above a cut, not about how good they are.
    is_ratio : bool
        Whether it is a ratio that a single labeled row at the top could decide.
    costs : (float, float)
        What a miss and a false alarm cost, for numbers that are shown beside the cut.

    Examples
    --------
    >>> from unlabeled.thresholds import Rule, get_rule
    >>> youden = Rule("youden", False, lambda r, q, prior: r - q, "the class prior")
    >>> get_rule(youden).name
    'youden'
    """

    name: str
    needs_class_prior: bool = field(repr=False)
    criterion: Criterion = field(compare=False, repr=False)
    cuts_at: str = field(repr=False)
    exact: Callable[[int, int], Fraction] | None = field(default=None, compare=False, repr=False)
    least_labeled: int = field(default=1, repr=False)
    if_unlabeled: bool = field(default=False, repr=False)
    shown: bool = field(default=True, repr=False)
    of_rows: bool = field(default=False, repr=False)
    is_ratio: bool = field(default=False, repr=False)
    costs: tuple[float, float] = field(default=(1.0, 1.0), repr=False)


class RuleWords(NamedTuple):
    """What is said of a rule; in `name` and `cut`, "{}" stands for its numbers.

    Attributes
    ----------
    name : str
        Its name in a report.
    wants : str
        What it looks for, beside that name.
    cut : str
        Which cut that is, after "the cut is".
    goal : str
        What somebody wants who should choose it.
    """

    name: str
    wants: str
    cut: str
    goal: str


class _Registered(NamedTuple):
    make: Callable[..., Rule]
    words: RuleWords
    example: str

    @property
    def n_numbers(self) -> int:
        return len(inspect.signature(self.make).parameters)

    @property
    def needs_numbers(self) -> bool:
        parameters = inspect.signature(self.make).parameters.values()
        return any(parameter.default is parameter.empty for parameter in parameters)


_REGISTERED: dict[str, _Registered] = {}
_Make = TypeVar("_Make", bound=Callable[..., Rule])


def _words(
    name: str, *, wants: str, cut: str, goal: str, example: str = ""
) -> Callable[[_Make], _Make]:
    """Register the rule below with its words, and the numbers of an example if it takes some."""

    def register(make: _Make) -> _Make:
        words = RuleWords(name, wants, cut, goal)
        _REGISTERED[make.__name__] = _Registered(make, words, example)
        return make

    return register


@_words(
    "F1_PU",
    wants="recall² / share of rows selected; needs no class prior",
    cut="the one with the largest F1_PU",
    goal="the paper's rule, without any class prior",
)
def f1_pu() -> Rule:
    """Maximize the paper's F1_PU: recall squared over the fraction predicted positive.

    Returns
    -------
    rule : Rule
    """
    cuts_at = "half the precision of the rule"
    return Rule("f1_pu", False, _f1_pu, cuts_at, exact=_exact_f1_pu, is_ratio=True)


def _f1_pu(r: Array, q: Array, prior: Prior) -> Array:
    return rates.f1_pu(r, q)


def _exact_f1_pu(labeled: int, total: int) -> Fraction:
    return Fraction(labeled**2, total)


@_words(
    "Balanced accuracy",
    wants="mean of recall and specificity; no class prior",
    cut="the one with the largest balanced accuracy",
    goal="both classes equally important, however rare one is",
)
def balanced_accuracy() -> Rule:
    """Maximize the mean of sensitivity and specificity; the best cut maximizes r - q.

    Returns
    -------
    rule : Rule
    """
    return Rule("balanced_accuracy", False, _recall_above_share, "the class prior")


def _recall_above_share(r: Array, q: Array, prior: Prior) -> Array:
    """Balanced accuracy up to constants."""
    return r - q


@_words(
    "Matthews correlation",
    wants="largest correlation of prediction and class",
    cut="the one with the largest Matthews correlation",
    goal="one number that penalizes both errors",
)
def mcc() -> Rule:
    """Maximize Matthews correlation; the best cut maximizes (r - q) / sqrt(q (1 - q)).

    Returns
    -------
    rule : Rule
    """
    cuts_at = "the mean of the precision and of the share of positives below the cut"
    return Rule("mcc", False, _mcc, cuts_at, is_ratio=True)


def _mcc(r: Array, q: Array, prior: Prior) -> Array:
    """Matthews correlation up to a factor: another prior changes only the factor."""
    return rates.mcc(r, q, 0.5)


@_words(
    "F1",
    wants="harmonic mean of precision and recall",
    cut="the one with the largest F1",
    goal="a balance between missed positives and false alarms",
)
def f1() -> Rule:
    """Maximize F1, the harmonic mean of precision and recall.

    Returns
    -------
    rule : Rule
    """
    return Rule("f1", True, partial(_fbeta, beta=1.0), "half the best F1", is_ratio=True)


@_words(
    "F-beta ({})",
    wants="recall weighs more, or less, than precision",
    cut="the one with the largest F-beta for beta = {}",
    goal="the same as F1, with recall twice as important",
    example="2",
)
def fbeta(beta: float) -> Rule:
    """Maximize F-beta, a weighted harmonic mean of precision and recall.

    Parameters
    ----------
    beta : float
        Weight of recall relative to precision.

    Returns
    -------
    rule : Rule
    """
    _positive("beta", beta)
    criterion = partial(_fbeta, beta=beta)
    cuts_at = "the best value over 1 + beta squared"
    return Rule(f"fbeta({_written(beta)})", True, criterion, cuts_at)


def _fbeta(r: Array, q: Array, prior: Prior, *, beta: float) -> Array:
    return rates.fbeta(r, q, _given(prior), beta=beta)


@_words(
    "Accuracy",
    wants="fewest wrong predictions",
    cut="the one with the largest accuracy",
    goal="the fewest errors in total",
)
def accuracy() -> Rule:
    """Maximize the fraction of correct predictions.

    Returns
    -------
    rule : Rule
    """
    return Rule("accuracy", True, _accuracy, "1/2")


def _accuracy(r: Array, q: Array, prior: Prior) -> Array:
    return rates.accuracy(r, q, _given(prior))


@_words(
    "Accuracy if unlabeled",
    wants="fewest wrong among unlabeled rows",
    cut="the one with the largest accuracy among unlabeled rows",
    goal="the fewest errors among rows that are known to be unlabeled",
)
def accuracy_if_unlabeled() -> Rule:
    """Maximize the fraction of correct predictions among the unlabeled rows.

    A row that is known to be unlabeled is predicted positive if P(Y=1|x, S=0) is above 1/2. If
    its label is not known yet, use `accuracy`.

    Returns
    -------
    rule : Rule

    References
    ----------
    J. Mielniczuk, A. Wawrzeńczyk (2024). Augmented prediction of a true class for positive
    unlabeled data under selection bias. ECAI 2024.
    """
    cuts_at = "1/(2 - c), where P(Y=1|x, S=0) is 1/2"
    return Rule("accuracy_if_unlabeled", True, _accuracy, cuts_at, if_unlabeled=True, shown=False)


@_words(
    "Share equals prior",
    wants="as many rows as there are positives",
    cut="the one that selects as many rows as there are positives",
    goal="as many selected rows as there are positives, where the ranking is right but the "
    "labeling may follow the posterior",
)
def share_equals_prior() -> Rule:
    """Predict as many rows positive as there are positives.

    Needs only that the score ranks rows as the posterior does, which may hold where labeling
    depends on the features, and a class prior that is right.

    Returns
    -------
    rule : Rule

    References
    ----------
    M. Kato, T. Teshima, J. Honda (2019). Learning from positive and unlabeled data with a
    selection bias. ICLR 2019. https://openreview.net/forum?id=rJzLciCqKm
    """
    cuts_at = "wherever the share is reached"
    return Rule("share_equals_prior", True, _share_near_prior, cuts_at, shown=False, of_rows=True)


def _share_near_prior(r: Array, q: Array, prior: Prior) -> Array:
    return -np.abs(q - _given(prior))


@_words(
    "Cost ({})",
    wants="lowest total cost of misses and false alarms",
    cut="the one with the lowest cost",
    goal="a miss costs five times a false alarm",
    example="5, 1",
)
def cost(miss: float = 1.0, false_alarm: float = 1.0) -> Rule:
    """Minimize the mean cost per row.

    Parameters
    ----------
    miss : float, default=1.0
        Cost of a positive row that is predicted negative.
    false_alarm : float, default=1.0
        Cost of a negative row that is predicted positive.

    Returns
    -------
    rule : Rule
    """
    _positive("miss", miss)
    _positive("false_alarm", false_alarm)
    return Rule(
        f"cost({_written(miss)}, {_written(false_alarm)})",
        True,
        partial(_minus_cost, miss=miss, false_alarm=false_alarm),
        f"{false_alarm / (false_alarm + miss):g}, the cost of a false alarm over both costs",
        costs=(float(miss), float(false_alarm)),
    )


def _minus_cost(r: Array, q: Array, prior: Prior, *, miss: float, false_alarm: float) -> Array:
    return -rates.cost(r, q, _given(prior), miss=miss, false_alarm=false_alarm)


@_words(
    "Recall of at least {}",
    wants="as few rows as possible at this recall",
    cut="the highest with a recall of at least {}",
    goal="to find nine positives in ten, with as few rows as possible",
    example="0.9",
)
def recall_at_least(recall: float) -> Rule:
    """Predict as few rows positive as possible with at least this recall.

    Parameters
    ----------
    recall : float
        In (0, 1].

    Returns
    -------
    rule : Rule
    """
    check_fraction("recall", recall)
    criterion = partial(_fewest_with_recall, recall=recall)
    name = f"recall_at_least({_written(recall)})"
    return Rule(name, False, criterion, "wherever the recall is reached", of_rows=True)


def _fewest_with_recall(r: Array, q: Array, prior: Prior, *, recall: float) -> Array:
    return np.where(r >= recall, -q, -np.inf)


@_words(
    "Precision of at least {}",
    wants="as many rows as possible at this precision",
    cut="the lowest with a precision of at least {}",
    goal="at most one false alarm in five selected rows",
    example="0.8",
)
def precision_at_least(precision: float) -> Rule:
    """Predict as many rows positive as possible with at least this precision.

    Parameters
    ----------
    precision : float
        In (0, 1].

    Returns
    -------
    rule : Rule
    """
    check_fraction("precision", precision)
    criterion = partial(_most_with_precision, precision=precision)
    name = f"precision_at_least({_written(precision)})"
    return Rule(name, True, criterion, "wherever the precision is reached")


def _most_with_precision(r: Array, q: Array, prior: Prior, *, precision: float) -> Array:
    return np.where(rates.precision(r, q, _given(prior)) >= precision, q, -np.inf)


@_words(
    "Share of {}",
    wants="select this share of the rows",
    cut="the one that selects a share of {} of the rows, or nearly so",
    goal="a fixed number of visits: the top tenth",
    example="0.1",
)
def share(share: float) -> Rule:
    """Predict a fraction of the rows positive that is as close as possible to this one.

    Parameters
    ----------
    share : float
        In (0, 1].

    Returns
    -------
    rule : Rule
    """
    check_fraction("share", share)
    criterion = partial(_near_share, share=share)
    cuts_at = "wherever the share is reached"
    return Rule(f"share({_written(share)})", False, criterion, cuts_at, of_rows=True)


def _near_share(r: Array, q: Array, prior: Prior, *, share: float) -> Array:
    return -np.abs(q - share)


def _given(class_prior: Prior) -> float:
    if class_prior is None:
        raise ValueError(
            "`class_prior` must be P(Y=1) for this rule; got None. Pass it, or use a rule that "
            "does not need it, such as 'f1_pu'."
        )
    return class_prior


RULES: dict[str, Callable[[], Rule]] = {
    name: one.make for name, one in _REGISTERED.items() if not one.needs_numbers
}
"""Rules without arguments, by name."""

_CALL = re.compile(r"\s*([a-z0-9_]+)\s*\(([^()]*)\)\s*")


def get_rule(rule: Any) -> Rule:
    """Return a rule, or make the one with this name, such as "f1" or "recall_at_least(0.9)".

    Parameters
    ----------
    rule : str or Rule
        A rule, a name in `RULES`, or text that calls a rule with numbers.

    Returns
    -------
    rule : Rule

    Examples
    --------
    >>> from unlabeled.thresholds import get_rule
    >>> get_rule("cost(5, 1)").cuts_at
    '0.166667, the cost of a false alarm over both costs'
    """
    if isinstance(rule, Rule):
        return rule
    if isinstance(rule, str):
        rule = rule.replace("labelled", "labeled")  # models of 0.2.0, and others who spell it so
        if rule in RULES:
            return RULES[rule]()
        called = _CALL.fullmatch(rule)
        numbers = _numbers(called[2]) if called else None
        known = _REGISTERED.get(called[1] if called else rule)
        if known is not None and numbers is not None and len(numbers) == known.n_numbers:
            try:
                return known.make(*numbers)
            except ValueError as error:
                raise ValueError(f"`rule` {rule!r}: {error}") from None
        if known is not None and not called:
            raise ValueError(
                f"`rule` must be given with a number, such as '{rule}({known.example})'; got "
                f"{rule!r}."
            )
    names = ", ".join(repr(name) for name in RULES)
    examples = [
        f"{name}({rule_known.example})"
        for name, rule_known in _REGISTERED.items()
        if rule_known.example
    ]
    raise ValueError(
        f"`rule` must be one of {names}, or a rule with numbers such as {listed(examples)} (a miss "
        f"costs 5, a false alarm 1); got {rule!r}."
    )


def rule_words(name: str) -> RuleWords:
    """Return what is said of a rule with this name, its numbers written out.

    Examples
    --------
    >>> rule_words("recall_at_least(0.9)").name
    'Recall of at least 0.9'
    """
    called = _CALL.fullmatch(name)
    known, in_brackets = _REGISTERED.get(called[1] if called else name), called[2] if called else ""
    if known is None:
        return RuleWords(name, "", f"the one with the largest {name}", "")
    words = known.words
    shown = words.name if in_brackets else words.name.replace(" ({})", "")
    return words._replace(name=shown.format(in_brackets), cut=words.cut.format(in_brackets))


def rule_table() -> list[tuple[str, str, bool, str]]:
    """Return, for every rule, what somebody wants, its text, its need of a prior, and its cut."""
    rows = []
    for name, registered in _REGISTERED.items():
        text = f"{name}({registered.example})" if registered.example else name
        rule = get_rule(text)
        rows.append((registered.words.goal, text, rule.needs_class_prior, rule.cuts_at))
    return rows


def shown_rules() -> tuple[str, ...]:
    """Return the names in `RULES` that displays and reports show unasked."""
    return tuple(name for name, make in RULES.items() if make().shown)


def _numbers(text: str) -> list[float] | None:
    try:
        return [float(number) for number in text.split(",")]
    except ValueError:
        return None


def with_enough_labeled(rule: Rule, n_labeled: float) -> Rule:
    """For rules that are ratios, require labeled rows above the cut.

    Five are required, or half of the labeled rows if there are fewer than ten. With fewer, a
    single labeled row at the top can decide a ratio such as recall over share.
    """
    if not rule.is_ratio:
        return rule
    return replace(rule, least_labeled=max(rule.least_labeled, enough_rows(n_labeled)))


def enough_rows(total: float, wanted: int = _LEAST_LABELED) -> int:
    """Return how many rows of a kind must lie above a cut, given how many there are."""
    return min(wanted, int(total) // 2)


def _positive(name: str, value: float) -> None:
    check_positive(name, value, Real, "a positive number")
    if np.isinf(value):
        raise ValueError(f"`{name}` must be a finite number; got {value!r}.")


def _written(number: float) -> str:
    """Write a number as short as possible without changing it."""
    short = f"{number:g}"
    return short if float(short) == number else repr(float(number))
