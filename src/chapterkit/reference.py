"""Formulas and the functions that compute them, linked both ways.

A docstring on a reference page (``sphinx.ext.autodoc`` makes those) says where its formula is derived,
with ordinary roles: ``:eq:`eq-period` ``, ``:ref:`pendulum-small` ``. From that one source comes the way
back: below the equation, on whatever page it stands, "In code:" and the function. A docstring that names
no equation is linked from the sections it names, below their headings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx import addnodes
from sphinx.locale import get_translation
from sphinx.util.docstrings import prepare_docstring

from chapterkit.perpage import PerPage
from chapterkit.render import OnPages, Written

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

_ = get_translation("chapterkit")

Named = dict[str, list[str]]  # a function's full name, and the labels its docstring leads to


#: What the docstrings of each page name.
named_by_page: PerPage[Named] = PerPage("reference")


def _without_types_words(
    app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]
) -> None:
    """A constant without words of its own has none, not those of ``float``."""
    if what == "data" and lines == prepare_docstring(type(obj).__doc__ or ""):
        lines.clear()


def _collect(app: Sphinx, document: nodes.document) -> None:
    found: Named = {}
    for description in document.findall(addnodes.desc):
        signature = description.next_node(addnodes.desc_signature)
        if description.get("domain") != "py" or signature is None or "fullname" not in signature:
            continue
        equations, sections = [], []
        for link in description.findall(addnodes.pending_xref):
            kind = link.get("refdomain"), link.get("reftype")
            if kind == ("math", "eq"):
                equations.append(link["reftarget"])
            elif kind == ("std", "ref"):
                sections.append(link["reftarget"])
        if labels := equations or sections:
            name = ".".join(filter(None, (signature.get("module"), signature["fullname"])))
            found[name] = list(dict.fromkeys(labels))
    if found:
        named_by_page(app.env)[app.env.docname] = found


def functions_of(env: BuildEnvironment) -> Named:
    """The functions that each label leads to, in the order of the reference."""
    functions: Named = {}
    for docname in sorted(named_by_page(env)):
        for name, labels in named_by_page(env)[docname].items():
            for label in labels:
                functions.setdefault(label, []).append(name)
    return functions


def _home(env: BuildEnvironment, label: str) -> str:
    """The page on which a label stands."""
    equations = env.get_domain("math").equations  # type: ignore[attr-defined]
    sections = env.get_domain("std").labels  # type: ignore[attr-defined]
    return str((equations.get(label) or sections.get(label) or ("",))[0])


def _find_changed(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Pages whose links back have changed, so that they are written again though nothing in them has."""
    now: dict[str, Named] = {}
    for label, names in functions_of(env).items():
        now.setdefault(_home(env, label), {})[label] = names
    before: dict[str, Named] = getattr(env, "chapterkit_reference_shown", {})
    env.chapterkit_reference_shown = now  # type: ignore[attr-defined]
    pages = (now.keys() | before.keys()) & env.found_docs
    return sorted(page for page in pages if now.get(page) != before.get(page))


class LinkToCode(Written):
    """Below each equation and heading that docstrings name: links to their functions."""

    default_priority = 5  # before links are resolved

    def run(self, **_options: Any) -> None:
        functions = functions_of(self.env)
        for label, place in list(self._places(functions)):
            line = nodes.paragraph("", _("In code:"), classes=["ck-in-code"])
            for at, name in enumerate(functions[label]):
                line += [nodes.Text(", " if at else " "), self._link(name)]
            place.parent.insert(place.parent.index(place) + 1, line)

    def _places(self, labels: Named) -> Iterator[tuple[str, nodes.Node]]:
        for block in self.document.findall(nodes.math_block):
            if block.get("label") in labels:
                inside = isinstance(block.parent, nodes.paragraph)
                yield block["label"], block.parent if inside else block
        headed = self.env.get_domain("std").labels  # type: ignore[attr-defined]
        anchors = {headed[label][:2]: label for label in labels if label in headed}
        for section in self.document.findall(nodes.section):
            # Print and one-page sites put all pages into one tree, and note where each section came from.
            page = section.get("docname", self.env.docname)
            for anchor in section["ids"]:
                if (page, anchor) in anchors:
                    yield anchors[page, anchor], section[0]

    def _link(self, name: str) -> addnodes.pending_xref:
        short = ".".join(name.split(".")[-2:])
        return addnodes.pending_xref(
            "", nodes.literal("", short), refdomain="py", reftype="obj", reftarget=name, refexplicit=True,
            refwarn=True, refdoc=self.env.docname,
        )  # fmt: skip


class FewBytes(OnPages):
    """A page has many of these links: the style sheet makes their looks, and no title repeats their words."""

    default_priority = 15  # after links are resolved

    def run(self, **_options: Any) -> None:
        for line in self.document.findall(nodes.paragraph):
            for link in list(line.findall(nodes.reference)) if "ck-in-code" in line["classes"] else []:
                link.attributes.pop("reftitle", None)
                link[:] = [nodes.Text(link.astext())]


def setup(app: Sphinx) -> dict[str, Any]:
    """Nothing to set: pages made by autodoc are found by what they describe."""
    if "autodoc-process-docstring" in app.events.events:  # where a book has autodoc
        app.connect("autodoc-process-docstring", _without_types_words, priority=100)
    app.connect("doctree-read", _collect)
    named_by_page.connect(app)
    app.connect("env-updated", _find_changed)
    app.add_post_transform(LinkToCode)
    app.add_post_transform(FewBytes)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
