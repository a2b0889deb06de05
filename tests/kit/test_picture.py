"""Static drawings: every part that is documented is drawn, nothing else is taken, and an SVG fits into a page."""

# Tables of cases, figures and lines of JavaScript read better uncut.

from __future__ import annotations

import copy
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from chapterkit import picture
from chapterkit.picture import PictureError, draw
from chapterkit.svg import short_path

BLUE = "var(--ck-1)"


def curve(**changes):
    return {
        "type": "scatter",
        "mode": "lines",
        "name": "a curve",
        "x": [1, 2, 3],
        "y": [1, 4, 9],
        "line": {"color": BLUE},
        **changes,
    }


def dots(**changes):
    return {
        "type": "scatter",
        "mode": "markers",
        "name": "dots",
        "x": [1, 2],
        "y": [2, 3],
        "marker": {"color": "var(--ck-2)"},
        **changes,
    }


def bars(**changes):
    return {
        "type": "bar",
        "name": "bars",
        "x": [1, 2],
        "y": [2, 3],
        "marker": {"color": "var(--ck-3)"},
        **changes,
    }


def figure(*traces, x=None, y=None, **layout):
    return {
        "data": list(traces or [curve()]),
        "layout": {
            "xaxis": {"title": {"text": "across"}, **(x or {})},
            "yaxis": {"title": {"text": "up"}, **(y or {})},
            **layout,
        },
    }


def svg(given, salt="salt", width=720, height=400, themed=True) -> str:
    return draw(given, width, height, themed=themed, salt=salt).decode()


RECT = {
    "type": "rect",
    "x0": 1,
    "x1": 2,
    "y0": 0,
    "y1": 1,
    "yref": "paper",
    "fillcolor": "var(--ck-band)",
    "line": {"width": 0},
    "layer": "below",
}
LINE = {
    "type": "line",
    "x0": 1,
    "x1": 2,
    "y0": 1,
    "y1": 4,
    "line": {"color": "var(--ck-4)", "width": 1, "dash": "dot"},
}
NOTE = {
    "x": 0.3,
    "y": 3,
    "text": "a note",
    "showarrow": False,
    "font": {"color": "var(--ck-6)"},
    "xanchor": "left",
    "yanchor": "top",
}
OUTLINES = curve(
    name="outlines",
    mode="none",
    fill="toself",
    fillcolor=BLUE,
    x=[1, 1, 2, None, 2, 2, 3],
    y=[1, 2, 2, None, 5, 6, 6],
)
EVERYTHING = figure(
    OUTLINES,
    curve(fill="tozeroy", fillcolor="var(--ck-band)", line={"color": BLUE, "width": 3, "dash": "dash"}, hovertemplate="%{x}", hoverinfo="name"),
    dots(mode="markers+text", text=["one", "two"], textposition="bottom center"), bars(width=0.4), curve(name="", y=[None, 2, 3], showlegend=False),
    *(dots(name=symbol, x=[2], y=[5], marker={"color": "var(--ck-5)", "symbol": symbol, "size": 11}) for symbol in picture.MARKERS),
    *(curve(name=dash, line={"color": BLUE, "dash": dash}) for dash in picture.DASHES),
    x={"type": "log", "range": [-0.1, 0.6], "tickvals": [1, 2, 3], "ticktext": ["I", "II", "III"]}, y={"range": [0, 10], "showgrid": False},
    shapes=[RECT, LINE], annotations=[NOTE],
)  # fmt: skip


# What is drawn --------------------------------------------------------------------------------


def words(drawing: str) -> list[str]:
    return [element.text for element in ET.fromstring(drawing).iter("{http://www.w3.org/2000/svg}text")]


def test_words_of_axes_legend_marks_and_notes_are_text():
    found = words(svg(EVERYTHING))
    for text in (
        "across",
        "up",
        "I",
        "II",
        "III",
        "a curve",
        "dots",
        "bars",
        "one",
        "two",
        "a note",
        "star",
        "dashdot",
    ):
        assert text in found
    assert found.count("a curve") == 1


def words_with_places(drawing: str) -> dict[str, float]:
    """How far to the right each text stands."""
    places = {}
    for element in ET.fromstring(drawing).iter("{http://www.w3.org/2000/svg}text"):
        moved = re.search(r"translate\(([\d.]+)", element.get("transform", ""))
        places[element.text] = float(element.get("x") or moved[1])
    return places


DRAWN = {
    "a curve": (figure(dots()), figure(dots(), curve())),
    "its colour": (figure(curve()), figure(curve(line={"color": "var(--ck-2)"}))),
    "its width": (figure(curve()), figure(curve(line={"color": BLUE, "width": 5}))),
    "its dash": (figure(curve()), figure(curve(line={"color": BLUE, "dash": "dot"}))),
    "its name": (figure(curve()), figure(curve(name="another"))),
    "a name left out of the legend": (figure(curve()), figure(curve(showlegend=False))),
    "no legend": (figure(curve()), figure(curve(), showlegend=False)),
    "a hole": (figure(curve()), figure(curve(y=[1, None, 9]))),
    "a filled outline": (figure(curve()), figure(curve(mode="none", fill="toself", fillcolor=BLUE))),
    "a second outline of it": (figure(OUTLINES), figure({**OUTLINES, "x": OUTLINES["x"][:3], "y": OUTLINES["y"][:3]})),
    "a filled curve": (figure(curve()), figure(curve(fill="tozeroy", fillcolor="var(--ck-band)"))),
    "a marker": (figure(curve()), figure(curve(), dots())),
    "its symbol": (figure(dots()), figure(dots(marker={"color": "var(--ck-2)", "symbol": "star"}))),
    "its size": (figure(dots()), figure(dots(marker={"color": "var(--ck-2)", "size": 20}))),
    "words at a marker": (figure(dots()), figure(dots(mode="markers+text", text=["one", "two"]))),
    "words below": (figure(dots(mode="text", text=["a", "b"])), figure(dots(mode="text", text=["a", "b"], textposition="bottom center"))),
    "lines with markers": (figure(curve()), figure(curve(mode="lines+markers", marker={"color": BLUE}))),
    "bars": (figure(curve()), figure(curve(), bars())),
    "their width": (figure(bars()), figure(bars(width=0.3))),
    "an axis' title": (figure(), figure(x={"title": {"text": "along"}})),
    "an axis' range": (figure(), figure(y={"range": [0, 20]})),
    "a logarithmic axis": (figure(), figure(x={"type": "log"})),
    "a range of decades": (figure(x={"type": "log"}), figure(x={"type": "log", "range": [-1, 1]})),
    "ticks": (figure(), figure(x={"tickvals": [1, 3]})),
    "words at ticks": (figure(x={"tickvals": [1, 3]}), figure(x={"tickvals": [1, 3], "ticktext": ["a", "b"]})),
    "no grid": (figure(), figure(x={"showgrid": False})),
    "no ticks": (figure(), figure(y={"showticklabels": False})),
    "a rectangle": (figure(), figure(shapes=[RECT])),
    "the frame of a shape": (figure(shapes=[RECT]), figure(shapes=[{**RECT, "xref": "paper", "x0": 0.1, "x1": 0.2}])),
    "a line": (figure(), figure(shapes=[LINE])),
    "a note": (figure(), figure(annotations=[NOTE])),
    "the side of a note": (figure(annotations=[NOTE]), figure(annotations=[{**NOTE, "xanchor": "right"}])),
    "the frame of a note": (figure(annotations=[NOTE]), figure(annotations=[{**NOTE, "xref": "paper", "yref": "paper", "x": 0.5, "y": 0.5}])),
}  # fmt: skip


@pytest.mark.parametrize("what", DRAWN)
def test_every_part_of_the_vocabulary_is_seen(what):
    without, within = DRAWN[what]
    assert svg(without) != svg(within)


def test_a_note_on_a_logarithmic_axis_stands_at_its_power_of_ten():
    axis = {"range": [0, 3], "type": "log", "tickvals": [10, 100]}
    found = words_with_places(
        svg(figure(dots(x=[10, 100]), x=axis, annotations=[{**NOTE, "x": 2, "xanchor": "center"}]))
    )
    assert found["a note"] == pytest.approx(found["100"], abs=0.1)


# What is refused ------------------------------------------------------------------------------

UNKNOWN = {
    "the figure": ({**figure(), "frames": []}, "the figure uses 'frames'"),
    "the layout": (figure(bargap=0.1), "the layout uses 'bargap'"),
    "an axis": (figure(x={"dtick": 2}), "xaxis uses 'dtick'"),
    "the other axis": (figure(y={"tickformat": ".2f"}), "yaxis uses 'tickformat'"),
    "an axis' type": (figure(x={"type": "date"}), "the type of the xaxis must be one of linear, log; got 'date'"),
    "a trace": (figure(curve(opacity=0.5)), "the trace 'a curve' uses 'opacity'"),
    "a trace's type": (figure(curve(type="heatmap")), "a trace must be one of scatter, bar; got 'heatmap'"),
    "a mode": (figure(curve(mode="lines+stars")), "the mode of the trace 'a curve' must be one of lines, markers, text, none; got 'stars'"),
    "a fill": (figure(curve(fill="tonexty", fillcolor=BLUE)), "the fill of the trace 'a curve' must be one of none, tozeroy, toself; got 'tonexty'"),
    "a line": (figure(curve(line={"color": BLUE, "shape": "hv"})), "a line uses 'shape'"),
    "a dash": (figure(curve(line={"color": BLUE, "dash": "longdash"})), "the dash of a line must be one of solid, dash, dot, dashdot; got 'longdash'"),
    "a marker": (figure(dots(marker={"color": BLUE, "opacity": 1})), "the marker of the trace 'dots' uses 'opacity'"),
    "a symbol": (figure(dots(marker={"color": BLUE, "symbol": "hexagon"})), "the symbol of a marker must be one of circle"),
    "a textposition": (figure(dots(mode="text", text=["a", "b"], textposition="middle left")), "the textposition of the trace 'dots' must be one of"),
    "a shape": (figure(shapes=[{**RECT, "opacity": 0.5}]), "a shape uses 'opacity'"),
    "a shape's type": (figure(shapes=[{**RECT, "type": "circle"}]), "a shape must be one of rect, line; got 'circle'"),
    "a shape's line": (figure(shapes=[{**LINE, "line": {"color": BLUE, "dash": "x"}}]), "the dash of a line must be one of"),
    "an annotation": (figure(annotations=[{**NOTE, "textangle": 90}]), "an annotation uses 'textangle'"),
    "an arrow": (figure(annotations=[{**NOTE, "showarrow": True}]), "showarrow of an annotation must be one of False; got True"),
    "a font": (figure(annotations=[{**NOTE, "font": {"size": 20}}]), "the font of an annotation uses 'size'"),
    "an anchor": (figure(annotations=[{**NOTE, "xanchor": "auto"}]), "the xanchor of an annotation must be one of left, center, right; got 'auto'"),
    "a colour": (figure(curve(line={"color": "var(--ck-99)"})), r"colour must be one of .*--ck-1.*; got --ck-99"),
    "numbers": (figure(curve(x=["a", "b", "c"])), "x of the trace 'a curve' must be a list of numbers; got"),
    "no numbers": (figure(curve(y=None)), "y of the trace 'a curve' must be a list of numbers; got None"),
    "lengths": (figure(curve(x=[1, 2])), "x and y of the trace 'a curve' must have one length; got 2 and 3"),
    "no colour": (figure(curve(line={})), "a part of the figure lacks 'color'"),
    "no name": (figure({"type": "scatter", "x": [1], "y": [1]}), "a part of the figure lacks 'name'"),
    "no type": (figure({"name": "a", "x": [1], "y": [1]}), "a part of the figure lacks 'type'"),
    "no title": ({"data": [], "layout": {"xaxis": {}, "yaxis": {}}}, "a part of the figure lacks 'title'"),
    "no axis": ({"data": [], "layout": {}}, "a part of the figure lacks 'xaxis'"),
    "no layout": ({"data": []}, "a part of the figure lacks 'layout'"),
}  # fmt: skip


@pytest.mark.parametrize("what", UNKNOWN)
def test_what_is_not_drawn_is_refused_by_its_name(what):
    given, said = UNKNOWN[what]
    with pytest.raises(PictureError, match=said):
        draw(given, 720, 400, themed=True, salt="a")
    with pytest.raises(PictureError, match=said):
        picture.check(given)


def test_what_is_drawn_passes_the_check():
    picture.check(EVERYTHING)
    for without, within in DRAWN.values():
        picture.check(without)
        picture.check(within)


def test_a_drawing_leaves_its_figure_as_it_was():
    given = copy.deepcopy(EVERYTHING)
    draw(given, 720, 400, themed=True, salt="a")
    assert given == EVERYTHING


# The SVG --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def drawing() -> str:
    return svg(EVERYTHING)


def test_an_svg_is_well_formed_and_scales(drawing):
    root = ET.fromstring(drawing)
    assert root.attrib == {"viewBox": "0 0 720 400"}
    assert svg(figure(), width=360, height=342).startswith(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 360 342">'
    )


def test_ids_are_those_that_are_asked_for_and_carry_their_salt(drawing):
    ids = re.findall(r'\sid="([^"]+)"', drawing)
    asked = set(re.findall(r'href="#([^"]+)"|url\(#([^)]+)\)', drawing))
    assert len(ids) == len(set(ids)) > 0
    assert set(ids) == {a or b for a, b in asked}
    assert all(id_.startswith("salt-") for id_ in ids)
    assert not set(ids) & set(re.findall(r'\sid="([^"]+)"', svg(EVERYTHING, salt="other")))


def test_an_svg_holds_nothing_that_reaches_beyond_it(drawing):
    for part in (
        "<style",
        "<metadata",
        "<script",
        "<!--",
        "<?xml",
        "<!DOCTYPE",
        "matplotlib",
        "xlink",
        "@import",
    ):
        assert part not in drawing
    assert re.findall(r"https?://[^\"' ]+", drawing) == ["http://www.w3.org/2000/svg"]
    assert not re.search(r'href="(?!#)', drawing)


def colours(drawing: str) -> set[str]:
    styled = re.findall(r"(?:fill|stroke|color)\s*:\s*([^;\"]+)", drawing)
    return {colour.strip() for colour in styled + re.findall(r'\b(?:fill|stroke|color)="([^"]+)"', drawing)}


def test_every_colour_is_the_themes(drawing):
    found = colours(drawing)
    assert all(re.fullmatch(r"none|var\(--ck-[\w-]+\)", colour) for colour in found), found
    assert {
        BLUE,
        "var(--ck-2)",
        "var(--ck-3)",
        "var(--ck-4)",
        "var(--ck-5)",
        "var(--ck-6)",
        "var(--ck-band)",
        "var(--ck-fg)",
        "var(--ck-grid)",
    } <= found
    assert not re.search(r"#[0-9a-fA-F]{3,8}\b(?!-)", re.sub(r'(?:href="|url\()#[^")]+', "", drawing))


def test_a_path_is_written_in_short_steps_that_arrive_where_the_long_way_did():
    long = "M 100 200 \nL 100 150.04 \nL 130.26 150.04 \nL 130.5 149.5 \nz\nM 10 20.04 Q 30 40 50 60 C 1 2 3 4 0.5 6"
    assert short_path(long) == "m100 200v-50h30.3l.2-.5zm-90-180q20 20 40 40c-49-58-47-56-49.5-54"
    # Marks are a few pixels large, so they keep a digit more.
    assert short_path("M -0.25 3.96 L 0.75 3.96") == "m-.25 3.96h1"


def test_a_path_that_is_not_known_is_refused():
    with pytest.raises(ValueError, match="'A'"):
        short_path("M 0 0 A 1 1 0 0 0 2 2")


def test_no_group_says_nothing(drawing):
    assert not re.search(r"<(g|defs)/?>\s*</", drawing)
    assert "<g>" not in drawing


def test_no_text_is_left_black(drawing):
    for element in ET.fromstring(drawing).iter("{http://www.w3.org/2000/svg}text"):
        assert "fill:var(--ck-" in element.get("style"), element.text


def test_text_takes_the_font_of_the_page(drawing):
    assert "font-family" not in drawing
    assert "DejaVu" not in drawing
    assert re.search(r"font-size:[\d.]+px", drawing)


def test_without_a_theme_colours_are_the_light_ones():
    plain = svg(EVERYTHING, themed=False)
    assert "var(" not in plain
    assert picture.palette()["--ck-1"].lower() in plain.lower()


def test_two_drawings_are_equal(drawing):
    assert svg(EVERYTHING) == drawing


@pytest.mark.parametrize(("kind", "start"), [("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_print_and_books_get_an_image(kind, start):
    one = draw(figure(), 640, 360, themed=False, salt="a", kind=kind)
    assert one.startswith(start)
    if kind == "png":
        assert draw(figure(), 640, 360, themed=False, salt="a", kind=kind) == one
        assert (int.from_bytes(one[16:20]), int.from_bytes(one[20:24])) == (1280, 720)


# Colours --------------------------------------------------------------------------------------


def test_the_palette_is_the_style_sheets():
    css = (Path(picture.__file__).parent / "static" / "chapterkit.css").read_text(encoding="utf-8")
    for name, value in picture.palette().items():
        first = re.search(rf"{name}\s*:\s*([^;]+);", css)[1].strip()
        assert value == first
    assert {"--ck-fg", "--ck-muted", "--ck-grid", "--ck-ground", "--ck-band", "--ck-1", "--ck-6"} <= set(
        picture.palette()
    )


def test_for_plotlys_validation_only_colours_are_replaced():
    stripped = picture.strip_colours({"a": ["var(--ck-1)", 1, None], "b": {"c": "var(--ck-2)"}, "d": "words"})
    assert stripped == {"a": ["#123456", 1, None], "b": {"c": "#123456"}, "d": "words"}
