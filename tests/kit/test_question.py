"""{predict}, {reflect} and {option}: what an author may write, and the list of all questions."""

from __future__ import annotations

import pytest

from chapterkit.question import all_questions, questions_by_page

GOOD = (
    "::::{predict} q\n:title: Which?\n\n:::{option} a\n:right:\nA\n\nYes.\n:::\n"
    ":::{option} b\nB\n\nNo.\n:::\n::::\n"
)


@pytest.mark.parametrize(
    ("old", "new", "words", "line"),
    [
        (
            "{predict} q",
            "{predict} My Question",
            "'My Question' is not an id; an id is made of",
            3,
        ),
        ("{predict} q", "{predict}", "'' is not an id", 3),
        ("{option} b", "{option}", "'' is not an id", 12),
        (":title: Which?\n", "", "needs a :title:", 3),
        (":::{option} b\nB\n\nNo.\n:::\n", "", "needs at least two options; got 1", 3),
        (":right:\n", "", "needs exactly one option marked :right:; got 0", 3),
        ("{option} b\n", "{option} b\n:right:\n", "needs exactly one option marked :right:; got 2 (a, b)", 3),
        ("{option} b\n", "{option} a\n", "option ids must differ; a stands twice", 3),
        ("{option} b\n", "{option} B!\n", "'B!' is not an id", 12),
        ("B\n\nNo.\n", "B\n", "needs feedback after the option's words", 12),
        ("B\n\nNo.\n", "- B\n\nNo.\n", "begins with a paragraph", 12),
        ("No.\n:::\n", "No.\n:::\n\nStray.\n", "the prompt stands before the options", 3),
    ],
)
def test_a_wrong_question_stops_the_build_in_words(stopped, old, new, words, line):
    assert old in GOOD
    stopped(GOOD.replace(old, new), words, f"index.md:{line}")


def test_the_good_one_builds(book):
    book.only(GOOD)
    assert not book.build().warnings


def test_an_id_asked_for_twice_stops_the_build_and_names_both_places(stopped):
    said = stopped(GOOD, "this id is taken by", "page.md:3", page=GOOD)
    assert "index.md:7" in said[said.index("taken by") :]


def test_questions_are_listed_in_reading_order(built):
    assert [(asked["id"], asked["kind"], asked["doc"]) for asked in all_questions(built("html").env)] == [
        ("cup-speed", "predict", "falling"),
        ("tea-lid", "reflect", "tea"),
        ("tea-half", "predict", "later"),  # "later" stands after "tea" in the contents, not in the alphabet
        ("last-second", "self-test", "last"),
    ]


def test_reading_in_parallel_finds_the_same_questions(book, built):
    done = book.build(parallel=2)
    assert "falling .. la" in done.status, "read in chunks"
    assert all_questions(done.env) == all_questions(built("html").env)


def test_a_page_read_again_does_not_ask_twice_and_a_removed_page_asks_no_more(book):
    book.build()
    later = book.folder / "later.md"
    later.write_text(
        later.read_text(encoding="utf-8").replace("When is", "At what time is"), encoding="utf-8"
    )
    done = book.build()
    assert "1 changed" in done.status
    assert [asked["title"] for asked in questions_by_page(done.env)["later"]] == [
        "At what time is half of the warmth gone?"
    ]
    later.unlink()
    book.write("index.md", (book.folder / "index.md").read_text(encoding="utf-8").replace("later\n", ""))
    done = book.build()
    assert not done.warnings
    assert "later" not in questions_by_page(done.env)


def test_a_changed_title_reaches_gates_of_other_pages(book):
    book.build()
    falling = (book.folder / "falling.md").read_text(encoding="utf-8")
    book.write("falling.md", falling.replace("How fast does the cup", "How fast will the cup"))
    done = book.build()
    assert "“How fast will the cup arrive?”" in done.body("tea.html")


def test_the_page_gets_the_list_of_questions(built):
    script = built("html").read("_static/book.js")
    assert 'chapterkit.questions = [{"doc": "falling", "id": "cup-speed", "kind": "predict"' in script


def test_sphinx_keeps_its_own_option_directive(built):
    assert '<dl class="std option">' in built("html").body("later.html")
