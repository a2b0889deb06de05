"""A place for the reader's own words: ``{decision-log}``, kept with their record.

::

    :::{decision-log} chapter-decision
    :title: One decision you will take differently

    What to write, any MyST.
    :::

The id comes from the author and is for ever, as that of a question is. What the reader writes is
saved while they write, in their browser only. Without scripts, and in other formats, the prompt is
left, and the advice to write elsewhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.locale import get_translation
from sphinx.util.docutils import SphinxDirective

from chapterkit import errors, progress
from chapterkit.perpage import PerPage
from chapterkit.question import ID, ID_WORDS, find_question, question_title, reading_order
from chapterkit.render import Elsewhere, OnPages, close, copy_without_ids, element, replace, tag

if TYPE_CHECKING:
    from docutils.nodes import Node
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

_ = get_translation("chapterkit")


class decision_log(nodes.General, nodes.Element):  # docutils names its nodes in lower case
    """Children: the title, then blocks of the prompt."""


#: The logs of each page: id, title, doc, source, line.
logs_by_page: PerPage[list[dict[str, Any]]] = PerPage("logs")


def all_logs(env: BuildEnvironment) -> list[dict[str, Any]]:
    """The book's logs in reading order."""
    return [entry for page in reading_order(env) for entry in logs_by_page(env).get(page, ())]


class DecisionLog(SphinxDirective):
    """``{decision-log} id``."""

    optional_arguments = 1  # the id; without one the message should be ours
    final_argument_whitespace = True
    has_content = True
    option_spec: ClassVar[dict[str, Any]] = {"title": directives.unchanged_required}

    def run(self) -> list[Node]:
        nid = "".join(self.arguments).strip()
        title = self.options.get("title", "").strip()
        source, line = self.get_source_info()
        if not ID.match(nid):
            errors.report(self.env, f"{{decision-log}}: {nid!r} is not an id; {ID_WORDS}", source, line)
        if not title:
            errors.report(self.env, f"{{decision-log}} {nid}: needs a :title:, one line", source, line)
        text, messages = self.parse_inline(title)
        heading = question_title(title, "", *text)
        self.set_source_info(heading)
        node = decision_log("", heading, *self.parse_content_to_nodes(), nid=nid)
        self.set_source_info(node)
        node["names"].append(nid)
        self.state.document.note_explicit_target(node, node)
        entry = {
            "id": nid,
            "title": heading.astext(),
            "doc": self.env.docname,
            "source": source,
            "line": line,
        }
        logs_by_page(self.env).setdefault(self.env.docname, []).append(entry)
        progress.note(self.env, "log")
        return [node, *messages]


class LogToHtml(OnPages):
    """A text field, and a copy of its text for paper, where a field would cut it off."""

    default_priority = 210

    def run(self, **_options: Any) -> None:
        advice = _(
            "Write it down where you will find it again. With scripts on, there is a place for it here."
        )
        for node in list(self.document.findall(decision_log)):
            nid = node["nid"]
            title, *prompt = node.children
            out: list[Node] = [
                tag("div", class_="ck-log", id=nid, **progress.lasting()),
                tag("p", class_="ck-log-title"),
                tag("label", for_=f"{nid}--text"),
                *title.children,
                close("label", "p"),
                tag("div", class_="ck-prompt"),
                *prompt,
                close("div"),
                *element("p", advice, class_="ck-log-static"),
                tag("div", class_="ck-log-live"),
                tag("textarea", id=f"{nid}--text", rows="6", maxlength="20000"),
                close("textarea"),
                *element("div", "", class_="ck-log-paper", aria_hidden="true"),
                *element("p", progress.lasting()["data_saved"], class_="ck-log-status", role="status"),
                close("div", "div"),
            ]
            replace(node, out)


class LogToText(Elsewhere):
    """Title, prompt, and the advice."""

    default_priority = 210

    def run(self, **_options: Any) -> None:
        for node in list(self.document.findall(decision_log)):
            title, *prompt = node.children
            out = [
                nodes.target("", "", ids=list(node["ids"])),
                nodes.paragraph("", "", nodes.strong("", "", *copy_without_ids(title.children))),
                *prompt,
                nodes.paragraph(
                    "", _("Write it down where you will find it again. The web edition has a place for it.")
                ),
            ]
            replace(node, out)


def _check(app: Sphinx, env: BuildEnvironment) -> None:
    """The record keeps notes by id, and clears them together with answers: no id stands for two things."""
    first: dict[str, dict[str, Any]] = {}
    for entry in all_logs(env):
        other = find_question(env, entry["id"]) or first.setdefault(entry["id"], entry)
        if other is not entry:
            taken = f"this id is taken by {other['source']}:{other['line']}"
            message = f"{{decision-log}} {entry['id']}: {taken}"
            errors.report(env, message, entry["source"], entry["line"], entry["doc"])
        title = entry["title"]
        env.domains.standard_domain.labels[entry["id"]] = (entry["doc"], entry["id"], title)


def setup(app: Sphinx) -> dict[str, Any]:
    """The directive, its renderings and checks."""
    errors.setup(app)
    app.add_directive("decision-log", DecisionLog)
    app.add_post_transform(LogToHtml)
    app.add_post_transform(LogToText)
    logs_by_page.connect(app)
    app.connect("env-updated", _check, priority=605)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
