"""Every page of the site, found in the build: from a file, and by a search."""

from __future__ import annotations

from playwright.sync_api import expect


def test_a_page_works_from_a_file(new_context, reader, folder, name):
    """No server, no complaint; a live cell says in words what it lacks."""
    page = new_context().new_page()
    type(reader)(page, folder.as_uri() + "/").open(name)
    assert page.evaluate("typeof chapterkit.record") == "object"
    expect(page.locator("h1").first).to_be_visible()
    for opener in page.locator(".ck-live-open:visible").all()[:1]:
        opener.click()
        expect(page.get_by_text("this page was opened from a file").first).to_be_visible()


def test_a_search_finds_a_formula_by_its_name(reader):
    page = reader.page
    reader.open("search", query="q=Lambert")
    found = page.locator("#search-results a")
    expect(found.filter(has_text="Part A").first).to_be_visible()
    found.filter(has_text="Part A").first.click()
    expect(page.locator("h1")).to_contain_text("Part A")
