"""Warnings of the fit itself."""

from __future__ import annotations

from collections.abc import Iterable

from ..codes import Message, PUWarning, told_in_terminal
from ._case import Case, CheckResult, NotApplicable
from ._finding import STATES

# The state of each warning. A warning that does not affect the scores is a note.
_STATE_OF = {"PU104": "note", "PU106": "note", "PU109": "note", "PU111": "serious"}
_OTHERWISE = "warning"


def check_fit(case: Case) -> CheckResult:
    """Relay the warnings of the fit, the worst first.

    The warnings of a classifier that was already fitted are gone; `converged_` is
    all that can be checked.
    """
    if case.caught is None:
        return _already_fitted(case)
    if not case.caught:
        return CheckResult("fine", "The fit gave no warning.", {"warnings": []})
    warned = [(_state(warning), _code(warning), _text(warning)) for warning in case.caught]
    warned = list(dict.fromkeys(warned))
    warned.sort(key=lambda warning: -STATES.index(warning[0]))
    state, code, text = warned[0]
    facts = {"warnings": [{"code": code, "message": str(text)} for _, code, text in warned]}
    texts = [text for _, _, text in warned]
    terminal = "" if not told_in_terminal(text) else _relayed(map(told_in_terminal, texts))
    return CheckResult(state, Message.both(_relayed(texts), terminal), facts, code or None)


def _relayed(texts: Iterable[str]) -> str:
    first, *others = (text for text in texts if text)
    more = f" It also warned: {' '.join(others)}" if others else ""
    return f"The fit warned: {first}{more}"


def _already_fitted(case: Case) -> CheckResult:
    converged = getattr(case.inner.model, "converged_", None)
    if converged is None:
        raise NotApplicable("the classifier was already fitted, and its warnings are not kept")
    if converged:
        return CheckResult("fine", "The fit converged.")
    return CheckResult(
        "warning",
        "The fit did not converge, so its coefficients are not final. The warnings of the fit say "
        "why: PU103, PU105 or PU107.",
    )


def _code(warning: Warning) -> str:
    return warning.code if isinstance(warning, PUWarning) else ""


def _state(warning: Warning) -> str:
    return _STATE_OF.get(_code(warning), _OTHERWISE)


def _text(warning: Warning) -> str:
    if isinstance(warning, PUWarning):
        said = Message() + warning.message
        # In the terminal the meaning of the code stands for what only Python is told.
        return Message.both(str(warning), said.terminal and f"[{warning.code}] {said.terminal}")
    return f"{type(warning).__name__}: {warning}"
