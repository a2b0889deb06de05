"""The math fonts a book needs, small enough to come with its style.

KaTeX's fonts hold far more than one book shows, and a font that arrives after the first paint moves the
text around every formula. So the six fonts that formulas usually need are cut down to the characters the
book's formulas hold and written into ``mathfonts.css``, which the browser waits for. The full fonts stay
beside it: for any other character, and for any other font, the browser fetches them as ever.
"""

from __future__ import annotations

import io
import json
import logging
import re
from base64 import b64encode
from collections.abc import Iterable
from hashlib import sha256
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chapterkit.assets import is_page_builder, write_if_changed

if TYPE_CHECKING:
    from docutils import nodes
    from fontTools.ttLib import TTFont
    from sphinx.application import Sphinx

logging.getLogger("fontTools").setLevel(logging.WARNING)  # it tells every table that it drops
FILE = "mathfonts.css"
FONTS = {
    "KaTeX_Main-Regular": ("KaTeX_Main", "normal"),
    "KaTeX_Math-Italic": ("KaTeX_Math", "italic"),
    **{f"KaTeX_Size{size}-Regular": (f"KaTeX_Size{size}", "normal") for size in (1, 2, 3, 4)},
}
_FORMULA = '<span class="katex-html"'
_TAG = re.compile(r'<(/?)span(?:[^>]*?class="([^"]*)")?[^>]*>|<[^>]*>')
# The classes with which KaTeX's style chooses a font; whatever is in none of them inherits.
_CHOICES = [
    ({"mathnormal"}, "KaTeX_Math-Italic"),
    ({"textrm"}, "KaTeX_Main-Regular"),
    ({"mainrm"}, "KaTeX_Main-Regular"),
    ({"op-symbol", "small-op"}, "KaTeX_Size1-Regular"),
    ({"op-symbol", "large-op"}, "KaTeX_Size2-Regular"),
    *(({"delimsizing", f"size{size}"}, f"KaTeX_Size{size}-Regular") for size in (1, 2, 3, 4)),
    ({"delim-size1"}, "KaTeX_Size1-Regular"),
    ({"delim-size4"}, "KaTeX_Size4-Regular"),
]
_LICENCE = """\
/*! KaTeX fonts, cut. (c) 2009-2010 Design Science, Inc., 2014-2018 Khan Academy. SIL Open Font License 1.1 */
"""
_BLANK = 0x200B  # KaTeX builds with it, but its fonts lack it, so a browser would fetch the full font in vain


def characters(page: str) -> dict[str, set[str]]:
    """The characters that stand in the visible half of a page's formulas, by the font they are shown in.

    A font that is not known here is fetched as it is; a character noted for one font too many costs bytes only.
    """
    found: dict[str, set[str]] = {}
    at = page.find(_FORMULA)
    while at >= 0:
        fonts, text_from = ["KaTeX_Main-Regular"], at
        for tag in _TAG.finditer(page, at):
            if letters := unescape(page[text_from : tag.start()]):
                found.setdefault(fonts[-1], set()).update(letters)
            text_from = tag.end()
            if tag[1]:
                fonts.pop()
            elif tag[1] is not None:
                own = set((tag[2] or "").split())
                fonts.append(next((font for classes, font in _CHOICES if classes <= own), fonts[-1]))
            if len(fonts) == 1:
                break
        at = page.find(_FORMULA, text_from)
    return found


def _with_blank(font: TTFont) -> None:
    """Give the font a zero-width space without ink."""
    from fontTools.ttLib.tables._g_l_y_f import Glyph

    name = "uni200B"
    font.setGlyphOrder([*font.getGlyphOrder(), name])
    font["glyf"][name] = Glyph()
    font["hmtx"][name] = (0, 0)
    for table in font["cmap"].tables:
        if table.isUnicode():
            table.cmap[_BLANK] = name


def face(file: Path, family: str, style: str, wanted: Iterable[str]) -> str:
    """One ``@font-face`` with the font cut down to `wanted`, or nothing if it has none of that."""
    # Most builds find every font cut already; these imports would be a twentieth of their time.
    from fontTools import subset
    from fontTools.ttLib import TTFont

    font = TTFont(file, recalcTimestamp=False)  # two builds are the same bytes
    if chr(_BLANK) in wanted and _BLANK not in font.getBestCmap():
        _with_blank(font)
    # Who made the fonts is said once, in the style; names in each of them would weigh as much as a letter.
    options = subset.Options(
        flavor="woff2", layout_features=[], hinting=False, notdef_outline=True, name_IDs=[]
    )
    options.drop_tables += ["gasp"]
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
    note = _notes(app) / f"{pagename}.json"
    note.parent.mkdir(parents=True, exist_ok=True)
    found = characters(context.get("body", ""))
    write_if_changed(note, json.dumps({font: "".join(sorted(held)) for font, held in sorted(found.items())}))


def _notes(app: Sphinx) -> Path:
    return Path(app.doctreedir) / "formulas" / app.builder.name


def _write(app: Sphinx, problem: Exception | None) -> None:
    if problem or not is_page_builder(app.builder):
        return
    notes = [_notes(app) / f"{docname}.json" for docname in app.env.found_docs]
    wanted: dict[str, set[str]] = {}
    for note in notes:
        for font, held in json.loads(note.read_text(encoding="utf-8")).items() if note.exists() else ():
            wanted.setdefault(font, set()).update(held)
    static = Path(app.outdir, "_static")
    folder = (static / app.config.katex_css_path).parent / "fonts"
    # Cutting takes a second, so it is done only for characters that are new.
    key = json.dumps({font: sorted(held) for font, held in sorted(wanted.items())})
    first = f"/* {sha256(key.encode()).hexdigest()} */\n"
    target = static / FILE
    if target.exists() and target.read_text(encoding="utf-8").startswith(first):
        return
    faces = [
        face(folder / f"{name}.woff2", *how, wanted.get(name, ()))
        for name, how in FONTS.items()
        if (folder / f"{name}.woff2").exists()
    ]
    write_if_changed(target, first + _LICENCE + "".join(faces))


def setup(app: Sphinx) -> None:
    """Cut the math fonts when the last page is written; it needs KaTeX's fonts beside ``katex_css_path``."""
    app.add_css_file(FILE, priority=900)
    app.connect("html-page-context", _note, priority=940)
    app.connect("build-finished", _write)
