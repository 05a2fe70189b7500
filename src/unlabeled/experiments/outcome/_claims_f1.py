"""The paper's F1 orderings, one claim a data set, data only."""

from __future__ import annotations

from ._claim import Claim, Where
from ._claim_types import greater, marginally_worse, on_par
from ._names import COMPETITORS

PLACE = "Section IV-B, Real datasets, F1 measure"

_BETTER = "the enhanced classifier works better (data sets musk, credit-a, diabetes, adult)"
_THAN = "with JOINT and MM estimators"
_OUTPERFORMS = (
    "It also outperforms TIcE and EN estimators on three data sets: banknote, musk and spam"
)
_ADULT = "On adult data set enhanced classifier works better than EN and on par with TIcE"
_EACH = "F1 of Enhanced minus that of {} on {}, over all c: {}."


def _on(name: str) -> Where:
    return Where("real", (name,))


def _better_than_joint_and_mm(name: str) -> Claim:
    return Claim(
        f"f1-{name}-parametric",
        f"In all cases but one case {_BETTER} […] {_THAN}",
        PLACE,
        _EACH.format("JOINT and of MM", name, "above 0"),
        tuple(greater("enhanced", other, _on(name)) for other in ("joint", "mm")),
    )


def _better_than_tice_and_en(name: str) -> Claim:
    return Claim(
        f"f1-{name}-weighted",
        _OUTPERFORMS,
        PLACE,
        _EACH.format("TIcE and of EN", name, "above 0"),
        tuple(greater("enhanced", other, _on(name)) for other in ("tice", "en")),
    )


F1_CLAIMS = (
    *(_better_than_joint_and_mm(name) for name in ("musk", "credit-a", "diabetes", "adult")),
    Claim(
        "f1-banknote-parametric",
        f"or on par (banknote) {_THAN}",
        PLACE,
        _EACH.format("JOINT and of MM", "banknote", "within ±.01"),
        tuple(on_par("enhanced", other, _on("banknote")) for other in ("joint", "mm")),
    ),
    Claim(
        "f1-spambase-parametric",
        "In the case of spam it works marginally worse than JOINT and MM",
        PLACE,
        _EACH.format("JOINT and of MM", "spambase", "between −.02 and 0"),
        tuple(marginally_worse("enhanced", other, _on("spambase")) for other in ("joint", "mm")),
    ),
    *(_better_than_tice_and_en(name) for name in ("banknote", "musk", "spambase")),
    Claim(
        "f1-adult-en",
        _ADULT,
        PLACE,
        _EACH.format("EN", "adult", "above 0"),
        (greater("enhanced", "en", _on("adult")),),
    ),
    Claim(
        "f1-adult-tice",
        _ADULT,
        PLACE,
        _EACH.format("TIcE", "adult", "within ±.01"),
        (on_par("enhanced", "tice", _on("adult")),),
    ),
    Claim(
        "f1-musk-excellent",
        "Its excellent performance on musk data set is worth pointing out",
        PLACE,
        _EACH.format("the best of JOINT, MM, EN and TIcE", "musk", "above 0"),
        (greater("enhanced", COMPETITORS, _on("musk")),),
    ),
)
