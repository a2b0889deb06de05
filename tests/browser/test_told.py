"""What a number tells: by hover, keyboard and touch, wherever the number stands, before and after scripts change it."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

YD = "young-daly"
# A number each of a note, a sentence, a line and a caption, and the call behind it.
PLACES = {
    ".ck-note [data-of=young]": "young = checkpoint.young_interval(write_time, mtbf)",
    ".ck-sentence [data-of=extra]": "extra = waste - least",
    ".ck-lines [data-of=mtbf]": "mtbf = reliability.system_mtbf(mttf, gpus)",
    "figcaption [data-of=low]": "low = band_edge(best, best / 1000.0, least * BAND, write_time, mtbf, restart_time)",
    ".ck-value[data-of=waste]": "waste = 1.0 - checkpoint.goodput(interval, write_time, mtbf, restart_time)",
}


@pytest.fixture
def at(graduate):
    """Part A, answered before, so that its instruments are in sight."""
    graduate.page.emulate_media(reduced_motion="reduce")
    return graduate.open()


@pytest.fixture
def bar(at):
    return at.page.locator(".ck-bar")


@pytest.mark.parametrize("place", PLACES)
def test_a_number_tells_its_call_when_the_pointer_is_on_it(at, bar, place):
    panel = at.instrument(YD)
    expect(bar).to_be_hidden()
    panel.locator(place).first.hover()
    expect(bar).to_have_text(PLACES[place])
    # What scripts write tells as much as what stood in the file.
    at.slide(YD, "gpus", 24_000)
    at.page.mouse.move(0, 0)
    expect(bar).to_be_hidden()
    panel.locator(place).first.hover()
    expect(bar).to_have_text(PLACES[place])


def test_the_pointer_reaches_the_links_of_a_call(at, bar):
    at.instrument(YD).locator(".ck-note [data-of=young]").first.click()
    # Other numbers lie on the way down.
    at.instrument(YD).locator(".ck-lines [data-of=mtbf]").first.hover()
    expect(bar).to_have_text(PLACES[".ck-note [data-of=young]"])
    bar.get_by_role("link", name="checkpoint.young_interval").click()
    at.page.wait_for_url(
        re.compile(r"reference/checkpoint\.html#fault_tolerance\.checkpoint\.young_interval$")
    )
    expect(at.page.locator("[id='fault_tolerance.checkpoint.young_interval']")).to_be_in_viewport()


def test_a_click_elsewhere_or_a_second_one_sends_the_call_away(at, bar):
    number = at.instrument(YD).locator(".ck-sentence [data-of=extra]").first
    number.click()
    expect(bar).to_be_visible()
    number.click()
    expect(bar).to_be_hidden()
    number.click()
    at.instrument(YD).locator(".ck-instrument-title").click()
    expect(bar).to_be_hidden()


def test_the_arrow_keys_lead_through_all_numbers_of_a_panel_from_one_stop(at, bar):
    page, panel = at.page, at.instrument(YD)
    stops = panel.locator("[data-of]").evaluate_all("all => all.filter(e => e.tabIndex === 0).length")
    assert stops == 1
    at.slide(YD, "gpus", 24_000)
    panel.locator(".ck-value").first.focus()
    seen = [bar.inner_text()]
    while True:
        page.keyboard.press("ArrowRight")
        if bar.inner_text() == seen[-1] and page.evaluate("document.activeElement.dataset.seen === ''"):
            break
        page.evaluate("document.activeElement.dataset.seen = ''")
        seen.append(bar.inner_text())
    assert len(seen) == panel.locator("[data-of]").count()
    assert {text for place, text in PLACES.items()} <= set(seen)
    # A screen reader hears the call of the number it is on, and no call when a sentence changes.
    assert page.evaluate("document.activeElement.getAttribute('aria-description')") == seen[-1]


def test_enter_leads_to_the_links_of_a_call_and_escape_back(at, bar):
    page, panel = at.page, at.instrument(YD)
    panel.locator(".ck-value").first.focus()
    number = page.evaluate_handle("document.activeElement")
    page.keyboard.press("Enter")
    expect(bar.locator("a").first).to_be_focused()
    page.keyboard.press("Escape")
    expect(bar).to_be_hidden()
    assert page.evaluate("number => number === document.activeElement", number)


def test_numbers_in_the_text_link_their_functions_too(at, bar):
    number = at.page.locator("#part-a-mtbf .ck-calc[data-call*='system_mtbf(']").first
    number.hover()
    expect(bar).to_have_text(number.get_attribute("data-call"))
    expect(bar.get_by_role("link", name="system_mtbf")).to_have_attribute(
        "href", re.compile(r"reference/reliability\.html#fault_tolerance\.reliability\.system_mtbf$")
    )


def test_a_cell_of_a_picture_s_table_tells_how_its_column_or_its_mark_is_made(at, bar):
    table = at.instrument(YD).locator(".ck-table").first
    table.locator("summary").click()
    column = table.locator("th", has_text="exact")
    column.hover()
    expect(bar).to_contain_text("checkpoint.goodput(")
    made = bar.inner_text()
    at.slide(YD, "gpus", 24_000)
    table.locator("tbody tr").nth(3).locator("td").nth(4).hover()
    expect(bar).to_have_text(made)
    table.locator("tr", has_text="yours").locator("td").last.hover()
    expect(bar).to_have_text("interval / 60.0, 100.0 * waste")
    # Without a pointer it stands below the table.
    expect(table.locator(".ck-calls")).to_contain_text(made)


def test_a_touch_shows_the_call_and_a_touch_elsewhere_hides_it(new_context, site, graduate):
    page = new_context(has_touch=True, viewport={"width": 390, "height": 800}).new_page()
    page.goto(graduate.address(query="show=all"))
    bar, panel = page.locator(".ck-bar"), page.locator(f"[data-instrument='{YD}']")
    for place, call in PLACES.items():
        panel.locator(place).first.tap()
        expect(bar).to_have_text(call)
        box = bar.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
        panel.locator(".ck-instrument-title").tap()
        expect(bar).to_be_hidden()


def test_without_scripts_the_calls_stand_in_the_panel_and_lead_to_the_reference(new_context, site, graduate):
    page = new_context(java_script_enabled=False).new_page()
    page.goto(graduate.address())
    panel = page.locator(f"[data-instrument='{YD}']")
    fold = panel.locator(".ck-made")
    fold.locator("summary").click()
    for call in PLACES.values():
        expect(fold).to_contain_text(call)
    fold.get_by_role("link", name="checkpoint.young_interval").first.click()
    expect(page.locator("[id='fault_tolerance.checkpoint.young_interval']")).to_be_in_viewport()


def test_paper_shows_no_calls(at, bar):
    at.instrument(YD).locator(".ck-note [data-of=young]").first.click()
    expect(bar).to_be_visible()
    at.page.emulate_media(media="print")
    expect(bar).to_be_hidden()
    expect(at.instrument(YD).locator(".ck-made")).to_be_hidden()
    look = "e => getComputedStyle(e).textDecorationLine"
    assert at.instrument(YD).locator("[data-of=young]").first.evaluate(look) == "none"
