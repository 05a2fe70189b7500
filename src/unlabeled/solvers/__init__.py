"""Minimising an objective that shows its value, gradient and Hessian and nothing else."""

from ._arrive import NEAR, arrive
from ._fit_report import report_design, report_fit, report_separation, report_step
from ._frequency_step import best_label_frequency
from ._lbfgs import lbfgs
from ._leave_one_out import leave_one_out_predictor
from ._linear_fit import LinearFit
from ._linear_problem import LinearProblem
from ._mean_scale import scaled_tol
from ._minimise import minimise
from ._mm import ExpectationStep, em, mm
from ._newton import downhill_step, newton
from ._published import (
    INNER_TOL,
    MOST_INNER,
    UPPER_FREQUENCY,
    ClippedLogisticLoss,
    PublishedResult,
    literal_mm_loop,
    published_cycle,
    published_joint,
    published_weighted_risk,
)
from ._result import SolverResult
from ._ridge_fits import RidgePoint, RowsToScore
from ._ridge_path import RidgePath
from ._rough import part_stride, rough_hessian
from ._separation import is_separated, separating_columns, step_log_likelihood
from ._watch import NOBODY, SeenPoint, Stage, Watch, fit_or_keep, watched_as_given

__all__ = [
    "INNER_TOL",
    "MOST_INNER",
    "NEAR",
    "NOBODY",
    "UPPER_FREQUENCY",
    "ClippedLogisticLoss",
    "ExpectationStep",
    "LinearFit",
    "LinearProblem",
    "PublishedResult",
    "RidgePath",
    "RidgePoint",
    "RowsToScore",
    "SeenPoint",
    "SolverResult",
    "Stage",
    "Watch",
    "arrive",
    "best_label_frequency",
    "downhill_step",
    "em",
    "fit_or_keep",
    "is_separated",
    "lbfgs",
    "leave_one_out_predictor",
    "literal_mm_loop",
    "minimise",
    "mm",
    "newton",
    "part_stride",
    "published_cycle",
    "published_joint",
    "published_weighted_risk",
    "report_design",
    "report_fit",
    "report_separation",
    "report_step",
    "rough_hessian",
    "scaled_tol",
    "separating_columns",
    "step_log_likelihood",
    "watched_as_given",
]
