"""The math fonts that come with the style: what they hold, and what is left to the full ones."""

from __future__ import annotations

import io
import re
from base64 import b64decode
from pathlib import Path

import pytest
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib import TTFont

from chapterkit.mathfonts import characters, face

MADE = 3_000_000_000  # some second of 1999, as fonts count


@pytest.fixture
def font(tmp_path) -> Path:
    """A tiny font of squares for a, b, c and the minus sign."""
    letters = {ord("a"): "a", ord("b"): "b", ord("c"): "c", 0x2212: "minus"}
    names = [".notdef", *letters.values()]
    pen = TTGlyphPen(None)
    for turn, corner in enumerate([(0, 0), (0, 500), (500, 500), (500, 0)]):
        (pen.lineTo if turn else pen.moveTo)(corner)
    pen.closePath()
    square = pen.glyph()
    builder = FontBuilder(1000, isTTF=True)
    builder.setupGlyphOrder(names)
    builder.setupCharacterMap(letters)
    builder.setupGlyf(dict.fromkeys(names, square))
    builder.setupHorizontalMetrics(dict.fromkeys(names, (600, 0)))
    builder.setupHorizontalHeader(ascent=800, descent=-200)
    builder.setupNameTable({"familyName": "Tiny", "styleName": "Regular"})
    builder.setupOS2()
    builder.setupPost()
    builder.font.recalcTimestamp = False
    builder.font["head"].modified = MADE
    builder.save(tmp_path / "tiny.ttf")
    return tmp_path / "tiny.ttf"


def held(rule: str) -> set[int]:
    data = re.search(r"base64,([^)]+)\)", rule)[1]
    return set(TTFont(io.BytesIO(b64decode(data))).getBestCmap())


def test_characters_are_those_of_the_visible_half_of_formulas_only():
    page = (
        '<p>prose <span class="katex"><span class="katex-mathml"><math>q</math></span>'
        '<span class="katex-html" aria-hidden="true"><span class="base">a<span>&lt;</span></span>b</span></span> z</p>'
        '<span class="katex-html" aria-hidden="true">c<svg><path d="M0"/></svg>\u2212</span> tail'
    )
    assert characters(page) == {"KaTeX_Main-Regular": set("a<bc\u2212")}


def test_a_page_without_formulas_needs_no_character():
    assert characters("<p>words</p>") == {}


def test_a_character_is_noted_for_the_font_that_its_class_chooses():
    page = (
        '<span class="katex-html" aria-hidden="true"><span class="mord mathnormal">x<span class="mord">y</span></span>'
        '<span class="mord text"><span class="mord textrm">if</span></span><span class="delimsizing size3">(</span>'
        '<span class="delimsizing mult"><span class="delim-size4"><span>[</span></span></span>'
        '<span class="mop op-symbol large-op" style="top:0">\u2211</span>1</span>'
    )
    assert characters(page) == {
        "KaTeX_Main-Regular": set("if1"),
        "KaTeX_Math-Italic": set("xy"),
        "KaTeX_Size2-Regular": {"\u2211"},
        "KaTeX_Size3-Regular": {"("},
        "KaTeX_Size4-Regular": {"["},
    }


def test_the_space_without_width_is_in_the_cut_font_so_that_nobody_asks_for_the_full_one(font):
    rule = face(font, "Tiny", "normal", "a\u200b")
    assert held(rule) == {ord("a"), 0x200B}
    data = re.search(r"base64,([^)]+)\)", rule)[1]
    cut = TTFont(io.BytesIO(b64decode(data)))
    assert cut["hmtx"][cut.getBestCmap()[0x200B]] == (0, 0)


def test_a_cut_font_holds_what_is_wanted_and_its_range_says_so(font):
    rule = face(font, "Tiny", "italic", "ab\u2212\u03b8")
    assert held(rule) == {ord("a"), ord("b"), 0x2212}
    assert "unicode-range:U+61,U+62,U+2212;" in rule
    assert "font-family:Tiny;font-style:italic;" in rule


def test_a_font_with_nothing_wanted_is_left_out(font):
    assert face(font, "Tiny", "normal", "xyz") == ""


def test_a_cut_font_says_when_the_whole_one_was_made_so_that_builds_are_equal(font):
    data = re.search(r"base64,([^)]+)\)", face(font, "Tiny", "normal", "ac"))[1]
    assert TTFont(io.BytesIO(b64decode(data)))["head"].modified == MADE
