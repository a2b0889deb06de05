"""Paper: every page shows everything, in black on white, without devices, and breaks where the text does."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

# The width between margins of 16 mm on A4, in CSS pixels.
WIDTH, HEIGHT = 673, 1001
# What has no use on paper, by intent.
DROPPED = (
    ".ck-gate-notice, .ck-gate-arrived, .ck-show-everything, .ck-live, .ck-needs-script, .ck-problem, .ck-hidden, "
    ".ck-progress-static, .ck-progress-actions, .ck-where, "
    # Words about a device, and what stands on paper only where the record alone is printed.
    ":is(.ck-progress, .ck-log) [role=status], .ck-progress-next, .ck-log-static, .ck-page-static, .ck-not-printed, "
    ".ck-record-help, p.ck-record-head, .ck-record-note, .ck-record-words, "
    # The calls behind numbers: paper shows none of those in the text either.
    ".ck-made, .ck-calls"
)
HIDDEN = """dropped => Array.from(document.querySelectorAll("article :is(p, li, dt, dd, td, th, pre, figcaption, .katex-display, svg.ck-wide)"))
    .filter(e => e.textContent.trim() && !e.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true, opacityProperty: true }))
    .filter(e => !e.closest("noscript, [hidden]:not(.ck-gate-body), " + dropped))
    .map(e => e.outerHTML.slice(0, 100))"""
DEVICES = """() => Array.from(document.querySelectorAll("button, select, textarea, nav, aside, [role=switch], .headerlink, .skip-to-content, "
        + ".sd-summary-state-marker, .mobile-header, .copybtn, input:not([type=number])"))
    .filter(e => e.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && e.getBoundingClientRect().width > 1)
    .map(e => e.outerHTML.slice(0, 100))"""
# Words too pale for white paper, and grounds that would take ink.
PALE = """() => {
    const light = colour => {
        const [r, g, b, a = 1] = colour.match(/[\\d.]+/g).map(Number);
        const part = v => { v /= 255; return v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4 };
        return { a, l: .2126 * part(r) + .7152 * part(g) + .0722 * part(b) };
    };
    const found = [];
    for (const e of document.querySelectorAll("body, article, article *")) {
        if (!e.checkVisibility() || e.closest("svg, .ck-hidden, math, .highlight")) continue;
        const s = getComputedStyle(e), ground = light(s.backgroundColor), ink = light(s.color);
        const words = Array.from(e.childNodes).some(n => n.nodeType === 3 && n.textContent.trim());
        const alert = e.closest(".ck-alert");
        if (!alert && ground.a > .1 && ground.l < .8) found.push("ground " + e.outerHTML.slice(0, 90));
        if (!alert && words && 1.05 / (ink.l + .05) < 4.5) found.push("ink " + s.color + " " + e.outerHTML.slice(0, 90));
    }
    return found;
}"""
WHOLE = ".ck-canvas, .katex-display, tr, figcaption, .ck-option, .ck-readout"
BREAKS = """whole => Array.from(document.querySelectorAll("article"))
    .flatMap(a => Array.from(a.querySelectorAll(whole)))
    .filter(e => e.checkVisibility() && !e.closest(".katex-mathml") && getComputedStyle(e).breakInside !== "avoid")
    .map(e => e.outerHTML.slice(0, 90))"""


@pytest.fixture
def printed(reader):
    """Opens pages as they go to paper, for a reader of the dark who has answered nothing."""
    page = reader.page
    page.set_viewport_size({"width": WIDTH, "height": HEIGHT})
    page.emulate_media(media="print", color_scheme="dark", reduced_motion="reduce")

    def open_printed(name):
        reader.open(name)
        page.evaluate("document.body.dataset.theme = 'dark'; dispatchEvent(new Event('beforeprint'))")
        return page

    return open_printed


def test_paper_shows_everything_and_no_device(printed, name):
    """Before any answer: what gates and folds hold, and a drawing of each picture."""
    page = printed(name)
    assert page.evaluate(HIDDEN, DROPPED) == []
    assert page.evaluate(DEVICES) == []
    expect(page.locator(f"article :is({DROPPED}, .ck-commit):not(.ck-hidden):visible")).to_have_count(0)
    for canvas in page.locator(".ck-canvas").all():
        expect(canvas.locator("> svg:visible")).to_have_count(1)
    asked = page.locator(".ck-question").count()
    assert page.locator(".ck-feedback:visible").count() >= 2 * asked
    assert page.evaluate(PALE) == []
    assert page.evaluate(BREAKS, WHOLE) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= WIDTH


def test_paper_has_no_large_gaps(printed, part):
    """Chromium's own pages: what must stay whole is small enough that sheets are nearly full."""
    page = printed(part)
    tall = page.evaluate("document.querySelector('article').getBoundingClientRect().height")
    made = page.pdf(format="A4", margin=dict.fromkeys(("top", "right", "bottom", "left"), "16mm"))
    sheets = len(re.findall(rb"/Type\s*/Page\b", made))
    assert tall / HEIGHT <= sheets <= 1.25 * tall / HEIGHT + 1


def test_after_printing_the_page_is_as_it_was(reader):
    reader.open()
    page = reader.page
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("article details:not([open])").count() == 0
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    expect(page.locator("article details[open]:not(.ck-answer)")).to_have_count(0)
    assert page.locator(".ck-gate-notice:visible").count() >= 3


def test_a_chart_that_was_drawn_prints_as_its_drawing(graduate):
    page = graduate.page
    graduate.open()
    canvas = page.locator(".ck-canvas:visible").first
    canvas.scroll_into_view_if_needed()
    canvas.locator(".ck-chart .main-svg").first.wait_for()
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    expect(canvas.locator("> svg:visible")).to_have_count(1)
    expect(canvas.locator(".ck-chart")).to_be_hidden()
