"""The words of the records, data only: studies, methods, settings, measures, mechanisms."""

from __future__ import annotations

STUDIES: dict[str, str] = {
    "synthetic": "Synthetic data (figure 1)",
    "real": "Nine real data sets (figures 2 and 3)",
    "timing": "Training times on adult (last table)",
    "robustness": "Labels that are not selected completely at random (the paper's future work)",
}

METHODS: dict[str, str] = {
    "oracle": "Oracle",
    "naive": "Naive",
    "enhanced": "Enhanced",
    "joint": "JOINT",
    "mm": "MM",
    "en": "EN",
    "tice": "TIcE",
}
COMPETITORS = ("joint", "mm", "en", "tice")
COMPARED = ("naive", "enhanced", *COMPETITORS)

SETTINGS: dict[str, str] = {
    "published": (
        "As published: the laboratory's optimiser settings and in-sample e1; MM with its own outer "
        "iterates and stopping rule, the inner problem solved exactly; EN and TIcE at the "
        "published optimiser's stopping point."
    ),
    "converged": (
        "Converged: JOINT from several starts; EN and TIcE with a ridge chosen by "
        "cross-validated PU risk, since unpenalised they have no optimum."
    ),
}
ONE_SETTING = "-"
SETTING_WORDS = {"published": "as published", "converged": "converged"}

MEASURES: dict[str, str] = {
    "f1": "F1",
    "balanced_accuracy": "Balanced accuracy",
    "angle": "Angle to β (degrees)",
    "label_frequency": "Estimated label frequency",
    "class_prior": "Estimated class prior",
    "fit_seconds": "Training time (s)",
}

MECHANISMS: dict[str, str] = {
    "scar": "SCAR",
    "posterior": "e ∝ y(x)",
    "posterior_squared": "e ∝ y(x)²",
    "logistic": "e logistic in x",
}

SYNTHETIC = "paper_gaussian"
DISCUSSED = ("adult", "banknote", "credit-a", "diabetes", "musk", "spambase")
"""The six sets the paper's text and figures discuss; its table lists nine."""

PLACE = ["dataset", "mechanism", "n", "c"]
CELL = ["study", *PLACE, "method", "setting"]


def method_name(method: str, setting: str = ONE_SETTING) -> str:
    """Return a method's name as printed, with its setting where it has more than one."""
    name = METHODS.get(method, method)
    return name if setting == ONE_SETTING else f"{name}, {setting}"


def in_order(found: list[str], known: dict[str, str]) -> list[str]:
    """Return the distinct names found, known ones in the known order, others after them."""
    names = set(found)
    return [name for name in known if name in names] + sorted(names - set(known))


def setting_of(records_setting: str) -> tuple[str, str]:
    """Return the values of `setting` that a reader of one setting wants to see."""
    return (records_setting, ONE_SETTING)
