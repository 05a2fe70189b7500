"""Ctrl-C at a chosen evaluation."""

from __future__ import annotations

import pytest

from unlabeled.engine.linear_fits._watch import Stage
from unlabeled.engine.objective import Objective


class Pressed:
    """Ctrl-C at evaluations; `seen` are problem, point and value of those that are watched."""

    def __init__(self, *calls):
        self.calls, self.n_calls, self.seen = calls, 0, []

    def press(self, evaluate):
        def counted(objective, theta):
            self.n_calls += 1
            if self.n_calls in self.calls:
                raise KeyboardInterrupt
            return evaluate(objective, theta)

        return counted

    def remember(self, saw):
        def remembered(stage, problem, z, value, gradient):
            self.seen.append((problem, z.copy(), value))
            saw(stage, problem, z, value, gradient)

        return remembered


@pytest.fixture
def press_ctrl_c(monkeypatch):
    """Return a function that presses Ctrl-C at the evaluations with these numbers."""
    names = ("value_gradient", "value_gradient_hessian")
    plain = {name: getattr(Objective, name) for name in names}
    saw = Stage.saw

    def at(*calls):
        pressed = Pressed(*calls)
        for name in names:
            monkeypatch.setattr(Objective, name, pressed.press(plain[name]))
        monkeypatch.setattr(Stage, "saw", pressed.remember(saw))
        return pressed

    return at
