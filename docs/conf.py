"""Sphinx configuration. `make docs` builds the site; warnings are errors."""

from __future__ import annotations

import csv
import importlib.metadata
import shutil
from pathlib import Path

project = "unlabeled"
author = "The unlabeled developers"
copyright = f"2026, {author}"
release = importlib.metadata.version("unlabeled")
version = release

extensions = [
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx-mathjax-offline",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "reproduction", "auto_examples/*.ipynb", "auto_examples/*.py"]
templates_path = ["_templates"]
# `name` in a docstring is code.
default_role = "literal"

# Broken references inside the project are errors; other projects' names are not looked up,
# so that the build needs no network.
nitpicky = True
nitpick_ignore_regex = [
    (r"py:.*", r"(sklearn|numpy|np|scipy|pandas|matplotlib|collections|typing)\..*"),
]

autosummary_generate = True
autodoc_typehints = "none"
autodoc_default_options = {"member-order": "bysource"}
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "auto_examples",
    "filename_pattern": r"plot_",
    "within_subsection_order": "FileNameSortKey",
    "backreferences_dir": "gen_modules",
    "doc_module": ("unlabeled",),
    "reference_url": {"unlabeled": None},
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_memory": False,
    "remove_config_comments": True,
}

html_theme = "pydata_sphinx_theme"
html_title = "unlabeled"
html_static_path = ["_static"]
html_show_sourcelink = False
html_theme_options = {
    "navigation_with_keys": False,
    "show_prev_next": False,
    "secondary_sidebar_items": ["page-toc"],
    "navbar_align": "left",
}
html_sidebars = {
    name: []
    for name in (
        "index",
        "start",
        "methods",
        "reproduce",
        "field/index",
        "calibration/index",
        "checks",
        "notation",
        "changelog",
    )
}

# Names that scikit-learn adds to every estimator; they are described in its own documentation.
SKLEARN_MEMBERS = {
    "get_metadata_routing",
    "get_params",
    "set_params",
    "set_fit_request",
    "set_score_request",
    "set_partial_fit_request",
    "score",
}


def skip_sklearn_members(app, what, name, obj, skip, options):
    return True if name in SKLEARN_MEMBERS else None


def _write_what_the_paper_left_open(app):
    """Write the table of `docs/reproduce.rst` from the list the reproduction itself prints."""
    from unlabeled.experiments.outcome import LEFT_OPEN

    path = Path(app.srcdir) / "reference" / "generated" / "left_open.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(LEFT_OPEN)


def _copy_the_committed_run(app, exception):
    """Publish the page of the committed run beside the documentation."""
    run = Path(app.srcdir) / "reproduction"
    if exception is None and run.is_dir():
        shutil.copytree(run, Path(app.outdir) / "reproduction", dirs_exist_ok=True)


def setup(app):
    app.connect("autodoc-skip-member", skip_sklearn_members)
    app.connect("builder-inited", _write_what_the_paper_left_open)
    app.connect("build-finished", _copy_the_committed_run)
