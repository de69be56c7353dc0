"""Configuration of the site: `make docs` writes it to docs/_build/html, without network.

The package has to be importable: the pages of docs/reference are written from its docstrings (tools/write_docs.py).
"""

import sys
from pathlib import Path

from sphinx.application import Sphinx

DOCS = Path(__file__).resolve().parent
sys.path[:0] = [str(DOCS), str(DOCS.parent / "tools")]

import write_docs  # noqa: E402

import torch_stringops  # noqa: E402

project = "torch_stringops"
version = release = torch_stringops.__version__
copyright = "the authors of torch_stringops"

extensions = ["myst_parser", "site_links"]
exclude_patterns = ["_build"]
myst_heading_anchors = 4  # the anchors of headings are GitHub's
myst_enable_extensions = ["colon_fence"]
nitpicky = True

html_theme = "furo"
html_title = "torch_stringops"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["sort_tables.js"]
html_copy_source = False
html_theme_options = {"navigation_with_keys": True}


def setup(app: Sphinx) -> None:
    write_docs.write_reference(DOCS / "reference")
