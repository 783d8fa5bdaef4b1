"""Sphinx settings. Pages that follow from the code are generated first, see generate.py."""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ["NUMBA_DISABLE_JIT"] = "1"  # kernels stay plain functions, whose signatures and docstrings can be read


HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import generate  # noqa: E402
import ropewalk  # noqa: E402

generate.write_all(HERE / "generated")

project = "ropewalk"
author = "The ropewalk developers"
copyright = author
version = release = ropewalk.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinxcontrib.bibtex", "docstrings", "formulas"]
exclude_patterns = ["_build", "generated"]
nitpicky = False

myst_enable_extensions = ["dollarmath", "amsmath", "deflist", "colon_fence", "fieldlist"]
myst_heading_anchors = 4
bibtex_bibfiles = ["references.bib"]
bibtex_reference_style = "author_year"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_type_aliases = {"ArrayLike": "ArrayLike", "Array": "Array"}
add_module_names = False

html_theme = "furo"
html_title = f"ropewalk {release}"
html_static_path = ["_static"]
html_math_renderer = "mathml"
html_show_sphinx = False
html_copy_source = False
