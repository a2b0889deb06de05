"""The built site holds together: it builds without a warning, links arrive, nothing comes from elsewhere."""

from __future__ import annotations

import filecmp
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

ROOT = Path(__file__).parents[2]
Build = Callable[[str, Path], Path]
LIVE = "lite"  # the Python of the browser is built beside the pages, by its own command
# Elements whose address is a request that the page makes by itself.
FETCHED = {"src", "srcset", "poster", "data", "action", "background", "xlink:href"}
# Links in the head that say something and fetch nothing.
TELLING = {"canonical", "license", "author", "me"}
CSS_ADDRESS = re.compile(r"""(?:url\(\s*['"]?|@import\s+['"])([^'")\s]+)""")


@dataclass
class Page(HTMLParser):
    """What the tests ask of a page."""

    path: Path
    ids: list[str] = field(default_factory=list)
    links: list[tuple[int, str]] = field(default_factory=list)
    requests: list[tuple[int, str]] = field(default_factory=list)
    headings: int = 0
    mute: list[int] = field(default_factory=list)  # lines of pictures that say nothing
    language: str = ""
    title: str = ""

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._open = ""
        self.feed(self.path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        at = {name: value or "" for name, value in attrs}
        line = self.getpos()[0]
        self._open = tag
        if "id" in at:
            self.ids.append(at["id"])
        if tag == "html":
            self.language = at.get("lang", "")
        if tag == "h1":
            self.headings += 1
        if tag in ("a", "area"):
            if "href" in at:
                self.links.append((line, at["href"]))
        elif "href" in at and not (tag == "link" and set(at.get("rel", "").split()) <= TELLING):
            self.requests.append((line, at["href"]))
        for name in FETCHED & at.keys():
            parts = [part.split()[0] for part in at[name].split(",")] if name == "srcset" else [at[name]]
            self.requests += [(line, part) for part in parts]
        self.requests += [(line, address) for address in CSS_ADDRESS.findall(at.get("style", ""))]
        hidden = at.get("aria-hidden") == "true" or at.get("role") == "presentation"
        named = at.get("alt") or at.get("aria-label") or at.get("aria-labelledby")
        if (tag == "img" or (tag == "svg" and at.get("role") == "img")) and not hidden and not named:
            self.mute.append(line)

    def handle_endtag(self, tag: str) -> None:
        self._open = ""

    def handle_data(self, data: str) -> None:
        if self._open == "style":
            self.requests += [(self.getpos()[0], address) for address in CSS_ADDRESS.findall(data)]
        if self._open == "title" and not self.title:
            self.title = data.strip()


@dataclass
class Site:
    root: Path
    pages: dict[Path, Page]

    def name(self, page: Page) -> str:
        return page.path.relative_to(self.root).as_posix()

    def problem(self, page: Page, address: str) -> str:
        """Why an address on `page` does not arrive, or nothing."""
        parts = urlsplit(address)
        if parts.scheme or parts.netloc:
            return ""  # other sites are not this test's matter
        target = (page.path.parent / unquote(parts.path)).resolve() if parts.path else page.path
        if target.is_relative_to(self.root / LIVE):
            return ""
        if not target.is_relative_to(self.root):
            return "leaves the site"
        if target.is_dir():
            target /= "index.html"
        if not target.is_file():
            return "no such file"
        fragment = unquote(parts.fragment)
        if fragment and target in self.pages and fragment not in self.pages[target].ids:
            return "no such anchor"
        return ""


def read(root: Path) -> Site:
    paths = [
        path
        for path in sorted(root.rglob("*.html"))
        if path.relative_to(root).parts[0] not in (LIVE, "_static")
    ]
    return Site(root.resolve(), {path.resolve(): Page(path.resolve()) for path in paths})


@pytest.fixture(scope="session")
def site(made: Callable[[str], Path]) -> Site:
    return read(made("html"))


def _everywhere(site: Site, found: dict[str, list[str]]) -> None:
    lines = [f"  {name}: {what}" for name, list_ in found.items() for what in list_]
    assert not lines, "\n".join(["", *lines])


def test_the_pages_of_the_chapter_are_there(site: Site) -> None:
    names = {site.name(page) for page in site.pages.values()}
    sources = {path.relative_to(ROOT).with_suffix(".html").as_posix() for path in ROOT.glob("book/*.md")}
    assert sources <= names
    assert len(sources) >= 5


def test_every_internal_link_and_anchor_arrives(site: Site) -> None:
    found = {
        site.name(page): [
            f"line {line}: {address}: {why}"
            for line, address in page.links + page.requests
            if (why := site.problem(page, address))
        ]
        for page in site.pages.values()
    }
    _everywhere(site, found)


def test_no_page_asks_another_host(site: Site) -> None:
    def foreign(address: str) -> bool:
        parts = urlsplit(address)
        return bool(parts.netloc) or parts.scheme not in ("", "data", "blob", "about", "javascript")

    found = {
        site.name(page): [f"line {line}: {address}" for line, address in page.requests if foreign(address)]
        for page in site.pages.values()
    }
    for sheet in site.root.rglob("*.css"):
        if sheet.relative_to(site.root).parts[0] != LIVE:
            text = sheet.read_text(encoding="utf-8")
            found[sheet.relative_to(site.root).as_posix()] = [
                a for a in CSS_ADDRESS.findall(text) if foreign(a)
            ]
    _everywhere(site, found)


def test_ids_are_unique_on_each_page(site: Site) -> None:
    found = {
        site.name(page): sorted({f"id {name!r} twice" for name in page.ids if page.ids.count(name) > 1})
        for page in site.pages.values()
    }
    _everywhere(site, found)


def test_each_page_has_one_first_heading_a_title_and_a_language(site: Site) -> None:
    found: dict[str, list[str]] = {}
    for page in site.pages.values():
        wrong = [f"{page.headings} first headings"] if page.headings != 1 else []
        wrong += ["no title"] if not page.title else []
        wrong += ["no language"] if not page.language else []
        found[site.name(page)] = wrong
    _everywhere(site, found)


def test_every_picture_says_in_words_what_it_shows(site: Site) -> None:
    found = {site.name(page): [f"line {line}" for line in page.mute] for page in site.pages.values()}
    _everywhere(site, found)


def test_two_clean_builds_are_equal_byte_for_byte(site: Site, build: Build, tmp_path: Path) -> None:
    """The second one takes the outputs of cells from the first, as a rebuild does."""
    shutil.copytree(site.root.parent / "cells", tmp_path / "cells")
    again = build("html", tmp_path)

    def files(root: Path) -> set[str]:
        return {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}

    assert files(again) == files(site.root)
    _same, differ, unread = filecmp.cmpfiles(site.root, again, files(again), shallow=False)
    assert not differ + unread, f"not the same in two builds: {', '.join(sorted(differ + unread))}"


BROKEN = """<html><head><link rel="stylesheet" href="https://cdn.example/a.css">
<style>@import "//b.example/c.css";</style></head>
<body><h1 id="x">A</h1><h1>B</h1><p id="x" style="background: url(http://d.example/e.png)">
<a href="#gone">a</a> <a href="gone.html">b</a> <a href="ok.html#there">c</a> <a href="../../up.html">d</a>
<a href="https://elsewhere.example/">e</a></p><img src="ok.png"><img src="ok.png" alt="A bar chart">
</body></html>"""


def test_the_checks_see_what_is_broken(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(BROKEN)
    (tmp_path / "ok.html").write_text('<html lang="en"><title>T</title><h1 id="there">T</h1></html>')
    (tmp_path / "ok.png").touch()
    broken = read(tmp_path)
    page = broken.pages[(tmp_path / "page.html").resolve()]
    assert [broken.problem(page, address) for _line, address in page.links] == [
        "no such anchor", "no such file", "", "leaves the site", "",
    ]  # fmt: skip
    for test in (
        test_every_internal_link_and_anchor_arrives,
        test_no_page_asks_another_host,
        test_ids_are_unique_on_each_page,
        test_each_page_has_one_first_heading_a_title_and_a_language,
        test_every_picture_says_in_words_what_it_shows,
    ):
        with pytest.raises(AssertionError, match=r"page\.html"):
            test(broken)
    foreign = [address for _line, address in page.requests if "example" in address]
    assert foreign == ["https://cdn.example/a.css", "//b.example/c.css", "http://d.example/e.png"]
