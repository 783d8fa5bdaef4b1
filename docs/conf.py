"""Sphinx settings. Generated pages are made first; formulas become MathML, so that pages need no network."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Any

os.environ["NUMBA_DISABLE_JIT"] = "1"  # kernels stay plain functions, whose signatures and docstrings can be read

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import generate  # noqa: E402
import ropewalk  # noqa: E402

generate.write_all(HERE / "generated")

project = "ropewalk"
author = "The ropewalk developers"
copyright = author
version = release = ropewalk.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinxcontrib.bibtex"]
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

_LOG = logging.getLogger(__name__)
_CITED = re.compile(
    r"\[([A-Z][A-Za-z_]*[0-9]{4}[a-z]?|OrcaFlexChain|OrcaFlexRope|MoorProps|DNVC205|DNV_OS_E301|IACS_W22)\]"
)


# What docutils does not know of LaTeX, in terms of what it knows.
_SPELLED = (
    (re.compile(r"\\([Bb]ig)(?![a-zA-Z])"), r"\\\1l"),
    (re.compile(r"\\dots(?![a-z])"), r"\\ldots"),
    (re.compile(r"\\([td]?frac)\s*(\w)\s*(\w)"), r"\\\1{\2}{\3}"),
)


def _mathml(node: nodes.Node, block: bool) -> str:
    text = node.astext()
    for pattern, known in _SPELLED:
        text = pattern.sub(known, text)
    try:
        return _spaced(tex2mathml(text, as_block=block))
    except MathError as error:
        _LOG.warning("formula not understood: %s (%s)", text, error, location=node)
        return f"<code>{node.astext()}</code>"


_THIN = '<mspace width="0.17em"></mspace>'


def _primed(found: re.Match[str]) -> str:
    return f"<msup>{found[1]}<mo>{'&#x2032;' * len(found[2])}</mo></msup>"


def _spaced(mathml: str) -> str:
    """What docutils leaves out: thin spaces round the names of functions, none round bars, primes as primes."""
    mathml = re.sub(r"<mo>'</mo>\s*<mo>'</mo>", "<mo>''</mo>", mathml)
    mathml = re.sub(r"(<m[in][^>]*>[^<]*</m[in]>)\s*<mo>('+)</mo>", _primed, mathml).replace(
        "<mo>'</mo>", "<mo>&#x2032;</mo>"
    )
    mathml = mathml.replace('<mo stretchy="false">|</mo>', '<mo stretchy="false" lspace="0" rspace="0">|</mo>')
    name = r"<mi[^>]*>[a-z]{2,}</mi>"
    applied = r"(</(?:mi|mn|msup|msub|mfrac|mrow)>\s*)(" + name + r"\s*<mo>&ApplyFunction;</mo>)"
    mathml = re.sub(applied, rf"\1{_THIN}\2", mathml)
    mathml = re.sub(r"<mo>&ApplyFunction;</mo>", _THIN, mathml)
    return re.sub(rf"(<msup>\s*{name}\s*<mn>[^<]*</mn>\s*</msup>)", rf"{_THIN}\1{_THIN}", mathml)


def _visit_math(writer: Any, node: nodes.math) -> None:
    writer.body.append(_mathml(node, block=False))
    raise nodes.SkipNode


def _visit_display(writer: Any, node: nodes.math_block) -> None:
    number = f'<span class="eqno">({get_node_equation_number(writer, node)})</span>' if node["number"] else ""
    writer.body.append(writer.starttag(node, "div", CLASS="formula"))
    writer.body.append(f"{number}{_mathml(node, block=True)}</div>")
    raise nodes.SkipNode


_TICKS = re.compile(r"(:[\w:]+:`[^`]*`|``[^`]*``)|`([^`]+)`(?!_)")  # roles and code stay; names become code
_ARGUMENT = re.compile(r"[A-Za-z_]\w*(, [A-Za-z_]\w*)* : ")


def _for_sphinx(app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    """Docstrings as the house writes them, for Sphinx: keys in brackets become links, arguments a list."""
    text = "\n".join(_argument_lists(lines))
    text = _CITED.sub(r":cite:t:`\1`", text)
    text = re.sub(r"(?<=[A-Z])_(?=\.\.\.)", r"\\_", text)  # STRETCHING_... is not a link
    lines[:] = _TICKS.sub(lambda found: found[1] or f"``{found[2]}``", text).split("\n")


def _argument_lists(lines: list[str]) -> list[str]:
    """Paragraphs such as ``u : (3,) m/s    t : (3,) unit tangent`` with one list entry per argument."""
    made: list[str] = []
    inside = False
    for line in lines:
        if not line.strip() or line[0] == " " or not (inside or _ARGUMENT.match(line)):
            inside = inside and bool(line.strip())
            made.append(line)
            continue
        for part in re.split(r"\s{3,}", line):
            if _ARGUMENT.match(part):
                names, _, meaning = part.partition(" : ")
                made += ["", f"- ``{names}``: {meaning}"]
            elif inside and part[:1].isupper():  # a sentence after the arguments
                made += ["", part]
                inside = False
                continue
            else:
                made.append(f"  {part}" if inside else part)
            inside = True
    return made


def setup(app: Sphinx) -> None:
    app.add_html_math_renderer("mathml", inline_renderers=(_visit_math, None), block_renderers=(_visit_display, None))
    app.connect("autodoc-process-docstring", _for_sphinx)
    app.add_css_file("formula.css")
