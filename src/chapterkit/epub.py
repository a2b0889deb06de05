"""An EPUB that readers can open: one small style, math as MathML, nothing that nobody asks for.

Sphinx's builder takes what was made for the browser: styles that reading systems stumble over, fonts it
has no type for, formulas as hundreds of boxes. Here a page asks for three style sheets, a formula is
MathML, which EPUB knows without any font, and the list of the container names just what is used.
"""

from __future__ import annotations

import html
import posixpath
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sphinxcontrib.katex as katex
from sphinx.builders.epub3 import Epub3Builder

if TYPE_CHECKING:
    from docutils import nodes
    from sphinx.application import Sphinx

STYLE = "_static/chapterkit-epub.css"
STYLES = ("_static/pygments.css", "_static/epub.css", STYLE)
_ICON = re.compile(r"<svg\b.*?</svg>", re.DOTALL)
_URL = re.compile(r"""url\(["']?([\w.-]+)""")
_ITEM = re.compile(r'(<item id="[^"]+" href="([^"]+)" media-type="application/xhtml\+xml")(?= />)')


class Epub(Epub3Builder):
    """Sphinx's EPUB 3 with a container that lists what it holds, truly."""

    def init(self) -> None:
        super().init()
        language = html.escape(self.config.epub_language)
        self.html_tag = f'{self.html_tag[:-1]} lang="{language}" xml:lang="{language}">'

    def toc_add_files(self, refnodes: list[dict[str, Any]]) -> None:
        """A page of another folder is the same file under one name: no ``book/../exercises/…``."""
        for entry in refnodes:
            path, mark, anchor = entry["refuri"].partition("#")
            entry["refuri"] = posixpath.normpath(path) + mark + anchor
        super().toc_add_files(refnodes)

    def build_content(self) -> None:
        static = Path(self.outdir, "_static")
        shutil.copyfile(Path(__file__).with_name("epub.css"), Path(self.outdir, STYLE))
        styles = "".join(Path(self.outdir, name).read_text(encoding="utf-8") for name in STYLES)
        kept = {*STYLES, *(f"_static/{name}" for name in _URL.findall(styles))}
        files = (path.relative_to(self.outdir).as_posix() for path in static.rglob("*") if path.is_file())
        own = list(self.config.epub_exclude_files)
        unused = [name for name in files if name not in kept]
        self.config.epub_exclude_files = [*own, ".buildinfo.bak", *unused]
        super().build_content()
        self.config.epub_exclude_files = own
        listing = Path(self.outdir, "content.opf")
        listing.write_text(_ITEM.sub(self._with_math, listing.read_text(encoding="utf-8")), encoding="utf-8")

    def _with_math(self, item: re.Match[str]) -> str:
        page = Path(self.outdir, html.unescape(item[2])).read_text(encoding="utf-8")
        return item[1] + (' properties="mathml"' if "<math" in page else "")


def _page(
    app: Sphinx, pagename: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    if app.builder.name != "epub":
        return
    context["css_files"] = [sheet for sheet in context["css_files"] if str(sheet.filename) in STYLES]
    context["script_files"] = []
    if "body" in context:
        # Icons are decoration. A fold that a reading system cannot open would keep its text.
        body = _ICON.sub("", context["body"])
        context["body"] = re.sub(r"<details\b(?! open)", '<details open="open"', body)


def _choose_math(app: Sphinx) -> None:
    katex.KATEX_DEFAULT_OPTIONS["output"] = "mathml" if app.builder.name == "epub" else "htmlAndMathml"
    if app.builder.name == "epub":
        app.add_css_file(Path(STYLE).name, priority=900)


def setup(app: Sphinx) -> None:
    """Take the place of Sphinx's builder."""
    app.add_builder(Epub, override=True)
    app.connect("builder-inited", _choose_math)
    app.connect("html-page-context", _page, priority=990)
