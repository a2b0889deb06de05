"""The legend above a chart: HTML from the figure, for every mark and dash that pictures know."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from chapterkit import picture

SCRIPT = Path(picture.__file__).parent / "static" / "legend.js"


@pytest.fixture
def legend(v8):
    v8.eval("var window = {};" + SCRIPT.read_text(encoding="utf-8"))
    return lambda *data, **layout: v8.eval(
        f"window.chapterkit.legend({json.dumps({'data': data, 'layout': layout})})"
    )


def curve(name="tea", **more):
    return {
        "type": "scatter",
        "mode": "lines",
        "name": name,
        "x": [1],
        "y": [2],
        "line": {"color": "var(--ck-1)"},
    } | more


def dots(symbol, name="milk"):
    return curve(name, mode="markers", marker={"symbol": symbol, "color": "var(--ck-2)"})


def names(html):
    return [re.sub("<.*?>", "", part).strip() for part in re.findall("<span>(.*?)</span>", html)]


def test_each_named_part_is_listed_in_the_order_it_is_drawn(legend):
    assert names(legend(curve("tea"), dots("star", "milk"), curve("water"))) == ["tea", "milk", "water"]


@pytest.mark.parametrize("symbol", sorted(picture.MARKERS))
def test_a_mark_of_a_picture_has_an_outline_in_the_legend(legend, symbol):
    assert re.search(r'<path d="M[^"]+z"[^>]*fill:var\(--ck-2\)', legend(curve(), dots(symbol)))


def test_every_dash_of_a_picture_differs_from_the_others_in_the_legend(legend):
    said = [legend(curve(), curve(line={"color": "var(--ck-1)", "dash": dash})) for dash in picture.DASHES]
    assert len(set(said)) == len(picture.DASHES)


@pytest.mark.parametrize(
    "left_out",
    [curve(showlegend=False), curve(""), curve("none", x=[], y=[])],
    ids=["hidden", "nameless", "empty"],
)
def test_a_part_that_is_not_to_be_seen_is_not_named(legend, left_out):
    assert names(legend(curve("tea"), left_out, curve("milk"))) == ["tea", "milk"]


def test_one_part_needs_no_legend_and_a_figure_may_do_without(legend):
    assert legend(curve()) == ""
    assert legend(curve("tea"), curve("milk"), showlegend=False) == ""


def test_a_name_is_text_and_not_markup(legend):
    html = legend(curve("a < b & c"), curve("<img src=x>"))
    assert "a &lt; b &amp; c" in html
    assert "<img" not in html
