"""Whether the naive direction can be trusted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg, stats
from scipy.special import expit, logit

from ..engine.losses import ProductLoss
from ..label_frequency import fit_score_joint
from ._case import Case, Check, CheckResult, NotApplicable, listed

# Whether the naive direction is also JOINT's, but for chance.

# In whitened features; above it a step cannot be computed.
_LARGEST_CONDITION = 1e10


@dataclass(frozen=True)
class DirectionTest:
    """The naive direction held against JOINT's.

    Attributes
    ----------
    angle : float
        In degrees from the naive direction to where one Newton step of JOINT
        leads, after whitening: its cosine is about the correlation of the scores.
    statistic : float
        About chi-squared if Ruud's condition, SCAR and the logistic model hold.
    degrees : int
        Of freedom: the rank of the features less 1.
    p_value : float
    """

    angle: float
    statistic: float
    degrees: int
    p_value: float


class _Joint(NamedTuple):
    """JOINT along the naive score, in whitened features turned so that the direction is last."""

    Z: np.ndarray
    naive: np.ndarray
    intercept: float
    slope: float
    label_frequency: float


def compare_directions(case: Case) -> DirectionTest:
    r"""Test whether JOINT, started at the naive direction, would leave it.

    A Hausman-type test in score form. JOINT is fitted along the naive score only,
    :math:`c\,\sigma(a + bt)`; U is the sum of its scores across the direction, which is
    0 on average if both fits aim at one direction. Row i moves U by

    .. math:: q_i = S_{\perp i} - H_{\perp A}H_{AA}^{-1}S_{Ai}
              + b\,(H_{\perp\perp} - H_{\perp A}H_{AA}^{-1}H_{A\perp})\,\psi_i,

    A being (slope, a, c) and :math:`\psi_i` the row's influence on the naive direction, so
    :math:`U^T(\sum_i E[q_iq_i^T|x_i])^{+}U` is about :math:`\chi^2_{p-1}`: both fits are seen
    on the same rows, and no variance of a difference is taken for a difference of
    variances. H and the expectation are those of the fitted model.

    Share of 500 samples of the paper's design, on which both aim at one direction,
    with p < 0.05: at n = 1000 4.1, 2.5 and 1.4 % for c = 0.3, 0.6 and 0.9; at n = 5000
    3.8, 5.2 and 5.9 % (standard errors of 1 %). Share of 200 samples with exponential
    features, binary ones, and a mixture of both with a normal one: at n = 1000 between 20 and
    36 %, at n = 5000 between 91 and 100 %. The Wald form, on the difference of the two fitted
    directions with its sandwich covariance, was tried first: it rejected in at most 1 %
    of the samples of the paper's design, and less often in the others.
    """
    joint = _joint_along_naive(case)
    labelled, other = _moves(joint, 1.0), _moves(joint, 0.0)
    step, spread = _step_and_spread(joint, case.s, labelled, other)
    statistic = float(step.score @ linalg.pinvh(spread) @ step.score)
    degrees = len(step.score)
    angle = float(np.degrees(np.arctan(np.linalg.norm(step.turn))))
    return DirectionTest(angle, statistic, degrees, float(stats.chi2.sf(statistic, degrees)))


def _joint_along_naive(case: Case) -> _Joint:
    z = case.finite_naive.result.z
    basis, center = case.linear.whitening.basis, case.linear.whitening.center
    if basis.ndim != 2 or basis.shape[1] < 2:
        raise NotApplicable("there is one feature only, or more than a thousand")
    length = float(np.linalg.norm(z[:-1]))
    turned = np.column_stack([linalg.null_space(z[None, :-1]), z[:-1] / length])
    Z = np.asarray(case.linear.X @ (basis @ turned)) - center @ basis @ turned
    line = fit_score_joint(Z[:, -1], case.s)
    if line.is_step or line.slope <= 0:
        raise NotApplicable("along the naive score the likeliest posterior is a step, or flat")
    if line.at_boundary:
        raise NotApplicable("along the naive score the likeliest c is 1, where JOINT is naive")
    naive = np.array([length, z[-1]])
    return _Joint(Z, naive, line.intercept, line.slope, line.label_frequency)


class _Moves(NamedTuple):
    """What every row would add, if its label were a given one."""

    score: np.ndarray
    influence: np.ndarray
    hessian: tuple[np.ndarray, ...]


def _moves(joint: _Joint, label: float) -> _Moves:
    """JOINT's scores and second derivatives, and the scores of the naive fit."""
    target = np.full(len(joint.Z), label)
    t = joint.intercept + joint.slope * joint.Z[:, -1]
    rows = ProductLoss().derivatives(
        (t, np.asarray(logit(joint.label_frequency))), target, second=True
    )
    score = np.column_stack([joint.Z * rows.gradient[0][:, None], *rows.gradient])
    residual = target - expit(joint.naive[1] + joint.naive[0] * joint.Z[:, -1])
    return _Moves(score, residual, rows.hessian)


class _Step(NamedTuple):
    """Sum of the scores across the direction, and the turn they ask for."""

    score: np.ndarray
    turn: np.ndarray


def _step_and_spread(
    joint: _Joint, s: np.ndarray, labelled: _Moves, other: _Moves
) -> tuple[_Step, np.ndarray]:
    n_rows, across = len(s), joint.Z.shape[1] - 1
    chance = joint.label_frequency * expit(joint.intercept + joint.slope * joint.Z[:, -1])
    pairs = zip(labelled.hessian, other.hessian, strict=True)
    H = _information(joint.Z, [chance * one + (1 - chance) * zero for one, zero in pairs])
    if not np.linalg.cond(H) < _LARGEST_CONDITION:
        raise NotApplicable("JOINT along the naive score is all but unidentified")
    pull = linalg.solve(H[across:, across:], H[across:, :across]).T
    schur = H[:across, :across] - pull @ H[across:, :across]
    to_direction = joint.slope * schur @ _naive_influence(joint) / joint.naive[0]
    spread = np.zeros((across, across))
    constant = np.column_stack([joint.Z, np.ones(n_rows)])
    for moves, weight in ((labelled, chance), (other, 1 - chance)):
        q = moves.score[:, :across] - moves.score[:, across:] @ pull.T
        q = q + (constant * moves.influence[:, None]) @ to_direction.T
        spread += (q * weight[:, None]).T @ q
    score = np.where(s[:, None] == 1, labelled.score, other.score)[:, :across].sum(axis=0)
    turn = linalg.solve(schur, -score / n_rows) / joint.slope
    return _Step(score, turn), spread


def _information(Z: np.ndarray, second: list[np.ndarray]) -> np.ndarray:
    """Mean second derivative in the slopes, the intercept and the logit of c."""
    n_rows, rank = Z.shape
    columns = np.column_stack([Z, np.ones(n_rows)])
    H = np.empty((rank + 2, rank + 2))
    H[:-1, :-1] = (columns * second[0][:, None]).T @ columns / n_rows
    H[:-1, -1] = H[-1, :-1] = columns.T @ second[1] / n_rows
    H[-1, -1] = float(np.mean(second[2]))
    return H


def _naive_influence(joint: _Joint) -> np.ndarray:
    """Rows of the naive fit's inverse Hessian for the slopes across its direction."""
    columns = np.column_stack([joint.Z, np.ones(len(joint.Z))])
    sigmoid = expit(joint.naive[1] + joint.naive[0] * joint.Z[:, -1])
    hessian = (columns * (sigmoid * (1 - sigmoid))[:, None]).T @ columns / len(columns)
    return linalg.inv(hessian)[: joint.Z.shape[1] - 1]


_LEVEL = 0.025
_LARGE_ANGLE = 5.0
_LARGE_BEND = 0.02


def look(case: Case) -> CheckResult:
    """Look for features that bend along the naive score, and for another direction by JOINT.

    Ruud's condition: every feature's mean is linear in the true index. (a) Each
    feature is regressed on the naive score t and t²; the t² terms are tested with
    White's errors and Holm's correction. For normal features the estimated
    score changes nothing in the limit. (b) `compare_directions`. Each has half of
    an error of 5 %. A bend counts if t² also explains 2 % of a feature's variance:
    in large samples every bend is significant. Naive and JOINT apart, by 5 degrees
    at least (a correlation of the scores of 0.996), are a warning for classifiers
    that use the naive direction; all else is a note.
    """
    if not case.is_linear:
        raise NotApplicable("the model's score is not linear in the features")
    facts = _bends(case)
    bent = [name for name, gain in facts["bent"].items() if gain >= _LARGE_BEND]
    words = f"Features bend along the naive score ({listed(bent)})" if bent else ""
    try:
        test = compare_directions(case)
    except NotApplicable as reason:
        if bent:
            return CheckResult(
                "note", f"{words}; JOINT's direction was not compared: {reason}.", facts
            )
        raise
    facts |= {name: getattr(test, name) for name in ("angle", "statistic", "degrees", "p_value")}
    return _judged(case, test, words, facts)


def _judged(case: Case, test: DirectionTest, bends: str, facts: dict[str, Any]) -> CheckResult:
    apart = (
        f"naive and JOINT directions are {test.angle:.1f} degrees apart (p = {test.p_value:.2g})"
    )
    if test.p_value >= _LEVEL:
        if not bends:
            return CheckResult("fine", _sentence(f"{apart}, which may be chance."), facts)
        return CheckResult("note", f"{bends}, but {apart}, which may be chance.", facts)
    seen = f"{bends}, and {apart}" if bends else _sentence(apart)
    if not case.uses_naive_direction:
        advice = "This classifier does not use the naive direction; do not put it in its place."
        return CheckResult("note", f"{seen}. {advice}", facts)
    if test.angle < _LARGE_ANGLE:
        return CheckResult("note", f"{seen}: more than chance, but little.", facts)
    return CheckResult(
        "warning",
        f"{seen}: Ruud's condition does not hold, and the naive direction is off, or SCAR or the "
        "logistic model is wrong. Use PULogistic() or JointLogistic, whose direction does not "
        "need the condition.",
        facts,
    )


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:]


def _bends(case: Case) -> dict[str, Any]:
    """Features whose t² term is significant, with what it adds to R²."""
    score = case.finite_naive.predictor()
    if np.ptp(score) == 0:
        raise NotApplicable("the naive score is constant")
    X = np.delete(case.dense, case.separating, axis=1)
    names = np.delete(np.array(case.names, dtype=object), case.separating)
    p_value, gain = curvature(X, score)
    bent = holm(p_value) < _LEVEL
    found = {str(name): float(g) for name, g in zip(names[bent], gain[bent], strict=True)}
    return {
        "bent": dict(sorted(found.items(), key=lambda one: -one[1])),
        "largest_gain_in_r2": float(gain.max(initial=0.0)),
    }


def curvature(X: np.ndarray, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """p-value of t² in the regression of each column on (1, t, t²), and its gain in R²."""
    t = (t - t.mean()) / t.std()
    square = t**2 - 1 - np.mean(t**3) * t
    centred = X - X.mean(axis=0)
    linear = centred - np.outer(t, t @ centred / len(t))
    length = float(square @ square)
    slope = square @ centred / length
    residual = linear - np.outer(square, slope)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = slope * length / np.sqrt(square**2 @ residual**2)
        gain = slope**2 * length / np.sum(centred**2, axis=0)
    p_value = 2 * stats.norm.sf(np.abs(np.nan_to_num(z)))
    return np.asarray(p_value), np.nan_to_num(gain)


def holm(p_value: np.ndarray) -> np.ndarray:
    """p-values corrected for their number by Holm's method.

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, 0.03])).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p_value)
    corrected = np.empty_like(p_value)
    factors = len(p_value) - np.arange(len(p_value))
    corrected[order] = np.minimum(np.maximum.accumulate(p_value[order] * factors), 1.0)
    return corrected


direction = Check("direction", "PU203", look)
