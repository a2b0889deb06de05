"""Links to take along: found by search, copied, framed, redirected, and helped when they are wrong."""

from __future__ import annotations

import re
import shutil

import pytest
from playwright.sync_api import expect

FOUND = {
    "Young": "book/part-a.html#equation-eq-young",
    "Daly": "book/part-a.html#equation-eq-daly",
    "Erlang C": "book/part-d.html#equation-eq-erlang-c",
    "optimal_interval": "book/part-a.html#equation-eq-optimum",
    "young_interval": "book/part-a.html#equation-eq-young",
    "waste": "book/part-a.html#equation-eq-waste",
    "goodput": "book/part-a.html#equation-eq-exact",
    "flat minimum": "book/part-a.html#equation-eq-flat",
    "the minimum is flat": "book/part-a.html#part-a-flat",
    "storm": "book/part-b.html#equation-eq-storm",
    "bandwidth": "book/part-b.html#equation-eq-bandwidth",
    "drain time": "book/part-c.html#equation-eq-drain",
    "safe load": "book/part-d.html#equation-eq-safe-load",
    "P99": "book/part-d.html#equation-eq-p99",
    "KV cache": "book/part-d.html#equation-eq-kv",
}


@pytest.fixture
def copying(reader):
    """A reader whose browser lets pages copy, as browsers do on https and on this machine."""
    reader.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    return reader


def copied(page) -> str:
    expect(page.locator(".ck-copied")).to_have_text("Link copied")
    return page.evaluate("navigator.clipboard.readText()")


@pytest.mark.parametrize("asked", FOUND)
def test_a_search_for_a_formula_finds_its_derivation_first(page, site, asked):
    page.goto(f"{site}search.html?q={asked.replace(' ', '+')}")
    first = page.locator("#search-results li a").first
    expect(first).to_be_visible()
    address = first.evaluate("link => link.href").removeprefix(site)
    assert re.sub(r"\?[^#]*", "", address) == FOUND[asked]


@pytest.mark.console("file://", "ERR_FAILED", "fetch")
def test_a_search_without_a_server_finds_formulas_too(page, folder):
    page.goto(f"{(folder / 'search.html').as_uri()}?q=Young")
    first = page.locator("#search-results li a").first
    expect(first).to_be_visible()
    assert "book/part-a.html#equation-eq-young" in re.sub(r"\?[^#]*", "", first.evaluate("link => link.href"))


def test_the_sign_beside_a_heading_copies_its_address_without_the_query(copying):
    page = copying.open(query="show=all").page
    heading = page.get_by_role("heading", name="The minimum is flat")
    heading.hover()
    heading.get_by_role("link").click()
    assert copied(page) == copying.address(fragment="part-a-flat")


def test_a_sign_says_what_it_copies(copying):
    page = copying.open().page
    expect(page.locator("#part-a-flat > h2 > a")).to_have_accessible_name(
        "Copy link to “The minimum is flat”"
    )


def test_of_all_signs_one_is_a_stop_for_the_keyboard_and_arrows_lead_to_the_others(copying):
    page = copying.open(fragment="part-a-flat").page
    stops = page.locator("article :is(h1, h2, h3) > a.headerlink:not([tabindex='-1'])")
    expect(stops).to_have_count(1)
    page.keyboard.press("Tab")
    here = page.locator("#part-a-flat > h2 > a")
    expect(here).to_be_focused()
    expect(here).to_have_css("opacity", "1")
    page.keyboard.press("ArrowDown")
    expect(page.locator("#part-a-exact > h2 > a")).to_be_focused()
    page.keyboard.press("Enter")
    assert copied(page) == copying.address(fragment="part-a-exact")


def test_on_a_touch_screen_the_signs_are_always_there(new_context, site, reader):
    phone = new_context(has_touch=True, is_mobile=True, viewport={"width": 390, "height": 800}).new_page()
    page = type(reader)(phone, site).open().page
    expect(page.locator("#part-a-flat > h2 > a")).to_have_css("opacity", "1")


def test_an_instructor_copies_the_link_of_a_section_from_the_list(copying):
    page = copying.open("book/instructors").page
    row = page.get_by_role("row").filter(has_text="The minimum is flat").first
    expect(row.get_by_role("link", name="The minimum is flat")).to_be_visible()
    row.locator("a.ck-copy").first.click()
    assert copied(page) == copying.address(fragment="part-a-flat")
    assert page.url == copying.address("book/instructors")


@pytest.mark.parametrize(
    ("where", "id_"),
    [
        ("part-a", "young-daly"),
        ("part-a", "part-a-flat"),
        ("part-b", "storm"),
        ("part-d", "part-d-how-many-spares"),
    ],
)
def test_a_frame_shows_one_thing_of_a_page_and_where_it_is_from(reader, where, id_):
    page = reader.open(f"book/{where}", query=f"embed={id_}", fragment=id_).page
    expect(page.locator(f"#{id_}")).to_be_visible()
    outside = page.locator("body :is(p, h1, h2, a, input, button):visible").evaluate_all(
        "(all, id) => all.filter(e => !e.closest('#' + id) && !e.matches('.ck-copied')).map(e => e.outerHTML.slice(0, 80))",
        id_,
    )
    assert outside == []
    source = page.locator(".ck-source")
    expect(source).to_be_visible()
    assert source.evaluate("link => link.href") == reader.address(f"book/{where}", fragment=id_)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_an_instrument_in_a_frame_works_and_takes_its_settings_from_the_address(page, site):
    """As a course page would hold it, with a setting of the instructor's."""
    page.goto(f"{site}book/instructors.html")
    address = f"{site}book/part-a.html?embed=young-daly&young-daly.gpus=8000#young-daly"
    page.evaluate(
        """address => { const frame = document.createElement("iframe");
            frame.src = address; frame.title = "Instrument"; frame.width = 700; frame.height = 900;
            document.querySelector("article").prepend(frame); }""",
        address,
    )
    frame = page.frame_locator("iframe[title=Instrument]")
    gpus = frame.locator("#young-daly [data-control='gpus']")
    expect(gpus.locator("input[type=number]")).to_have_value("8000")
    value = frame.locator("#young-daly .ck-value").first
    before = value.inner_text()
    gpus.locator("input[type=range]").fill("16000")
    expect(value).not_to_have_text(before)


def test_a_frame_that_asks_for_nothing_there_is_shows_the_page(reader):
    page = reader.open(query="embed=no-such-thing").page
    expect(page.get_by_role("heading", name="The dilemma")).to_be_visible()


def test_without_scripts_a_frame_holds_the_page_at_the_right_place(new_context, site, reader):
    plain = type(reader)(new_context(java_script_enabled=False).new_page(), site)
    page = plain.open(query="embed=young-daly", fragment="young-daly").page
    expect(page.locator("#young-daly .ck-instrument-title")).to_be_in_viewport()


@pytest.fixture
def lost(folder, tmp_path, served, request):
    """The page of a server that has no page, as if it stood under another address."""
    at = getattr(request, "param", "")
    root = tmp_path / "www"
    target = root / at
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copytree(folder, target, ignore=shutil.ignore_patterns("lite", "vendor"), dirs_exist_ok=True)

    def at_address(path: str) -> str:
        """A file of the same name in the place that was asked for: what a server's rule would send."""
        asked = target / path
        asked.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(folder / "404.html", asked)
        return f"{served(root)}{at}{path}"

    return at_address


@pytest.mark.console("404")
@pytest.mark.parametrize("lost", ["", "courses/2026/failure/"], indirect=True)
@pytest.mark.parametrize(
    ("asked", "first"),
    [
        ("book/part-e.html", "book/part-"),
        ("book/old/parta.html", "book/part-a.html"),
        ("book/gone.html#part-a-flat", "book/part-a.html#part-a-flat"),
        ("glosary.html", "book/glossary.html"),
    ],
)
def test_a_wrong_address_at_any_depth_gets_close_ones(page, lost, asked, first):
    path, _hash, fragment = asked.partition("#")
    address = lost(path)
    page.goto(address + (f"#{fragment}" if fragment else ""))
    suggested = page.locator("#close a").first
    expect(suggested).to_be_visible()
    root = address.removesuffix(path)
    assert suggested.evaluate("link => link.href").startswith(root + first)
    expect(page.locator("#search")).to_have_attribute("href", re.compile(r"^search\.html\?q=\w"))
    page.locator("#book").get_by_role("link", name="Glossary").click()
    assert page.url == f"{root}book/glossary.html"


@pytest.mark.console("404")
def test_a_wrong_address_without_scripts_says_where_to_go(new_context, lost):
    page = new_context(java_script_enabled=False).new_page()
    page.goto(lost("book/part-e.html"))
    expect(page.get_by_role("heading", level=1)).to_have_text("There is no such page")
    page.get_by_role("link", name="the folder it names").click()
    expect(page).to_have_title(re.compile("When Failure Is Routine"))


def test_the_404_page_opened_from_a_file_leads_on_without_a_complaint(new_context, folder):
    page = new_context().new_page()
    page.goto((folder / "404.html").as_uri())
    page.get_by_role("link", name="Part A", exact=False).first.click()
    expect(page.locator("h1")).to_contain_text("Part A")
