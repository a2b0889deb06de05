"""The reference: every function is there, explains itself, and is linked with the page that derives it."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import fault_tolerance
from chapterkit import trace

ROOT = Path(__file__).parents[2]
PAGES = {path: path.read_text(encoding="utf-8") for path in sorted(ROOT.glob("book/*.md"))}


def found(pattern: str) -> dict[str, Path]:
    """Labels, and the page on which each stands."""
    return {label: page for page, text in PAGES.items() for label in re.findall(pattern, text, re.M)}


EQUATIONS = found(r"\((eq-[\w-]+)\)$")
SECTIONS = found(r"^\(([\w-]+)\)=\n+#")
UNITS = r"seconds|per second|bytes|share|probability|between 0 and 1|whole number|requests|GPUs|failures"


def public() -> dict[str, Callable[..., Any]]:
    """Every function that the package offers, by its full public name."""
    found = {}
    for name in fault_tolerance.__all__:
        module = importlib.import_module(f"fault_tolerance.{name}")
        for word in getattr(module, "__all__", vars(module)):
            value = getattr(module, word)
            mine = getattr(value, "__module__", "").startswith(module.__name__)
            if inspect.isfunction(value) and mine and not word.startswith("_"):
                found[f"{module.__name__}.{word}"] = value
    return found


FUNCTIONS = public()
every_function = pytest.mark.parametrize("name", FUNCTIONS)


def section(name: str, title: str) -> str:
    """One section of a docstring in numpydoc's form."""
    text = inspect.getdoc(FUNCTIONS[name]) or ""
    match = re.search(rf"^{title}\n-+\n(.*?)(?=^\w+\n-+\n|\Z)", text, re.M | re.S)
    return match[1] if match else ""


def labels(name: str, role: str) -> list[str]:
    return re.findall(rf":{role}:`([^`<]+)`", inspect.getdoc(FUNCTIONS[name]) or "")


def test_the_package_offers_more_than_forty_functions():
    assert len(FUNCTIONS) > 40


@every_function
def test_a_function_names_its_units_its_errors_and_an_example(name: str):
    assert re.search(UNITS, section(name, "Returns"), re.I), section(name, "Returns")
    assert re.search(r"^(Value|Type)Error$", section(name, "Raises"), re.M)
    assert ">>> " in section(name, "Examples")


@every_function
def test_a_function_says_where_it_is_derived_or_compared_and_the_labels_exist(name: str):
    first = section(name, "Notes").split(".")[0]
    assert re.match(r"(Derived|Used|Drawn|Compared with theory) in :ref:`", first), first
    assert set(labels(name, "ref")) <= SECTIONS.keys()
    assert set(labels(name, "eq")) <= EQUATIONS.keys()


@every_function
def test_an_equation_stands_on_a_page_that_the_function_names(name: str):
    named = {SECTIONS[label] for label in labels(name, "ref")}
    derived = [label for label in labels(name, "eq") if EQUATIONS[label] not in named]
    # Equations of other pages may be mentioned, but the first one is the function's own.
    assert not derived or labels(name, "eq")[0] not in derived


def test_every_equation_with_a_number_is_named_by_a_function():
    named = {label for name in FUNCTIONS for label in labels(name, "eq")}
    assert len(EQUATIONS) > 40
    assert not EQUATIONS.keys() - named, "name each in the docstring of the function that computes it"


def test_every_function_has_its_place_and_below_what_it_names_a_link_to_it(made: Callable[[str], Path]):
    """An equation leads to the functions that name it; a heading to those that name no equation."""
    site = made("html")
    reference = {path.name: path.read_text(encoding="utf-8") for path in site.glob("book/reference/*.html")}
    pages = {page: (site / "book" / f"{page.stem}.html").read_text(encoding="utf-8") for page in PAGES}
    missing = []
    for name in FUNCTIONS:
        file = f"{name.split('.')[1]}.html"
        assert f'id="{name}"' in reference[file]
        equations, sections = labels(name, "eq"), labels(name, "ref")
        places = [(EQUATIONS[label], f'id="equation-{label}"') for label in equations]
        for page, place in places or [(SECTIONS[label], f'id="{label}"') for label in sections]:
            _before, line, after = pages[page].partition(place)[2].partition('<p class="ck-in-code">')
            if not line or f'href="reference/{file}#{name}"' not in after.partition("</p>")[0]:
                missing.append((name, place))

    assert not missing


INSTRUMENTS = sorted(path.stem for path in (ROOT / "book" / "instruments").glob("[a-z]*.py"))


@pytest.mark.parametrize("module", INSTRUMENTS)
def test_every_number_that_an_instrument_reads_out_tells_its_call(declared, module: str):
    instrument = declared(module)
    state = instrument.evaluate()
    made = trace.expressions(instrument.compute)
    numbers = {
        readout.name for readout in instrument.readouts if not isinstance(state.values[readout.name], str)
    }

    assert numbers
    assert not numbers - made.keys()
