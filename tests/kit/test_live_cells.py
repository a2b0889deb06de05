"""A cell tagged `live` in every format, without the runtime and without running anything."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from urllib.parse import parse_qs

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
    query = parse_qs(control["data-query"])
    assert query["code"] == ["minutes = 4\nprint(minutes < 5 & 7)"]
    assert query["kernel"] == ["python"]
    assert '<button type="button" class="ck-live-open" aria-describedby="live-tea-time-note">' in page
    assert "Starts Python in this page." in page
    assert page.index("minutes") < page.index('class="ck-live"') < page.index("More words")


def test_the_size_is_said_as_soon_as_the_runtime_is_there(site: Site) -> None:
    """Also on a page that is not built anew for any other reason."""
    out, _ = site.build()
    (out / "lite").mkdir()
    (out / "lite" / "size.json").write_text('{"bytes": 12880596}')
    site.build()
    assert "a download of 13 MB, once" in (out / "deep" / "page.html").read_text(encoding="utf-8")


def test_the_address_is_right_when_every_page_is_a_folder(site: Site) -> None:
    out, _ = site.build("dirhtml")
    (control,) = controls((out / "deep" / "page" / "index.html").read_text(encoding="utf-8"))
    assert control["data-runtime"] == "../../lite/"


def test_only_pages_with_a_live_cell_load_its_script(site: Site) -> None:
    out, _ = site.build()
    assert "live.js" in (out / "deep" / "page.html").read_text(encoding="utf-8")
    assert "live.js" not in (out / "index.html").read_text(encoding="utf-8")


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
    assert controls((out / "deep" / "page.html").read_text(encoding="utf-8"))[0]["id"] == "live-cell-1"


def test_two_cells_of_one_name_are_a_warning(site: Site) -> None:
    site.page(CELL + "\n" + CELL)
    assert "two live cells are named 'tea-time'" in site.build()[1]


def test_upstreams_own_directive_becomes_the_same_control(site: Site) -> None:
    site.page("```{replite}\n:kernel: python\nprint('x')\n```\n")
    out, warnings = site.build()
    (control,) = controls((out / "deep" / "page.html").read_text(encoding="utf-8"))
    assert warnings == ""
    assert control["data-runtime"] == "../lite/"
    assert parse_qs(control["data-query"])["code"] == ["print('x')"]


def test_the_words_of_the_script_stand_once_on_a_page(site: Site) -> None:
    site.page(CELL + "\n" + CELL.replace("tea-time", "again"))
    out, _ = site.build()
    found = controls((out / "deep" / "page.html").read_text(encoding="utf-8"))
    assert [("data-words" in c) for c in found] == [True, False]
    words = json.loads(found[0]["data-words"])
    source = Path(__file__).parents[2] / "src" / "chapterkit" / "live" / "static" / "live.js"
    script = source.read_text(encoding="utf-8")
    used = set(re.findall(r'words\.(\w+)|(?:say|fail|button)\("(\w+)"|return "(\w+)"', script))
    assert {name for names in used for name in names if name} <= words.keys()


def test_clean_builds_are_equal(site: Site, tmp_path: Path) -> None:
    out, _ = site.build()
    other = Site(tmp_path / "other")
    again, _ = other.build()
    assert (out / "deep" / "page.html").read_bytes() == (again / "deep" / "page.html").read_bytes()
