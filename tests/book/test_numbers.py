"""No derived number is typed: prose computes it with {calc} or takes it from a record with {published}.

Numbers that may stand in prose are listed in `allowed_numbers.toml`, each phrase with its reason.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from myst_parser.config.main import MdParserConfig
from myst_parser.parsers.mdit import create_md_parser

ROOT = Path(__file__).parents[2]
ALLOWED = Path(__file__).with_name("allowed_numbers.toml")
PAGES = sorted([*ROOT.glob("book/**/*.md"), *ROOT.glob("exercises/**/*.md")])
RECORDS = ROOT / "book" / "records.toml"

# A digit that continues a name (H100, OPT-175B, part_2) is no number.
NUMBER = re.compile(r"(?<![A-Za-z0-9_])(?<![A-Za-z]-)(?<!\d[.,])\d+(?:[.,\u2009\u202f]\d+)*|[½⅓⅔¼¾⅕⅙⅛⅑]")
# The bodies of these are code, data or names; every other directive holds prose.
NO_PROSE = {
    *(
        "bibliography",
        "code",
        "code-block",
        "code-cell",
        "csv-table",
        "eval-rst",
        "given",
        "image",
        "instrument",
    ),
    *(
        "literalinclude",
        "live",
        "math",
        "names",
        "published-table",
        "raw",
        "section-facts",
        "sourcecode",
        "toctree",
    ),
}
# The arguments of these are shown to the reader; those of the others are ids, paths and languages.
TITLED = {
    *("admonition", "attention", "card", "caution", "danger", "dropdown", "error", "grid-item-card", "hint"),
    *(
        "important",
        "list-table",
        "note",
        "published-table",
        "rubric",
        "seealso",
        "sidebar",
        "tab-item",
        "table",
    ),
    *("tip", "topic", "warning"),
}
SEAMLESS = {f"{mark}_{end}" for mark in ("em", "strong", "span") for end in ("open", "close")}
GAP = "\ufffc"  # stands for a role, code or math, so that a phrase cannot reach across it
PARSER = create_md_parser(
    MdParserConfig(
        enable_extensions={"colon_fence", "deflist", "dollarmath", "amsmath", "attrs_block", "attrs_inline"},
        dmath_double_inline=True,
    ),
    RendererHTML,
)


@dataclass
class Passage:
    """Running text, and the line on which each of its characters stands."""

    text: str = ""
    lines: list[int] = field(default_factory=list)

    def add(self, text: str, line: int) -> None:
        self.text += text
        self.lines += [line] * len(text)


def passages(text: str, first_line: int = 1) -> Iterator[Passage]:
    """All prose of a MyST source, one block at a time."""
    for token in PARSER.parse(text):
        line = first_line + (token.map[0] if token.map else 0)
        if token.type == "inline":
            yield _inline(token, line)
        elif token.type in ("fence", "colon_fence"):
            yield from _directive(token, line)


def _inline(token: Token, line: int) -> Passage:
    passage = Passage()
    bare_link = False
    for child in token.children or []:
        if child.type in ("softbreak", "hardbreak"):
            line += 1
            passage.add(" ", line)
        elif child.type == "text" and not bare_link:
            passage.add(child.content, line)
        elif child.type in ("link_open", "link_close"):
            bare_link = child.type == "link_open" and child.info == "auto"
        elif child.type == "image":
            passage.add(child.content, line)  # its alternative text is read aloud
        elif child.type not in (
            "em_open",
            "em_close",
            "strong_open",
            "strong_close",
            "span_open",
            "span_close",
        ):
            passage.add(GAP, line)
            line += child.content.count("\n")
    return passage


def _directive(token: Token, line: int) -> Iterator[Passage]:
    match = re.match(r"\{([^}]+)\}\s*(.*)", token.info.strip())
    if match is None:  # a plain block of code
        return
    name, argument = match.groups()
    if name in TITLED and argument:
        yield from passages(argument, line)
    lines = token.content.split("\n")
    start = 0
    if lines and lines[0].strip() == "---":
        start = 1 + next((i for i, text in enumerate(lines[1:], 1) if text.strip() == "---"), 0)
    else:
        while start < len(lines) and (option := re.match(r":([\w-]+):\s*(.*)", lines[start])):
            if option[1] == "title":  # a title is prose wherever it is written
                yield from passages(option[2], line + 1 + start)
            start += 1
    if name not in NO_PROSE:
        yield from passages("\n".join(lines[start:]), line + 1 + start)


@dataclass(frozen=True)
class Allowed:
    """A phrase, or a pattern, whose numbers may stand in prose."""

    pattern: re.Pattern[str]
    reason: str
    pages: tuple[str, ...] = ()  # all pages, unless some are named

    @classmethod
    def read(cls, page: str = "") -> list[Allowed]:
        """All entries, or those that hold on `page`."""
        rows = tomllib.loads(ALLOWED.read_text(encoding="utf-8"))["allow"]
        entries = [
            cls(
                re.compile(row.get("pattern") or _phrase(row["text"])),
                row["reason"],
                tuple(row.get("pages", ())),
            )
            for row in rows
        ]
        return [entry for entry in entries if not page or not entry.pages or page in entry.pages]


def _phrase(text: str) -> str:
    """The phrase as whole words, with any white space where it has a space."""
    words = r"[\s\u202f\u00a0]+".join(re.escape(word) for word in text.split())
    return rf"(?<![\w.,]){words}(?!\w|[.,]\d)"


def typed_numbers(text: str, allowed: list[Allowed], first_line: int = 1) -> list[tuple[int, str]]:
    """Line and number of each number in the prose of `text` that no entry allows."""
    found = []
    for passage in passages(text, first_line):
        fine = [match.span() for entry in allowed for match in entry.pattern.finditer(passage.text)]
        for match in NUMBER.finditer(passage.text):
            if not any(start <= match.start() and match.end() <= end for start, end in fine):
                found.append((passage.lines[match.start()], match[0]))
    return found


def _report(found: list[str]) -> str:
    return "\n  ".join(
        ["typed, not computed (use {calc} or {published}, or give a reason in the list):", *found]
    )


def caveats() -> dict[str, str]:
    rows = tomllib.loads(RECORDS.read_text(encoding="utf-8"))
    return {key: row["caveat"] for key, row in rows.items() if "caveat" in row}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_prose_types_no_number(page: Path) -> None:
    place = page.relative_to(ROOT).as_posix()
    found = typed_numbers(page.read_text(encoding="utf-8"), Allowed.read(place))
    assert not found, "typed, not computed:\n" + "\n".join(
        f"  {place}:{line}: {number}" for line, number in found
    )


def test_caveats_of_records_type_no_number() -> None:
    allowed = Allowed.read("book/records.md")
    found = [(key, number) for key, text in caveats().items() for _, number in typed_numbers(text, allowed)]
    assert not found, "typed, not computed:\n" + "\n".join(
        f"  records.toml: [{key}]: {n}" for key, n in found
    )


def test_every_allowed_phrase_is_used_and_has_a_reason() -> None:
    prose = {page.relative_to(ROOT).as_posix(): page.read_text(encoding="utf-8") for page in PAGES}
    prose["book/records.md"] += "\n\n".join(["", *caveats().values()])
    blocks = {place: [passage.text for passage in passages(text)] for place, text in prose.items()}
    for entry in Allowed.read():
        name = entry.pattern.pattern
        assert len(entry.reason) > 5, f"{name!r} needs a reason"
        for places in [[place] for place in entry.pages] or [list(blocks)]:
            used = any(entry.pattern.search(text) for place in places for text in blocks[place])
            assert used, f"{name!r} stands nowhere in {', '.join(places)}: remove it from {ALLOWED.name}"


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("It loses 13.9 % here.", [(1, "13.9")]),
        ("One line,\nthen 1,643 s.", [(2, "1,643")]),
        ("- a list\n- with ½ of it", [(2, "½")]),
        ("| a | b |\n|---|---|\n| c | 7.5 |", [(3, "7.5")]),
        ("## Heading with 12", [(1, "12")]),
        (":::{note}\nInside 27.4 min\n:::", [(2, "27.4")]),
        (":::{dropdown} About 5 hours\nText\n:::", [(1, "5")]),
        (
            "::::{predict} an-id-2\n:title: Every 10 minutes?\n:::{option} b-3\n:right:\nAt 42 s\n:::\n::::",
            [(2, "10"), (5, "42")],
        ),
        ("![41 min on a bar](picture-3.svg)", [(1, "41")]),
        ("Term\n: Defined as 99", [(2, "99")]),
        ("[a *link* of 8](https://example.org/2024)", [(1, "8")]),
        ("{calc}`2 + 2` and {published}`a.b` and $3^4$ and `5` and {cite:p}`x2020`", []),
        ("$$ 6 = 6 $$ (eq-7)\n\n```python\nx = 8\n```\n\n```{code-cell} ipython3\ny = 9\n```", []),
        ("```{given}\nn = 16000\n```\n\n(label-10)=\n% 11\n<!-- 12 -->\n<https://example.org/13>", []),
        ("---\ntitle: 14\n---\n\nH100, OPT-175B, PCIe-5, part_16", []),
    ],
)  # fmt: skip
def test_the_scanner_reads_prose_and_nothing_else(source: str, found: list[tuple[int, str]]) -> None:
    assert typed_numbers(source, []) == found


def test_an_allowed_phrase_covers_its_own_number_only() -> None:
    allowed = [Allowed(re.compile(_phrase("2 minutes")), "an input")]
    assert typed_numbers("2 minutes, 12 minutes, 2\nminutes, 2 minutesque, 1.2 minutes", allowed) == [
        (1, "12"), (2, "2"), (2, "1.2"),
    ]  # fmt: skip
