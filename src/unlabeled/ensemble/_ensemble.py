"""PUEnsemble: a line, trees and boosting, weighted by the likelihood of left-out labels."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral, Real
from typing import Any, Never, Self

import numpy as np
from scipy.special import logit
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.validation import check_is_fitted

from ..classifier import DecidedClassifier, Known, mend
from ..codes import Message, each_warning_once, warn
from ..engine.estimators import reject_other_arguments, restore_on_failure
from ..engine.linear_fits import Watch
from ..engine.parameters import check_positive, check_seed, check_verbose
from ..engine.rows import (
    NO_EFFECTS,
    SAMPLING,
    Folds,
    Rows,
    Sample,
    WeightsWord,
    chunk_by_chunk,
    fingerprint_rows,
    group_sums,
    is_number_of_folds,
    label_folds,
    possible_folds,
    reject_chunks,
    reject_device,
    reject_record_of_negatives,
    reject_row_numbers,
    reject_sparse,
    report_copies,
    validate_new_rows,
    validate_rows,
)
from ..engine.sampling import ONE_SAMPLE, SamplingWord
from ..engine.sklearn_types import BaseComposition
from ..labeling import labeling_of
from ..linear_model import (
    report_far_cells_to,
    report_label_leak,
    warn_if_all_negative,
    warn_if_few_labeled,
)
from ..meta import part_to_fit
from ..scores import (
    Decision,
    LogitLine,
    NegativeScores,
    PriorDensity,
    ResolvedPrior,
    Scale,
    ScoredRows,
    label_effects,
    label_log_likelihood,
    mixed_density,
    resolve_class_prior,
)
from ..thresholds import Rule, get_rule
from ._in_chunks import CountedMembers
from ._members import (
    DEFAULT_GRID,
    Candidate,
    MemberFits,
    are_named,
    check_members,
    default_members,
    member_logit,
)
from ._stack import likely_members, probabilities_of_members, stack_weights
from ._unfit import takes_sparse, why_no_categories, why_unfit

# Settings are tried on at least this many labeled rows, if there are as many.
_ENOUGH_LABELED = 500


class PUEnsemble(BaseComposition, DecidedClassifier):
    r"""Line, trees and boosting in one classifier, for classes that a line cannot separate.

    Each member estimates P(S=1|x), the probability of a label. Settings of a member are chosen,
    and members are weighted, by the likelihood of labels of left-out rows, which needs no known
    negatives. The class prior and the cut come from left-out scores too. Use it if you have some
    hundred labeled rows or more, and features that interact. With few labeled rows, or if you
    want to read coefficients, use `PULogistic`.

    Assumes SCAR: labeled rows are a random sample of the positive rows.

    Parameters
    ----------
    rule : str or Rule, default="f1"
        What the cut maximizes: a name in `thresholds.RULES`, text such as
        ``"recall_at_least(0.9)"``, or a `thresholds.Rule`.
    members : list of (str, classifier) or None, default=None
        The members by name; any scikit-learn classifiers. They are fitted to labels 0 and 1,
        whatever the values of y. None: `PULogistic` ("line"),
        300 extremely randomized trees ("trees") and histogram boosting of at most 250 trees
        ("boosting").
    grid : dict of str to list of dict, or None, default=None
        Settings to try per member, the preferred one first. A setting replaces the one before
        it if it adds at least 4 to the log-likelihood of all left-out labels; otherwise the
        search of the member ends. A member that is not named keeps its parameters. None with
        default members: leaves of at least 2, 5 or 15 rows for the trees; 4, 8 or 16 leaves for
        boosting. The number of boosted trees is chosen too, unless the member stops early by
        itself.
    class_prior : float, label-frequency estimator, PriorDensity or None, default=None
        P(Y=1) of the population. None estimates it from the members' left-out scores.
    cv : int, splitter or iterable, default=5
        Folds for members that leave out no rows by themselves. `PULogistic` leaves out one row
        at a time, in closed form. Forests with ``bootstrap=True, oob_score=True`` use
        out-of-bag scores. With `groups` all members are scored by folds of whole groups.
    ridge : float, default=30
        Strength with which the weights are pulled toward equal ones, as a number of
        log-likelihood units per squared distance. 0 means none.
    max_rows : int, default=50000
        The most rows to try settings on. In a larger table they are tried on this many random
        rows, and the best are fitted to all. At least 500 of these rows are labeled, if the
        table has as many. Of rows in chunks the members themselves are fitted to so many; see
        Notes.
    pos_label : object, default=None
        The value of y that marks labeled rows; if None, the larger number or the text that says it.
    sampling : {"one-sample", "two-sample"}, default="one-sample"
        "two-sample" if the labeled rows come from elsewhere and the unlabeled rows are a sample
        of the population. What is reported is then the population's; see
        :doc:`/choose/two_samples`.
    weights : {"sampling", "frequency"}, default="sampling"
        What `sample_weight` says: how many rows of the population a row stands for, or how often
        the row occurs; see :doc:`/understand/weights`.
    labeling : Labeling, str, int, list of them, or None, default=None
        How labels came about: an object of :mod:`unlabeled.labeling`, or names or positions of the
        columns that they follow. None: they were given to positive rows at random.
    random_state : int, RandomState instance or None, default=None
        Controls folds, trees, the rows to search, and which rows in chunks are fitted. It also
        seeds members and an estimator given as `class_prior` whose own `random_state` is None.
        Pass an int for reproducible output.
    n_jobs : int, default=None
        Number of folds or trees that are fitted in parallel, as in scikit-learn.
    verbose : int, default=0
        1 prints a line per setting, and how many rows are fitted if not all are.

    Attributes
    ----------
    members_ : dict of str to classifier
        The members, fitted to all rows, or to a part of rows in chunks, with labels 1 and 0.
    member_weights_ : dict of str to float
        Weight of each member's logit in the score.
    member_log_likelihoods_ : dict of str to float
        Mean left-out log-likelihood of the labels per member; larger is better.
    log_likelihood_ : float
        That of the combination.
    member_settings_ : dict of str to dict
        The chosen setting of each member.
    member_class_priors_ : dict of str to float
        What each member alone says about P(Y=1). The members disagree if these do.
    member_probabilities_ : dict of str to float
        Probability that each is the best model of the labels: its weight in `class_prior_`.
    left_out_ : dict of str to str
        Members that were not used, and why (PU120).
    threshold_ : float
        Rows whose `positive_score` lies above it are predicted positive.
    class_prior_density_ : PriorDensity or None
        What the labels say about the share of positive rows: its `mean` is `class_prior_`,
        `identified` says how far the labels identify it, and `said` what each member says. None
        if the class prior was given as a number or by an estimator.
    posterior_line_ : tuple of float
        Intercept a and slope b: the logit of `posterior_at` is a + b times the logit of
        P(S=1|x)/c. See Notes. If more is known than labels, it is the score itself: 0 and 1.
    cut_ : ChosenCut
        The chosen cut, with recall, share and the value of the rule.
    cuts_ : Cuts
        Every candidate cut, with the recall that the rule used.
    observed_cuts_ : Cuts
        The same, with the counts of labeled rows.
    class_prior_, label_frequency_ : float
        P(Y=1) and c, as given or estimated.
    labeled_share_ : float
        Share of labeled rows.
    n_checked_ : int
        Number of unlabeled rows that were checked.
    n_negatives_ : int
        Number of rows that were recorded as negative.
    labeling_found_ : object
        With a history of the labels: what it says beside the count, such as
        :class:`~unlabeled.labeling.FoundByDates`.
    labeling_said_ : tuple of str
        With a history of the labels: what is counted, and what it depends on, in sentences.
    n_groups_ : int or None
        Number of groups; None if none were given.
    held_out_score_ : ndarray of shape (n_rows,)
        Score of every training row by models that did not see it; NaN for rows of weight 0. Rows
        in chunks with weight 0 are left out. It does not exist for many rows in chunks.
    held_out_posterior_ : ndarray of shape (n_rows,)
        `posterior_at` of `held_out_score_`. Use it for training rows instead of `predict_proba`,
        which has seen their labels.
    held_out_posterior_if_unlabeled_ : ndarray of shape (n_rows,)
        P(Y=1|x, S=0) of every training row, for unlabeled ones; see `posterior_if_unlabeled`.
    class_prior_estimator_ : object
        The fitted estimator of the class prior, if one was given.
    classes_ : ndarray of shape (2,)
        The label values, sorted.
    positive_class_ : object
        The label value of labeled rows and of predicted positives.
    categories_ : dict of str to CategoricalDtype
        The categories of the columns that have some. It does not exist if none has.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, if X had names.

    See Also
    --------
    unlabeled.PULogistic : A line whose coefficients can be read.
    unlabeled.PUThresholdClassifier : One classifier of your choice.

    Notes
    -----
    *Score.* Let :math:`t_m(x)` be member m's logit of P(S=1|x), calibrated on left-out rows, and
    :math:`\ell` the logit of the labeled share. The score is

    .. math:: t(x) = \ell + \sum_m w_m (t_m(x) - \ell), \qquad w_m \ge 0,

    where the weights maximize the log-likelihood of left-out labels less
    :math:`\frac\lambda2\sum_m(w_m - 1/M)^2`. Under SCAR P(S=1|x) = c P(Y=1|x), so the most
    likely model of the label is, up to c, the best model of the class.

    *Class prior.* The mean of what the members say, weighted by the probability that each is the
    best model of the labels. Each says it by an average over curves along its score
    (`label_frequency.class_prior_density`). `class_prior_interval` is the interval of this
    mixture: where members disagree and the labels cannot tell which is right, it spans what all
    of them say.

    *Posterior.* :math:`\sigma(a + b\,u)`, where u is the logit of P(S=1|x)/c, bent so that it
    stays finite where the estimate of P(S=1|x) exceeds c. Its mean over left-out rows is the class
    prior.

    *Cut.* As in `PULogistic`: recall is a mean of the observed recall of labeled rows and the
    recall that the posterior predicts, which has the weight of 300 labeled rows.

    *Checked rows* (`checked` in `fit`, or `AuditResult.refit`): labels estimate p = P(S=1|x), and
    answers r = P(Y=1|S=0,x), of which several models are averaged: along the logit of p, by one
    column, by all, by random trees. However rows were labeled, :math:`P(Y=1|x) = p + (1-p)\,r`. The
    score becomes the logit of this posterior, `predict_proba` is it, and `posterior_if_unlabeled`
    is r. The class prior counts labeled rows, answers, and r of the others. Recall above a cut
    comes from the same. `labeling` gives r in place of answers.

    *Recorded negatives* (`negatives` in `fit`): k of n rows are left out, and the others say
    :math:`\pi'`. The class prior of all rows is :math:`\pi = \pi'(n-k)/n`, with its interval.
    `predict_proba` is P(Y=1|x, not recorded). The negatives need not be like all negatives, so
    they teach the score nothing: three samples, which need that, are not built.

    *Rows in chunks.* A Dask array or frame with fewer than twice `max_rows` rows is taken to
    memory. Of a larger one, `max_rows` random rows are, with at least 4096 labeled ones if there
    are as many, though at most half. If labels are so rare that they were drawn more often, other
    rows have larger weights, and members whose `fit` takes no `sample_weight` are left out
    (PU120). Settings, weights and calibration of the members come from this part. Then all rows are
    scored once, chunk by chunk, by models that have not seen them, and counted in 8192 bins of each
    score. Bagged members are scored by folds, too: out-of-bag scores use fewer trees than scores of
    other rows. The likelihoods of the members, the class prior, the posterior and the cut come from
    all rows. Intervals of the class prior take the members as they are: if there are far more rows
    than were fitted, intervals are too short where a member misses the shape of P(S=1|x). `cv`
    cannot be a list of row numbers, and there can be no `groups`.

    **What breaks it:** labeling that depends on the features: flexible members learn the
    labeling as well. The class prior is too small if a member knows P(S=1|x) exactly: then all
    class priors up to the largest possible one explain the labels equally well, and their mean is
    taken. This was seen in simulations with tens of thousands of rows and few features; if you
    know the class prior, give it. Scores of training rows by `positive_score` are too confident,
    because trees remember their rows: use `held_out_score_` for them. The leaves of the trees
    tell about single training rows; see the page on model files before you share a model.

    References
    ----------
    Y. Yao, A. Vehtari, D. Simpson, A. Gelman (2018). Using stacking to average Bayesian
    predictive distributions. Bayesian Analysis 13, 917-1007. https://doi.org/10.1214/17-BA1091

    P. Geurts, D. Ernst, L. Wehenkel (2006). Extremely randomized trees. Machine Learning 63,
    3-42. https://doi.org/10.1007/s10994-006-6226-1

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from unlabeled import PUEnsemble, PULogistic
    >>> from unlabeled.datasets import hide_labels
    >>> X = np.random.RandomState(0).normal(size=(600, 2))
    >>> y_true = (X[:, 0] * X[:, 1] > 0).astype(int)  # no line separates the classes
    >>> s = hide_labels(y_true, 0.5, random_state=0)
    >>> members = [("line", PULogistic()), ("tree", DecisionTreeClassifier(max_depth=3))]
    >>> model = PUEnsemble(members=members, random_state=0).fit(X, s)
    >>> model.member_weights_["tree"] > model.member_weights_["line"]
    True
    """

    members_: dict[str, Any]
    member_weights_: dict[str, float]
    member_log_likelihoods_: dict[str, float]
    member_probabilities_: dict[str, float]
    left_out_: dict[str, str]
    n_checked_: int
    categories_: dict[str, Any]
    n_features_in_: int
    feature_names_in_: np.ndarray

    def __init__(
        self,
        rule: str | Rule = "f1",
        *,
        members: Any = None,
        grid: Any = None,
        class_prior: Any = None,
        cv: Folds = 5,
        ridge: float = 30.0,
        max_rows: int = 50_000,
        pos_label: Any = None,
        sampling: SamplingWord = ONE_SAMPLE,
        weights: WeightsWord = SAMPLING,
        labeling: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.rule = rule
        self.members = members
        self.grid = grid
        self.class_prior = class_prior
        self.cv = cv
        self.ridge = ridge
        self.max_rows = max_rows
        self.pos_label = pos_label
        self.sampling = sampling
        self.weights = weights
        self.labeling = labeling
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters; with `deep`, those of given members too, as ``forest__max_depth``.

        Parameters
        ----------
        deep : bool, default=True
            Whether to look into the members.

        Returns
        -------
        params : dict
        """
        return dict(self._get_params("members", deep=deep))

    def set_params(self, **params: Any) -> Self:
        """Set parameters of the ensemble or of a given member, as ``forest__max_depth=5``.

        Default members have no parameters here: name settings of theirs in `grid`, or pass
        `members`.

        Parameters
        ----------
        **params : dict
            Parameters by name.

        Returns
        -------
        self : object
        """
        self._set_params("members", **params)
        return self

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        checked: Any = None,
        history: Any = None,
        negatives: Any = None,
        groups: Any = None,
        **other: Never,
    ) -> Self:
        """Fit the members, choose their weights, the class prior and the cut.

        Parameters
        ----------
        X : array-like, sparse matrix or frame of shape (n_rows, n_features)
            Feature rows. Members that cannot take sparse rows, missing cells or columns of
            pandas' category dtype are left out (PU120). Of many rows in a Dask array or frame, a
            part is fitted.
        y : array-like of shape (n_rows,)
            Two values; `pos_label` says which one marks labeled rows.
        sample_weight : array-like of shape (n_rows,), optional
            Row weights, for the members, the likelihoods and the counts; `weights` says what they
            mean. By default only their ratios matter. Rows of weight 0 are dropped.
        checked : array-like of shape (n_rows,), optional
            What somebody found who looked at the row: 1 for positive, 0 for negative, missing
            (NaN, None) for a row that nobody checked. Rows may be chosen for checking by
            anything that is in X. An answer 1 about a labeled row says nothing new; an answer
            0 about one is rejected. Not for rows in chunks.
        history : array-like or frame, optional
            Columns about the labeling of each row, if `labeling` needs some: they are no features.
            Not for rows in chunks.
        negatives : array-like of bool of shape (n_rows,), optional
            Which unlabeled rows were recorded because they are negative; rows that were chosen
            first and then looked at belong into `checked`. The fit leaves them out, and their
            number is added back to the class prior and to the rows above a cut. So probabilities
            are those of rows that were not recorded. Not for rows in chunks, nor in two samples.
        groups : array-like of shape (n_rows,) or "copies", optional
            Which rows belong together, such as those of one person or one place; "copies" for
            equal rows. A row is then scored by fits without its whole group, all members by the
            folds of `cv` or their own; no member uses out-of-bag scores. Likelihoods and intervals
            do not take the rows of one group as independent.
        **other : never
            What this fit does not take is rejected, with what takes it.

        Returns
        -------
        self : object
            The fitted classifier.
        """
        reject_other_arguments(self, other)
        self._check_parameters()
        rule, labeling = get_rule(self.rule), labeling_of(self.labeling)
        known = Known(labeling, history, checked is not None)
        reject_row_numbers(X, self.cv)
        watch = Watch(type(self).__name__, self.verbose)
        with restore_on_failure(self), each_warning_once():
            rows = validate_rows(
                self,
                X,
                y,
                sample_weight,
                self.pos_label,
                "chunks",
                checked=checked,
                groups=groups,
                negatives=negatives,
            )
            reject_record_of_negatives(checked, rows.checked, rows.s)
            known = known.of(self, rows)
            warn_if_all_negative(rows)
            warn_if_few_labeled(rows)
            self.classes_ = np.sort(rows.encoding.classes)
            self.positive_class_ = rows.encoding.classes[1]
            self.n_checked_ = rows.n_checked
            self._keep_negatives(rows)
            part = None
            if rows.in_chunks:
                part = part_to_fit(rows, int(self.max_rows), self.random_state)
            if part is None or part.is_whole:
                decision = self._fit_in_memory(
                    rows if part is None else part.rows, rule, known, watch
                )
            else:
                decision = self._fit_part(part, rule, watch)
            fitted, names = rows if part is None else part.rows, self._names
            effect = decision.effects.label
            cuts, seed = decision.scored.cuts, self.random_state
            if not report_label_leak(fitted, cuts, names, seed, effect):
                decision.report_all_labeled()
            self._keep(decision)
            self.threshold_ = decision.cut.threshold
            if rows.negatives is not None:
                self.labeled_share_ = decision.observed.labeled_share
        return self

    @property
    def _names(self) -> Any:
        return getattr(self, "feature_names_in_", None)

    def _check_parameters(self) -> None:
        check_members(self.members, self.grid, self._get_param_names())
        is_number = isinstance(self.ridge, Real) and not isinstance(self.ridge, bool)
        if not is_number or not 0 <= self.ridge < np.inf:
            raise ValueError(f"`ridge` must be a number of at least 0; got {self.ridge!r}.")
        check_positive("max_rows", self.max_rows, Integral, "a whole number of at least 1")
        check_verbose(self.verbose)
        check_seed(self.random_state)

    def _fit_in_memory(self, rows: Rows, rule: Rule, known: Known, watch: Watch) -> Decision:
        """Fit the members to all rows, and decide by scores of fits that have not seen them."""
        chosen = self._fit_members(rows, watch)
        best = max(chosen.values(), key=lambda one: one.log_likelihood)
        columns = rows.s, rows.weight, rows.groups, rows.unit
        effects = label_effects(best.label_logit, *columns)
        effect = effects.label
        label_logits, weights = self._stack(rows, chosen, effect)
        self.labeled_share_, self.n_groups_ = rows.labeled_share, rows.n_groups
        base = float(logit(rows.labeled_share))
        score = base + (label_logits - base) @ weights
        weight = np.ones(len(rows.s)) if rows.weight is None else rows.weight
        of_labels = label_log_likelihood(np.column_stack([label_logits, score]), rows.s[:, None])
        self.log_likelihood_ = float(np.average(of_labels[:, -1], weights=weight))
        of_members = of_labels[:, :-1]
        if effects != NO_EFFECTS or rows.groups is not None:  # independent are rows, or groups
            of_members = of_members * weight[:, None]
            if rows.groups is not None:
                of_members = group_sums(of_members, rows.groups)
            of_members /= effect
            weight = np.ones(len(of_members))
        by_member = {
            name: ScoredRows.of(rows, one.label_logit if one.own_score is None else one.own_score)
            .class_prior_density(Scale() if one.own_score is not None else self.posterior_scale)
            .scaled(rows.undecided_share)
            for name, one in chosen.items()
        }
        likely = probabilities_of_members(of_members, weight)
        prior = self._class_prior(rows, by_member, likely, watch)
        of_negatives = np.empty(0)
        if rows.negatives is not None:
            of_negatives = self._combined(
                self._logits_of_members(rows.negatives.X, rows.labeled_share), rows.labeled_share
            )
        self.held_out_score_ = rows.for_passed(score, of_negatives)
        self._fingerprint_ = fingerprint_rows(rows.passed)
        scale = self.posterior_scale
        if known.is_nothing:
            return Decision.of(
                ScoredRows.of(rows, score),
                rule,
                prior,
                scale=scale,
                effects=effects,
                negatives=NegativeScores.of(rows, of_negatives),
            )
        mended = mend(known, rows, score, scale, prior, rule, self._names, of_negatives)
        self._keep_mended(mended, rows, score, of_negatives)
        return mended.decision

    def _fit_part(self, part: Sample, rule: Rule, watch: Watch) -> Decision:
        """Fit the members to a part of rows in chunks; take class prior and cut from all rows."""
        n_rows = part.whole.s.shape[0]
        watch.announce(f"members are fitted to {len(part.row_index):,} of {n_rows:,} rows")
        rows = part.weighted if part.has_more_labeled else part.rows
        chosen = self._fit_members(rows, watch, are_part=True)
        _, weights = self._stack(rows, chosen)
        self.labeled_share_, self.n_groups_ = part.whole.labeled_share, None
        found = CountedMembers.of(part, chosen, weights, float(logit(self.labeled_share_)))
        effect = found.scored.effects(self.posterior_scale).label
        total, mean, products = found.log_likelihoods
        *of_members, self.log_likelihood_ = mean.tolist()
        self.member_log_likelihoods_ = dict(zip(chosen, of_members, strict=True))
        likely = likely_members(total / effect, mean[:-1], products[:-1, :-1] / effect)
        by_member = {name: found.density(name, self.sampling) for name in chosen}
        prior = self._class_prior(part.weighted, by_member, likely, watch)
        scale = self.posterior_scale
        return Decision.of(found.scored, rule, prior, scale=scale)

    def _stack(
        self, rows: Rows, chosen: dict[str, Candidate], design_effect: float = 1.0
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return left-out logits, one column per member, and the members' weights."""
        label_logits = np.column_stack([one.label_logit for one in chosen.values()])
        weight = np.ones(len(rows.s)) if rows.weight is None else rows.weight
        weights = stack_weights(label_logits, rows.s, weight / design_effect, self.ridge)
        self.member_weights_ = dict(zip(chosen, weights.tolist(), strict=True))
        return label_logits, weights

    def _fit_members(
        self, rows: Rows, watch: Watch, are_part: bool = False
    ) -> dict[str, Candidate]:
        """Choose settings, on a part of the rows if there are many; fit every member to all.

        If the rows are themselves part of others, the scores can be compared with theirs.
        """
        report_copies(rows)
        members = self._usable(rows)
        rng = check_random_state(self.random_state)
        part = rows.sample(int(self.max_rows), rng, _ENOUGH_LABELED)
        seed = int(rng.randint(np.iinfo(np.int32).max))
        whole = self._fits(rows, seed, watch)
        on_part = whole
        if not part.is_whole:
            watch.announce(f"settings are tried on {len(part.row_index)} of the {len(rows.s)} rows")
            on_part = self._fits_on_part(rows.keep(part.row_index), whole)
        default = DEFAULT_GRID if self.members is None else {}
        grid = default if self.grid is None else self.grid
        chosen, fitted = {}, {}
        for name, estimator in members.items():
            best = on_part.best(name, estimator, [dict(one) for one in grid.get(name, [{}])])
            if on_part is not whole:
                best = whole.candidate(estimator, best.setting)
            if are_part:
                best = whole.comparable(estimator, best)
            chosen[name], fitted[name] = best, whole.finish(estimator, best)
        if not are_part:
            report_far_cells_to(fitted.values(), rows, self._names)
        self.members_ = fitted
        self.member_settings_ = {name: one.setting for name, one in chosen.items()}
        self._member_lines_ = {name: tuple(one.line) for name, one in chosen.items()}
        self.member_log_likelihoods_ = {name: one.log_likelihood for name, one in chosen.items()}
        self._n_rows_searched_ = len(part.row_index)
        return chosen

    def _fits(self, rows: Rows, seed: int, watch: Watch) -> MemberFits:
        instead = Message(python="use PULogistic", terminal="use `--method pu-logistic`")
        cv = possible_folds(rows, self.cv, type(self).__name__, instead)
        return MemberFits(rows, label_folds(rows, cv, seed), seed, self.n_jobs, watch)

    def _fits_on_part(self, rows: Rows, whole: MemberFits) -> MemberFits:
        """Return fits on a part of the rows; its folds are parts of given ones."""
        n_labeled, n_unlabeled = rows.fold_units_by_label
        if min(n_labeled, n_unlabeled) < 2:
            unit = rows.fold_unit
            raise ValueError(
                f"`max_rows` must leave at least 2 labeled and 2 unlabeled {unit} to try "
                f"settings on; got {self.max_rows}, which leaves {n_labeled} and {n_unlabeled}. "
                "Use a larger number."
            )
        if is_number_of_folds(self.cv):
            return self._fits(rows, whole.seed, whole.watch)
        splits = [(rows.position(train), rows.position(test)) for train, test in whole.splits]
        return replace(whole, rows=rows, splits=splits)

    def _usable(self, rows: Rows) -> dict[str, Any]:
        """Return the members that can take the rows; warn about the others."""
        members = dict(default_members(len(rows.s)) if self.members is None else self.members)
        reasons = {name: why_unfit(one, rows) for name, one in members.items()}
        self.left_out_ = {name: why for name, why in reasons.items() if why is not None}
        words = "; ".join(f"{name!r}: {why}" for name, why in self.left_out_.items())
        if len(self.left_out_) == len(members):
            raise ValueError(
                f"`members` must have one that can take these rows; got none ({words}). "
                f"{_how_to_get_one(words)}"
            )
        if self.left_out_:
            warn("PU120", f"members were left out of the ensemble ({words}).")
        return {name: one for name, one in members.items() if name not in self.left_out_}

    def _class_prior(
        self,
        rows: Rows,
        by_member: dict[str, PriorDensity],
        likely: np.ndarray,
        watch: Watch,
    ) -> ResolvedPrior:
        """Return the class prior by what each member says, and how likely it is the best."""
        self.member_class_priors_ = {name: one.mean for name, one in by_member.items()}
        self.member_probabilities_ = dict(zip(by_member, likely.tolist(), strict=True))
        return resolve_class_prior(
            self.class_prior,
            rows,
            lambda: mixed_density(by_member, likely),
            watch,
            self.random_state,
        )

    @property
    def posterior_scale(self) -> Scale:
        if self.is_mended:
            return Scale()
        return Scale(label_line=(0.0, 1.0))  # the score is the logit of P(S=1|x)

    @property
    def can_follow_answers(self) -> bool:
        is_alone = not self.is_mended and self.undecided_share == 1
        return is_alone and "held_out_score_" in vars(self)

    def member_logits(self, X: Any) -> dict[str, np.ndarray]:
        """Compute each member's logit of P(S=1|x).

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            Rows.

        Returns
        -------
        logits : dict of str to ndarray of shape (n_rows,)
        """
        check_is_fitted(self, "threshold_")
        reject_chunks(X, "member_logits", "Pass one chunk at a time, loaded by compute().")
        reject_device(X, type(self).__name__)
        X = validate_new_rows(self, X)
        for name, fitted in self.members_.items():
            if not takes_sparse(fitted):
                reject_sparse(X, f"the member {name!r}", "Use X.toarray().")
        return self._logits_of_members(X, self.share_of_members)

    @property
    def share_of_members(self) -> float:
        """The labeled share of the rows that the members were fitted to."""
        return self.labeled_share_ / self.undecided_share

    def _logits_of_members(self, X: Any, share: float) -> dict[str, np.ndarray]:
        lines = self._member_lines_
        return {
            name: LogitLine(*lines[name])(member_logit(fitted, X, share))
            for name, fitted in self.members_.items()
        }

    @chunk_by_chunk()
    def positive_score(self, X: Any) -> np.ndarray:
        """Compute the score, an estimate of the logit of P(S=1|x); of P(Y=1|x), if more is known.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            Rows. For the rows of the fit use `held_out_score_`.

        Returns
        -------
        score : ndarray of shape (n_rows,)
            Rows above `threshold_` are predicted positive.
        """
        return self._mended(*self._label_score(X))

    def _label_score(self, X: Any) -> tuple[np.ndarray, Any]:
        score = self._combined(self.member_logits(X), self.share_of_members)
        return score, validate_new_rows(self, X) if self.is_mended else X

    def _combined(self, logits: dict[str, np.ndarray], share: float) -> np.ndarray:
        base = float(logit(share))
        parts = (self.member_weights_[name] * (t - base) for name, t in logits.items())
        return np.asarray(base + sum(parts))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        # Before a fit one member must be able to take the rows; after it, all that were used.
        members, enough = vars(self).get("members_"), all
        if members is None:
            given = self.members if are_named(self.members) else default_members(1)
            members, enough = dict(given), any
        tags.input_tags.sparse = enough(takes_sparse(one) for one in members.values())
        tags.input_tags.allow_nan = enough(
            get_tags(one).input_tags.allow_nan for one in members.values()
        )
        tags.input_tags.categorical = enough(
            why_no_categories(one) is None for one in members.values()
        )
        return tags


def _how_to_get_one(reasons: str) -> str:
    """Say how to get a member that can take rows which none can."""
    rows = ["fill missing cells"] * ("missing" in reasons)
    rows += ["encode categories"] * ("categor" in reasons)
    rows += ["make the rows dense"] * ("sparse" in reasons)
    return f"Add one that can{', or ' if rows else ''}{' and '.join(rows)}."
