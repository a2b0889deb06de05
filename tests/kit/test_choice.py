"""A choice by name, and numbers that must be multiples: declared in Python, kept in links, read in the page."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from urllib.parse import quote

import pytest

from chapterkit import panel, panel_html
from chapterkit.instrument import Choice, Control, Instrument, InstrumentError, Option, ReadOut

STATIC = Path(panel.__file__).parent / "static"


def brew(cups: float, temperature: float) -> dict[str, float]:
    return {"heat": cups * temperature}


TEAS = [
    Option("green", "green tea", 75),
    Option("black", "black tea", 95),
    Option("own", "your own", control="degrees"),
]
TEA = Instrument(
    name="tea",
    title="Heat in a pot",
    controls=[
        Control("cups", "Cups", 4, 40, 4, 8, whole=True, multiple=4),
        Choice("temperature", "Kind of tea", TEAS, "black", unit="x", symbol="T"),
        Control("degrees", "Your temperature", 20, 100, 1, 60, unit="x", more=True),
    ],
    compute=brew,
    readouts=[ReadOut("heat", "Heat", "", ".6g", "for {temperature_words}")],
)


# A bare V8 has no addresses; this much of them the scripts use.
ADDRESSES = """
function URLSearchParams(text) {
  this.pairs = (text || "").replace(/^[?]/, "").split("&").filter(Boolean).map(function (pair) { return pair.split("=").map(decodeURIComponent); });
}
URLSearchParams.prototype.forEach = function (visit) { this.pairs.forEach(function (pair) { visit(pair[1] || "", pair[0]); }); };
URLSearchParams.prototype.set = function (name, value) { this.pairs.push([name, value]); };
URLSearchParams.prototype.toString = function () { return this.pairs.map(function (pair) { return pair.map(encodeURIComponent).join("="); }).join("&"); };
"""


@pytest.fixture
def page(v8):
    """The page's own functions, with the instrument as `tea`."""
    v8.eval(f"var window = {{}}; var tea; {ADDRESSES} 0")
    for script in ("quantity.js", "controls.js", "state.js"):
        v8.eval((STATIC / script).read_text(encoding="utf-8"))
    v8.eval(
        "window.chapterkit.define = function (declared, functions) { tea = declared; tea.functions = functions; }; 0"
    )
    script = panel.script_of(type("App", (), {})(), TEA)
    v8.eval(script if isinstance(script, str) else script[0])

    def run(script: str):
        return json.loads(
            str(v8.eval(f"JSON.stringify((function (ck) {{ return {script}; }})(window.chapterkit))"))
        )

    return run


def test_compute_gets_the_number_of_the_option_and_templates_get_its_words():
    assert TEA.arguments == ["cups", "temperature"]
    assert TEA.evaluate().values == {
        "cups": 8.0, "temperature": 95.0, "temperature_words": "black tea", "degrees": 60.0, "heat": 760.0,
    }  # fmt: skip
    state = TEA.evaluate({"temperature": "own", "degrees": 30.0})
    assert state.values["heat"] == 240.0
    assert state.readout(TEA.readouts[0]) == ("240", "for your own")


@pytest.mark.parametrize(
    "settings",
    [{}, {"temperature": "green"}, {"temperature": "own", "degrees": 33}, {"cups": 40, "temperature": "own"}],
)
def test_the_page_evaluates_an_option_as_python_does(page, settings):
    values = {"cups": 8, "temperature": "black", "degrees": 60, **settings}
    assert page(f"ck.evaluate(tea, {json.dumps(values)})") == TEA.evaluate(settings).values


def test_a_link_names_an_option_by_its_id(page):
    values = {"cups": 8, "temperature": "own", "degrees": 61}
    link = page(f"ck.writeLink(tea, {json.dumps(values)})")
    assert link == "?tea.v=1&tea.degrees=61&tea.temperature=own"
    assert page(f"ck.readLink(tea, {json.dumps(link)})") == {
        "values": {"degrees": 61, "temperature": "own"},
        "notices": [],
    }
    assert page("ck.writeLink(tea, {cups: 8, temperature: 'black', degrees: 60})") == "?tea.v=1"


@pytest.mark.parametrize("given", ["white", "", "1", "Green", "toString", "__proto__", "<img src=x>"])
def test_an_unknown_option_is_left_out_and_said_once(page, given):
    query = f"?tea.temperature={quote(given)}&tea.cups=12&tea.temperature={quote(given)}"
    read = page(f"ck.readLink(tea, {json.dumps(query)})")
    assert read["values"] == {"cups": 12}
    assert [(n["kind"], n["control"]["name"], n["given"]) for n in read["notices"]] == [
        ("url-option", "temperature", given)
    ]


def test_what_is_typed_must_be_a_multiple(page):
    read = page(
        "['8', '12.0', '10', '9.5', '44'].map(function (text) { return ck.readTyped(tea.controls[0], text); })"
    )
    assert [r.get("problem") for r in read] == [None, None, "multiple", "whole", "range"]
    assert page("ck.readLink(tea, '?tea.cups=10').notices[0].kind") == "url-ignored"


def test_a_number_may_reach_further_under_more(page):
    far = Control("cups", "Cups", 4, 40, 4, 8, multiple=4, reach=400)
    big = Instrument("big", "Big", [far, TEA.controls[1], TEA.controls[2]], compute=brew, readouts=[])
    text = panel_html.panel_html(big.evaluate(), [], "big")
    assert 'type="number" inputmode="decimal" min="4" max="400"' in text
    assert 'type="range" min="4" max="40"' in text
    more = text.partition('<details class="ck-more">')[2].partition("</details>")[0]
    assert re.search(r'<input[^>]*data-wide="cups" type="range" min="4" max="400"', more)
    assert "from 4 to 40, under More to 400, in multiples of 4" in text
    read = page(
        "[44, 400, 404].map(function (n) { return ck.readTyped(Object.assign({}, tea.controls[0], { reach: 400 }), n); })"
    )
    assert [r.get("problem") for r in read] == [None, None, "range"]


def test_a_choice_is_a_radio_group_with_words_numbers_and_a_legend():
    text = panel_html.panel_html(TEA.evaluate(), [], "tea")
    group = re.search(r"<fieldset.*?</fieldset>", text, re.S)[0]
    assert "<legend>Kind of tea <i>T</i></legend>" in group
    assert re.findall(r'<input type="radio" name="tea\.temperature" value="(\w+)"( checked)?', group) == [
        ("green", ""), ("black", " checked"), ("own", ""),
    ]  # fmt: skip
    labels = [
        re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", "", label))).strip()
        for label in re.findall(r"<label.*?</label>", group)
    ]
    assert labels == ["green tea 75×", "black tea 95×", "your own 60×"]
    assert " disabled" in group.partition(">")[0], (
        "without scripts nothing would happen, so it cannot be moved"
    )
    assert "from 4 to 40, in multiples of 4" in text
    for kind in ("url-option", "multiple"):
        assert f"data-words-{kind}=" in text


def test_a_choice_without_a_unit_shows_words_alone():
    line = Choice("line", "Queues", [Option("own", "one each", 0), Option("shared", "shared", 1)], "own")
    both = Instrument("queues", "Queues", [line], compute=lambda line: {"x": line}, readouts=[])
    assert '<span class="ck-pick-value"></span>' in panel_html.panel_html(both.evaluate(), [], "queues")
    assert panel_html.choice_words(both, line) == "one each (others: shared)"


def test_other_outputs_name_the_option_and_the_others():
    assert (
        panel_html.choice_words(TEA, TEA.choices[0]) == "black tea 95× (others: green tea 75×, your own 60×)"
    )


REFUSED = {
    "no such default": (Choice("c", "C", TEAS[:2], "white"), "c must be one of green, black; got 'white'"),
    "one option": (Choice("c", "C", TEAS[:1], "green"), "needs two or more options"),
    "same ids": (
        Choice("c", "C", [TEAS[0], TEAS[0]], "green"),
        "needs two or more options with different ids",
    ),
    "bad id": (Choice("c", "C", [Option("Green tea", "x", 1), TEAS[1]], "black"), "lower-case letters"),
    "no number": (
        Choice("c", "C", [Option("green", "x"), TEAS[1]], "black"),
        "needs either a value or a control",
    ),
    "two numbers": (
        Choice("c", "C", [Option("green", "x", 1, "d"), TEAS[1]], "black"),
        "needs either a value or a control",
    ),
    "no such control": (Choice("c", "C", TEAS, "green"), "names the control 'degrees', which does not exist"),
    "no such unit": (Choice("c", "C", TEAS[:2], "green", unit="K"), "unknown unit 'K'"),
    "default off the multiples": (
        Control("n", "N", 4, 40, 4, 10, multiple=4),
        "default must be a multiple of 4; got 10",
    ),
    "reach below the slider": (Control("n", "N", 4, 40, 4, 8, reach=30), "reach must be above 40"),
    "reach of what is under More": (
        Control("n", "N", 4, 40, 4, 8, reach=60, more=True),
        "the control on show",
    ),
    "step off the multiples": (
        Control("n", "N", 4, 40, 2, 8, multiple=4),
        "step must be a multiple of 4; got 2",
    ),
}


@pytest.mark.parametrize(("control", "words"), REFUSED.values(), ids=REFUSED)
def test_a_choice_or_multiple_that_cannot_work_is_refused_with_words(control, words):
    with pytest.raises(InstrumentError, match=re.escape(words)):
        Instrument("x", "X", [control], compute=brew, readouts=[])


def test_a_table_writes_whole_numbers_in_full():
    cells = [panel_html._cell(value) for value in (14191.0, 146939, 14191.5, 0.123456, -20000, "a & b")]
    assert cells == ["14,191", "146,939", "14,190", "0.1235", "\u221220,000", "a &amp; b"]
