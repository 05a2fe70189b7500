"""Minimising an objective that shows its value, gradient and Hessian and nothing else."""

from ._descent import MOST_PARAMETERS, Problem, SolverResult, downhill_step, lbfgs, minimise, newton
from ._fixed_point import (
    CURVATURE_BOUND,
    AtFrequency,
    ExpectationStep,
    best_label_frequency,
    curvature_bound,
    em,
    mm,
)

__all__ = [
    "CURVATURE_BOUND",
    "MOST_PARAMETERS",
    "AtFrequency",
    "ExpectationStep",
    "Problem",
    "SolverResult",
    "best_label_frequency",
    "curvature_bound",
    "downhill_step",
    "em",
    "lbfgs",
    "minimise",
    "mm",
    "newton",
]
