"""What a prediction opens: ``{gate}`` folds its content until the question is answered.

The content is in the page as it stands: without scripts, in print and in every other format it is
simply there. ``{show-everything}`` puts a switch that opens every gate; ``?show=all`` in the address
does so once. Headings stand before a gate, never in it: the page's contents must not lead into a fold.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.locale import get_translation
from sphinx.util.docutils import SphinxDirective

from chapterkit import errors
from chapterkit.perpage import PerPage, changed
from chapterkit.question import ID, ID_WORDS, all_questions, find_question, questions_by_page
from chapterkit.render import Elsewhere, OnPages, close, element, page_address, replace, tag

if TYPE_CHECKING:
    from collections.abc import Iterable

    from docutils.nodes import Node
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

_ = get_translation("chapterkit")


class gate(nodes.General, nodes.Element):  # docutils names its nodes in lower case
    """Content that waits for an answer; ``question`` and ``gid`` are its ids."""


class show_everything(nodes.General, nodes.Element):
    """The switch that opens every gate."""


#: The gates of each page: id, question, doc, source, line.
gates_by_page: PerPage[list[dict[str, Any]]] = PerPage("gates")


class Gate(SphinxDirective):
    """``{gate} id-of-question``; the second gate of the same question needs an id of its own, ``:id:``."""

    optional_arguments = 1  # the question; without one the message should be ours
    final_argument_whitespace = True
    has_content = True
    option_spec: ClassVar[dict[str, Any]] = {"id": directives.unchanged_required}

    def run(self) -> list[Node]:
        qid = "".join(self.arguments).strip()
        gid = self.options.get("id", f"{qid}-gate").strip()
        place = self.get_source_info()
        if not ID.match(gid):
            errors.report(self.env, f"{{gate}} {qid}: {gid!r} is not an id; {ID_WORDS}", *place)
        if not self.content:
            errors.report(self.env, f"{{gate}} {qid}: has nothing in it", *place)
        node = gate("", question=qid, gid=gid)
        self.set_source_info(node)
        node += self.parse_content_to_nodes()
        entry = {"id": gid, "question": qid, "doc": self.env.docname, "source": place[0], "line": place[1]}
        gates_by_page(self.env).setdefault(self.env.docname, []).append(entry)
        return [node]


class ShowEverything(SphinxDirective):
    """``{show-everything}``."""

    def run(self) -> list[Node]:
        node = show_everything("")
        self.set_source_info(node)
        return [node]


class GateToHtml(OnPages):
    """A notice and a body; style sheets show one or the other."""

    default_priority = 220

    def run(self, **_options: Any) -> None:
        for node in list(self.document.findall(gate)):
            replace(node, self._gate(node))
        for node in list(self.document.findall(show_everything)):
            replace(node, self._switch())

    def _gate(self, node: nodes.Element) -> list[Node]:
        asked = find_question(self.env, node["question"])
        assert asked is not None  # the build has stopped otherwise
        address = page_address(self.env, self.env.docname, asked["doc"], asked["id"])
        before, after = _("Answer {question} first; this opens then.").split("{question}")
        return [
            tag("div", class_="ck-gate", data_gate=node["gid"], data_question=node["question"]),
            tag("div", class_="ck-gate-notice"),
            tag("p"),
            nodes.Text(before),
            *element("a", f"“{asked['title']}”", href=address),
            nodes.Text(after),
            close("p"),
            *element("button", _("Show it anyway"), type="button", class_="ck-gate-open"),
            close("div"),
            *element(
                "p",
                _("Opened because a link or a search leads in here."),
                class_="ck-gate-arrived",
                role="status",
            ),
            tag("div", class_="ck-gate-body", tabindex="-1"),
            *node.children,
            close("div", "div"),
        ]

    @staticmethod
    def _switch() -> list[Node]:
        return [
            tag("p", class_="ck-show-everything"),
            tag("label"),
            tag("input", type="checkbox", role="switch", class_="ck-show-switch"),
            nodes.Text(" "),
            *element("span", _("Show everything")),
            close("label"),
            nodes.Text(" "),
            *element("span", _("without answering the predictions first"), class_="ck-hint"),
            close("p"),
        ]


class GateToText(Elsewhere):
    """No gate: its content."""

    default_priority = 220

    def run(self, **_options: Any) -> None:
        for node in list(self.document.findall(gate)):
            replace(node, node.children)
        for node in list(self.document.findall(show_everything)):
            replace(node, [])


def _check(app: Sphinx, env: BuildEnvironment) -> None:
    """Every gate waits for a question that is asked, under an id of its own.

    This cannot wait for ``env-check-consistency``: by then the environment is saved, and the next
    build would find nothing to check.
    """
    taken: dict[str, dict[str, Any]] = {}
    for page in sorted(gates_by_page(env)):
        for entry in gates_by_page(env)[page]:
            place = (entry["source"], entry["line"], entry["doc"])
            if find_question(env, entry["question"]) is None:
                known = ", ".join(asked["id"] for asked in all_questions(env)) or "none"
                message = f"{{gate}}: nobody asks {entry['question']!r}; questions of this book: {known}"
                errors.report(env, message, *place)
            other = taken.setdefault(entry["id"], entry)
            if other is not entry:
                message = (
                    f"{{gate}} {entry['question']}: the id {entry['id']!r} is taken by"
                    f" {other['source']}:{other['line']}; give this one its own with :id:"
                )
                errors.report(env, message, *place)


def _touched(app: Sphinx, env: BuildEnvironment) -> Iterable[str]:
    """Pages to write again because the title or the place of a question that they name has changed."""
    now = {
        page: [(asked["id"], asked["title"]) for asked in found]
        for page, found in questions_by_page(env).items()
    }
    return sorted(gates_by_page(env)) if changed(env, "gates", now) else []


def setup(app: Sphinx) -> dict[str, Any]:
    """Directives, renderings and checks of gates."""
    errors.setup(app)
    app.add_directive("gate", Gate)
    app.add_directive("show-everything", ShowEverything)
    app.add_post_transform(GateToHtml)
    app.add_post_transform(GateToText)
    gates_by_page.connect(app)
    app.connect("env-updated", _check, priority=610)
    app.connect("env-updated", _touched, priority=620)
    app.add_js_file("gate.js", priority=511, defer="defer")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
