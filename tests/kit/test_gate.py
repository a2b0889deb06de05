"""{gate} and {show-everything}."""

from __future__ import annotations

import pytest

QUESTION = (
    "::::{predict} q\n:title: Which?\n\n:::{option} a\n:right:\nA\n\nYes.\n:::\n"
    ":::{option} b\nB\n\nNo.\n:::\n::::\n"
)


@pytest.mark.parametrize(
    ("text", "words", "line"),
    [
        (":::{gate} p\nX\n:::", "nobody asks 'p'; questions of this book: q", 19),
        (":::{gate}\nX\n:::", "nobody asks ''", 19),
        (":::{gate} q\n:::", "has nothing in it", 19),
        (":::{gate} q\n:id: Not This\nX\n:::", "'Not This' is not an id", 19),
        (":::{gate} q\nX\n:::\n\n:::{gate} q\nY\n:::", "the id 'q-gate' is taken by", 23),
    ],
)
def test_a_wrong_gate_stops_the_build_with_file_and_line(stopped, text, words, line):
    stopped(f"{QUESTION}\n{text}", words, f"index.md:{line}")


def test_a_question_that_goes_away_stops_the_build_though_the_gate_did_not_change(book):
    """A check that looked at changed pages only would miss it."""
    from chapterkit.errors import BookError

    book.only(":::{gate} q\nX\n:::", page=QUESTION)
    book.build()
    book.write("page.md", "# page\n")
    for _attempt in range(2):
        with pytest.raises(BookError, match=r"index\.md:7: \{gate\}: nobody asks 'q'"):
            book.build()


def test_a_gate_may_wait_for_a_question_of_another_page(book):
    book.only(":::{gate} q\nX\n:::", page=QUESTION)
    assert '<a href="page.html#q">“Which?”</a>' in book.build().body("index.html")


def test_gates_survive_parallel_reading(book):
    from chapterkit.gate import gates_by_page

    done = book.build(parallel=2)
    assert {page: [entry["id"] for entry in found] for page, found in gates_by_page(done.env).items()} == {
        "falling": ["cup-speed-gate"],
        "tea": ["speed-again"],
    }


@pytest.mark.parametrize("builder", ["text", "epub", "latex"])
def test_elsewhere_there_is_no_gate_and_no_switch(built, builder):
    name = {"text": "falling.txt", "epub": "falling.xhtml", "latex": "teaandgravity.tex"}[builder]
    text = built(builder).read(name)
    assert "The cup breaks." in text
    assert "first; this opens" not in text
    assert "Show everything" not in text
