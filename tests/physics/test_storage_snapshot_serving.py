"""The functions of Parts B to D: what they do with arguments, what they explain, how they run in a page."""

import doctest
import importlib
import inspect
import json
import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from chapterkit.compile import compile_functions
from fault_tolerance import serving, simulate, snapshot, storage
from fault_tolerance._arguments import DOMAINS

from .strategies import claim

MODULES = [
    "storage",
    "snapshot",
    "serving.fleet",
    "serving.overload",
    "serving.queueing",
    "serving.sizing",
    "serving.tokens",
    "simulate.snapshots",
    "simulate.fleet",
]
SIZE = {"checkpoint_bytes": 2.45e12}
WINDOW = {"arrival_rate": 1000.0, "service_rate": 130.0, "replicas": 10.0, "failed": 3.0}
QUEUE = {"servers": 9.0, "arrival_rate": 1000.0, "service_rate": 130.0}
SNAPSHOT = {"interval": 245.0, "pause": 0.0196, "drain_time": 245.0, "mtbf": 18_000.0}

#: Each function, its signature as promised, and one set of good numbers for the arguments that are checked.
CATALOGUE = {
    storage.checkpoint_bytes: (
        "(parameters, bytes_per_parameter=14)",
        {"parameters": 175e9, "bytes_per_parameter": 14.0},
    ),
    storage.write_time: (
        "(checkpoint_bytes, storage_bandwidth, nodes=None, node_bandwidth=None)",
        {**SIZE, "storage_bandwidth": 1e9},
    ),
    storage.write_time_for_goodput: ("(goodput, mtbf)", {"goodput": 0.5, "mtbf": 18_000.0}),
    storage.bandwidth_for_waste: (
        "(checkpoint_bytes, mtbf, waste, restart_time=0.0)",
        {**SIZE, "mtbf": 18_000.0, "waste": 0.1, "restart_time": 600.0},
    ),
    storage.max_restart_time: ("(waste, mtbf)", {"waste": 0.1, "mtbf": 18_000.0}),
    storage.gpus_for_goodput: (
        "(goodput, write_time, mttf)",
        {"goodput": 0.5, "write_time": 2450.0, "mttf": 1.8e8},
    ),
    storage.gpus_for_first_order_waste: (
        "(waste, write_time, mttf)",
        {"waste": 0.5, "write_time": 2450.0, "mttf": 1.8e8},
    ),
    snapshot.pause: (
        "(checkpoint_bytes, nodes, node_bandwidth)",
        {**SIZE, "nodes": 1250.0, "node_bandwidth": 1e11},
    ),
    snapshot.drain_time: ("(checkpoint_bytes, drain_bandwidth)", {**SIZE, "drain_bandwidth": 1e10}),
    snapshot.interval: (
        "(pause, drain_time, mtbf)",
        {"pause": 0.0196, "drain_time": 245.0, "mtbf": 18_000.0},
    ),
    snapshot.goodput: (
        "(interval, pause, drain_time, mtbf, restart_time=0.0, local_survival=0.0)",
        {**SNAPSHOT, "restart_time": 300.0, "local_survival": 0.4},
    ),
    snapshot.waste: (
        "(interval, pause, drain_time, mtbf, restart_time=0.0)",
        {**SNAPSHOT, "restart_time": 300.0},
    ),
    snapshot.bandwidth_to_free: (
        "(checkpoint_bytes, pause, mtbf)",
        {**SIZE, "pause": 0.0196, "mtbf": 18_000.0},
    ),
    snapshot.slots: (
        "(interval, pause, drain_time, keep_durable=True)",
        {"interval": 245.0, "pause": 0.0196, "drain_time": 245.0},
    ),
    snapshot.two_level_overhead: ("(rates, costs)", {"rates": [1e-4, 1e-5], "costs": [1.0, 100.0]}),
    snapshot.peer_survival: ("(machines, failed)", {"machines": 16.0, "failed": 2.0}),
    serving.load_per_survivor: (
        "(arrival_rate, replicas, failed=1)",
        {"arrival_rate": 1000.0, "replicas": 10.0, "failed": 1.0},
    ),
    serving.headroom: ("(replicas, failed=1)", {"replicas": 10.0, "failed": 1.0}),
    serving.response_tail: ("(servers, arrival_rate, service_rate, time)", {**QUEUE, "time": 0.05}),
    serving.safe_load: (
        "(service_rate, slo, quantile=0.99)",
        {"service_rate": 130.0, "slo": 0.5, "quantile": 0.99},
    ),
    serving.response_floor: ("(service_rate, quantile=0.99)", {"service_rate": 130.0, "quantile": 0.99}),
    serving.erlang_c: ("(servers, arrival_rate, service_rate)", QUEUE),
    serving.response_quantile: (
        "(servers, arrival_rate, service_rate, quantile=0.99)",
        {**QUEUE, "quantile": 0.99},
    ),
    serving.replicas_needed: (
        "(arrival_rate, service_rate, slo, failed=1, pooled=False, quantile=0.99)",
        {"arrival_rate": 1000.0, "service_rate": 130.0, "slo": 0.5, "failed": 1.0, "quantile": 0.99},
    ),
    serving.probability_down: (
        "(replicas, failed, mtbf, recovery_time)",
        {"replicas": 10.0, "failed": 2.0, "mtbf": 2_592_000.0, "recovery_time": 90.0},
    ),
    serving.backlog: (
        "(arrival_rate, service_rate, replicas, failed, recovery_time)",
        {**WINDOW, "recovery_time": 90.0},
    ),
    serving.backlog_drain_time: (
        "(arrival_rate, service_rate, replicas, failed, recovery_time, pooled=False)",
        {**WINDOW, "recovery_time": 90.0},
    ),
    serving.requests_touched: (
        "(arrival_rate, service_rate, replicas, failed, recovery_time, pooled=False)",
        {**WINDOW, "recovery_time": 90.0},
    ),
    serving.requests_lost: (
        "(arrival_rate, service_rate, replicas, failed, detection_time, pooled=False)",
        {**WINDOW, "detection_time": 5.0},
    ),
    serving.failures_per_year: ("(replicas, mtbf)", {"replicas": 10.0, "mtbf": 2_592_000.0}),
    serving.kv_cache_bytes: (
        "(tokens, layers, kv_heads, head_size, bytes_per_value=2)",
        {"tokens": 1000.0, "layers": 80.0, "kv_heads": 8.0, "head_size": 128.0, "bytes_per_value": 2.0},
    ),
    serving.recompute_time: (
        "(tokens, parameters, gpus, peak_flops, utilisation)",
        {"tokens": 8000.0, "parameters": 70e9, "gpus": 8.0, "peak_flops": 989e12, "utilisation": 0.4},
    ),
    simulate.snapshot_run: (
        "(work, interval, pause, drain_time, mtbf, restart_time=0.0, *, runs, seed)",
        {"work": 24_500.0, **SNAPSHOT, "restart_time": 300.0, "runs": 3, "seed": 7},
    ),
    simulate.serving_fleet: (
        "(arrival_rate, service_rate, replicas, failed, recovery_time, *, pooled, requests, seed)",
        {**WINDOW, "recovery_time": 0.5, "requests": 1000, "seed": 7},
    ),
}
#: What is said by a word, and not checked as a number is.
WORDS = {simulate.serving_fleet: {"pooled": True}}
SIMULATIONS = (simulate.snapshot_run, simulate.serving_fleet)
LISTS = (snapshot.two_level_overhead,)

every = pytest.mark.parametrize("function", CATALOGUE, ids=lambda function: function.__name__)
arithmetic = pytest.mark.parametrize(
    "function", [f for f in CATALOGUE if f not in SIMULATIONS], ids=lambda function: function.__name__
)
elementwise = pytest.mark.parametrize(
    "function",
    [f for f in CATALOGUE if f not in SIMULATIONS + LISTS],
    ids=lambda function: function.__name__,
)


def numbers(function):
    return dict(CATALOGUE[function][1])


def ask(function, **changed):
    return function(**numbers(function) | WORDS.get(function, {}) | changed)


# Promises


@every
def test_the_signature_is_the_one_that_was_promised(function):
    signature = inspect.signature(function)
    plain = [p.replace(annotation=inspect.Parameter.empty) for p in signature.parameters.values()]

    assert str(inspect.Signature(plain)) == CATALOGUE[function][0]


def test_no_public_function_is_left_out():
    public = {
        value
        for module in (storage, snapshot, serving)
        for name, value in vars(module).items()
        if inspect.isfunction(value)
        and not name.startswith("_")
        and value.__module__.startswith(module.__name__)
    }

    assert public | set(SIMULATIONS) == set(CATALOGUE)
    assert {name for name in serving.__all__ if name != "YEAR"} == {
        function.__name__ for function in public if function.__module__.startswith("fault_tolerance.serving")
    }


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_in_the_docstrings_are_true(name):
    outcome = doctest.testmod(importlib.import_module(f"fault_tolerance.{name}"))

    assert outcome.attempted > 0
    assert outcome.failed == 0


@every
def test_a_docstring_says_what_where_and_how(function):
    text = inspect.getdoc(function)

    for part in ("Parameters", "Returns", "Raises", "Notes", "Examples", ".. math::", ">>> "):
        assert part in text, part
    assert re.search(r":ref:`part-[bcd]-[a-z]+`", text)
    assert re.search(r":cite:[pt]:`[a-z]+\d{4}[a-z0-9]+", text)
    for name in inspect.signature(function).parameters:
        assert re.search(rf"^(.*, )?{name}(, .*)? : ", text, re.MULTILINE), name
    assert len(text.splitlines()[0]) <= 100


# Arguments


@every
def test_every_number_has_a_domain(function):
    declared = function.__accepts__.keys() | function.__accepts_each__.keys()

    assert declared == numbers(function).keys()


BAD = {
    "positive": ["0.0", "-3.0", "nan", "inf", "-inf"],
    "non-negative": ["-3.0", "-1e-300", "nan", "inf"],
    "count": ["0.0", "2.5", "-1.0", "nan", "inf"],
    "count-or-zero": ["0.5", "-1.0", "nan", "inf"],
    "machines": ["0.0", "2.5", "100001.0", "nan"],
    "servers": ["0.0", "2.5", "100001.0", "nan"],
    "share": ["0.0", "1.0", "-0.5", "nan"],
    "quantile": ["0.0", "1.0", "-0.5", "nan"],
    "part": ["-0.1", "1.1", "nan"],
    "utilisation": ["0.0", "1.1", "nan"],
}


@every
def test_an_error_names_the_argument_what_is_allowed_and_what_came(function):
    for name, domain in (function.__accepts__ | function.__accepts_each__).items():
        key = next(key for key, known in DOMAINS.items() if known == domain)
        for value in BAD[key]:
            bad = [float(value)] if name in function.__accepts_each__ else float(value)
            with pytest.raises(ValueError, match=name) as caught:
                ask(function, **{name: bad})
            assert str(caught.value) == f"{name} must be {domain.words}; got {value}"


@every
@pytest.mark.parametrize("value", ["3", None, True, 1j, ["3"]], ids=repr)
def test_what_is_no_number_is_refused_by_name(function, value):
    for name in numbers(function):
        with pytest.raises(TypeError, match=rf"^{name} must be a number or an array of numbers; got "):
            ask(function, **{name: value})


@arithmetic
def test_numbers_in_number_out(function):
    assert type(ask(function)) is float
    assert (
        type(ask(function, **{name: np.array(value) for name, value in numbers(function).items()})) is float
    )


@elementwise
def test_an_empty_array_gives_an_empty_array(function):
    first = next(iter(numbers(function)))

    assert ask(function, **{first: []}).shape == (0,)


@elementwise
@given(data=st.data())
@claim
def test_arrays_broadcast_and_agree_with_numbers(function, data):
    """Around the good numbers, in shapes that broadcast; counts stay as they are."""
    given_numbers = numbers(function)
    shapes = data.draw(
        hnp.mutually_broadcastable_shapes(num_shapes=len(given_numbers), max_dims=3, max_side=3)
    )
    arrays = {}
    for (name, value), shape in zip(given_numbers.items(), shapes.input_shapes, strict=True):
        whole = function.__accepts__[name].whole
        share = st.just(1.0) if whole else st.floats(0.97, 1.0)
        arrays[name] = value * data.draw(hnp.arrays(np.float64, shape, elements=share))
    result = function(**arrays)

    assert np.shape(result) == shapes.result_shape
    together = dict(zip(arrays, np.broadcast_arrays(*arrays.values()), strict=True))
    for place in np.ndindex(np.shape(result)):
        alone = function(**{name: array[place] for name, array in together.items()})
        assert np.asarray(result)[place] == pytest.approx(alone, rel=1e-13, abs=0)


whatever = st.one_of(st.floats(5e-324, 1.7e308), st.floats(-300, 300).map(lambda power: 10.0**power))


def some_number(domain):
    if math.isfinite(domain.high):
        low, high = (domain.low, min(domain.high, 3000)) if domain.whole else (1e-300, 1 - 1e-16)
    elif domain.whole:
        low, high = domain.low, 3000
    else:
        return whatever if domain.low_open else st.one_of(st.just(0.0), whatever)
    if domain.whole:
        return st.integers(int(low), int(high)).map(float)
    return st.floats(low, high, exclude_min=domain.low_open, exclude_max=domain.high_open)


@elementwise
@given(data=st.data())
@claim
def test_no_number_allowed_gives_nan(function, data):
    """Whatever goes through the checks gives a number; what does not is refused in words."""
    drawn = {name: data.draw(some_number(domain)) for name, domain in function.__accepts__.items()}
    try:
        result = function(**drawn)
    except ValueError as problem:
        refusal = str(problem)
        result = 0.0
    else:
        refusal = "it must be"

    assert result >= 0.0
    assert "must be" in refusal


@elementwise
def test_the_arguments_are_left_as_they_were(function):
    arrays = {name: np.array([value, value]) for name, value in numbers(function).items()}
    function(**arrays)

    for name, value in numbers(function).items():
        np.testing.assert_array_equal(arrays[name], [value, value])


# In a page


@pytest.fixture(scope="module")
def script():
    functions = [function for function in CATALOGUE if function not in SIMULATIONS]
    by_module = {}
    for function in functions:
        by_module.setdefault(function.__module__.split(".")[1], []).append(function)
    pieces = (f"{name}: {compile_functions(group)}" for name, group in by_module.items())
    return f"var physics = {{{', '.join(pieces)}}};"


def in_page(v8, function, arguments):
    """What the compiled function says: a number, or the words of its refusal."""
    module = function.__module__.split(".")[1]
    call = ", ".join(json.dumps(value) for value in arguments)
    answer = v8.eval(
        f"(function () {{ try {{ return String(physics.{module}.{function.__name__}({call})); }} "
        "catch (problem) { return 'refused: ' + problem.message; } })()"
    )
    return answer if answer.startswith("refused") else float(answer)


def test_compiled_functions_agree_to_the_last_digits(v8, script):
    v8.eval(script)
    rng = np.random.default_rng(3)
    for function in CATALOGUE:
        if function in SIMULATIONS + LISTS:
            continue
        for _ in range(40):
            arguments = [
                value if function.__accepts__[name].whole else float(value * rng.uniform(0.9, 1.0))
                for name, value in numbers(function).items()
            ]
            given_names = dict(zip(numbers(function), arguments, strict=True))
            in_order = [given_names.get(name, False) for name in inspect.signature(function).parameters]
            if function is storage.write_time:
                in_order = arguments
            ours = function(*in_order)
            assert in_page(v8, function, in_order) == pytest.approx(ours, rel=1e-12, abs=0), function


def test_compiled_queues_agree_over_all_loads_and_sizes(v8, script):
    v8.eval(script)
    rng = np.random.default_rng(4)
    for _ in range(300):
        servers = int(10 ** rng.uniform(0, 4))
        rate = float(10 ** rng.uniform(-2, 3))
        load = servers * rate * (1 - float(10 ** rng.uniform(-6, -0.05)))
        for function, more in [
            (serving.erlang_c, []),
            (serving.response_quantile, [0.99]),
            (serving.response_tail, [3 / rate]),
        ]:
            arguments = [servers, load, rate, *more]
            assert in_page(v8, function, arguments) == pytest.approx(
                function(*arguments), rel=1e-11, abs=1e-300
            )
        pooled = [load, rate, 5.5 / rate, 1, True, 0.99]
        assert in_page(v8, serving.replicas_needed, pooled) == serving.replicas_needed(*pooled)


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (storage.bandwidth_for_waste, [2.45e12, 18_000, 0.1, 2000]),
        (storage.write_time, [2.45e12, 1e9, 10]),
        (snapshot.peer_survival, [15, 2]),
        (serving.load_per_survivor, [1000, 3, 3]),
        (serving.headroom, [3, 4]),
        (serving.erlang_c, [8, 1000, 125]),
        (serving.response_tail, [7, 1000, 125, 0.1]),
        (serving.response_quantile, [8, 1000, 125, 0.99]),
        (serving.safe_load, [20, 0.1, 0.99]),
        (serving.replicas_needed, [1000, 20, 0.1, 1, False, 0.99]),
        (serving.replicas_needed, [1000, 20, 0.1, 1, True, 0.99]),
        (serving.replicas_needed, [1e300, 20, 0.5, 1, True, 0.99]),
        (serving.backlog, [1000, 130, 3, 4, 90]),
        (serving.backlog_drain_time, [1300, 130, 10, 1, 90, False]),
        (serving.backlog_drain_time, [1000, 130, 10, 10, 90, False]),
        (serving.requests_touched, [1300, 130, 10, 1, 90, True]),
        (serving.requests_lost, [1300, 130, 10, 1, 90, True]),
        (serving.probability_down, [10, 11, 1e6, 90]),
    ],
    ids=lambda part: getattr(part, "__name__", None),
)
def test_what_cannot_be_is_refused_in_a_page_too(v8, script, function, arguments):
    v8.eval(script)
    answer = in_page(v8, function, arguments)

    assert str(answer).startswith("refused: ")
    assert "must be" in answer
    with pytest.raises((ValueError, TypeError), match="must be"):
        function(*arguments)
