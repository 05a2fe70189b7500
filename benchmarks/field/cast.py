"""The methods compared: ours, the paper's, and those of other packages."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from sklearn.ensemble import ExtraTreesClassifier

from unlabeled import PULogistic, PUThresholdClassifier
from unlabeled.paper.studies.methods import METHODS, Key, Method

from . import pu_toolbox_peers as toolbox
from . import pulearn_peers as pulearn
from .peer import Fit, Peer

CAST = "benchmarks.field.cast:FIELD"
"""Where a worker finds the methods; recorded in manifests."""

PACKAGES = ("pulearn", "pu-toolbox", "torch")
"""Packages whose versions the manifest names."""

OURS, PAPER, PULEARN, TOOLBOX = "ours", "the paper", "pulearn", "pu-toolbox"
PEERS = (PULEARN, TOOLBOX)

TREES, LEAST_LEAF = 100, 5
# Training rows above which a method is not fitted; the records and the page show it.
MANY, SOME = 10_000, 5_000


@dataclass(frozen=True)
class Role:
    """A method of the comparison: its side, its name on the page, and how it is fitted."""

    side: str
    name: str
    method: Method

    @property
    def is_quick(self) -> bool:
        """Whether it is repeated as often as PULogistic, as the paper's methods are."""
        return self.side == PAPER or self.method.name == "pu_logistic"

    @property
    def is_rival(self) -> bool:
        """Whether it may beat us: it is not the oracle, and is not handed the prior."""
        return not self.method.sees_classes and not self.method.sees_prior


def _make_pu_logistic(rule: str, seed: int) -> Any:
    """Return PULogistic with a rule for its cut."""
    return PULogistic(rule=rule, random_state=seed)


def _make_forest(rule: str, seed: int) -> Any:
    """Return a forest of randomised trees, cut on its out-of-bag scores."""
    forest = ExtraTreesClassifier(
        TREES, min_samples_leaf=LEAST_LEAF, bootstrap=True, oob_score=True, random_state=seed
    )
    return PUThresholdClassifier(forest, rule=rule, cv="oob")


_RULES = {"f1": "F1 rule", "balanced_accuracy": "BA rule"}


def _ours() -> list[Role]:
    kinds = {"pu_logistic": ("PULogistic", _make_pu_logistic), "forest": ("Forest", _make_forest)}
    return [
        Role(OURS, f"{name}, {words}", Method(key, rule, partial(make, rule)))
        for key, (name, make) in kinds.items()
        for rule, words in _RULES.items()
    ]


def _papers() -> list[Role]:
    names = {"oracle": "Oracle", "naive": "Naive", "enhanced": "Enhanced", "joint": "JOINT"}
    names |= {"mm": "MM", "en": "EN", "tice": "TIcE"}
    return [
        Role(PAPER, names[name] + (f", {setting}" if setting != "-" else ""), method)
        for (name, setting), method in METHODS.items()
    ]


def _peer(
    side: str, key: str, name: str, fit: Fit, *, handed: bool = False, most_rows: int | None = None
) -> Role:
    setting = "true prior" if handed else "-"
    method = Method(
        f"{side} {key}",
        setting,
        partial(_make_peer, fit, most_rows),
        sees_prior=handed,
    )
    return Role(side, f"{side} {name}" + (", handed the prior" if handed else ""), method)


def _make_peer(fit: Fit, most_rows: int | None, seed: int) -> Peer:
    return Peer(fit, seed, most_rows)


_PULEARN = [
    _peer(PULEARN, "elkan_noto", "Elkan-Noto", pulearn.fit_elkan_noto),
    _peer(PULEARN, "weighted_elkan_noto", "weighted E-N", pulearn.fit_weighted_elkan_noto),
    _peer(PULEARN, "bagging", "bagging", pulearn.fit_bagging),
    _peer(PULEARN, "nnpu", "nnPU", pulearn.fit_nnpu, most_rows=MANY),
    _peer(PULEARN, "nnpu", "nnPU", pulearn.fit_nnpu, handed=True),
    _peer(PULEARN, "naive_bayes", "naive Bayes", pulearn.fit_naive_bayes),
    _peer(PULEARN, "weighted_naive_bayes", "weighted NB", pulearn.fit_weighted_naive_bayes),
    _peer(PULEARN, "tan", "TAN", pulearn.fit_tan, most_rows=SOME),
    _peer(PULEARN, "weighted_tan", "weighted TAN", pulearn.fit_weighted_tan, most_rows=SOME),
]
_TOOLBOX = [
    _peer(TOOLBOX, "auto", "auto", toolbox.fit_auto, most_rows=MANY),
    _peer(TOOLBOX, "elkan_noto", "Elkan-Noto", toolbox.fit_elkan_noto),
    _peer(TOOLBOX, "upu", "uPU", toolbox.fit_upu),
    _peer(TOOLBOX, "upu", "uPU", toolbox.fit_upu, handed=True),
    _peer(TOOLBOX, "nnpu", "nnPU", toolbox.fit_nnpu, most_rows=SOME),
    _peer(TOOLBOX, "pusb", "PUSB", toolbox.fit_pusb),
    _peer(TOOLBOX, "lbe", "LBE", toolbox.fit_lbe, most_rows=SOME),
]

ROLES: dict[Key, Role] = {
    (role.method.name, role.method.setting): role
    for role in (*_papers(), *_ours(), *_PULEARN, *_TOOLBOX)
}
"""Every method by its key in the records. The oracle comes first: angles are to its direction."""

FIELD: dict[Key, Method] = {key: role.method for key, role in ROLES.items()}
"""What the workers run."""
