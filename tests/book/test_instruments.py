"""Part A's instruments over their whole grid, in V8: numbers that agree with each other, and with what the chapter says."""

# Tables of cases, figures and lines of JavaScript read better uncut.

from __future__ import annotations

import itertools
import json
import math
import re
from pathlib import Path
from unittest import mock

import numpy as np
import plotly.graph_objects as go
import pytest

from benchmarks import compiled
from chapterkit import picture, quantity, table
from chapterkit.compile import compile_functions
from chapterkit.instrument_check import check
from fault_tolerance import checkpoint

STATIC = Path(quantity.__file__).parent / "static"
ALL = {declared.name: declared for declared in compiled.book_instruments()}
PART_A = ["young-daly", "mtbf-fleet", "watched-run"]
POINTS = 5000
HOUR, DAY, CENTURY = 3600.0, 86_400.0, 36_525.0 * 86_400.0
# Of ten thousand mean values, one lies this many standard errors off.
FAR = 4.4


def functions(declared):
    return [declared.compute, *(part.figure for part in declared.pictures), table.rows]


@pytest.fixture
def sweep(v8):
    """Evaluate an instrument in V8 at random settings: a list of states, each with the controls in it.

    With `runs`, a watched run is repeated that often instead of two hundred times.
    """

    def run(name: str, count: int = POINTS, choose=None, keep=None, runs: int = 0) -> list[dict]:
        declared = ALL[name]
        if runs:
            with mock.patch(f"{declared.compute.__module__}.RUNS", runs):
                return run(name, count, choose, keep)
        settings = compiled.settings(declared, count, np.random.default_rng(11))
        if choose:
            settings = [choose(case) for case in settings]
        code = compile_functions(functions(declared), lists=[declared.compute.__module__, table.__name__])
        order = json.dumps(declared.arguments)
        only = json.dumps(keep)
        text = v8.eval(
            f"""(function (page, order, keep, cases) {{
              function odd(_, x) {{ return typeof x === "number" && !Number.isFinite(x) ? {{ number: String(x) }} : x === undefined ? {{ nothing: 1 }} : x; }}
              return JSON.stringify(cases.map(function (given) {{
                var state = Object.assign({{}}, given, page.{declared.compute.__name__}.apply(null, order.map(function (name) {{ return given[name]; }})));
                if (!keep) return state;
                var some = {{}};
                keep.forEach(function (name) {{ some[name] = state[name]; }});
                return some;
              }}), odd);
            }})({code}, {order}, {only}, {json.dumps(settings)})"""
        )
        return json.loads(str(text))

    return run


@pytest.mark.parametrize("name", ALL)
def test_an_instrument_is_declared_without_a_mistake(name):
    check(ALL[name])


# Young and Daly -------------------------------------------------------------------------------


@pytest.fixture
def checkpoints(sweep):
    return sweep("young-daly")


def test_every_number_is_finite_and_none_negative(checkpoints):
    for state in checkpoints:
        for name, value in state.items():
            if not isinstance(value, str):
                assert isinstance(value, (int, float)), (name, state)
                assert value >= (-1e-12 if name in ("extra", "saved") else -1.0 if name == "gap" else 0.0), (
                    name,
                    state,
                )


def test_shares_lie_between_0_and_1(checkpoints):
    for state in checkpoints:
        for name in ("waste", "goodput", "least"):
            assert 0.0 < state[name] < 1.0
        assert state["goodput"] == pytest.approx(1.0 - state["waste"], abs=1e-15)
        assert state["least"] <= state["waste"] + 1e-12


def test_money_is_part_of_the_bill(checkpoints):
    for state in checkpoints:
        assert state["bill"] == state["gpus"] * state["price"]
        assert state["money"] <= state["bill"]
        assert state["saved"] <= state["money"]
        assert state["money"] == pytest.approx(state["waste"] * state["bill"], rel=1e-15)


def test_the_verdict_is_what_the_band_says(checkpoints):
    met = set()
    for state in checkpoints:
        met.add(state["verdict"])
        assert 0.0 < state["low"] <= state["best"] <= state["high"]
        wanted = (
            "short"
            if state["interval"] < state["low"]
            else "long"
            if state["interval"] > state["high"]
            else "inside"
        )
        assert state["verdict"] == wanted
        # In other words: inside is where no more than a tenth more than the least is lost.
        more = state["waste"] / state["least"]
        assert more <= 1.1 + 1e-9 if wanted == "inside" else more >= 1.1 - 1e-9
        assert (state["factor"] > 1.0) == (state["interval"] != state["best"])
    assert met == {"short", "inside", "long"}


def test_at_the_edges_of_the_band_a_tenth_more_is_lost(checkpoints):
    low, high, write_time, mtbf, restart_time, least = (
        np.array([state[name] for state in checkpoints])
        for name in ("low", "high", "write_time", "mtbf", "restart_time", "least")
    )
    for edge in (low, high):
        lost = 1.0 - checkpoint.goodput(edge, write_time, mtbf, restart_time)
        # Where the least is almost everything there is no tenth more to lose.
        reachable = 1.1 * least < 1.0
        assert np.mean(reachable) > 0.9
        assert np.allclose(lost[reachable], 1.1 * least[reachable], rtol=1e-9, atol=0.0)


def test_what_is_said_of_the_model_is_what_the_numbers_say(checkpoints):
    met = set()
    for state in checkpoints:
        met.add(state["model"])
        assert state["gap"] == pytest.approx(state["first_order"] - state["waste"], abs=1e-15)
        wanted = "broken" if state["first_order"] > 1.0 else "off" if state["gap"] > 0.02 else "close"
        assert state["model"] == wanted
        # "agree to within two points" holds in both directions.
        assert wanted != "close" or abs(state["gap"]) <= 0.02
        assert state["first_order"] == pytest.approx(
            state["writing"] + state["rework"] + state["restarting"], rel=1e-14
        )
    assert met == {"close", "off", "broken"}


def test_a_longer_or_dearer_setting_never_loses_less(sweep):
    for name, worse in (("write_time", 1.2), ("restart_time", 1.2), ("mttf", 0.8), ("price", 1.2)):
        before = sweep("young-daly", 400)
        after = sweep(
            "young-daly", 400, choose=lambda case, name=name, worse=worse: {**case, name: case[name] * worse}
        )
        for a, b in zip(before, after, strict=True):
            assert b["least"] >= a["least"] - 1e-12
            assert b["money"] >= a["money"] * (1.0 - 1e-12)


# From one GPU to a cluster --------------------------------------------------------------------


def test_the_fleet_is_consistent_with_itself(sweep):
    met = set()
    for state in sweep("mtbf-fleet"):
        met.add(state["verdict"])
        assert all(isinstance(value, str) or 0.0 <= value < math.inf for value in state.values())
        assert state["mtbf"] == state["mttf"] / state["gpus"]
        assert state["per_day"] * state["mtbf"] == pytest.approx(DAY, rel=1e-14)
        assert state["quiet"] == pytest.approx(math.exp(-state["per_day"]), rel=1e-12)
        assert DAY <= state["unsaved"] <= CENTURY
        limits = {"fine": (DAY, 2 * DAY), "slow": (2 * DAY, CENTURY), "never": (CENTURY, CENTURY)}[
            state["verdict"]
        ]
        assert limits[0] <= state["unsaved"] <= limits[1]
    assert met == {"fine", "slow", "never"}


# A run, watched -------------------------------------------------------------------------------


def test_a_watched_run_is_consistent_with_itself(sweep):
    keep = [
        "measured",
        "predicted",
        "mean",
        "lowest",
        "highest",
        "failures",
        "expected",
        "verdict",
        "hours",
        "mtbf",
    ]
    met = set()
    for state in sweep("watched-run", keep=keep, runs=20):
        met.add(state["verdict"])
        assert all(isinstance(value, str) or 0.0 <= value < math.inf for value in state.values()), state
        assert state["lowest"] <= state["measured"] <= state["highest"] <= 1.0
        assert state["lowest"] <= state["mean"] + 1e-12
        assert state["mean"] <= state["highest"] + 1e-12
        assert state["predicted"] < 1.0
        assert state["failures"] == int(state["failures"])
        assert state["expected"] == state["hours"] / state["mtbf"]
        off = state["measured"] - state["predicted"]
        assert state["verdict"] == ("lucky" if off > 0.03 else "unlucky" if off < -0.03 else "close")
    assert met == {"close", "lucky", "unlucky"}


def test_failures_are_as_many_as_the_rate_says(sweep):
    states = sweep("watched-run", keep=["failures", "expected"], runs=1)
    failures, expected = (np.array([state[name] for state in states]) for name in ("failures", "expected"))
    # A Poisson number is as far from its mean as the root of that mean.
    scores = (failures - expected) / np.sqrt(expected)
    assert abs(scores.mean()) < FAR / np.sqrt(len(scores)) + 0.02
    assert scores.std() == pytest.approx(1.0, abs=0.1)


def edge(state) -> float:
    """How far the mean goodput of runs that just stop lies from that of endless ones: τ(c² − 1)/2 over their length.

    Finished intervals are a renewal process; c is the standard deviation over the mean of the time for one of them.
    """
    period, mtbf = state["interval"] + state["write_time"], state["mtbf"]
    whole = (period + state["restart_time"]) / mtbf
    again = mtbf * math.expm1(whole)
    again_squared = mtbf**2 * (math.exp(2.0 * whole) - 1.0 - 2.0 * whole * math.exp(whole)) + again**2
    struck = -math.expm1(-period / mtbf)
    until_struck = mtbf * (1.0 - math.exp(-period / mtbf) * (1.0 + period / mtbf))
    mean = mtbf * struck + struck * again
    squared = 2.0 * mtbf * until_struck + 2.0 * until_struck * again + struck * again_squared
    return state["interval"] * (squared / mean**2 - 2.0) / 2.0 / state["hours"]


def test_the_mean_of_two_hundred_runs_lies_within_noise_of_the_prediction(sweep):
    def long_run(case):
        return {**case, "hours": 240.0 * HOUR, "interval": min(case["interval"], 3600.0)}

    keep = ["many", "mean", "predicted", "interval", "write_time", "hours", "mtbf", "restart_time"]
    scores = []
    for state in sweep("watched-run", 600, choose=long_run, keep=keep):
        many = np.array(state["many"])
        assert len(many) == 200
        assert state["mean"] == pytest.approx(many.mean(), rel=1e-12)
        if (
            state["hours"] > 20.0 * state["mtbf"]
        ):  # with fewer failures, runs are too much alike for a standard error
            scores.append(
                (state["mean"] - state["predicted"] - edge(state)) / (many.std(ddof=1) / np.sqrt(many.size))
            )
    assert len(scores) > 300
    assert max(map(abs, scores)) < FAR
    assert abs(np.mean(scores)) < FAR / np.sqrt(len(scores))
    assert np.std(scores) == pytest.approx(1.0, abs=0.15)


def test_the_timeline_adds_up_to_what_is_measured(v8, sweep):
    declared = ALL["watched-run"]
    draw = declared.pictures[0].figure
    states = sweep("watched-run", 300)
    figures = compiled.in_page(
        v8, draw, [{"state": state} for state in states], [declared.compute.__module__]
    )
    for state, drawn in zip(states, figures, strict=True):
        lengths = {}
        for trace in drawn["data"][:4]:
            corners = [x for x in trace["x"] if x is not None]
            starts, stops = corners[0::4], corners[2::4]
            assert corners[1::4] == starts
            assert corners[3::4] == stops
            assert all(stop > start for start, stop in zip(starts, stops, strict=True))
            assert all(-1e-9 <= x <= state["hours"] / HOUR / 4 + 1e-9 for x in corners)
            lengths[trace["name"]] = sum(stops) - sum(starts)
        assert sum(lengths.values()) == pytest.approx(state["hours"] / HOUR, rel=1e-9)
        failures = drawn["data"][4]["x"]
        # The last gap of the list ends beyond the picture.
        assert len(failures) == state["failures"]
        if state["hours"] / (state["interval"] + state["write_time"]) <= 200:
            useful = lengths["work, kept"] / (state["hours"] / HOUR)
            whole = (state["interval"] + state["write_time"]) / state["hours"]
            assert state["measured"] - 1e-9 <= useful <= state["measured"] + whole + 1e-9
        assert set(drawn["data"][4]["y"]) <= {0, 1, 2, 3}
        for trace in drawn["data"][:4]:
            levels = [y for y in trace["y"] if y is not None]
            middles = {
                round((low + high) / 2, 9) for low, high in zip(levels[0::4], levels[1::4], strict=True)
            }
            assert middles <= {0, 1, 2, 3}


def test_the_bars_count_every_run(v8, sweep):
    declared = ALL["watched-run"]
    states = sweep("watched-run", 400)
    figures = compiled.in_page(
        v8, declared.pictures[1].figure, [{"state": state} for state in states], [declared.compute.__module__]
    )
    for state, drawn in zip(states, figures, strict=True):
        bars = drawn["data"][0]
        assert sum(bars["y"]) == 200
        left, right = drawn["layout"]["xaxis"]["range"]
        assert left < min(100 * state["lowest"], 100 * state["predicted"])
        assert right > max(100 * state["highest"], 100 * state["predicted"])


def test_the_same_seed_is_the_same_run_and_another_is_not(sweep):
    def with_seed(seed):
        return lambda case: {**case, "gpus": 16_000.0, "mttf": 50_000 * HOUR, "hours": DAY, "seed": seed}

    one, same, other = (sweep("watched-run", 20, choose=with_seed(seed)) for seed in (1.0, 1.0, 2.0))
    assert one == same
    assert all(a["gaps"] != b["gaps"] for a, b in zip(one, other, strict=True))


# Figures --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PART_A)
def test_every_figure_is_one_for_plotly_and_for_the_static_drawing(v8, sweep, name):
    declared = ALL[name]
    states = sweep(name, 120)
    # The corners of the controls, where axes and bars are most likely to fall together.
    ends = [{control.name: value * control.factor for control, value in zip(declared.numbers, corner, strict=True)}
            for corner in itertools.product(*((control.low, control.highest) for control in declared.numbers))]  # fmt: skip
    ends = [{**case, **declared.compute(**case)} for case in ends[:: max(len(ends) // 24, 1)]]
    for part in declared.pictures:
        given = [{"state": state} for state in states + ends]
        for drawn in compiled.in_page(v8, part.figure, given, [declared.compute.__module__]):
            go.Figure(picture.strip_colours(drawn))
            picture.check(drawn)
            assert not any(isinstance(x, float) and not math.isfinite(x) for x in _numbers(drawn))


def _numbers(part):
    if isinstance(part, dict):
        return [x for value in part.values() for x in _numbers(value)]
    if isinstance(part, list):
        return [x for value in part for x in _numbers(value)]
    return [part] if isinstance(part, (int, float)) else []


def test_the_star_and_the_diamond_lie_on_the_exact_curve(v8, sweep):
    declared = ALL["young-daly"]
    states = sweep("young-daly", 200)
    for state, drawn in zip(
        states,
        compiled.in_page(
            v8,
            declared.pictures[0].figure,
            [{"state": state} for state in states],
            [declared.compute.__module__],
        ),
        strict=True,
    ):
        traces = {trace["name"]: trace for trace in drawn["data"]}
        for name, interval, share in (("best", "best", "least"), ("yours", "interval", "waste")):
            assert traces[name]["x"] == [state[interval] / 60.0]
            assert traces[name]["y"] == [pytest.approx(100.0 * state[share])]
        exact = np.interp(
            np.log(state["interval"] / 60.0), np.log(traces["exact"]["x"]), traces["exact"]["y"]
        )
        assert exact == pytest.approx(100.0 * state["waste"], rel=0.02)
        assert min(traces["exact"]["y"]) >= 100.0 * state["least"] - 1e-9
        for band in drawn["layout"]["shapes"]:
            assert band["x0"] * 60.0 == pytest.approx(max(state["low"], 60.0))
            assert band["x1"] * 60.0 == pytest.approx(min(state["high"], 10_800.0))


# What the chapter says ------------------------------------------------------------------------

READ = {
    "young-daly": {
        "mtbf": "3.12 h", "best": "26.1 min", "waste": "19.3 %", "least": "13.9 %", "money": "$222,", "saved": "$62,",
    },
    "watched-run": {"predicted": "", "measured": "", "failures": ""},
}  # fmt: skip


def test_at_its_defaults_the_instrument_says_what_the_chapter_says():
    state = check(ALL["young-daly"])
    values = state.values
    assert values["mtbf"] / HOUR == 3.125
    assert round(values["young"]) == 1643
    assert round(100.0 * values["waste"], 1) == 19.3
    assert round(100.0 * values["least"], 1) == 13.9
    assert round(values["saved"] * DAY, -3) == 62_000
    assert round(values["interval"] / values["best"], 2) < 1 < values["factor"] < 2.7
    read = {
        readout.name: state.readout(readout)[0].replace(quantity.NARROW, " ")
        for readout in ALL["young-daly"].readouts
    }
    for name, words in READ["young-daly"].items():
        assert read[name].startswith(words), (name, read[name])
    notes = [state.readout(readout)[1] for readout in ALL["young-daly"].readouts]
    assert f"Young says 27.4{quantity.NARROW}min" in notes
    assert state.values["verdict"] == "short"


def test_at_its_defaults_the_fleet_says_what_the_chapter_says():
    values = check(ALL["mtbf-fleet"]).values
    assert values["gpus"] == 10_000
    assert values["mtbf"] / HOUR == 5.0  # "interrupted about every 5 hours"


def test_controls_are_those_of_the_chapter():
    wanted = {
        "gpus": (1_000, 25_000, 1_000, 16_000), "write_time": (10, 300, 10, 120), "interval": (60, 10_800, 60, 600),
        "restart_time": (0, 1_800, 30, 0), "mttf": (10_000, 100_000, 1_000, 50_000), "price": (0.5, 10, 0.1, 3),
    }  # fmt: skip
    controls = {control.name: control for control in ALL["young-daly"].numbers}
    assert {name: (c.low, c.high, c.step, c.default) for name, c in controls.items()} == wanted
    assert {name for name, control in controls.items() if control.more} == {"restart_time", "mttf", "price"}


def test_words_on_the_page_are_the_builds_at_every_setting(v8, sweep):
    """The page's formatter fills every template as Python does, whatever the state."""
    v8.eval("var window = {};")
    v8.eval((STATIC / "quantity.js").read_text(encoding="utf-8"))
    v8.eval(f"window.chapterkit.units = {json.dumps(quantity.as_data(), ensure_ascii=False)};")
    for name in PART_A:
        declared = ALL[name]
        templates = [
            *declared.lines,
            *(part.caption for part in declared.pictures),
            *(readout.note for readout in declared.readouts),
        ]
        templates += [text for words in declared.sentences.values() for text in words.values()]
        states = [
            {key: value for key, value in state.items() if not isinstance(value, list)}
            for state in sweep(name, 300)
        ]
        said = json.loads(str(v8.eval(
            f"JSON.stringify({json.dumps(states)}.map(function (s) {{ return {json.dumps(templates)}.map(function (t) {{ return window.chapterkit.fill(t, s); }}); }}))"
        )))  # fmt: skip
        assert said == [[quantity.fill(text, state) for text in templates] for state in states]
        assert not re.search(r"NaN|undefined|Infinity|\{", json.dumps(said))
