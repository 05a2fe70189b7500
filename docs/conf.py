"""Sphinx configuration. `make docs` builds the site; warnings are errors."""

from __future__ import annotations

import importlib.metadata
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # for `reproduction`
sys.path.insert(0, str(Path(__file__).parent))  # for `site_check` and `written`

import written

project = "unlabeled"
author = "The unlabeled developers"
copyright = f"2026, {author}"
release = importlib.metadata.version("unlabeled")
version = release

extensions = [
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "matplotlib.sphinxext.plot_directive",
    "sphinx-mathjax-offline",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = [
    "_build",
    "reference/_*",
    "reproduction",
    "pictures",
    "auto_examples/*.ipynb",
    "auto_examples/*.py",
]
templates_path = ["_templates"]
# `name` in a docstring is code.
default_role = "literal"

# Broken references inside the project are errors; other projects' names are not looked up,
# so that the build needs no network.
nitpicky = True
nitpick_ignore_regex = [
    (r"py:.*", r"(sklearn|numpy|np|scipy|pandas|matplotlib|collections|typing)\..*"),
]

# The lists of what the library registers are written from it, and included in the reference.
_lists = written.write_lists(Path(__file__).parent / "reference")
autosummary_generate = [f"reference/{name}" for name in ("index.rst", *_lists)]
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

# Pictures of the pages: scripts in `pictures/`, run when the pages are built.
plot_formats = [("png", 144)]
plot_rcparams = {"font.size": 10}
plot_apply_rcparams = True
plot_template = """
.. only:: html

   {% for img in images %}
   .. figure:: {{ build_dir }}/{{ img.basename }}.{{ default_fmt }}
      {% for option in options -%}
      {{ option }}
      {% endfor %}

{{ caption }}
   {% endfor %}

   .. rst-class:: picture-script

   :download:`The script of this picture <{{ build_dir }}/{{ src_name }}>`
"""

html_theme = "pydata_sphinx_theme"
html_title = "unlabeled"
html_static_path = ["_static"]
html_show_sourcelink = False
html_theme_options = {
    "navigation_with_keys": False,
    "show_prev_next": False,
    "secondary_sidebar_items": ["page-toc"],
    "navbar_align": "left",
    "header_links_before_dropdown": 9,
}
html_css_files = ["site.css"]
# Sections of one page have nothing to list beside it.
html_sidebars = {
    name: []
    for name in ("index", "reproduce", "scale", "checks", "changelog", "search", "genindex")
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


def _write_what_the_library_knows(app):
    """Write the tables and help texts that pages include, from the library itself."""
    written.write_all(Path(app.srcdir) / "reference" / "generated")


def _forget_examples_that_are_gone(app):
    """Remove pages of earlier builds whose example was renamed or taken away."""
    source = Path(app.srcdir)
    kept = {example.stem for example in (source.parent / "examples").glob("plot_*.py")}
    for page in (source / "auto_examples").glob("plot_*"):
        if page.name.split(".")[0] not in kept:
            page.unlink()


def _copy_the_committed_run(app, exception):
    """Publish the page of the committed run beside the documentation."""
    run = Path(app.srcdir) / "reproduction"
    if exception is None and run.is_dir():
        shutil.copytree(run, Path(app.outdir) / "reproduction", dirs_exist_ok=True)


def _check_links(app, exception):
    """Fail when a link between the pages, or to a file beside them, leads nowhere."""
    from site_check import broken_links
    from sphinx.errors import SphinxError

    if exception is None and app.builder.name == "html":
        broken = broken_links(Path(app.outdir))
        if broken:
            raise SphinxError("Links that lead nowhere:\n" + "\n".join(broken))


def setup(app):
    app.connect("autodoc-skip-member", skip_sklearn_members)
    app.connect("builder-inited", _write_what_the_library_knows)
    app.connect("builder-inited", _forget_examples_that_are_gone)
    app.connect("build-finished", _copy_the_committed_run)
    app.connect("build-finished", _check_links)
