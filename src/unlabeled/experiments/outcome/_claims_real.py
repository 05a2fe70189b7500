"""The paper's claims about its real data sets but for F1 orderings and times, data only."""

from __future__ import annotations

from ._claim import Claim, Where
from ._claim_types import greater, no_worse, se_bound, similar, small, trend
from ._names import COMPARED, COMPETITORS, DISCUSSED

PLACE = "Section IV-B, Real datasets"
SE = 0.01
LARGEST_SE = 0.026
VERY_LOW = 0.3
NEAR_ZERO = 0.1
HUGE = 0.1

_ALL = Where("real", DISCUSSED)
_REST = tuple(name for name in DISCUSSED if name not in ("credit-a", "diabetes"))
_OTHERS = tuple(method for method in COMPARED if method != "joint")


def _on(*names: str, c: tuple[float, float] = (0.0, 1.0)) -> Where:
    return Where("real", names, c=c)


STANDARD_ERROR_CLAIMS = (
    Claim(
        "se-most",
        "Standard errors for the mean are smaller than 0.01 in most cases for both F1 and BA "
        "measure",
        PLACE,
        "Median over the six sets discussed, all c and methods, of the standard error at 200 "
        "repeats: below .01.",
        tuple(
            se_bound("median", COMPARED, _ALL, measure, high=SE)
            for measure in ("f1", "balanced_accuracy")
        ),
    ),
    Claim(
        "se-exceptions",
        "with the only exception of F1 measure on credit-a and diabetes data set",
        PLACE,
        "Largest standard error at 200 repeats over all c and methods: above .01 for F1 on "
        "credit-a and on diabetes; below it for F1 on the other four sets and for balanced "
        "accuracy on all six.",
        (
            se_bound("largest", COMPARED, _on("credit-a"), "f1", low=SE),
            se_bound("largest", COMPARED, _on("diabetes"), "f1", low=SE),
            se_bound("largest", COMPARED, _on(*_REST), "f1", high=SE),
            se_bound("largest", COMPARED, _ALL, "balanced_accuracy", high=SE),
        ),
    ),
    Claim(
        "se-largest",
        "and the maximal value of SE is 0.026 for JOINT estimator on credit-a",
        PLACE,
        "Largest standard error of F1 at 200 repeats: JOINT on credit-a within .021 and .031, "
        "all other methods and sets below .026.",
        (
            se_bound("largest", ("joint",), _on("credit-a"), "f1", 0.021, 0.031),
            se_bound("largest", _OTHERS, _ALL, "f1", high=LARGEST_SE),
            se_bound("largest", ("joint",), _on(*_REST, "diabetes"), "f1", high=LARGEST_SE),
        ),
    ),
)

INTERCEPT_CLAIMS = (
    Claim(
        "naive-low",
        "F1 measure for naive classifier is very low for c≤0.5",
        PLACE,
        "Mean F1 of the naive classifier over c ≤ .5 on each of the six sets: below .3.",
        tuple(small("naive", VERY_LOW, _on(name, c=(0, 0.5))) for name in DISCUSSED),
    ),
    Claim(
        "naive-zero",
        "and approach 0 for c close to 0",
        PLACE,
        "Mean F1 of the naive classifier at c = .1 on each of the six sets: below .1.",
        tuple(small("naive", NEAR_ZERO, _on(name, c=(0, 0.1))) for name in DISCUSSED),
    ),
    Claim(
        "intercept-huge",
        "the change of the intercept estimator, which is the only difference between the naive "
        "classifier and its enhanced version, has a huge impact on its performance with regard "
        "to both considered measures",
        PLACE,
        "Enhanced minus naive over the six sets and all c: above .1 in F1 and in balanced "
        "accuracy.",
        tuple(
            greater("enhanced", "naive", _ALL, measure, by=HUGE)
            for measure in ("f1", "balanced_accuracy")
        ),
    ),
    Claim(
        "naive-poor",
        "the naive classifier applied to (S,X) data will work poorly, especially for small c",
        "Remark III.1",
        "Slope in c of oracle minus naive, F1, over the six sets: negative.",
        (trend(("oracle", "naive"), "c", False, _ALL),),
    ),
    Claim(
        "deteriorates",
        "The performance of enhanced estimator deteriorates for small values of c",
        PLACE + ", F1 measure",
        "Slope in c of the F1 of Enhanced on each of the six sets: positive.",
        tuple(trend(("enhanced",), "c", True, _on(name)) for name in DISCUSSED),
    ),
    Claim(
        "ba-similar",
        "The performance of enhanced estimator with respect of Balanced Accuracy is similar to "
        "that with respect to F1 measure",
        PLACE + ", Balanced Accuracy",
        "Correlation, over the six sets and the four competitors, of Enhanced minus competitor "
        "in F1 and in balanced accuracy (means over c): above .5.",
        (similar(("enhanced", *COMPETITORS), _ALL, 0.5),),
    ),
    Claim(
        "abstract",
        "a classifier which performs on par or better than its competitors on several real data "
        "sets considered",
        "Abstract",
        "F1 of Enhanced minus that of the best of JOINT, MM, EN and TIcE on the set, over all c: "
        "above −.01 on at least three of the six sets (several).",
        tuple(no_worse("enhanced", COMPETITORS, _on(name)) for name in DISCUSSED),
        enough=3,
    ),
)
