"""The reader's record: what they answered, kept in their browser only. ``{my-progress}`` shows it.

The record itself is `static/record.js`. The page lists all questions at build, so that nothing moves
when the script fills in how far the reader is. In formats without a reader's browser the directive
leaves nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx.locale import get_translation
from sphinx.util.docutils import SphinxDirective

from chapterkit import errors
from chapterkit.render import Elsewhere, OnPages, close, element, page_address, replace, tag

if TYPE_CHECKING:
    from collections.abc import Iterable, Set

    from docutils.nodes import Node
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

_ = get_translation("chapterkit")


class my_progress(nodes.General, nodes.Element):  # docutils names its nodes in lower case
    """The reader's progress over all questions of the book."""


def _pages(env: BuildEnvironment) -> set[str]:
    """Pages that show the progress."""
    if not hasattr(env, "chapterkit_progress"):
        env.chapterkit_progress = set()  # type: ignore[attr-defined]
    return env.chapterkit_progress  # type: ignore[attr-defined,no-any-return]


class MyProgress(SphinxDirective):
    """``{my-progress}``."""

    def run(self) -> list[Node]:
        node = my_progress("")
        self.set_source_info(node)
        _pages(self.env).add(self.env.docname)
        return [node]


class ProgressToHtml(OnPages):
    """A list of all questions with links, a place for each state, and the buttons."""

    default_priority = 230

    def run(self, **_options: Any) -> None:
        for node in list(self.document.findall(my_progress)):
            replace(node, self._progress())

    def _words(self) -> dict[str, str]:
        """What the script says, as data for it."""
        return {
            "data_count": _("{answered} of {of} answered"),
            "data_open": _("not answered"),
            "data_right": _("right"),
            "data_other": _("answered"),
            "data_optimal": _("Optimal: every prediction right"),
            "data_partial": _("Partial: {right} of {predictions} predictions right"),
            "data_developing": _("Developing: no prediction right yet"),
            "data_saved": _("Kept in this browser only."),
            "data_not_saved": _(
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
            "data_cleared": _("Your answers are cleared."),
            "data_imported": _("The answers of the file are added. Where both had one, the earlier counts."),
            "data_import_unsaved": _(
                "The answers of the file are added, but this browser does not keep them."
            ),
            "data_import_newer": _("A newer version of this book wrote that file. Nothing was changed."),
            "data_import_corrupt": _("That file is not a record of answers. Nothing was changed."),
        }

    def _progress(self) -> list[Node]:
        from chapterkit.question import all_questions

        asked = all_questions(self.env)
        blank = _("{answered} of {of} answered").format(answered=0, of=len(asked))
        out: list[Node] = [
            tag("section", class_="ck-progress", aria_label=_("My progress"), **self._words()),
            *element(
                "p",
                _(
                    "With scripts on, this place shows which questions you have answered;"
                    " answers never leave your browser."
                ),
                class_="ck-progress-static",
            ),
            tag("div", class_="ck-progress-live"),
            tag("p", class_="ck-progress-summary"),
            *element("strong", blank, class_="ck-progress-count"),
            nodes.Text(" "),
            *element("span", _("Developing: no prediction right yet"), class_="ck-progress-tier"),
            close("p"),
            tag("ul", class_="ck-progress-list"),
        ]
        for entry in asked:
            address = page_address(self.env, self.env.docname, entry["doc"], entry["id"])
            out += [
                tag("li", data_question=entry["id"], data_kind=entry["kind"]),
                *element("a", entry["title"], href=address),
                nodes.Text(" "),
                *element("span", _("not answered"), class_="ck-progress-state"),
                close("li"),
            ]
        out += [
            close("ul"),
            tag("p", class_="ck-progress-actions"),
            *element("button", _("Export"), type="button", class_="ck-export"),
            nodes.Text(" "),
            tag("label", class_="ck-import"),
            *element("span", _("Import")),
            tag("input", type="file", accept=".json,application/json", class_="ck-import-file"),
            close("label"),
            nodes.Text(" "),
            *element("button", _("Clear my answers"), type="button", class_="ck-clear"),
            close("p"),
            tag("p", class_="ck-confirm", hidden=True),
            *element("span", _("Clear every answer and note of this book in this browser?")),
            nodes.Text(" "),
            *element("button", _("Yes, clear"), type="button", class_="ck-confirm-yes"),
            nodes.Text(" "),
            *element("button", _("Keep them"), type="button", class_="ck-confirm-no"),
            close("p"),
            *element("p", _("Kept in this browser only."), class_="ck-progress-status", role="status"),
            close("div", "section"),
        ]
        return out


class ProgressToText(Elsewhere):
    """There is no reader's record in a printed book; it says where there is one."""

    default_priority = 230

    def run(self, **_options: Any) -> None:
        for node in list(self.document.findall(my_progress)):
            words = _("The web edition of this book keeps your answers here, in your own browser.")
            replace(node, [nodes.paragraph("", words)])


def _purge(app: Sphinx, env: BuildEnvironment, docname: str) -> None:
    _pages(env).discard(docname)


def _merge(app: Sphinx, env: BuildEnvironment, docnames: Set[str], other: BuildEnvironment) -> None:
    _pages(env).update(_pages(other) & set(docnames))


def _touched(app: Sphinx, env: BuildEnvironment) -> Iterable[str]:
    """Pages with the list are written again when any question of the book has changed."""
    from chapterkit.question import all_questions

    now = all_questions(env)
    before = getattr(env, "chapterkit_progress_saw", now)
    env.chapterkit_progress_saw = now  # type: ignore[attr-defined]
    return sorted(_pages(env)) if before != now else []


def setup(app: Sphinx) -> dict[str, Any]:
    """The directive, its renderings, and the scripts behind them."""
    errors.setup(app)
    app.add_directive("my-progress", MyProgress)
    app.add_post_transform(ProgressToHtml)
    app.add_post_transform(ProgressToText)
    app.connect("env-purge-doc", _purge)
    app.connect("env-merge-info", _merge)
    app.connect("env-updated", _touched, priority=620)
    app.add_js_file("record.js", priority=500, defer="defer")
    app.add_js_file("progress.js", priority=512, defer="defer")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
