"""Published records: a number is never without its source, and a wrong file stops the build."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from sphinx.errors import ConfigError

from chapterkit.errors import BookError
from chapterkit.records import RecordsError, load, lookup

RECORDS = """
[kettle]
group = "water"
what = "A kettle"
who = "Brewer"
year = 1999
cite = "brewer1999"
where = "§2"
caveat = "Half of {published}`kettle.boil | s` is {calc}`record(\\"kettle\\").boil / 2 | s`."

[kettle.values]
boil = { label = "Time to boil", value = 3.50, unit = "min", bound = "about" }
cups = { label = "Cups", value = 1_200, where = "Table 1", note = "small" }

[leaf]
group = "leaves"
what = "Leaves & stems <mixed>"
who = "Picker"
year = 2001
cite = "picker2001"
where = "p. 7"

[leaf.values]
green = { label = "Green", value = 3, share = 30.10 }
black = { label = "Black", value = 7, share = 64.8 }
"""

ROW = '[kettle]\nwhat = "A kettle"\nwho = "Brewer"\nyear = 1999\ncite = "brewer1999"\nwhere = "§2"\n'
VALUES = '[kettle.values]\nboil = { label = "Boil", value = 3 }\n'

BIBLIOGRAPHY = """
@misc{brewer1999, author = {Brewer, Ann}, title = {Kettles}, year = {1999}}
@misc{picker2001, author = {Picker, Bob}, title = {Leaves}, year = {2001}}
"""


# The example book has no records, so its own extension does without them.
KIT = """
from pathlib import Path
import chapterkit
from chapterkit import assets, calc, records

def setup(app):
    static = str(Path(chapterkit.__file__).parent / "static")
    app.connect("config-inited", lambda app, config: config.html_static_path.append(static))
    for part in (assets, records, calc):
        part.setup(app)
    app.add_config_value("chapterkit_charts", "", "html")
    return {"parallel_read_safe": True, "parallel_write_safe": True}
"""


def written(folder: Path, text: str = RECORDS) -> Path:
    path = folder / "rows.toml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def tea(book):
    """The example book with records and a bibliography."""
    written(book.folder)
    book.write("kit.py", KIT)
    book.write("tea.bib", BIBLIOGRAPHY)
    with (book.folder / "conf.py").open("a") as conf:
        conf.write('\nextensions += ["sphinxcontrib.bibtex"]\nbibtex_bibfiles = ["tea.bib"]\n')
        conf.write('suppress_warnings = ["bibtex.missing_field"]\nchapterkit_records = "rows.toml"\n')
    return book


def page(text: str) -> str:
    return f"{text}\n\n```{{bibliography}}\n:all:\n```"


# The file ---------------------------------------------------------------------------------


def test_values_are_attributes_in_base_units(tmp_path):
    kettle = load(written(tmp_path))["kettle"]
    assert kettle.boil == 210.0
    assert kettle.cups == 1200
    assert isinstance(kettle.cups, int)


def test_the_printed_digits_are_kept(tmp_path):
    records = load(written(tmp_path))
    assert records["kettle"].field("boil").printed == "3.50\u202fmin"
    assert records["kettle"].field("cups").printed == "1,200"
    assert records["leaf"].field("green_share").printed == "30.10\u202f%"


def test_numbers_and_printed_shares_add_up_apart(tmp_path):
    leaf = load(written(tmp_path))["leaf"]
    assert sum(leaf.numbers) == 10
    assert sum(leaf.shares) == pytest.approx(0.949)
    assert leaf.green_share == pytest.approx(0.301)


def test_a_source_says_who_when_where_and_what(tmp_path):
    kettle = load(written(tmp_path))["kettle"]
    assert kettle.source(kettle.field("boil")) == "Brewer 1999, §2: Time to boil, about 3.50\u202fmin"
    assert kettle.source(kettle.field("cups")) == "Brewer 1999, Table 1: Cups, 1,200"


def test_a_changed_file_is_read_again(tmp_path):
    import os

    path = written(tmp_path)
    assert load(path)["kettle"].cups == 1200
    written(tmp_path, RECORDS.replace("1_200", "900"))
    os.utime(path, ns=(1, 1))
    assert load(path)["kettle"].cups == 900


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (ROW.replace('cite = "brewer1999"\n', "") + VALUES, "[kettle] has no citation key"),
        (ROW.replace('cite = "brewer1999"', 'cite = ""') + VALUES, "[kettle] has no citation key"),
        (ROW.replace("year = 1999\n", "") + VALUES, "[kettle] has no year"),
        (ROW.replace('where = "§2"\n', "") + VALUES, "[kettle] has no place"),
        (ROW, "[kettle] has no [kettle.values]"),
        (ROW + VALUES + ROW + VALUES, "kettle"),
        (ROW + 'colour = "red"\n' + VALUES, "[kettle] has unknown keys: colour"),
        (ROW + VALUES.replace("3 }", '3, unit = "parsec" }'), "[kettle] boil has the unknown unit 'parsec'"),
        (
            ROW + VALUES.replace("= 3 }", '= "three" }'),
            "[kettle] boil must have a number as value; got 'three'",
        ),
        (ROW + VALUES.replace("= 3 }", "= nan }"), "[kettle] boil must have a number as value"),
        (ROW + VALUES.replace("= 3 }", "= true }"), "[kettle] boil must have a number as value; got True"),
        (ROW + VALUES.replace("= 3 }", '= 3, share = "x" }'), "[kettle] boil must have a number as share"),
        (
            ROW + VALUES.replace("= 3 }", '= 3, bound = "maybe" }'),
            "[kettle] boil has the unknown bound 'maybe'",
        ),
        (ROW + VALUES.replace("boil =", "year ="), "[kettle] year: a value needs a name"),
        (ROW + VALUES.replace("boil =", "two-part ="), "[kettle] two-part: a value needs a name"),
        (ROW + VALUES + 'boil_share = { label = "x", value = 1 }\n', ""),
        ('kettle = "just text"\n', "[kettle] is not a table"),
        ("[kettle\n", "rows.toml"),
    ],
)
def test_a_wrong_file_is_told_by_file_and_row(tmp_path, text, words):
    if not words:
        assert load(written(tmp_path, text))["kettle"].boil_share == 1
        return
    with pytest.raises(RecordsError, match=re.escape(words)) as error:
        load(written(tmp_path, text))
    assert "rows.toml" in str(error.value)


def test_a_missing_file_is_told(tmp_path):
    with pytest.raises(RecordsError, match=r"none\.toml: cannot be read"):
        load(tmp_path / "none.toml")


def test_what_is_not_there_is_answered_with_what_is(tmp_path):
    records = load(written(tmp_path))
    with pytest.raises(RecordsError, match="no published record 'pot'; known are kettle, leaf"):
        records["pot"]
    with pytest.raises(AttributeError, match="'kettle' has no value 'colour'; it has boil, cups"):
        _ = records["kettle"].colour


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("kettle.boil", "3.50\u202fmin"),
        ("kettle.boil | s", "210\u202fs"),
        ("kettle.boil | min .1f", "3.5\u202fmin"),
        ("kettle.cups | .2g", "1200"),
        ("leaf.green_share|% .0f", "30\u202f%"),
    ],
)
def test_a_number_is_printed_as_asked(tmp_path, text, words):
    assert lookup(load(written(tmp_path)), text)[2] == words


# Pages ------------------------------------------------------------------------------------


def test_a_published_number_shows_its_source_on_hover_and_focus(tea):
    tea.only(page("It takes {published}`kettle.boil`."))
    built = tea.build()
    assert not built.warnings
    (span,) = re.findall(
        r'<span class="ck-published">(<span [^>]*>)([^<]*)</span></span>', built.body("index.html")
    )
    assert 'class="ck-calc"' in span[0]
    assert 'tabindex="0"' in span[0]
    assert 'data-call="Brewer 1999, §2: Time to boil, about 3.50\u202fmin"' in span[0]
    assert span[1] == "3.50\u202fmin"


def test_a_table_has_every_row_its_citation_and_its_caveat(tea):
    tea.only(page(":::{published-table}\n:anchors:\n:::\n\n{ref}`see <record-leaf>`"))
    built = tea.build()
    assert not built.warnings
    body = built.body("index.html")
    assert body.count('class="ck-record-head') == 2
    assert re.search(r"A kettle</strong>.*?Brewer 1999, §2 .*?href=\"#id\d+\"", body, re.DOTALL)
    assert "Leaves &amp; stems &lt;mixed&gt;" in body
    assert re.search(
        r"<th[^>]*><p>Cups</p>\s*</th>\s*<td><p><span class=\"ck-number\"><span [^>]*>1,200</span>", body
    )
    assert 'data-call="Brewer 1999, Table 1: Cups, 1,200"' in body
    assert "(Table 1, small)" in body
    assert "(30.10\u202f%)" in body
    assert re.search(r"Half of .*210.*is .*105", body)
    assert 'href="#record-leaf"' in body
    assert body.count('id="record-leaf"') == 1


def test_rows_and_values_can_be_chosen(tea):
    tea.only(
        page(":::{published-table} Two of them\n:keys: leaf, kettle\n:fields: \n:::").replace(
            ":fields: \n", ""
        ),
        group=page(":::{published-table}\n:group: water\n:::").partition("```")[0],
        few=":::{published-table}\n:keys: kettle\n:fields: cups\n:::",
    )
    built = tea.build()
    assert not built.warnings
    both = built.body("index.html")
    assert both.index("Leaves") < both.index("A kettle")
    assert "Two of them" in both
    assert "Leaves" not in built.body("group.html")
    few = built.body("few.html")
    assert "Cups" in few
    assert "Time to boil" not in few
    assert "Caveat" not in few


@pytest.mark.parametrize("builder", ["text", "latex", "epub", "man", "gettext", "dirhtml", "singlehtml"])
def test_every_builder_prints_numbers_and_tables(tea, builder):
    tea.only(page("It takes {published}`kettle.boil`.\n\n:::{published-table}\n:anchors:\n:::"))
    built = tea.build(builder)
    assert not [line for line in built.warnings.splitlines() if "epub" not in line and line.strip()]
    if builder in ("text", "latex", "man"):
        name = {"text": "index.txt", "latex": "*.tex", "man": "*.1"}[builder]
        (path,) = built.outdir.glob(name)
        text = path.read_text(encoding="utf-8")
        assert "3.50" in text
        assert "1,200" in text
        assert "tabindex" not in text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{published}`pot.boil`", "no published record 'pot'; known are kettle, leaf"),
        ("{published}`kettle.colour`", "record 'kettle' has no value 'colour'; it has boil, cups"),
        ("{published}`kettle`", "write key.field, for instance kettle."),
        ("{published}`kettle.boil | parsec .1f`", "unknown unit 'parsec'"),
        ("{published}`kettle.boil | d`", None),
        ("{published}`kettle.boil | .1z`", "format must look like"),
        (":::{published-table}\n:keys: pot\n:::", "no published record 'pot'"),
        (
            ":::{published-table}\n:group: stones\n:::",
            "no record is of group 'stones'; known are leaves, water",
        ),
        (
            ":::{published-table}\n:keys: kettle\n:fields: colour\n:::",
            "record 'kettle' has no value 'colour'",
        ),
    ],
)
def test_a_wrong_question_stops_the_build_at_its_line(tea, text, words):
    tea.only(page(text))
    if words is None:
        assert not tea.build().warnings
        return
    with pytest.raises(BookError) as error:
        tea.build()
    assert words in str(error.value)
    assert "index.md:3: " in str(error.value)


def test_a_row_that_cites_nothing_known_stops_the_build(tea):
    tea.only(page("Tea"))
    written(tea.folder, RECORDS.replace('cite = "picker2001"', 'cite = "nobody2001"'))
    with pytest.raises(ConfigError, match=r"rows\.toml: \[leaf\] cites 'nobody2001'"):
        tea.build()


def test_a_wrong_file_stops_the_build(tea):
    tea.only(page("Tea"))
    written(tea.folder, RECORDS.replace("cite", "site", 1))
    with pytest.raises(ConfigError, match=r"rows\.toml: \[kettle\] has unknown keys: site"):
        tea.build()


def test_a_page_is_read_again_when_the_file_changes(tea):
    import os

    tea.only("Text", one="{published}`kettle.cups`", two="{calc}`record('kettle').cups * 2`", three="Nothing")
    tea.write("index.md", page((tea.folder / "index.md").read_text()))
    assert "1,200" in tea.build().body("one.html")
    path = written(tea.folder, RECORDS.replace("1_200", "900"))
    os.utime(path, (2_000_000_000, 2_000_000_000))
    again = tea.build()
    assert ">900<" in again.body("one.html")
    assert "1800" in again.body("two.html")
    assert "three" not in again.status.partition("reading sources")[2].partition("looking for")[0]


def test_pages_read_in_parallel_are_the_same(tea):
    pages = {f"p{i}": "{published}`kettle.boil`\n\n:::{published-table}\n:::" for i in range(8)}
    tea.only("Text", **pages)
    tea.write("index.md", page((tea.folder / "index.md").read_text()))
    alone, together = tea.build(out="a"), tea.build(out="b", parallel=2)
    assert not alone.warnings + together.warnings
    for name in pages:
        assert alone.body(f"{name}.html") == together.body(f"{name}.html")
