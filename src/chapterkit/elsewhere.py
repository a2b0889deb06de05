"""What other libraries make for the browser, put so that print, text and EPUB hold it whole.

Folds stand open, cards become paragraphs, an equation in plain text keeps its lines and its number, and
in a printed book the first page is a chapter among the others.
"""

from __future__ import annotations

from html.parser import HTMLParser
from textwrap import dedent
from typing import TYPE_CHECKING, Any, ClassVar

from docutils import nodes
from sphinx import addnodes
from sphinx.locale import get_translation
from sphinx.transforms import SphinxTransform
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx_design.shared import is_component

from chapterkit.render import Elsewhere, replace

if TYPE_CHECKING:
    from docutils.nodes import Node
    from sphinx.application import Sphinx

_ = get_translation("chapterkit")
PLAIN = ("text", "man")  # formats of characters only


class Folds(Elsewhere):
    """What is folded on a page stands open, indented, below its title."""

    default_priority = 190  # before sphinx-design makes `details` of it

    def run(self, **_options: Any) -> None:
        for fold in list(self.document.findall(lambda node: is_component(node, "dropdown"))):
            title = fold.children[:1] if fold["has_title"] else []
            replace(fold, [*title, nodes.block_quote("", *fold.children[len(title) :], classes=["ck-fold"])])


class Cards(Elsewhere):
    """A card's title leads where the card leads; the rest are paragraphs."""

    default_priority = 190

    def run(self, **_options: Any) -> None:
        for card in list(self.document.findall(lambda node: is_component(node, "card"))):
            new: list[Node] = []
            *parts, last = card.children
            link = next(iter(last.findall(nodes.reference)), None)
            for part in parts if link else card.children:
                for child in part.children:
                    if is_component(child, "card-title"):
                        words = [node for text in child.children for node in _inline(text)]
                        if link:
                            link["classes"] = []
                            link.children = []
                            link.extend(words)
                            words = [link]
                        new.append(nodes.paragraph("", "", nodes.strong("", "", *words)))
                    else:
                        new.append(child)
            replace(card, new)


def _inline(node: Node) -> list[Node]:
    return list(node.children) if isinstance(node, nodes.paragraph) else [node]


class PlainEquations(Elsewhere):
    """The source of an equation, line by line, and its number: writers of plain text fold and drop them."""

    default_priority = 240

    def run(self, **_options: Any) -> None:
        if self.app.builder.format not in PLAIN:
            return
        for block in list(self.document.findall(nodes.math_block)):
            first, *rest = block.astext().strip().splitlines() or [""]
            lines = [line.rstrip() for line in (first, *dedent("\n".join(rest)).splitlines())]
            label = next(iter(block["ids"]), "")
            known = self.env.toc_fignumbers.get(block.get("docname") or self.env.docname, {})
            number = ".".join(map(str, known.get("displaymath", {}).get(label, ())))
            if number:
                lines[-1] += f"    ({number})"
            text = "\n".join(lines)
            replace(block, [nodes.literal_block(text, text, ids=block["ids"], language="latex")])


class RecordTables(SphinxPostTransform):
    """Long tables of published numbers break between pages, with room for their first column."""

    formats = ("latex",)
    default_priority = 240

    def run(self, **kwargs: Any) -> None:
        for table in list(self.document.findall(nodes.table)):
            if "ck-records" in table["classes"]:
                table["classes"].append("longtable")
                replace(table, [addnodes.tabular_col_spec(spec=r"\X{2}{5}\X{3}{5}"), table])


class PagesLast(SphinxTransform):
    """A hidden list of pages at the end of the first page belongs to the book, not to the last section."""

    default_priority = 900

    def apply(self, **kwargs: Any) -> None:
        if self.env.docname != self.config.root_doc:
            return
        book = next(iter(self.document.findall(nodes.section)), None)
        for toctree in list(self.document.findall(addnodes.toctree)):
            wrapper = toctree.parent
            if book is not None and toctree["hidden"] and isinstance(wrapper, nodes.compound):
                wrapper.parent.remove(wrapper)
                book.append(wrapper)


class Introduction(SphinxPostTransform):
    """The sections of the first page are one chapter, or each would be one."""

    formats = ("latex",)
    default_priority = 5

    def run(self, **kwargs: Any) -> None:
        book = next(iter(self.document.findall(nodes.section)), None)
        if book is None or not any(self.document.findall(addnodes.start_of_file)):
            return
        title, *content = book.children
        pages = [node for node in content if any(node.findall(addnodes.start_of_file))]
        own = [node for node in content if node not in pages]
        chapter = nodes.section("", nodes.title("", _("Introduction")), *own, ids=["ck-introduction"])
        book.children = []
        book.extend([title, chapter, *pages])


class _Words(HTMLParser):
    """Inline markup of an instrument's words as nodes."""

    KINDS: ClassVar = {"i": nodes.emphasis, "em": nodes.emphasis, "b": nodes.strong, "strong": nodes.strong,
             "sup": nodes.superscript, "sub": nodes.subscript}  # fmt: skip

    def __init__(self, flat: bool) -> None:
        super().__init__(convert_charrefs=True)
        self.flat, self.open = flat, [nodes.paragraph()]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        # Stars around a letter would read as a product.
        kind = nodes.inline if self.flat and tag in ("i", "em") else self.KINDS.get(tag, nodes.inline)
        self.open.append(kind())

    def handle_endtag(self, tag: str) -> None:
        node = self.open.pop()
        sign = {"sup": "^", "sub": "_"}.get(tag, "")
        if self.flat and sign:
            text = node.astext()
            self.open[-1] += nodes.Text(sign + (text if len(text) == 1 else f"({text})"))
        else:
            self.open[-1] += node

    def handle_data(self, data: str) -> None:
        self.open[-1] += nodes.Text(data)


def words(app: Sphinx, markup: str) -> nodes.paragraph:
    """A paragraph of what an instrument says; an exponent stays one where type has one size."""
    parser = _Words(flat=app.builder.format in PLAIN)
    parser.feed(markup)
    parser.close()
    return parser.open[0]


def setup(app: Sphinx) -> None:
    """Register what stands in for the browser's devices."""
    app.add_transform(PagesLast)
    for transform in (Folds, Cards, PlainEquations, RecordTables, Introduction):
        app.add_post_transform(transform)
