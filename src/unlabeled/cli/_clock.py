"""How long each step of a command took."""

from __future__ import annotations

import time


class Clock:
    """How long each step took."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._before = time.perf_counter()

    def done(self, step: str) -> None:
        """Say that a step is over."""
        self.took({step: time.perf_counter() - self._before})

    def took(self, steps: dict[str, float]) -> None:
        """Say what the steps until now took."""
        self.seconds |= {step: round(seconds, 3) for step, seconds in steps.items()}
        self._before = time.perf_counter()
