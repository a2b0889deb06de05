"""Equations and the functions that compute them are linked both ways, from what docstrings say."""

from __future__ import annotations

import re

import pytest

MODULE = '''
"""Cups."""


def cooled(time, start):
    r"""What is left.

    .. math:: x = x_0 e^{-t}

    Derived in :ref:`cooling-law` as :eq:`eq-cooling`.
    """


def tasted(time):
    """What people say, from :ref:`cooling-taste`."""


def forgotten(time):
    """Of no page."""
'''
LAW = """
(cooling-law)=
## The law

$$ x = x_0\\, e^{-t} $$ (eq-cooling)

And so it cools.

(cooling-taste)=
## The taste

It is a matter of it.

$$ y = 1 $$ (eq-other)
"""
CALLS = "```{eval-rst}\n.. automodule:: cups\n   :members:\n```\n"


@pytest.fixture
def cups(book):
    """A book with a page that derives and a page that lists functions, one after the other."""
    with (book.folder / "conf.py").open("a") as conf:
        conf.write('\nextensions += ["sphinx.ext.autodoc", "chapterkit.reference"]\nnitpicky = True\n')
    book.write("cups.py", MODULE)
    book.only("", law=LAW, calls=CALLS)
    return book


def in_code(page: str) -> list[list[str]]:
    """Where each line of links leads."""
    lines = re.findall(r'<p class="ck-in-code">(.*?)</p>', page, re.S)
    return [re.findall(r'href="([^"]+)"', line) for line in lines]


def test_below_an_equation_stands_the_function_and_below_a_heading_one_without_equation(cups):
    built = cups.build()

    assert not built.warnings
    page = built.body("law.html")
    assert in_code(page) == [["calls.html#cups.cooled"], ["calls.html#cups.tasted"]]
    before_equation, before_heading, _rest = page.split('<p class="ck-in-code">')
    assert before_equation.rstrip().endswith(r"e^{-t} \]</div>")
    assert re.search(r"<h2>The taste[^\n]*</h2>\s*$", before_heading)
    assert 'href="law.html#equation-eq-cooling"' in built.body("calls.html")


def test_a_function_is_named_once_with_its_module(cups):
    page = cups.build().body("law.html")

    assert re.sub(r"<[^>]+>", "", page).count("cups.cooled") == 1


@pytest.mark.parametrize("builder", ["text", "latex", "epub", "singlehtml", "dirhtml"])
def test_every_format_has_the_links(cups, builder: str):
    built = cups.build(builder)

    assert not built.warnings
    pages = [path for path in built.outdir.rglob("*") if path.suffix in {".txt", ".tex", ".html", ".xhtml"}]
    assert sum(path.read_text(encoding="utf-8").count("In code:") for path in pages) == 2


def test_translators_get_the_page_as_it_was_written(cups):
    built = cups.build("gettext")

    assert "In code" not in built.read("law.pot")


def test_a_docstring_that_names_another_equation_moves_the_link(cups):
    cups.build()
    cups.write("cups.py", MODULE.replace("eq-cooling", "eq-other"))
    built = cups.build()

    assert "updating environment" in built.status
    page = built.body("law.html")
    assert page.index("eq-other") < page.index("cups.cooled")


def test_a_page_of_functions_that_goes_takes_its_links_along(cups):
    cups.build()
    (cups.folder / "calls.md").unlink()
    cups.write("index.md", "# Book\n\n```{toctree}\nlaw\n```\n")
    built = cups.build()

    assert "In code" not in built.body("law.html")


def test_pages_read_by_several_processes_are_linked_too(cups):
    for number in range(6):
        cups.write(f"more{number}.md", f"---\norphan: true\n---\n# More {number}\n")
    built = cups.build(parallel=2)

    assert len(in_code(built.body("law.html"))) == 2


def test_a_constant_has_its_own_words_and_not_those_of_its_type(cups):
    cups.write("cups.py", MODULE + "\n\nWARM = 40.0\n#: Degrees.\nHOT = 80.0\n")
    constants = ".. module:: cups\n.. autodata:: WARM\n\n   Mine.\n.. autodata:: HOT\n"
    cups.write("calls.md", f"# Calls\n\n```{{eval-rst}}\n{constants}```\n")
    page = cups.build().body("calls.html")

    assert "floating" not in page
    assert "<dd><p>Mine.</p>" in page
    assert "<dd><p>Degrees.</p>" in page
