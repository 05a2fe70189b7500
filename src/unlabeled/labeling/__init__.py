"""What a user says about how labels came about, and what follows for the rows without a label."""

from ._dates import FoundByDates, LabelDates
from ._follows_columns import FollowsColumns, FoundByColumns
from ._known_chances import FoundByChances, KnownChances
from ._labeling import Labeling
from ._sources import FoundBySources, LabelSources

__all__ = [
    "FollowsColumns",
    "FoundByChances",
    "FoundByColumns",
    "FoundByDates",
    "FoundBySources",
    "KnownChances",
    "LabelDates",
    "LabelSources",
    "Labeling",
]
__dir__ = __all__.copy  # dir() shows what users may use

# For other parts of the package, not for users.
from ._chances import AlongChances as AlongChances
from ._chances import ExpectedChance as ExpectedChance
from ._follows_columns import AlongColumns as AlongColumns
from ._given import columns_named_by as columns_named_by
from ._given import labeling_of as labeling_of
from ._sources import ChanceBySources as ChanceBySources
