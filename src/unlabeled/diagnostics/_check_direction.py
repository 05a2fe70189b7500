"""Whether the naive direction can be trusted.

*Meaning.* The naive direction is right under :ref:`Ruud's condition <ruud>`. Here the mean of a
feature bends along the score, or JOINT, which does not need the condition, finds another direction.
The second is a warning if the classifier uses the naive direction and the angle is five degrees or
more; all else is a note. SCAR or the logistic posterior may have failed instead.

*Example.*

.. code-block:: python

   from scipy.special import expit
   from unlabeled.diagnostics import diagnose

   rng = np.random.default_rng(0)
   n = 5000
   skewed = np.column_stack([rng.exponential(size=n), rng.integers(0, 2, n), rng.normal(size=n)])
   positive = rng.random(n) < expit(-3 + skewed @ [1, 2, 1])
   labeled = positive & (rng.random(n) < 0.3)
   finding = diagnose(EnhancedLogistic(), skewed, labeled)["direction"]

*Remedy.* Use :class:`~unlabeled.PULogistic` or :class:`~unlabeled.JointLogistic`, or transform
skewed features.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg, stats
from scipy.special import expit, logit

from ..codes import Message
from ..engine.losses import ProductLoss
from ..scores import fit_score_joint
from ._case import Case, CheckResult, NotApplicable, listed

# Level of each of the two tests, so that both together have 5 %.
_LEVEL = 0.025
_LARGE_ANGLE = 5.0
_LARGE_BEND = 0.02
# Condition number, in whitened features, above which a Newton step cannot be computed.
_LARGEST_CONDITION = 1e10


def check_direction(case: Case) -> CheckResult:
    """Test whether features bend along the naive score, and whether JOINT's direction differs.

    Ruud's condition: the mean of every feature is linear in the true linear predictor.

    (a) Each feature is regressed on the naive score t and t². The t² terms are tested with
    White's errors and Holm's correction. For normal features the estimation error of the score
    is asymptotically negligible. A bend counts only if t² also explains 2 % of the feature's
    variance, since in large samples every bend is significant.

    (b) `compare_directions` tests whether the two directions differ.

    Each test has a level of 2.5 %, so that both together have 5 %. It is a warning if test (b)
    rejects, the two directions differ by at least 5 degrees (a correlation of the scores of
    0.996) and the classifier uses the naive direction. If test (b) rejects but not all of this
    holds, or if only (a) finds a bend, it is a note.
    """
    if not case.is_linear:
        raise NotApplicable("the model's score is not linear in the features")
    case.need_labels_at_random()
    case.need_independent_rows()
    facts = _bends(case)
    bent = [name for name, gain in facts["bent"].items() if gain >= _LARGE_BEND]
    bends = f"These features are not linear in the naive score: {listed(bent)}." if bent else ""
    try:
        test = compare_directions(case)
    except NotApplicable as reason:
        if bent:
            return CheckResult(
                "note",
                f"{bends} The naive coefficients may be wrong. They could not be compared with "
                f"those of JointLogistic, because {reason}. Transforming these features helps.",
                facts,
            )
        raise
    facts |= {name: getattr(test, name) for name in ("angle", "statistic", "degrees", "p_value")}
    return _judged(case, test, bends, facts)


def _judged(case: Case, test: DirectionTest, bends: str, facts: dict[str, Any]) -> CheckResult:
    apart = (
        f"{bends} The coefficients of a naive fit and of JointLogistic point in directions "
        f"{test.angle:.1f} degrees apart (p = {test.p_value:.2g})"
    ).lstrip()
    if test.p_value >= _LEVEL:
        return CheckResult("note" if bends else "fine", f"{apart}, which may be chance.", facts)
    if not case.uses_naive_direction:
        advice = (
            "This classifier does not use the naive coefficients. Do not replace it by one that "
            "does."
        )
        return CheckResult("note", f"{apart}. {advice}", facts)
    if test.angle < _LARGE_ANGLE:
        return CheckResult("note", f"{apart}. That is more than chance, but not much.", facts)
    return CheckResult(
        "warning",
        Message(
            f"{apart}. Either the naive coefficients are wrong, or labels were not given at random "
            "(SCAR), or a logistic curve does not fit.",
            python="Use PULogistic() or JointLogistic, which do not need the naive coefficients to "
            "be right.",
        ),
        facts,
    )


def _bends(case: Case) -> dict[str, Any]:
    """Find the features whose t² term is significant, and how much it adds to R²."""
    score = case.finite_naive.predictor()
    if np.ptp(score) == 0:
        raise NotApplicable("the naive score is constant")
    X = np.delete(case.dense, case.separating, axis=1)
    names = np.delete(np.array(case.names, dtype=object), case.separating)
    p_value, gain = curvature(X, score)
    bent = holm(p_value) < _LEVEL
    bend_of = {str(name): float(g) for name, g in zip(names[bent], gain[bent], strict=True)}
    return {
        "bent": dict(sorted(bend_of.items(), key=lambda name_and_bend: -name_and_bend[1])),
        "largest_gain_in_r2": float(gain.max(initial=0.0)),
    }


def curvature(X: np.ndarray, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Regress each column on (1, t, t²); return the p-value of t² and its gain in R²."""
    t = (t - t.mean()) / t.std()
    square = t**2 - 1 - np.mean(t**3) * t
    centered = X - X.mean(axis=0)
    linear = centered - np.outer(t, t @ centered / len(t))
    length = float(square @ square)
    slope = square @ centered / length
    residual = linear - np.outer(square, slope)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = slope * length / np.sqrt(square**2 @ residual**2)
        gain = slope**2 * length / np.sum(centered**2, axis=0)
    p_value = 2 * stats.norm.sf(np.abs(np.nan_to_num(z)))
    return np.asarray(p_value), np.nan_to_num(gain)


def holm(p_value: np.ndarray) -> np.ndarray:
    """Correct p-values for their number by Holm's method.

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


@dataclass(frozen=True)
class DirectionTest:
    """The naive direction compared with JOINT's.

    Attributes
    ----------
    angle : float
        Angle in degrees, after whitening, between the naive direction and the direction after
        one Newton step of JOINT. Its cosine is about the correlation of the scores.
    statistic : float
        Approximately chi-squared if Ruud's condition, SCAR and the logistic model hold.
    degrees : int
        Degrees of freedom: the rank of the features minus 1.
    p_value : float
    """

    angle: float
    statistic: float
    degrees: int
    p_value: float


class _Joint(NamedTuple):
    """JOINT along the naive score, in whitened features rotated so that the direction is last."""

    Z: np.ndarray
    naive: np.ndarray
    intercept: float
    slope: float
    label_frequency: float


def compare_directions(case: Case) -> DirectionTest:
    r"""Test whether JOINT, started at the naive direction, would leave it.

    A Hausman-type score test. JOINT is fitted along the naive score t only, as
    :math:`c\,\sigma(a + bt)`. U is the gradient of its log-likelihood across the direction; its
    mean is 0 if both fits estimate the same direction. Row i changes U by

    .. math:: q_i = S_{\perp i} - H_{\perp A}H_{AA}^{-1}S_{Ai}
              + b\,(H_{\perp\perp} - H_{\perp A}H_{AA}^{-1}H_{A\perp})\,\psi_i,

    where S is a row's gradient, A stands for (slope, a, c), and :math:`\psi_i` is the row's
    influence on the naive direction. So :math:`U^T(\sum_i E[q_iq_i^T|x_i])^{+}U` is about
    :math:`\chi^2_{p-1}`. Both fits use the same rows, and this variance accounts for it. H and
    the expectation are those of the fitted model.

    Measured percentage of samples with p < 0.05. The level is from 500 samples of the paper's
    design, in which both directions are the same (standard errors of 1 %). The power is from 200
    samples each with exponential features, binary ones, and a mixture of both with a normal one.

    ======  ==========  ==========  ==========  ==============
    n       level,      level,      level,      power
            c = 0.3     c = 0.6     c = 0.9
    ======  ==========  ==========  ==========  ==============
    1000    4.1         2.5         1.4         20 to 36
    5000    3.8         5.2         5.9         91 to 100
    ======  ==========  ==========  ==========  ==============
    """
    # The Wald form, on the difference of the two fitted directions with its sandwich covariance,
    # was tried first. It rejected at most 1 % of the samples of the paper's design, and fewer of
    # the other samples.
    joint = _joint_along_naive(case)
    labeled, other = _moves(joint, 1.0), _moves(joint, 0.0)
    step, spread = _step_and_spread(joint, case.s, labeled, other)
    statistic = float(step.score @ linalg.pinvh(spread) @ step.score)
    degrees = len(step.score)
    angle = float(np.degrees(np.arctan(np.linalg.norm(step.turn))))
    return DirectionTest(angle, statistic, degrees, float(stats.chi2.sf(statistic, degrees)))


def _joint_along_naive(case: Case) -> _Joint:
    z = case.finite_naive.result.z
    basis, center = case.linear.whitening.basis, case.linear.whitening.center
    if basis.ndim != 2 or basis.shape[1] < 2:
        raise NotApplicable("there is only one feature, or more than a thousand")
    length = float(np.linalg.norm(z[:-1]))
    rotation = np.column_stack([linalg.null_space(z[None, :-1]), z[:-1] / length])
    Z = np.asarray(case.linear.X @ (basis @ rotation)) - center @ basis @ rotation
    line = fit_score_joint(Z[:, -1], case.s)
    if line.is_step or line.slope <= 0:
        raise NotApplicable("the fitted probability along the naive score is a step, or constant")
    if line.at_boundary:
        raise NotApplicable(
            "the check compares two fits, and they are the same here, because the label frequency "
            "is estimated as 1"
        )
    naive = np.array([length, z[-1]])
    return _Joint(Z, naive, line.intercept, line.slope, line.label_frequency)


class _Moves(NamedTuple):
    """The contribution of every row if it had a given label."""

    score: np.ndarray
    influence: np.ndarray
    hessian: tuple[np.ndarray, ...]


def _moves(joint: _Joint, label: float) -> _Moves:
    """Return JOINT's gradients and second derivatives, and the residuals of the naive fit."""
    target = np.full(len(joint.Z), label)
    t = joint.intercept + joint.slope * joint.Z[:, -1]
    rows = ProductLoss().derivatives(
        (t, np.asarray(logit(joint.label_frequency))), target, second=True
    )
    score = np.column_stack([joint.Z * rows.gradient[0][:, None], *rows.gradient])
    residual = target - expit(joint.naive[1] + joint.naive[0] * joint.Z[:, -1])
    return _Moves(score, residual, rows.hessian)


class _Step(NamedTuple):
    """Gradient across the direction, and the turn of one Newton step."""

    score: np.ndarray
    turn: np.ndarray


def _step_and_spread(
    joint: _Joint, s: np.ndarray, labeled: _Moves, other: _Moves
) -> tuple[_Step, np.ndarray]:
    n_rows, across = len(s), joint.Z.shape[1] - 1
    chance = joint.label_frequency * expit(joint.intercept + joint.slope * joint.Z[:, -1])
    pairs = zip(labeled.hessian, other.hessian, strict=True)
    H = _information(joint.Z, [chance * one + (1 - chance) * zero for one, zero in pairs])
    if not np.linalg.cond(H) < _LARGEST_CONDITION:
        raise NotApplicable("these rows hardly determine the parameters of JointLogistic")
    pull = linalg.solve(H[across:, across:], H[across:, :across]).T
    schur = H[:across, :across] - pull @ H[across:, :across]
    to_direction = joint.slope * schur @ _naive_influence(joint) / joint.naive[0]
    spread = np.zeros((across, across))
    constant = np.column_stack([joint.Z, np.ones(n_rows)])
    for moves, weight in ((labeled, chance), (other, 1 - chance)):
        q = moves.score[:, :across] - moves.score[:, across:] @ pull.T
        q = q + (constant * moves.influence[:, None]) @ to_direction.T
        spread += (q * weight[:, None]).T @ q
    score = np.where(s[:, None] == 1, labeled.score, other.score)[:, :across].sum(axis=0)
    turn = linalg.solve(schur, -score / n_rows) / joint.slope
    return _Step(score, turn), spread


def _information(Z: np.ndarray, second: list[np.ndarray]) -> np.ndarray:
    """Return the mean second derivatives in the slopes, the intercept and the logit of c."""
    n_rows, rank = Z.shape
    columns = np.column_stack([Z, np.ones(n_rows)])
    H = np.empty((rank + 2, rank + 2))
    H[:-1, :-1] = (columns * second[0][:, None]).T @ columns / n_rows
    H[:-1, -1] = H[-1, :-1] = columns.T @ second[1] / n_rows
    H[-1, -1] = float(np.mean(second[2]))
    return H


def _naive_influence(joint: _Joint) -> np.ndarray:
    """Return the rows of the naive fit's inverse Hessian for slopes across its direction."""
    columns = np.column_stack([joint.Z, np.ones(len(joint.Z))])
    sigmoid = expit(joint.naive[1] + joint.naive[0] * joint.Z[:, -1])
    hessian = (columns * (sigmoid * (1 - sigmoid))[:, None]).T @ columns / len(columns)
    return linalg.inv(hessian)[: joint.Z.shape[1] - 1]
