"""Nothing moves when scripts wake: no layout shift, with and without an answer in the record."""

from __future__ import annotations

import re

import pytest

SHIFTS = """() => new Promise(done => {
    const found = [];
    const note = list => list.getEntries().forEach(e => found.push({
        value: e.value, at: Math.round(e.startTime),
        what: e.sources.filter(s => s.node).map(s => {
            const { node, previousRect: was, currentRect: is } = s, words = (node.textContent || "").trim().slice(0, 40);
            const name = node.className || node.parentElement.className;
            return `${node.nodeName}.${name} ${words} y ${was.y} to ${is.y}, height ${was.height} to ${is.height}`;
        }),
    }));
    const watch = new PerformanceObserver(note);
    watch.observe({ type: "layout-shift", buffered: true });
    document.fonts.ready.then(() => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => {
        note({ getEntries: () => watch.takeRecords() });
        watch.disconnect();
        done(found);
    }, 0))));
})"""

NOTHING = {"answers": {}, "notes": {}, "opened": {}}
ANSWERS = {
    "part-a-best-interval": {"option": "ten-minutes", "right": False, "at": "2026"},
    "part-a-lever": {"option": "cut-the-write-time", "right": True, "at": "2026"},
}
STATES = {
    "nothing answered": ("", NOTHING),
    "answered": ("", {**NOTHING, "answers": ANSWERS}),
    "one gate opened": ("", {**NOTHING, "opened": {"part-a-gate-instrument": True}}),
    "show everything": ("show=all", NOTHING),
}


without_fonts = pytest.mark.console("Failed to load resource", "/fonts/")


def without_own_fonts(page):
    """The style without the math fonts that come with it, as a browser sees it that takes none of them."""

    def cut(route):
        style = route.fetch()
        text, count = re.subn(r"@font-face\{[^}]*data:[^}]*\}", "", style.text())
        assert count >= 3
        route.fulfill(response=style, body=text)

    page.route("**/joined/*.css*", cut)


@pytest.fixture
def woken(reader):
    """Opens pages whose scripts arrive after the first paint, and whose fonts never do."""
    page = reader.page
    page.emulate_media(reduced_motion="reduce")  # arrive at a fragment at once

    def open_late(name="part-a", query="", fragment=""):
        held, late = [], True
        page.goto("about:blank")
        page.unroute_all()
        page.route("**/fonts/*", lambda route: route.abort())
        without_own_fonts(page)
        page.route("**/joined/*.js*", lambda route: held.append(route) if late else route.continue_())
        page.goto(reader.address(name, query, fragment), wait_until="commit")
        page.wait_for_function(
            "document.readyState === 'interactive' && performance.getEntriesByName('first-contentful-paint').length"
        )
        page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        late = False
        for route in held:
            route.continue_()
        page.wait_for_load_state("load")
        assert page.evaluate("typeof chapterkit.record") == "object"
        return page.evaluate(SHIFTS)

    return open_late


@without_fonts
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("state", STATES)
def test_scripts_wake_without_a_shift(reader, woken, state, width):
    """Looked at from the top, the question and the first gate, where something could move."""
    query, record = STATES[state]
    reader.page.set_viewport_size({"width": width, "height": 900})
    reader.remembers(record)
    for fragment in ("", "part-a-predict", "part-a-instrument"):
        assert woken(query=query, fragment=fragment) == [], fragment


@without_fonts
def test_every_page_wakes_without_a_shift(woken, name):
    assert woken(name) == []


# Characters of formulas that no cut font of their family and style holds; a cut font says in a range what it holds.
UNCUT = """() => {
    const plain = name => name.replace(/["']/g, "");
    const cut = Array.from(document.fonts).filter(face => face.unicodeRange.toUpperCase() !== "U+0-10FFFF").map(face => ({
        family: plain(face.family), style: face.style,
        held: face.unicodeRange.split(",").map(range => range.trim().slice(2).split("-").map(code => parseInt(code, 16))),
    }));
    const missing = new Set();
    for (const formula of document.querySelectorAll(".katex-html")) {
        const texts = document.createTreeWalker(formula, NodeFilter.SHOW_TEXT);
        while (texts.nextNode()) {
            const look = getComputedStyle(texts.currentNode.parentElement), family = plain(look.fontFamily.split(",")[0]);
            const fonts = cut.filter(face => face.family === family && face.style === look.fontStyle && look.fontWeight === "400");
            for (const letter of texts.currentNode.data) {
                const code = letter.codePointAt(0), within = ([first, last = first]) => first <= code && code <= last;
                if (!fonts.some(face => face.held.some(within))) missing.add(`${family} ${look.fontStyle} ${code.toString(16)}`);
            }
        }
    }
    return Array.from(missing);
}"""


def test_every_formula_is_shown_in_the_fonts_that_come_with_the_style(reader, name):
    """No font need come late, so none can move a formula.

    Looked up rather than waited for: a busy browser now and then asks for a full font before it has unpacked the cut one.
    """
    reader.page.goto(reader.address(name, "show=all"))
    assert reader.page.evaluate(UNCUT) == []


def test_a_letter_that_no_cut_font_holds_is_found(reader):
    reader.open()
    reader.page.evaluate("document.querySelector('.katex-html .mord').textContent = '\u4e2d'")
    assert len(reader.page.evaluate(UNCUT)) == 1


WRITTEN = {"synthesis-decision": "Two lines\nof it."}
RECORDS = {
    "nothing answered": NOTHING,
    "answered": {**NOTHING, "answers": ANSWERS, "notes": WRITTEN},
    "unreadable": '{"version": 1, "answers": {',
}


@without_fonts
@pytest.mark.parametrize("width", [1280, 390, 320])
@pytest.mark.parametrize("state", RECORDS)
def test_the_readers_progress_shifts_nothing(reader, woken, state, width):
    """Looked at where it is filled in: at the end of a part, on the landing page, in the synthesis."""
    reader.page.set_viewport_size({"width": width, "height": 900})
    reader.remembers(RECORDS[state])
    for name, fragment in (
        ("part-a", "what-comes-next"),
        ("book/index", "the-parts"),
        ("book/index", "where-you-are"),
        ("book/synthesis", "synthesis-log"),
        ("book/synthesis", "synthesis-record"),
    ):
        assert woken(name, fragment=fragment) == [], (name, fragment)


def test_drawing_the_charts_shifts_nothing(graduate):
    page = graduate.page
    page.emulate_media(reduced_motion="reduce")
    graduate.open()
    for canvas in page.locator(".ck-canvas:visible").all():
        canvas.scroll_into_view_if_needed()
        canvas.locator(".ck-chart .main-svg").first.wait_for()
    assert page.evaluate(SHIFTS) == []
