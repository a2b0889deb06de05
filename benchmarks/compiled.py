"""Compiled functions in V8 against CPython: the worst relative difference over many random inputs.

Every public function of the physics that carries argument checks is found by itself and gets numbers
from its domains: log-uniform over the whole range of a double and over everyday sizes, the edges of
each domain, tiny and huge numbers, and numbers outside (NaN, infinities, negatives), which both
languages must refuse with the same words. Instruments get settings of their controls. V8's and NumPy's
``exp``, ``expm1`` and ``log`` differ in the last digit; everything else is the same arithmetic.
"""

from __future__ import annotations

import importlib
import inspect
import json
import math
import pkgutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any
from unittest import mock

import numpy as np
from py_mini_racer import MiniRacer

import fault_tolerance
from chapterkit import instrument as instruments
from chapterkit import table
from chapterkit.compile import compile_functions

LIMITS = {"worst relative difference": ("≤", 1e-12), "functions compared": ("≥", 8)}
INPUTS = 2000
SEED = 2026
# These draw their chances with NumPy, so a page never runs them.
ONLY_AT_BUILD = {"training_run", "snapshot_run", "serving_fleet"}
PACKAGE = "book.instruments"
# Lengths of loops that only say how often the same lines run: short for thousands of inputs.
SHORT = {
    "watched_run": {"RUNS": 3},
    "young_daly": {"POINTS": 8},
    "storm": {"POINTS": 6},
    "async_snapshots": {"POINTS": 8},
}

# A share lost is 1 − the share kept, so its digits are those of a number near 1, and a difference of two such
# shares has fewer still. Such results, and curves drawn of them, are compared with that size: 1, or what the
# share is one of.
CANCELLING: dict[str, float | dict[str, float | str]] = {
    "young-daly, compute": {"extra": 1.0, "gap": 1.0, "saved": "bill"},
    "storm, compute": {"lost": 1.0, "left": 1.0, "restarts": 1.0},
    "async-snapshots, compute": {"before_restarts": 1.0, "immortal": 1.0},
    "async-snapshots, waste_figure": 1.0,
}

# Where a restart alone loses nearly all that may be lost, the bandwidth is the inverse of a difference that
# is nearly 0, and one digit of an argument changes many of the result. That is no difference of languages.
ILL_CONDITIONED = {"storage.bandwidth_for_waste"}

BAD = [math.nan, math.inf, -math.inf, -1.0, -1e-5, -3.25e16, -1e22, -(2.0**53)]
EDGES = [0.0, -0.0, 5e-324, 2.3e-308, 1e-16, 1.0, 2.0**53, 1.7976931348623157e308]
Case = dict[str, Any]


def physics() -> dict[str, Callable[..., Any]]:
    """Every public function of the physics that can run in a page, by its dotted name."""
    found = {}
    for name in fault_tolerance.__all__:
        module: ModuleType = getattr(fault_tolerance, name)
        for key, value in sorted(vars(module).items()):
            own = getattr(value, "__module__", "").startswith(module.__name__)
            if own and hasattr(value, "__accepts__") and not key.startswith("_") and key not in ONLY_AT_BUILD:
                found[f"{name}.{key}"] = value
    return found


def book_instruments() -> list[instruments.Instrument]:
    """Every instrument of the book."""
    package = importlib.import_module(PACKAGE)
    names = sorted(module.name for module in pkgutil.iter_modules(package.__path__))
    return [instruments.load(PACKAGE, name.replace("_", "-")) for name in names]


# Inputs ---------------------------------------------------------------------------------------


def _number(rng: np.random.Generator, domain: Any, bad: float) -> float:
    """One number: everyday, anywhere, an edge, or with a chance of `bad` most likely out of its domain."""
    draw = rng.random()
    if draw < bad:
        return float(rng.choice([*BAD, 2.5] if domain.whole else BAD))
    if domain.whole:
        # Counts steer loops, so they stay as small as the things a page counts.
        return float(np.floor(10.0 ** rng.uniform(0.0, 3.0))) - float(draw < bad + 0.1)
    if draw < bad + 0.1:
        return float(rng.choice(EDGES))
    if math.isfinite(domain.high):
        return float(domain.low + (domain.high - domain.low) * rng.random())
    return float(10.0 ** (rng.uniform(-300.0, 300.0) if draw < bad + 0.3 else rng.uniform(-4.0, 9.0)))


def _row(rng: np.random.Generator, domain: Any, length: int) -> list[float]:
    if rng.random() < 0.1:
        return [_number(rng, domain, 0.1) for _ in range(length)]
    return [float(number) for number in rng.exponential(size=length)]


def cases(function: Callable[..., Any], count: int, rng: np.random.Generator) -> list[Case]:
    """`count` sets of arguments: every bad value in every argument once, then at random."""
    single, many = function.__accepts__, function.__accepts_each__  # type: ignore[attr-defined]
    drawn: list[Case] = []
    for name, domain in {**single, **many}.items():
        for value in [*BAD, 2.5] if domain.whole else BAD:
            case = _case(function, rng, bad=0.0, everything=True)
            drawn.append({**case, name: [*case[name], value] if name in many else value})
    return drawn + [
        _case(function, rng, bad=float(rng.choice([0.0, 0.0, 0.25]))) for _ in range(count - len(drawn))
    ]


def _case(
    function: Callable[..., Any], rng: np.random.Generator, bad: float, everything: bool = False
) -> Case:
    """One set of arguments; with `everything`, each is given and lists have one length."""
    single, many = function.__accepts__, function.__accepts_each__  # type: ignore[attr-defined]
    parameters = inspect.signature(function).parameters
    length = int(rng.integers(1, 13))
    case: Case = {}
    for name in parameters:
        optional = parameters[name].default is not inspect.Parameter.empty
        if optional and not everything and rng.random() < 0.2:
            break  # what is left out takes its default, and so does all that follows
        if name in many:
            other = 1.0 if everything else rng.random()
            size = 1 if other < 0.05 else 0 if other < 0.08 else length + 1 if other < 0.12 else length
            case[name] = (
                [float(number) for number in rng.exponential(size=size)]
                if everything
                else _row(rng, many[name], size)
            )
        elif isinstance(parameters[name].default, bool):
            case[name] = bool(rng.random() < 0.5)  # a choice between two ways
        elif name not in single:
            case[name] = float(
                np.floor(10.0 ** rng.uniform(0.0, 3.0))
            )  # checked further down, if it is given at all
        elif everything:
            high = min(single[name].high, 10.0 * (single[name].low + 1.0))
            case[name] = float(
                (np.floor if single[name].whole else float)(
                    single[name].low + (high - single[name].low) * rng.uniform(0.2, 0.8)
                )
            )
        else:
            case[name] = _number(rng, single[name], bad)
    if "gaps" in case and "interval" in case and not everything and rng.random() < 0.95:
        # A run of some dozen intervals, as pages show it; the wildest sizes leave nothing to draw.
        case["interval"] = float(10.0 ** rng.uniform(1.0, 4.0))
        case["write_time"] = float(10.0 ** rng.uniform(0.0, 3.0))
        case["mtbf"] = (case["interval"] + case["write_time"]) * float(10.0 ** rng.uniform(-2.0, 1.0))
        if "elapsed" in case:
            case["elapsed"] = case["mtbf"] * float(rng.uniform(0.0, 1.5 * length))
    return case


def settings(declared: instruments.Instrument, count: int, rng: np.random.Generator) -> list[Case]:
    """`count` settings: controls on their grid, between it and at their ends, in base units; choices too."""
    drawn = []
    for at in range(count):
        case: Case = {}
        for control in declared.numbers:
            high = control.highest
            steps = math.floor((high - control.low) / control.step + 1e-9)
            value = control.low + control.step * float(rng.integers(0, steps + 1))
            if at % 4 == 1 and not (control.whole or control.multiple):
                value = float(rng.uniform(control.low, high))
            if at % 4 == 2:
                value = float(rng.choice([control.low, high, control.default]))
            case[control.name] = min(value, high) * control.factor
        for choice in declared.choices:
            case[choice.name] = str(rng.choice([option.id for option in choice.options]))
        drawn.append(case)
    return drawn


def arguments(declared: instruments.Instrument, given: Case) -> Case:
    """What ``compute`` gets at a setting."""
    values = declared.given(given)
    return {name: values[name] for name in declared.arguments}


# Running --------------------------------------------------------------------------------------


class Raised(str):
    """The words of a refusal."""


def in_python(function: Callable[..., Any], given: Iterable[Case]) -> list[Any]:
    """Results, or the words of what was raised."""
    results = []
    for case in given:
        try:
            results.append(function(**case))
        except (ValueError, TypeError) as problem:
            results.append(Raised(problem))
    return results


_RUN = """
(function (f, order, cases) {
  function keep(_, value) {
    if (value === undefined) return { nothing: 1 };
    return typeof value === "number" && !Number.isFinite(value) ? { number: String(value) } : value;
  }
  return JSON.stringify(cases.map(function (given) {
    var names = order.slice(0, Object.keys(given).length);
    try { return { value: f.apply(null, names.map(function (name) { return given[name]; })) }; }
    catch (problem) { return { raised: problem.message }; }
  }), keep);
})
"""  # fmt: skip


def in_page(
    engine: MiniRacer, function: Callable[..., Any], given: list[Case], lists: Iterable[str] = ()
) -> list[Any]:
    """The same from the compiled function, all in one call."""
    code = compile_functions([function], lists=lists)
    order = json.dumps(list(inspect.signature(function).parameters))
    # `json` writes doubles as `repr` does, so nothing is lost on the way, and NaN as JavaScript does.
    text = engine.eval(f"{_RUN}({code}.{function.__name__}, {order}, {json.dumps(given)})")
    answers = json.loads(str(text), object_hook=_decode)
    return [Raised(answer["raised"]) if "raised" in answer else answer["value"] for answer in answers]


def _decode(found: dict[str, Any]) -> Any:
    if found.keys() == {"number"}:
        return float(found["number"])
    return None if found.keys() == {"nothing"} else found


def difference(ours: Any, theirs: Any, scale: float = 0.0) -> float:
    """Largest relative difference; infinite where something else than a number differs.

    Below the smallest normal double digits are lost one by one, so that is the least to compare with;
    `scale` is a size below which a number is rounding error of larger ones it was made from.
    """
    if isinstance(ours, (np.floating, np.integer)):
        ours = ours.item()
    if isinstance(ours, (Raised, str, bool, type(None))) or isinstance(
        theirs, (Raised, str, bool, type(None))
    ):
        return 0.0 if type(ours) is type(theirs) and ours == theirs else math.inf
    if isinstance(ours, dict) and isinstance(theirs, dict):
        if ours.keys() != theirs.keys():
            return math.inf
        return max((difference(ours[key], theirs[key], scale) for key in ours), default=0.0)
    if isinstance(ours, (list, tuple)) and isinstance(theirs, list):
        if len(ours) != len(theirs):
            return math.inf
        if ours == theirs:  # the quick way for what is long and the same
            return 0.0
        return max((difference(a, b, scale) for a, b in zip(ours, theirs, strict=True)), default=0.0)
    if isinstance(ours, (dict, list, tuple)) or isinstance(theirs, (dict, list)):
        return math.inf
    if ours == theirs or (math.isnan(ours) and math.isnan(theirs)):
        return 0.0
    if not (math.isfinite(ours) and math.isfinite(theirs)):
        return math.inf
    return abs(ours - theirs) / max(abs(ours), abs(theirs), scale, 2.3e-308)


@contextmanager
def short_loops(declared: instruments.Instrument) -> Iterator[None]:
    """Let the loops of an instrument that only repeat run less often."""
    module = importlib.import_module(declared.compute.__module__)
    with mock.patch.multiple(
        module, **SHORT.get(module.__name__.rsplit(".", 1)[-1], {"__doc__": module.__doc__})
    ):
        yield


# Measures -------------------------------------------------------------------------------------


def _of_one_argument(function: Callable[..., Any], said: Raised) -> bool:
    domains = {**function.__accepts__, **function.__accepts_each__}  # type: ignore[attr-defined]
    starts = [f"{name} must be {domain.words}; got " for name, domain in domains.items()]
    starts += [f"{name} must hold at least one number" for name in function.__accepts_each__]  # type: ignore[attr-defined]
    return said.startswith(tuple(starts)) or said.endswith("do not broadcast together")


def compare_physics(
    engine: MiniRacer, function: Callable[..., Any], count: int = INPUTS
) -> list[tuple[Case, Any, Any]]:
    """Arguments with both results.

    Arguments that are fine one by one and do not go together (more load than servers, more intervals than a
    picture shows) are drawn again: Python refuses them, instruments ask first, and a page does not check.
    """
    rng = np.random.default_rng(SEED)
    compared: list[tuple[Case, Any, Any]] = []
    for _ in range(50):
        if len(compared) >= count:
            break
        given = cases(function, count, rng)
        ours = in_python(function, given)
        fit = [
            at
            for at, result in enumerate(ours)
            if not isinstance(result, Raised) or _of_one_argument(function, result)
        ]
        fit = fit[: count - len(compared)]
        given, ours = [given[at] for at in fit], [ours[at] for at in fit]
        compared += zip(given, ours, in_page(engine, function, given), strict=True)
    return compared


def compare_instrument(
    engine: MiniRacer, declared: instruments.Instrument, count: int = INPUTS
) -> dict[str, list[tuple[Case, Any, Any]]]:
    """Arguments with both results for each function, by a name such as ``young-daly, compute``."""
    rng = np.random.default_rng(SEED)
    lists = [declared.compute.__module__, table.__name__]
    found: dict[str, list[tuple[Case, Any, Any]]] = {}

    def compare(what: str, function: Callable[..., Any], given: list[Case]) -> list[Any]:
        ours = in_python(function, given)
        theirs = in_page(engine, function, given, lists)
        found[f"{declared.name}, {what}"] = list(zip(given, ours, theirs, strict=True))
        return ours

    chosen = settings(declared, count, rng)
    results = compare("compute", declared.compute, [arguments(declared, case) for case in chosen])
    states = [
        {"state": {**declared.given(case), **result}} for case, result in zip(chosen, results, strict=True)
    ]
    for part in declared.pictures:
        figures = compare(part.figure.__name__, part.figure, states)
        if part.table:
            compare(
                f"table of {part.figure.__name__}", table.rows, [{"figure": figure} for figure in figures]
            )
    return found


def worst(compared: list[tuple[Case, Any, Any]], cancelling: float | dict[str, float | str] = 0.0) -> float:
    """The largest difference; what `cancelling` names is compared with what it is a difference of."""
    if isinstance(cancelling, float):
        return max(difference(ours, theirs, cancelling) for _given, ours, theirs in compared)
    most = 0.0
    for _given, ours, theirs in compared:
        for name, size in cancelling.items():
            most = max(
                most, difference(ours[name], theirs[name], ours[size] if isinstance(size, str) else size)
            )
        ours, theirs = ({k: v for k, v in side.items() if k not in cancelling} for side in (ours, theirs))
        most = max(most, difference(ours, theirs))
    return most


def one_digit(function: Callable[..., Any], case: Case, result: float) -> float:
    """How much a result changes at most when the last digit of one argument does."""
    nudged = [
        {**case, name: math.nextafter(value, way)}
        for name, value in case.items()
        for way in (-math.inf, math.inf)
    ]
    return max(
        difference(result, other) for other in in_python(function, nudged) if not isinstance(other, Raised)
    )


def worst_of_function(
    name: str, function: Callable[..., Any], compared: list[tuple[Case, Any, Any]]
) -> float:
    """`worst`, but for what one digit of an argument does where that is much."""
    if name in ILL_CONDITIONED:
        compared = [
            (case, ours, theirs)
            for case, ours, theirs in compared
            if difference(ours, theirs) in (0.0, math.inf)
            or difference(ours, theirs) > 2.0 * one_digit(function, case, ours)
        ]
    return worst(compared)


def measure(count: int = INPUTS) -> dict[str, float]:
    """The worst relative difference of each function."""
    results = {}
    with MiniRacer() as engine:
        for name, function in physics().items():
            results[name] = worst_of_function(name, function, compare_physics(engine, function, count))
        for declared in book_instruments():
            with short_loops(declared):
                for name, compared in compare_instrument(engine, declared, count).items():
                    results[name] = worst(compared, CANCELLING.get(name, 0.0))
    return {"worst relative difference": max(results.values()), "functions compared": len(results), **results}


if __name__ == "__main__":
    from benchmarks.__main__ import main

    raise SystemExit(main(["compiled"]))
