"""What the paper left open and what was chosen here, data only, with degrees of certainty."""

from __future__ import annotations

from typing import NamedTuple

CERTAINTIES = {
    "certain": "read in files or fixed by printed numbers",
    "likely": "read in the laboratory's code, of which the paper's is a descendant",
    "guess": "plausible, with nothing written to support it",
    "unknown": "not to be found; a choice of ours",
}


class Choice(NamedTuple):
    """One thing the paper does not say."""

    question: str
    chosen: str
    certainty: str


UNSTATED_CHOICES = (
    Choice(
        "Which data sets?",
        "The text speaks of six, the table lists nine. All nine are run; claims are judged on "
        "the six the text discusses: adult, banknote, credit-a, diabetes, musk, spambase.",
        "certain",
    ),
    Choice(
        "Which class is positive?",
        "The minority class everywhere: the only choice that gives the table's fractions.",
        "certain",
    ),
    Choice(
        "How does adult get 57 features?",
        "The training file of 32 561 rows; six numeric columns; categorical columns as 0/1 "
        "columns without their first level, '?' being a level, at most ten levels (the rarer ones "
        "merged). Equal, entry by entry, to the matrix in the laboratory's repository.",
        "certain",
    ),
    Choice(
        "How does credit-a get 38 features?",
        "Six numeric columns, missing values filled with the median; the others coded as in "
        "adult, '?' kept but not counted among the ten levels. Equal, entry by entry, to the "
        "laboratory's matrix.",
        "certain",
    ),
    Choice("Missing values of breast-w?", "The column's mean.", "certain"),
    Choice(
        "Is there a maximum-likelihood fit at all?",
        "On adult there is no finite one without a penalty (two levels have no positive rows), "
        "on credit-a it is not unique, and at c = .1 musk has fewer labelled rows than features; "
        "results there depend on where an optimiser stops. Hence the two settings.",
        "certain",
    ),
    Choice("How many repeats?", "200, as the paper says; those of this page are above.", "certain"),
    Choice(
        "How are rows split?",
        "80/20 at random, not stratified, after labels were drawn on the whole set; drawn again "
        "when a part lacks a class.",
        "likely",
    ),
    Choice(
        "Are features scaled?",
        "Standardised by the training rows, as in the laboratory's code; the paper's own script "
        "for Enhanced does not scale.",
        "likely",
    ),
    Choice("Which label frequencies?", "c = .1, .2, …, .9.", "likely"),
    Choice(
        "Which variants of the competitors?",
        "JOINT by L-BFGS-B within a box; MM with its own outer iterations (the inner problem "
        "solved exactly rather than by OSQP); EN with in-sample e1 and TIcE with random folds, "
        "both weighting the empirical risk.",
        "likely",
    ),
    Choice("Were features selected?", "No: the table lists full dimensions.", "guess"),
    Choice("Do methods share splits?", "Yes, so differences are paired.", "guess"),
    Choice(
        "Which c is on the axis?",
        "The one aimed at. The paper may have recorded the realised share of labelled positives.",
        "guess",
    ),
    Choice(
        "Which files of banknote, haberman, ionosphere, musk?",
        "Those of the UCI repository (musk: version 2).",
        "guess",
    ),
    Choice(
        "What is a mean difference of angles?",
        "The mean of the angle between the fitted and the true slopes, in degrees, on the "
        "original scale of the features.",
        "guess",
    ),
    Choice(
        "Which sample sizes, and which test rows, of the synthetic data?",
        "Several n from 500 to 5000; a fresh test sample of 10 000 rows.",
        "unknown",
    ),
    Choice("Random seeds and software versions?", "Ours, listed above.", "unknown"),
    Choice(
        "The values in the figures?",
        "Not published in numbers, so claims in words are all there is to compare with.",
        "unknown",
    ),
    Choice(
        "What do 'on par', 'marginally', 'very low', 'huge' mean?",
        "Margins of ours, stated with every claim.",
        "unknown",
    ),
)
