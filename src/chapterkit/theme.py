"""Small mends for the theme, each with its reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

if TYPE_CHECKING:
    from sphinx.application import Sphinx


class _OneIdEach(SphinxPostTransform):
    """furo wraps tables and equations in boxes that repeat the id of what they hold."""

    formats = ("html",)
    default_priority = 501  # right after the theme's own transform

    def run(self, **kwargs: Any) -> None:
        for box in self.document.findall(nodes.container):
            if {"math-wrapper", "table-wrapper"} & set(box["classes"]):
                box["ids"] = []
                box["names"] = []


def setup(app: Sphinx) -> None:
    """Mend what the theme leaves; `scroll.js` lets the keyboard reach what scrolls sideways."""
    app.add_post_transform(_OneIdEach)
    app.add_js_file("scroll.js", priority=750, defer="defer")
