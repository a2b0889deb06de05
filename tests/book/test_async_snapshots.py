"""Part C: the instrument's numbers, words and pictures agree wherever the controls go, and say what is true."""

from __future__ import annotations

import json
import math
import random
import re
from itertools import pairwise
from pathlib import Path

import pytest

from chapterkit import quantity
from chapterkit.instrument import Instrument
from fault_tolerance import checkpoint, snapshot

ROOT = Path(__file__).parents[2]
POINTS, CHUNK = 6_000, 500
GB = 1e9


@pytest.fixture(scope="module")
def snapshots(declared) -> Instrument:
    return declared("async_snapshots")


@pytest.fixture
def page(in_page, snapshots):
    return in_page(snapshots)


def at(snapshots: Instrument, **settings: float) -> dict:
    """Settings of all controls, in the units of the controls."""
    return {control.name: control.default for control in snapshots.controls} | settings


def anywhere(snapshots: Instrument, rng: random.Random) -> dict:
    """A point of the grid of the sliders; ends of the ranges come up often, and the far range of the drain too."""
    settings = {}
    for control in snapshots.numbers:
        high = control.highest if rng.random() < 0.3 else control.high
        steps = math.floor((high - control.low) / control.step)
        step = rng.choice([0, steps, rng.randint(0, steps), rng.randint(0, steps)])
        settings[control.name] = round(control.low + step * control.step, 6)
    return settings


def test_words_numbers_and_pictures_agree_at_every_setting(page, snapshots):
    rng = random.Random(20_260_402)
    seen: dict[str, set] = {name: set() for name in snapshots.sentences}
    for _ in range(POINTS // CHUNK):
        settings = [anywhere(snapshots, rng) for _ in range(CHUNK)]
        for given, found in zip(settings, page(settings), strict=True):
            for name, keys in seen.items():
                keys.add(found["s"][name])
            try:
                _agrees(found)
            except AssertionError as problem:
                raise AssertionError(f"{problem}\nat {given}") from problem
    assert {name: set(words) for name, words in snapshots.sentences.items()} == seen, (
        "some sentence was never said"
    )


def _agrees(found: dict) -> None:
    s, say, read, notes = found["s"], found["sentences"], found["readouts"], found["notes"]
    assert found["odd"] == []
    text = json.dumps([read, notes, say, found["lines"], found["captions"]], ensure_ascii=False)
    assert not re.search(r"NaN|Infinity|undefined|\{\w", text), text
    shares = (
        "goodput",
        "waste",
        "sync_waste",
        "before_restarts",
        "counted",
        "immortal",
        "busy",
        "local_share",
        "to_restarts",
    )
    assert all(0.0 <= s[name] <= 1.0 for name in shares)
    assert s["goodput"] > 0.0, "so that a log axis can show all"
    assert all(
        s[name] > 0.0 for name in ("shard", "pause", "drain_time", "wanted", "interval", "free", "mtbf")
    )
    assert s["nodes"] == int(s["nodes"]) == s["gpus"] / 8
    assert s["slots"] == 3.0 == float(re.match(r"\d+", notes["local_bytes"])[0])
    assert s["local_bytes"] == pytest.approx(3 * s["size"] / s["nodes"])

    # What sets the interval, told five times: the numbers, the read-out, its note, the sentence, the picture.
    drains = s["drain_bandwidth"] < s["free"]
    assert (
        (s["setter"] == "drain")
        == drains
        == ("The drain sets the interval" in say["setter"])
        == (notes["interval"] == "set by the drain")
    )
    assert (notes["free"] == "more than the drain has") == drains
    assert s["interval"] == pytest.approx(s["floor"] if drains else s["wanted"], rel=1e-12)
    assert s["interval"] + s["pause"] >= s["drain_time"] * (1 - 1e-12), "snapshots would pile up"
    waste, strip, pauses = (found["figures"][name] for name in ("waste", "strip", "pauses"))
    marks = {trace["name"]: trace for trace in waste["data"] if len(trace["x"]) == 1}
    curve = {trace["name"]: trace for trace in waste["data"] if len(trace["x"]) > 1}
    assert ("knee" in marks) == (1.0 < s["free"] / GB < 500.0) == (len(waste["layout"]["shapes"]) == 1)
    if "knee" in marks:
        assert (marks["yours"]["x"][0] < marks["knee"]["x"][0]) == drains
        assert waste["layout"]["shapes"][0]["x0"] == marks["knee"]["x"][0] == pytest.approx(s["free"] / GB)

    # The loss: read-out, sentence, arithmetic and picture.
    assert marks["yours"]["x"] == [s["drain_bandwidth"] / GB]
    assert marks["yours"]["y"][0] == pytest.approx(100 * s["waste"])
    assert marks["yours, waiting"]["y"][0] == pytest.approx(100 * s["sync_waste"])
    low, high = waste["layout"]["yaxis"]["range"]
    for trace in waste["data"]:
        assert all(low <= math.log10(y) <= high for y in trace["y"]), trace["name"]
    with_drain = curve["snapshots with a drain"]["y"]
    assert all(b <= a * (1 + 1e-12) for a, b in pairwise(with_drain)), "more drain, more loss?"
    assert all(y >= 100 * s["immortal"] * (1 - 1e-9) for y in with_drain)
    assert s["waste"] <= s["counted"] + 1e-12, "the approximation is never too bad"
    assert read["waste"] in found["lines"][3]
    spec = ".4g" if s["verdict"] == "worse" else ".3g"
    assert all(quantity.show(s[name], "%", spec) in say["verdict"] for name in ("waste", "sync_waste"))

    # Better or worse than waiting, whatever the restarts; a storm is one before any restart.
    assert (s["verdict"] == "worse") == (s["waste"] >= s["sync_waste"])
    assert (s["verdict"] == "storm") == (s["before_restarts"] >= 0.5 and s["waste"] < s["sync_waste"])
    if s["verdict"] == "worse":
        assert s["drain_time"] > s["mtbf"], "what the sentence says"
    if s["verdict"] != "better":
        assert "ck-alert" in say["verdict"]
    if s["largest"] == "rare":
        assert s["quiet"] > s["mtbf"], "a failure cannot destroy more than there was time for"
    else:
        assert s["restart_time"] + s["interval"] + s["undrained"] <= s["mtbf"]
        assert (s["largest"] == "restart") == (s["restart_time"] > s["undrained"] + s["half"])
        assert (s["largest"] == "interval") == (s["undrained"] <= s["half"] and s["largest"] != "restart")
    assert s["first_order"] == "everything and more" or s["waste"] < s["first_order"] < 1.0
    assert (s["survival"] == "none") == (s["local_survival"] == 0.0)
    assert (s["survival"] == "all") == (s["local_survival"] == 1.0)

    # The strip: what is durable ends two periods in, and the failure destroys what the caption says.
    lines = {trace["name"]: trace for trace in strip["data"]}
    unit = (
        1.0
        if "seconds" in strip["layout"]["xaxis"]["title"]["text"]
        else 60.0
        if "minutes" in strip["layout"]["xaxis"]["title"]["text"]
        else 3600.0
    )
    failure, period = lines["failure"]["x"][0] * unit, s["interval"] + s["pause"]
    assert lines["work, durable"]["x"][1] * unit == pytest.approx(2 * period)
    assert failure - 2 * period == pytest.approx(s["drain_time"] + period / 2)
    assert s["destroyed"] == pytest.approx(failure - 2 * period)
    assert lines["drain"]["x"][1] * unit == pytest.approx(period + s["drain_time"])
    assert len(lines["snapshot"]["x"]) == math.floor(failure / period * (1 + 1e-9)) in (2, 3)
    bars = lines["drain"]["x"]
    assert bars[3] >= bars[1] * (1 - 1e-9), "two drains at once"

    # The methods: four marks, in the numbers of the read-outs, all within the axis.
    where = {trace["name"]: trace["x"][0] for trace in pauses["data"] if trace["name"]}
    assert where["snapshot, all nodes"] == s["pause"]
    assert where["waiting for this drain"] == s["drain_time"]
    low, high = pauses["layout"]["xaxis"]["range"]
    assert all(low < math.log10(x) < high for x in where.values())
    assert len(pauses["layout"]["xaxis"]["tickvals"]) >= 2


def test_the_page_computes_what_python_computes(page, snapshots):
    rng = random.Random(7)
    settings = [anywhere(snapshots, rng) for _ in range(300)]
    factors = {control.name: control.factor for control in snapshots.numbers}
    for given, found in zip(settings, page(settings), strict=True):
        state = snapshots.evaluate({name: value * factors[name] for name, value in given.items()})
        assert found["s"] == {
            name: pytest.approx(value, rel=1e-11) if isinstance(value, float) else value
            for name, value in state.values.items()
        }
        assert found["sentences"] == state.sentences()
        assert found["lines"] == state.lines()


def test_the_drain_changes_the_interval_the_waste_and_every_picture(page, snapshots):
    """The lab's drain slider changed nothing."""
    found = page([at(snapshots, drain_bandwidth=drain) for drain in range(1, 51)])
    for name in ("interval", "waste", "sync_waste", "drain_time"):
        values = [one["s"][name] for one in found]
        assert all(b < a for a, b in pairwise(values)), name
        assert len({one["readouts"][name] for one in found}) > 40, name
    for name in ("waste", "strip", "pauses"):
        assert len({json.dumps(one["figures"][name]) for one in found}) == 50, name
    beyond = page([at(snapshots, drain_bandwidth=drain) for drain in (92, 93, 200, 500)])
    assert [one["s"]["setter"] for one in beyond] == ["drain", "optimum", "optimum", "optimum"]
    assert len({one["s"]["interval"] for one in beyond[1:]}) == 1
    assert beyond[3]["s"]["waste"] < beyond[2]["s"]["waste"], (
        "a faster drain helps even where it sets nothing"
    )


def test_the_default_is_the_architects_plan(page, snapshots):
    """chapter.md: 1.96 GB each, 0.0196 s, 245 s, 26.6 s and 92 GB/s, 2.03 % against 15.6 %, three slots."""
    found = page([at(snapshots)])[0]
    s, read = found["s"], found["readouts"]
    assert read["shard"] == "1.96\u202fGB"
    assert s["nodes"] == 1_250
    assert s["pause"] == pytest.approx(0.0196)
    assert s["drain_time"] == pytest.approx(245)
    assert round(s["interval"], 1) == 245.0
    assert round(s["wanted"], 1) == 26.6
    assert read["free"] == "92.2\u202fGB/s"
    assert read["waste"] == "2.03\u202f%"
    assert read["sync_waste"] == "15.6\u202f%"
    assert round(100 * s["immortal"], 3) == 0.148
    assert s["slots"] == 3
    assert s["local_bytes"] == pytest.approx(5.88e9)


@pytest.mark.parametrize(
    ("drain", "restart", "lost", "waiting"),
    [(1, 0, 18.5, 43.5), (10, 0, 2.03, 15.6), (1, 300, 19.9, 44.5), (10, 300, 3.65, 17.0)],
)
def test_the_losses_of_the_chapter(page, snapshots, drain, restart, lost, waiting):
    s = page([at(snapshots, drain_bandwidth=drain, restart_time=restart)])[0]["s"]
    assert 100 * s["waste"] == pytest.approx(lost, abs=0.005 if lost < 10 else 0.05)
    assert 100 * s["sync_waste"] == pytest.approx(waiting, abs=0.05)


def test_spared_failures_are_counted_in_full_beside_the_formula(page, snapshots):
    """chapter.md: q = 0.5, T_d = 2,450 s, R = 300 s: 86.0 % by the formula, 85.5 % played out."""
    found = page([at(snapshots, drain_bandwidth=1, restart_time=300, local_survival=50)])[0]
    assert round(100 * found["s"]["goodput"], 1) == 86.0
    assert round(100 * (1 - found["s"]["counted"]), 1) == 85.5
    assert "counted in full, 14.5\u202f% is lost" in found["sentences"]["survival"]


def test_spared_failures_played_out_agree_with_what_is_counted_in_full(page, snapshots):
    draw = random.Random(3)
    for share, drain, restart in ((50, 1, 300), (20, 1, 0), (90, 2, 1_800)):
        s = page([at(snapshots, drain_bandwidth=drain, restart_time=restart, local_survival=share)])[0]["s"]
        period, clock, durable, local = s["interval"] + s["pause"], 0.0, 0, 0
        for _ in range(100_000):
            gap = draw.expovariate(1 / s["mtbf"])
            clock += gap
            newest = local + max((gap - restart) // period, 0)
            drained = (gap - restart - s["drain_time"]) // period
            durable = local + drained if drained >= 0 else durable
            local = newest if draw.random() < share / 100 else durable
        assert durable * s["interval"] / clock == pytest.approx(1 - s["counted"], rel=0.006)


def test_immortal_snapshots_would_lose_the_same_at_every_size(page, snapshots):
    found = page([at(snapshots, gpus=gpus) for gpus in (1_000, 5_000, 10_000, 25_000)])
    assert len({round(one["s"]["immortal"], 12) for one in found}) == 1
    assert len({one["readouts"]["waste"] for one in found}) == 4


def test_first_order_never_claims_more_than_there_is(page, snapshots):
    found = page([at(snapshots, gpus=25_000, mttf=10_000, restart_time=1_800)])[0]
    assert found["notes"]["waste"] == "first order says everything and more"
    assert found["lines"][4].endswith("= everything and more")
    assert found["s"]["waste"] < 1.0


def test_a_small_job_lets_the_optimum_set_the_interval(page, snapshots):
    found = page([at(snapshots, gpus=1_000)])[0]
    assert found["s"]["setter"] == "optimum"
    assert found["s"]["interval"] == found["s"]["wanted"] > found["s"]["floor"]


def test_waiting_is_better_where_the_page_says(snapshots):
    """The fold's claim: the two are equal at a drain of 1.63 times the time between failures, with over nine tenths lost."""
    text = (ROOT / "book" / "part-c.md").read_text(encoding="utf-8")
    even = float(re.search(r"^even = ([\d.]+)$", text, re.M)[1])

    def lead(ratio: float) -> float:
        return snapshot.goodput(ratio - 1e-9, 1e-9, ratio, 1.0) - checkpoint.goodput(
            checkpoint.optimal_interval(ratio, 1.0), ratio, 1.0
        )

    assert lead(even - 0.01) > 0 > lead(even + 0.01)
    assert checkpoint.goodput(checkpoint.optimal_interval(even, 1.0), even, 1.0) < 0.1


def test_the_options_of_the_prediction_are_the_computed_numbers():
    """They are typed on the page, because hovering over a computed one would give the answer away."""
    text = (ROOT / "book" / "part-c.md").read_text(encoding="utf-8")
    typed = {name: float(value) for name, value in re.findall(r"^(guess_\w+) = ([\d.]+)", text, re.M)}
    size = 175e9 * 14
    assert typed["guess_shared"] == round(size / 1e9 / 60)
    assert typed["guess_node"] == size / 100e9
    assert typed["guess_each"] == round(snapshot.pause(size, 1_250, 100e9), 2)
