"""The classifier to use: ridge, direction and cut chosen from the labels alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from numbers import Real
from typing import Any, Literal, NamedTuple, Never, Self, get_args

import numpy as np
from sklearn.utils.validation import has_fit_parameter

from ..classifier import DecidedClassifier
from ..engine.arrays import on_device_of, reject_other_length, to_host, with_distinct_entries
from ..engine.estimators import reject_other_arguments
from ..engine.linear_fits import BLOCK_ROWS, RidgePath, Watch, report_fit
from ..engine.parameters import check_choice, check_positive, check_seed, check_stopping
from ..engine.rows import (
    SAMPLING,
    Folds,
    LabelEncoding,
    Rows,
    WeightsWord,
    fingerprint_rows,
    label_folds,
    labels_in,
    map_rows,
    possible_folds,
    reject_chunks,
    reject_without_folds,
    report_copies,
    validate_new_rows,
    validate_weight,
)
from ..engine.sampling import ONE_SAMPLE, SamplingWord
from ..engine.sklearn_types import available_if
from ..inference import Estimates
from ..scores import (
    CheckedScore,
    Decision,
    ResolvedPrior,
    ScoredRows,
    fit_checked_score,
    label_effects,
    reject_impossible_prior,
    resolve_class_prior,
    shift_of_unknown,
    shifted,
)
from ..thresholds import Cuts, Rule, get_rule
from ._coefficients import LABELED_PER_FEATURE, Coefficients, Frequencies
from ._direction import (
    ComparableFeatures,
    Direction,
    held_out_splits,
    joint_direction,
    naive_direction,
)
from ._label_leak import report_label_leak
from ._likelihood import CheckedRowsClassifier, interval_facts
from ._many_rows import MOST_FEATURES, LeftOutScore, fit_all, subset_of

DirectionWord = Literal["joint", "naive"]


def _has_rows_elsewhere(model: Any) -> bool:
    """Raise if a fit keeps the scores of all rows, or if it is from a model file."""
    if not hasattr(model, "_left_out_"):
        raise AttributeError(
            "`held_out_scores` needs a fit to many rows in chunks or on a device. A fit to rows in "
            "memory has `held_out_score_`, with the scores of all rows; a model file has neither."
        )
    return True


class Knowledge(NamedTuple):
    """What is known beside the labels, along a direction.

    Attributes
    ----------
    prior : ResolvedPrior or None
        The class prior; None if the held-out scores tell it.
    posterior_if_unlabeled : ndarray of shape (n_rows,) or None
        r = P(Y=1|S=0,x) of every row; None if labels are given at random and no row was checked.
    answered : CheckedScore or None
        The curve of r along the score, if it follows from answers.
    """

    prior: ResolvedPrior | None = None
    posterior_if_unlabeled: np.ndarray | None = None
    answered: CheckedScore | None = None


class HeldOut(NamedTuple):
    """A direction, and all that a decision looks at along it.

    Attributes
    ----------
    scored : ScoredRows
        Held-out scores ``X @ coef`` beside what is known of the rows, in bins if there are many.
    direction : Direction
        Its `point` has the fit to all rows.
    coef : ndarray of shape (n_features,)
        For the features as they were given.
    intercept : float
    scale : ndarray of shape (n_features,)
        Makes the features comparable.
    knowledge : Knowledge
    """

    scored: ScoredRows
    direction: Direction
    coef: np.ndarray
    intercept: float
    scale: np.ndarray
    knowledge: Knowledge


class PULogistic(DecidedClassifier, CheckedRowsClassifier):
    r"""Logistic regression for positive and unlabeled rows that needs nothing but X and labels.

    Assumes SCAR: labeled rows are a random sample of the positive rows.
    Features are standardized inside. The ridge penalty, the direction, the
    class prior and the cut are chosen from the labels, on held-out scores. Use
    it first, above all with few labeled rows.

    Parameters
    ----------
    rule : str or Rule, default="f1"
        What the cut maximizes: a name in `thresholds.RULES`, text such as
        ``"recall_at_least(0.9)"``, or a `thresholds.Rule`.
    class_prior : float, label-frequency estimator, PriorDensity or None, default=None
        P(Y=1) of the population; None estimates it from the held-out scores. A
        `label_frequency.PriorDensity`, such as that of a `PUEnsemble` fitted to the same rows,
        also gives the intervals. With many rows an estimator is fitted to a part of them (see
        Notes), so its `fit` must take `sample_weight`.
    C : float or "auto", default="auto"
        Inverse strength of the ridge on standardized features; "auto"
        chooses it by the likelihood of held-out labels.
    direction : {"joint", "naive"}, default="joint"
        "joint" is the fit of :math:`P(S=1|x) = c\,\sigma(x^Tw + b)` with c
        estimated beforehand (see `JointLogistic`). "naive" is the logistic fit
        to the labels, which takes half the time. It needs Ruud's condition:
        the conditional mean of the features is linear in the true linear
        predictor, as for normal features.
    cv : "auto", "loo", int, splitter or iterable, default="auto"
        How rows are held out to be scored: "loo" leaves out one at a time, in closed
        form; a number makes folds. Every fold needs a labeled and an unlabeled row: if there
        are too few for that many folds, fewer are used (PU118). "auto" is "loo" if there are at
        most 1000 features. With more features it is "loo" only if there are at most 2000 rows,
        and fewer rows than features. Otherwise it is five folds, or fewer. With `groups` it is
        folds of whole groups, and "loo" is rejected. None, which is five folds in
        scikit-learn, is rejected.
    tol : float, default=1e-4
        Tolerance of the fits, as in `NaiveLogistic`.
    max_iter : int, default=1000
        Maximum number of iterations of a fit.
    pos_label : object, default=None
        The value of y that marks labeled rows; if None, the larger number or the text that says it.
    sampling : {"one-sample", "two-sample"}, default="one-sample"
        "two-sample" if the labeled rows come from elsewhere and the unlabeled rows are a sample
        of the population. What is reported is then the population's; see
        :doc:`/choose/two_samples`.
    weights : {"sampling", "frequency"}, default="sampling"
        What `sample_weight` says: how many rows of the population a row stands for, or how often
        the row occurs; see :doc:`/understand/weights`.
    random_state : int, RandomState instance or None, default=None
        Controls the shuffling of the folds, if folds are used, and with many rows which of them
        are searched (see Notes); None always draws the same ones. It also seeds an estimator given
        as `class_prior` whose own `random_state` is None. Pass an int for reproducible output.
    verbose : int, default=0
        0 is silent; 1 prints about one line per second and one at the end; 2
        prints one per evaluation.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
        The direction, for the features as they were given.
    intercept_ : ndarray of shape (1,)
        Minus the chosen cut (plus the cut, if `positive_class_` is ``classes_[0]``), so that
        `decision_function` is 0 at the cut.
    threshold_ : float
        Rows whose `positive_score` lies above it are predicted positive, whichever label
        value is positive.
    posterior_line_ : tuple of float
        Intercept a and slope b of the posterior: the logit of `posterior_at` is a + b times
        the score.
    C_ : float
        The value of C used, on standardized features.
    direction_ : {"joint", "naive"}
        The direction used. With ``direction="joint"`` it can still be "naive":
        if nearly all positives seem to be labeled (both models then
        coincide).
    class_prior_, label_frequency_ : float
        P(Y=1) and c, as given or estimated. With checked rows the class prior
        is the mean of what is known of each row: 1 if it is labeled, the
        answer if it was checked, and otherwise its probability.
    class_prior_density_ : PriorDensity or None
        What the labels say about the share of positive rows: its `mean` is `class_prior_`, and
        `identified` says how far the labels identify it. None if the class prior was given as a
        number or by an estimator, or if rows were checked and no distribution was given.
    n_checked_ : int
        Number of unlabeled rows that were checked.
    n_groups_ : int or None
        Number of groups; None if none were given.
    class_prior_estimator_ : object
        The fitted estimator of the class prior, if one was given.
    cut_ : ChosenCut
        The chosen cut: a threshold, with the recall, the share of rows above
        it and the value of the rule.
    cuts_ : Cuts
        Every cut of the held-out scores, with recall smoothed by the
        posterior; the cut was chosen on this curve. With many rows, one cut per bin of the score.
    observed_cuts_ : Cuts
        The same cuts with the observed recall.
    held_out_score_ : ndarray of shape (n_rows,)
        `positive_score` of every training row by a fit without that row; NaN for rows of weight
        0. Rows in chunks with weight 0 are left out. Model files do not contain it. For many rows
        in chunks or on a device there is none: use `held_out_scores`.
    held_out_posterior_ : ndarray of shape (n_rows,)
        `posterior_at` of `held_out_score_`. Use it for training rows instead of
        `predict_proba`, which has seen their labels.
    held_out_posterior_if_unlabeled_ : ndarray of shape (n_rows,)
        P(Y=1|x, S=0) of every training row, for unlabeled ones; see `posterior_if_unlabeled`.
    Cs_, scores_ : ndarray of shape (n_Cs,)
        The values of C that were tried for the direction used, and the mean
        log-likelihood of held-out labels for each.
    classes_ : ndarray of shape (2,)
        The two label values, sorted. The sign of `decision_function` and the
        columns of `predict_proba` follow this order.
    positive_class_ : object
        The value that marks labeled rows and predicted positives.
    n_features_in_, feature_names_in_
        Number of features seen in `fit`, and their names. The names are defined
        only if X has feature names that are all strings.
    n_iter_ : int
        Iterations of the solver in the fit used.
    converged_ : bool
        Whether that fit reached the tolerance, and the search for C was complete.

    See Also
    --------
    unlabeled.EnhancedLogistic : The paper's classifier: one logistic fit and its cut.
    unlabeled.PUThresholdClassifier : For classes that are not linear.
    unlabeled.diagnostics.diagnose : Evidence against the fit.

    Notes
    -----
    1. Columns are divided by their standard deviation, or by 3 % of
       their range if that is larger. Without this lower limit a column with few nonzero rows
       would dominate. If there are more features than rows, and at most 2000 rows, X
       is replaced by its coordinates in the row space, which does not change a
       ridge fit.
    2. Along a path of C, each row is scored by a fit without it,
       :math:`t_{(-i)} = \bar t + (x_i - \bar x)^T w_{(-i)}`. Here :math:`\bar x`
       is the mean of the rows, weighted by the curvature of the loss, and
       :math:`\bar t` is the prediction of the full fit at :math:`\bar x`. Both stay the
       same for every left-out row.
       Among the values of C whose held-out log-likelihood is within half a
       standard error of the best, the smallest is chosen. Where a comparison is nearly a tie,
       C lies between two points of the grid: rounding moves it hardly.
    3. A first :math:`\hat c` comes from the one-dimensional JOINT model on these
       scores (`label_frequency.OneDimensionalJoint`). With it JOINT is fitted and scored
       in the same way; its C is chosen again.
    4. :math:`\hat\alpha` is averaged over curves along these scores
       (`label_frequency.class_prior_density`), and :math:`\hat c = p_s/\hat\alpha`.
       The posterior is :math:`\sigma(\hat a + \hat b t)`: the likeliest line in
       :math:`P(S=1|t) = \hat c\,\sigma(a + bt)` whose mean over the rows is
       :math:`\hat\alpha`.
    5. The cut maximizes `rule` on the held-out scores. Recall is a weighted mean
       of the recall of the labeled rows and the recall that the posterior
       predicts; the latter has the weight of 300 labeled rows.

    *Many rows.* From 65 536 rows on, in memory, in a mapped file, in chunks of Dask or on a
    device, steps 2 and 3 use 32 768 rows, drawn at random: the same ones in any order of the rows.
    If labeled rows are rare, at least 4096 of them are drawn, or all, and weights undo that. Then
    all rows are fitted, scored, counted and cut, by passes that read each row once: X is not
    copied. Scores are counted in 8192 bins. Folds (`cv`), `groups` and `checked` need all rows in
    memory, and so do more than 1000 features; the search then uses all of them.
    :doc:`/scale` has times and memory, :doc:`/part_of_rows/index` what the part costs.

    *Checked rows* (`checked` in `fit`): steps 1 to 3 give held-out scores from the labels
    alone, and the likelihood of labels and answers estimates the class prior from these scores
    and the answers. JOINT is then fitted again, and its C chosen again, with the answers in
    the likelihood. The posterior line and the recall above a cut follow the expected classes:
    1 for labeled rows, the answers for checked ones, and P(Y=1|S=0,t) for the others. With
    every row checked this is the ridge logistic regression of the truth. ``direction="naive"``
    and an estimator given as `class_prior` see the labels alone.

    *Coefficients* (`estimates`, `summary`): those of the log-odds of the class. Given c, the
    likelihood is maximized with a ridge that hardly shrinks: a normal prior with standard
    deviation 5 per standardized feature. Estimates and covariances are then averaged over
    `class_prior_density_`. So they differ from `coef_`, which is shrunken and has no scale of its
    own. With fewer than 5 labeled rows per feature there are no intervals.

    **What breaks it:** labeling that depends on the features; fewer than ten
    labeled rows (PU114). The class prior and what depends on it are also
    wrong if the posterior is far from logistic in the score.

    References
    ----------
    M. Płatek, J. Mielniczuk (2023). Enhancing naive classifier for positive
    unlabeled data based on logistic regression approach. FedCSIS.

    P. Teisseyre, J. Mielniczuk, M. Łazęcka (2020). Different strategies of
    fitting logistic regression for positive and unlabelled data. ICCS, 3-17.

    Examples
    --------
    >>> from sklearn.metrics import f1_score
    >>> from unlabeled import PULogistic
    >>> from unlabeled.datasets import make_paper_gaussian
    >>> data = make_paper_gaussian(n=1000, label_frequency=0.3, random_state=0)
    >>> model = PULogistic().fit(data.X, data.s)
    >>> f1_score(data.y_true, model.predict(data.X)) > 0.5
    True
    """

    Cs_: np.ndarray
    scores_: np.ndarray
    _takes_rows_anywhere = True
    _limits_far_cells = True
    # Whether many rows are fitted by passes; else all are held in memory.
    _can_go_by_passes = True
    # C, direction and c are chosen on this many rows; docs/part_of_rows has the study.
    _subset_rows = 2**15

    def __init__(
        self,
        rule: str | Rule = "f1",
        *,
        class_prior: Any = None,
        C: float | Literal["auto"] = "auto",
        direction: DirectionWord = "joint",
        cv: Folds | Literal["auto", "loo"] = "auto",
        tol: float = 1e-4,
        max_iter: int = 1000,
        pos_label: Any = None,
        sampling: SamplingWord = ONE_SAMPLE,
        weights: WeightsWord = SAMPLING,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.rule = rule
        self.class_prior = class_prior
        self.C = C
        self.direction = direction
        self.cv = cv
        self.tol = tol
        self.max_iter = max_iter
        self.pos_label = pos_label
        self.sampling = sampling
        self.weights = weights
        self.random_state = random_state
        self.verbose = verbose

    def _check_parameters(self) -> None:
        if not (isinstance(self.C, str) and self.C == "auto"):
            check_positive("C", self.C, Real, "'auto' or a positive number")
            if np.isinf(self.C):
                raise ValueError(
                    "`C` must be 'auto' or a finite number; got inf. Use EnhancedLogistic or "
                    "JointLogistic to fit without a ridge."
                )
        check_choice("direction", self.direction, get_args(DirectionWord))
        check_stopping(self.tol, self.max_iter)
        check_seed(self.random_state)

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        checked: Any = None,
        groups: Any = None,
        **other: Never,
    ) -> Self:
        """Fit the classifier.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            Feature rows. A sparse matrix is never converted to a dense one as a whole;
            formats other than CSR are converted to CSR once. Dask collections and arrays on a GPU
            are accepted with at most 1000 features.
        y : array-like of shape (n_rows,)
            Two values; `pos_label` says which one marks labeled rows.
        sample_weight : array-like of shape (n_rows,), optional
            Row weights; `weights` says what they mean. By default only their ratios matter.
        checked : array-like of shape (n_rows,), optional
            What somebody found who looked at the row: 1 for positive, 0 for negative, missing
            (NaN, None) for a row that nobody checked. Rows may be chosen for checking by
            anything that is in X. An answer 1 about a labeled row says nothing new; an answer
            0 about one is rejected.
        groups : array-like of shape (n_rows,) or "copies", optional
            Which rows belong together, such as those of one person or one place; "copies" for
            equal rows. A row is then scored by a fit without its whole group, and intervals do
            not take the rows of one group as independent.
        **other : never
            What this fit does not take is rejected, with what takes it.

        Returns
        -------
        self : object
            The fitted classifier.
        """
        reject_other_arguments(self, other)
        return self._fit(X, y, sample_weight, checked, groups)

    def _fit_rows(self, rows: Rows, watch: Watch) -> None:
        rule = get_rule(self.rule)
        if self._goes_by_passes(rows):
            report_copies(rows)
            found = self._score_by_passes(rows, watch)
        else:
            here = rows.to_host()
            report_copies(here)
            found = self._score_in_memory(here, watch)
        self._keep_direction(rows, found, watch)
        decision = self._decide(rows, found, rule)
        effect, names = decision.effects.label, self._feature_names
        if not report_label_leak(rows, found.scored.cuts, names, self.random_state, effect):
            decision.report_all_labeled()
        self._keep(decision)
        self._set_score(found.coef, -self.cut_.threshold)

    def _goes_by_passes(self, rows: Rows) -> bool:
        """Whether C, direction and c are chosen on a part of the rows."""
        wants_folds = not (isinstance(self.cv, str) and self.cv in ("auto", "loo"))
        few_features = rows.X.shape[1] <= MOST_FEATURES
        if not rows.in_memory:
            self._reject_rows_elsewhere(rows, wants_folds, few_features)
        needs_rows = wants_folds or rows.groups is not None or rows.checked is not None
        many = rows.s.shape[0] >= 2 * self._subset_rows
        return self._can_go_by_passes and many and few_features and not needs_rows

    def _reject_rows_elsewhere(self, rows: Rows, wants_folds: bool, few_features: bool) -> None:
        """Raise for settings and tables that rows in chunks or on a device are not fitted with."""
        if wants_folds:
            raise ValueError(
                "`cv` must be 'auto' or 'loo' for rows in chunks or on a device; got "
                f"{self.cv!r}. Leave it out, or take a part of the rows that fits in memory."
            )
        if not few_features:
            raise ValueError(
                f"`X` must have at most {MOST_FEATURES} features if its rows are in chunks or on "
                f"a device; got {rows.X.shape[1]}. Take a part of the rows that fits in memory, or "
                "use EnhancedLogistic or JointLogistic."
            )

    def _score_in_memory(self, rows: Rows, watch: Watch) -> HeldOut:
        """Choose C and direction on all rows; score each by a fit without it."""
        features = ComparableFeatures.of(rows)
        direction, given = self._direction(rows, features, watch)
        direction, knowledge = self._with_knowledge(rows, features, direction, given, watch)
        fit = direction.point.fit
        coef, intercept = features.original(fit.coef, fit.intercept)
        score = direction.held_out_score(features)
        self._n_rows_searched_ = len(rows.s)
        self.held_out_score_ = rows.for_passed(score)
        self._fingerprint_ = fingerprint_rows(rows.passed)
        scored = ScoredRows.of(rows, score)
        return HeldOut(scored, direction, coef, intercept, features.scale, knowledge)

    def _score_by_passes(self, rows: Rows, watch: Watch) -> HeldOut:
        """Choose C and direction on a subset of the rows; fit and score all, wherever they are."""
        subset, features = subset_of(rows, self._subset_rows, self.random_state)
        self._reject_estimator_without_weights()
        self._n_rows_searched_ = len(subset.s)
        watch.announce(
            f"C, direction and label frequency are chosen on {self._n_rows_searched_:,} of "
            f"{rows.s.shape[0]:,} rows"
        )
        direction, given = self._direction(subset, features, watch)
        told = None
        if subset.unit is not None:
            score = direction.held_out_score(features)
            told = label_effects(score, subset.s, subset.weight, None, subset.unit)
        fit = fit_all(rows, features, direction, self.tol, self.max_iter, watch)
        left_out = LeftOutScore.of(fit, rows)
        score = left_out.of_rows(rows)
        if rows.in_memory:
            self.held_out_score_ = rows.for_passed(score)
            self._fingerprint_ = fingerprint_rows(rows.passed)
        else:
            self._left_out_ = left_out
        direction = replace(direction, point=replace(direction.point, fit=fit))
        scored = ScoredRows.binned(rows, score, told)
        return HeldOut(scored, direction, fit.coef, fit.intercept, features.scale, Knowledge(given))

    def _reject_estimator_without_weights(self) -> None:
        """Reject an estimator of the class prior that cannot be fitted to a part of the rows."""
        given = self.class_prior
        if hasattr(given, "fit") and not has_fit_parameter(given, "sample_weight"):
            raise ValueError(
                "`class_prior` must be a number, None, or an estimator whose `fit` takes "
                "`sample_weight`, because it is fitted to a weighted part of so many rows; got "
                f"{type(given).__name__}, whose `fit` does not. Pass the number that it finds."
            )

    def _direction(
        self, rows: Rows, features: ComparableFeatures, watch: Watch
    ) -> tuple[Direction, ResolvedPrior | None]:
        """Return the direction under SCAR, and the class prior if one was given.

        The direction hardly depends on c. So JOINT takes c from the logistic curve along the naive
        scores, unless the class prior was given.
        """
        splits = self._splits(rows, features)
        path = RidgePath(features.rows, features.spread, splits, self.tol, self.max_iter, watch)
        direction = naive_direction(path, self._fixed_strength, fine=self.direction == "naive")
        given = None
        if self.class_prior is not None:
            in_memory = replace(rows, X=to_host(rows.X))  # for an estimator
            given = resolve_class_prior(
                self.class_prior, in_memory, watch=watch, random_state=self.random_state
            )
        if self.direction == "joint":
            prior = direction.profile.mean_class_prior() if given is None else given.value
            direction = joint_direction(direction, prior, self._fixed_strength) or direction
        return direction, given

    @property
    def _fixed_strength(self) -> float | None:
        return None if isinstance(self.C, str) else float(self.C)

    def _with_knowledge(
        self,
        rows: Rows,
        features: ComparableFeatures,
        direction: Direction,
        given: ResolvedPrior | None,
        watch: Watch,
    ) -> tuple[Direction, Knowledge]:
        """Return the direction, and what is known along it; answers of checked rows move both.

        The class prior comes from the scores of the labels' own direction: answers at the top of
        the list would bend a direction fitted to them before it can be judged. r is that along
        the direction that decides.
        """
        if rows.checked is None:
            return direction, Knowledge(given)
        answered = rows.s, rows.checked, rows.weight
        if given is None:
            given = ResolvedPrior(fit_checked_score(direction.point.score, *answered).class_prior)
        given = given._replace(is_given=self.class_prior is not None and given.density is None)
        reject_impossible_prior(given.value, rows)
        if self.direction == "joint":
            bent = joint_direction(direction, given.value, self._fixed_strength, rows.target)
            direction = bent or direction
        score = direction.held_out_score(features)
        curve = fit_checked_score(score, *answered)
        return direction, Knowledge(given, curve.posterior_if_unlabeled(score), curve)

    def _decide(
        self,
        rows: Rows,
        found: HeldOut,
        rule: Rule,
        recall: Callable[[np.ndarray], Cuts] | None = None,
    ) -> Decision:
        """Decide along the held-out scores, by labels and by what is known beside them."""
        scored, knowledge = found.scored, found.knowledge
        prior = knowledge.prior or resolve_class_prior(
            None, rows, lambda: scored.class_prior_density(self.posterior_scale)
        )
        missed, curve = knowledge.posterior_if_unlabeled, knowledge.answered
        if missed is not None and curve is not None:
            shift = shift_of_unknown(scored, missed, prior.value)
            self._missed_along_ = (curve.score, shifted(curve.missed, shift))
        return Decision.of(scored, rule, prior, posterior_if_unlabeled=missed, recall=recall)

    @property
    def _follows_answers(self) -> bool:
        return self.n_checked_ > 0

    def _splits(self, rows: Rows, features: ComparableFeatures) -> Any:
        """Return the splits for held-out scores, or None for closed-form leave-one-out."""
        if not isinstance(self.cv, str) or self.cv not in ("auto", "loo"):
            instead = "use cv='loo'" if rows.groups is None else "leave `groups` out"
            cv = possible_folds(rows, self.cv, type(self).__name__, instead)
            return label_folds(rows, cv, self.random_state, also="'auto' or 'loo'")
        if self.cv == "auto":
            return held_out_splits(features, self.random_state)
        reject_without_folds(self.cv, rows.groups, "leaves out one row at a time")
        return None

    def _keep_direction(self, rows: Rows, found: HeldOut, watch: Watch) -> None:
        """Set the direction used, how it was fitted, and the values of C that were tried."""
        direction = found.direction
        result = direction.point.fit.result
        name = "JOINT" if direction.name == "joint" else "naive"
        watch.finished(f"{name}, C={direction.point.C:.3g}", result)
        self.n_iter_ = max(1, result.n_iter)
        self.converged_ = report_fit(rows, direction.point.fit) and direction.is_settled
        self.C_, self.direction_ = direction.point.C, direction.name
        tried = sorted(direction.path.mean_log_likelihoods.items())
        self.Cs_, self.scores_ = np.array(tried).T.copy()
        self.n_checked_, self.n_groups_ = rows.n_checked, rows.n_groups
        # A plain tuple, for model files: c in the loss, the intercept, the scale of the features.
        self._ridge_fit_ = (direction.frequency, found.intercept, found.scale)

    def _check_rows_of_fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        """Reject rows that cannot be the training rows, whose scores were stored."""
        if X is not None or y is not None:
            self._reject_other_rows(self._rows_of(X, y, sample_weight), "Leave them out.")

    def _further_facts(self, rows: Rows, confidence_level: float) -> tuple[tuple[str, str], ...]:
        facts: tuple[tuple[str, str], ...] = (("ridge, C", f"{self.C_:.4g}"),)
        if self.class_prior_density_ is not None:
            facts += interval_facts(
                self.label_frequency_interval(confidence_level=confidence_level),
                self.class_prior_interval(confidence_level=confidence_level),
            )
            facts += (("share of positives", f"identified {self.class_prior_density_.identified}"),)
        return (*facts, self._about_coefficients(rows))

    def _about_coefficients(self, rows: Rows) -> tuple[str, str]:
        """Say which coefficients a summary shows, or why it shows no intervals."""
        if self._too_few_labeled(rows):
            few = f"too few labeled rows for intervals, below {LABELED_PER_FEATURE} per feature"
            return "caution", few
        return "coefficients", "without the ridge, averaged over the class prior"

    def _too_few_labeled(self, rows: Rows) -> bool:
        """Whether intervals of coefficients would miss too often."""
        positive = rows.n_labeled if rows.checked is None else np.sum(rows.known_positive)
        return bool(positive < LABELED_PER_FEATURE * self.n_features_in_)

    def _estimates(self, rows: Rows, kind: str) -> Estimates:
        """Return the posterior's coefficients without shrinkage, averaged over the class prior."""
        rows = self._limited(rows)
        frequency, intercept, scale = self._ridge_fit_
        theta, names, sign = self._parameters(self._sign * intercept)
        if self._too_few_labeled(rows):
            level, slope = self.posterior_line_
            posterior = np.append(slope * theta[:-1], level)
            return Estimates(names, sign * posterior, np.full((len(theta), len(theta)), np.nan))
        found = Coefficients(rows, scale, theta, 0.01 * self.tol, self.max_iter)
        if rows.checked is not None:
            return found.with_answers(self.label_frequency_, names, sign, kind)
        density = self.class_prior_density_
        if density is None:
            frequencies = Frequencies.of(np.array([self.label_frequency_]), np.ones(1))
        else:
            priors = rows.prior_of_rows(density.class_prior)
            frequencies = Frequencies.of(rows.labeled_share / priors, density.probability)
        return found.averaged(frequency, frequencies, names, sign, kind)

    @available_if(_has_rows_elsewhere)
    def held_out_scores(self, X: Any, y: Any, sample_weight: Any = None) -> np.ndarray:
        """Score rows of the fit as if each had been left out of it.

        A fit to many rows in chunks or on a device has no `held_out_score_`, which would be as
        long as they are. This computes it for some of them at a time, in closed form. Other fits
        do not have this method.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            Rows of the fit: all, or any of them. They must be in memory.
        y : array-like of shape (n_rows,)
            Their labels; both values need not occur.
        sample_weight : array-like of shape (n_rows,), optional
            Their weights in the fit.

        Returns
        -------
        score : ndarray of shape (n_rows,)
            `positive_score` of every row by a fit without that row.
        """
        reject_chunks(X, "held_out_scores", "Pass one chunk at a time, loaded by compute().")
        X = with_distinct_entries(validate_new_rows(self, X))
        s = labels_in(y, LabelEncoding(self.classes_[:: int(self._sign)])).astype(np.float64)
        reject_other_length(X.shape[0], len(s), "`y`")
        weight = validate_weight(sample_weight, len(s))
        columns = (one if one is None else on_device_of(X, one) for one in (s, weight))
        return np.asarray(to_host(map_rows(self._left_out_, BLOCK_ROWS, X, *columns)))
