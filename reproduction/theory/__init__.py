"""The population: Ruud's projection of a normal index, and the best cuts of a score."""

from ._angle import direction_angle
from ._cuts import PopulationCut, binormal_cut, class_prior, cut_properties, optimal_cut
from ._projection import RuudProjection, ruud_projection

__all__ = [
    "PopulationCut",
    "RuudProjection",
    "binormal_cut",
    "class_prior",
    "cut_properties",
    "direction_angle",
    "optimal_cut",
    "ruud_projection",
]
__dir__ = __all__.copy  # dir() shows what users may use
