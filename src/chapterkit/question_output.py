"""How a question is written: one form for browsers, a list and its answer for everything else.

The same markup serves readers with and without scripts, so that nothing moves when scripts wake.
Without them the radios are hidden, the options read as a list, and a fold holds the answer. With
them (``html.ck-js``) the fold only wraps the feedback, of which style sheets show the part that
belongs to the reader's answer. Every option's feedback stands on the page once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx.locale import get_translation

from chapterkit.render import Elsewhere, OnPages, close, copy_without_ids, element, replace, tag

if TYPE_CHECKING:
    from docutils.nodes import Node
    from sphinx.application import Sphinx

_ = get_translation("chapterkit")

# Shapes differ, not only colours. Decorations: words beside them say the same.
RIGHT_ICON = '<svg class="ck-icon" viewBox="0 0 16 16" aria-hidden="true"><path d="M2.5 8.5l4 4 7-9"/></svg>'
WRONG_ICON = (
    '<svg class="ck-icon" viewBox="0 0 16 16" aria-hidden="true"><path d="M3 3l10 10M13 3L3 13"/></svg>'
)


def _kind(kind: str) -> str:
    return {"predict": _("Predict"), "reflect": _("Reflect"), "self-test": _("Test yourself")}[kind]


def _parts(node: nodes.Element) -> tuple[nodes.Element, list[Node], list[nodes.Element]]:
    from chapterkit.question import option

    title, *rest = node.children
    options = [child for child in rest if isinstance(child, option)]
    return title, [child for child in rest if not isinstance(child, option)], options  # type: ignore[return-value]


class QuestionToHtml(OnPages):
    """A form with native radios."""

    default_priority = 210  # after `{calc}`, which looks at what it stands in

    def run(self, **_options: Any) -> None:
        from chapterkit.question import question

        for node in list(self.document.findall(question)):
            replace(node, self._form(node))

    def _form(self, node: nodes.Element) -> list[Node]:
        qid, kind = node["qid"], node["kind"]
        title, prompt, options = _parts(node)
        out: list[Node] = [
            tag(
                "form",
                class_=f"ck-question ck-{kind}",
                id=qid,
                data_question=qid,
                data_kind=kind,
                data_choose=_("Choose an answer first."),
                data_unknown=_(
                    "Your earlier answer is no longer among the options, so you may answer again."
                ),
                data_behind=_("The link leads to the feedback, which shows once you have answered."),
                data_unsaved=_("Not saved: this browser does not keep answers here."),
            ),
            tag("fieldset"),
            tag("legend"),
            *element("span", _kind(kind), class_="ck-kind"),
            nodes.Text(" "),
            *title.children,
            close("legend"),
            tag("div", class_="ck-prompt"),
            *prompt,
            close("div"),
            tag("ul", class_="ck-options"),
        ]
        for option in options:
            out += self._option(qid, option)
        hint = _("Your first commitment is kept.") if kind == "predict" else _("You may answer again.")
        out += [
            close("ul"),
            tag("div", class_="ck-actions"),
            *element("button", _("Commit my answer"), type="submit", class_="ck-commit"),
            nodes.Text(" "),
            *element("span", hint, class_="ck-hint"),
            close("div"),
            close("fieldset"),
            tag("p", class_="ck-message", role="status"),
            close("p"),
            tag("details", class_="ck-answer"),
            *element("summary", _("Answer and feedback")),
        ]
        for option in options:
            out += self._feedback(option)
        out += [
            close("details"),
            tag("details", class_="ck-others"),
            *element("summary", _("Feedback to the other answers")),
            close("details", "form"),
        ]
        return out

    def _option(self, qid: str, option: nodes.Element) -> list[Node]:
        oid = option["oid"]
        out: list[Node] = [
            tag("li", class_="ck-option", data_option=oid, data_right=option["right"]),
            tag("input", type="radio", name=qid, value=oid, id=f"{qid}--{oid}"),
            tag("label", for_=f"{qid}--{oid}"),
            *option[0].children,
            close("label"),
            nodes.Text(" "),
            *element("span", _("your answer"), class_="ck-mark ck-mark-yours"),
        ]
        if option["right"]:
            out += [nodes.Text(" "), *element("span", _("right answer"), class_="ck-mark ck-mark-right")]
        return [*out, close("li")]

    def _feedback(self, option: nodes.Element) -> list[Node]:
        right = option["right"]
        return [
            tag("div", class_="ck-feedback", data_option=option["oid"], data_right=right),
            tag("p", class_="ck-verdict"),
            nodes.raw("", RIGHT_ICON if right else WRONG_ICON, format="html"),
            nodes.Text(" "),
            *element("strong", _("Right:") if right else _("Not right:")),
            nodes.Text(" "),
            *copy_without_ids(option[0].children),
            close("p"),
            *option.children[1:],
            close("div"),
        ]


class QuestionToText(Elsewhere):
    """Title, prompt, lettered options; then the answer, with the feedback under the same letters."""

    default_priority = 210

    def run(self, **_options: Any) -> None:
        from chapterkit.question import question

        for node in list(self.document.findall(question)):
            replace(node, self._plain(node))

    @staticmethod
    def _plain(node: nodes.Element) -> list[Node]:
        title, prompt, options = _parts(node)
        asked, answered = _letters(), _letters()
        for option in options:
            asked += nodes.list_item("", nodes.paragraph("", "", *copy_without_ids(option[0].children)))
            verdict = nodes.paragraph(
                "", "", nodes.strong("", _("Right.") if option["right"] else _("Not right."))
            )
            answered += nodes.list_item("", verdict, *option.children[1:])
        return [
            nodes.target("", "", ids=list(node["ids"])),
            nodes.paragraph("", "", nodes.strong("", "", *title.children)),
            *prompt,
            asked,
            nodes.paragraph("", "", nodes.strong("", _("Answer"))),
            answered,
        ]


def _letters() -> nodes.enumerated_list:
    return nodes.enumerated_list("", enumtype="upperalpha", prefix="", suffix=".")


def setup(app: Sphinx) -> None:
    """Register both renderings, and the page's half."""
    app.add_post_transform(QuestionToHtml)
    app.add_post_transform(QuestionToText)
    app.add_js_file("question.js", priority=510, defer="defer")
