"""Solvers. They use only the value, gradient and Hessian of a function.

They import array types only: no rows, no loss, no labels. `minimize` is the default;
`iterate_map` is for methods that compute their next point themselves, such as MM and EM.
"""

from ._descent import MOST_PARAMETERS, Problem, SolverResult, downhill_step, lbfgs, minimize, newton
from ._fixed_point import MapStep, iterate_map

__all__ = [
    "MOST_PARAMETERS",
    "MapStep",
    "Problem",
    "SolverResult",
    "downhill_step",
    "iterate_map",
    "lbfgs",
    "minimize",
    "newton",
]
