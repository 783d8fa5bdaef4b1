"""Formulas as MathML, made by docutils at build time: pages need no script and no network."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number

_LOG = logging.getLogger(__name__)

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
        return _indices_beside(_spaced(tex2mathml(text, as_block=block)))
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


_SPACE = "http://www.w3.org/1998/Math/MathML"
_ACCENTS = frozenset("˙¨^ˆ˜~¯→⃗ˇ")


def _indices_beside(mathml: str) -> str:
    """An index of an accented letter stands beside it; docutils puts it below."""
    ElementTree.register_namespace("", _SPACE)
    root = ElementTree.fromstring(mathml)
    for part in root.iter(f"{{{_SPACE}}}munderover"):
        letter, index, accent = part
        if (accent.text or "") in _ACCENTS:
            part.tag = f"{{{_SPACE}}}msub"
            part[:] = [ElementTree.Element(f"{{{_SPACE}}}mover", {"accent": "true"}), index]
            part[0].extend([letter, accent])
    return ElementTree.tostring(root, encoding="unicode")


def _visit_math(writer: Any, node: nodes.math) -> None:
    writer.body.append(_mathml(node, block=False))
    raise nodes.SkipNode


def _visit_display(writer: Any, node: nodes.math_block) -> None:
    number = f'<span class="eqno">({get_node_equation_number(writer, node)})</span>' if node["number"] else ""
    writer.body.append(writer.starttag(node, "div", CLASS="formula"))
    writer.body.append(f"{number}{_mathml(node, block=True)}</div>")
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", inline_renderers=(_visit_math, None), block_renderers=(_visit_display, None))
    app.add_css_file("formula.css")
    return {"parallel_read_safe": True}
