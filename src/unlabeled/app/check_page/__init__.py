"""A page on which a person checks drawn rows, one at a time: one self-contained HTML file.

Needs ``pip install 'unlabeled[tables]'``.
"""

from ...engine.extras import needs_extra

with needs_extra("`unlabeled.app.check_page`", "tables"):
    from ._page import ANSWERS, make_check_page

__all__ = ["ANSWERS", "make_check_page"]
__dir__ = __all__.copy  # dir() shows what users may use
