"""The math fonts a book needs, small enough to come with its style.

KaTeX's fonts hold far more than one book shows, and a font that arrives after the first paint moves the
text around every formula. So the six fonts that formulas usually need are cut down to the characters the
book's formulas hold and written into ``mathfonts.css``, which the browser waits for. The full fonts stay
beside it: for any other character, and for any other font, the browser fetches them as ever.
"""

from __future__ import annotations

import io
import logging
import re
from base64 import b64encode
from hashlib import sha256
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fontTools import subset
from fontTools.ttLib import TTFont

from chapterkit.assets import is_page_builder, write_if_changed

if TYPE_CHECKING:
    from docutils import nodes
    from sphinx.application import Sphinx

logging.getLogger("fontTools").setLevel(logging.WARNING)  # it tells every table that it drops
FILE = "mathfonts.css"
FONTS = {
    "KaTeX_Main-Regular": ("KaTeX_Main", "normal"),
    "KaTeX_Math-Italic": ("KaTeX_Math", "italic"),
    **{f"KaTeX_Size{size}-Regular": (f"KaTeX_Size{size}", "normal") for size in (1, 2, 3, 4)},
}
_FORMULA = '<span class="katex-html"'
_TAG = re.compile(r"<(/?)span\b[^>]*>|<[^>]*>")


def characters(page: str) -> set[str]:
    """The characters that stand in the visible half of a page's formulas."""
    found: set[str] = set()
    at = page.find(_FORMULA)
    while at >= 0:
        depth, text_from = 0, at
        for tag in _TAG.finditer(page, at):
            found.update(unescape(page[text_from : tag.start()]))
            text_from = tag.end()
            depth += 0 if tag[1] is None else -1 if tag[1] else 1
            if depth == 0:
                break
        at = page.find(_FORMULA, text_from)
    return found


def face(file: Path, family: str, style: str, wanted: str) -> str:
    """One ``@font-face`` with the font cut down to `wanted`, or nothing if it has none of that."""
    font = TTFont(file, recalcTimestamp=False)  # two builds are the same bytes
    options = subset.Options(flavor="woff2", layout_features=[], hinting=False, notdef_outline=True)
    cutter = subset.Subsetter(options)
    held = sorted(ord(letter) for letter in wanted if ord(letter) in font.getBestCmap())
    if not held:
        return ""
    cutter.populate(unicodes=held)
    cutter.subset(font)
    stream = io.BytesIO()
    subset.save_font(font, stream, options)
    data = b64encode(stream.getvalue()).decode()
    # The range sends the browser to the full font for every other character.
    reach = ",".join(f"U+{code:X}" for code in held)
    return (
        f"@font-face{{font-family:{family};font-style:{style};font-weight:400;unicode-range:{reach};"
        f'src:url(data:font/woff2;base64,{data}) format("woff2")}}\n'
    )


def _note(
    app: Sphinx, pagename: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Keep what a page's formulas hold: pages are written by several processes, and not all of them each time."""
    if doctree is None or not is_page_builder(app.builder):
        return
    note = _notes(app) / f"{pagename}.txt"
    note.parent.mkdir(parents=True, exist_ok=True)
    write_if_changed(note, "".join(sorted(characters(context.get("body", "")))))


def _notes(app: Sphinx) -> Path:
    return Path(app.doctreedir) / "formulas" / app.builder.name


def _write(app: Sphinx, problem: Exception | None) -> None:
    if problem or not is_page_builder(app.builder):
        return
    notes = [_notes(app) / f"{docname}.txt" for docname in app.env.found_docs]
    wanted = "".join(
        sorted({letter for note in notes if note.exists() for letter in note.read_text(encoding="utf-8")})
    )
    static = Path(app.outdir, "_static")
    folder = (static / app.config.katex_css_path).parent / "fonts"
    # Cutting takes a second, so it is done only for characters that are new.
    first = f"/* {sha256(wanted.encode()).hexdigest()} */\n"
    target = static / FILE
    if target.exists() and target.read_text(encoding="utf-8").startswith(first):
        return
    faces = [
        face(folder / f"{name}.woff2", *how, wanted)
        for name, how in FONTS.items()
        if (folder / f"{name}.woff2").exists()
    ]
    write_if_changed(target, first + "".join(faces))


def setup(app: Sphinx) -> None:
    """Cut the math fonts when the last page is written; it needs KaTeX's fonts beside ``katex_css_path``."""
    app.add_css_file(FILE, priority=900)
    app.connect("html-page-context", _note, priority=940)
    app.connect("build-finished", _write)
