"""{section-facts}, {minutes}, {section-list}, {instrument-list} and {names}."""

from __future__ import annotations

import json
import re

import pytest

BUILDERS = ["html", "dirhtml", "singlehtml", "latex", "epub", "text", "gettext"]


@pytest.fixture
def book(atlas):
    return atlas


@pytest.mark.parametrize("builder", BUILDERS)
def test_every_format_builds_without_a_warning(mapped, builder):
    mapped(builder)


def test_the_minutes_of_pages_and_sections_are_those_that_their_authors_gave(mapped):
    """1½ and 2 in the north, ½ in the south."""
    assert "All of it takes 4 minutes, the pole 1½." in mapped("text").read("index.txt")


def test_the_list_has_every_section_with_link_minutes_and_what_it_needs(mapped):
    page = mapped("html").body("list.html")
    rows = [re.sub(r"\s+", " ", row) for row in re.findall(r"<tr.*?</tr>", page, re.DOTALL)]
    words = [
        [re.sub(r"<[^>]+>", "", cell).strip() for cell in re.findall(r"<td>(.*?)</td>", row)] for row in rows
    ]
    assert ["The pole ¶", "1½", ""] in words
    assert ["– Its ice ¶", "", ""] in words
    assert ["The sea ¶", "2", "The pole, The other pole"] in words
    assert 'href="south.html#south-pole"' in page
    assert 'href="east.html#east-coast"' in page  # a page that says no minutes


def test_the_list_of_instruments_leads_to_each_alone_and_names_what_presets_it(mapped):
    page = mapped("html").body("list.html")
    assert 'href="south.html?embed=long-swing#long-swing"' in page
    assert "long-swing.length" in page


def test_facts_that_change_change_the_list_on_another_page(book):
    book.build()
    north = (book.folder / "north.md").read_text(encoding="utf-8")
    book.write("north.md", north.replace("north-pole: 1.5", "north-pole: 7"))
    done = book.build()
    assert ">7<" in done.body("list.html")
    assert "the pole 7." in done.read("index.html")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("north-pole: 1.5", "north-pole 1.5", "a line is “id: minutes”"),
        ("north-pole: 1.5\n", "", "says nothing of the section 'north-pole'"),
        ("north-pole: 1.5", "north-pol: 1.5", "this page has no section 'north-pol'"),
        ("after north-pole", "after nowhere", "needs 'nowhere', which is nowhere in the book"),
        ("eq-cold: cold", "eq-warm: cold", "nothing on this page has the label 'eq-warm'"),
        ("eq-cold: cold; coldness of the pole", "eq-cold", "a line is a label, a colon and names"),
        ("north-sea: water", "north-sea: Cold", "'Cold' is a name of eq-cold already"),
    ],
)
def test_a_mistake_stops_the_build_and_says_what_and_where(book, old, new, words):
    from chapterkit.errors import BookError

    north = (book.folder / "north.md").read_text(encoding="utf-8")
    assert old in north
    book.write("north.md", north.replace(old, new))
    with pytest.raises(BookError) as error:
        book.build()
    assert any("north.md:" in line and words in line for line in str(error.value).splitlines()), error.value


def test_names_are_main_entries_of_the_search_with_the_anchor_of_the_equation(mapped):
    text = mapped("html").read("searchindex.js")
    index = json.loads(text[text.index("{") : text.rindex("}") + 1])
    north = index["docnames"].index("north")
    assert index["indexentries"]["cold"] == [[north, "equation-eq-cold", True]]
    assert index["indexentries"]["water"] == [[north, "north-sea", True]]


def test_the_page_for_wrong_addresses_lists_the_pages_and_needs_no_other_file(mapped):
    page = mapped("html").read("404.html")
    assert '<a href="north.html">North</a>' in page
    assert not re.search(r'\bsrc="|<link\b(?! rel="icon" href="data:,")', page)
    assert "<base" not in page


def test_with_a_known_address_the_page_for_wrong_addresses_works_without_scripts(book):
    conf = (book.folder / "conf.py").read_text(encoding="utf-8")
    book.write("conf.py", conf + '\nhtml_baseurl = "https://book.example/atlas"\n')
    page = book.build().read("404.html")
    assert '<base href="https://book.example/atlas/">' in page
    assert '<div id="book">' in page
