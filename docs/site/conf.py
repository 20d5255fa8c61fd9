"""How Sphinx makes the site of the pages: `make site`.

The pages are those of the repository. What they lack for Sphinx is added here: a table of contents, formulas as MathML,
which browsers show without a script, and a note on pages whose numbers are older than the code that they measure.
"""

# SPDX-License-Identifier: GPL-3.0-or-later
import glob
import os
import re
import subprocess
import sys
import xml.etree.ElementTree

import latex2mathml.converter
from docutils import nodes
from sphinx import addnodes
from sphinx.util import logging

TOP = os.environ["ESS_TOP"]  # of the repository
with open(f"{TOP}/integrator/ess.h") as header:
    version = release = re.search(r'define ESS_VERSION +"([0-9.]+)"', header.read())[1]

project = "libess"
author = "The essbench maintainers"
project_copyright = author
root_doc = "README"
include_patterns = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs/**.md", "docs/site/*.rst", "reference/*.rst"]
extensions = ["myst_parser", "sphinx.ext.autodoc", "numpydoc"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
numpydoc_show_class_members = False
smartquotes = False
toc_object_entries_show_parents = "hide"
autodoc_typehints = "none"
highlight_language = "none"
html_theme = "furo"
html_title = f"libess {version}"
html_static_path = ["site.css"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_show_copyright = False
html_show_search_summary = False  # it fetches pages, which a browser refuses in a folder of files
html_math_renderer = "mathml"
maximum_signature_line_length = 80

# the order of the pages; one that is not listed comes last in its folder
CONTENTS = {
    "Guide": """concepts install first-program python choosing troubleshooting performance sliding mechanisms robots limits
                glossary""",
    "Coming from": "from-cvode from-julia from-drake",
    "Experiments": "running adding architecture",
    "Theory": "method location simultaneous through-crossings impacts sliding stiff tangents derivatives paper mechanisms",
    "Results": "speed losses findings robots accuracy derivatives mechanisms ensembles python paper protocol",
}
FOLDERS = {"Theory": "theory", "Results": "results"}

logger = logging.getLogger(__name__)


def contents():
    parts = {caption: [f"docs/{FOLDERS.get(caption, 'guide')}/{name}" for name in names.split()]
             for caption, names in CONTENTS.items()}
    for caption, folder in ("Guide", "guide"), ("Theory", "theory"), ("Results", "results"):
        listed = {page for pages in parts.values() for page in pages}
        there = sorted(path.removesuffix(".md") for path in glob.glob(f"docs/{folder}/*.md", root_dir=TOP))
        parts[caption] += [page for page in there if page not in listed]
    parts["Reference"] = ["docs/site/ess", "docs/site/jax", "docs/site/mujoco", "reference/ess", "reference/ess_tangents"]
    parts["Project"] = ["CHANGELOG", "CONTRIBUTING"]
    for caption, pages in parts.items():
        yield f"\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n" + "\n".join(pages) + "\n```\n"


def add_contents(app, docname, source):
    if docname == "README":
        source[0] += "".join(contents())


# ---- formulas ------------------------------------------------------------------------------------


CHILDREN = {"mfrac": 2, "msub": 2, "msup": 2, "mover": 2, "munder": 2, "mroot": 2, "msubsup": 3, "munderover": 3}


def faults(made):
    """What the converter did not understand, and left in the formula."""
    try:
        elements = list(xml.etree.ElementTree.fromstring(made).iter())
    except xml.etree.ElementTree.ParseError as why:
        yield f"is not well formed: {why}"
        return
    for element in elements:
        name = element.tag.rpartition("}")[2]
        if re.search(r"\\[A-Za-z]|&|^[{}]$", element.text or ""):
            yield f"{element.text} is not known"
        if name == "merror" or len(element) != CHILDREN.get(name, len(element)):
            yield f"{name} has {len(element)} parts"


def mathml(node, display):
    """A formula of LaTeX; its number stands beside it."""
    text = node.astext()
    number = re.search(r"\\tag\{([^}]*)\}", text)
    text = text.replace(number[0], "") if number else text
    try:
        made = latex2mathml.converter.convert(" ".join(text.split()), display=display)
    except Exception as why:
        logger.warning("formula: %s: %s", type(why).__name__, why, location=node)
        return "", None
    for fault in faults(made):
        logger.warning("formula: %s", fault, location=node)
    return made, number and number[1]


def visit_math(self, node):
    self.body.append(mathml(node, "inline")[0])
    raise nodes.SkipNode


def visit_math_block(self, node):
    made, number = mathml(node, "block")
    beside = f'<span class="eqno">({number})</span>' if number else ""
    name = f' id="eq-{number.lower()}"' if number else ""
    self.body.append(f'<div class="formula"{name}><div>{made}</div>{beside}</div>\n')
    raise nodes.SkipNode


# ---- pages ---------------------------------------------------------------------------------------


def stale():
    """By page, the parts whose numbers are older than the code, with their commits."""
    said = subprocess.run([sys.executable, f"{TOP}/tools/page", "stale"], cwd=TOP, capture_output=True, text=True)
    found = {}
    for page, part, commit in re.findall(r"^(\S+\.md): .*?: (\S+) at ([0-9a-f]+): ", said.stdout, re.M):
        found.setdefault(page, {}).setdefault(commit, set()).add(part)
    return found


def mark_stale(app, doctree):
    if not hasattr(app, "older"):
        app.older = stale()
    commits = app.older.get(f"{app.env.docname}.md")
    title = next(iter(doctree.findall(nodes.title)), None)
    if not commits or not title:
        return
    said = "; ".join(f"{', '.join(sorted(parts))} at {commit}" for commit, parts in sorted(commits.items()))
    text = f"Some numbers of this page are older than the code that they measure: {said}."
    title.parent.insert(1, nodes.paragraph(text, text, classes=["stale"]))


def free_folders(app, doctree):
    """A folder of the sources is no page: its name stays, without a link."""
    for link in list(doctree.findall(addnodes.pending_xref)):
        place = os.path.join(os.path.dirname(f"{TOP}/{app.env.docname}"), link.get("reftarget", ""))
        if link.get("reftype") == "myst" and os.path.isdir(place):
            link.replace_self(link.children)


def setup(app):
    app.add_html_math_renderer("mathml", (visit_math, None), (visit_math_block, None))
    app.connect("source-read", add_contents)
    app.connect("doctree-read", mark_stale)
    app.connect("doctree-read", free_folders)
    return {"parallel_read_safe": False}
