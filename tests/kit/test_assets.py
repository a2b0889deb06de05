"""What a page loads: one style and one script, whatever the number of parts, and nothing that is missing."""

# Tables of cases, figures and lines of JavaScript read better uncut.

from __future__ import annotations

import json
import posixpath
import re
import sys
from pathlib import Path

import pytest

from chapterkit import assets, quantity

STYLES = re.compile(r'<link rel="stylesheet"[^>]*href="([^"?]+)')
SCRIPTS = re.compile(r'<script[^>]*\bsrc="([^"?]+)[^>]*>')
PIXEL = b"GIF89a\x01\x00\x01\x00\x00\x00\x00;"


@pytest.fixture(scope="module")
def swings(tmp_path_factory, pytestconfig):
    plugins = pytestconfig.pluginmanager.get_plugins()
    kit = next(
        plugin for plugin in plugins if getattr(plugin, "Book", None) and getattr(plugin, "SNAPSHOTS", None)
    )
    return lambda: kit.Book(tmp_path_factory.mktemp("assets") / "book", "pendulum")


@pytest.fixture(scope="module")
def site(swings):
    """The book with files of its own: styles that ask for pictures, and a script."""
    book = swings()
    (book.folder / "own" / "deep").mkdir(parents=True)
    (book.folder / "own" / "dot.gif").write_bytes(PIXEL)
    (book.folder / "own" / "deep" / "dot.gif").write_bytes(PIXEL)
    book.write(
        "own/deep/first.css",
        'a { background: url(dot.gif) } b { background: url("../dot.gif") }\n/*# sourceMappingURL=first.css.map */',
    )
    book.write(
        "own/second.css",
        "c { background: url( 'deep/dot.gif' ) } d { background: url(data:image/gif;base64,AAAA) } e { fill: url(#here) } f { background: url(/dot.gif) }",
    )
    book.write("own/one.js", "window.first = (window.first || 0) + 1\n//# sourceMappingURL=one.js.map")
    book.write("own/two.js", "(function () { window.second = window.first })()")
    book.write("own/module.js", "window.third = 1;")
    book.write("own/now.js", "window.now = 1;")
    conf = (book.folder / "conf.py").read_text()
    book.write(
        "conf.py",
        f"{conf}\nhtml_static_path = ['own']\nhtml_css_files = ['deep/first.css', 'second.css', ('print.css', {{'media': 'print'}})]\n"
        "html_js_files = [('one.js', {'defer': 'defer'}), ('two.js', {'defer': 'defer'}), ('module.js', {'type': 'module'}), 'now.js', 'https://example.org/far.js']\n",
    )
    book.write("own/print.css", "a { color: black }")
    (book.folder / "sub").mkdir()
    book.write("sub/page.md", "# Below\n")
    index = (book.folder / "index.md").read_text()
    marks = "".join(f"<{tag}></{tag}>" for tag in "abcdef")
    book.write("index.md", index.replace("four\n", "four\nsub/page\n") + f"\n```{{raw}} html\n{marks}\n```\n")
    done = book.build()
    assert not done.warnings
    return done


def joined(page: str, suffix: str) -> list[str]:
    return [name for name in (STYLES if suffix == ".css" else SCRIPTS).findall(page) if "/joined/" in name]


def test_a_page_has_one_joined_style_and_one_joined_script(site):
    for page in site.outdir.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        for suffix in (".css", ".js"):
            assert len(joined(text, suffix)) == 1


def test_everything_a_page_asks_for_is_there(site):
    for page in site.outdir.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        for name in [*STYLES.findall(text), *SCRIPTS.findall(text)]:
            if not name.startswith("https:"):
                assert (page.parent / name).is_file(), name


def test_what_cannot_be_joined_stays_as_it_is(site):
    text = site.read("index.html")
    assert 'href="_static/print.css' in text
    assert re.search(r'media="print"', text)
    assert re.search(
        r'type="module"[^>]*src="_static/module.js|src="_static/module.js[^>]*type="module"', text
    )
    assert "https://example.org/far.js" in text
    for name in (
        "first.css",
        "second.css",
        "one.js",
        "two.js",
        "now.js",
        "quantity.js",
        "book.js",
        "chapterkit.css",
    ):
        assert f"{name}" not in "".join([*STYLES.findall(text), *SCRIPTS.findall(text)])


def text_of(site, suffix: str) -> tuple[str, str]:
    name = joined(site.read("swing.html"), suffix)[0]
    return name, site.read(name)


def test_a_joined_style_holds_every_style_in_order_and_no_source_map(site):
    _name, text = text_of(site, ".css")
    assert text.index(".ck-canvas") < text.index("}a{background") < text.index("}c{background")
    assert "sourceMappingURL" not in text


def test_what_only_a_developer_reads_is_left_out_but_licences_stay(site):
    for suffix in (".css", ".js"):
        _name, text = text_of(site, suffix)
        # A comment that begins with a bang is a licence.
        assert not re.search(r"/\*[^!]", re.sub(r"\"[^\"\n]*\"|'[^'\n]*'", "", text)), suffix


def test_addresses_in_a_joined_style_arrive_where_they_did(site):
    name, text = text_of(site, ".css")
    for rule, target in (
        ("a", "_static/deep/dot.gif"),
        ("b", "_static/dot.gif"),
        ("c", "_static/deep/dot.gif"),
    ):
        address = re.search(rf"\}}{rule}\{{background:url\(([^)]*)\)", text)[1]
        assert posixpath.normpath(posixpath.join(posixpath.dirname(name), address)) == target
        assert (site.outdir / target).is_file()
    for kept in ("url(data:image/gif;base64,AAAA)", "url(#here)", "url(/dot.gif)"):
        assert kept in text


def test_a_joined_script_runs_every_script_in_order(site, v8):
    _name, text = text_of(site, ".js")
    assert "sourceMappingURL" not in text
    tail = text[text.index("window.first") :]
    # A file without a last semicolon must not run into the next one.
    v8.eval("var window = {};")
    v8.eval(tail)
    assert v8.eval("window.first + window.second") == 2
    assert (
        text.index("chapterkit.units")
        < text.index("ck.number")
        < text.index("ck.readTyped")
        < text.index("ck.define")
        < text.index("window.first")
    )


def test_pages_of_one_kind_share_their_files(site):
    names = {
        tuple(posixpath.basename(name) for name in joined(page.read_text(), suffix))
        for page in site.outdir.glob("*.html")
        if page.stem not in ("search", "genindex")
        for suffix in (".css", ".js")
    }
    assert len(names) == 2
    assert posixpath.basename(joined(site.read("sub/page.html"), ".js")[0]) in {
        name for pair in names for name in pair
    }


def test_what_waits_for_a_reader_s_hand_comes_after_all_else(site):
    """Only the address of those scripts stands in the page; the search, which leans on them, has them at once."""
    text = site.read("sub/page.html")
    address = re.search(r'data-later="\.\./(_static/joined/\w+\.js)\?v=\w+"', text)[1]
    assert "SphinxHighlight" in site.read(address)
    assert "SphinxHighlight" not in site.read(joined(site.read("swing.html"), ".js")[0])
    search = site.read("search.html")
    assert "data-later" not in search
    assert "sphinx_highlight.js" in search


def test_a_script_comes_only_to_pages_with_something_for_it(swings):
    book = swings()
    conf = (book.folder / "conf.py").read_text()
    book.write(
        "conf.py", conf + "\nextensions += ['sphinx_design']\nmyst_enable_extensions = ['colon_fence']\n"
    )
    book.only("Nothing to choose.", tabs="::::{tab-set}\n:::{tab-item} One\nText\n:::\n::::\n")
    done = book.build()
    assert "design-tabs.js" in done.read("tabs.html")
    assert "design-tabs.js" not in done.read("index.html")


def style_of(done, page: str) -> str:
    return done.read(joined(done.read(page), ".css")[0])


def test_a_joined_style_holds_no_rule_that_no_page_needs(site):
    assert ".ck-canvas" in style_of(site, "swing.html")
    assert ".sig-paren" in site.read("_static/basic.css")
    assert ".sig-paren" not in style_of(site, "swing.html")


def test_a_page_that_is_built_alone_gets_the_style_of_a_clean_build(swings):
    book = swings()
    first = book.build()
    assert "div.topic" not in style_of(first, "index.html")
    book.write("one.md", "# One\n\n```{topic} New here\nText\n```\n")
    again, clean = book.build(), book.build(out="_clean")
    assert "div.topic" in style_of(again, "index.html")
    for page in clean.outdir.rglob("*.html"):
        name = page.relative_to(clean.outdir).as_posix()
        assert again.read(name) == clean.read(name)
        assert style_of(again, name) == style_of(clean, name)


def test_a_style_that_changes_gets_a_new_address_on_every_page(swings):
    book = swings()

    def addresses(done):
        return {
            re.search(r"joined/\w+\.css(\?v=\w+)", done.read(f"{name}.html"))[1]
            for name in ("index", "one", "two")
        }

    before = addresses(book.build())
    book.write("one.md", "# One\n\n```{topic} New here\nText\n```\n")
    after = addresses(book.build())
    assert len(before) == len(after) == 1
    assert before != after


def test_a_script_that_changes_reaches_every_page_though_none_was_written_for_it(swings):
    book = swings()
    (book.folder / "own").mkdir()
    book.write("own/one.js", "window.first = 1")
    conf = (book.folder / "conf.py").read_text()
    book.write(
        "conf.py", f"{conf}\nhtml_static_path = ['own']\nhtml_js_files = [('one.js', {{'defer': 'defer'}})]\n"
    )

    def script(done, name):
        found = re.search(r'src="(_static/joined/\w+\.js)(\?v=\w+)"', done.read(f"{name}.html"))
        return found[2], done.read(found[1])

    before = {name: script(book.build(), name) for name in ("index", "one")}
    book.write("own/one.js", "window.first = 2")
    again = book.build()
    for name, (version, text) in before.items():
        assert "window.first=1" in text
        assert "window.first=2" in script(again, name)[1]
        assert script(again, name)[0] != version


def test_a_rule_for_what_a_script_fetches_later_stays(swings):
    """As live cells do: a page asks for a small script, and that one for the rest when a reader wants it."""
    book = swings()
    (book.folder / "own").mkdir()
    book.write("own/small.js", 'window.want = () => load("large.js")')
    book.write("own/large.js", 'window.made = "drawer"')
    book.write("own/look.css", ".drawer { color: red } .cupboard { color: blue }")
    conf = (book.folder / "conf.py").read_text()
    more = "html_static_path = ['own']\nhtml_css_files = ['look.css']\nhtml_js_files = [('small.js', {'defer': 'defer'})]\n"
    book.write("conf.py", f"{conf}\n{more}")
    style = style_of(book.build(), "index.html")
    assert ".drawer" in style
    assert ".cupboard" not in style


def test_a_rule_stays_whose_script_came_to_name_it_in_the_same_build(swings):
    """The script is on one page only, so no other page, written or not, has brought it up to date."""
    book = swings()
    (book.folder / "own").mkdir()
    book.write("own/one.js", "window.made = 'table'")
    book.write("own/look.css", "p { color: black }")
    conf = (book.folder / "conf.py").read_text()
    more = """html_static_path = ['own']
html_css_files = ['look.css']
def setup(app):
    def add(app, name, *rest):
        if name == 'one':
            app.add_js_file('one.js', defer='defer')
    app.connect('html-page-context', add)
"""
    book.write("conf.py", f"{conf}\n{more}")
    book.build()
    book.write("own/one.js", "window.made = 'drawer'")
    book.write("own/look.css", ".drawer { color: red }")
    assert ".drawer" in style_of(book.build(), "one.html")


def test_only_scripts_of_instruments_come_beside_the_joined_one(site):
    def own(page):
        return [name for name in SCRIPTS.findall(site.read(page)) if "instruments/" in name]

    assert own("swing.html") == own("again.html") == ["_static/instruments/long-swing.js"]
    assert own("index.html") == own("one.html") == own("sub/page.html") == []


def test_the_book_hands_its_data_to_every_page(site, v8):
    text = site.read("_static/book.js")
    v8.eval("var window = {}; ")
    v8.eval(text.replace("\nchapterkit.", "\nwindow.chapterkit."))
    assert json.loads(str(v8.eval("JSON.stringify(window.chapterkit.units)"))) == quantity.as_data()


def test_data_of_a_part_is_written_when_all_pages_are_read(swings, monkeypatch):
    book = swings()
    parts = (book.folder / "pendulum_parts.py").read_text()
    monkeypatch.delitem(sys.modules, "pendulum_parts", raising=False)
    book.write(
        "pendulum_parts.py",
        parts.replace(
            "    return",
            "    assets.provide(app, 'pages', lambda app: sorted(app.env.found_docs))\n    return",
        ),
    )
    text = book.build().read("_static/book.js")
    assert 'chapterkit.pages = ["again", "four", "index", "one", "swing", "three", "two"];\n' in text
    assert text.startswith("window.chapterkit = window.chapterkit || {};\n")


def test_settings_stand_in_the_page_and_cannot_break_out_of_it(swings):
    book = swings()
    conf = (book.folder / "conf.py").read_text()
    book.write("conf.py", conf.replace('chapterkit_book = "pendulum"', 'chapterkit_book = "</script><b>"'))
    page = book.build().read("index.html")
    text = re.search(
        r'<script type="application/json" id="chapterkit-settings">(.*?)</script>', page, re.DOTALL
    )[1]
    assert json.loads(text) == {"book": "</script><b>", "charts": "vendor/plotly-basic.min.js"}


def test_what_runs_before_the_first_paint_stands_in_the_head_without_comments(site, v8):
    head = site.read("index.html").split("</head>")[0]
    script = re.findall(r"<script>(.*?)</script>", head, re.DOTALL)[-1]
    assert "ck.firstPaintRules" in script
    assert not re.search(r"/\*|(^|\s)// ", script)
    v8.eval(f"new Function({json.dumps(script)})")


@pytest.mark.parametrize("builder", ["epub", "latex", "text"])
def test_other_formats_get_no_joined_files(swings, builder):
    done = swings().build(builder)
    assert not done.warnings
    assert not (done.outdir / "_static" / "joined").exists()
    assert not (done.outdir / "_static" / "book.js").exists()
    assert not any("<script" in page.read_text() for page in done.outdir.rglob("*.xhtml"))


def test_a_file_is_written_only_when_it_changes(tmp_path):
    target = tmp_path / "a.txt"
    assets.write_if_changed(target, "one")
    written = target.stat().st_ino
    assets.write_if_changed(target, "one")
    assert target.stat().st_ino == written
    assets.write_if_changed(target, "two")
    assert target.read_text() == "two"
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_every_static_file_is_plain_and_asks_nobody_else():
    for script in Path(assets.STATIC).glob("*.js"):
        text = script.read_text(encoding="utf-8")
        assert not re.search(r"^\s*(import\s+[\w{*\"']|export\s+[\w{*])", text, re.MULTILINE), script.name
        assert not re.search(
            r"https?://(?!www\.w3\.org)", re.sub(r"//.*|/\*.*?\*/", "", text, flags=re.DOTALL)
        ), script.name
