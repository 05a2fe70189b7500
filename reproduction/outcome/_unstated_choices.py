"""What the paper does not state, what we chose, and how certain each choice is."""

from __future__ import annotations

from typing import NamedTuple

CERTAINTIES = {
    "certain": "found in files or determined by printed numbers",
    "likely": "found in the laboratory's code, from which the paper's code derives",
    "guess": "plausible, without written support",
    "unknown": "not stated anywhere; our choice",
}


class Choice(NamedTuple):
    """One thing that the paper does not state."""

    question: str
    chosen: str
    certainty: str


UNSTATED_CHOICES = (
    Choice(
        "Which data sets?",
        "The text discusses six, the table lists nine. We run all nine and judge claims on the "
        "six in the text: adult, banknote, credit-a, diabetes, musk, spambase.",
        "certain",
    ),
    Choice(
        "Which class is positive?",
        "The minority class everywhere: the only choice that gives the table's fractions.",
        "certain",
    ),
    Choice(
        "How does adult get 57 features?",
        "The training file of 32 561 rows. Six numeric columns. Categorical columns become 0/1 "
        "columns without their first level; '?' is a level, and rare levels are merged so that "
        "at most ten remain. Equal, entry by entry, to the matrix in the laboratory's repository.",
        "certain",
    ),
    Choice(
        "How does credit-a get 38 features?",
        "Six numeric columns, with missing values filled by the median. The others are coded as "
        "in adult; '?' is kept but not counted among the ten levels. Equal, entry by entry, to "
        "the laboratory's matrix.",
        "certain",
    ),
    Choice("Missing values of breast-w?", "The column's mean.", "certain"),
    Choice(
        "Is there a maximum-likelihood fit at all?",
        "Without a penalty, adult has no finite one (two levels have no positive rows), credit-a "
        "has no unique one, and at c = .1 musk has fewer labeled rows than features. Results "
        "there depend on where an optimizer stops. Hence the two settings.",
        "certain",
    ),
    Choice(
        "How many repeats?", "200, as the paper says. This page lists its own above.", "certain"
    ),
    Choice(
        "How are rows split?",
        "80/20 at random, not stratified, after labels are drawn on the whole set. A split in "
        "which a part lacks a class is drawn again.",
        "likely",
    ),
    Choice(
        "Are features scaled?",
        "Standardized by the training rows, as in the laboratory's code; the paper's own script "
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
        "The intended one. The paper may have used the realized share of labeled positives.",
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
        "Not published as numbers, so only claims in words can be compared.",
        "unknown",
    ),
    Choice(
        "What do 'on par', 'marginally', 'very low', 'huge' mean?",
        "Our margins, stated with every claim.",
        "unknown",
    ),
)
