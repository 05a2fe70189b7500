"""What a check is: a name, a code, and a look at a case."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ._case import Case, NotApplicable
from ._finding import Finding

_MOST_LISTED = 3


@dataclass(frozen=True)
class Look:
    """What a look at a case found: a finding without the name of its check.

    `code` is given where it is not the check's own.
    """

    state: str
    message: str
    facts: dict[str, Any] = field(default_factory=dict)
    code: str | None = None


@dataclass(frozen=True)
class Check:
    """A check by name; calling it with a case gives a finding.

    Attributes
    ----------
    name : str
        What users ask for it by.
    code : str
        Key of `codes.CODES`, with a section in `docs/checks.rst`.
    look : callable
        From a `Case` to a `Look`. It may raise `NotApplicable` with a reason.
    """

    name: str
    code: str
    look: Callable[[Case], Look]

    def __call__(self, case: Case) -> Finding:
        """Look at a case."""
        try:
            look = self.look(case)
        except NotApplicable as reason:
            look = Look("not applicable", f"because {reason}.")
        return Finding(self.name, look.code or self.code, look.state, look.message, look.facts)


def listed(names: Sequence[str]) -> str:
    """Write a few names, and that there are more.

    Examples
    --------
    >>> listed(["age", "dose"]), listed("abcd")
    ("'age', 'dose'", "'a', 'b', 'c', ...")
    """
    shown = ", ".join(repr(str(name)) for name in names[:_MOST_LISTED])
    return shown + (", ..." if len(names) > _MOST_LISTED else "")
