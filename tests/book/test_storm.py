"""Part B: the storm's read-outs, banner, pictures and sentences agree wherever the controls go, and say what is true."""

from __future__ import annotations

import json
import math
import random
import re
from pathlib import Path

import pytest

from chapterkit import quantity
from chapterkit.instrument import Control, Instrument
from fault_tolerance import checkpoint, storage

ROOT = Path(__file__).parents[2]
POINTS, CHUNK = 6_000, 500
DAY = 86_400.0


@pytest.fixture(scope="module")
def storm(declared) -> Instrument:
    return declared("storm")


@pytest.fixture
def page(in_page, storm):
    return in_page(storm)


def in_units(storm: Instrument, **settings: float | str) -> dict:
    """Settings of all controls as the page keeps them: numbers in the control's unit, ids of options."""
    return {control.name: control.default for control in storm.controls} | settings


def anywhere(storm: Instrument, rng: random.Random) -> dict:
    """A point of the grid of the sliders; ends of the ranges come up often, and the far range of the model too."""
    settings: dict[str, float | str] = {}
    for control in storm.controls:
        if isinstance(control, Control):
            high = control.highest if rng.random() < 0.3 else control.high
            steps = math.floor((high - control.low) / control.step)
            at = rng.choice([0, steps, rng.randint(0, steps), rng.randint(0, steps)])
            settings[control.name] = round(control.low + at * control.step, 6)
        else:
            settings[control.name] = rng.choice(control.options).id
    return settings


def test_words_numbers_and_pictures_agree_at_every_setting(page, storm):
    rng = random.Random(20_260_401)
    seen: dict[str, set] = {name: set() for name in storm.sentences}
    for _ in range(POINTS // CHUNK):
        settings = [anywhere(storm, rng) for _ in range(CHUNK)]
        for given, found in zip(settings, page(settings), strict=True):
            for name, keys in seen.items():
                keys.add(found["s"][name])
            try:
                _agrees(found)
            except AssertionError as problem:
                raise AssertionError(f"{problem}\nat {given}") from problem
    assert {name: set(words) for name, words in storm.sentences.items()} == seen, (
        "some sentence was never said"
    )


def _agrees(found: dict) -> None:
    s, say, read = found["s"], found["sentences"], found["readouts"]
    assert found["odd"] == []
    text = json.dumps([read, found["notes"], say, found["lines"], found["captions"]], ensure_ascii=False)
    assert not re.search(r"NaN|Infinity|undefined|\{\w", text), text
    for share in ("kept", "lost", "kept_restarts", "restarts", "restarts_alone", "restart_factor"):
        assert 0.0 <= s[share] <= 1.0, share
    for count in ("at_tenth", "at_quarter", "at_half", "at_equal", "at_rule", "at_estimate"):
        assert s[count] >= 1, count
        assert s[count] == int(s[count]), count
    assert (
        s["at_tenth"] <= s["at_quarter"] <= s["at_estimate"] <= s["at_half"] <= s["at_equal"] <= s["at_rule"]
    )
    assert all(s[name] > 0 for name in ("size", "write_time", "mtbf", "best", "needed_half"))
    assert 0.0 <= s["completed"] * (s["best"] + s["write_time"]) <= 1.0 + 1e-12, (
        "more checkpoints than there is time for"
    )
    assert 0.0 <= s["money"] <= s["bill"]

    # One storm, told five times: the state, its banner, the threshold in GPUs, the one in bandwidth, both pictures.
    storms = s["kept"] < 0.5
    assert (s["state"] == "storm") == storms
    assert ("Checkpoint storm." in say["state"]) == storms
    assert (s["gpus"] >= s["at_half"]) == storms
    assert (s["bandwidth"] < s["needed_half"]) == storms
    assert (s["write_time"] > (math.log(2) - 0.5) * s["mtbf"]) == storms
    assert (
        (s["state"] == "fine")
        == (s["gpus"] < s["at_tenth"])
        == (s["lost"] < 0.1)
        == ("Fine." in say["state"])
    )
    times, sizes = found["figures"]["times"], found["figures"]["sizes"]
    band = [shape["x1"] for shape in times["layout"]["shapes"] if shape["type"] == "rect"]
    assert (
        bool((band and s["bandwidth"] / 1e9 < band[0]) or s["needed_half"] > 2000e9) == storms
        or s["bandwidth"] == 2000e9
    )
    you = next(trace for trace in sizes["data"] if trace["name"] == "your job")
    assert you["x"] == [s["gpus"]]
    assert you["y"][0] == pytest.approx(100 * s["kept"])
    there = next(trace for trace in times["data"] if trace["name"] == "your storage")
    assert there["x"] == [s["bandwidth"] / 1e9] * 2
    assert there["y"] == [s["write_time"] / 60, s["best"] / 60]

    # The sentence and the read-out round the same number.
    kept, lost = _number(read["kept"]), _number(re.search(r"loses ([\d.]+)\u202f%", say["state"])[1])
    assert kept + lost == pytest.approx(100, abs=0.11)
    for name in ("at_half",):
        assert quantity.show(s[name], "", ",.0f") in say["state"] + say["rule"]
    assert all(
        quantity.show(s[name], "", ",.0f") in found["captions"]["sizes"]
        for name in ("at_tenth", "at_quarter", "at_half", "at_equal", "at_rule")
    )
    marked = {trace["name"]: trace["x"][0] for trace in sizes["data"] if len(trace["x"]) == 1}
    for name, words in {
        "at_tenth": "a tenth lost",
        "at_half": "half lost",
        "at_equal": "write = work",
        "at_rule": "textbook rule",
    }.items():
        assert (words in marked) == (100 <= s[name] <= 1e6)
        assert marked.get(words, s[name]) == s[name]

    # The rules ring where the numbers say they do.
    if not storms:
        assert s["rule"] == ("early" if s["gpus"] >= s["at_estimate"] else "quiet")
    else:
        assert s["rule"] == ("rings" if s["gpus"] >= s["at_rule"] else "late")

    # The target: possible or not, met or not, in read-out, sentence and arithmetic alike.
    impossible = s["restart_time"] >= s["restart_limit"]
    assert (
        (s["target"] == "impossible")
        == impossible
        == (read["needed"] == "impossible")
        == ("No bandwidth" in say["target"])
    )
    assert (s["left"] <= 0) == impossible
    assert read["needed"] in found["lines"][-1]
    if not impossible:
        assert read["needed"] in say["target"]
        assert (s["target"] == "met") == (1 - s["kept_restarts"] <= 0.1) or abs(s["factor"] - 1) < 1e-9
        assert (s["target"] == "beyond") == (
            s["needed"] == "over 1,000 TB/s" or (s["needed"] > 2000e9 and s["factor"] > 1)
        )


def _number(text: str) -> float:
    return float(re.match(r"[\d.,]+", text)[0].replace(",", ""))


def test_the_page_computes_what_python_computes(page, storm):
    rng = random.Random(7)
    settings = [anywhere(storm, rng) for _ in range(300)]
    factors = {control.name: control.factor for control in storm.numbers}
    for given, found in zip(settings, page(settings), strict=True):
        base = {
            name: value if isinstance(value, str) else value * factors[name] for name, value in given.items()
        }
        state = storm.evaluate(base)
        assert found["s"] == {
            name: pytest.approx(value, rel=1e-12) if isinstance(value, float) else value
            for name, value in state.values.items()
        }
        assert found["sentences"] == state.sentences()
        assert found["lines"] == state.lines()


def test_the_storm_breaks_from_the_defaults_with_what_is_on_show_and_ends_again(page, storm):
    on_show = {control.name for control in storm.controls if not control.more}
    assert {"gpus", "bandwidth", "parameters"} <= on_show
    road = [
        ({}, "strained"),
        ({"gpus": 14_000}, "strained"),
        ({"gpus": 14_200}, "storm"),
        ({"gpus": 25_000}, "storm"),
        ({"gpus": 25_000, "bandwidth": "parallel"}, "strained"),
        ({"gpus": 25_000, "bandwidth": "nvme"}, "fine"),
        ({"gpus": 25_000, "parameters": 90}, "strained"),
        ({"gpus": 14_000}, "strained"),
    ]
    found = page([in_units(storm, **move) for move, _state in road])
    assert [one["s"]["state"] for one in found] == [state for _move, state in road]
    banner = found[2]["sentences"]["state"]
    assert banner.startswith('<b class="ck-alert">Checkpoint storm.</b>')
    assert "14,191 GPUs" in banner


def test_the_default_is_the_architects_job(page, storm):
    """chapter.md: 2.45 TB, 40.8 min, 50 h, 8.25 h and 7.80 h, 15.6 % lost."""
    found = page([in_units(storm)])[0]
    read, s = found["readouts"], found["s"]
    assert read["size"] == "2.45\u202fTB"
    assert read["write_time"] == "40.8\u202fmin"
    assert s["mtbf"] == 50 * 3600
    assert round(s["young"] / 3600, 2) == 8.25
    assert round(s["best"] / 3600, 2) == 7.80
    assert read["kept"] == "84.4\u202f%"
    assert "loses 15.6\u202f%" in found["sentences"]["state"]


def test_next_years_job(page, storm):
    """chapter.md: 10,000 GPUs, 5 h, 156.5 and 130.6 min, 52 % and 43.5 %, 6.2 a day, 25.4 GB/s."""
    found = page([in_units(storm, gpus=10_000)])[0]
    s = found["s"]
    assert s["mtbf"] == 5 * 3600
    assert [round(s[name] / 60, 1) for name in ("young", "best")] == [156.5, 130.6]
    assert f"{s['first_order']:.0%}" == "52%"
    assert round(100 * s["lost"], 1) == 43.5
    assert round(s["completed"] * DAY, 1) == 6.2
    assert round(s["money"] * DAY) == round(s["completed"] * DAY * 2450 * 10_000 * 3 / 3600)
    assert found["readouts"]["needed"] == "25.4\u202fGB/s"
    assert round(s["needed_half"] / 1e9, 3) == 0.705
    assert s["rule"] == "early"


def test_the_thresholds_of_the_chapter(page, storm):
    s = page([in_units(storm)])[0]["s"]
    names = ("at_tenth", "at_quarter", "at_estimate", "at_half", "at_equal", "at_rule")
    assert [s[name] for name in names] == [394, 2_769, 9_184, 14_191, 58_542, 146_939]
    assert round(s["rule_lost"], 2) == 0.95


def test_a_restart_that_uses_up_the_target_is_said_with_the_way_back(page, storm):
    found = page([in_units(storm, gpus=16_400, restart_time=1_200)])[0]
    assert found["readouts"]["needed"] == "impossible"
    assert "Bring the restart under 19.3\u202fmin, or use fewer GPUs" in found["sentences"]["target"]
    mended = page([in_units(storm, gpus=16_400, restart_time=1_140)])[0]
    assert mended["readouts"]["needed"].endswith("B/s")


def test_more_gpus_do_less_work_once_a_write_takes_as_long_as_the_work(storm):
    """The page's claim about the most useful size, without its calculus."""
    write, mttf = 2_450.0, 50_000 * 3600.0

    def useful(gpus: float) -> float:
        mtbf = mttf / gpus
        return gpus * checkpoint.goodput(checkpoint.optimal_interval(write, mtbf), write, mtbf)

    peak = storage.gpus_for_goodput(storage.WRITE_EQUALS_WORK_GOODPUT, write, mttf)
    assert checkpoint.optimal_interval(write, mttf / peak) == pytest.approx(write)
    best = useful(peak)
    assert all(useful(peak * factor) < best for factor in (0.5, 0.9, 0.99, 1.01, 1.1, 2.0))
    smaller = [useful(n) for n in (1_000, 14_191, 30_000, 50_000, 58_000)]
    assert smaller == sorted(smaller)


def test_the_options_of_the_predictions_are_the_computed_numbers():
    """They are typed on the page, because hovering over a computed one would give the answer away."""
    text = (ROOT / "book" / "part-b.md").read_text(encoding="utf-8")
    typed = {
        name: int(value.replace("_", ""))
        for name, value in re.findall(r"^((?:guess|size)_\d) = ([\d_]+)", text, re.M)
    }
    write, mttf = storage.write_time(storage.checkpoint_bytes(175e9), 1e9), 50_000 * 3600.0
    assert typed["guess_4"] == round(write / 60)
    assert typed["size_2"] == round(storage.gpus_for_goodput(0.5, write, mttf), -3)
    assert typed["size_3"] == round(storage.gpus_for_first_order_waste(2.0, write, mttf), -3)
