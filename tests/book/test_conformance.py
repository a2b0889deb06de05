"""What runs in the page is what runs at build: every function in V8 against CPython on thousands of inputs.

Found by running them: only ``exp``, ``expm1``, ``log`` and ``log1p`` of V8 and NumPy differ, in the last digit.
`benchmarks.compiled` draws the inputs and measures; what it compares with other sizes, and why, stands there.
"""

# Tables of cases, figures and lines of JavaScript read better uncut.

from __future__ import annotations

import math

import pytest

from benchmarks import compiled
from benchmarks.compiled import INPUTS, LIMITS, Raised

_OPERATOR, MOST = LIMITS["worst relative difference"]
PHYSICS = compiled.physics()
INSTRUMENTS = {declared.name: declared for declared in compiled.book_instruments()}
# These only multiply, divide, compare and round, so both languages must give the same bits.
EXACT = {
    "checkpoint.waste", "reliability.system_mtbf", "reliability.component_mtbf", "simulate.timeline", "simulate.useful_work",
}  # fmt: skip


def test_every_function_that_can_run_in_a_page_is_found():
    promised = {
        "reliability.system_mtbf", "reliability.survival", "reliability.time_without_checkpoints", "reliability.component_mtbf",
        "checkpoint.waste", "checkpoint.young_interval", "checkpoint.daly_interval", "checkpoint.optimal_interval",
        "checkpoint.goodput", "checkpoint.checkpoint_rate", "simulate.timeline", "simulate.useful_work",
    }  # fmt: skip
    assert promised <= set(PHYSICS)
    assert {"young-daly", "mtbf-fleet", "watched-run"} <= set(INSTRUMENTS)


@pytest.fixture(scope="module")
def compared():
    """Arguments with both results of a function, run once."""
    done = {}

    def run(name, engine):
        if name not in done:
            done[name] = compiled.compare_physics(engine, PHYSICS[name])
        return done[name]

    return run


def message(case, ours, theirs) -> str:
    return f"at {case}\n  CPython: {ours!r:.300}\n  V8:      {theirs!r:.300}"


@pytest.mark.parametrize("name", PHYSICS)
def test_physics_in_the_page_is_physics_at_build(v8, compared, name):
    results = compared(name, v8)
    assert len(results) >= INPUTS
    if name not in compiled.ILL_CONDITIONED:
        for case, ours, theirs in results:
            assert compiled.difference(ours, theirs) <= MOST, message(case, ours, theirs)
    assert compiled.worst_of_function(name, PHYSICS[name], results) <= MOST


@pytest.mark.parametrize("name", sorted(EXACT))
def test_plain_arithmetic_gives_the_same_bits(v8, compared, name):
    for case, ours, theirs in compared(name, v8):
        assert compiled.difference(ours, theirs) == 0.0, message(case, ours, theirs)


@pytest.mark.parametrize("name", PHYSICS)
def test_what_is_out_of_its_domain_is_refused_in_the_same_words(v8, compared, name):
    refused = [
        (case, ours, theirs)
        for case, ours, theirs in compared(name, v8)
        if isinstance(ours, Raised) or isinstance(theirs, Raised)
    ]
    for case, ours, theirs in refused:
        assert isinstance(ours, Raised), message(case, ours, theirs)
        assert isinstance(theirs, Raised), message(case, ours, theirs)
        assert ours == theirs
    said = {str(ours) for _case, ours, _theirs in refused}
    # The edges were met: NaN, infinities, negatives, for every argument that has a domain.
    for argument in (*PHYSICS[name].__accepts__, *PHYSICS[name].__accepts_each__):
        mine = " ".join(words for words in said if words.startswith(f"{argument} must"))
        for value in ("got nan", "got inf", "got -inf", "got -1.0", "got -1e+22"):
            assert value in mine, f"{argument}: no input {value}"
    assert len(refused) < INPUTS


@pytest.mark.parametrize("name", PHYSICS)
def test_nothing_in_the_page_gives_nan_in_silence(v8, compared, name):
    def numbers(result):
        if isinstance(result, list):
            return [number for part in result for number in numbers(part)]
        return [result] if isinstance(result, float) else []

    for case, _ours, theirs in compared(name, v8):
        assert not any(math.isnan(number) for number in numbers(theirs)), case


# The slow ones, whose files of tests sweep their grids as well; ``python -m benchmarks`` gives them all inputs too.
FEWER = {"storm": 400, "async-snapshots": 400, "serving-fleet": 400}


@pytest.mark.parametrize("name", INSTRUMENTS)
def test_an_instrument_computes_draws_and_tabulates_in_the_page_as_at_build(v8, name):
    with compiled.short_loops(INSTRUMENTS[name]):
        found = compiled.compare_instrument(v8, INSTRUMENTS[name], FEWER.get(name, INPUTS))
    assert len(found) >= 1 + len(INSTRUMENTS[name].pictures)
    for what, results in found.items():
        assert len(results) == FEWER.get(name, INPUTS)
        assert not any(isinstance(ours, Raised) for _case, ours, _theirs in results)
        assert compiled.worst(results, compiled.CANCELLING.get(what, 0.0)) <= MOST, what


@pytest.mark.parametrize("name", INSTRUMENTS)
def test_an_instrument_at_full_length_is_the_same_too(v8, name):
    for what, results in compiled.compare_instrument(v8, INSTRUMENTS[name], 12).items():
        assert compiled.worst(results, compiled.CANCELLING.get(what, 0.0)) <= MOST, what


@pytest.mark.parametrize("name", INSTRUMENTS)
@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, -1.0])
def test_an_instrument_refuses_in_the_page_what_it_refuses_at_build(v8, name, bad):
    declared = INSTRUMENTS[name]
    usual = compiled.arguments(declared, declared.defaults())
    refused = {}
    for argument in usual:
        try:
            declared.compute(**{**usual, argument: bad})
        except ValueError as problem:
            refused[argument] = Raised(problem)
        except (OverflowError, RuntimeWarning):
            pass  # plain arithmetic of the instrument's own came before any check
    refused = {argument: said for argument, said in refused.items() if " must be " in said}
    assert refused
    given = [{**usual, argument: bad} for argument in refused]
    assert compiled.in_page(v8, declared.compute, given, [declared.compute.__module__]) == list(
        refused.values()
    )


# The comparison itself ------------------------------------------------------------------------


@pytest.mark.parametrize(("ours", "theirs"), [
    (1.0, 1.0 + 1e-11), (1.0, "1"), ("a", "b"), ([1.0], [1.0, 2.0]), ({"a": 1.0}, {"b": 1.0}), (1.0, math.nan), (math.inf, 1e308), (1.0, None),
    (None, 0.0), (Raised("a"), Raised("b")), (Raised("a"), "a"), ([1.0, {"a": [1.0]}], [1.0, {"a": [1.1]}]), (True, 1.0), (0.0, 1e-290), ([], {}), (1.0, [1.0]),
])  # fmt: skip
def test_what_differs_is_found(ours, theirs):
    assert compiled.difference(ours, theirs) > MOST


@pytest.mark.parametrize(("ours", "theirs"), [
    (1.0, 1.0 + 2e-16), (math.nan, math.nan), (-math.inf, -math.inf), (0.0, 0.0), (0.0, 5e-324), ((1.0, "a"), [1.0, "a"]), ({"a": None}, {"a": None}),
    (3, 3.0), (Raised("a"), Raised("a")),
])  # fmt: skip
def test_what_is_alike_is_let_be(ours, theirs):
    assert compiled.difference(ours, theirs) <= MOST
