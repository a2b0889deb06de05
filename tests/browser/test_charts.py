"""Charts: drawn when they come near, in the theme's colours; without them the static picture stands."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

YD = "young-daly"


def plotly(watch):
    return [url for url in watch.requests if "plotly" in url]


def colours(chart):
    return chart.locator("svg.main-svg").first.evaluate(
        "svg => Array.from(svg.querySelectorAll('.xtick text, .scatterlayer path.js-line'), e => getComputedStyle(e).fill + getComputedStyle(e).stroke)"
    )


def test_a_chart_is_fetched_and_drawn_only_when_it_comes_near(graduate, watch):
    graduate.page.emulate_media(reduced_motion="reduce")
    graduate.open()
    assert plotly(watch) == []
    canvas = graduate.instrument(YD).locator(".ck-canvas")
    expect(canvas.locator("svg[role=img]:visible")).to_have_count(1)
    canvas.scroll_into_view_if_needed()
    expect(canvas.locator(".ck-chart .main-svg").first).to_be_visible()
    expect(canvas.locator("> svg:visible")).to_have_count(0)
    assert len(plotly(watch)) == 1
    expect(canvas.locator(".ck-chart")).to_have_attribute("aria-label", "Time lost against the interval")
    # A moved slider moves the diamond.
    where = (
        "e => e.querySelectorAll('.scatterlayer .trace:last-child path.point')[0].getAttribute('transform')"
    )
    before = canvas.evaluate(where)
    graduate.slide(YD, "interval", 3600)
    graduate.page.wait_for_function(
        "([selector, before]) => document.querySelector(selector + ' .scatterlayer .trace:last-child path.point').getAttribute('transform') !== before",
        arg=[f"#{YD} .ck-canvas", before],
    )
    assert len(plotly(watch)) == 1


FITS = """canvas => {
    const box = canvas.querySelector(".ck-chart").getBoundingClientRect(), room = canvas.getBoundingClientRect();
    const drawn = canvas.querySelector(".main-svg").getBoundingClientRect();
    const near = (one, other) => Math.abs(one - other) < 2;
    return near(drawn.width, box.width) && near(drawn.height, box.height)
        && near(box.right, room.right) && near(box.top, room.top) && room.width - box.width < 20;
}"""


def test_a_chart_fits_its_box_and_a_fold_opened_later_does_not_change_that(graduate):
    graduate.page.emulate_media(reduced_motion="reduce")
    graduate.open()
    for width in (1280, 390):
        graduate.page.set_viewport_size({"width": width, "height": 800})
        for canvas in graduate.page.locator(".ck-canvas").all():
            canvas.scroll_into_view_if_needed()
            expect(canvas.locator(".ck-chart .main-svg").first).to_be_visible()
            handle = canvas.element_handle()
            graduate.page.wait_for_function(
                FITS,
                arg=handle,
            )


@pytest.mark.parametrize("how", ["the theme's button", "the system"])
def test_a_chart_is_drawn_again_when_light_turns_dark(graduate, how):
    page = graduate.page
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    graduate.open()
    canvas = graduate.instrument(YD).locator(".ck-canvas")
    canvas.scroll_into_view_if_needed()
    expect(canvas).to_have_class("ck-canvas ck-drawn")
    light = colours(canvas)
    if how == "the system":
        page.emulate_media(color_scheme="dark")
    else:
        page.evaluate("document.body.dataset.theme = 'dark'")
    page.wait_for_function(
        "selector => getComputedStyle(document.querySelector(selector)).fill === 'rgb(230, 232, 235)'",
        arg=f"#{YD} .main-svg .xtick text",
    )
    dark = colours(canvas)
    assert len(dark) == len(light)
    assert all(a != b for a, b in zip(light, dark, strict=True))


@pytest.mark.console("ERR_FAILED", "Failed to load resource")
def test_when_charts_are_blocked_the_picture_stays_and_is_called_stale_after_a_change(graduate):
    graduate.page.emulate_media(reduced_motion="reduce")
    graduate.page.route("**/plotly*", lambda route: route.abort())
    graduate.open()
    panel = graduate.instrument(YD)
    panel.locator(".ck-canvas").scroll_into_view_if_needed()
    picture, stale = panel.locator(".ck-canvas > svg:visible"), panel.locator(".ck-stale")
    expect(picture).to_have_count(1)
    expect(stale).to_be_empty()
    graduate.slide(YD, "gpus", 24_000)
    expect(stale).to_contain_text("still shows the defaults")
    expect(picture).to_have_count(1)
    assert graduate.state(YD)["readouts"][0] == "2.08\u202fh"
    panel.get_by_role("button", name="Reset").click()
    expect(stale).to_be_empty()
    # When it can be loaded after all, the next change draws it.
    graduate.page.unroute("**/plotly*")
    graduate.slide(YD, "gpus", 24_000)
    expect(panel.locator(".ck-chart .main-svg").first).to_be_visible()
    expect(stale).to_be_empty()


CUT = """canvas => {
    const room = canvas.getBoundingClientRect();
    const cut = text => {
        const words = document.createRange();
        words.selectNodeContents(text);
        const box = words.getBoundingClientRect();
        const across = box.left < room.left - 1 || box.right > room.right + 1;
        return across || box.top < room.top - 1 || box.bottom > room.bottom + 1;
    };
    const texts = canvas.querySelectorAll(".xtick text, .ytick text, .ck-across, .ck-up, .ck-legend > span");
    return Array.from(texts).filter(text => text.textContent && cut(text)).map(text => text.textContent);
}"""


@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("letter", "abcd")
def test_names_and_labels_of_a_chart_are_whole_wherever_its_sliders_stand(graduate, letter, width):
    page = graduate.page
    page.emulate_media(reduced_motion="reduce")
    page.set_viewport_size({"width": width, "height": 900})
    graduate.open(f"part-{letter}", "show=all")
    for panel in page.locator(".ck-instrument").all():
        for end in ("min", "max"):
            for canvas in panel.locator(".ck-canvas").all():
                canvas.scroll_into_view_if_needed()
                expect(canvas.locator(".ck-chart .main-svg").first).to_be_visible()
            panel.evaluate(
                """(panel, end) => panel.querySelectorAll("input.ck-slider[type=range]").forEach(slider => {
                    slider.value = slider[end];
                    slider.dispatchEvent(new Event("input", { bubbles: true }));
                })""",
                end,
            )
            for canvas in panel.locator(".ck-canvas").all():
                canvas.scroll_into_view_if_needed()
                page.wait_for_function(f"canvas => ({CUT})(canvas).length === 0", arg=canvas.element_handle())
                assert canvas.evaluate(CUT) == []
