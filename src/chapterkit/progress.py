"""How far the reader is: in the last lines of every page, in ``{tier}``, and beside links to pages.

The lines under each page are filled in by `static/progress.js`, from the list of questions and the
words that `assets` writes once for the book; their place is kept free, so that nothing moves. Where
no scripts run, there is no record of the reader, and nothing is shown.

``{tier}`` lists the three tiers; a script marks the reader's own. The role ``{page-progress}`` stands
for how many questions of a page are answered; without scripts it says how many there are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx.locale import get_translation
from sphinx.util import docname_join
from sphinx.util.docutils import SphinxDirective, SphinxRole

from chapterkit import assets, errors
from chapterkit.exercise import all_exercises
from chapterkit.perpage import PerPage, changed
from chapterkit.question import all_questions, questions_by_page, reading_order
from chapterkit.render import Elsewhere, OnPages, close, element, replace, site_address, tag

if TYPE_CHECKING:
    from collections.abc import Iterable

    from docutils.nodes import Node, system_message
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

_ = get_translation("chapterkit")

PRIORITY = 230


class tier(nodes.General, nodes.Element):  # docutils names its nodes in lower case
    """The three tiers."""


class page_progress(nodes.Inline, nodes.Element):
    """How many questions of the page ``doc`` are answered."""


#: What each page shows of the record: ``progress``, ``record``, ``tier``, ``log``, ``page-progress``.
pages: PerPage[set[str]] = PerPage("progress")


def note(env: BuildEnvironment, kind: str) -> None:
    """Remember that the page which is read shows `kind`, so that it gets the scripts for it."""
    pages(env).setdefault(env.docname, set()).add(kind)


class Tier(SphinxDirective):
    """``{tier}``."""

    def run(self) -> list[Node]:
        node = tier("")
        self.set_source_info(node)
        note(self.env, "tier")
        return [node]


class PageProgress(SphinxRole):
    """``{page-progress}`page` ``, named as in a table of contents."""

    def run(self) -> tuple[list[Node], list[system_message]]:
        doc = docname_join(self.env.docname, self.text)
        source, line = self.get_source_info()
        if doc not in self.env.found_docs:
            message = f"{{page-progress}} {self.text!r}: the book has no page {doc!r}"
            errors.report(self.env, message, source, line)
        node = page_progress(self.rawtext, doc=doc)
        self.set_source_info(node)
        note(self.env, "page-progress")
        return [node], []


def tiers() -> list[tuple[str, str, str]]:
    """Each tier: its key, its name, and what it takes."""
    return [
        ("optimal", _("Optimal"), _("Every prediction of the book was right at the first commitment.")),
        ("partial", _("Partial"), _("Some were.")),
        ("developing", _("Developing"), _("None was so far.")),
    ]


def questions(number: int) -> str:
    """So many questions, in words."""
    return _("1 question") if number == 1 else _("{of} questions").format(of=number)


def _asked_on(env: BuildEnvironment, doc: str) -> str:
    return questions(len(questions_by_page(env).get(doc, ())))


class StandingToHtml(OnPages):
    """Lists and places for the script to fill in."""

    default_priority = PRIORITY

    def run(self, **_options: Any) -> None:
        for node in list(self.document.findall(tier)):
            replace(node, self._tiers())
        for node in list(self.document.findall(page_progress)):
            number = len(questions_by_page(self.env).get(node["doc"], ()))
            count = _("{answered} of {of} answered")
            blank = count.format(answered=0, of=number)
            new = [
                tag("span", class_="ck-page-progress"),
                *element("span", _asked_on(self.env, node["doc"]), class_="ck-page-static"),
                *element("span", blank, class_="ck-page-live", data_page=node["doc"], data_count=count),
                close("span"),
            ]
            replace(node, new)

    @staticmethod
    def _tiers() -> list[Node]:
        out: list[Node] = [tag("ul", class_="ck-tiers")]
        for key, name, takes in tiers():
            out += [
                tag("li", data_tier=key),
                *element("strong", f"{name}:"),
                nodes.Text(" "),
                *element("span", takes),
                nodes.Text(" "),
                *element("span", _("This is yours."), class_="ck-tier-mine"),
                close("li"),
            ]
        return [*out, close("ul")]


class StandingToText(Elsewhere):
    """The tiers as a list: a reader of paper can count."""

    default_priority = PRIORITY

    def run(self, **_options: Any) -> None:
        for node in list(self.document.findall(tier)):
            items = []
            for _key, name, takes in tiers():
                words = nodes.paragraph("", "", nodes.strong("", f"{name}:"), nodes.Text(f" {takes}"))
                items.append(nodes.list_item("", words))
            replace(node, [nodes.bullet_list("", *items, bullet="*")])
        for node in list(self.document.findall(page_progress)):
            replace(node, [nodes.Text(_asked_on(self.env, node["doc"]))])


def lasting() -> dict[str, str]:
    """Whether what the reader does will last, as data for scripts of pages that show their record."""
    return {
        "data_saved": _("Kept in this browser only."),
        "data_unsaved": _(
            "Not saved: this browser does not keep answers here. They last until you leave the page."
        ),
        "data_newer": _(
            "Not saved: a newer version of this book wrote your record, and this one does not touch it."
            " Export gives you the record as it is."
        ),
        "data_corrupt": _(
            "Not saved: your record cannot be read, and is left as it is. Export gives you its text;"
            " clearing starts a new one."
        ),
    }


def words() -> dict[str, str]:
    """What the scripts say on more than one page."""
    said = {
        "count": _("{answered} of {of} questions answered."),
        "passed": " " + _("{passed} of {of} exercises passed."),
        "optimal": _("Optimal: every prediction right."),
        "partial": _("Partial: {right} of {predictions} predictions right."),
        "developing": _("Developing: no prediction right yet."),
        "next": _("Go on:"),
        "notSaved": _("Not saved here. Why?"),
        "clearPage": _("Clear this page"),
        "clearAll": _("Clear my answers"),
        "askPage": _("Clear what you answered and wrote on this page?"),
        "askAll": _("Clear every answer and note of this book in this browser?"),
        "yes": _("Yes, clear"),
        "keep": _("Keep them"),
        "cleared": _("Cleared."),
        "undo": _("Undo"),
    }
    return {name: str(text) for name, text in said.items()}


def _for_scripts(app: Sphinx) -> dict[str, Any]:
    """The words, and the page to go on to when every question is answered: the one with the record."""
    env, found = app.env, pages(app.env)
    data: dict[str, Any] = {"words": words()}
    for kind in ("record", "progress"):
        shown = [page for page in reading_order(env) if kind in found.get(page, ())]
        if shown and "end" not in data:
            title = env.titles[shown[0]].astext()
            data["end"] = {"url": site_address(env, shown[0], "my-progress"), "title": title}
    return data


def _add_lines(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Under a page that shows no progress of its own, the place for it; the scripts where they are needed."""
    if doctree is None or not assets.is_page_builder(app.builder):
        return
    found = pages(app.env)
    shown = set().union(*found.values()) if app.builder.name == "singlehtml" else found.get(pagename, set())
    if shown:
        # With an attribute of its own a file is not joined to what every page loads.
        app.add_css_file("myrecord.css", media="all")
        app.add_js_file("myrecord.js", priority=760, defer="defer", id="ck-myrecord")
    if not shown & {"progress", "record"} and "body" in context:
        place = tag("section", class_="ck-where", aria_label=_("My progress"), data_page=pagename)
        context["body"] += f"{place.astext()}</section>\n"


def _touched(app: Sphinx, env: BuildEnvironment) -> Iterable[str]:
    """Pages with titles or numbers of questions are written again when any question has changed."""
    now = (all_questions(env), all_exercises(env))
    return sorted(pages(env)) if changed(env, "progress", now) else []


def setup(app: Sphinx) -> dict[str, Any]:
    """The directive, the role, their renderings, and the lines under every page."""
    errors.setup(app)
    app.add_directive("tier", Tier)
    app.add_role("page-progress", PageProgress())
    app.add_post_transform(StandingToHtml)
    app.add_post_transform(StandingToText)
    pages.connect(app)
    app.connect("env-updated", _touched, priority=620)
    app.connect("html-page-context", _add_lines)
    assets.provide(app, "progress", _for_scripts)
    app.add_js_file("progress.js", priority=512, defer="defer")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
