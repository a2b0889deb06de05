"""``{names}``: what people call a formula, so that a search for it leads to where it is derived.

Titles are found by themselves; an equation has none. The directive stands once on a page. Each of its
lines is the label of an equation or section of that page, a colon, and names separated by semicolons.
It shows nothing. The names go to the book's index and to the page's search, which puts a name that was
given in full before everything else. The name of a function is found likewise: it leads to the first
equation that its docstring names (see `reference`).
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms import SphinxTransform
from sphinx.util.docutils import SphinxDirective

from chapterkit import errors
from chapterkit.reference import named_by_page
from chapterkit.render import OnPages

if TYPE_CHECKING:
    from docutils.nodes import Node
    from sphinx.application import Sphinx
    from sphinx.config import Config
    from sphinx.environment import BuildEnvironment


class Names(SphinxDirective):
    """``{names}``, with lines such as ``eq-period: period of a pendulum; Huygens``."""

    has_content = True

    def run(self) -> list[Node]:
        found: list[Node] = []
        source, first = self.get_source_info()
        for at, line in enumerate(self.content):
            if not line.strip():
                continue
            label, colon, words = line.partition(":")
            names = [" ".join(name.split()) for name in words.split(";") if name.strip()]
            if not colon or not label.strip() or not names:
                message = f"{{names}}: a line is a label, a colon and names; got {line.strip()!r}"
                errors.report(self.env, message, source, first)
                continue
            node = addnodes.index(entries=[("single", name, "", "main", None) for name in names])
            node["inline"], node["names_of"] = False, label.strip()
            node.source, node.line = source, self.content_offset + at + 1
            found.append(node)
        return found


def _ids(document: nodes.document) -> set[str]:
    return {id_ for node in document.findall(nodes.Element) for id_ in node.get("ids", ())}


def _anchor(there: set[str], label: str) -> str:
    """The id under which an equation or section stands on a page with these ids, or nothing."""
    return next((id_ for id_ in (nodes.make_id(f"equation-{label}"), label) if id_ in there), "")


class _Aim(SphinxTransform):
    """Give the entries their anchors, once the page is read and before the index takes them."""

    default_priority = 850

    def apply(self, **_options: Any) -> None:
        taken: dict[str, str] = {}
        named = [node for node in self.document.findall(addnodes.index) if "names_of" in node]
        there = _ids(self.document) if named else set()
        for node in named:
            label, place = node["names_of"], (node.source or self.env.docname, node.line)
            anchor = _anchor(there, label)
            if not anchor:
                errors.report(self.env, f"{{names}}: nothing on this page has the label {label!r}", *place)
            for _kind, name, *_rest in node["entries"]:
                other = taken.setdefault(name.lower(), label)
                if other != label:
                    errors.report(self.env, f"{{names}}: {name!r} is a name of {other} already", *place)
            node["entries"] = [(kind, name, anchor, *rest) for kind, name, _none, *rest in node["entries"]]


def function_names(env: BuildEnvironment) -> dict[str, list[str]]:
    """For each label, the names of the functions whose docstrings name it first."""
    first = {
        function: labels[0] for named in named_by_page(env).values() for function, labels in named.items()
    }
    shared = Counter(function.rpartition(".")[2] for function in first)
    found: dict[str, list[str]] = {}
    for function, label in first.items():
        short = function.rpartition(".")[2]
        found.setdefault(label, []).append(
            short if shared[short] == 1 else ".".join(function.split(".")[-2:])
        )
    return found


class _Functions(OnPages):
    """Let the search of the pages know the functions of an equation."""

    default_priority = 4  # before the links to them are made

    def run(self, **_options: Any) -> None:
        there = _ids(self.document)
        for label, names in sorted(function_names(self.env).items()):
            if anchor := _anchor(there, label):
                node = addnodes.index(entries=[("single", name, anchor, "main", None) for name in names])
                node["inline"] = False
                self.document.insert(0, node)


def _rank(app: Sphinx, config: Config) -> None:
    if not config.html_search_scorer:
        config.html_search_scorer = str(Path(__file__).with_name("scorer.js"))


def setup(app: Sphinx) -> dict[str, Any]:
    """The directive, and how a search ranks what it finds."""
    errors.setup(app)
    app.connect("config-inited", _rank)
    app.add_directive("names", Names)
    app.add_transform(_Aim)
    app.add_post_transform(_Functions)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
