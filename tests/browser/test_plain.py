"""Readers without scripts, on paper, without a server, or under another address: everything is there."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

# What a reader of paper, or without scripts, has no use for.
DROPPED = ".ck-gate-notice, .ck-gate-arrived, .ck-show-everything, .ck-live, .ck-needs-script, .ck-problem, .ck-hidden, .ck-where"
HIDDEN = """dropped => Array.from(document.querySelectorAll("article :is(p, li, dt, dd, td, th, pre, figcaption, .katex-display)"))
    .filter(e => e.textContent.trim() && !e.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true, opacityProperty: true }))
    .filter(e => !e.closest("noscript, [hidden]:not(.ck-gate-body), " + dropped))
    .map(e => e.outerHTML.slice(0, 100))"""


@pytest.fixture
def plain(new_context, site, reader):
    """A reader whose browser runs no scripts."""
    return type(reader)(new_context(java_script_enabled=False).new_page(), site)


def test_without_scripts_all_text_and_math_is_there(plain, name):
    """What is not in the open is in a fold that opens without scripts; nothing waits behind a gate."""
    plain.open(name)
    page = plain.page
    expect(page.locator("article :is(.ck-gate-notice, .ck-gate-arrived):visible")).to_have_count(0)
    page.locator("article details").evaluate_all("folds => folds.forEach(fold => { fold.open = true })")
    assert page.evaluate(HIDDEN, DROPPED + ", .ck-progress-live, .ck-log-live") == []


def test_without_scripts_a_fold_opens(plain):
    plain.open()
    page = plain.page
    assert page.locator(".katex-display:visible").count() >= 10
    # Folds are native: a click opens them.
    fold = page.locator("details.sd-dropdown").first
    fold.locator("summary").click()
    expect(fold.locator(".katex-display").first).to_be_visible()


def test_without_scripts_a_question_is_a_list_and_a_folded_answer(plain):
    plain.open()
    for asked in plain.page.locator("form.ck-question").all():
        expect(asked.locator(".ck-option:visible")).to_have_count(4)
        expect(asked.locator("input:visible, button:visible")).to_have_count(0)
        expect(asked.locator(".ck-feedback:visible")).to_have_count(0)
        asked.get_by_text("Answer and feedback").click()
        expect(asked.locator(".ck-feedback:visible")).to_have_count(4)
        expect(asked.get_by_text("Right:", exact=True)).to_be_visible()


def test_without_scripts_instruments_show_their_defaults(plain, new_context, site, reader):
    """The same text that a page with scripts shows, with a picture and its numbers."""
    plain.open()
    lively = type(reader)(new_context().new_page(), site).open(query="show=all")
    names = lively.instruments()
    assert len(names) >= 2
    for name in names:
        panel = plain.instrument(name)
        expect(panel.locator(".ck-readout").first).to_be_visible()
        places = {
            "readouts": ".ck-value",
            "sentences": ".ck-sentence",
            "lines": ".ck-lines > li",
            "captions": "[data-caption]",
        }
        for part, selector in places.items():
            found = panel.locator(selector)
            assert found.all_text_contents() == lively.state(name)[part]
            for one in found.all():
                expect(one).to_be_visible()
        for figure in panel.locator(".ck-picture").all():
            expect(figure.locator(".ck-canvas > svg:visible")).to_have_count(1)
            table = figure.locator("details.ck-table")
            if table.count():
                table.locator("summary").click()
                assert table.locator("tbody tr:visible").count() >= 3
        assert "The sliders need scripts" in panel.locator("noscript").text_content()


def test_without_scripts_no_control_looks_alive_that_is_not(plain, name):
    """What can be pressed or moved works without scripts, or is not to be seen."""
    plain.open(name)
    alive = plain.page.locator("article :is(button, input:not([readonly]), select, textarea):enabled:visible")
    assert [control.evaluate("e => e.outerHTML") for control in alive.all()] == []


def test_the_offline_copy_works_from_a_file(new_context, reader, folder):
    page = new_context().new_page()
    offline = type(reader)(page, folder.as_uri() + "/")
    offline.open()
    offline.commit("part-a-best-interval", "as-long-as-the-write")
    expect(page.locator(".ck-gate-notice:visible")).to_have_count(0)
    before = offline.state("young-daly")
    offline.slide("young-daly", "gpus", 24_000)
    assert offline.state("young-daly")["readouts"][0] == "2.08\u202fh" != before["readouts"][0]
    canvas = offline.instrument("young-daly").locator(".ck-canvas")
    canvas.scroll_into_view_if_needed()
    expect(canvas.locator(".ck-chart .main-svg").first).to_be_visible()
    offline.instrument("young-daly").get_by_role("button", name="Copy link").click()
    expect(offline.instrument("young-daly").locator("[data-notices]")).to_contain_text("ink")
    page.reload()
    expect(offline.question("part-a-best-interval").locator("input:enabled")).to_have_count(0)


def test_the_site_works_below_any_path_of_a_host(new_context, reader, folder, served, tmp_path):
    (tmp_path / "some").mkdir()
    (tmp_path / "some" / "where").symlink_to(folder)
    page = new_context().new_page()
    below = type(reader)(page, served(tmp_path) + "some/where/").open(query="show=all", fragment="young-daly")
    below.slide("young-daly", "gpus", 24_000)
    expect(below.instrument("young-daly").locator(".ck-chart .main-svg").first).to_be_visible()
    page.goto(f"{below.site}book/index.html")
    page.locator("article .sd-card").first.click()
    expect(page.locator("h1")).to_contain_text("Part A")
