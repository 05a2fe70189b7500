"""Fits of linear models: the problem, ridge paths, leave-one-out, separation, progress."""

from ._fit_report import report_design, report_fit, report_separation, report_step
from ._leave_one_out import leave_one_out_predictor
from ._problem import (
    NEAR,
    LinearFit,
    LinearProblem,
    part_stride,
    scaled_tol,
    subsample_hessian,
    verify_optimum,
)
from ._ridge_path import RidgePath, RidgePoint, RowsToScore
from ._separation import is_separated, separating_columns, step_log_likelihood
from ._watch import NOBODY, SeenPoint, Stage, Watch, fit_or_keep, watched_as_given

__all__ = [
    "NEAR",
    "NOBODY",
    "LinearFit",
    "LinearProblem",
    "RidgePath",
    "RidgePoint",
    "RowsToScore",
    "SeenPoint",
    "Stage",
    "Watch",
    "fit_or_keep",
    "is_separated",
    "leave_one_out_predictor",
    "part_stride",
    "report_design",
    "report_fit",
    "report_separation",
    "report_step",
    "scaled_tol",
    "separating_columns",
    "step_log_likelihood",
    "subsample_hessian",
    "verify_optimum",
    "watched_as_given",
]
