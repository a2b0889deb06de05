"""An instrument on a page, in every format, and builds that stop when it cannot be shown."""

# Tables of cases, figures and lines of JavaScript read better uncut.

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest
from py_mini_racer import JSEvalException

from chapterkit.errors import BookError

DIAL = "dials/long_swing.py"


@pytest.fixture(scope="module")
def swings(tmp_path_factory, pytestconfig):
    """Make copies of the book about pendulums."""
    plugins = pytestconfig.pluginmanager.get_plugins()
    kit = next(
        plugin for plugin in plugins if getattr(plugin, "Book", None) and getattr(plugin, "SNAPSHOTS", None)
    )
    return lambda: kit.Book(tmp_path_factory.mktemp("pendulum") / "book", "pendulum")


@pytest.fixture
def swing(swings, monkeypatch):
    # A file that changes twice within a second must not be found in a cache.
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    return swings()


@pytest.fixture(scope="module")
def written(swings):
    """The book as it is, built once for each builder."""
    done = {}

    def build(builder):
        if builder not in done:
            done[builder] = swings().build(builder)
            assert not done[builder].warnings
        return done[builder]

    return build


def change(book, old: str, new: str, name: str = DIAL) -> None:
    text = (book.folder / name).read_text(encoding="utf-8")
    assert text.count(old) == 1, old
    book.write(name, text.replace(old, new))


# Output ---------------------------------------------------------------------------------------


def test_a_page_is_written_as_before(written, snapshot):
    body = written("html").body("swing.html")
    snapshot("swing.html.txt", re.sub(r"(<svg[^>]*>).*?</svg>", r"\1…</svg>", body, flags=re.DOTALL))


@pytest.mark.parametrize("builder", ["text", "epub"])
def test_other_formats_are_written_as_before(written, snapshot, builder):
    done = written(builder)
    snapshot(
        f"swing.{builder}.txt", done.read("swing.txt") if builder == "text" else done.body("swing.xhtml")
    )


def test_latex_is_written_as_before(written, snapshot):
    text = written("latex").read("pendulum.tex")
    snapshot("swing.latex.txt", text[text.index(r"\chapter{A swing}") : text.index(r"\chapter{Again}")])


@pytest.mark.parametrize("builder", ["man", "singlehtml", "dirhtml", "gettext", "xml", "texinfo"])
def test_every_other_builder_takes_an_instrument(written, builder):
    written(builder)


def test_images_of_print_and_books_are_there(written):
    assert (written("latex").outdir / "long-swing-curve.pdf").read_bytes().startswith(b"%PDF")
    assert (written("epub").outdir / "_images" / "long-swing-bars.png").read_bytes().startswith(b"\x89PNG")


def test_without_scripts_everything_is_there_at_its_default(written):
    body = written("html").body("swing.html")
    text = re.sub(r"<[^>]+>", "", re.sub(r"<svg.*?</svg>", "", body, flags=re.DOTALL))
    for words in ("How long a swing takes", "Length in metres", "2.021\u202fs", "small swings take 2.0061\u202fs", "0.77\u202f%",
                  "A small swing. It takes 2.021\u202fs.", "The star is yours", "The numbers of this picture", "a clock's pendulum", "from 0.1 to 10"):  # fmt: skip
        assert words.replace("'", "&#x27;") in text or words in text
    assert body.count("<svg") == 4
    assert re.search(
        r'<input id="long-swing.length" type="number"[^>]* min="0.1" max="10"[^>]* value="1"', body
    )
    assert body.count("<tbody>") == 2  # points of curves, and marks


def test_every_control_has_its_label_and_every_id_is_one(written):
    body = written("html").body("swing.html")
    ids = re.findall(r'\sid="([^"]+)"', body)
    assert len(ids) == len(set(ids))
    for name in re.findall(r'<label for="([^"]+)"', body):
        assert name in ids
    for names in re.findall(r'aria-(?:labelledby|describedby)="([^"]+)"', body):
        assert set(names.split()) <= set(ids)


def test_links_arrive_at_an_instrument_by_its_name(written):
    done = written("html")
    assert 'href="#long-swing"' in done.read("swing.html")
    assert 'id="long-swing"' in done.read("swing.html")
    # It stands on two pages; the first of the book is meant.
    assert 'href="swing.html#long-swing"><span class="std std-ref">How long a swing takes' in done.read(
        "one.html"
    )


# Scripts --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def script(written):
    return written("html").read("_static/instruments/long-swing.js")


def test_only_pages_with_an_instrument_load_its_script(written):
    done = written("html")
    loads = {
        page.name for page in done.outdir.glob("*.html") if "instruments/long-swing.js" in page.read_text()
    }
    assert loads == {"swing.html", "again.html"}
    assert re.search(r'<script[^>]* data-instrument="long-swing"', done.read("swing.html"))


def test_a_book_in_one_page_loads_every_script(written):
    done = written("singlehtml")
    assert "_static/instruments/long-swing.js" in done.read("index.html")
    assert (done.outdir / "_static/instruments/long-swing.js").exists()


def test_an_epub_asks_for_no_script(written):
    done = written("epub")
    for page in done.outdir.glob("*.xhtml"):
        assert "<script" not in page.read_text()
    assert not (done.outdir / "_static/instruments").exists()


@pytest.fixture
def declared(v8, script):
    """What the page is told, and a way to call its functions in V8."""
    v8.eval(
        "var window = { chapterkit: { define: function (declared, functions) { window.told = declared; window.functions = functions; } } };"
    )
    v8.eval(script)

    def call(name, *arguments):
        return json.loads(
            str(v8.eval(f"JSON.stringify(window.functions.{name}.apply(null, {json.dumps(arguments)}))"))
        )

    return json.loads(str(v8.eval("JSON.stringify(window.told)"))), call


def test_the_page_computes_what_the_build_printed(declared, written):
    told, call = declared
    by_name = {control["name"]: control["default"] * control["factor"] for control in told["controls"]}
    state = {**by_name, **call(told["compute"], *(by_name[name] for name in told["arguments"]))}
    body = written("html").body("swing.html")
    assert f"{state['exact']:.3f}" in body
    assert state["verdict"] == "small"
    for picture in told["pictures"]:
        drawn = call(picture["figure"], state)
        assert drawn["data"][0]["type"] in ("scatter", "bar")
    rows = call("rows", call("curve_figure", state))
    cells = re.findall(r"<t[hd](?: [^>]*)?>([^<]*)", body)
    assert rows[0] == cells[: len(rows[0])]
    assert len(cells) == sum(map(len, rows))


def test_the_page_refuses_what_the_build_refuses(declared):
    _told, call = declared
    with pytest.raises(JSEvalException, match=r"length must be a length above 0; got -1.0"):
        call("compute", -1.0, 20.0, 9.81)


def test_the_page_is_told_everything_that_was_declared(declared):
    told, _call = declared
    assert [control["name"] for control in told["controls"]] == ["length", "angle", "gravity"]
    assert told["sentences"]["verdict"].keys() == {"small", "large"}
    assert [picture["name"] for picture in told["pictures"]] == ["curve", "bars"]
    assert told["version"] == 1


def test_a_script_names_no_place_of_the_machine(script, written):
    for place in (str(written("html").app.srcdir), sys.prefix, ".py"):
        assert place not in script


# Mistakes -------------------------------------------------------------------------------------

MISTAKES = {
    "an unknown unit": ('0.1, 10, 0.1, 1, symbol="l"', '0.1, 10, 0.1, 1, unit="ell"', "long-swing.length: unknown unit 'ell'"),
    "a default out of range": ("0, 160, 1, 20", "0, 160, 1, 200", "long-swing.angle: default must be from 0 to 160; got 200"),
    "no instrument in the file": ("INSTRUMENT = ", "DIAL = ", "dials.long_swing must define INSTRUMENT = Instrument(name='long-swing', …)"),
    "a template": ("{exact|s .3f}.\")", "{exakt|s .3f}.\")", "long-swing: template names 'exakt'; known are angle, "),
    "words for another state": ("{extra|% .1f} more", "{extra|% .1e} more", "long-swing: format must look like ',.1f' or '.3g'; got '.1e'"),
    "a number that is none": ('"small": small,', '"small": np.inf - np.inf,', "long-swing: compute gave small = nan at "),
    "what Plotly refuses": ('"width": 3', '"width": -3', "long-swing: picture 'curve' is not a Plotly figure: "),
    "what cannot be drawn": ('"dash": "dash"', '"dash": "longdash"', "long-swing: picture 'curve': the dash of a line must be one of solid, dash, dot, dashdot; got 'longdash'"),
    "what cannot be compiled": ('verdict = "small"\n', 'verdict = f"small"\n', "dials/long_swing.py:{line}: in compute: cannot compile an f-string"),
    "an exception": ("stretch - 1.0,", "[stretch][1],", "IndexError: list index out of range ("),
    "a syntax error": ("    angles = []", "    angles = [", "SyntaxError: '[' was never closed"),
    "two functions of one name": ("def bars_figure", "def curve_figure", "NameError: name 'bars_figure' is not defined ("),
}  # fmt: skip


@pytest.mark.parametrize("what", MISTAKES)
def test_a_mistake_in_an_instrument_stops_the_build_where_the_page_names_it(swing, what):
    old, new, words = MISTAKES[what]
    change(swing, old, new)
    (swing.folder / "again.md").write_text("# Again\n")
    with pytest.raises(BookError) as problem:
        swing.build()
    assert f"{swing.folder}/swing.md:5: {{instrument}} long-swing: " in str(problem.value)
    line = (swing.folder / DIAL).read_text().split(new)[0].count("\n") + 1
    assert words.replace("{line}", str(line)) in str(problem.value)


def test_an_unknown_instrument_stops_the_build(swing):
    change(swing, "{instrument} long-swing", "{instrument} big-wheel", "swing.md")
    with pytest.raises(
        BookError,
        match=r"swing.md:5: \{instrument\} big-wheel: there is no instrument 'big-wheel': dials/big_wheel.py does not exist",
    ):
        swing.build()


def test_an_instrument_stands_once_on_a_page(swing):
    swing.write("two.md", "# Two\n\n```{instrument} long-swing\n```\n\n```{instrument} long-swing\n```\n")
    with pytest.raises(
        BookError, match=r"two.md:6: .*the instrument 'long-swing' stands on this page already"
    ):
        swing.build()


def test_a_stopped_build_stops_again(swing):
    swing.build()
    change(swing, '"small": small,', '"small": np.inf - np.inf,')
    for _ in range(2):
        with pytest.raises(BookError, match="gave small = nan"):
            swing.build()


def test_a_mistake_ends_the_command_without_warnings_being_errors(swing):
    change(swing, "0, 160, 1, 20", "0, 160, 1, 200")
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", "-q", "-b", "html", str(swing.folder), str(swing.folder / "_build")],
        capture_output=True, text=True, check=False, timeout=120, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode != 0
    assert f"{swing.folder}/swing.md:5: " in done.stderr
    assert not (swing.folder / "_build" / "swing.html").exists()


# Building again -------------------------------------------------------------------------------


def test_a_page_is_built_again_when_its_instrument_changes(swing):
    swing.build()
    change(swing, "0, 160, 1, 20", "0, 160, 1, 100")
    again = swing.build()
    assert "<b>A large swing.</b>" in again.body("swing.html")
    assert '"default": 100' in again.read("_static/instruments/long-swing.js")


def test_pages_without_the_instrument_are_left_as_they_are(swing):
    swing.build()
    change(swing, "0, 160, 1, 20", "0, 160, 1, 100")
    assert re.search(r"0 added, 2 changed, 0 removed", swing.build().status)


def test_nothing_is_read_again_when_nothing_changed(swing):
    swing.build()
    assert re.search(r"0 added, 0 changed, 0 removed", swing.build().status)


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [("2.0 * np.pi *", "4.0 * np.pi *", "4.0121"), ("TERMS = 12", "TERMS = 1", "2.0061")],
)
def test_a_page_and_its_script_are_built_again_when_a_module_behind_it_changes(swing, old, new, shown):
    before = swing.build().read("_static/instruments/long-swing.js")
    change(swing, old, new, "swinging.py")
    again = swing.build()
    assert f"small swings take {shown}" in re.sub(r"</?span[^>]*>", "", again.body("swing.html"))
    assert again.read("_static/instruments/long-swing.js") != before


def test_a_page_that_drops_its_instrument_drops_its_script(swing):
    swing.build()
    swing.write("swing.md", "# A swing\n\nGone.\n")
    again = swing.build()
    assert {page: list(used) for page, used in again.env.chapterkit_panels.items()} == {
        "again": ["long-swing"]
    }
    assert "instruments/" not in again.read("swing.html")
    assert "instruments/long-swing.js" in again.read("again.html")


def test_a_page_that_is_removed_is_forgotten(swing):
    swing.build()
    (swing.folder / "again.md").unlink()
    change(swing, "again\n", "", "index.md")
    assert set(swing.build().env.chapterkit_panels) == {"swing"}


def test_processes_that_read_at_once_find_the_same(swings, written):
    done = swings().build(parallel=3)
    assert not done.warnings
    assert done.env.chapterkit_panels == written("html").env.chapterkit_panels
    assert {page: list(used) for page, used in done.env.chapterkit_panels.items()} == {
        "swing": ["long-swing"],
        "again": ["long-swing"],
    }
    for name in ("swing.html", "again.html", "_static/instruments/long-swing.js"):
        assert done.read(name) == written("html").read(name)


def test_two_builds_are_equal(swings, written):
    done = swings().build()
    for page in ("swing.html", "one.html"):
        assert done.read(page) == written("html").read(page)
