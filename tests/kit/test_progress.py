"""How far the reader is, on every page: {tier}, {page-progress}, and the lines under a page."""

from __future__ import annotations

import json
import re

import pytest

PLACE = 'class="ck-where"'


def _for_scripts(done) -> dict:
    line = re.search(r"^chapterkit\.progress = (.*);$", done.read("_static/book.js"), re.MULTILINE)
    return json.loads(line[1])


@pytest.mark.parametrize("page", ["falling", "tea", "later", "one"])
def test_every_page_has_a_place_for_the_progress(built, page):
    assert built("html").body(f"{page}.html").count(PLACE) == 1


@pytest.mark.parametrize("page", ["index", "last"])
def test_a_page_that_shows_the_progress_needs_no_second_place(built, page):
    assert PLACE not in built("html").read(f"{page}.html")


@pytest.mark.parametrize("builder", ["epub", "text", "latex"])
def test_books_without_scripts_have_no_place_for_it(built, builder):
    done = built(builder)
    pages = [path for path in done.outdir.rglob("*") if path.suffix in (".xhtml", ".txt", ".tex")]
    assert pages
    assert not [path for path in pages if "ck-where" in path.read_text(encoding="utf-8")]


@pytest.mark.parametrize(
    ("page", "loads"), [("index", True), ("last", True), ("falling", False), ("one", False)]
)
def test_only_pages_that_show_the_record_load_what_shows_it(built, page, loads):
    text = built("html").read(f"{page}.html")
    assert ("myrecord.js" in text) == loads
    assert ("myrecord.css" in text) == loads


def test_readers_who_have_answered_all_go_on_to_their_record(built):
    assert _for_scripts(built("html"))["end"] == {"url": "last.html#my-progress", "title": "Last"}


def test_a_book_without_a_page_for_the_record_leads_to_the_progress(book):
    book.only("```{my-progress}\n```", other="Words.")
    assert _for_scripts(book.build())["end"] == {"url": "index.html#my-progress", "title": "Book"}


def test_a_book_without_either_leads_nowhere(book):
    book.only("Words.")
    done = book.build()
    assert "end" not in _for_scripts(done)
    assert PLACE in done.body("index.html")


@pytest.mark.parametrize(
    ("builder", "url"),
    [
        ("html", "tea.html#tea-lid"),
        ("dirhtml", "tea/#tea-lid"),
        ("singlehtml", "index.html#tea-lid"),
    ],
)
def test_scripts_know_the_way_from_the_root_of_the_site(book, builder, url):
    text = book.build(builder).read("_static/book.js")
    asked = json.loads(re.search(r"^chapterkit\.questions = (.*);$", text, re.MULTILINE)[1])
    assert [entry["url"] for entry in asked if entry["id"] == "tea-lid"] == [url]


def test_a_single_page_shows_the_progress_once(book):
    """The pages that it joins have a list of their own, so it needs no lines at its end."""
    text = book.build("singlehtml").read("index.html")
    assert "ck-progress-list" in text
    assert PLACE not in text
    assert "myrecord.js" in text


@pytest.mark.parametrize("builder", ["html", "text", "epub", "latex"])
def test_tiers_and_numbers_of_questions_are_words_in_every_format(built, builder):
    done = built(builder)
    name = {"html": "last.html", "text": "last.txt", "epub": "last.xhtml", "latex": "teaandgravity.tex"}[
        builder
    ]
    text = re.sub(r"<[^>]+>", "", done.read(name))
    for words in ("Optimal", "Partial", "Developing", "Of the cup, 1 question; of tea, 1 question."):
        assert words in text.replace("0 of 1 answered", "")


def test_a_page_that_is_named_must_exist(stopped):
    stopped("\n{page-progress}`nowhere`", "the book has no page 'nowhere'", "index.md:4")


def test_a_page_is_named_from_where_it_is_named(book):
    book.only("Words.", other="Words.")
    (book.folder / "below").mkdir()
    book.write("below/here.md", "# Here\n\n{page-progress}`../other` {page-progress}`/other`\n")
    assert (
        book.build()
        .read("below/here.html")
        .count('data-page="other" data-count="{answered} of {of} answered">0 of 0 answered<')
        == 2
    )


def test_the_number_is_written_again_when_the_page_changes(book):
    book.build()
    tea = (book.folder / "tea.md").read_text(encoding="utf-8")
    book.write(
        "tea.md",
        tea
        + "\n"
        + tea[tea.index("::::") : tea.index(":::{option} nothing")]
        .replace("tea-lid", "tea-2")
        .replace("{#lid}", "")
        + "::::\n",
    )
    assert 'data-page="tea" data-count="{answered} of {of} answered">0 of 2 answered<' in book.build().body(
        "last.html"
    )
