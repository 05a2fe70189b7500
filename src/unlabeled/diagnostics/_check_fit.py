"""What the fit itself warned of."""

from __future__ import annotations

from ..codes import PUWarning
from ._case import Case, NotApplicable
from ._check import Check, Look
from ._finding import STATES

_STATE_OF = {"PU101": "note", "PU104": "note", "PU106": "note", "PU109": "note", "PU111": "serious"}
_OTHERWISE = "warning"


def look(case: Case) -> Look:
    """Relay the warnings of the fit, the worst first; notes are those that leave scores right.

    A classifier that came fitted gave its warnings then; of it only
    `converged_` is left to look at.
    """
    if case.caught is None:
        return _came_fitted(case)
    if not case.caught:
        return Look("fine", "The fit gave no warning.", {"warnings": []})
    told = [(_state(one), _code(one), _text(one)) for one in case.caught]
    told = list(dict.fromkeys(told))
    told.sort(key=lambda one: -STATES.index(one[0]))
    state, code, text = told[0]
    more = f" Further warnings: {'; '.join(text for _, _, text in told[1:])}" if told[1:] else ""
    facts = {"warnings": [{"code": code, "message": text} for _, code, text in told]}
    return Look(state, f"The fit warned: {text}{more}", facts, code or None)


def _came_fitted(case: Case) -> Look:
    converged = getattr(case.seen.model, "converged_", None)
    if converged is None:
        raise NotApplicable("the classifier came fitted: what its fit warned of was said then")
    if converged:
        return Look("fine", "The classifier came fitted, and its fit converged.")
    return Look(
        "warning",
        "The classifier came fitted, and its fit did not converge (`converged_` is false): its "
        "numbers are not those of an optimum. Fit again and read the warnings.",
    )


def _code(one: Warning) -> str:
    return one.code if isinstance(one, PUWarning) else ""


def _state(one: Warning) -> str:
    return _STATE_OF.get(_code(one), _OTHERWISE)


def _text(one: Warning) -> str:
    return str(one) if isinstance(one, PUWarning) else f"{type(one).__name__}: {one}"


fit = Check("fit", "PU105", look)
