"""Labels that follow features: a posterior and a propensity, both logistic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from difflib import get_close_matches
from numbers import Integral, Real
from typing import Any, Literal, get_args

import numpy as np
from scipy.special import logit
from sklearn.utils.validation import check_is_fitted

from ..codes import Message, warn
from ..engine.arrays import is_sparse
from ..engine.linear_fits import Watch, report_early_stop
from ..engine.losses import (
    KnownPropensityLoss,
    ProductLoss,
    shift_to_mean,
    softplus_and_sigmoid,
)
from ..engine.objective import Design, Objective, linear_score
from ..engine.parameters import check_choice, check_defaults, check_positive
from ..engine.rows import (
    SAMPLING,
    Folds,
    Rows,
    WeightsWord,
    chunk_by_chunk,
    names_or_numbers,
    quoted_column,
    validate_new_rows,
    weighted_mean,
)
from ..engine.sampling import ONE_SAMPLE
from ..inference import Estimates
from ..scores import (
    Decision,
    PropensityPrior,
    ResolvedPrior,
    posterior_along,
    propensity_prior,
    reject_impossible_prior,
)
from ..thresholds import Cuts, Rule
from ._direction import ComparableFeatures, Direction, choose_C, divided
from ._likelihood import Optimum
from ._propensity_fit import (
    AS_LIKELY,
    AlongPropensity,
    DoubleFit,
    DoubleProblem,
    check_swap,
    ridge_of_both,
)
from ._pu_logistic import HeldOut, Knowledge, PULogistic
from ._published import fit_sar_em

Solver = Literal["lbfgs", "em"]

SAR_EM = "sar-em"
# Inverse strength of the ridge on the slopes of named features, shared by all of them: the
# variance of the propensity's logit before the labels are seen.
_NAMED_STRENGTH = 1.0
# Above this multiple correlation with PULogistic's score, named features dominate the posterior.
# In the study of names, AUC fell or stayed the same on all four sets above it, and rose on most
# of those below.
_DOMINANT = 0.87
# Signs that separate the name of a column from what was made of it: a level of a category, a
# part of a date or text, a missing value; for scikit-learn's encoders, an underscore.
_MADE_OF = ("=", " (", " is missing")


class PropensityLogistic(PULogistic):
    r"""Logistic regression for labels that were not given at random but follow known features.

    Assumes that a positive row is labeled with a probability that is logistic in the features
    that you name, and that the posterior is logistic in all features:
    :math:`P(S=1|x) = \sigma(x_e^Tg + g_0)\,\sigma(x^Tb + b_0)`. Use it if you know what the
    labeling followed, such as the hospital or the year, or if some rows were checked by hand.
    Otherwise it is `PULogistic`. Everything else is as in `PULogistic`: ridge, class prior and cut
    are chosen from the labels, on held-out scores. But all rows must be one sample of the
    population: there is no parameter `sampling`.

    Parameters
    ----------
    rule : str or Rule, default="f1"
        What the cut maximizes, as in `PULogistic`.
    propensity_features : list of str or int, str, int or None, default=None
        Names or positions of the features that labeling followed. A name also stands for the
        features that were made of that column, such as ``"ward=B"`` or ``"ward_B"`` of
        ``"ward"``. None: nothing is known. Without checked rows the labels are then taken as
        given at random (PU121); with checked rows, labeling may follow every feature, with a
        ridge that is chosen.
    class_prior : float, label-frequency estimator, PriorDensity or None, default=None
        P(Y=1) of the population; None estimates it from held-out scores and the propensity.
    C : float or "auto", default="auto"
        Inverse strength of the ridge on the coefficients of standardized features, as in
        `PULogistic`.
    propensity_C : float or "auto", default="auto"
        Inverse strength of the ridge on the propensity's slopes for standardized features: the
        variance that they have before the labels are seen. "auto" is 1 divided by the number of
        named features. Without names it is chosen by the likelihood of held-out labels and
        answers, and 0 (labels at random) unless that is worse by more than a standard error.
    solver : {"lbfgs", "em"}, default="lbfgs"
        "lbfgs": L-BFGS, then Newton steps. "em": expectation-maximization; the same optimum, in
        more time.
    settings : {"converged", "sar-em"}, default="converged"
        "sar-em" runs SAR-EM with the authors' settings, on the features as given: ridge C = 1 on
        everything, their start, their stopping rule and their last fit, weighted by 1/e. That fit
        has negative weights, which their program hands to a solver that leaves such rows out;
        here it is solved as published. It cuts the posterior at 1/2, scores nothing out of fold,
        and has no intervals. `rule`, `class_prior`, `C`, `propensity_C`, `solver` and `cv` must
        then keep their defaults.
    cv : "auto", "loo", int, splitter or iterable, default="auto"
        How rows are held out to be scored, as in `PULogistic`. The propensity is fitted once, to
        all rows.
    tol : float, default=1e-4
        Tolerance of the fits, as in `NaiveLogistic`.
    max_iter : int, default=1000
        Maximum number of iterations of a fit.
    pos_label : object, default=None
        The value of y that marks labeled rows; if None, the larger number or the text that says it.
    weights : {"sampling", "frequency"}, default="sampling"
        What `sample_weight` says: how many rows of the population a row stands for, or how often
        the row occurs; see :doc:`/understand/weights`.
    random_state : int, RandomState instance or None, default=None
        Controls the shuffling of the folds, if folds are used.
    verbose : int, default=0
        As in `PULogistic`.

    Attributes
    ----------
    propensity_features_ : ndarray of int
        Positions of the features of the propensity; none if labels are taken as given at random.
    propensity_coef_ : ndarray of shape (n_propensity_features,)
        Slopes g of the propensity, for the features as they were given.
    propensity_intercept_ : float
        :math:`g_0`.
    propensity_C_ : float
        The inverse strength used; 0 if labels are taken as given at random.
    propensity_scores_ : dict of float to float
        Mean held-out log-likelihood for each inverse strength that was tried; empty if it was not
        chosen.
    coef_, intercept_, threshold_, posterior_line_
        The score, the cut and the posterior, as in `PULogistic`.
    class_prior_, label_frequency_, class_prior_density_
        As in `PULogistic`. The density also exists after a fit with checked rows.
    cut_, cuts_, observed_cuts_
        As in `PULogistic`. The recall of `cuts_` counts a labeled row 1/e(x) times.
    C_, Cs_, scores_, direction_
        How the posterior was fitted, as in `PULogistic`.
    held_out_score_, held_out_posterior_, held_out_posterior_if_unlabeled_
        As in `PULogistic`. Not after ``settings="sar-em"``, and neither are cuts nor `scores_`.
    n_checked_, n_groups_
        Checked rows and groups, as in `PULogistic`.
    classes_, positive_class_, n_features_in_, feature_names_in_
        As in `PULogistic`.
    n_iter_, converged_
        As in `PULogistic`; `converged_` is also about the fit of both parts.

    See Also
    --------
    unlabeled.PULogistic : If labels are given at random.
    unlabeled.audit.draw_audit : Rows to check, for numbers that hold whatever the labeling.
    unlabeled.inference.labeling_sensitivity : How numbers move if labeling followed a feature.
    unlabeled.diagnostics.scar_test : Whether labels contradict labeling at random.

    Notes
    -----
    1. `PULogistic`'s direction is the start. From there, and from slopes of both signs of each
       named feature, the penalized likelihood

       .. math:: \ell(b, g) = \sum_i s_i \log(e_i y_i) + (1-s_i)\log(1 - e_i y_i)

       is maximized, with :math:`y_i = \sigma(x_i^Tb + b_0)`,
       :math:`e_i = \sigma(x_{ei}^Tg + g_0)`. A row found positive counts :math:`\log(y_i(1-e_i))`
       and one found negative :math:`\log(1-y_i)`. The logit of the propensity at the means of its
       features, :math:`\bar x_e^Tg + g_0`, has a weak ridge too, of variance 4.
    2. With :math:`e_i` fixed, C is chosen and every row is scored by a fit without it, as in
       `PULogistic`; then step 1 is repeated with that C.
    3. The class prior, the level and the length of g are averaged along these scores and the
       propensity, as weighted by the likelihood. The
       posterior is the logistic curve of the score that is nearest to the expected classes.
       :math:`g_0` is then set so that as many labels are expected as there are.
    4. Recall above a cut is that of the labeled rows, each counted 1/e(x) times, mixed with the
       recall that the posterior predicts, as in `PULogistic`.

    **Identifiability.** If all features may drive the labeling, (b, g) and (g, b) have the same
    likelihood. A posterior with a feature that the propensity lacks breaks the tie, and so do
    checked rows. Labels say little about a named feature that also dominates the posterior.

    Labels alone do not say which of the two factors is the posterior. So both are also fitted from
    a start at which they have changed places. PU122 warns if the log-likelihood of that fit is
    less than 1.92 lower; the summary shows the difference.

    **What breaks it:** labeling that follows what you did not name, or what is not in the
    table; a posterior or a propensity that is not logistic. Then only checked rows tell.

    References
    ----------
    J. Bekker, P. Robberechts, J. Davis (2019). Beyond the selected completely at random
    assumption for learning from positive and unlabeled data. ECML PKDD. arXiv:1809.03207.

    K. Furmańczyk, J. Mielniczuk, W. Rejchel, P. Teisseyre (2023). Double logistic regression
    approach to biased positive-unlabeled data. ECAI.

    Examples
    --------
    >>> from unlabeled import PropensityLogistic
    >>> from unlabeled.datasets import hide_labels, make_paper_gaussian, propensity
    >>> data = make_paper_gaussian(n=3000, label_frequency=1.0, random_state=0)
    >>> e = propensity("feature", data.X, column=1, label_frequency=0.4, y_true=data.y_true)
    >>> s = hide_labels(data.y_true, propensity=e, random_state=0)
    >>> model = PropensityLogistic(propensity_features=[1]).fit(data.X, s)
    >>> bool(model.propensity_coef_[0] > 0)
    True
    """

    direction, sampling = "joint", ONE_SAMPLE
    # The total log-likelihood of the fit minus that of the fit from swapped parts; None if that
    # start led to the same fit, or if there is no propensity.
    _swap_ratio_: float | None

    _takes_rows_anywhere = False
    _can_go_by_passes = False

    def __init__(
        self,
        rule: str | Rule = "f1",
        *,
        propensity_features: Any = None,
        class_prior: Any = None,
        C: float | Literal["auto"] = "auto",
        propensity_C: float | str = "auto",
        solver: Solver = "lbfgs",
        settings: str = "converged",
        cv: Folds | Literal["auto", "loo"] = "auto",
        tol: float = 1e-4,
        max_iter: int = 1000,
        pos_label: Any = None,
        weights: WeightsWord = SAMPLING,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.rule = rule
        self.propensity_features = propensity_features
        self.class_prior = class_prior
        self.C = C
        self.propensity_C = propensity_C
        self.solver = solver
        self.settings = settings
        self.cv = cv
        self.tol = tol
        self.max_iter = max_iter
        self.pos_label = pos_label
        self.weights = weights
        self.random_state = random_state
        self.verbose = verbose

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore a pickled model; `sampling` belongs to the class."""
        super().__setstate__(state)
        self.__dict__.pop("sampling", None)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if not (isinstance(self.propensity_C, str) and self.propensity_C == "auto"):
            check_positive("propensity_C", self.propensity_C, Real, "'auto' or a positive number")
            if np.isinf(self.propensity_C):
                raise ValueError(
                    "`propensity_C` must be 'auto' or a finite number; got inf. Use a large one."
                )
        check_choice("solver", self.solver, get_args(Solver))
        check_choice("settings", self.settings, ("converged", SAR_EM))
        if self.settings == SAR_EM:
            own = ("rule", "class_prior", "C", "propensity_C", "solver", "cv")
            check_defaults(self, own, SAR_EM)

    def _fit_rows(self, rows: Rows, watch: Watch) -> None:
        if self.settings == SAR_EM:
            self._fit_published(rows)
        else:
            super()._fit_rows(rows, watch)

    def propensity(self, X: Any) -> np.ndarray:
        """Estimate e(x) = P(S=1|Y=1,x), the chance of a positive row to be labeled.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            Feature rows.

        Returns
        -------
        propensity : ndarray of shape (n_rows,)
        """
        check_is_fitted(self)
        X = validate_new_rows(self, X)
        return softplus_and_sigmoid(self.propensity_intercept_ + self._tilt(X))[1]

    @chunk_by_chunk()
    def posterior_if_unlabeled(self, X: Any) -> np.ndarray:
        """Estimate P(Y=1|x, S=0): the posterior of rows that are known to have no label.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
            Feature rows.

        Returns
        -------
        posterior : ndarray of shape (n_rows,)
            With the propensity e(x) of each row, `posterior_if_unlabeled_at` of its score.
        """
        propensity = self.propensity(X) if self._follows_features else None
        return self.posterior_if_unlabeled_at(self.positive_score(X), propensity)

    def _posterior_if_unlabeled_at(self, score: Any, propensity: Any) -> Any:
        if propensity is None and self._follows_features:
            raise ValueError(
                "`propensity` must be P(S=1|Y=1,x) of the rows if labeling follows features; got "
                "None. Pass `propensity(X)`, or ask `posterior_if_unlabeled(X)`."
            )
        return super()._posterior_if_unlabeled_at(score, propensity)

    @property
    def _follows_features(self) -> bool:
        return len(self.propensity_features_) > 0

    @property
    def _follows_answers(self) -> bool:
        return super()._follows_answers and not self._follows_features

    def _tilt(self, X: Any) -> np.ndarray:
        """Logit of the propensity without its intercept."""
        if len(self.propensity_features_) == 0:
            return np.zeros(X.shape[0])
        return np.asarray(linear_score(X[:, self.propensity_features_], self.propensity_coef_))

    def _with_knowledge(
        self,
        rows: Rows,
        features: ComparableFeatures,
        direction: Direction,
        given: ResolvedPrior | None,
        watch: Watch,
    ) -> tuple[Direction, Knowledge]:
        """Return the direction with its propensity, and what is known along both."""
        named = self._named()
        if named is None and rows.checked is None:
            warn(
                "PU121",
                Message(
                    python="`propensity_features` is None and no row was checked: labels alone do "
                    "not tell what the labeling followed. The fit is that of PULogistic, which "
                    "takes labels as given at random. Name the features, or pass `checked`."
                ),
            )
            self._keep_no_propensity({})
            return direction, Knowledge(given)
        if given is not None and rows.checked is not None:
            reject_impossible_prior(given.value, rows)
        double, further = self._double(rows, features, direction, named, watch)
        if named is None and double.propensity_C == 0:
            self._keep_no_propensity(self.propensity_scores_)
            direction, known = super()._with_knowledge(rows, features, direction, given, watch)
            assert known.prior is not None
            self._keep_level(rows, known.prior.value)
            if given is None:
                average = self._averaged(rows, direction.point.score, np.zeros(len(rows.s)), 1.0)
                prior = ResolvedPrior(average.density.mean, average.density)
                known = known._replace(prior=prior)
            return direction, known
        propensity_logit = double.predictors[1] - double.parts[1][-1]
        average = self._averaged(
            rows, further.point.score, propensity_logit, _stretch_deviation(double)
        )
        self._keep_propensity(features, double, named, average)
        report_early_stop(double.fit.result, has_ridge=True)
        further = replace(further, is_settled=double.fit.result.converged)
        prior = given or ResolvedPrior(average.density.mean, average.density)
        # The bound of the labels holds if they are given at random: here it is compared to nothing.
        return further, Knowledge(prior._replace(is_given=False), average.missed)

    def _keep_no_propensity(self, scores: dict[float, float]) -> None:
        """Take labels as given at random."""
        self.propensity_features_ = np.array([], dtype=np.intp)
        self.propensity_coef_, self.propensity_C_ = np.array([]), 0.0
        self.propensity_scores_, self._swap_ratio_ = scores, None

    def _keep_level(self, rows: Rows, class_prior: float) -> None:
        """Set the propensity of labels given at random."""
        frequency = min(rows.labeled_share / class_prior, 1 - np.finfo(np.float64).eps)
        self.propensity_intercept_ = float(logit(frequency))

    def _averaged(
        self, rows: Rows, score: np.ndarray, tilt: np.ndarray, deviation: float
    ) -> PropensityPrior:
        """Average what labels and answers say along a score and a propensity."""
        return propensity_prior(
            score,
            tilt,
            rows.outcomes,
            rows.weight,
            stretch_deviation=deviation,
            groups=rows.groups,
            unit=rows.unit,
        )

    def _double(
        self,
        rows: Rows,
        features: ComparableFeatures,
        direction: Direction,
        named: tuple[int, ...] | None,
        watch: Watch,
    ) -> tuple[DoubleFit, Direction]:
        """Fit posterior and propensity, then C and the held-out scores with that propensity."""
        columns = tuple(range(rows.X.shape[1])) if named is None else named
        problem = DoubleProblem.of(
            rows, features, columns, self.tol, self.max_iter, self.solver, watch.stage("propensity")
        )
        C = direction.point.C
        starts = problem.starts(direction.point.fit.theta, direction.frequency)
        self.propensity_scores_ = {}
        if self.propensity_C == "auto" and named is None:
            double, self.propensity_scores_ = problem.strongest_as_good(
                C, starts[0], direction.path.splits
            )
        else:
            strength = _NAMED_STRENGTH / len(columns)
            if self.propensity_C != "auto":
                strength = float(self.propensity_C)
            double = problem.fit(C, strength, starts)
        if double.propensity_C == 0:
            return double, direction
        double, self._swap_ratio_ = check_swap(problem, double)
        if self._swap_ratio_ is not None and self._swap_ratio_ < AS_LIKELY:
            _report_swap(self._swap_ratio_)
        elif named is not None and rows.checked is None:
            _report_dominant(problem.correlation_with(direction.point.score))
        if named is not None:
            self._report_unlabeled_level(rows, named)
        further = self._known_propensity(rows, direction, double, self._fixed_strength)
        if further.point.C != double.C:
            searched = further.path
            double = problem.fit(further.point.C, double.propensity_C, [double.fit.theta])
            further = self._known_propensity(rows, direction, double, double.C)
            further.path.mean_log_likelihoods = (
                searched.mean_log_likelihoods | further.path.mean_log_likelihoods
            )
        return double, further

    def _known_propensity(
        self, rows: Rows, direction: Direction, double: DoubleFit, C: float | None
    ) -> Direction:
        """Fit the posterior for a known propensity, with a given C or the best one."""
        target = np.column_stack([rows.outcomes, double.predictors[1]])
        path = direction.path.with_loss(
            KnownPropensityLoss(), "propensity", double.parts[0], target
        )
        point = choose_C(path, C, direction.point)
        return Direction("joint", point, path, direction.frequency)

    def _report_unlabeled_level(self, rows: Rows, named: tuple[int, ...]) -> None:
        """Warn if nobody is labeled at one of the two values of a named feature."""
        known = rows.known_positive > 0
        for column in named:
            values: Any = rows.X[:, [column]]
            values = values.toarray() if is_sparse(values) else np.asarray(values)
            found = np.unique(values[:, 0])
            if len(found) != 2:
                continue
            for value in found:
                if not np.any(known & (values[:, 0] == value)):
                    warn(
                        "PU122",
                        Message(
                            f"no row with {quoted_column(self._feature_names, column)} = {value:g} "
                            "is known to be positive. Labels then do not tell whether there are no "
                            "positives there, or none that were labeled; the fit takes the first.",
                            python="Pass `checked` rows from there.",
                        ),
                    )

    def _keep_propensity(
        self,
        features: ComparableFeatures,
        double: DoubleFit,
        named: tuple[int, ...] | None,
        found: PropensityPrior,
    ) -> None:
        """Set the propensity for the features as they were given."""
        own = double.parts[1]
        if named is None or len(named) == len(features.scale):
            slopes, level = features.original(own[:-1], float(own[-1]))
            columns = np.arange(len(slopes))
        else:
            columns = np.array(named, dtype=np.intp)
            slopes = own[:-1] / features.scale[columns]
            level = float(own[-1]) - float(features.center[columns] @ slopes)
        self.propensity_features_, self.propensity_C_ = columns, double.propensity_C
        # Plain arrays, for model files: the optimum before the average.
        self._propensity_fit_ = (slopes, level)
        self.propensity_coef_ = found.stretch * slopes
        self.propensity_intercept_ = found.level + found.stretch * (level - float(own[-1]))

    def _decide(
        self,
        rows: Rows,
        found: HeldOut,
        rule: Rule,
        recall: Callable[[np.ndarray], Cuts] | None = None,
    ) -> Decision:
        """Decide, every labeled row counted 1/e(x) times; set the level of the propensity."""
        if len(self.propensity_features_) == 0:
            decision = super()._decide(rows, found, rule)
            if rows.checked is None:
                self._keep_level(rows, decision.prior.value)
            return decision
        along = AlongPropensity(found.scored, self._tilt(rows.X), self.propensity_intercept_)
        decision = super()._decide(rows, found, rule, along.cuts)
        posterior = posterior_along(
            decision.line, decision.scale, found.scored.score, decision.label_frequency
        )
        self.propensity_intercept_ = along.level(posterior)
        propensity = softplus_and_sigmoid(self.propensity_intercept_ + self._tilt(rows.X))[1]
        self._held_out_propensity_ = rows.for_passed(propensity)
        return decision

    def _posterior_given(self, score: np.ndarray, class_prior: float) -> np.ndarray:
        """Move the posterior's logits so that their mean over the held-out scores fits."""
        if len(self.propensity_features_) == 0:
            return super()._posterior_given(score, class_prior)
        intercept, slope = self.posterior_line_
        rows = np.diff(self.observed_cuts_.total, prepend=0).astype(np.float64)
        logits = intercept + slope * self.observed_cuts_.score
        shift = shift_to_mean(logits, class_prior, rows)
        return softplus_and_sigmoid(intercept + shift + slope * score)[1]

    def _named(self) -> tuple[int, ...] | None:
        """Return the positions of the named features in rising order; None if none are named."""
        given = self.propensity_features
        if given is None:
            return None
        if isinstance(given, str | Integral):
            given = [given]
        try:
            given = list(given)
        except TypeError:
            given = [given]
        if not given:
            raise ValueError(
                "`propensity_features` must be None, or name at least one feature; got none."
            )
        found = [self._positions(one) for one in given]
        return tuple(sorted({int(column) for columns in found for column in columns}))

    def _positions(self, feature: Any) -> Sequence[int]:
        n_features, names = self.n_features_in_, self._feature_names
        if isinstance(feature, Integral) and not isinstance(feature, bool):
            if 0 <= int(feature) < n_features:
                return [int(feature)]
            raise ValueError(
                f"`propensity_features` must hold names, or positions from 0 to {n_features - 1}; "
                f"got {int(feature)}."
            )
        if not isinstance(feature, str):
            raise ValueError(
                "`propensity_features` must hold names of features, or their positions; got "
                f"{feature!r}."
            )
        if names is None:
            raise ValueError(
                f"`propensity_features` must hold positions if X has no feature names; got "
                f"{feature!r}. Pass a data frame, or the position of the feature."
            )
        return features_of_column(feature, [str(name) for name in names])

    def _fit_published(self, rows: Rows) -> None:
        if rows.checked is not None or rows.groups is not None:
            given = "checked" if rows.checked is not None else "groups"
            raise ValueError(
                f"`{given}` must be None with settings='sar-em', which takes labels alone; got "
                f"{given}. Leave it out, or use settings='converged'."
            )
        named = self._named()
        columns = np.arange(rows.X.shape[1]) if named is None else np.array(named, dtype=np.intp)
        fit = fit_sar_em(rows, columns)
        self.propensity_features_, self.propensity_coef_ = columns, fit.propensity_coef
        self.propensity_intercept_, self.propensity_C_ = fit.propensity_intercept, 1.0
        self.propensity_scores_, self._swap_ratio_ = {}, None
        self.n_iter_, self.converged_, self.C_, self.direction_ = (
            fit.n_iter,
            fit.converged,
            1.0,
            "joint",
        )
        logits = linear_score(rows.X, fit.coef) + fit.intercept
        self.class_prior_ = weighted_mean(softplus_and_sigmoid(logits)[1], rows.weight)
        self.label_frequency_ = min(1.0, rows.labeled_share / self.class_prior_)
        self.class_prior_density_, self.n_checked_, self.n_groups_ = None, 0, None
        self._set_score(fit.coef, fit.intercept)
        self.posterior_line_ = (float(fit.intercept), 1.0)

    def _estimated_density(self) -> Any:
        check_is_fitted(self)
        if self.settings == SAR_EM:
            raise ValueError(
                "`settings` must be 'converged' for intervals; got 'sar-em', which scores no row "
                "out of fold."
            )
        return super()._estimated_density()

    def _further_facts(self, rows: Rows, level: float) -> tuple[tuple[str, str], ...]:
        names = names_or_numbers(self._feature_names, self.n_features_in_)
        used = [names[column] for column in self.propensity_features_]
        shown = ", ".join(used[:5]) + (", ..." if len(used) > 5 else "")
        follows: tuple[tuple[str, str], ...] = (
            ("labeling follows", shown or "nothing: it is taken as given at random"),
        )
        if used:
            follows += (
                ("caution", "the propensity below is the optimum; propensity_coef_ is averaged"),
            )
        if self._swap_ratio_ is not None:
            follows += (("swapped fit, log-likelihood", f"{self._swap_ratio_:.3g} lower"),)
        return follows + super()._further_facts(rows, level)

    def _about_coefficients(self, rows: Rows) -> tuple[str, str]:
        if len(self.propensity_features_) == 0:
            return super()._about_coefficients(rows)
        return "caution", "standard errors treat the ridge as known, and it shrinks toward 0"

    def _estimates(self, rows: Rows, kind: str) -> Estimates:
        """Return the parameters of posterior and propensity where the fit ended."""
        if self.settings == SAR_EM:
            raise ValueError(
                "`settings` must be 'converged' for standard errors; got 'sar-em', whose last fit "
                "maximizes no likelihood."
            )
        if len(self.propensity_features_) == 0:
            return super()._estimates(rows, kind)
        return self._optimum(self._limited(rows)).estimates(kind)

    def _optimum(self, rows: Rows) -> Optimum:
        """Return the objective of posterior and propensity, in the scaled features."""
        _, intercept, scale = self._ridge_fit_
        slopes, level = self._propensity_fit_
        theta, names, sign = self._parameters(self._sign * intercept)
        columns, n_rows = self.propensity_features_, rows.total_weight
        of_propensity = tuple(f"propensity: {names[k]}" for k in columns)
        designs = (Design(True, True), Design(True, True, tuple(int(k) for k in columns)))
        factor = np.concatenate([sign, np.ones(len(columns) + 1)])
        scales = np.concatenate([scale, [1.0], scale[columns], [1.0]])
        sizes = [len(scale) + 1, len(columns) + 1]
        objective = Objective(
            ProductLoss(),
            designs,
            divided(rows.X, scale),
            rows.outcomes,
            rows.weight,
            ridge_of_both(sizes, self.C_, self.propensity_C_, n_rows, np.inf),
        )
        parameters = np.concatenate([theta, slopes, [level]]) * scales
        names = (*names, *of_propensity, "propensity: intercept")
        return Optimum(objective, parameters, names, factor / scales, rows)


def features_of_column(column: str, names: Sequence[str]) -> list[int]:
    """Return the positions of the feature of this name, and of those made of the column.

    Examples
    --------
    >>> features_of_column("ward", ["age", "ward=A", "ward=B", "ward is missing", "warden"])
    [1, 2, 3]
    >>> features_of_column("ward", ["age", "ward_A", "onehot__ward_B"])
    [1, 2]
    """
    found = [
        k
        for k, name in enumerate(names)
        if name == column or name.startswith(tuple(column + sign for sign in _MADE_OF))
    ]
    if not found:
        found = [k for k, name in enumerate(names) if name.split("__")[-1].startswith(column + "_")]
    if not found:
        near = get_close_matches(column, names, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise ValueError(
            f"`propensity_features` must hold names of features; got {column!r}, which is none of "
            f"the {len(names)} features.{hint}"
        )
    return found


def _report_swap(ratio: float) -> None:
    """Warn that posterior and propensity may change places."""
    warn(
        "PU122",
        Message(
            "posterior and propensity can change places: the log-likelihood of the labels then "
            f"falls by only {max(ratio, 0.0):.2g}. The posterior is taken to be the one with the "
            "larger slopes.",
            python="Name fewer `propensity_features`, or pass `checked` rows.",
        ),
    )


def _report_dominant(correlation: float) -> None:
    """Warn if the named features alone nearly give the score of the labels."""
    if correlation > _DOMINANT:
        warn(
            "PU122",
            Message(
                python="the named `propensity_features` alone nearly give the score that "
                f"PULogistic finds: their correlation with it is {correlation:.2f}. Labels then "
                "hardly tell whether these features make a row positive, or a positive row "
                "labeled. Name fewer features, or pass `checked` rows."
            ),
        )


def _stretch_deviation(double: DoubleFit) -> float:
    """Standard deviation of a factor of the slopes, by the ridge on them."""
    length = float(np.linalg.norm(double.parts[1][:-1]))
    return float(np.sqrt(max(double.propensity_C, 1e-6))) / max(length, 1e-6)
