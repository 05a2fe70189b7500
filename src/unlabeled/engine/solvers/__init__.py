"""Minimisers of a function that they see by its value, gradient and Hessian, and nothing else.

They import array types only: no rows, no loss, no labels. `minimise` is the default;
`iterate_map` is for methods that give their own next point, such as MM and EM.
"""

from ._descent import MOST_PARAMETERS, Problem, SolverResult, downhill_step, lbfgs, minimise, newton
from ._fixed_point import MapStep, iterate_map

__all__ = [
    "MOST_PARAMETERS",
    "MapStep",
    "Problem",
    "SolverResult",
    "downhill_step",
    "iterate_map",
    "lbfgs",
    "minimise",
    "newton",
]
