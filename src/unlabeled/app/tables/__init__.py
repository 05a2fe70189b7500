"""From a file to features: read a table, find its labeled rows, turn its columns into numbers.

Needs ``pip install 'unlabeled[tables]'``.
"""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from ._batches import Batches
from ._conform import Conformed, conform, read_like
from ._drawn import Drawn, draw_table
from ._formats import ENDINGS, MISSING
from ._labels import Labels, checked_rows, label_column, read_answer
from ._prepare import Prepared, prepare
from ._read import Reading, Table, read_table
from ._two_files import TwoFiles, read_two_files
from ._words import TableError

if _TYPE_CHECKING:
    from ._features import TableFeatures, Topic, table_pipeline, topics_of

__all__ = [
    "ENDINGS",
    "MISSING",
    "Batches",
    "Conformed",
    "Drawn",
    "Labels",
    "Prepared",
    "Reading",
    "Table",
    "TableError",
    "TableFeatures",
    "Topic",
    "TwoFiles",
    "checked_rows",
    "conform",
    "draw_table",
    "label_column",
    "prepare",
    "read_answer",
    "read_like",
    "read_table",
    "read_two_files",
    "table_pipeline",
    "topics_of",
]
__dir__ = __all__.copy  # dir() shows what users may use

# For other parts of the package, not for users.
from ._columns import as_numbers as as_numbers
from ._columns import cells_as_words as cells_as_words
from ._conform import Differences as Differences
from ._conform import conformed_rows as conformed_rows
from ._conform import reading_like as reading_like
from ._encodings import KINDS as KINDS
from ._encodings import MOST_CODES as MOST_CODES
from ._encodings import Feature as Feature
from ._files import FilesSeen as FilesSeen
from ._files import files_of as files_of
from ._files import is_pattern as is_pattern
from ._formats import LONGEST_LINE as LONGEST_LINE
from ._formats import has_semicolons as has_semicolons
from ._kind import MODEL as MODEL
from ._kind import PICKLE as PICKLE
from ._kind import kind_of as kind_of
from ._labels import WORDS as WORDS
from ._labels import checked_record as checked_record
from ._prepare import FOUND_BY_CHECKING as FOUND_BY_CHECKING
from ._prepare import check_labeled_by as check_labeled_by
from ._prepare import count_copies_once as count_copies_once
from ._read import REMEMBERED as REMEMBERED
from ._read import check_cells as check_cells
from ._read import read_cells as read_cells
from ._repeated import Repeated as Repeated
from ._repeated import repeated_rows as repeated_rows
from ._telling import TELLS as TELLS
from ._telling import mark_telling as mark_telling
from ._words import count as count
from ._words import listed as listed


def __getattr__(name: str) -> object:
    # The features need scikit-learn, which takes a second to import; a help text needs neither.
    if name in ("TableFeatures", "Topic", "table_pipeline", "topics_of"):
        from . import _features

        return getattr(_features, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
