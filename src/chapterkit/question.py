"""Questions with feedback per option: ``{predict}`` before a reveal, ``{reflect}`` after it, ``{self-test}``.

::

    ::::{predict} part-a-best-interval
    :title: How often should it checkpoint?

    The prompt: any MyST.

    :::{option} ten-minutes
    Every 10 minutes.

    Feedback, from the second paragraph on.
    :::
    :::{option} half-hour
    :right:
    About every half hour.

    Feedback.
    :::
    ::::

Ids come from the author, because answers are kept under them: lower-case letters, digits, hyphens.
A prediction keeps its first commitment; the others may be answered again. `question_output`
renders them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.domains.std import Cmdoption
from sphinx.locale import get_translation
from sphinx.util.docutils import SphinxDirective

from chapterkit import assets, errors, question_output
from chapterkit.perpage import PerPage
from chapterkit.render import site_address

if TYPE_CHECKING:
    from collections.abc import Iterator

    from docutils.nodes import Node
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

_ = get_translation("chapterkit")

INSIDE = "chapterkit:question"  # set while the content of a question is read
ID = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*\Z")
ID_WORDS = "an id is made of lower-case letters, digits and single hyphens, and begins with a letter"
OPTION_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*\Z")
OPTION_ID_WORDS = "an option's id is made of lower-case letters, digits and single hyphens"


class question(nodes.General, nodes.Element):  # docutils names its nodes in lower case
    """Children: `question_title`, blocks of the prompt, then `option` nodes."""


class question_title(nodes.paragraph):
    """As a kind of paragraph it is translated like one."""


class option(nodes.General, nodes.Element):
    """Children: the paragraph with the option's words, then its feedback."""


#: What each page asks; an entry has id, kind, doc, title, right, options, words, source and line.
questions_by_page: PerPage[list[dict[str, Any]]] = PerPage("questions")


def reading_order(env: BuildEnvironment) -> list[str]:
    """Pages as the tables of contents lead through them; pages that none lists come last, by name."""
    order: dict[str, None] = {}

    def walk(docname: str) -> None:
        if docname not in order and docname in env.all_docs:
            order[docname] = None
            for below in env.toctree_includes.get(docname, ()):
                walk(below)

    walk(env.config.root_doc)
    order.update(dict.fromkeys(sorted(env.all_docs)))
    return list(order)


def all_questions(env: BuildEnvironment) -> list[dict[str, str]]:
    """The book's questions in reading order: id, kind, doc, title."""
    found = questions_by_page(env)
    keys = ("id", "kind", "doc", "title")
    return [{key: entry[key] for key in keys} for page in reading_order(env) for entry in found.get(page, ())]


def find_question(env: BuildEnvironment, qid: str) -> dict[str, Any] | None:
    """The question of that id, wherever it is asked."""
    return next(
        (entry for page in questions_by_page(env).values() for entry in page if entry["id"] == qid), None
    )


class Question(SphinxDirective):
    """``{predict} id``, ``{reflect} id`` and ``{self-test} id``."""

    optional_arguments = 1  # the id; without one the message should be ours
    final_argument_whitespace = True
    has_content = True
    option_spec: ClassVar[dict[str, Any]] = {"title": directives.unchanged_required}

    def run(self) -> list[Node]:
        qid = "".join(self.arguments).strip()
        kind = self.name
        title = self.options.get("title", "").strip()
        node = question("", qid=qid, kind=kind, title=title)
        self.set_source_info(node)
        text, messages = self.parse_inline(title)
        heading = question_title(title, "", *text)
        self.set_source_info(heading)
        node += heading
        with _inside(self.env):
            node += self.parse_content_to_nodes()
        options = [child for child in node.children if isinstance(child, option)]
        mistakes = list(self._mistakes(qid, title, node, options))
        for mistake in mistakes:
            errors.report(self.env, f"{{{kind}}} {qid}: {mistake}", *self.get_source_info())
        if mistakes:
            return []
        node["title"] = title = heading.astext()
        node["names"].append(qid)
        self.state.document.note_explicit_target(node, node)
        source, line = self.get_source_info()
        entry = {
            "id": qid,
            "kind": kind,
            "doc": self.env.docname,
            "title": title,
            "source": source,
            "line": line,
        }
        entry["options"] = [found["oid"] for found in options]
        entry["words"] = [found[0].astext() for found in options]
        entry["right"] = next(found["oid"] for found in options if found["right"])
        questions_by_page(self.env).setdefault(self.env.docname, []).append(entry)
        return [node, *messages]

    @staticmethod
    def _mistakes(qid: str, title: str, node: question, options: list[option]) -> Iterator[str]:
        if not ID.match(qid):
            yield f"{qid!r} is not an id; {ID_WORDS}"
        if not title:
            yield "needs a :title:, the question in one line"
        if len(options) < 2:
            yield f"needs at least two options; got {len(options)}"
        right = [found["oid"] for found in options if found["right"]]
        if options and len(right) != 1:
            yield f"needs exactly one option marked :right:; got {len(right)}" + (
                f" ({', '.join(right)})" if right else ""
            )
        ids = [found["oid"] for found in options]
        if twice := sorted({oid for oid in ids if ids.count(oid) > 1}):
            yield f"option ids must differ; {', '.join(twice)} stands twice"
        first = node.children.index(options[0]) if options else 0
        if options and not all(
            isinstance(child, (option, nodes.Invisible)) for child in node.children[first:]
        ):
            yield "the prompt stands before the options, and nothing between or after them"


class _inside:  # used like a function
    """Tells `Option` that it is one of ours while the content of a question is read."""

    def __init__(self, env: BuildEnvironment) -> None:
        self.data = env.current_document

    def __enter__(self) -> None:
        self.data[INSIDE] = True

    def __exit__(self, *_error: object) -> None:
        self.data[INSIDE] = False


class Option(Cmdoption):
    """``{option} id`` in a question.

    Sphinx has a directive of this name, for command lines, and finds it before any other. So it is
    replaced by this one, which outside of questions is still Sphinx's.
    """

    required_arguments = 0
    optional_arguments = 1
    option_spec: ClassVar[dict[str, Any]] = {**Cmdoption.option_spec, "right": directives.flag}

    def run(self) -> list[Node]:
        if not self.env.current_document.get(INSIDE):
            if not self.arguments:
                raise self.error("{option} needs an argument, the option it describes")
            return super().run()
        oid = "".join(self.arguments).strip()
        node = option("", oid=oid, right="right" in self.options)
        self.set_source_info(node)
        node += self.parse_content_to_nodes()
        mistake = ""
        if not OPTION_ID.match(oid):
            mistake = f"{oid!r} is not an id; {OPTION_ID_WORDS}"
        elif not node.children or not isinstance(node[0], nodes.paragraph):
            mistake = "begins with a paragraph, the option's words"
        elif len(node.children) < 2:
            mistake = "needs feedback after the option's words, from a second paragraph on"
        if mistake:
            errors.report(self.env, f"{{option}} {oid}: {mistake}", *self.get_source_info())
        else:
            node[0]["classes"].append("ck-label")
        return [node]


def _check(app: Sphinx, env: BuildEnvironment) -> None:
    """No id may be asked for twice in the book: the record knows questions by nothing else."""
    first: dict[str, dict[str, Any]] = {}
    labels = env.domains.standard_domain.labels
    for page in reading_order(env):
        for entry in questions_by_page(env).get(page, ()):
            other = first.setdefault(entry["id"], entry)
            # A link that has no words of its own gets the title. Set this late, or Sphinx sees a label twice.
            labels[entry["id"]] = (page, entry["id"], entry["title"])
            if other is not entry:
                taken = f"this id is taken by {other['source']}:{other['line']}"
                message = f"{{{entry['kind']}}} {entry['id']}: {taken}"
                errors.report(env, message, entry["source"], entry["line"], entry["doc"])


def _for_scripts(app: Sphinx) -> list[dict[str, str]]:
    asked = all_questions(app.env)
    return [{**entry, "url": site_address(app.env, entry["doc"], entry["id"])} for entry in asked]


def setup(app: Sphinx) -> dict[str, Any]:
    """Directives, their renderings, and the list of questions as ``chapterkit.questions`` on every page."""
    errors.setup(app)
    app.add_directive("predict", Question)
    app.add_directive("reflect", Question)
    app.add_directive("self-test", Question)
    app.add_directive_to_domain("std", "option", Option, override=True)
    questions_by_page.connect(app)
    app.connect("env-updated", _check, priority=600)
    assets.provide(app, "questions", _for_scripts)
    question_output.setup(app)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
