"""Fits of linear models: the problem, ridge paths, leave-one-out, separation, progress."""

from ._leave_one_out import BLOCK_ROWS, LeftOut, leave_one_out_predictors
from ._problem import (
    LinearFit,
    LinearProblem,
    part_stride,
    ridge_strength,
    scaled_tol,
    subsample_hessian,
    verify_optimum,
)
from ._report import (
    NEAR,
    NOBODY,
    Stage,
    Watch,
    report_design,
    report_early_stop,
    report_fit,
    report_separation,
    report_step,
    watched_as_given,
)
from ._ridge_path import RidgePath, RidgePoint, mean_and_error, weight_of_one_row
from ._separation import (
    is_separated,
    separating_columns,
    share_above_zero,
    step_log_likelihood,
)

__all__ = [
    "BLOCK_ROWS",
    "NEAR",
    "NOBODY",
    "LeftOut",
    "LinearFit",
    "LinearProblem",
    "RidgePath",
    "RidgePoint",
    "Stage",
    "Watch",
    "is_separated",
    "leave_one_out_predictors",
    "mean_and_error",
    "part_stride",
    "report_design",
    "report_early_stop",
    "report_fit",
    "report_separation",
    "report_step",
    "ridge_strength",
    "scaled_tol",
    "separating_columns",
    "share_above_zero",
    "step_log_likelihood",
    "subsample_hessian",
    "verify_optimum",
    "watched_as_given",
    "weight_of_one_row",
]
