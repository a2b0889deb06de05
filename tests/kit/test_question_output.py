"""Every directive in every format, and the promises that hold for whole builds."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from docutils import nodes

PAGES = ["falling", "tea", "index", "last"]
SUFFIX = {"html": ".html", "text": ".txt", "epub": ".xhtml"}


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("builder", SUFFIX)
def test_page_is_written_as_before(built, snapshot, builder, page):
    done = built(builder)
    text = done.read(page + SUFFIX[builder]) if builder == "text" else done.body(page + SUFFIX[builder])
    snapshot(f"{page}.{builder}.txt", text)


def test_latex_is_written_as_before(built, snapshot):
    text = built("latex").read("teaandgravity.tex")
    snapshot("book.latex.txt", text[text.index(r"\chapter{A cup falls") : text.index(r"\chapter{Later")])


@pytest.mark.parametrize("builder", ["html", "text"])
@pytest.mark.parametrize("page", PAGES)
def test_tree_after_transforms_is_as_before(built, snapshot, builder, page):
    done = built(builder)
    tree = done.env.get_and_resolve_doctree(page, done.app.builder, tags=done.app.tags)
    snapshot(f"{page}.{builder}.tree.txt", _tidy(tree))


@pytest.mark.parametrize("page", PAGES)
def test_tree_before_transforms_is_as_before_and_the_same_for_every_builder(built, snapshot, page):
    trees = {_tidy(built(builder).env.get_doctree(page)) for builder in ("html", "text")}
    assert len(trees) == 1
    snapshot(f"{page}.tree.txt", trees.pop())


def _tidy(tree: nodes.document) -> str:
    text = re.sub(r'source="[^"]*/', 'source="', tree.pformat())
    return re.sub(r' translation_progress="[^"]*"', "", text)


@pytest.mark.parametrize("builder", ["man", "singlehtml", "dirhtml", "gettext", "xml", "texinfo"])
def test_other_builders_take_every_directive(book, builder):
    assert not book.build(builder).warnings


def test_translators_get_titles_options_and_feedback(book):
    done = book.build("gettext")
    catalogue = done.read("tea.pot")
    for text in ("What keeps *tea* warm?", "A [lid]{#lid}", "It stops evaporation.", "Back to the cup."):
        assert f'msgid "{text}"' in catalogue


def test_links_to_questions_fit_the_builder(book):
    assert 'href="../falling/#cup-speed"' in book.build("dirhtml").read("tea/index.html")


def test_question_can_be_linked_without_words(book):
    book.write("one.md", "# Page one\n\n{ref}`tea-lid`\n")
    done = book.build()
    assert not done.warnings
    assert 'href="tea.html#tea-lid"><span class="std std-ref">What keeps tea warm?</span></a>' in (
        done.read("one.html")
    )


def test_two_clean_builds_are_byte_equal_serial_or_parallel(book):
    files = []
    for name, parallel in (("_build/a", 0), ("_build/b", 2)):
        out = book.build(out=name, parallel=parallel).outdir
        files.append(
            {path.relative_to(out): path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()}
        )
    assert files[0].keys() == files[1].keys()
    assert [path for path in files[0] if files[0][path] != files[1][path]] == []


def test_no_id_stands_twice_on_a_page(built):
    for page in PAGES:
        ids = re.findall(r'\bid="([^"]+)"', built("html").body(f"{page}.html"))
        assert len(ids) == len(set(ids))


def test_without_scripts_the_page_holds_options_answer_and_gate(built):
    """Nothing that a reader needs is made by a script."""
    body = built("html").body("falling.html")
    assert (
        body.index("ck-options") < body.index("Answer and feedback") < body.index("<strong>Right:</strong>")
    )
    assert "The cup breaks." in body
    assert "hidden" not in body.replace("aria-hidden", "")


def test_book_knows_its_own_questions_only():
    """The kit must not name the subject of any book."""
    source = Path(__file__).parents[2] / "src" / "chapterkit"
    ours = ("calc", "expression", "errors", "render", "question", "question_output", "gate", "record")
    ours += ("progress", "decision_log")
    files = [source / f"{name}.py" for name in ours] + [
        source / "static" / f"{name}.js" for name in ("record", "question", "gate", "progress", "myrecord")
    ]
    for path in files:
        assert "fault_tolerance" not in path.read_text(encoding="utf-8")
