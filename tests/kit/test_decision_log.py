"""{decision-log}: a place for the reader's own words."""

from __future__ import annotations

import pytest

LOG = ":::{decision-log} words\n:title: Which one?\n\nWrite.\n:::"


def test_it_is_a_field_with_a_label_and_the_prompt(built):
    body = built("html").body("last.html")
    assert '<label for="last-words--text">What will you <em>pour</em> next?</label>' in body
    assert '<textarea id="last-words--text"' in body
    assert "One sentence, from" in body


@pytest.mark.parametrize(
    ("builder", "name"), [("text", "last.txt"), ("epub", "last.xhtml"), ("latex", "teaandgravity.tex")]
)
def test_without_a_browser_the_prompt_is_left_and_advice(built, builder, name):
    text = " ".join(built(builder).read(name).split())
    assert "One sentence, from" in text
    assert "Write it down where you will find it again." in text
    assert "textarea" not in text


def test_translators_get_title_and_prompt(book):
    catalogue = book.build("gettext").read("last.pot")
    for text in ("What will you *pour* next?", "One sentence, from {calc}`max(1, 2)` cups."):
        assert f'msgid "{text}"' in catalogue


def test_it_can_be_linked_without_words(book):
    book.write("one.md", "# Page one\n\n{ref}`last-words`\n")
    done = book.build()
    assert not done.warnings
    assert (
        'href="last.html#last-words"><span class="std std-ref">What will you pour next?</span></a>'
        in done.read("one.html")
    )


@pytest.mark.parametrize(
    ("text", "words", "place"),
    [
        (LOG.replace(" words", ""), "{decision-log}: '' is not an id", "index.md:3"),
        (LOG.replace(" words", " Two words"), "{decision-log}: 'Two words' is not an id", "index.md:3"),
        (LOG.replace(":title: Which one?\n", ""), "{decision-log} words: needs a :title:", "index.md:3"),
        (f"{LOG}\n\n{LOG}", "{decision-log} words: this id is taken by", "index.md:9"),
    ],
)
def test_a_mistake_stops_the_build(stopped, text, words, place):
    stopped(text, words, place)


def test_a_question_has_no_id_of_a_log(stopped):
    asked = "::::{reflect} words\n:title: T\n:::{option} a\n:right:\nA\n\nYes.\n:::\n:::{option} b\nB\n\nNo.\n:::\n::::"
    stopped(LOG, "{decision-log} words: this id is taken by", "index.md", other=asked)


def test_reading_in_parallel_finds_it(book):
    assert list(book.build(parallel=2).env.chapterkit_logs) == ["last"]


def test_a_log_that_is_gone_is_in_no_record(book):
    book.build()
    book.write("last.md", "# Last\n\n```{my-record}\n```\n")
    assert "ck-record-note" not in book.build().body("last.html")
