"""softplus and sigmoid from one exponential, without overflow."""

from __future__ import annotations

import numpy as np

from ..blocks import Array, namespace_of


def softplus_and_sigmoid(t: Array) -> tuple[Array, Array]:
    r"""Return :math:`\log(1 + e^t)` and :math:`1 / (1 + e^{-t})`, sharing one exponential.

    Both are accurate for every t, and finite for every finite one; at infinity they are the limits.

    Examples
    --------
    >>> import numpy as np
    >>> softplus, sigmoid = softplus_and_sigmoid(np.array([-1000.0, 0.0, 1000.0]))
    >>> softplus.tolist(), sigmoid.tolist()
    ([0.0, 0.6931471805599453, 1000.0], [0.0, 0.5, 1.0])
    """
    xp = namespace_of(t)
    decay = xp.exp(-xp.abs(t))
    one = decay.dtype.type(1) if xp is np else 1.0
    positive = np.maximum(t, 0) if xp is np else xp.clip(t, 0, None)
    softplus = positive + xp.log1p(decay)
    sigmoid = xp.where(t >= 0, one, decay) / (1 + decay)
    return softplus, sigmoid
