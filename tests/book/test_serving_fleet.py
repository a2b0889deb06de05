"""Part D: one rule judges the fleet; read-outs, bars, status and sentences agree wherever the sliders go."""

from __future__ import annotations

import json
import math
import random
import re

import pytest

from chapterkit import quantity
from chapterkit.instrument import Control, Instrument
from fault_tolerance import serving

POINTS, CHUNK = 6_000, 500
DAY = 86_400.0


@pytest.fixture(scope="module")
def fleet(declared) -> Instrument:
    return declared("serving_fleet")


@pytest.fixture
def page(in_page, fleet):
    return in_page(fleet)


def in_units(fleet: Instrument, **settings: float | str) -> dict:
    """Settings of all controls as the page keeps them: numbers in the control's unit, ids of options."""
    return {control.name: control.default for control in fleet.controls} | settings


def anywhere(fleet: Instrument, rng: random.Random) -> dict:
    """A point of the grid of the sliders; ends of ranges come up often, and loads near the capacity."""
    settings: dict[str, float | str] = {}
    for control in fleet.controls:
        if isinstance(control, Control):
            steps = round((control.high - control.low) / control.step)
            at = rng.choice([0, steps, rng.randint(0, steps), rng.randint(0, steps), rng.randint(0, steps)])
            settings[control.name] = round(control.low + at * control.step, 6)
        else:
            settings[control.name] = rng.choice(control.options).id
    if rng.random() < 0.5:
        survivors = settings["replicas"] - rng.choice([0, settings["failed"]])
        settings["arrival_rate"] = min(
            max(round(survivors * settings["service_rate"] * rng.choice([0.7, 0.9, 1.0, 1.05]), -2), 100),
            5_000,
        )
    return settings


def test_numbers_words_bars_and_sentences_come_from_one_rule_at_every_setting(page, fleet):
    rng = random.Random(20_260_402)
    seen: dict[str, set] = {name: set() for name in fleet.sentences}
    for _ in range(POINTS // CHUNK):
        settings = [anywhere(fleet, rng) for _ in range(CHUNK)]
        for given, found in zip(settings, page(settings), strict=True):
            for name, keys in seen.items():
                keys.add(found["s"][name])
            try:
                _agrees(found)
            except AssertionError as problem:
                raise AssertionError(f"{problem}\nat {given}") from problem
    assert {name: set(words) for name, words in fleet.sentences.items()} == seen, (
        "some sentence was never said"
    )


def _p99(servers: float, s: dict, pooled: bool) -> float:
    if pooled:
        return serving.response_quantile(servers, s["arrival_rate"], s["service_rate"])
    return serving.response_quantile(1, s["arrival_rate"] / servers, s["service_rate"])


def _agrees(found: dict) -> None:
    s, say, read, figures = found["s"], found["sentences"], found["readouts"], found["figures"]
    arrivals, rate, replicas, failed, slo = (
        s[name] for name in ("arrival_rate", "service_rate", "replicas", "failed", "slo")
    )
    pooled, survivors = s["pooled"] == 1, replicas - failed
    assert found["odd"] == []
    words = json.dumps([read, found["notes"], say, found["lines"], found["captions"]], ensure_ascii=False)
    assert not re.search(r"NaN|Infinity|undefined|\{\w|∞", words), words
    for share in ("utilisation", "utilisation_up", "unavailable"):
        assert 0.0 <= s[share] <= 1.0, share
    for count in ("backlog", "touched", "lost", "spares", "spare_price", "down", "floor", "safe", "failures"):
        assert isinstance(s[count], str) or s[count] >= 0.0, count

    # The rule, worked out apart from it.
    stable = arrivals < survivors * rate
    verdict = "overloaded"
    if stable:
        verdict = "ok" if _p99(survivors, s, pooled) <= slo else "late"
    assert s["verdict"] == verdict
    assert (
        read["verdict_words"]
        == {"ok": "keeps the target", "late": "too slow", "overloaded": "overloaded"}[verdict]
    )
    assert ("ck-alert" in say["status"]) == (verdict != "ok")
    assert s["status"].split("-")[0] in {
        "ok": ["ok"], "late": ["late"], "overloaded": ["overloaded", "full", "hopeless"],
    }[verdict]  # fmt: skip
    assert (s["status"] == "hopeless") == (arrivals >= replicas * rate)
    assert (s["status"] == "full") == (arrivals == survivors * rate and failed > 0)
    assert (s["status"] == "late-floor") == (stable and slo <= s["floor"])
    if verdict == "overloaded":
        assert read["p99"] == "none: the queue grows"
        assert read["utilisation"] == "100.0\u202f%"
        assert "there is no P99" in say["status"]
    else:
        assert s["p99"] == pytest.approx(_p99(survivors, s, pooled), rel=1e-12)
        if s["status"] in ("ok", "late", "late-always"):
            assert read["p99"] in say["status"]
        assert s["p99"] >= s["floor"]
        assert s["p99_shared"] <= s["p99_each"] * (1 + 1e-12), "sharing never makes the tail longer"
        assert read["p99"] == quantity.show(s["p99_shared" if pooled else "p99_each"], "time", ".3g")

    # The bars: one for each size that can keep up, in the colour of the same rule; the band holds the others.
    bars = {}
    for trace in figures["tail"]["data"]:
        if trace["type"] == "bar":
            bars |= {int(x): (trace["name"], y) for x, y in zip(trace["x"], trace["y"], strict=True)}
    band = [shape for shape in figures["tail"]["layout"]["shapes"] if shape["type"] == "rect"]
    shaded = band[0]["x1"] if band else 0.0
    for size in range(4, 33):
        keeps_up = arrivals < (size - failed) * rate
        assert (size in bars) == keeps_up == (size > shaded)
        if keeps_up:
            name, height = bars[size]
            assert (name == "keeps the target") == (height <= 1000 * slo)
    if verdict == "overloaded":
        assert replicas not in bars
    else:
        assert bars[replicas] == (read["verdict_words"], pytest.approx(1000 * s["p99"]))

    # Spares: none exactly where the target holds, and with them the target holds, with one fewer it does not.
    if slo <= s["floor"]:
        assert s["spares"] == "no number is enough"
        assert s["short"] == "impossible"
        assert verdict != "ok"
    else:
        assert (s["spares"] == 0) == (verdict == "ok") == (s["short"] == "none")
        assert s["spares"] == int(s["spares"])
        assert s["needed"] == s["needed_shared" if pooled else "needed_each"]
        assert s["needed_shared"] <= s["needed_each"]
        assert s["spare_price"] == pytest.approx(s["spares"] * s["replica_price"])
        if s["spares"] > 0:
            assert s["spares"] == s["needed"] - replicas
            assert quantity.show(s["spares"], "", ",.0f") in say["short"]
        if 4 <= s["needed"] <= 32:
            assert bars[s["needed"]][0] == "keeps the target"
        if 4 < s["needed"] <= 32:
            assert bars.get(s["needed"] - 1, ("too slow",))[0] == "too slow"
        assert quantity.show(s["needed"], "", ",.0f") in say["short"]

    # The recovery: what builds up goes again, unless the whole fleet is too small.
    excess = max(arrivals - survivors * rate, 0.0)
    assert s["backlog"] == pytest.approx(excess * s["recovery_time"])
    assert (s["phase"] == "never") == (s["status"] == "hopeless") == (s["drain"] == "never")
    if s["phase"] == "never":
        assert (read["touched"], read["lost"]) == ("all of them", "no steady number")
    else:
        assert (s["phase"] == "nothing") == (failed == 0)
        assert (s["phase"] in ("each", "shared")) == (s["backlog"] > 0)
        assert s["touched"] == pytest.approx(arrivals * (s["recovery_time"] + s["drain"]) if failed else 0.0)
        for name in ("touched", "lost"):
            assert failed == 0 or read[name] in say["phase"]
        assert (s["lost"] == 0) == (failed == 0)
    for trace in figures["queue"]["data"]:
        assert trace["x"] == sorted(trace["x"])
        assert all(y >= 0 for y in trace["y"])
        if s["phase"] not in ("steady", "nothing"):
            assert trace["y"][trace["x"].index(s["recovery_time"])] == pytest.approx(s["backlog"])
        if s["phase"] != "never":
            assert trace["y"][-1] == pytest.approx(trace["y"][0], abs=1e-9), (
                "after the recovery all is as it was"
            )
    if s["phase"] in ("each", "shared"):
        mine = next(t for t in figures["queue"]["data"] if t["line"]["width"] == 3.5)
        assert min(
            x for x, y in zip(mine["x"], mine["y"], strict=True) if x > s["recovery_time"] and y < 1e-6
        ) == pytest.approx(s["recovery_time"] + s["drain"])
    assert (s["down"] == "always") == (failed == 0)


def test_the_page_computes_what_python_computes(page, fleet):
    rng = random.Random(11)
    settings = [anywhere(fleet, rng) for _ in range(200)]
    factors = {control.name: control.factor for control in fleet.numbers}
    for given, found in zip(settings, page(settings), strict=True):
        base = {name: v if isinstance(v, str) else v * factors[name] for name, v in given.items()}
        state = fleet.evaluate(base)
        for name, value in state.values.items():
            if isinstance(value, float):
                assert found["s"][name] == pytest.approx(value, rel=1e-9, abs=1e-12), name
        assert found["sentences"] == state.sentences()
        assert found["lines"] == state.lines()


def test_at_the_defaults_one_loss_is_survived_and_no_spare_is_needed(page, fleet):
    """chapter.md §5: 111.1 a survivor, 11.1 %, 154 and 244 ms, 120.8/s, 3.04 h and 122 failures a year."""
    found = page([in_units(fleet)])[0]
    read, s = found["readouts"], found["s"]
    assert read["load"] == "111.1/s"
    assert round(100 * s["headroom"], 1) == 11.1
    assert [round(1000 * s[name]) for name in ("p99_up", "p99")] == [154, 244]
    assert round(s["safe"], 1) == 120.8
    assert (read["verdict_words"], read["spares"], read["spare_price"]) == ("keeps the target", "0", "$0")
    assert round(s["replica_price"] * DAY) == 576
    assert read["down"] == "3.04\u202fh"
    assert round(s["failures"]) == 122
    assert s["unavailable"] == pytest.approx(3.47e-5, rel=1e-3)


@pytest.mark.parametrize(
    ("failed", "queues", "milliseconds", "verdict", "spares"),
    [
        (0, "each", 154, "ok", 0),
        (1, "each", 244, "ok", 0),
        (2, "each", 921, "late", 1),
        (3, "each", None, "overloaded", 2),
        (0, "shared", 37, "ok", 0),
        (1, "shared", 42, "ok", 0),
        (2, "shared", 121, "ok", 0),
        (3, "shared", None, "overloaded", 1),
    ],
)
def test_pooling_beats_a_spare(page, fleet, failed, queues, milliseconds, verdict, spares):
    s = page([in_units(fleet, failed=failed, pooled=queues)])[0]["s"]
    assert (s["verdict"], s["spares"]) == (verdict, spares)
    assert milliseconds == (None if isinstance(s["p99"], str) else round(1000 * s["p99"]))


def test_three_down_build_up_a_backlog_that_a_shared_queue_works_off_sooner(page, fleet):
    each, shared = page([in_units(fleet, failed=3, pooled=queues) for queues in ("each", "shared")])
    assert each["readouts"]["backlog"] == shared["readouts"]["backlog"] == "8,100"
    assert round(each["s"]["drain"], 1) == 38.6
    assert shared["s"]["drain"] == pytest.approx(27.0)
    assert shared["readouts"]["touched"] == "117,000"
    assert "38.6\u202fs" in each["sentences"]["phase"]
    assert "27\u202fs" in shared["sentences"]["phase"]


def test_two_down_are_rare_if_independent(page, fleet):
    s = page([in_units(fleet, failed=2)])[0]["s"]
    assert round(s["down"], 1) == 1.7


def test_the_sliders_reach_the_limit_where_the_formula_divides_by_zero(page, fleet):
    """chapter.md §5: ν = μ at nine survivors, λ = 1,000, μ = 125."""
    s = page([in_units(fleet, service_rate=125, pooled="shared")])[0]["s"]
    assert 9 * s["service_rate"] - s["arrival_rate"] == s["service_rate"]
    near = serving.response_quantile(9, 1000, 125.000001)
    assert s["p99"] == pytest.approx(near, rel=1e-6)


@pytest.mark.parametrize(
    ("settings", "status", "words"),
    [
        ({"failed": 3}, "overloaded", "The queue grows by 90 requests every second"),
        ({"failed": 3}, "overloaded", "With 11 replicas the survivors would keep up"),
        ({"failed": 2, "service_rate": 125}, "full", "just what arrives"),
        ({"failed": 2, "service_rate": 125}, "full", "With 11 replicas the survivors would keep up"),
        ({"service_rate": 100}, "hopeless", "It takes at least 11 replicas that are up"),
        ({"service_rate": 95, "failed": 0}, "hopeless", "or fewer requests"),
        ({"service_rate": 20, "slo": 200, "arrival_rate": 100}, "late-floor", "Set it above that"),
    ],
)
def test_a_state_without_a_p99_is_a_sentence_with_the_way_back(page, fleet, settings, status, words):
    found = page([in_units(fleet, **settings)])[0]
    assert found["s"]["status"] == status
    assert words in found["sentences"]["status"]


def test_the_way_back_leads_back(page, fleet):
    rng = random.Random(5)
    settings = [anywhere(fleet, rng) for _ in range(1_000)]
    for given, found in zip(settings, page(settings), strict=True):
        s = found["s"]
        if s["status"] in ("overloaded", "full") and s["least_down"] <= 32:
            mended, short = page([{**given, "replicas": s["least_down"] - less} for less in (0, 1)])
            assert mended["s"]["verdict"] != "overloaded"
            assert short["s"]["verdict"] == "overloaded"
        if s["short"] == "some" and s["needed"] <= 32:
            assert page([{**given, "replicas": s["needed"]}])[0]["s"]["verdict"] == "ok"


def test_typed_numbers_between_the_steps_stop_nothing(page, fleet):
    """What is typed may lie anywhere in the range, so loads can come as close to the limit as floats do."""
    rng = random.Random(3)
    settings = []
    for _ in range(1_500):
        given = anywhere(fleet, rng)
        given["service_rate"] = rng.choice([given["service_rate"], rng.uniform(20, 500)])
        survivors = given["replicas"] - given["failed"]
        edge = survivors * given["service_rate"] * rng.choice([1.0, 1 - 1e-15, 1 + 1e-15, 1 - 1e-9, 0.999])
        given["arrival_rate"] = min(max(edge, 100), 5_000)
        floor = 1000 * math.log(100) / given["service_rate"]
        given["slo"] = min(
            max(rng.choice([given["slo"], floor, floor * (1 + 1e-14), floor * 1.001]), 100), 2_000
        )
        settings.append(given)
    for given, found in zip(settings, page(settings), strict=True):
        assert found["odd"] == [], given
        assert not re.search(
            r"NaN|Infinity|undefined", json.dumps([found["readouts"], found["sentences"], found["lines"]])
        ), given
