"""Small mends for the theme, each with its reason."""

from __future__ import annotations

import re
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

from chapterkit.assets import is_page_builder, write_if_changed

if TYPE_CHECKING:
    from sphinx.application import Sphinx


_AUTOMATIC = re.compile(r"id\d+")


class _OneIdEach(SphinxPostTransform):
    """furo wraps tables and equations in boxes that repeat the id of what they hold.

    And ids that nobody gave start anew in each docstring, since each is read as a text of its own.
    """

    formats = ("html",)
    default_priority = 501  # right after the theme's own transform

    def run(self, **kwargs: Any) -> None:
        for box in self.document.findall(nodes.container):
            if {"math-wrapper", "table-wrapper"} & set(box["classes"]):
                box["ids"] = []
                box["names"] = []
        seen: set[str] = set()
        for node in self.document.findall(nodes.Element):
            node["ids"] = [name for name in node["ids"] if name not in seen or not _AUTOMATIC.fullmatch(name)]
            seen.update(node["ids"])


def _lead_in(app: Sphinx, problem: Exception | None) -> None:
    """A book whose first page lies in a folder is found from the root of its site too."""
    root = app.config.root_doc
    if problem or root == "index" or not is_page_builder(app.builder):
        return
    to, title = escape(app.builder.get_target_uri(root)), escape(app.config.html_title)
    write_if_changed(
        Path(app.outdir, "index.html"),
        f'<!doctype html>\n<html lang="{app.config.language}"><meta charset="utf-8"><title>{title}</title>'
        f'<meta name="viewport" content="width=device-width"><meta http-equiv="refresh" content="0; url={to}">'
        f'<main><h1><a href="{to}">{title}</a></h1></main></html>\n',
    )


def setup(app: Sphinx) -> None:
    """Mend what the theme leaves; `scroll.js` lets the keyboard reach what scrolls sideways."""
    app.add_post_transform(_OneIdEach)
    app.connect("build-finished", _lead_in)
    app.add_js_file("scroll.js", priority=750, defer="defer")
