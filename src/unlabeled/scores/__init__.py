"""What follows from a held-out score: its model, its class prior, its cut and its decisions."""

from ._answers import FEWEST_OF_A_KIND, AnswerCurves, Answered, fit_answers
from ._checked_score import CheckedScore, fit_checked_score
from ._class_prior import (
    ResolvedPrior,
    fit_nested,
    reject_impossible_prior,
    report_flat,
    report_prior_above_bound,
    resolve_class_prior,
)
from ._columns import Columns, RandomTrees, StandardizedColumns
from ._decision import (
    Decision,
    Scale,
    ScoredRows,
    calibrated_line,
    frequency_given,
    posterior_along,
    shift_of_unknown,
    shifted,
)
from ._followed_column import (
    NAMED_STRETCH,
    FollowedColumn,
    followed_column,
    standardized_column,
)
from ._if_unlabeled import given_unlabeled, logit_given_unlabeled
from ._label_logit import (
    LogitLine,
    bounded_logit,
    fit_line,
    label_effects,
    label_log_likelihood,
    penalized_line,
    penalized_weights,
)
from ._missed import AtNewRows, LabeledScore, Missed, OfRows
from ._positive_groups import positive_groups_density
from ._prior_density import (
    NOT_AT_ALL,
    ROUGHLY,
    WELL,
    DoubtedDensity,
    IntervalOf,
    PriorDensity,
    binomial_bound,
    class_prior_density,
    density_of_scores,
    discrete_density,
    largest_class_prior,
    mixed_density,
)
from ._propensity_prior import PropensityPrior, propensity_prior
from ._score_joint import ScoreJoint, as_good_at_boundary, fit_score_joint
from ._score_model import WIDEST_LOGITS, Line, ScoreProfile, mean_class_prior, standardized

__all__ = [
    "FEWEST_OF_A_KIND",
    "NAMED_STRETCH",
    "NOT_AT_ALL",
    "ROUGHLY",
    "WELL",
    "WIDEST_LOGITS",
    "AnswerCurves",
    "Answered",
    "AtNewRows",
    "CheckedScore",
    "Columns",
    "Decision",
    "DoubtedDensity",
    "FollowedColumn",
    "IntervalOf",
    "LabeledScore",
    "Line",
    "LogitLine",
    "Missed",
    "OfRows",
    "PriorDensity",
    "PropensityPrior",
    "RandomTrees",
    "ResolvedPrior",
    "Scale",
    "ScoreJoint",
    "ScoreProfile",
    "ScoredRows",
    "StandardizedColumns",
    "as_good_at_boundary",
    "binomial_bound",
    "bounded_logit",
    "calibrated_line",
    "class_prior_density",
    "density_of_scores",
    "discrete_density",
    "fit_answers",
    "fit_checked_score",
    "fit_line",
    "fit_nested",
    "fit_score_joint",
    "followed_column",
    "frequency_given",
    "given_unlabeled",
    "label_effects",
    "label_log_likelihood",
    "largest_class_prior",
    "logit_given_unlabeled",
    "mean_class_prior",
    "mixed_density",
    "penalized_line",
    "penalized_weights",
    "positive_groups_density",
    "posterior_along",
    "propensity_prior",
    "reject_impossible_prior",
    "report_flat",
    "report_prior_above_bound",
    "resolve_class_prior",
    "shift_of_unknown",
    "shifted",
    "standardized",
    "standardized_column",
]
