"""{calc} and {given}: numbers computed at build, and what happens to wrong ones."""

from __future__ import annotations

import importlib
import math
import os
import sys
from pathlib import Path

import pytest

from chapterkit import calc, expression
from chapterkit.errors import BookError, report
from chapterkit.expression import ExpressionError, Given

NAMES = {**expression.FUNCTIONS, **expression.UNITS}


def run(text: str, **given: Given):
    return expression.as_number(expression.evaluate(text, NAMES, given))


# Expressions ------------------------------------------------------------------------------


def test_units_and_functions_are_known():
    assert run("3 * h + 2 * minute + sqrt(4) * s") == 3 * 3600 + 120 + 2


def test_a_given_name_goes_before_a_name_of_the_book():
    assert run("max", max=Given(7, "7")) == 7


def test_a_comprehension_may_bring_its_own_name():
    assert run("sum(i * i for i in range(4))") == 14


def test_numpy_scalars_are_numbers():
    numpy = pytest.importorskip("numpy")
    value = expression.as_number(numpy.float64(2.5))
    assert value == 2.5
    assert type(value) is float


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1 +", "not a Python expression"),
        ("a = 1", "not a Python expression"),
        ("sqr(2)", "no name 'sqr' here; did you mean sqrt"),
        ("qqqqqq", "known are B, GB"),
        ("open('x')", "no name 'open' here"),
        ("__import__('os')", "must not begin with an underscore"),
        ("pi.__class__", "must not begin with an underscore"),
        ("(lambda: 1)()", "a lambda is not allowed"),
        ("(n := 1)", "an assignment inside an expression is not allowed"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("sqrt(-1)", "ValueError"),
        ("1e999", "must give a finite number; got inf"),
        ("1e999 - 1e999", "must give a finite number; got nan"),
        ("[1, 2]", "must give one number; got 2 in a list"),
        ("'27'", "must give a number; got '27'"),
        ("1 < 2", "must give a number; got True"),
        ("sqrt", "must give a number; got"),
        ("1j", "must give a number; got 1j"),
    ],
)
def test_a_wrong_expression_is_told_in_words(text, words):
    with pytest.raises(ExpressionError) as error:
        run(text)
    assert words in str(error.value)


def test_a_name_of_two_modules_must_be_written_with_its_module():
    import types

    one, two = types.ModuleType("x.one"), types.ModuleType("x.two")
    one.size, two.size = 1, 2
    names = expression.module_names([one, two])
    with pytest.raises(ExpressionError, match=r"write one\.size or two\.size"):
        expression.evaluate("size", names, {})
    assert expression.evaluate("two.size", names, {}) == 2


@pytest.mark.parametrize(
    ("text", "spelled"),
    [
        ("f(a, b)", "f(2 * minute, 3)"),
        ("a * b", "(2 * minute) * 3"),
        ("f(x=a)", "f(x=2 * minute)"),
        ("a", "2 * minute"),
        ("sum(a for a in range(b))", "sum(a for a in range(3))"),
        ("'é' + f(b, a)", "'é' + f(3, 2 * minute)"),
        ("f(\n  a)", "f(\n  2 * minute)"),
        ("area(b)", "area(3)"),
    ],
)
def test_given_names_are_spelled_out_as_written(text, spelled):
    given = {"a": Given(120.0, "2 * minute"), "b": Given(3, "3")}
    assert expression.spell_out(text, given) == spelled


# The role and the directive -----------------------------------------------------------------


def number(book, text: str, before: str = "") -> str:
    book.only(f"{before}\n\n{{calc}}`{text}`")
    done = book.build("text")
    assert not done.warnings
    return done.read("index.txt").strip().splitlines()[-1]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1643.17 | min .1f", "27.4\u202fmin"),
        ("0.146 | %", "14.6\u202f%"),
        ("62000 | ,.0f", "62,000"),
        ("1643.17 | time", "27.4\u202fmin"),
        ("2 / 3", "0.667"),
        ("temperature(0) | .0f", "90"),
        ("falling.rate(1) | .2f", "9.81"),
        ("7 | 2 | .0f", "7"),
    ],
)
def test_unit_and_format_are_both_optional(book, text, words):
    assert number(book, text) == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("fall_tim(2)", "did you mean fall_time"),
        ("rate(2)", "write falling.rate or cooling.rate"),
        ("hidden()", "no name 'hidden'"),
        ("fall_time(-1)", "must give a number"),
        ("1e999", "must give a finite number"),
        ("1 | furlong .1f", "unknown unit 'furlong'; known are"),
        ("1 | furlong", "unknown unit 'furlong'; known are"),
        ("1 | .1q", "format must look like ',.1f' or '.3g'; got '.1q'"),
        ("1 | s .1q", "format must look like ',.1f' or '.3g'; got '.1q'"),
        ("record('x').y", "no file of records: set chapterkit_records in conf.py"),
    ],
)
def test_a_wrong_number_stops_the_build_with_file_and_line(stopped, text, words):
    stopped(f"Words.\n\n{{calc}}`{text}`", words, "index.md:5")


def test_every_mistake_of_the_book_is_listed_and_a_second_build_stops_too(book, stopped):
    said = stopped("{calc}`one` and\n\n{calc}`two`", "no name 'one'", "index.md:7", page="{calc}`three`")
    assert "index.md:9: {calc} 'two'" in said
    assert "page.md:3: {calc} 'three'" in said
    with pytest.raises(BookError, match=r"page\.md:3"):
        book.build()


def test_mistakes_found_in_parallel_stop_the_build(book):
    book.write("four.md", "# Four\n\n{calc}`nobody`\n")
    with pytest.raises(BookError, match=r"four\.md:3: .*no name 'nobody'"):
        book.build(parallel=2)


def test_a_mended_page_lets_the_build_go_on(book):
    app = book.build().app
    report(app.env, "a mistake", "four.md", 3, "four")
    with pytest.raises(BookError, match=r"four\.md:3: a mistake"):
        app.emit("env-updated", app.env)
    app.emit("env-purge-doc", app.env, "four")
    app.emit("env-updated", app.env)


def test_a_bar_that_cut_the_role_in_a_table_stops_the_build(stopped):
    stopped("| a | b |\n|---|---|\n| x | {calc}`1 | s` |\n", "in a table write \\| for the bar", "index.md:")


def test_given_is_visible_below_and_on_its_page_only(book, stopped):
    given = ":::{given}\nheight = 2 * 10\ntime = fall_time(\n  height)  # seconds\n:::"
    assert number(book, "time | s .2f", given) == "2.02\u202fs"
    stopped("Words.", "no name 'height'", "other.md:3", before=given, other="{calc}`height`")


def test_given_may_be_hidden(book):
    book.only(":::{given}\n:hidden:\nheight = 5\n:::\n\n{calc}`height`")
    text = book.build("text").read("index.txt")
    assert "height" not in text
    assert text.strip().endswith("5")


@pytest.mark.parametrize(
    ("lines", "words", "line"),
    [
        ("x = 1\ny = z", "no name 'z'", 5),
        ("x = 1\nprint(x)", "write one `name = expression` a line", 5),
        ("x, y = 1, 2", "write one `name = expression` a line", 4),
        ("x = 1\nh = 3", "'h' is taken by a unit, a function or a module", 5),
        ("falling = 3", "'falling' is taken", 4),
        ("x = 'words'", "must give a number", 4),
        ("x = 1\n\ny = = 2", "not Python", 6),
        (":hidden:\nx = y", "no name 'y'", 5),
        (":hidden:\n\nx = y", "no name 'y'", 6),
    ],
)
def test_a_wrong_line_of_given_stops_the_build_at_that_line(stopped, lines, words, line):
    stopped(f":::{{given}}\n{lines}\n:::", words, f"index.md:{line}")


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("fall_time(height) | ms .0f", "fall_time(2 * 10) = 2.019275"),
        ("height", "height = 2 * 10 = 20"),
        ("many", "many = 1_000"),
        ("7", "7"),
        ("2 * h", "2 * h = 7200"),
    ],
)
def test_the_call_is_shown_with_its_value_in_base_units(book, text, call):
    book.only(f":::{{given}}\nheight = 2 * 10\nmany = 1_000\n:::\n\n{{calc}}`{text}`")
    assert f'data-call="{call}"' in book.build().read("index.html")


def test_inside_links_and_options_the_number_is_no_second_control(built):
    body = built("html").body("falling.html")
    link = body[body.index('<a class="reference internal" href="#cup-speed">') :]
    assert "tabindex" not in link[: link.index("</a>")]
    label = body[body.index("<label for=") :]
    assert "data-call" in label[: label.index("</label>")]
    assert "tabindex" not in label[: label.index("</label>")]


def test_changed_physics_reads_every_page_again(book):
    assert book.build("text").read("one.txt").strip().endswith("0.782\u202fs")
    falling = (book.folder / "falling.py").read_text(encoding="utf-8")
    book.write("falling.py", falling.replace("9.81", "1.62"))
    done = book.build("text")
    assert done.read("one.txt").strip().endswith("1.925\u202fs")
    assert math.isclose((2 * 3 / 1.62) ** 0.5, 1.925, rel_tol=1e-3)


def test_unchanged_physics_reads_nothing_again(book):
    book.build("text")
    assert "0 added, 0 changed, 0 removed" in book.build("text").status


def test_a_module_that_cannot_be_imported_is_named(book):
    from sphinx.errors import ConfigError

    conf = (book.folder / "conf.py").read_text(encoding="utf-8")
    book.write("conf.py", conf.replace('"cooling"]', '"coolnig"]'))
    with pytest.raises(ConfigError, match="chapterkit_calc_modules: cannot import 'coolnig'"):
        book.build()


SOUP = """'Soup.'


def salt(cups):
    'Grams.'
    return 3 * cups
"""


def test_an_edited_docstring_or_comment_is_no_other_code_and_an_edited_number_is(tmp_path: Path, monkeypatch):
    file = tmp_path / "soup.py"
    monkeypatch.syspath_prepend(str(tmp_path))

    def print_of(text: str, at: int) -> str:
        file.write_text(text, encoding="utf-8")
        os.utime(file, ns=(at, at))
        return calc.fingerprint([importlib.import_module("soup")])

    first = print_of(SOUP, 1)
    edited = print_of(SOUP.replace("Grams", "In grams") + "# a lot\n", 2)
    changed = print_of(SOUP.replace("3", "4"), 3)
    sys.modules.pop("soup")

    assert first == edited != changed
