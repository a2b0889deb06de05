"""The book in every format: it builds without a warning, and what a page says is in each of them.

What must be there is read from the source of the pages and asked of the instruments, not of any output.
"""

from __future__ import annotations

import html
import posixpath
import re
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest

from chapterkit.instrument import State
from chapterkit.panel_html import plain

ROOT = Path(__file__).parents[2]
Made = Callable[[str], Path]
PARTS = sorted(path.stem for path in (ROOT / "book").glob("part-?.md"))
# Where a part of the book stands in each format.
FORMATS = {
    "html": "book/{}.html",
    "dirhtml": "book/{}/index.html",
    "singlehtml": "book/index.html",
    "epub": "book/{}.xhtml",
    "latex": "whenfailureisroutine.tex",
    "text": "book/{}.txt",
    "man": "whenfailureisroutine.1",
}
PAGES = ("html", "dirhtml", "singlehtml", "epub")
XHTML = "{http://www.w3.org/1999/xhtml}"


class _Text(HTMLParser):
    """The words of a page, and the sources of its formulas, which MathML carries along."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.words: list[str] = []

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def squeezed(text: str) -> str:
    return re.sub(r"\s+", " ", text)


@dataclass
class Output:
    """What a format says of a part; `bare` is without any space."""

    builder: str
    folder: Path
    raw: str

    @cached_property
    def words(self) -> str:
        text = self.raw
        if self.builder in PAGES:
            parser = _Text()
            parser.feed(text)
            text = "".join(parser.words)
        if self.builder == "latex":
            text = re.sub(r"\\sphinxstyle\w+\{", "", text)
            text = re.sub(r"\\(?:sphinxhyphen\{\}|[,;!])", "-", text).replace("\\", "").replace("{}", "")
            text = re.sub(r"\b(?:text)?(?:super|sub)script\b|[{}]", "", text)
        if self.builder == "text":
            text = text.replace("*", "")
        if self.builder == "man":
            text = text.replace("\\-", "-").replace("\\(aq", "'").replace("\\&", "").replace("\\fP", "")
            text = re.sub(r"^\.(?:IP|sp|nf|fi|RS|RE|in).*$|\\f[BI]", "", text, flags=re.MULTILINE)
        return squeezed(text)

    @cached_property
    def formulas(self) -> str:
        text = html.unescape(self.raw)
        if self.builder == "man":
            text = text.replace("\\-", "-").replace("\\(aq", "'").replace("\\&", "").replace("\\e", "\\")
        return re.sub(r"\s", "", text)


@pytest.fixture(params=FORMATS, scope="module")
def output(request: pytest.FixtureRequest, made: Made) -> Callable[[str], Output]:
    builder = request.param
    folder = made(builder)
    seen: dict[str, Output] = {}

    def of(part: str) -> Output:
        name = FORMATS[builder].format(part)
        if name not in seen:
            seen[name] = Output(builder, folder, (folder / name).read_text(encoding="utf-8"))
        return seen[name]

    return of


def source(part: str) -> str:
    return (ROOT / "book" / f"{part}.md").read_text(encoding="utf-8")


def runs(markup: str) -> list[str]:
    """Stretches of five words and more that no format writes in its own way."""
    markup = re.sub(
        r"^(:{3,})\{names\}\n.*?^\1$", "\0", markup, flags=re.DOTALL | re.MULTILINE
    )  # for searches only
    prose = re.sub(r"```.*?```|\$\$.*?\$\$|<[^>]*>", "\0", markup, flags=re.DOTALL)
    prose = re.sub(r"^\|.*$", "\0", prose, flags=re.MULTILINE)  # plain text folds the cells of tables
    prose = re.sub(r"\n\s*\n|^(?=[#*|:(-])|^:.*$", "\0", prose, flags=re.MULTILINE)
    prose = re.sub(r"\{[\w:]+\}`[^`]*`|\$[^$]*\$|`[^`]*`|\[[^\]]*\]\([^)]*\)", "\0", prose)
    found = re.findall(r"[A-Za-z][A-Za-z, ]*[a-z]", squeezed(prose))
    return [run for run in found if len(run.split()) >= 5]


def options(part: str) -> list[tuple[str, str]]:
    """Words and feedback of every option of every question."""
    found = re.findall(
        r"^(:{3,})\{option\} [\w-]+\n(?::right:\n)?(.+?)\n\n(.*?)^\1$", source(part), re.M | re.S
    )
    return [(words, feedback) for _fence, words, feedback in found]


def equations(part: str) -> list[tuple[str, str]]:
    """Source and label of every displayed equation."""
    return re.findall(r"\$\$(.+?)\$\$(?: *\((eq-[\w-]+)\))?", source(part), re.DOTALL)


def states(part: str, declared: Callable[[str], object]) -> list[State]:
    names = re.findall(r"\{instrument\} ([\w-]+)", source(part))
    return [declared(name.replace("-", "_")).evaluate() for name in names]  # type: ignore[attr-defined]


def missing(wanted: list[str], words: str) -> list[str]:
    return [piece for piece in wanted if piece not in words]


@pytest.mark.parametrize("part", PARTS)
def test_the_prose_is_there_and_every_answer_with_its_feedback(output, part):
    words = output(part).words
    asked = options(part)
    assert len(asked) >= 8
    assert not missing([run for option in asked for text in option for run in runs(text)], words)
    assert not missing(runs(source(part).split("---\n", 2)[-1]), words)


@pytest.mark.parametrize("part", PARTS)
def test_every_equation_is_there_and_those_with_a_name_have_a_number(output, part):
    said = output(part)
    found = equations(part)
    assert len(found) >= 15
    if said.builder in PAGES and "application/x-tex" not in said.raw:
        # A page carries what is drawn and what is read aloud, and leaves the source behind.
        assert said.raw.count('class="katex-display"') >= len(found)
        assert said.raw.count('display="block"') >= len(found)
    else:
        assert not missing([re.sub(r"\s", "", formula) for formula, _label in found], said.formulas)
    labels = [label for _formula, label in found if label]
    if said.builder in PAGES:
        page = re.sub(r"\s+", " ", said.raw)
        assert not [
            name for name in labels if not re.search(rf'id="equation-{name}"[^>]*>.{{0,99}}eqno', page)
        ]
    elif said.builder == "latex":
        assert not missing([f"\\label{{equation:book/{part}:{name}}}" for name in labels], said.raw)
    else:
        numbers = re.findall(r" {4}\((\d+)\)$", said.raw, re.MULTILINE)
        assert len(numbers) >= len(labels)
        assert len(set(numbers)) == len(numbers)


@pytest.mark.parametrize("part", PARTS)
def test_an_instrument_says_its_numbers_and_sentences_at_its_defaults(output, declared, part):
    said = output(part)
    found = states(part, declared)
    assert found
    for state in found:
        told = [
            text
            for readout in state.instrument.readouts
            for text in (readout.label, state.readout(readout)[0])
        ]
        told += [run for text in state.sentences().values() for run in runs(plain(text))]
        numbers = [re.findall(r"[\d,.]*\d", text) for text in told]
        assert not missing([number for line in numbers for number in line], said.words)
        assert not missing([run for text in told for run in runs(text)], said.words)


def test_the_numbers_of_part_a_are_the_right_ones(output):
    """Young's interval, the exact one, what the engineer loses and what the best loses."""
    words = output("part-a").words.replace("\N{NARROW NO-BREAK SPACE}", " ").replace("~", " ")
    for number in ("27.4", "26.1", "19.3", "13.9", "222,392", "1,643"):
        assert number in words
    assert "{calc}" not in words


@pytest.mark.parametrize("part", PARTS)
def test_pictures_are_there_as_what_a_format_can_hold(output, declared, part):
    said = output(part)
    found = [
        (state.instrument, picture)
        for state in states(part, declared)
        for picture in state.instrument.pictures
    ]
    for instrument, picture in found:
        name = f"{instrument.name}-{picture.name}"
        if said.builder in ("text", "man"):
            assert f"Picture: {picture.title}." in said.words.replace("*", "")
        elif said.builder == "latex":
            assert f"\\sphinxincludegraphics{{{{{name}}}.pdf}}" in said.raw
            assert (said.folder / f"{name}.pdf").read_bytes().startswith(b"%PDF-")
        elif said.builder == "epub":
            shown = re.search(
                rf'<img alt="{re.escape(html.escape(picture.title))}" src="\.\./_images/{name}\.png"',
                said.raw,
            )
            assert shown, name
            assert (said.folder / "_images" / f"{name}.png").read_bytes().startswith(b"\x89PNG")
    if said.builder in PAGES and said.builder != "epub":
        # Each is drawn wide and narrow.
        assert len(re.findall(r'<svg[^>]*class="ck-(?:wide|narrow)"', said.raw)) >= 2 * len(found) > 0


def test_a_translator_gets_every_question_and_its_feedback(made):
    folder = made("gettext")
    text = "".join(path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.pot")))
    words = squeezed("".join(re.findall(r'^(?:msgid )?"(.*)"$', text, re.MULTILINE)))
    for part in PARTS:
        asked = [run for option in options(part) for text in option for run in runs(text)]
        assert asked
        assert not missing(asked, words)


# EPUB --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def epub(made: Made) -> zipfile.ZipFile:
    (file,) = made("epub").glob("*.epub")
    with zipfile.ZipFile(file) as opened:
        yield opened


def _manifest(epub: zipfile.ZipFile) -> tuple[ElementTree.Element, dict[str, ElementTree.Element]]:
    package = ElementTree.fromstring(epub.read("content.opf"))
    items = package.findall("{*}manifest/{*}item")
    return package, {unquote(item.attrib["href"]): item for item in items}


def test_the_epub_is_a_container_that_names_what_it_holds(epub):
    first = epub.infolist()[0]
    assert (first.filename, first.compress_type) == ("mimetype", zipfile.ZIP_STORED)
    assert epub.read("mimetype") == b"application/epub+zip"
    package, items = _manifest(epub)
    own = {"mimetype", "content.opf", "META-INF/container.xml"}
    assert set(epub.namelist()) - own == set(items)
    assert len(epub.namelist()) == len(set(epub.namelist()))
    ids = [item.attrib["id"] for item in items.values()]
    assert len(ids) == len(set(ids))
    read = [item.attrib["idref"] for item in package.findall("{*}spine/{*}itemref")]
    assert len(read) == len(set(read)) > len(PARTS)
    assert set(read) <= set(ids)
    # The identifier is one, also for older readers.
    identifier = package.findtext("{*}metadata/{*}identifier")
    old = ElementTree.fromstring(epub.read("toc.ncx")).find("{*}head/{*}meta[@name='dtb:uid']")
    assert old is not None
    assert old.attrib["content"] == identifier != "unknown"


def test_every_page_of_the_epub_is_well_formed_and_says_its_language(epub):
    pages = [name for name in epub.namelist() if name.endswith(".xhtml")]
    assert len(pages) >= 10
    for name in pages:
        root = ElementTree.fromstring(epub.read(name).decode().replace("&nbsp;", "\u00a0"))
        assert root.tag == f"{XHTML}html", name
        assert root.attrib["lang"] == "en", name
        ids = [node.get("id") for node in root.iter() if node.get("id")]
        assert len(ids) == len(set(ids)), name
        assert not [node for node in root.iter(f"{XHTML}img") if not node.get("alt")], name
        assert not [
            node for kind in ("script", "svg", "input", "button") for node in root.iter(XHTML + kind)
        ], name
        assert not [fold for fold in root.iter(f"{XHTML}details") if fold.get("open") is None], name


def test_every_link_of_the_epub_arrives_in_it(epub):
    pages = {
        name: ElementTree.fromstring(epub.read(name).decode().replace("&nbsp;", "\u00a0"))
        for name in epub.namelist()
        if name.endswith(".xhtml")
    }
    ids = {name: {node.get("id") for node in root.iter()} for name, root in pages.items()}
    lost = []
    for name, root in pages.items():
        for node in root.iter():
            for attribute in ("href", "src"):
                path, _mark, anchor = unquote(node.get(attribute, "")).partition("#")
                if ":" in path or node.get(attribute) is None:
                    continue
                target = posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) if path else name
                if target not in epub.namelist() or (anchor and anchor not in ids[target]):
                    lost.append(f"{name}: {node.get(attribute)}")
    for name in (name for name in epub.namelist() if name.endswith(".css")):
        for address in re.findall(r"""url\(['"]?([^'")]+)""", epub.read(name).decode()):
            if (
                ":" not in address
                and posixpath.normpath(posixpath.join(posixpath.dirname(name), address))
                not in epub.namelist()
            ):
                lost.append(f"{name}: {address}")
    assert not lost


def test_the_contents_of_the_epub_lead_to_every_part(epub):
    nav = ElementTree.fromstring(epub.read("nav.xhtml"))
    led = [link.attrib["href"] for link in nav.iter(f"{XHTML}a")]
    assert [name for name in led if re.fullmatch(r"book/part-\w\.xhtml", name)] == [
        f"book/{part}.xhtml" for part in PARTS
    ]


def test_math_in_the_epub_is_mathml_and_the_list_of_files_says_so(epub):
    _package, items = _manifest(epub)
    with_math = 0
    for name, item in items.items():
        if name.endswith(".xhtml") and name != "nav.xhtml":
            page = epub.read(name).decode()
            with_math += "<math" in page
            assert ("mathml" in item.get("properties", "").split()) == ("<math" in page), name
            assert "katex-html" not in page, name
    assert with_math > len(PARTS)


# LaTeX -------------------------------------------------------------------------------------


def test_the_printed_book_has_a_chapter_for_every_part(made):
    text = (made("latex") / "whenfailureisroutine.tex").read_text(encoding="utf-8")
    chapters = re.findall(r"^\\chapter\{(.*)\}$", text, re.MULTILINE)
    assert chapters[0] == "Introduction"
    assert [title[:6] for title in chapters if title.startswith("Part")] == [
        f"Part {p[-1].upper()}" for p in PARTS
    ]


def test_the_printed_book_names_only_files_that_are_there(made):
    folder = made("latex")
    text = (folder / "whenfailureisroutine.tex").read_text(encoding="utf-8")
    named = re.findall(r"\\sphinxincludegraphics(?:\[[^\]]*\])?\{\{([^}]+)\}(\.\w+)\}", text)
    assert len(named) >= len(PARTS)
    assert not [name + kind for name, kind in named if not (folder / (name + kind)).is_file()]
