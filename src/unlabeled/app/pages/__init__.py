"""One self-contained HTML page: its policy, its escaping, and the style that all pages share.

The parts that make a page import this one, and name the extra that brings Jinja.
"""

from ._page import clean, clean_all, render_page, script_json

__all__ = ["clean", "clean_all", "render_page", "script_json"]
