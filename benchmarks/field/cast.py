"""The methods compared: ours, the paper's, and those of other packages."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from sklearn.ensemble import ExtraTreesClassifier

from reproduction.outcome import method_name
from reproduction.studies.methods import METHODS, Key, Method
from unlabeled import PUThresholdClassifier

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
    def is_rival(self) -> bool:
        """Whether it may beat us: it is not the oracle, and is not handed the prior."""
        return not self.method.sees_classes and not self.method.sees_prior


def _make_forest(seed: int) -> Any:
    """Return a forest of randomized trees, cut on its out-of-bag scores."""
    forest = ExtraTreesClassifier(
        TREES, min_samples_leaf=LEAST_LEAF, bootstrap=True, oob_score=True, random_state=seed
    )
    return PUThresholdClassifier(forest, "f1_pu", cv="oob")


_FOREST = Method("forest", "-", _make_forest)
_OURS = {
    **METHODS,
    _FOREST.key: _FOREST,
    ("forest_ba", "-"): _FOREST.cut_for("forest_ba", "balanced_accuracy"),
}


def _ours() -> list[Role]:
    names = {"pu_logistic": "PULogistic", "pu_ensemble": "PUEnsemble", "forest": "Forest"}
    return [
        Role(OURS, f"{name}, {words}", _OURS[key + suffix, "-"])
        for key, name in names.items()
        for suffix, words in (("", "F1 rule"), ("_ba", "BA rule"))
    ]


def _papers() -> list[Role]:
    return [
        Role(PAPER, method_name(*key), method)
        for key, method in METHODS.items()
        if not key[0].startswith("pu_")
    ]


def _peer(
    side: str, key: str, name: str, fit: Fit, *, handed: bool = False, max_rows: int | None = None
) -> Role:
    setting = "true prior" if handed else "-"
    method = Method(
        f"{side} {key}",
        setting,
        partial(_make_peer, fit, max_rows),
        sees_prior=handed,
    )
    return Role(side, f"{side} {name}" + (", handed the prior" if handed else ""), method)


def _make_peer(fit: Fit, max_rows: int | None, seed: int) -> Peer:
    return Peer(fit, seed, max_rows)


_PULEARN = [
    _peer(PULEARN, "elkan_noto", "Elkan-Noto", pulearn.fit_elkan_noto),
    _peer(PULEARN, "weighted_elkan_noto", "weighted E-N", pulearn.fit_weighted_elkan_noto),
    _peer(PULEARN, "bagging", "bagging", pulearn.fit_bagging),
    _peer(PULEARN, "nnpu", "nnPU", pulearn.fit_nnpu, max_rows=MANY),
    _peer(PULEARN, "nnpu", "nnPU", pulearn.fit_nnpu, handed=True),
    _peer(PULEARN, "naive_bayes", "naive Bayes", pulearn.fit_naive_bayes),
    _peer(PULEARN, "weighted_naive_bayes", "weighted NB", pulearn.fit_weighted_naive_bayes),
    _peer(PULEARN, "tan", "TAN", pulearn.fit_tan, max_rows=SOME),
    _peer(PULEARN, "weighted_tan", "weighted TAN", pulearn.fit_weighted_tan, max_rows=SOME),
]
_TOOLBOX = [
    _peer(TOOLBOX, "auto", "auto", toolbox.fit_auto, max_rows=MANY),
    _peer(TOOLBOX, "elkan_noto", "Elkan-Noto", toolbox.fit_elkan_noto),
    _peer(TOOLBOX, "upu", "uPU", toolbox.fit_upu),
    _peer(TOOLBOX, "upu", "uPU", toolbox.fit_upu, handed=True),
    _peer(TOOLBOX, "nnpu", "nnPU", toolbox.fit_nnpu, max_rows=SOME),
    _peer(TOOLBOX, "pusb", "PUSB", toolbox.fit_pusb),
    _peer(TOOLBOX, "lbe", "LBE", toolbox.fit_lbe, max_rows=SOME),
]

ROLES: dict[Key, Role] = {
    (role.method.name, role.method.setting): role
    for role in (*_papers(), *_ours(), *_PULEARN, *_TOOLBOX)
}
"""Every method by its key in the records. The oracle comes first: angles are to its direction."""

FIELD: dict[Key, Method] = {key: role.method for key, role in ROLES.items()}
"""What the workers run."""
