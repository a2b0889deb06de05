"""Numbers for people: one format in Python and in the page."""

# Tables of cases, figures and lines of JavaScript read better uncut.

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest

from chapterkit import quantity
from chapterkit.quantity import LADDERS, MINUS, NARROW, UNITS, QuantityError, fields, fill, number, show

SCRIPT = Path(quantity.__file__).parent / "static" / "quantity.js"
SPECS = [
    "",
    ".0f",
    ".1f",
    ".2f",
    ".3f",
    ",.0f",
    ",.2f",
    "f",
    "g",
    ",",
    ".1g",
    ".2g",
    ".3g",
    ".6g",
    ".10g",
    ",.3g",
    ",.6g",
    ".0g",
    ".4",
    ",.12f",
    ".15g",
]


@pytest.fixture
def page(v8):
    """The page's formatter: `page(name, list of arguments)` calls one of its functions for each."""
    v8.eval("var window = {};")
    v8.eval(SCRIPT.read_text(encoding="utf-8"))
    v8.eval(f"window.chapterkit.units = {json.dumps(quantity.as_data(), ensure_ascii=False)};")

    def run(name: str, given: list) -> list:
        text = v8.eval(
            f"JSON.stringify({json.dumps(given)}.map(function (a) {{ try {{ return window.chapterkit.{name}.apply(null, a); }}"
            " catch (problem) { return { raised: problem.message }; } }))"
        )
        return json.loads(str(text))

    return run


def _values(rng: np.random.Generator, count: int) -> list[float]:
    """Every size and sign, whole numbers, halves and other ties, and short decimals."""
    wide = 10.0 ** rng.uniform(-30.0, 30.0, count)
    everyday = 10.0 ** rng.uniform(-4.0, 8.0, count)
    halves = rng.integers(0, 10_000, count) / 2.0 ** rng.integers(1, 12, count)
    decimals = np.round(rng.uniform(0, 100, count), 3)
    thousands = rng.integers(0, 10**7, count).astype(float)
    pool = np.concatenate([wide, everyday, halves, decimals, thousands])
    return (rng.choice(pool, count) * rng.choice([1.0, 1.0, -1.0], count)).tolist()


EDGES = [
    0.0, -0.0, 0.5, 1.5, 2.5, -0.5, -0.4, 0.05, 0.005, 1.005, 1.015, 2.675, 0.125, 0.375, 12.5, 13.5, 125.0, 1250.0, 1350.0, 0.0001, 999.5, 999.4999,
    9.995, 99.95, 9.5, 0.95, 1e15, 1e16, 123456789012345680.0, 1e20, 9.999999999999999e20, 1e21, 1e22, 1e23, 1.5e300, 5e-324,
    1e-7, 1e-20, 1e-21, 4.9e-21, 5e-21, 1e-300, 2.0**53, 2.0**-20, 1 / 3, 2 / 3,
]  # fmt: skip


def test_the_page_formats_as_python_does(page):
    rng = np.random.default_rng(7)
    values = _values(rng, 6000)
    units = rng.choice([*UNITS, *LADDERS], len(values)).tolist()
    specs = rng.choice(SPECS, len(values)).tolist()
    given = [list(case) for case in zip(values, units, specs, strict=True)]
    given += [
        [sign * value, unit, spec]
        for value, unit, spec in itertools.product(EDGES, ("", "%", "$", "time"), SPECS)
        for sign in (1, -1)
    ]
    # The last value below each rung of a ladder, the rung itself, and the first above.
    for name, rungs in LADDERS.items():
        for limit, _rung in rungs[:-1]:
            near = (limit, math.nextafter(limit, 0), math.nextafter(limit, math.inf), -limit, limit * 0.9996)
            given += [[value, name, spec] for value in near for spec in SPECS]
    given = [
        [value, unit, spec]
        for value, unit, spec in given
        if math.isfinite(value / UNITS[unit].factor if unit in UNITS else 1.0)
    ]
    ours = [show(*case) for case in given]
    theirs = page("show", given)
    assert [(case, a, b) for case, a, b in zip(given, ours, theirs, strict=True) if a != b] == []
    assert len(given) > 8000


def test_fixed_decimals_are_those_of_pythons_own_format(page):
    rng = np.random.default_rng(8)
    values = [*_values(rng, 3000), *EDGES]
    for spec in (".0f", ".1f", ".2f", ",.3f", ",.0f", ".17f"):
        wanted = []
        for value in values:
            text = format(abs(value), spec)
            wanted.append(MINUS + text if value < 0 and text.strip("0.,") else text)
        assert [number(value, spec) for value in values] == wanted
        assert page("number", [[value, spec] for value in values]) == wanted


def test_significant_digits_are_those_of_pythons_own_format(page):
    rng = np.random.default_rng(9)
    for digits in (1, 2, 3, 6):
        for value in _values(rng, 500):
            if 1e-15 < abs(value) < 1e15:
                # Same digits, but never an exponent.
                assert float(number(value, f".{digits}g").replace(MINUS, "-")) == float(
                    format(value, f".{digits}g")
                )


@pytest.mark.parametrize(("value", "spec", "words"), [
    (0.5, ".0f", "0"), (1.5, ".0f", "2"), (2.5, ".0f", "2"), (-0.4, ".0f", "0"), (-0.6, ".0f", f"{MINUS}1"), (1.005, ".2f", "1.00"),
    (1234.5, ",.0f", "1,234"), (1235.5, ",.0f", "1,236"), (1234567.0, ",", "1,230,000"), (1234567.0, "", "1230000"), (0.00012345, "", "0.000123"),
    (9.996, ".3g", "10"), (1e21, ",.0f", "1,000,000,000,000,000,000,000"), (1e23, ".1f", "99999999999999991611392.0"), (125.0, ".2g", "120"),
    (100.0, ".3g", "100"), (0.0, ".3g", "0"), (-0.0, ".1f", "0.0"),
])  # fmt: skip
def test_numbers_read_as_people_write_them(page, value, spec, words):
    assert number(value, spec) == words
    assert page("number", [[value, spec]]) == [words]


@pytest.mark.parametrize(("value", "unit", "spec", "words"), [
    (1643.2, "time", ".3g", f"27.4{NARROW}min"), (119.9, "time", ".3g", f"120{NARROW}s"), (120.0, "time", ".3g", f"2{NARROW}min"),
    (0.0, "time", "", f"0{NARROW}s"), (5e-5, "time", "", f"50{NARROW}µs"), (0.139, "%", ".1f", f"13.9{NARROW}%"), (-0.054, "points", ".1f", f"{MINUS}5.4{NARROW}points"),
    (2.7, "x", ".1f", "2.7×"), (-3.0, "$", ",.0f", f"{MINUS}$3"), (3 / 3600, "$/h", ".2f", "$3.00"), (2.45e12, "bytes", ".3g", f"2.45{NARROW}TB"),
    (999.0, "bytes", "", f"999{NARROW}B"), (1e9, "rate", "", f"1{NARROW}GB/s"), (365.25 * 86400, "y", "", f"1{NARROW}years"), (4.0, "/s", "", "4/s"), (16000, "", ",.0f", "16,000"),
])  # fmt: skip
def test_units_stand_where_they_belong(page, value, unit, spec, words):
    assert show(value, unit, spec) == words
    assert page("show", [[value, unit, spec]]) == [words]


def test_a_unit_is_as_large_as_its_name_says():
    sizes = {
        "": 1, "x": 1, "%": 0.01, "points": 0.01, "us": 1e-6, "ms": 1e-3, "s": 1, "min": 60, "h": 3600, "d": 86_400, "y": 31_557_600, "GPU-h": 3600,
        "B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12, "GiB": 1_073_741_824, "TiB": 1_099_511_627_776, "MB/s": 1e6, "GB/s": 1e9, "TB/s": 1e12,
        "/s": 1, "/h": 1 / 3600, "/d": 1 / 86_400, "/y": 1 / 31_557_600, "$": 1, "$/h": 1 / 3600, "$/d": 1 / 86_400, "B-params": 1e9, "TFLOP/s": 1e12,
    }  # fmt: skip
    assert {name: unit.factor for name, unit in UNITS.items() if name in sizes} == sizes


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_not_finite_is_never_shown(page, value):
    with pytest.raises(QuantityError, match="value must be finite to be shown"):
        show(value, "s")
    said = page("show", [[value, "s"], [None, "s"]])
    assert all("value must be finite to be shown" in answer["raised"] for answer in said)


def test_what_outgrows_its_unit_is_never_shown(page):
    with pytest.raises(QuantityError, match="too large to be shown in us"):
        show(1e305, "us")
    assert "too large to be shown in us" in page("show", [[1e305, "us"]])[0]["raised"]


def test_an_unknown_unit_is_named_with_those_there_are(page):
    with pytest.raises(QuantityError, match=r"unit must be one of .*GB/s.*time.*; got 'fortnight'"):
        show(1.0, "fortnight")
    assert "unknown unit 'fortnight'" in page("show", [[1.0, "fortnight"]])[0]["raised"]


@pytest.mark.parametrize(
    "spec", [".1e", "1f", ".f", "_", ",.1f ", "x", ".100f", ".1%", "+.1f", "８", ".１f", "f\n"]
)
def test_an_unknown_format_is_shown_with_one_that_works(page, spec):
    with pytest.raises(QuantityError, match=r"format must look like ',\.1f' or '\.3g'; got "):
        number(1.0, spec)
    assert "format must look like ',.1f' or '.3g'" in page("number", [[1.0, spec]])[0]["raised"]


TEMPLATES = [
    "no field", "{a}", "{a|time}", "{a|time .3g} and {b|% .1f}.", "{a| ,.0f}", "{word}: {a}{b}", "<b>{word}</b> {x}", "{a|$/d ,.0f} of {a|$/d ,.0f}",
    "{not a field} {A} {1}", "{a_1|s}", "{}", "{ a}", "a { b } c", "{größe}",
]  # fmt: skip


def test_templates_are_filled_alike(page):
    values = {"a": 1643.2, "b": -0.5, "a_1": 3, "word": "<i>yes</i> {a}", "x": 1e-9}
    for tell in (False, True):
        told = [fill(text, values, tell=tell) for text in TEMPLATES]
        assert page("fill", [[text, values, tell] for text in TEMPLATES]) == told


def test_a_number_in_a_template_can_say_by_what_name_its_call_is_found():
    values = {"a": 90.0, "word": "none", "count": "3 down"}
    assert fill("{a|s} {word} {count} 4", values, tell=True) == (
        '<span data-of="a">90\u202fs</span> none <span data-of="count">3 down</span> 4'
    )


def test_a_template_names_its_fields_in_order():
    assert fields("{b|% .1f} {a} {b} {Not} {größe}") == ["b", "a", "b"]


def test_a_field_without_a_value_is_named_with_those_there_are():
    with pytest.raises(QuantityError, match="template names 'c'; known are a, b"):
        fill("{c|s}", {"b": 1.0, "a": 2.0})


def test_the_page_gets_every_unit_and_ladder():
    data = quantity.as_data()
    assert set(data["units"]) == set(UNITS)
    assert set(data["ladders"]) == set(LADDERS)
    for rungs in LADDERS.values():
        assert [rung for _limit, rung in rungs if rung not in UNITS] == []
        assert list(rungs) == sorted(rungs)
        assert math.isinf(rungs[-1][0])
    json.dumps(data, allow_nan=False)


def test_known_units_leave_out_the_one_without_a_name():
    assert "" not in quantity.known_units()
    assert {"time", "GB/s"} <= set(quantity.known_units())
