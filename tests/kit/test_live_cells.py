"""A cell tagged `live` in every format, without the runtime and without running anything."""

from __future__ import annotations

import gzip
import html
import json
import re
from pathlib import Path

import pytest
from sphinx.testing.util import SphinxTestApp

HEADER = "---\nfile_format: mystnb\nkernelspec: {name: python3, language: python}\n---\n"
CELL = "```{code-cell}\n:tags: [live]\n:name: tea-time\n\nminutes = 4\nprint(minutes < 5 & 7)\n```\n"
PLAIN = "```{code-cell}\nprint(1)\n```\n"


class Site:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "deep").mkdir(parents=True)
        (folder / "conf.py").write_text(
            "project = 'tea'\nextensions = ['myst_nb', 'chapterkit.live']\nnb_execution_mode = 'off'\n"
            "html_theme = 'basic'\nexclude_patterns = ['_build']\n"
        )
        (folder / "index.md").write_text(f"{HEADER}# Tea\n\n```{{toctree}}\ndeep/page\n```\n\n{PLAIN}")
        self.page(CELL)

    def page(self, text: str) -> None:
        (self.folder / "deep" / "page.md").write_text(f"{HEADER}# Page\n\nWords.\n\n{text}\n\nMore words.\n")

    def build(self, builder: str = "html") -> tuple[Path, str]:
        app = SphinxTestApp(builder, srcdir=self.folder, builddir=self.folder / "_build", freshenv=False)
        try:
            app.build()
        finally:
            app.cleanup()
        return Path(app.outdir), re.sub(r"\x1b\[[0-9;]*m", "", app.warning.getvalue())


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path / "book")


def controls(page: str) -> list[dict[str, str]]:
    found = re.findall(r'<div class="ck-live"([^>]*)>', page)
    return [{k: html.unescape(v) for k, v in re.findall(r'([\w-]+)="([^"]*)"', tag)} for tag in found]


def test_a_page_gets_a_real_button_named_by_its_author(site: Site) -> None:
    out, warnings = site.build()
    page = (out / "deep" / "page.html").read_text(encoding="utf-8")
    (control,) = controls(page)
    assert warnings == ""
    assert control["id"] == "live-tea-time"
    assert control["data-runtime"] == "../lite/"
    assert '<button type="button" aria-describedby="live-tea-time-note">Run and change it</button>' in page
    assert 'data-act="all" aria-describedby="live-tea-time-note">Run this page</button>' in page
    assert "Starts Python beside this page." in page
    assert page.index("minutes") < page.index('class="ck-live"') < page.index("More words")


def test_the_size_is_said_as_soon_as_the_runtime_is_there(site: Site) -> None:
    """Also on a page that is not built anew for any other reason."""
    out, _ = site.build()
    (out / "lite").mkdir()
    facts = {"bytes": 12880596, "version": "abc", "wheel": "tea-1-py3-none-any.whl"}
    (out / "lite" / "size.json").write_text(json.dumps(facts))
    site.build()
    page = (out / "deep" / "page.html").read_text(encoding="utf-8")
    assert "a download of 13 MB, once" in page
    assert json.loads(controls(page)[0]["data-facts"]) == facts


def test_the_address_is_right_when_every_page_is_a_folder(site: Site) -> None:
    out, _ = site.build("dirhtml")
    (control,) = controls((out / "deep" / "page" / "index.html").read_text(encoding="utf-8"))
    assert control["data-runtime"] == "../../lite/"


def test_only_pages_with_a_cell_load_its_script_and_that_is_small(site: Site) -> None:
    """What the panel needs comes when its button is pressed."""
    (site.folder / "index.md").write_text(f"{HEADER}# Tea\n\n```{{toctree}}\ndeep/page\n```\n")
    out, _ = site.build()
    page = (out / "deep" / "page.html").read_text(encoding="utf-8")
    assert "live.js" in page
    assert "live-panel" not in page
    assert "live-words" not in page
    assert "live.js" not in (out / "index.html").read_text(encoding="utf-8")
    static = out / "_static"
    assert sum(len(gzip.compress((static / name).read_bytes())) for name in ("live.js", "live.css")) < 2000


def test_every_cell_is_live_but_those_that_are_said_not_to_be(site: Site) -> None:
    hidden = PLAIN.replace("print(1)", ":tags: [remove-input]\n\nprint(2)")
    quiet = PLAIN.replace("print(1)", ":tags: [not-live]\n\nprint(3)")
    site.page(CELL + PLAIN + hidden + quiet)
    out, warnings = site.build()
    page = (out / "deep" / "page.html").read_text(encoding="utf-8")
    assert warnings == ""
    assert len(controls(page)) == 2
    assert page.count("Run this page") == 1


def test_a_cell_without_a_name_keeps_its_id_when_others_come_before_it(site: Site) -> None:
    """A reader's changes are kept under it."""
    site.page(PLAIN)
    before = controls((site.build()[0] / "deep" / "page.html").read_text(encoding="utf-8"))
    site.page(CELL + PLAIN)
    after = controls((site.build()[0] / "deep" / "page.html").read_text(encoding="utf-8"))
    assert before[0]["id"] == after[1]["id"] != after[0]["id"]


CHECKED = "```{code-cell}\n---\ntags: [live]\nname: brew\ncheck: tea-1\n---\nminutes = None\n```\n"


def test_a_checked_cell_has_a_second_button_and_says_what_is_asked(site: Site) -> None:
    with (site.folder / "conf.py").open("a") as conf:
        conf.write("chapterkit_checks = 'tea_checks'\n")
    site.page(CELL + CHECKED)
    out, warnings = site.build()
    page = (out / "deep" / "page.html").read_text(encoding="utf-8")
    plain, checked = controls(page)
    assert warnings == ""
    assert "data-check" not in plain
    assert checked["data-exercise"] == "tea-1"
    assert checked["data-check"] == 'from tea_checks import check; check("tea-1")'
    assert page.count(">Check</button>") == 1


def test_a_checked_cell_in_a_book_without_checks_is_a_warning(site: Site) -> None:
    site.page(CHECKED)
    assert "the setting `chapterkit_checks` names no module" in site.build()[1]


def test_no_page_asks_another_host_and_nothing_is_left_of_upstreams_controls(site: Site) -> None:
    out, _ = site.build()
    for path in out.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert not re.findall(r'<(?:link|script)[^>]+(?:href|src)="(?:https?:)?//', text), path.name
        assert "jupyterlite_sphinx" not in text
    assert not list(out.rglob("jupyterlite_sphinx.*"))
    assert not (out / "lite").exists()
    assert sorted(p.name for p in site.folder.iterdir()) == ["_build", "conf.py", "deep", "index.md"]


@pytest.mark.parametrize(
    ("builder", "name"), [("text", "deep/page.txt"), ("latex", "tea.tex"), ("epub", "deep/page.xhtml")]
)
def test_elsewhere_there_is_just_the_cell(site: Site, builder: str, name: str) -> None:
    out, _ = site.build(builder)
    text = (out / name).read_text(encoding="utf-8")
    assert "minutes" in text
    assert "Run and change it" not in text
    assert "ck-live" not in text


def test_a_cell_without_a_name_is_a_warning_with_its_line(site: Site) -> None:
    site.page("```{code-cell}\n:tags: [live]\n\nprint(1)\n```\n")
    out, warnings = site.build()
    assert re.search(r"page\.md:\d+: WARNING: a live cell needs a name", warnings)
    assert controls((out / "deep" / "page.html").read_text(encoding="utf-8"))[0]["id"].startswith(
        "live-cell-"
    )


def test_two_cells_of_one_name_are_a_warning(site: Site) -> None:
    site.page(CELL + "\n" + CELL)
    assert "two live cells are named 'tea-time'" in site.build()[1]


def test_upstreams_own_directive_becomes_the_same_control(site: Site) -> None:
    site.page("```{replite}\n:kernel: python\nprint('x')\n```\n")
    out, warnings = site.build()
    (control,) = controls((out / "deep" / "page.html").read_text(encoding="utf-8"))
    assert warnings == ""
    assert control["data-runtime"] == "../lite/"
    assert control["data-code"] == "print('x')"


def test_every_word_of_the_script_is_there_and_none_is_spare(site: Site) -> None:
    out, _ = site.build()
    text = (out / "_static" / "live-words.js").read_text(encoding="utf-8")
    words = json.loads(text.partition(".live = ")[2].rstrip().rstrip(";"))["words"]
    source = Path(__file__).parents[2] / "src" / "chapterkit" / "live" / "static" / "live-panel.js"
    script = source.read_text(encoding="utf-8")
    used = set(re.findall(r"words\.(\w+)", script))
    quoted = set(re.findall(r'"(\w+)"', script))
    assert used <= words.keys()
    assert words.keys() <= used | quoted | {"downloadLong", "labLong"}


def test_clean_builds_are_equal(site: Site, tmp_path: Path) -> None:
    out, _ = site.build()
    other = Site(tmp_path / "other")
    again, _ = other.build()
    assert (out / "deep" / "page.html").read_bytes() == (again / "deep" / "page.html").read_bytes()
