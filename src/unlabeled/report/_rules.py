"""The rules that choose a cut, in words."""

from __future__ import annotations

import re

_WORDS = {
    "f1": ("F1", "precision and recall count alike"),
    "f1_pu": ("F1_PU", "recall squared over the share selected; needs no class prior"),
    "balanced_accuracy": ("Balanced accuracy", "both classes count alike; needs no class prior"),
    "mcc": ("Matthews correlation", "decision and class agree; needs no class prior"),
    "accuracy": ("Accuracy", "the fewest wrong decisions"),
    "cost": ("Cost", "a miss and a false alarm have a price"),
}
_WITH_NUMBERS = {
    "fbeta": ("F-beta ({})", "recall counts more, or less, than precision"),
    "cost": ("Cost ({})", "the prices of a miss and of a false alarm"),
    "recall_at_least": ("Recall of at least {}", "the fewest rows that reach it"),
    "precision_at_least": ("Precision of at least {}", "the most rows that reach it"),
    "share": ("A share of {}", "as near to it as can be"),
}
_CALL = re.compile(r"(\w+)\(([^()]*)\)")


def rule_words(name: str) -> dict[str, str]:
    """Return a rule's name for the reader, and what it wants.

    Examples
    --------
    >>> rule_words("recall_at_least(0.9)")
    {'name': 'Recall of at least 0.9', 'wants': 'the fewest rows that reach it'}
    """
    if name in _WORDS:
        shown, wants = _WORDS[name]
        return {"name": shown, "wants": wants}
    call = _CALL.fullmatch(name)
    if call and call[1] in _WITH_NUMBERS:
        shown, wants = _WITH_NUMBERS[call[1]]
        return {"name": shown.format(call[2]), "wants": wants}
    return {"name": name, "wants": ""}
