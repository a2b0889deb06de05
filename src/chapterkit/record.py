"""The reader's record: what they answered, kept in their browser only. ``{my-progress}`` and ``{my-record}`` show it.

The record itself is `static/record.js`. The page lists all questions and exercises at build, in a line
for each page that asks some, which opens to the single ones. So nothing moves when the script fills in
how far the reader is, and without scripts it is a list of all there is. ``{my-record}`` can also be
printed by itself, with the words of the reader's answers and notes. In formats without a reader's
browser both leave nothing.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypedDict

from docutils import nodes
from sphinx.locale import get_translation
from sphinx.util.docutils import SphinxDirective

from chapterkit import errors, progress
from chapterkit.exercise import all_exercises
from chapterkit.question import all_questions, find_question, reading_order
from chapterkit.render import Elsewhere, OnPages, close, element, page_address, replace, tag

if TYPE_CHECKING:
    from docutils.nodes import Node
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

_ = get_translation("chapterkit")


class my_progress(nodes.General, nodes.Element):  # docutils names its nodes in lower case
    """The reader's progress over all questions of the book; ``whole`` for the record as well."""


class MyProgress(SphinxDirective):
    """``{my-progress}`` and ``{my-record}``."""

    def run(self) -> list[Node]:
        node = my_progress("", whole=self.name == "my-record")
        self.set_source_info(node)
        progress.note(self.env, "record" if node["whole"] else "progress")
        return [node]


class Group(TypedDict):
    """What one line stands for."""

    doc: str
    questions: list[dict[str, str]]
    exercises: list[dict[str, str]]


def groups(env: BuildEnvironment) -> list[Group]:
    """Questions and exercises by page, in reading order. Pages of exercises go with the page before them."""
    found: list[Group] = []
    questions, exercises = all_questions(env), all_exercises(env)
    for doc in reading_order(env):
        asked = [entry for entry in questions if entry["doc"] == doc]
        tried = [entry for entry in exercises if entry["doc"] == doc]
        if asked or (tried and not found):
            found.append({"doc": doc, "questions": asked, "exercises": tried})
        elif tried:
            found[-1]["exercises"] += tried
    return found


def _exercises(number: int) -> str:
    return _("1 exercise") if number == 1 else _("{of} exercises").format(of=number)


class ProgressToHtml(OnPages):
    """A line for each page that asks something, the single questions folded into it, and the buttons."""

    default_priority = 230

    def run(self, **_options: Any) -> None:
        for node in list(self.document.findall(my_progress)):
            replace(node, self._progress(node["whole"]))

    @staticmethod
    def _words() -> dict[str, str]:
        """What the script says, as data for it; what it says on other pages too stands in `progress`."""
        return {
            "data_open": _("not answered"),
            "data_right": _("right"),
            "data_other": _("answered"),
            "data_untried": _("not checked"),
            "data_tried": _("not passed yet"),
            "data_passed": _("passed"),
            "data_answers": _("{done} of {of} answered"),
            "data_passes": _("{done} of {of} passed"),
            "data_empty": _("Nothing written."),
            "data_imported": _(
                "The answers of the file are added. Where both had one, the earlier counts; texts are kept both."
            ),
            "data_import_unsaved": _(
                "The answers of the file are added, but this browser does not keep them."
            ),
            "data_import_newer": _("A newer version of this book wrote that file. Nothing was changed."),
            "data_import_corrupt": _("That file is not a record of answers. Nothing was changed."),
        }

    def _progress(self, whole: bool) -> list[Node]:
        asked = all_questions(self.env)
        said = progress.words()
        blank = said["count"].format(answered=0, of=len(asked))
        out: list[Node] = [
            tag(
                "section",
                class_="ck-progress",
                id="my-progress",
                aria_label=_("My progress"),
                **self._words(),
                **progress.lasting(),
            ),
            *element(
                "p",
                _(
                    "With scripts on, this place shows which questions you have answered;"
                    " answers never leave your browser."
                ),
                class_="ck-progress-static",
            ),
            tag("div", class_="ck-progress-live"),
        ]
        if whole:
            out += [
                tag("p", class_="ck-record-head"),
                *element("strong", self.config.project),
                nodes.Text(" "),
                *element("span", "", class_="ck-record-date"),
                close("p"),
            ]
        out += [
            tag("p", class_="ck-progress-summary"),
            *element("strong", blank, class_="ck-count"),
            nodes.Text(" "),
            *element("span", said["developing"], class_="ck-tier"),
            nodes.Text(" "),
            tag("span", class_="ck-progress-next"),
            nodes.Text(f"{said['next']} "),
            *(self._link(asked[0], class_="ck-next") if asked else element("a", "", class_="ck-next")),
            close("span", "p", "div"),
        ]
        for group in groups(self.env):
            out += self._group(group, whole)
        out.append(tag("div", class_="ck-progress-live"))
        if whole:
            out += self._notes()
        out += [
            tag("div", class_="ck-progress-actions"),
            *element("button", _("Export"), type="button", class_="ck-export"),
            nodes.Text(" "),
            tag("label", class_="ck-import"),
            *element("span", _("Import")),
            tag("input", type="file", accept=".json,application/json", class_="ck-import-file"),
            close("label"),
            nodes.Text(" "),
        ]
        if whole:
            out += element("button", _("Print"), type="button", class_="ck-print")
        out += [
            tag("div", class_="ck-clear"),
            close("div", "div"),
            *element("p", progress.lasting()["data_saved"], class_="ck-progress-status", role="status"),
        ]
        if whole:
            out += element(
                "p",
                _(
                    "Export writes all of it into one file: answers, exercises, and what you wrote. Import adds such a"
                    " file to the record of another browser. Print puts it on paper, or into a PDF that you can hand in."
                ),
                class_="ck-record-help",
            )
        return [*out, close("div", "section")]

    def _group(self, group: Group, whole: bool) -> list[Node]:
        """A page: what it asks and, once a script knows, how much of it is done."""
        out: list[Node] = [
            tag("details", class_="ck-progress-page"),
            tag("summary"),
            *element("span", self.env.titles[group["doc"]].astext()),
            nodes.Text(" "),
            tag("span", class_="ck-progress-sum"),
        ]
        said = self._words()
        if of := len(group["questions"]):
            out += self._sum(progress.questions(of), said["data_answers"], of, "ck-answers")
        if group["questions"] and group["exercises"]:
            out.append(nodes.Text(", "))
        if of := len(group["exercises"]):
            out += self._sum(_exercises(of), said["data_passes"], of, "ck-passes")
        out += [close("span", "summary"), tag("ul", class_="ck-progress-list")]
        for entry in group["questions"]:
            out += self._item(entry, _("not answered"), whole, data_asked=entry["id"])
        for entry in group["exercises"]:
            out += self._item(entry, _("not checked"), False, data_exercise=entry["id"])
        return [*out, close("ul", "details")]

    @staticmethod
    def _sum(number: str, done: str, of: int, kind: str) -> list[Node]:
        return [
            *element("span", number, class_="ck-progress-static"),
            *element("span", done.format(done=0, of=of), class_=f"ck-progress-live {kind}"),
        ]

    def _link(self, entry: dict[str, Any], **attributes: str) -> list[Node]:
        address = page_address(self.env, self.env.docname, entry["doc"], entry["id"])
        return element("a", entry["title"], href=address, **attributes)

    def _item(self, entry: dict[str, Any], state: str, whole: bool, **data: str) -> list[Node]:
        options = None
        if whole and (asked := find_question(self.env, entry["id"])):
            options = json.dumps(dict(zip(asked["options"], asked["words"], strict=True)), ensure_ascii=False)
        return [
            tag("li", data_options=options, **data),
            *self._link(entry),
            nodes.Text(" "),
            *element("span", state, class_="ck-progress-state"),
            *(element("span", "", class_="ck-record-words") if whole else []),
            close("li"),
        ]

    def _notes(self) -> list[Node]:
        """What the reader wrote, for paper: on the screen it stands where it was written."""
        from chapterkit.decision_log import all_logs

        out: list[Node] = []
        for entry in all_logs(self.env):
            out += [
                tag("div", class_="ck-record-note"),
                tag("p"),
                *element("strong", entry["title"]),
                close("p"),
                *element("p", "", class_="ck-log-paper", data_log=entry["id"]),
                close("div"),
            ]
        return out


class ProgressToText(Elsewhere):
    """There is no reader's record in a printed book; it says where there is one."""

    default_priority = 230

    def run(self, **_options: Any) -> None:
        for node in list(self.document.findall(my_progress)):
            words = _("The web edition of this book keeps your answers here, in your own browser.")
            replace(node, [nodes.paragraph("", words)])


def setup(app: Sphinx) -> dict[str, Any]:
    """The directives, their renderings, and the script that keeps the record."""
    errors.setup(app)
    app.add_directive("my-progress", MyProgress)
    app.add_directive("my-record", MyProgress)
    app.add_post_transform(ProgressToHtml)
    app.add_post_transform(ProgressToText)
    app.add_js_file("record.js", priority=500, defer="defer")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
