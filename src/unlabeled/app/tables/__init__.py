"""From a file to features: read a table, find its labelled rows, turn its columns into numbers.

Needs ``pip install 'unlabeled[tables]'``.
"""

from ._answers import checked_rows, read_answer
from ._conform import Conformed, conform, read_like
from ._features import TableFeatures, table_pipeline
from ._labels import PAIRS, Labels, label_column
from ._prepare import Prepared, prepare
from ._read import ENDINGS, MISSING, Table, read_table
from ._topics import Topic, topics_of
from ._two_files import TwoFiles, read_two_files
from ._words import TableError

__all__ = [
    "ENDINGS",
    "MISSING",
    "PAIRS",
    "Conformed",
    "Labels",
    "Prepared",
    "Table",
    "TableError",
    "TableFeatures",
    "Topic",
    "TwoFiles",
    "checked_rows",
    "conform",
    "label_column",
    "prepare",
    "read_answer",
    "read_like",
    "read_table",
    "read_two_files",
    "table_pipeline",
    "topics_of",
]

# For other parts of the package, not for users.
from ._answers import WORDS as WORDS
from ._answers import checked_record as checked_record
from ._labels import cells_as_words as cells_as_words
from ._prepare import check_labelled_by as check_labelled_by
from ._words import count as count
from ._words import listed as listed
from ._words import without_python as without_python
