"""Exercises: what their checks ask, the fold around a solution, and the list of them all."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest
from sphinx.testing.util import SphinxTestApp

HEADER = "---\nfile_format: mystnb\nkernelspec: {name: python3, language: python}\n---\n# Tea\n\n"
CELL = "```{code-cell}\n---\ntags: [live]\nname: steep\ncheck: exercise-steep\n---\nminutes = None\n```\n"
SOLUTION = (
    ":::{solution-start} exercise-steep\n:::\n\nFour minutes.\n\n```{code-cell}\nminutes = 4\n```\n\n"
    ":::{solution-end}\n:::\n"
)
EXERCISE = f"(exercise-steep)=\n## Steep it\n\nHow long?\n\n{CELL}\n{SOLUTION}\nAfter it.\n"
CHECKS = (
    "def asks(id):\n    if id != 'exercise-steep':\n        raise ValueError(f'there is no check {id!r}')\n"
    "    return ['`minutes` is a number.', 'It is above $t_0$.']\n"
)


# These belong to instruments and published records, of which this book has none.
KIT = (
    "def setup(app):\n    for name in ('chapterkit_charts', 'chapterkit_records'):\n"
    "        app.add_config_value(name, '', 'html')\n"
)


class Site:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        (folder / "tea_checks.py").write_text(CHECKS)
        (folder / "tea_kit.py").write_text(KIT)
        (folder / "conf.py").write_text(
            "import sys; sys.path.insert(0, '.')\nsys.path.insert(0, __import__('os').path.dirname(__file__))\n"
            "project = 'tea'\nversion = copyright = '1'\n"
            "extensions = ['myst_nb', 'sphinx_design', 'chapterkit.assets', 'chapterkit.exercise', 'chapterkit.elsewhere', 'tea_kit']\nnb_execution_mode = 'off'\n"
            "myst_enable_extensions = ['colon_fence']\nhtml_theme = 'basic'\nexclude_patterns = ['_build']\n"
            "chapterkit_checks = 'tea_checks'\nlatex_engine = 'xelatex'\n"
        )

    def build(self, text: str = EXERCISE, builder: str = "html") -> tuple[SphinxTestApp, str]:
        (self.folder / "index.md").write_text(HEADER + text)
        app = SphinxTestApp(builder, srcdir=self.folder, builddir=self.folder / "_build", freshenv=False)
        try:
            app.build()
        finally:
            app.cleanup()
        return app, re.sub(r"\x1b\[[0-9;]*m", "", app.warning.getvalue())


@pytest.fixture
def site(tmp_path: Path):
    import sys

    path = list(sys.path)
    yield Site(tmp_path / "book")
    sys.path[:] = path
    sys.modules.pop("tea_checks", None)


def test_what_a_check_asks_stands_below_its_cell_and_the_solution_is_folded(site: Site) -> None:
    app, warnings = site.build()
    page = (Path(app.outdir) / "index.html").read_text(encoding="utf-8")
    text = html.unescape(re.sub(r"<[^>]+>", "", page))
    assert warnings == ""
    assert (
        text.index("minutes = None") < text.index("minutes is a number.") < text.index("Solution: Steep it")
    )
    fold = page[re.search(r'<details class="[^"]*ck-solution', page).start() : page.index("</details>")]
    assert "Four minutes." in fold
    assert "After it." not in fold
    assert len(re.findall("<div", fold)) == len(re.findall("</div>", fold))


def test_the_list_of_exercises_names_id_page_and_title(site: Site) -> None:
    from chapterkit.exercise import all_exercises

    app, _ = site.build()
    assert all_exercises(app.env) == [{"id": "exercise-steep", "doc": "index", "title": "Steep it"}]
    script = (Path(app.outdir) / "_static" / "book.js").read_text(encoding="utf-8")
    assert '"id": "exercise-steep"' in script
    page = (Path(app.outdir) / "index.html").read_text(encoding="utf-8")
    assert 'id="exercise-steep"' in page


@pytest.mark.parametrize(
    ("builder", "name"),
    [("text", "index.txt"), ("latex", "tea.tex"), ("epub", "index.xhtml"), ("singlehtml", "index.html"),
     ("dirhtml", "index.html"), ("gettext", "index.pot")],
)  # fmt: skip
def test_every_format_has_the_solution_and_what_is_asked(site: Site, builder: str, name: str) -> None:
    app, warnings = site.build(builder=builder)
    text = (Path(app.outdir) / name).read_text(encoding="utf-8")
    assert warnings == ""
    assert "Four minutes." in text
    # What is asked comes from the module of checks, in its language, so translators are not asked for it.
    assert ("is a number" in text) == (builder != "gettext")
    if builder in ("text", "latex", "epub"):
        assert "Solution: Steep it" in text
        assert "<details" not in text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (EXERCISE.replace("(exercise-steep)=\n", ""), "the section of this cell has no such label"),
        (
            EXERCISE.replace("} exercise-steep", "} exercise-pour"),
            "stands in a section that has no such label",
        ),
        (EXERCISE.replace(":::{solution-end}\n:::\n", ""), "no {solution-end} after it"),
        (EXERCISE.replace(":::{solution-start} exercise-steep\n:::\n", ""), "no {solution-start} before it"),
        (EXERCISE.replace("exercise-steep", "exercise-pour"), "there is no check 'exercise-pour'"),
        (EXERCISE + CELL.replace("steep\nc", "again\nc"), "this id is taken by"),
    ],
)
def test_a_mistake_stops_the_build_with_its_line(site: Site, text: str, words: str) -> None:
    from chapterkit.errors import BookError

    with pytest.raises(BookError) as error:
        site.build(text)
    (line,) = [line for line in str(error.value).splitlines() if words in line]
    assert re.search(r"index\.md:\d+: ", line)


def test_an_exercise_that_went_is_off_the_list(site: Site) -> None:
    from chapterkit.exercise import all_exercises

    site.build()
    app, _ = site.build("Nothing to do.\n")
    assert all_exercises(app.env) == []
