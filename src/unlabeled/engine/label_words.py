"""The words that say which of two labels marks labeled rows, in Python and in the terminal."""

from __future__ import annotations

import re
from collections.abc import Iterable

PAIRS = (
    ("0", "1"),
    ("-1", "1"),
    ("one", "two"),  # numbers in words, as scikit-learn's checks of estimators have them
    ("false", "true"),
    ("f", "t"),
    ("no", "yes"),
    ("n", "y"),
    ("negative", "positive"),
    ("neg", "pos"),
    ("n", "p"),
    ("negativ", "positiv"),
    ("négatif", "positif"),
    ("negativo", "positivo"),
    ("nein", "ja"),
    ("nee", "ja"),
    ("nej", "ja"),
    ("non", "oui"),
    ("no", "sí"),
    ("no", "sì"),
    ("no", "si"),
    ("não", "sim"),
    ("nie", "tak"),
    ("falsch", "wahr"),
    ("faux", "vrai"),
)
"""Pairs of values of which the second marks labeled rows."""

UNLABELED = frozenset(
    {
        *("unlabeled", "unlabelled", "not labeled", "not labelled", "unl", "u"),
        *("unknown", "unkn", "unk", "not known", "undetermined", "?"),
        *("untested", "not tested", "unchecked", "not checked", "unverified", "not verified"),
        *("unreviewed", "not reviewed", "unconfirmed", "not confirmed", "undiagnosed"),
        *("", "na", "n/a", "<na>", "nan", "null", "none", "missing"),
    }
)
"""Words for a row of which nothing is known: any other value that means no marks labeled rows."""

LABELED = frozenset({"labeled", "labelled"})

NO = frozenset(no for no, _ in PAIRS)
"""Words for no: beside a word for an unlabeled row they mark known negatives, and no positives."""

# They say nothing either, but not of what.
_REST = frozenset({"other", "others", "rest", "remaining"})


def as_word(value: str) -> str:
    """Write a value in lower case, with one space where it has spaces or underscores.

    Examples
    --------
    >>> as_word(" Not_Tested ")
    'not tested'
    """
    spaced = re.sub(r"(?<=[a-z])[-_](?=[a-z])", " ", value.lower())
    return " ".join(spaced.split())


def labeled_word(words: Iterable[str]) -> str | None:
    """Return which of the words marks labeled rows; None if they do not say.

    It is the second of a pair, or the only one beside words for unlabeled rows.

    Parameters
    ----------
    words : iterable of str
        The distinct values of a label column, as `as_word` writes them.

    Examples
    --------
    >>> labeled_word({"labeled", "unlabeled"}), labeled_word({"fraud", "unknown"})
    ('labeled', 'fraud')
    >>> labeled_word({"fraud", "cleared"}), labeled_word({"negative", "unlabeled"})
    (None, None)
    """
    words = set(words)
    said = words - UNLABELED
    for no, yes in PAIRS:
        if said == {no, yes} == words:
            return yes
    if len(said) != 1 or said == words or said & (NO | _REST):
        return None
    return said.pop()
