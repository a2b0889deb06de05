"""Everyone can use it: axe finds nothing, a keyboard is enough, and nothing overflows a phone."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

AXE = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"
PREDICTION = "part-a-best-interval"
RUN = r"""async rules => {
    const found = await axe.run(document, { resultTypes: ["violations"], ...(rules && { runOnly: rules }) });
    const place = node => `  ${node.target.join(" ")}\n    ${node.failureSummary.replace(/\n/g, "\n    ")}`;
    return found.violations.map(v => `${v.id}: ${v.help}\n${v.nodes.slice(0, 4).map(place).join("\n")}`);
}"""


def audit(page, when):
    """Everything in the light; in the dark, which changes colours only, contrast."""
    if not page.evaluate("typeof axe === 'object'"):
        if not AXE.is_file():
            pytest.fail("axe-core is not installed: python -m nox -s assets", pytrace=False)
        page.evaluate(AXE.read_text(encoding="utf-8"))
    for scheme, rules in (("light", None), ("dark", ["color-contrast", "link-in-text-block"])):
        page.emulate_media(color_scheme=scheme)
        found = page.evaluate(RUN, rules)
        assert not found, f"{when}, {scheme}:\n" + "\n".join(found)


@pytest.mark.parametrize("width", [1280, 390])
def test_axe_finds_nothing(reader, any_page, width):
    """Every page, light and dark; pages that ask, before and after answering, and with everything open."""
    page = reader.page
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(reduced_motion="reduce")
    reader.open(any_page)
    audit(page, "at first")
    if not page.locator(".ck-question").count():
        return
    # Answered, charts drawn, folds open, and words of every kind on the page.
    reader.commit_all()
    for canvas in page.locator(".ck-canvas:visible").all():
        canvas.scroll_into_view_if_needed()
        expect(canvas.locator(".ck-chart .main-svg").first).to_be_visible()
    page.locator("article details").evaluate_all("folds => folds.forEach(f => { f.open = true })")
    for panel in page.locator(".ck-instrument").all()[:1]:
        panel.locator("input[type=number]").first.fill("-1")
        expect(panel.locator(".ck-problem").first).not_to_be_empty()
        panel.get_by_role("button", name="Copy link").click()
        expect(panel.locator(".ck-notice")).to_be_visible()
    for button in page.locator(".ck-clear > button").all()[:1]:
        button.click()  # asks
    audit(page, "answered and open")


def test_nothing_is_wider_than_a_phone(reader, any_page):
    """At 320, 360 and 390 px, with gates and folds open; wide tables and equations scroll in boxes of their own."""
    reader.open(any_page, query="show=all")
    reader.page.locator("article details").evaluate_all("folds => folds.forEach(f => { f.open = true })")
    for width in (390, 360, 320):
        reader.page.set_viewport_size({"width": width, "height": 800})
        wide = reader.page.evaluate(
            """width => Array.from(document.querySelectorAll("article, article *, main, main *"))
                .filter(e => e.checkVisibility() && e.getBoundingClientRect().right > width + 0.5)
                .filter(e => {
                    // Out of sight by intent, or inside a box that scrolls or cuts by itself.
                    for (let at = e.parentElement; at && at !== document.body; at = at.parentElement)
                        if (getComputedStyle(at).overflowX !== "visible" && at.getBoundingClientRect().right <= width + 0.5) return false;
                    return true;
                }).map(e => e.outerHTML.slice(0, 120))""",
            width,
        )
        assert wide == [], width
        assert reader.page.evaluate("document.documentElement.scrollWidth") <= width


def tab_to(page, target, limit=400):
    """Press Tab until `target` has the focus; the way there must not be a trap."""
    for _ in range(limit):
        page.keyboard.press("Tab")
        if target.evaluate("e => e === document.activeElement"):
            return
    raise AssertionError(f"{target} is not reached in {limit} steps")


def test_a_keyboard_is_enough(reader):
    """Commit a prediction, move a slider, type a number, open a fold, and reach the live cell."""
    page = reader.page
    page.emulate_media(reduced_motion="reduce")
    reader.open()
    # The first stop skips to the content, as it should on a page with a long menu.
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    asked = reader.question(PREDICTION)
    fold = page.locator("details.sd-dropdown > summary").first
    tab_to(page, fold)
    expect(fold).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(fold.locator("..")).to_have_attribute("open", "")

    radios = asked.locator("input[type=radio]")
    tab_to(page, radios.first)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Space")
    expect(radios.first).to_be_checked()
    page.keyboard.press("Tab")
    expect(asked.locator(".ck-commit")).to_be_focused()
    page.keyboard.press("Enter")
    assert reader.stored()["answers"][PREDICTION]["option"] == "as-long-as-the-write"
    # The focus is on the feedback and not lost.
    expect(asked.locator(".ck-answer")).to_be_focused()

    slider, typed = reader.slider("young-daly", "gpus"), reader.typed("young-daly", "gpus")
    tab_to(page, typed)
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("20000")
    before = reader.state("young-daly")["readouts"]
    page.keyboard.press("Tab")
    expect(slider).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(typed).to_have_value("21000")
    assert reader.state("young-daly")["readouts"] != before
    more = reader.instrument("young-daly").locator("details.ck-more > summary")
    tab_to(page, more)
    page.keyboard.press("Space")
    expect(reader.typed("young-daly", "price")).to_be_visible()
    tab_to(page, page.locator(".ck-live button").first)
    expect(page.locator(".ck-live button").first).to_be_in_viewport()


def test_numbers_are_one_stop_and_the_arrow_keys_lead_on(reader):
    page = reader.page
    reader.open()
    numbers = page.locator("section#part-a-mtbf .ck-calc[tabindex]")
    page.evaluate("document.querySelector('section#part-a-mtbf .ck-calc[tabindex=\"0\"]').focus()")
    first = page.evaluate("document.activeElement.dataset.call")
    page.keyboard.press("ArrowRight")
    second = page.evaluate("document.activeElement.dataset.call")
    assert second
    assert second != first
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("document.activeElement.dataset.call") == first
    # An instrument and a fold are groups of their own.
    apart = "all => all.filter(n => n.tabIndex === 0 && !n.closest('details, .ck-instrument')).length"
    assert numbers.evaluate_all(apart) == 1


def test_what_has_the_focus_can_be_seen(graduate):
    """Every stop of the keyboard draws an outline or changes its look, and lies in the window."""
    page = graduate.page
    page.emulate_media(reduced_motion="reduce")
    graduate.open()
    page.locator("#part-a-predict h2").first.evaluate("e => { e.tabIndex = -1; e.focus() }")
    bare = []
    for _ in range(45):
        page.keyboard.press("Tab")
        look = page.evaluate(
            """() => { const e = document.activeElement, s = getComputedStyle(e), b = e.getBoundingClientRect();
                const drawn = s.outlineStyle !== "none" && parseFloat(s.outlineWidth) > 0;
                // These have their outline drawn around the label.
                const ring = drawn || e.matches(".ck-option input, .ck-show-switch, .ck-import-file");
                return { who: e.outerHTML.slice(0, 90), ring, seen: b.bottom > 0 && b.top < innerHeight } }"""
        )
        if not (look["ring"] and look["seen"]):
            bare.append(look["who"])
    assert bare == []


def test_less_motion_is_respected(reader):
    reader.page.emulate_media(reduced_motion="reduce")
    reader.open()
    assert reader.page.evaluate("getComputedStyle(document.documentElement).scrollBehavior") == "auto"
    moving = reader.page.evaluate(
        "document.getAnimations().filter(a => (a.effect.getTiming().duration || 0) > 10 && a.playState === 'running').length"
    )
    assert moving == 0
