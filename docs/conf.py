"""The documentation site: `make docs` executes everything, `make docs-check` nothing."""

from __future__ import annotations

import gc
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

from unknot import __version__

sys.modules.setdefault("rfc3987_syntax", None)  # takes seconds to load, and jsonschema can do without it

project = "Unknot"
author = copyright = "The Unknot developers"
version = release = __version__
EXECUTE = os.environ.get("UNKNOT_DOCS_EXECUTE", "yes") == "yes"
"""Whether tutorials and pictures are run."""
if not EXECUTE:
    gc.disable()  # pages stay to the end: a quarter of the time went into looking for garbage
    smartquotes = False  # nobody reads these pages
LIVE = os.environ.get("UNKNOT_DOCS_LIVE", "no") == "yes"
"""Whether the inventories of other projects are fetched: for the published site."""

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "docstrings",
    "myst_nb",
    "sphinx_gallery.gen_gallery",
    "sphinx_design",
    "api_pages",
    "command_pages",
    "console",
    "made_tables",
    "tod_lexer",
]
exclude_patterns = [
    "_build",
    "_ext",
    "_pictures",
    "_templates",
    "pictures/*.ipynb",
    "pictures/*.py",
    "jupyter_execute",
    "schemas",
    "made",
]
nitpicky = True
suppress_warnings = [
    "ref.python"
]  # two parts of answers have one name, and annotations for type checkers are bare names

# --- Pages in MyST --------------------------------------------------------------------------------------------------
myst_enable_extensions = ["colon_fence", "deflist", "attrs_inline"]
myst_heading_anchors = 4
nb_execution_mode = "cache" if EXECUTE else "off"
nb_execution_cache_path = str(Path(__file__).parent / "_build" / ".notebooks")
nb_execution_raise_on_error = True
nb_execution_timeout = 600
nb_execution_in_temp = True
nb_merge_streams = True
console_execute = EXECUTE

# --- Pictures -------------------------------------------------------------------------------------------------------
sphinx_gallery_conf = {
    "examples_dirs": "_pictures",
    "gallery_dirs": "pictures",
    "plot_gallery": EXECUTE,
    "image_scrapers": ("matplotlib", "drawings.scraper"),
    "capture_repr": (),
    "within_subsection_order": "FileNameSortKey",
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 1e9,
    "abort_on_example_error": True,
    "write_computation_times": False,
    "remove_config_comments": True,
}

# --- API reference --------------------------------------------------------------------------------------------------
autosummary_generate = False
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_member_order = "bysource"
autodoc_class_signature = "mixed"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
autodoc_use_type_comments = False

# --- Other projects -------------------------------------------------------------------------------------------------
FOREIGN = {
    "python": "https://docs.python.org/3/",
    "numpy": "https://numpy.org/doc/stable/",
    "networkx": "https://networkx.org/documentation/stable/",
    "matplotlib": "https://matplotlib.org/stable/",
    "pandas": "https://pandas.pydata.org/docs/",
    "typer": "https://typer.tiangolo.com/",
}
intersphinx_mapping = {
    name: (url, None if LIVE and name != "typer" else str(Path(__file__).parent / "inventories" / f"{name}.inv"))
    for name, url in FOREIGN.items()
}
nitpick_ignore = [
    ("py:class", "Evidence"),  # the union of three public classes of unknot.lane_assignment, named in the text
    ("py:class", "hop"),  # units of quantities, which properties are annotated with
    ("py:class", "hops"),
]

# --- How it looks ---------------------------------------------------------------------------------------------------
WIDE: dict[str, list[str]] = {
    f"{folder}/{page.stem}": []
    for folder in ("tutorials", "how-to")
    for page in (Path(__file__).parent / folder).glob("*.md")
}
"""Pages without a list of their sections, so that outputs of commands have room."""
html_theme = "pydata_sphinx_theme"
html_title = "Unknot"
html_static_path = ["_static"]
html_css_files = ["unknot.css"]
html_show_sourcelink = False
html_copy_source = False
templates_path = ["_templates"]
html_theme_options = {
    "navigation_with_keys": False,
    "show_prev_next": False,
    "secondary_sidebar_items": {"**": ["page-toc"], "index": [], **WIDE},
    "navbar_align": "left",
    "show_nav_level": 1,
    "navigation_depth": 2,
    "header_links_before_dropdown": 6,
    "footer_start": ["copyright"],
    "footer_end": [],
    "icon_links": [],
}
html_context = {"default_mode": "auto"}  # light or dark as the reader prefers; without it the theme warns
html_show_search_summary = LIVE  # summaries are fetched, which browsers refuse for pages opened from a folder
