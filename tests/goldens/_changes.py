"""What differs from 0.2.0 by intention: each entry matches a part of `case: path`."""

from __future__ import annotations

RENAMED: dict[str, str] = {
    f"feature {feature}.{old}": f"feature {feature}.class_prior.{new}"
    for feature in range(3)
    for old, new in (
        ("class_prior", "estimate"),
        ("lower", "lower"),
        ("upper", "upper"),
        ("level", "confidence_level"),
    )
} | {
    ".if.": ".scenarios.",
    ".scar.alpha": ".scar.significance_level",
    "design_effect_": "_design_effect_",
    "gradient_norm_": "_gradient_norm_",
    "label_line_": "_label_line_",
    "member_lines_": "_member_lines_",
    "n_inner_iter_": "_n_inner_iter_",
    "n_rows_searched_": "_n_rows_searched_",
    "swap_ratio_": "_swap_ratio_",
}
"""Old path: new path. One that starts with a dot is a part of a path."""

GONE: dict[str, str] = {
    "cuts_.two_samples": "`Cuts.sampling` says it in a word",
    "False.two_samples": "`Cuts.sampling`, as above",
    "True.two_samples": "`Cuts.sampling`, as above",
    ".contains_one": "`1.0 in interval` asks any `Interval`",
}
"""Part of a path that no longer exists: why."""

_CHANCE = "PU111 says that the columns predict the labels no better than chance"
_NEARLY = "PU110 warns from 95 % of the rows on"
_TIE = "C lies between two points of the grid, because the smaller one was as good up to a tie"
_TRIED = "the search for C starts no higher than the middle of its grid, so it tries other values"

_CLUSTERED = "standard errors take groups, and those of `observed` are refused with them"
_SOFTER = "PU201 applies to lines alone"
_SEARCHED = "PU208 is a check more, which stands before those that follow"

CHANGED: dict[str, str] = {
    **{
        f"PULogistic, {kind} / groups: {part}": _CLUSTERED
        for kind in ("folds / NumPy", "folds / sparse", "naive direction / NumPy")
        for part in ("estimates.covariance", "observed", "summary")
    },
    "command: groups: summary.coefficients": _CLUSTERED,
    "diagnosis: PUEnsemble / curved: scar": _SOFTER,
    "diagnosis: PUThresholdClassifier, forest / by_feature: scar": _SOFTER,
    **{f"command: default: summary.findings.{k}": _SEARCHED for k in range(7, 12)},
    "easy / PUThresholdClassifier, leave-one-out / sparse / labels: codes": "PU106 of the "
    "estimator inside was about its own class prior",
    "command: names: summary.notes.comparison": "why methods were not compared is always said",
    "command: default: summary.findings.9.message": "the check counts copies of every kind",
    "many rows: line": "C, direction and c are chosen on rows drawn by what is in them and by "
    "random_state, no longer by their order",
    "audit.model": "a checksum of the model file, which holds its features as plain values now",
    "audit.name": "follows from the checksum of the model file",
    "summary.audits": "the name of the audit, as above",
    "easy / PUEnsemble / map / groups: class_prior_density_.probability": "two points of the "
    "density lie at the same class prior up to rounding, and change places",
    "easy / PropensityLogistic / NumPy / groups": _TIE,
    "curved / PULogistic / frame / groups": _TIE,
    "counts / PropensityLogistic / NumPy / names: Cs_": _TRIED,
    "counts / PropensityLogistic / NumPy / names: scores_": _TRIED,
    "counts / PropensityLogistic / NumPy / answers: Cs_": _TRIED,
    "counts / PropensityLogistic / NumPy / answers: scores_": _TRIED,
    "few_labels / PUEnsemble / frame / prior": _TIE,
    "counts / PropensityLogistic / NumPy / names: n_iter_": _TRIED,
    "easy / PUThresholdClassifier, forest / NumPy / labels: codes": _NEARLY,
    "skewed / PULogistic, folds / sparse / groups: codes": _NEARLY,
    "few_labels / EnhancedLogistic / array API / two samples: codes": _CHANCE,
    "few_labels / NaiveLogistic / Dask / labels: codes": _CHANCE,
    "resamples: easy: importance.falls": _TIE,
    "resamples: skewed: bootstrap share": _TIE,
    "counts / PULogistic, folds": "equal rows share a fold",
    "counts / PUThresholdClassifier, forest": "equal rows share a fold",
    "priors: easy: codes": "PU130, as below",
    "priors: skewed: codes": "PU130, as below",
    "weights: codes": "PU130 asks what weights are that are no whole numbers, and are numbers of "
    "copies as all weights were",
    "command: names: summary.method.why": "`auto` chooses by labels between line and ensemble",
    "command: checked": "`auto` asks the answers along the score of the ensemble",
    "command: prior": "the line that `auto` chose ignored `--class-prior`",
}
"""Part of a path whose number changed: why."""

_RECUT = "the posterior that answers move agrees to 1e-11; its Newton steps end within 1e-9"
_AVERAGE = "the scores agree to 1e-11; Newton steps to the mode of the average end within 1e-8"
_LINE = (
    "a logistic line along a score comes from Newton steps, which end at a gradient of 1e-13 where "
    "L-BFGS ended at 1e-5"
)
_CURVE = (
    "on the way to the best curve along a score no probability is cut off at 1e-14; the steps of "
    "Fisher scoring end within 1e-9"
)
_START = "a fit starts at that of another C, and its Newton steps end within 1e-8"
_WITH_A_LINE = (
    "PUEnsemble",
    "PUThresholdClassifier, forest",
    "easy / PropensityLogistic / NumPy / groups",
    "many rows: forest",
    "priors: easy",
    "command: default",
    "command: groups",
    "command: names",
    "command: ensemble",
)
SOLVER: dict[str, str] = dict.fromkeys(_WITH_A_LINE, _LINE) | {
    "few_labels / PULogistic, naive direction / NumPy / groups: class_prior_density_": _CURVE,
    "sensitivity: PUEnsemble": _AVERAGE,
    "summary.sensitivity": _AVERAGE,
    "counts / PropensityLogistic / NumPy / names": _START,
    "few_labels / PropensityLogistic / NumPy / names": _START,
    "audit: two samples: choose_cut": _RECUT,
    "audit: two samples: recut": _RECUT,
    "command: ensemble: audited": _RECUT,
}
"""Part of a path whose number comes from another solver and agrees to 1e-6: which."""
