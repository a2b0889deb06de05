"""Links to take along: *copy link* beside each heading, and one thing of a page shown alone.

The sign beside a heading is the theme's own link; `static/links.js` makes a click copy its address. One of
these signs is a stop on the keyboard's way, that of the heading to which the reader came; arrow keys go
from there to the others. ``?embed=<id>`` in an address shows only what has that id, an instrument or a
section, for the frame of a course page. Without scripts the sign is a link, and the frame holds the page.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sphinx.locale import get_translation

from chapterkit import assets

if TYPE_CHECKING:
    from sphinx.application import Sphinx

_ = get_translation("chapterkit")


def _words(app: Sphinx) -> dict[str, str]:
    return {
        "copy": str(_("Copy link to “{place}”")),
        "copied": str(_("Link copied")),
        "refused": str(_("The browser refused to copy. Here is the link:")),
        "from": str(_("From “{title}”")),
    }


def setup(app: Sphinx) -> dict[str, Any]:
    """The script, its words and its style."""
    assets.provide(app, "linkWords", _words)
    app.add_css_file("links.css", priority=710)
    app.add_js_file("links.js", priority=760, defer="defer")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
