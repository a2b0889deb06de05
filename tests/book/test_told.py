"""Every number that the book computes tells the call behind it: in the text, in instruments, in their tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

import pytest

VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
# What is no result: names and ranges of controls, pictures with their axes, and the calls themselves.
NO_RESULT = (
    "svg",
    "label",
    "dt",
    ".ck-instrument-title",
    ".ck-control",
    ".ck-choice",
    ".ck-wide",
    ".ck-made",
    ".ck-calls",
)
# Numbers in an author's own words: of formulas, of a day, the quantile, the target of Part B, a product's name.
TYPED = {"1", "2", "24", "86,400", "99", "100", "10", "4.0"}
NUMBER = re.compile(r"[\d.,]*\d")


@dataclass
class Element:
    """An element with its words and where it stands."""

    tag: str
    at: dict[str, str]
    parent: Element | None
    children: list[Element | str] = field(default_factory=list)

    @property
    def above(self) -> Iterator[Element]:
        here: Element | None = self
        while here:
            yield here
            here = here.parent

    def matches(self, selector: str) -> bool:
        if selector.startswith("."):
            return selector[1:] in self.at.get("class", "").split()
        if selector.startswith("["):
            return selector[1:-1] in self.at
        return self.tag == selector

    def within(self, *selectors: str) -> bool:
        return any(each.matches(selector) for each in self.above for selector in selectors)

    def all(self, selector: str) -> Iterator[Element]:
        for child in self.children:
            if isinstance(child, Element):
                if child.matches(selector):
                    yield child
                yield from child.all(selector)

    def texts(self) -> Iterator[tuple[Element, str]]:
        for child in self.children:
            if isinstance(child, Element):
                yield from child.texts()
            else:
                yield self, child

    @property
    def text(self) -> str:
        return "".join(text for _, text in self.texts())


class Tree(HTMLParser):
    """A page as a tree; where HTML lets an end be left out, as that of a list's item, the next one brings it."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.root = self.here = Element("", {}, None)
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "li" and self.here.tag == "li":
            self.here = self.here.parent or self.root
        made = Element(tag, {name: value or "" for name, value in attrs}, self.here)
        self.here.children.append(made)
        if tag not in VOID:
            self.here = made

    def handle_endtag(self, tag: str) -> None:
        ends = next((each for each in self.here.above if each.tag == tag), None)
        if ends and ends.parent:
            self.here = ends.parent

    def handle_data(self, data: str) -> None:
        self.here.children.append(data)


@pytest.fixture(scope="module")
def pages(made: Callable[[str], Path]) -> dict[str, Element]:
    root = made("html")
    paths = [path for path in sorted(root.rglob("*.html")) if "_static" not in path.parts]
    return {path.relative_to(root).as_posix(): Tree(path.read_text(encoding="utf-8")).root for path in paths}


@pytest.fixture(scope="module")
def panels(pages: dict[str, Element]) -> dict[str, Element]:
    return {
        panel.at["data-instrument"]: panel for page in pages.values() for panel in page.all(".ck-instrument")
    }


def names(place: Element) -> dict[str, str]:
    return {entry.at["data-name"]: entry.text for entry in place.all("[data-name]")}


def test_no_number_of_an_instrument_stands_outside_what_tells_its_call(panels: dict[str, Element]) -> None:
    assert len(panels) >= 6
    silent = [
        f"{name}: {text.strip()}"
        for name, panel in panels.items()
        for element, text in panel.texts()
        if not element.within("[data-of]", "th", "td", *NO_RESULT) and set(NUMBER.findall(text)) - TYPED
    ]
    assert silent == []


def test_each_number_of_an_instrument_finds_its_call_in_the_panel(panels: dict[str, Element]) -> None:
    for name, panel in panels.items():
        listed = names(next(panel.all(".ck-made")))
        told = [number.at["data-of"] for number in panel.all("[data-of]")]
        assert len(told) >= 3
        assert [one for one in told if one not in listed] == [], name
        for one, call in listed.items():
            assert call.startswith(one), name
            assert "is set above" in call or " = " in call, name


def test_each_cell_of_a_picture_s_table_finds_its_call_below_the_table(panels: dict[str, Element]) -> None:
    tables = [table for panel in panels.values() for table in panel.all(".ck-table")]
    assert len(tables) >= 8
    for table in tables:
        listed = names(table)
        for row in table.all("tr"):
            heads, cells = [head.text for head in row.all("th")], [cell.text for cell in row.all("td")]
            if heads:
                # Above marks stands an empty cell and what the axes say: there each name tells its call.
                assert cells == [""] or [head for head in heads if head not in listed] == []
            else:
                # A row of a curve begins with a number, one of a mark with its name.
                assert cells[0] in listed or re.fullmatch(r"−?[\d.,]+", cells[0]), cells
        assert all(re.search(r"[a-z_]{3}", call) for call in listed.values())


def test_each_number_that_the_text_computes_or_quotes_tells_where_it_is_from(
    pages: dict[str, Element],
) -> None:
    numbers = [number for page in pages.values() for number in page.all(".ck-calc")]
    assert len(numbers) > 500
    assert [number.text for number in numbers if not number.at.get("data-call")] == []
    published = [cell for page in pages.values() for cell in page.all(".ck-number")]
    assert len(published) > 50
    assert [cell.text for cell in published if not any(cell.all(".ck-calc"))] == []


def test_functions_in_calls_lead_to_their_entries(
    pages: dict[str, Element], panels: dict[str, Element]
) -> None:
    entries = {each.at["id"] for page in pages.values() for each in page.all("[id]")}
    for name, panel in panels.items():
        links = [(link.text, link.at["href"]) for link in next(panel.all(".ck-made")).all("a")]
        assert links, name
        for function, address in links:
            anchor = address.partition("#")[2]
            assert anchor in entries, name
            assert anchor.endswith(f".{function}"), name


def test_the_check_sees_a_number_that_says_nothing() -> None:
    panel = Tree('<div><ul><li>a <span data-of="x">1</span><li>b 2</ul><p>c<br>3</p></div>').root
    assert [
        text for element, text in panel.texts() if re.search(r"\d", text) and not element.within("[data-of]")
    ] == ["b 2", "3"]
