"""Population-optimal cuts of a score, and what any cut achieves."""

from __future__ import annotations

from ..parameters import check_choice
from ._arguments import (
    finite_number,
    index_variance,
    open_probability,
    positive_number,
)
from ._cut_search import CRITERIA, PopulationCut, best_cut, describe_cut
from ._models import Binormal, NormalIndex


def class_prior(beta0: float, mean: float, var: float) -> float:
    r"""Share of positives when the linear predictor is normal.

    Assumes :math:`P(Y=1|T) = \sigma(\beta_0+T)` with :math:`T \sim N(mean, var)`.

    Parameters
    ----------
    beta0 : float
        True intercept.
    mean, var : float
        Mean and variance of the index T (without the intercept).

    Returns
    -------
    float
        :math:`\alpha = E\,\sigma(\beta_0+T)`.

    Notes
    -----
    **What breaks it.** Nothing but an index that is not normal.

    Examples
    --------
    >>> from unlabeled.theory import class_prior
    >>> round(class_prior(-1, mean=-1, var=3), 10)
    0.2064803545
    """
    return _normal_index(beta0, mean, var).prior


def cut_properties(threshold: float, beta0: float, mean: float, var: float) -> PopulationCut:
    r"""Properties of the rule :math:`T > \tau` when the index T is normal.

    Assumes :math:`P(Y=1|T) = \sigma(\beta_0+T)` with :math:`T \sim N(mean, var)`.
    The naive rule of a projection :math:`(\beta_0^*, \eta)` is the cut
    :math:`\tau = -\beta_0^*/\eta`.

    Parameters
    ----------
    threshold : float
        The cut :math:`\tau` on T.
    beta0 : float
        True intercept.
    mean, var : float
        Mean and variance of the index T (without the intercept).

    Returns
    -------
    PopulationCut

    Notes
    -----
    :math:`q = P(T>\tau)` and :math:`r = E[\sigma(\beta_0+T); T>\tau]/\alpha`; the
    measures follow from these two and :math:`\alpha`. Values are accurate to
    about 1e-13. **What breaks it.** Nothing but an index that is not normal.

    Examples
    --------
    >>> from unlabeled.theory import cut_properties, ruud_projection
    >>> intercept, slope = ruud_projection(-1, mean=-1, var=3, c=0.3)
    >>> naive = cut_properties(-intercept / slope, -1, mean=-1, var=3)
    >>> round(naive.f1, 6), round(naive.balanced_accuracy, 6)
    (0.019396, 0.504855)
    """
    population = _two_classes(_normal_index(beta0, mean, var))
    return describe_cut(population, finite_number("threshold", threshold))


def optimal_cut(criterion: str, beta0: float, mean: float, var: float) -> PopulationCut:
    r"""Best rule :math:`T > \tau` for a criterion when the index T is normal.

    Assumes :math:`P(Y=1|T) = \sigma(\beta_0+T)` with :math:`T \sim N(mean, var)`.
    The cut does not depend on the label frequency. In the units of a naive fit
    with slope factor :math:`\eta` its intercept is :math:`-\eta\tau`.

    Parameters
    ----------
    criterion : {"f1", "f1_pu", "balanced_accuracy", "accuracy", "mcc"}
        What the cut maximises.
    beta0 : float
        True intercept.
    mean, var : float
        Mean and variance of the index T (without the intercept).

    Returns
    -------
    PopulationCut
        With the cut in `threshold`, accurate to about 1e-10 in ordinary cases.

    See Also
    --------
    unlabeled.theory.cut_properties : What any other cut is worth.
    unlabeled.thresholds.choose_cut : The same on a sample.

    Notes
    -----
    At the optimum the posterior on the boundary equals

    ====================  ==========================================================
    accuracy              :math:`1/2`
    balanced accuracy     :math:`\alpha`
    F1                    :math:`F1/2` [1]_
    F1_PU                 :math:`\text{precision}/2`
    MCC                   :math:`\alpha + \alpha(r-q)(1-2q) / (2q(1-q))`
    ====================  ==========================================================

    and all of these lie in :math:`[\alpha/2, (1+\alpha)/2]`, where the equation is
    solved. So F1_PU cuts at a posterior of at most one half: an intercept that
    maximises it does not estimate :math:`\eta\beta_0`, as [2]_ has it, but the
    cut of best Fowlkes-Mallows index.

    **What breaks it.** Nothing but an index that is not normal. When the index
    carries hardly any signal the best F1 and F1_PU rule calls every row positive:
    the threshold then lies far below the index.

    References
    ----------
    .. [1] Z. C. Lipton, C. Elkan, B. Naryanaswamy (2014). Optimal thresholding of
       classifiers to maximize F1 measure. ECML PKDD 2014.
       doi:10.1007/978-3-662-44851-9_15
    .. [2] M. Płatek, J. Mielniczuk (2023). Enhancing naive classifier for positive
       unlabeled data based on logistic regression approach. FedCSIS 2023.
       doi:10.15439/2023F1402

    Examples
    --------
    >>> from unlabeled.theory import optimal_cut
    >>> cut = optimal_cut("f1_pu", -1, mean=-1, var=3)
    >>> round(cut.threshold, 6), round(cut.f1_pu, 6), round(cut.f1, 6)
    (-0.142482, 1.70289, 0.580887)
    """
    check_choice("criterion", criterion, CRITERIA)
    return best_cut(_two_classes(_normal_index(beta0, mean, var)), criterion)


def binormal_cut(criterion: str, distance: float, class_prior: float) -> PopulationCut:
    r"""Best rule :math:`X > \tau` for a criterion when both classes are normal.

    Assumes :math:`X|Y=1 \sim N(d, 1)` and :math:`X|Y=0 \sim N(0, 1)`; every
    quantity then has a closed form in the normal distribution function.

    Parameters
    ----------
    criterion : {"f1", "f1_pu", "balanced_accuracy", "accuracy", "mcc"}
        What the cut maximises.
    distance : float
        The distance d > 0 of the class means, in standard deviations.
    class_prior : float
        :math:`\alpha = P(Y=1)`, strictly between 0 and 1.

    Returns
    -------
    PopulationCut
        With the cut in `threshold`, accurate to about 1e-10 in ordinary cases.

    See Also
    --------
    optimal_cut : The conditions solved, and a normal index in place of normal classes.

    Notes
    -----
    :math:`r = 1-\Phi(\tau-d)` and :math:`q = \alpha r + (1-\alpha)(1-\Phi(\tau))`.
    **What breaks it.** Classes with different variances: the posterior is then
    no longer increasing in X, and a single cut is not the best rule.

    Examples
    --------
    >>> from unlabeled.theory import binormal_cut
    >>> cut = binormal_cut("f1_pu", distance=1, class_prior=0.5)
    >>> round(cut.threshold, 6), round(cut.f1_pu, 6)
    (-0.382003, 1.073286)
    """
    check_choice("criterion", criterion, CRITERIA)
    distance = positive_number("distance", distance)
    return best_cut(Binormal(distance, open_probability("class_prior", class_prior)), criterion)


def _normal_index(beta0: float, mean: float, var: float) -> NormalIndex:
    return NormalIndex(
        finite_number("beta0", beta0), finite_number("mean", mean), index_variance(var)
    )


def _two_classes(population: NormalIndex) -> NormalIndex:
    if not 0 < population.prior < 1:
        raise ValueError(
            "`beta0` and the index must leave both classes possible; got a class prior of "
            f"{population.prior:g}. Move `beta0` towards -`mean`."
        )
    return population
