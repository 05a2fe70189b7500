"""The paper's synthetic design, drawn at random."""

from __future__ import annotations

import numpy as np
from scipy.special import expit
from sklearn.utils import check_random_state

from ._arguments import check_count, check_frequency
from ._hide_labels import hide_labels
from ._paper_design import BETA, COVARIANCE, MEAN
from ._simulated import SimulatedSample


def make_paper_gaussian(
    n: int,
    c: float,
    random_state: int | np.random.RandomState | None = None,
    *,
    n_noise_features: int = 0,
) -> SimulatedSample:
    r"""Draw the paper's synthetic data: three correlated normal features, a logistic class.

    Labels are selected completely at random (SCAR). Features are normal, so Ruud's condition
    holds: the naive logistic fit of s on x has the direction of the true coefficients. Use it
    to watch an estimator where the theory applies.

    .. math::
        x \sim N((1, 1, -1), \Sigma), \quad
        P(Y=1|x) = \sigma(-1 - x_1 + x_2 + x_3), \quad P(S=1|Y=1, x) = c

    with unit variances, :math:`\Sigma_{12}=.2`, :math:`\Sigma_{13}=-.2`,
    :math:`\Sigma_{23}=0`. The class prior is .2064803545.

    What breaks it: nothing here does; the design flatters methods that need normal features
    or a linear logit. Real data have neither (see `load_uci`).

    Parameters
    ----------
    n : int
        Number of rows.
    c : float
        Label frequency P(S=1|Y=1), in (0, 1].
    random_state : int, RandomState or None, default=None
        Seed of the draw. One seed gives the same X and y_true for every `c`, and labels that
        only grow with `c`.
    n_noise_features : int, default=0
        Independent N(0, 1) features without effect, added as last columns. They change
        neither the first three columns nor the labels.

    Returns
    -------
    sample : SimulatedSample
        With the fields X, s, y_true and beta (intercept first; zeros for noise features).

    Examples
    --------
    >>> from unlabeled.datasets import make_paper_gaussian
    >>> sample = make_paper_gaussian(1000, c=0.6, random_state=0)
    >>> sample.X.shape, sample.beta.tolist()
    ((1000, 3), [-1.0, -1.0, 1.0, 1.0])
    >>> bool((sample.s <= sample.y_true).all())
    True
    """
    n = check_count(n, "n", least=1)
    n_noise = check_count(n_noise_features, "n_noise_features", least=0)
    c = check_frequency(c, "c")
    rng = check_random_state(random_state)
    features = MEAN + rng.standard_normal((n, len(MEAN))) @ np.linalg.cholesky(COVARIANCE).T
    posterior = expit(BETA[0] + features @ BETA[1:])
    y_true = (rng.random_sample(n) < posterior).astype(np.int64)
    s = hide_labels(y_true, c, random_state=rng)
    noise = rng.standard_normal((n, n_noise))
    return SimulatedSample(
        np.hstack([features, noise]), s, y_true, np.concatenate([BETA, np.zeros(n_noise)])
    )
