"""Seeds from keys: the same numbers whatever the order, the number of jobs or the backend."""

from __future__ import annotations

import hashlib


def seed_of(*key: str | int | float) -> int:
    """Return the 32-bit seed that belongs to `key`.

    Parameters
    ----------
    *key : str, int or float
        What is drawn, from the general to the particular; floats count to six digits.

    Returns
    -------
    int
        The first four bytes of the SHA-256 sum of the key.

    Examples
    --------
    >>> from unlabeled.experiments.seeds import seed_of
    >>> seed_of("split", "real", "adult", 0) == seed_of("split", "real", "adult", 0)
    True
    """
    words = [f"{part:.6g}" if isinstance(part, float) else str(part) for part in key]
    return int.from_bytes(hashlib.sha256("|".join(words).encode()).digest()[:4], "big")
