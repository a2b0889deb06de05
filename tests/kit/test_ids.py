"""The list of ids and the redirects that keep it whole."""

from __future__ import annotations

import subprocess
import sys

import pytest

from chapterkit import ids
from chapterkit.ids import Entry

SECTIONS = "(tea-top)=\n## Tea\n\nText.\n\n$$ x = y $$ (eq-tea)\n\n## Without a name\n\nText.\n"


def listed(done) -> set[Entry]:
    return ids.read(done.read("ids.txt"))


@pytest.fixture
def book(atlas):
    return atlas


def redirects(book, text: str) -> None:
    book.write("redirects.toml", text)


def test_the_build_lists_what_an_author_named_and_headings_that_nobody_named(book):
    book.only(SECTIONS)
    assert listed(book.build()) == {
        Entry("index", "page", "-"),
        Entry("index", "nameless", "Book"),
        Entry("index", "section", "tea-top"),
        Entry("index", "equation", "equation-eq-tea"),
        Entry("index", "nameless", "Without a name"),
    }


def test_questions_options_instruments_and_controls_are_listed(mapped):
    found = {(entry.page, entry.kind, entry.id) for entry in listed(mapped("html"))}
    assert found >= {
        ("north", "question", "north-deep"),
        ("north", "option", "north-deep.shallow"),
        ("south", "instrument", "long-swing"),
        ("south", "control", "long-swing.length"),
    }


def test_parallel_reading_loses_no_id(book, mapped):
    assert book.build(parallel=2).read("ids.txt") == mapped("html").read("ids.txt")


def test_an_id_that_goes_from_a_page_goes_from_the_list(book):
    book.only(SECTIONS)
    book.build()
    book.only("Text.")
    assert {entry.kind for entry in listed(book.build())} == {"page", "nameless"}


@pytest.mark.parametrize(
    ("released", "built", "gone"),
    [
        ("a section x", "a section x", False),
        ("a section x", "a equation x", False),
        ("a section x", "a redirect x", False),
        ("a section x", "b section x", True),
        ("a section x", "a moved b\nb section x", False),
        ("a section x", "a moved b\nb section y", True),
        ("a page -", "a moved b\nb page -", False),
        ("a page -", "b page -", True),
        ("a option q.x", "b option q.x", False),
        ("a option q.x", "a option q.y", True),
        ("a control dial.x", "a redirect dial.x", True),
    ],
)
def test_what_was_released_is_found_in_place_or_by_a_redirect(released, built, gone):
    old = ids.read(released)
    assert ids.lost(old, ids.read(built)) == (sorted(old) if gone else [])


def test_the_command_adds_new_ids_and_refuses_to_lose_released_ones(tmp_path):
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "chapterkit.ids", "built.txt", "kept.txt", *arguments]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)

    built, kept = tmp_path / "built.txt", tmp_path / "kept.txt"
    built.write_text("a page -\na section x\na section y\n")
    assert run("--release").returncode == 0
    built.write_text("a page -\na section x\na section y\na section z\n")
    done = run()
    assert done.returncode == 0
    assert "+ a section z" in done.stdout
    built.write_text("a page -\na section y\n")
    done = run()
    assert done.returncode == 1
    assert "section x of a" in done.stderr
    assert '"a#x" = ' in done.stderr
    assert "a section z" in kept.read_text()  # nothing was written
    built.write_text("a page -\na section x\na section y\n")
    assert run().returncode == 0  # z was never released
    assert "a section z" not in kept.read_text()


def test_a_renamed_id_stays_as_an_anchor_at_the_new_place(book):
    book.only(SECTIONS)
    redirects(book, '"index#old-tea" = "tea-top"\n"index#equation-eq-old" = "equation-eq-tea"\n')
    done = book.build()
    body = done.body("index.html")
    assert not done.warnings
    assert body.index('id="tea-top"') < body.index('id="old-tea"') < body.index("Text.")
    assert body.index('id="equation-eq-old"') < body.index('id="equation-eq-tea"')
    assert Entry("index", "redirect", "old-tea") in listed(done)


def test_an_id_that_left_its_page_leads_on_from_there(book):
    book.only("Text.", other=SECTIONS)
    redirects(book, '"index#tea-top" = "other#tea-top"\n')
    done = book.build()
    assert not done.warnings
    assert '<p class="ck-moved" id="tea-top">' in done.body("index.html")
    assert '<a href="other.html#tea-top">Tea</a>' in done.body("index.html")


@pytest.mark.parametrize("builder", ["html", "dirhtml"])
def test_a_page_that_moved_leaves_a_page_that_leads_on_without_scripts(book, builder):
    book.only("Text.", other=SECTIONS)
    redirects(book, '"deep/old" = "other"\n"deep/old#a" = "tea-top"\n')
    done = book.build(builder)
    assert not done.warnings
    stub = done.read("deep/old.html" if builder == "html" else "deep/old/index.html")
    to = "../other.html" if builder == "html" else "../../other/"
    assert f'content="0; url={to}"' in stub
    assert f'<a href="{to}">other</a>' in stub
    assert f'"#a": "{to}#tea-top"' in stub


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('"index#a" = "nowhere"', "there is no page or id 'nowhere'"),
        ('"index#tea-top" = "index"', "'index#tea-top' is still there"),
        ('"index" = "index#tea-top"', "'index' is still there"),
        ('"gone#a" = "tea-top"', "the page 'gone' is gone; say where it went too"),
    ],
)
def test_a_redirect_that_cannot_work_stops_the_build(book, line, words):
    from chapterkit.errors import BookError

    book.only(SECTIONS)
    redirects(book, line + "\n")
    with pytest.raises(BookError, match=words):
        book.build()


def test_a_redirect_that_is_added_changes_its_page_though_nothing_on_it_has_changed(book):
    book.only(SECTIONS)
    redirects(book, "")
    book.build()
    redirects(book, '"index#old-tea" = "tea-top"\n')
    assert 'id="old-tea"' in book.build().body("index.html")


@pytest.mark.parametrize("builder", ["singlehtml", "epub", "latex", "text", "gettext"])
def test_redirects_disturb_no_other_format(book, builder):
    book.only(SECTIONS, other="Text.")
    redirects(book, '"index#old" = "tea-top"\n"gone" = "other"\n"other#x" = "tea-top"\n')
    assert not book.build(builder).warnings
