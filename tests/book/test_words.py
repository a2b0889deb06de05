"""Corrections, notation and glossary say what the chapter says."""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path

import pytest

BOOK = Path(__file__).parents[2] / "book"
MODULES = ("reliability", "checkpoint", "storage", "snapshot", "serving")


def source(page: str) -> str:
    return (BOOK / f"{page}.md").read_text(encoding="utf-8")


def corrections() -> list[list[str]]:
    """The rows of all tables, each a list of cells, the rows of headings left out."""
    tables = re.findall(r"^:::\{list-table\}\n.*?\n\n(.*?)^:::$", source("corrections"), re.S | re.M)
    rows = [
        re.split(r"^  - ", row, flags=re.M)
        for table in tables
        for row in re.split(r"^\* - ", table, flags=re.M)[2:]
    ]
    return [[" ".join(cell.split()) for cell in row] for row in rows]


def entries() -> list[tuple[list[str], str]]:
    """The terms of each entry of the glossary, and what it says."""
    found: list[tuple[list[str], str]] = []
    for block in re.findall(r"^:::\{glossary\}\n(.*?)^:::$", source("glossary"), re.S | re.M):
        for entry in block.strip().split("\n\n"):
            lines = entry.split("\n")
            terms = [line for line in lines if not line.startswith(" ")]
            found.append((terms, " ".join(line.strip() for line in lines[len(terms) :])))
    return found


def names_in_code() -> set[str]:
    names = set()
    for name in MODULES:
        module = importlib.import_module(f"fault_tolerance.{name}")
        for function, body in inspect.getmembers(module, inspect.isfunction):
            if not function.startswith("_"):
                names |= {function, *inspect.signature(body).parameters}
    return names


def test_every_correction_has_an_address_a_right_value_and_a_reason_that_leads_on() -> None:
    rows = corrections()
    assert len(rows) >= 30
    ids = []
    for row in rows:
        assert len(row) == 3, f"not three cells: {row[0]}"
        says, right, why = row
        named = re.match(r"\[\*\*.+?\*\*\]\(#(lab-[a-z-]+)\)\{#(lab-[a-z-]+)\} ", says)
        assert named, f"has no name that links to itself: {says}"
        assert named[1] == named[2]
        assert right
        assert re.search(r"\{(eq|ref)\}`", f"{right} {why}"), f"leads nowhere: {named[1]}"
        ids.append(named[1])
    assert len(set(ids)) == len(ids)


# What the lab gets wrong, as listed when it was checked; an address once given is kept.
@pytest.mark.parametrize(
    "name",
    [
        "mtbf-small",
        "interval-small",
        "interval-large",
        "least-waste",
        "flat-minimum",
        "geometric-mean",
        "waste-formula",
        "mtbf-divides",
        "storm-rule",
        "banner",
        "bars",
        "checkpoints-a-day",
        "gradients",
        "root-ten",
        "cost-above-bill",
        "memory",
        "drain-slider",
        "durable",
        "quarter-to-two",
        "slots",
        "capacity",
        "status-and-chart",
        "requests-at-risk",
        "spares-formula",
        "cold-spare",
        "replica-mtbf",
        "sturdier-gpus",
        "pause",
        "tier",
    ],
)
def test_a_known_mistake_of_the_lab_is_corrected(name: str) -> None:
    assert f"{{#lab-{name}}}" in source("corrections")


def test_every_name_in_the_notation_is_spelled_as_in_the_code() -> None:
    known = names_in_code()
    written = [
        name
        for row in re.findall(r"^\* - \[.*?\\\n(.*?)(?=^  - )", source("notation"), re.S | re.M)
        for name in re.findall(r"`([^`]+)`", row)
    ]
    assert len(written) > 30
    for name in written:
        if name.startswith("…"):
            assert any(other.endswith(name[1:]) for other in known), name
        else:
            assert name in known, f"{name} is no function and no argument of fault_tolerance"


def test_every_symbol_of_the_notation_leads_to_where_it_is_introduced() -> None:
    rows = re.findall(r"^\* - \[\{math\}.*?(?=^\* - |^:::)", source("notation"), re.S | re.M)
    assert len(rows) > 30
    for row in rows:
        assert re.search(r"\{ref\}`Part\s[A-D] <part-[a-d]-", row), row


@pytest.mark.parametrize(("terms", "says"), [pytest.param(*entry, id=entry[0][0]) for entry in entries()])
def test_a_term_stands_on_the_page_that_its_entry_leads_to(terms: list[str], says: str) -> None:
    leads = re.search(r"\{ref\}`Part\s([A-D]) <part-([a-d])-[a-z-]+>`$", says)
    assert leads, f"{terms[0]} leads nowhere"
    assert leads[1].lower() == leads[2]
    page = " ".join(source(f"part-{leads[2]}").split()).casefold()
    assert any(term.casefold() in page for term in terms), f"{terms} not on Part {leads[1]}"


def test_the_glossary_is_in_order_and_explains_each_term_once() -> None:
    every = [term for terms, _says in entries() for term in terms]
    assert len({term.casefold() for term in every}) == len(every)
    for block in re.findall(r"^:::\{glossary\}\n(.*?)^:::$", source("glossary"), re.S | re.M):
        first = [entry.split("\n")[0].casefold() for entry in block.strip().split("\n\n")]
        assert first == sorted(first)
