"""What an instructor asks of a section: its link, its minutes, and what it needs first.

Each page says it once, in ``{section-facts}``, a line a section: ``part-a-flat: 1 after part-a-young``.
It shows nothing there. The role ``{minutes}`part-a-flat` `` prints the minutes of a section, of a whole page if
the section is its first, or the sum of several. ``{section-list}`` shows the sections of the whole book, page by page, and
``{instrument-list}`` its instruments with the names that preset them and the address that shows each alone.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from docutils import nodes
from sphinx import addnodes
from sphinx.locale import get_translation
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective, SphinxRole

from chapterkit import errors
from chapterkit.assets import is_page_builder
from chapterkit.ids import anchors, given_ids
from chapterkit.instrument import load
from chapterkit.panel import instrument_panel
from chapterkit.perpage import PerPage, changed
from chapterkit.question import reading_order
from chapterkit.render import Written, page_address, tag

if TYPE_CHECKING:
    from collections.abc import Iterable

    from docutils.nodes import Node
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

_ = get_translation("chapterkit")
logger = logging.getLogger(__name__)
LINE = re.compile(r"(?P<id>\S+):\s*(?P<minutes>\d+(\.\d+)?)(\s+after\s+(?P<needs>.+))?")


class Fact(NamedTuple):
    """Minutes of a section, the ids it needs first, and where the author says so."""

    minutes: float
    needs: list[str]
    source: str
    line: int


class Outline(NamedTuple):
    """A page: its sections as depth and id, its facts by id, its instruments."""

    sections: list[tuple[int, str]]
    facts: dict[str, Fact]
    instruments: list[str]


class section_list(nodes.General, nodes.Element):  # docutils names its nodes in lower case
    """Where the list of all sections, or with ``what`` of all instruments, goes."""


class section_minutes(nodes.Inline, nodes.TextElement):
    """Where the minutes of the sections ``of`` go."""


#: The outline of each page.
outlines: PerPage[Outline] = PerPage("outlines")
#: Pages that show a list.
lists: PerPage[bool] = PerPage("lists")


def minutes(outline: Outline) -> float:
    """The minutes of a page."""
    return sum(fact.minutes for fact in outline.facts.values())


class SectionFacts(SphinxDirective):
    """``{section-facts}``."""

    has_content = True

    def run(self) -> list[Node]:
        facts: dict[str, Fact] = self.env.current_document.setdefault("chapterkit_facts", {})
        source, first = self.get_source_info()
        for at, line in enumerate(self.content):
            if not line.strip():
                continue
            match = LINE.fullmatch(line.strip())
            if not match:
                message = (
                    f"{{section-facts}}: a line is “id: minutes” or “id: minutes after id, id”; got {line!r}"
                )
                errors.report(self.env, message, source, first)
                continue
            needs = [need.strip() for need in (match["needs"] or "").split(",") if need.strip()]
            facts[match["id"]] = Fact(float(match["minutes"]), needs, source, self.content_offset + at + 1)
        return []


class SectionList(SphinxDirective):
    """``{section-list}`` and ``{instrument-list}``."""

    def run(self) -> list[Node]:
        node = section_list("", what=self.name)
        self.set_source_info(node)
        lists(self.env)[self.env.docname] = True
        return [node]


class Minutes(SphinxRole):
    """``{minutes}`id, id` ``."""

    def run(self) -> tuple[list[Node], list[nodes.system_message]]:
        node = section_minutes(self.rawtext, of=[id_.strip() for id_ in self.text.split(",")])
        self.set_source_info(node)
        lists(self.env)[self.env.docname] = True
        return [node], []


def minutes_of(env: BuildEnvironment, id_: str) -> float | None:
    """The minutes of a section, or of the page that it begins; None where nobody says."""
    for outline in outlines(env).values():
        if id_ in outline.facts:
            return outline.facts[id_].minutes
        if outline.facts and outline.sections and outline.sections[0][1] == id_:
            return minutes(outline)
    return None


def _collect(app: Sphinx, doctree: nodes.document) -> None:
    env = app.env
    given = given_ids(doctree)
    sections: list[tuple[int, str]] = []
    for node in doctree.findall(nodes.section):
        depth, above = 1, node.parent
        while above is not None and not isinstance(above, nodes.document):
            depth, above = depth + isinstance(above, nodes.section), above.parent
        sections += [(depth, id_) for id_ in node["ids"] if id_ in given][:1]
    instruments = [node["name"] for node in doctree.findall(instrument_panel)]
    facts = env.current_document.get("chapterkit_facts", {})
    outlines(env)[env.docname] = Outline(sections, facts, instruments)
    if not facts:
        return
    known = {id_ for _depth, id_ in sections}
    for id_, fact in facts.items():
        if id_ not in known:
            errors.report(env, f"{{section-facts}}: this page has no section {id_!r}", fact.source, fact.line)
    for depth, id_ in sections:
        if depth == 2 and id_ not in facts:
            some = next(iter(facts.values()))
            errors.report(
                env, f"{{section-facts}}: says nothing of the section {id_!r}", some.source, some.line
            )


def _check(app: Sphinx, env: BuildEnvironment) -> None:
    """What a section needs first is somewhere in the book."""
    known = anchors(env)
    for page, outline in outlines(env).items():
        for id_, fact in outline.facts.items():
            for need in fact.needs:
                if need not in known:
                    message = f"{{section-facts}}: {id_} needs {need!r}, which is nowhere in the book"
                    errors.report(env, message, fact.source, fact.line, page)


def _number(value: float) -> str:
    whole, half = divmod(value, 1)
    return (
        f"{value:g}"
        if half not in (0, 0.5)
        else (f"{whole:.0f}" if whole else "") + ("½" if half else "") or "0"
    )


class _Lists(Written):
    """Tables and links, as any author could have written them."""

    default_priority = 3  # before links are resolved

    def run(self, **_options: Any) -> None:
        for node in list(self.document.findall(section_minutes)):
            found = [minutes_of(self.env, id_) for id_ in node["of"]]
            for id_, value in zip(node["of"], found, strict=True):
                if value is None:
                    logger.warning("{minutes}: no {section-facts} says how long %r takes", id_, location=node)
            node.parent.replace(node, nodes.Text(_number(sum(value or 0 for value in found))))
        for node in list(self.document.findall(section_list)):
            made = self._sections() if node["what"] == "section-list" else [self._instruments()]
            at = node.parent.index(node)
            node.parent[at : at + 1] = made

    def _link(self, target: str, words: str = "") -> list[Node]:
        link = addnodes.pending_xref(
            "", nodes.inline("", words or target), refdomain="std", reftype="ref", reftarget=target,
            refexplicit=bool(words), refwarn=True, refdoc=self.env.docname,
        )  # fmt: skip
        return [link]

    def _copy(self, page: str, anchor: str) -> list[Node]:
        if not is_page_builder(self.app.builder):
            return []
        address = page_address(self.env, self.env.docname, page, anchor)
        title = _("Copy link to {place}").format(place=anchor)
        return [
            nodes.Text("\u00a0"),  # no line begins with the sign
            tag("a", class_="ck-copy", href=address, title=title),
            nodes.Text("¶"),
            nodes.raw("", "</a>", format="html"),
        ]

    def _sections(self) -> list[Node]:
        found: list[Node] = []
        bare: list[Node] = []
        everything = outlines(self.env)
        for page in reading_order(self.env):
            outline = everything.get(page)
            if not outline or not outline.sections:
                continue
            (_depth, head), *rest = outline.sections
            if not outline.facts:
                bare.append(
                    nodes.list_item("", nodes.paragraph("", "", *self._all_of(page, outline.sections)))
                )
                continue
            total = _(" · {minutes} minutes").format(minutes=_number(minutes(outline)))
            found.append(
                nodes.paragraph(
                    "",
                    "",
                    nodes.strong("", "", *self._link(head)),
                    *self._copy(page, head),
                    nodes.Text(total),
                )
            )
            rows = []
            for depth, id_ in rest:
                fact = outline.facts.get(id_)
                needs: list[Node] = []
                for need in fact.needs if fact else ():
                    needs += [nodes.Text(", ")] if needs else []
                    needs += self._link(need)
                rows.append(
                    [
                        [nodes.Text("– " if depth > 2 else ""), *self._link(id_), *self._copy(page, id_)],
                        [nodes.Text(_number(fact.minutes) if fact else "")],
                        needs,
                    ]
                )
            found.append(_table([_("Section"), _("Minutes"), _("Needs first")], [46, 12, 42], rows))
        if bare:
            found += [nodes.paragraph("", _("The other pages:")), nodes.bullet_list("", *bare, bullet="*")]
        return found

    def _all_of(self, page: str, sections: list[tuple[int, str]]) -> list[Node]:
        (_depth, head), *rest = sections
        parts: list[Node] = [nodes.strong("", "", *self._link(head)), *self._copy(page, head)]
        for _depth, id_ in rest:
            parts += [nodes.Text(" · "), *self._link(id_), *self._copy(page, id_)]
        return parts

    def _instruments(self) -> Node:
        rows = []
        everything = outlines(self.env)
        for page in reading_order(self.env):
            for name in everything[page].instruments if page in everything else ():
                instrument = load(self.config.chapterkit_instruments, name)
                anchor = nodes.make_id(name)
                title: list[Node] = self._link(name)
                if is_page_builder(self.app.builder):
                    address = page_address(self.env, self.env.docname, page, "").split("#")[0]
                    alone = f"{address}?embed={anchor}#{anchor}"
                    title += [nodes.Text(" · "), nodes.reference("", _("alone"), refuri=alone, internal=True)]
                names: list[Node] = []
                for control in instrument.controls:
                    names += [nodes.Text(", ")] if names else []
                    names += [nodes.literal("", f"{name}.{control.name}")]
                rows.append([title, names])
        return _table([_("Instrument"), _("Names for its address")], [40, 60], rows)


def _table(heads: list[str], widths: list[int], rows: list[list[list[Node]]]) -> nodes.table:
    group = nodes.tgroup("", cols=len(heads))
    group += [nodes.colspec("", colwidth=width) for width in widths]
    first = nodes.row("", *[nodes.entry("", nodes.paragraph("", head)) for head in heads])
    body = [nodes.row("", *[nodes.entry("", nodes.paragraph("", "", *cell)) for cell in row]) for row in rows]
    group += [nodes.thead("", first), nodes.tbody("", *body)]
    return nodes.table("", group, classes=["ck-outline"])


def _touched(app: Sphinx, env: BuildEnvironment) -> Iterable[str]:
    """Pages with a list are written again when a section, its title or its facts have changed anywhere."""
    titles = {
        label: place
        for label, place in env.domains.standard_domain.labels.items()
        if place[0] in outlines(env)
    }
    now = (
        {
            page: (o.sections, {i: f[:2] for i, f in o.facts.items()}, o.instruments)
            for page, o in outlines(env).items()
        },
        titles,
    )
    return sorted(lists(env)) if changed(env, "outlines", now) else []


def setup(app: Sphinx) -> dict[str, Any]:
    """The directives and the two lists."""
    errors.setup(app)
    app.add_role("minutes", Minutes())
    app.add_directive("section-facts", SectionFacts)
    app.add_directive("section-list", SectionList)
    app.add_directive("instrument-list", SectionList)
    app.add_post_transform(_Lists)
    app.connect("doctree-read", _collect)
    outlines.connect(app)
    lists.connect(app)
    app.connect("env-updated", _check, priority=640)
    app.connect("env-updated", _touched, priority=642)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
