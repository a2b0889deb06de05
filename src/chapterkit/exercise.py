"""Exercises: a cell that a check belongs to, and a solution that is folded away.

A cell whose metadata says ``check: <id>`` is the reader's place for an answer. The id is the label of
the section that the cell stands in, so links, progress and checks know the exercise by one name. The
setting ``chapterkit_checks`` names a module with ``asks(id)``, the sentences that say what is checked;
they stand below the cell, so that a reader without live cells knows them, too. That module's ``check``
is what live cells run.

Cells cannot stand inside a directive, so a solution is what lies between two of them::

    :::{solution-start} exercise-a1
    :::

    …prose and cells…

    :::{solution-end}
    :::

It becomes a dropdown of sphinx-design, and so what every other fold of the book is, in each format.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx.locale import get_translation
from sphinx.util.docutils import SphinxDirective
from sphinx_design.shared import create_component

from chapterkit import assets, errors
from chapterkit.perpage import PerPage
from chapterkit.question import reading_order

if TYPE_CHECKING:
    from collections.abc import Iterator

    from docutils.nodes import Node
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

_ = get_translation("chapterkit")


class solution_mark(nodes.Invisible, nodes.Element):
    """Where a solution begins (with an ``exercise``) or ends (without); gone when the page is read."""


#: The exercises of each page: id, doc, title, source, line.
exercises_by_page: PerPage[list[dict[str, Any]]] = PerPage("exercises")


def all_exercises(env: BuildEnvironment) -> list[dict[str, str]]:
    """The book's exercises in reading order: id, which is also the anchor, doc and title."""
    found = exercises_by_page(env)
    keys = ("id", "doc", "title")
    return [{key: entry[key] for key in keys} for page in reading_order(env) for entry in found.get(page, ())]


class SolutionStart(SphinxDirective):
    """``{solution-start} id-of-exercise``."""

    required_arguments = 1

    def run(self) -> list[Node]:
        node = solution_mark("", exercise=self.arguments[0])
        self.set_source_info(node)
        return [node]


class SolutionEnd(SphinxDirective):
    """``{solution-end}``."""

    def run(self) -> list[Node]:
        node = solution_mark("", exercise="")
        self.set_source_info(node)
        return [node]


class _Reader:
    """Finds the exercises and solutions of one page."""

    def __init__(self, app: Sphinx, document: nodes.document) -> None:
        self.app, self.env, self.document = app, app.env, document

    def report(self, node: nodes.Element, message: str) -> None:
        errors.report(self.env, message, node.source or self.env.doc2path(self.env.docname), node.line)

    def fold(self) -> None:
        """Put what lies between two marks into one node."""
        for mark in list(self.document.findall(solution_mark)):
            parent = mark.parent
            if parent is None or mark not in parent.children:
                continue  # an end that its start has taken
            if not mark["exercise"]:
                self.report(mark, "{solution-end}: no {solution-start} before it in this section")
                continue
            first = parent.index(mark)
            rest = parent.children[first + 1 :]
            end = next((n for n, child in enumerate(rest) if isinstance(child, solution_mark)), None)
            if end is None or rest[end]["exercise"]:
                message = (
                    f"{{solution-start}} {mark['exercise']}: no {{solution-end}} after it in this section"
                )
                self.report(mark, message)
                continue
            section = self._section(mark)
            if mark["exercise"] not in section.get("ids", ()):
                self.report(
                    mark, f"{{solution-start}} {mark['exercise']}: stands in a section that has no such label"
                )
            words = _("Solution: {exercise}").format(exercise=_title(section))
            folded = create_component(
                "dropdown", type="dropdown", opened=False, has_title=True, icon=None, chevron=None,
                container_classes=["sd-mb-3", "ck-solution"], title_classes=[], body_classes=[],
            )  # fmt: skip
            folded.source, folded.line = mark.source, mark.line
            inside = rest[:end]
            parent[first : first + end + 2] = [folded]
            folded += [nodes.rubric(words, words), *inside]

    def note(self) -> None:
        """List the exercises, and say below each cell what its check asks."""
        module = self.app.config.chapterkit_checks
        for cell in list(self.document.findall(nodes.container)):
            id = str((cell.get("cell_metadata") or {}).get("check", ""))
            if not id:
                continue
            section = self._section(cell)
            if id not in section.get("ids", ()):
                self.report(cell, f"check: {id}: the section of this cell has no such label")
                continue
            entry = {"id": id, "doc": self.env.docname, "title": _title(section)}
            place = {"source": cell.source or self.env.doc2path(self.env.docname), "line": cell.line}
            exercises_by_page(self.env).setdefault(self.env.docname, []).append({**entry, **place})
            if module:
                self._say_what_is_asked(cell, id, module)

    def _say_what_is_asked(self, cell: nodes.Element, id: str, module: str) -> None:
        try:
            sentences = importlib.import_module(module).asks(id)
        except ValueError as error:
            self.report(cell, f"check: {id}: {error}")
            return
        listed = nodes.bullet_list("", bullet="*")
        for sentence in sentences:
            listed += nodes.list_item("", nodes.paragraph("", "", *_with_code(sentence)))
        words = nodes.paragraph("", "", nodes.strong("", _("What the check asks")))
        asked = nodes.container("", words, listed, classes=["ck-asks"])
        cell.parent.insert(cell.parent.index(cell) + 1, asked)

    @staticmethod
    def _section(node: nodes.Element) -> nodes.Element:
        above = node.parent
        while above is not None and not isinstance(above, nodes.section | nodes.document):
            above = above.parent
        return above if above is not None else nodes.section()


def _title(section: nodes.Element) -> str:
    title = section.next_node(nodes.title)
    return title.astext() if title else ""


def _with_code(sentence: str) -> Iterator[Node]:
    """Plain words, with `code` between back-ticks and $math$ between dollars."""
    for number, part in enumerate(sentence.split("`")):
        if number % 2:
            yield nodes.literal("", part)
            continue
        for place, piece in enumerate(part.split("$")):
            if piece:
                yield nodes.math("", piece) if place % 2 else nodes.Text(piece)


def _read(app: Sphinx, document: nodes.document) -> None:
    reader = _Reader(app, document)
    reader.fold()
    reader.note()


def _check(app: Sphinx, env: BuildEnvironment) -> None:
    """No id may be used twice: the record knows exercises by nothing else."""
    first: dict[str, dict[str, Any]] = {}
    for page in reading_order(env):
        for entry in exercises_by_page(env).get(page, ()):
            other = first.setdefault(entry["id"], entry)
            if other is not entry:
                message = f"check: {entry['id']}: this id is taken by {other['source']}:{other['line']}"
                errors.report(env, message, entry["source"], entry["line"], entry["doc"])


def setup(app: Sphinx) -> dict[str, Any]:
    """Directives and transforms; the list of exercises is ``chapterkit.exercises`` on every page."""
    errors.setup(app)
    if "chapterkit_checks" not in app.config:
        app.add_config_value("chapterkit_checks", "", "env", types=frozenset({str}))
    app.add_directive("solution-start", SolutionStart)
    app.add_directive("solution-end", SolutionEnd)
    app.connect("doctree-read", _read)
    exercises_by_page.connect(app)
    app.connect("env-updated", _check, priority=600)
    assets.provide(app, "exercises", lambda app: all_exercises(app.env))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
