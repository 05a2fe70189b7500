"""The members of an ensemble: how one is scored on rows it has not seen, and how it is chosen."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np
from scipy.special import logit
from sklearn.base import clone
from sklearn.ensemble import (
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
)

from ..codes import ignore_codes
from ..engine.arrays import is_sparse
from ..engine.estimators import (
    clone_for_labels,
    cloned,
    groups_argument,
    is_frozen,
    is_linear,
    out_of_bag_scores,
    says_it_is_classifier,
    weights_inside,
)
from ..engine.linear_fits import Watch
from ..engine.parallel import on_threads
from ..engine.parameters import listed
from ..engine.rows import (
    CopyCounts,
    Rows,
    join_folds,
    reject_one_kind,
    rows_at,
    weighted_mean,
)
from ..linear_model import PULogistic
from ..scores import LogitLine, fit_line, label_effects, label_log_likelihood

Setting = dict[str, Any]

# Every probability is moved this far toward the labeled share, because forests give
# probabilities of exactly 0 and 1, which have no logit.
_TOWARD_THE_SHARE = 0.01
_ROUNDING = 1e-12
# A setting replaces the one before it if that adds at least this to the log-likelihood of all
# left-out labels.
_WORTH_CHANGING = 4.0
# Numbers of trees at which boosting is compared. It grows in bursts, because every burst counts the
# rows into bins again, and stops after a burst whose last stage is not the best.
_BURSTS = ((20, 40, 60), (100, 160), (250, 400), (640, 1000))
# Each tree of the default forest draws at most this many rows.
_ROWS_PER_TREE = 50_000

# Warnings of a member of this library about its own class prior, posterior and cut, which the
# ensemble does not use as they are.
_OF_A_MEMBER_ALONE = ("PU106", "PU110", "PU111", "PU114", "PU131", "PU204")
# And of copies, of which the ensemble warns itself.
_OF_ROWS = ("PU129",)

DEFAULT_GRID: dict[str, list[Setting]] = {
    "trees": [{"min_samples_leaf": rows} for rows in (2, 5, 15)],
    "boosting": [{"max_leaf_nodes": leaves} for leaves in (4, 8, 16)],
}
"""Settings of the default members, in the order in which they are tried."""


def default_members(n_rows: int) -> list[tuple[str, Any]]:
    """Return the default members for a table with this many rows."""
    drawn = None if n_rows <= _ROWS_PER_TREE else _ROWS_PER_TREE
    trees = ExtraTreesClassifier(300, bootstrap=True, oob_score=True, max_samples=drawn)
    boosting = HistGradientBoostingClassifier(max_iter=250, early_stopping=False)
    return [("line", PULogistic()), ("trees", trees), ("boosting", boosting)]


def check_members(members: Any, grid: Any, parameters: Collection[str]) -> None:
    """Reject members that are no named classifiers, and settings of members that do not exist.

    `parameters` are those of the ensemble: no member has the name of one.
    """
    if members is not None and not are_named(members):
        raise ValueError(
            "`members` must be None or a list of (name, classifier) with different names; "
            f"got {members!r}."
        )
    frozen = [] if members is None else [name for name, one in members if is_frozen(one)]
    if frozen:
        raise ValueError(
            "`members` must be refitted without the rows that they score; got a frozen estimator "
            f"under the name {listed(frozen)}. Pass the classifier itself, which is fitted again, "
            "or use PUThresholdClassifier, which takes a frozen one."
        )
    names = [name for name, _ in members] if members is not None else ["line", *DEFAULT_GRID]
    wrong = [name for name in names if "__" in name or name in parameters]
    if wrong:
        raise ValueError(
            "`members` must have names without '__' that are no parameters of the ensemble; got "
            f"{', '.join(map(repr, wrong))}. Rename them."
        )
    if grid is not None and not _is_grid(grid, names):
        raise ValueError(
            "`grid` must be None or a dict of member names and non-empty lists of parameter "
            f"dicts; the members are {', '.join(map(repr, names))}; got {grid!r}."
        )


def are_named(members: Any) -> bool:
    """Whether these are pairs of different names and classifiers."""
    try:
        return (
            isinstance(members, Sequence)
            and len(members) > 0
            and len({name for name, _ in members}) == len(members)
            and all(isinstance(name, str) and says_it_is_classifier(one) for name, one in members)
        )
    except (AttributeError, TypeError, ValueError):
        return False


def _is_grid(grid: Any, names: Sequence[str]) -> bool:
    return isinstance(grid, Mapping) and all(
        name in names
        and isinstance(settings, Sequence)
        and len(settings) > 0
        and all(isinstance(one, Mapping) for one in settings)
        for name, settings in grid.items()
    )


@dataclass(frozen=True, eq=False)
class Candidate:
    """A member in one setting, with left-out logits of P(S=1|x).

    Attributes
    ----------
    setting : dict
        Parameters that were set.
    estimator : classifier or None
        Fitted to all rows, if scoring the rows needed that fit.
    line : LogitLine
        From its raw logit to the logit of P(S=1|x).
    label_logit : ndarray of shape (n_rows,)
        Left-out logits, on the line.
    log_likelihood : float
        Mean left-out log-likelihood of the labels.
    unseen : tuple of Unseen
        Models for further rows: those of the folds, or the one that was fitted to all rows.
    own_score : ndarray of shape (n_rows,) or None
        Left-out linear scores, if the member is a line along which the class prior is estimated.
    """

    setting: Setting
    estimator: Any
    line: LogitLine
    label_logit: np.ndarray
    log_likelihood: float
    unseen: tuple[Unseen, ...]
    own_score: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class Unseen:
    """Raw logits of rows that a member has not seen.

    Attributes
    ----------
    fitted : classifier
    share : float
        The labeled share of the rows that it was fitted to.
    stage : int or None
        How many of its trees to use; None if all.
    """

    fitted: Any
    share: float
    stage: int | None = None

    def __call__(self, X: Any) -> np.ndarray:
        """Return the raw logits of a block of rows."""
        if self.stage is None:
            return member_logit(self.fitted, X, self.share)
        staged = enumerate(self.fitted.staged_predict_proba(X), start=1)
        return next(raw_logit(found[:, 1], self.share) for k, found in staged if k == self.stage)


@dataclass(frozen=True, eq=False)
class MemberFits:
    """Fits of members to the same rows.

    Attributes
    ----------
    rows : Rows
    splits : list of (train, test)
        Folds, for members that leave out no rows by themselves.
    seed : int
    n_jobs : int or None
    watch : Watch
    by_bags : bool
        Whether bagged members are scored by the trees that did not draw a row. Fewer trees do
        that than score further rows, so the scores cannot be counted together.
    """

    rows: Rows
    splits: list[tuple[np.ndarray, np.ndarray]]
    seed: int
    n_jobs: int | None
    watch: Watch
    by_bags: bool = True

    def best(self, name: str, estimator: Any, settings: Sequence[Setting]) -> Candidate:
        """Try settings in their order, while each is clearly likelier than the one before."""
        rows, best = self.rows, None
        for setting in settings:
            found = self.candidate(estimator, setting)
            words = ", ".join(f"{key}={value}" for key, value in found.setting.items())
            self.watch.announce(
                f"{name}{words and f' ({words})'}, left-out log-likelihood "
                f"{found.log_likelihood:.5f}"
            )
            if best is not None:
                gain = found.log_likelihood - best.log_likelihood
                columns = rows.s, rows.weight, rows.groups, rows.unit
                effect = label_effects(found.label_logit, *columns).label
                if gain * rows.total_weight / effect < _WORTH_CHANGING:
                    break
            best = found
        assert best is not None
        return best

    def candidate(self, estimator: Any, setting: Setting) -> Candidate:
        """Score all rows by fits that have not seen them."""
        if _is_boosted(estimator):
            return self._grown_in_bursts(estimator, setting)
        member = self._fresh(estimator, setting)
        if _is_bagged(member) and self.by_bags and not self._has_seen_others:
            return self._out_of_bag(setting, self._fit(member))
        if isinstance(member, PULogistic):  # it holds rows out, and is calibrated on them
            return self._left_out(setting, self._fit(member))
        members = [clone(member) for _ in self.splits]
        raw = self._out_of_fold(members)
        return self._candidate(setting, None, raw, unseen=self._of_folds(members))

    @property
    def _has_seen_others(self) -> bool:
        """Whether a tree that did not draw a row may have drawn its copy, or a row of its group."""
        return self.rows.groups is not None or self.rows.copies is not None

    def _left_out(self, setting: Setting, fitted: PULogistic) -> Candidate:
        score = fitted.held_out_score_
        raw = logit_of_posterior(fitted, fitted.posterior_at(score))
        found = self._candidate(setting, fitted, raw, LogitLine(0.0, 1.0))
        return replace(found, own_score=score) if is_linear(fitted) else found

    def _of_folds(self, members: Sequence[Any], stage: int | None = None) -> tuple[Unseen, ...]:
        """Return the fitted members of the folds, to score further rows by."""
        pairs = zip(members, self.splits, strict=True)
        return tuple(Unseen(member, self._share(train), stage) for member, (train, _) in pairs)

    def comparable(self, estimator: Any, found: Candidate) -> Candidate:
        """Return the candidate with scores that can be counted together with those of other rows.

        Out-of-bag scores are replaced by those of folds.
        """
        if not _is_bagged(self._fresh(estimator, found.setting)):
            return found
        by_folds = replace(self, by_bags=False).candidate(estimator, found.setting)
        return replace(by_folds, estimator=found.estimator)

    def finish(self, estimator: Any, chosen: Candidate) -> Any:
        """Return the chosen member fitted to all rows."""
        if chosen.estimator is not None:
            return chosen.estimator
        return self._fit(self._fresh(estimator, chosen.setting))

    def _out_of_bag(self, setting: Setting, fitted: Any) -> Candidate:
        raw = raw_logit(out_of_bag_scores(fitted, 1), self.rows.labeled_share)
        # A row that every tree drew has no left-out score: its score says nothing.
        nothing = logit(self.rows.labeled_share)
        return self._candidate(setting, fitted, np.where(np.isnan(raw), nothing, raw))

    def _candidate(
        self,
        setting: Setting,
        fitted: Any,
        raw: np.ndarray,
        line: LogitLine | None = None,
        unseen: tuple[Unseen, ...] = (),
    ) -> Candidate:
        rows, unseen = self.rows, unseen or (Unseen(fitted, self.rows.labeled_share),)
        weight = np.ones(len(rows.s)) if rows.weight is None else rows.weight
        line = fit_line(raw, rows.s, weight) if line is None else line
        label_logit = line(raw)
        likelihood = np.average(label_log_likelihood(label_logit, rows.s), weights=weight)
        return Candidate(setting, fitted, line, label_logit, float(likelihood), unseen)

    def _grown_in_bursts(self, estimator: Any, setting: Setting) -> Candidate:
        """Grow a boosted member on every fold, while the likelihood of left-out labels grows."""
        parameter = _number_of_trees(estimator)
        most = int({**estimator.get_params(), **setting}[parameter])
        members = [self._fresh(estimator, {**setting, "warm_start": True}) for _ in self.splits]
        best: Candidate | None = None
        for burst in _bursts(most):
            for member in members:
                member.set_params(**{parameter: burst[-1]})
            at_stages = self._out_of_fold(members, burst)
            found = [
                self._candidate(
                    {**setting, parameter: stage},
                    None,
                    raw,
                    unseen=self._of_folds(members, stage),
                )
                for stage, raw in zip(burst, at_stages.T, strict=True)
            ]
            best = max([*([best] if best else []), *found], key=lambda one: one.log_likelihood)
            if best is not found[-1]:
                break
        assert best is not None
        return best

    def _out_of_fold(self, members: Sequence[Any], stages: Sequence[int] = ()) -> np.ndarray:
        """Raw logits of left-out rows; one member is fitted per fold.

        With `stages`, one column per number of trees.
        """
        given = [(one, *split, stages) for one, split in zip(members, self.splits, strict=True)]
        raw = on_threads(self._raw_of_fold, given, self.n_jobs)
        tests = (test for _, test in self.splits)
        return join_folds(len(self.rows.s), zip(tests, raw, strict=True))

    def _raw_of_fold(
        self, member: Any, train: np.ndarray, test: np.ndarray, stages: Sequence[int]
    ) -> np.ndarray:
        reject_one_kind(self.rows.s[train])
        share = self._share(train)
        fitted, X = self._fit(member, train), rows_at(self.rows.X, test)
        if not stages:
            return member_logit(fitted, X, share)
        staged = enumerate(fitted.staged_predict_proba(X), start=1)
        return np.column_stack(
            [raw_logit(proba[:, 1], share) for stage, proba in staged if stage in stages]
        )

    def _fresh(self, estimator: Any, setting: Setting) -> Any:
        """Clone with a setting, and with a seed where it has none.

        A forest without a number of jobs gets that of the ensemble. One whose trees draw more rows
        than there are draws as many as there are.
        """
        member = clone_for_labels(cloned(estimator).set_params(**setting), self.seed)
        known = member.get_params()
        member.set_params(**weights_inside(member, self.rows))
        if "n_estimators" in known and known.get("n_jobs", 0) is None:
            member.set_params(n_jobs=self.n_jobs)
        drawn = known.get("max_samples")
        # Of a part of the rows.
        if isinstance(drawn, Integral) and int(drawn) > len(self.rows.s):
            member.set_params(max_samples=None)
        return member

    def _fit(self, member: Any, part: Any = slice(None)) -> Any:
        rows, given = self.rows, {}
        if rows.weight is not None:
            weight = rows.weight[part]
            given["sample_weight"] = CopyCounts.of(weight) if rows.are_copies else weight
        given |= groups_argument(member, None if rows.groups is None else rows.groups[part])
        with ignore_codes(*_OF_A_MEMBER_ALONE, *_OF_ROWS):
            X = _without_empty_columns(rows_at(rows.X, part))
            return member.fit(X, rows.s[part].astype(np.int64), **given)

    def _share(self, part: Any) -> float:
        rows = self.rows
        return weighted_mean(rows.s[part], None if rows.weight is None else rows.weight[part])


def member_logit(fitted: Any, X: Any, share: float) -> np.ndarray:
    """Raw logit of P(S=1|x) by a fitted member: from its posterior, probability or score.

    `share` is the labeled share of the rows that it was fitted to.
    """
    if hasattr(
        fitted, "posterior_at"
    ):  # a classifier of this library: its probabilities are P(Y=1|x)
        return logit_of_posterior(fitted, fitted.posterior_at(fitted.positive_score(X)))
    if hasattr(fitted, "predict_proba"):
        return raw_logit(fitted.predict_proba(X)[:, 1], share)
    if not hasattr(fitted, "decision_function"):
        raise ValueError(
            "`members` must have `predict_proba` or `decision_function`; "
            f"{type(fitted).__name__} has neither. Use a classifier with probabilities."
        )
    return np.asarray(fitted.decision_function(X), dtype=np.float64)


def raw_logit(probability: np.ndarray, share: float) -> np.ndarray:
    """Logit of a probability that is moved a little toward the labeled share."""
    moved = (1 - _TOWARD_THE_SHARE) * probability + _TOWARD_THE_SHARE * share
    return np.asarray(logit(moved))


def logit_of_posterior(fitted: Any, posterior: np.ndarray) -> np.ndarray:
    """Logit of c times the posterior, which must not be rounded to 0 or 1."""
    inside = np.clip(posterior, _ROUNDING, 1 - _ROUNDING)
    return np.asarray(logit(fitted.label_frequency_ * inside))


def _without_empty_columns(X: Any) -> Any:
    """Replace columns without a known cell, on which boosting fails, by 0; no tree splits them."""
    if hasattr(X, "iloc"):
        return X.fillna(dict.fromkeys(X.columns[X.isna().all()], 0.0))
    if is_sparse(X) or not np.isnan(X[0]).any():
        return X
    empty = np.isnan(X).all(axis=0)
    return np.where(empty, 0.0, X) if empty.any() else X


def _is_bagged(estimator: Any) -> bool:
    """Whether a fit scores the rows that its trees did not draw."""
    return bool(getattr(estimator, "oob_score", False) and getattr(estimator, "bootstrap", False))


def _is_boosted(estimator: Any) -> bool:
    """Whether a fit can go on from the trees there are, and none are held back."""
    parameters = estimator.get_params()
    stops_early = parameters.get("early_stopping", parameters.get("n_iter_no_change") is not None)
    can_go_on = hasattr(estimator, "staged_predict_proba") and "warm_start" in parameters
    return can_go_on and not stops_early


def _bursts(most: int) -> list[list[int]]:
    """Return the numbers of trees up to `most`, burst by burst."""
    bursts = [[stage for stage in burst if stage < most] for burst in _BURSTS]
    bursts = [burst for burst in bursts if burst]
    if bursts and len(bursts[-1]) == 1:
        bursts[-1].append(most)
    else:
        bursts.append([most])
    return bursts


def _number_of_trees(estimator: Any) -> str:
    return "max_iter" if "max_iter" in estimator.get_params() else "n_estimators"
