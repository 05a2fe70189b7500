"""The paper's claims about its synthetic data, data only."""

from __future__ import annotations

from ._claim import Claim, Part, Where
from ._claim_types import COINCIDE, greater, no_worse, on_par, small, trend
from ._names import COMPETITORS, SYNTHETIC

PLACE = "Section IV-A, Synthetic data"
RECOVERED = 10.0  # degrees


def _at(c: float) -> Where:
    return Where("synthetic", (SYNTHETIC,), c=(c, c))


_BOTH = Where("synthetic", (SYNTHETIC,))
_LARGE = [Where("synthetic", (SYNTHETIC,), c=(c, c), n=(1001, float("inf"))) for c in (0.3, 0.6)]


def _better_directions() -> tuple[Part, ...]:
    return tuple(
        greater(worse, better, _BOTH, "angle", every_cell=True)
        for better in ("naive", "mm", "joint")
        for worse in ("en", "tice")
    )


SYNTHETIC_CLAIMS = (
    Claim(
        "direction-recovered",
        "the direction of β₋₀ is approximately recovered by direction of naive estimator β̂₋₀ "
        "for sample sizes larger than 1000",
        PLACE,
        "Mean angle of the naive slopes to β, over the sizes above 1000: below 10 degrees.",
        tuple(small("naive", RECOVERED, where, "angle") for where in _LARGE),
    ),
    Claim(
        "direction-improves",
        "and the accuracy increases with increasing sample size",
        PLACE,
        "Slope of the mean angle of the naive estimator in log₂ n: negative.",
        tuple(trend(("naive",), "n", False, _at(c), "angle") for c in (0.3, 0.6)),
    ),
    Claim(
        "angles-coincide",
        "the accuracy of β̂₋₀ measured by mean difference of angles for naive, MM and JOINT "
        "estimators approximately coincides",
        PLACE,
        "Mean difference of the angles, over all sizes: within ±1 degree.",
        tuple(
            on_par("naive", other, _at(c), "angle", COINCIDE)
            for c in (0.3, 0.6)
            for other in ("mm", "joint")
        ),
    ),
    Claim(
        "angles-better",
        "and is consistently better than that of EN and TIcE estimators",
        PLACE,
        "Angle of EN and TIcE minus that of naive, MM and JOINT, over all sizes and both c: "
        "above 0, and no single size and c with the opposite by 3 standard errors.",
        _better_directions(),
    ),
    Claim(
        "synthetic-f1",
        "In terms of F1 measure shown in the second row the introduced enhanced naive classifier "
        "works consistently better than its competitors",
        PLACE,
        "F1 of Enhanced minus that of each other method, over all sizes and both c: above 0, and "
        "no single size and c with the opposite by 3 standard errors.",
        tuple(
            greater("enhanced", other, _BOTH, every_cell=True) for other in ("naive", *COMPETITORS)
        ),
    ),
    Claim(
        "synthetic-ba",
        "in terms of Balanced Accuracy (third row) it is only outperformed by EN classifier for "
        "c=0.3",
        PLACE,
        "Balanced accuracy over all sizes: EN minus Enhanced above 0 at c = .3; Enhanced minus "
        "each other one, and minus all of them at c = .6, above −.01 (not outperformed).",
        (
            greater("en", "enhanced", _at(0.3), "balanced_accuracy"),
            *(
                no_worse("enhanced", other, _at(c), "balanced_accuracy")
                for c in (0.3, 0.6)
                for other in ("naive", *COMPETITORS)
                if (other, c) != ("en", 0.3)
            ),
        ),
    ),
)
